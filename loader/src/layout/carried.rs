//! [`Carried`]: which arrays batches carry.

use super::{Builtin, Schema};

/// Which fields, indices and built-in arrays batches carry. Others are neither written nor copied.
#[derive(Clone, Debug)]
pub(crate) struct Carried {
    /// By position in the schema.
    pub(super) fields: Vec<bool>,
    pub(super) indices: Vec<bool>,
    pub(super) builtins: Vec<Builtin>,
}

impl Carried {
    /// All fields and indices, and no built-in arrays.
    pub(crate) fn all(schema: &Schema) -> Self {
        let [fields, indices] = [schema.fields().len(), schema.indices().len()].map(|count| vec![true; count]);
        Self { fields, indices, builtins: Vec::new() }
    }

    /// Chooses from what there is: of fields and indices those in `chosen` and those that these follow from, or all if that
    /// is `None`; of built-in arrays the usual ones and those in `also`. `derived` are sets, each with a field or an index
    /// that its rows follow from. Errors with the first unknown name, and all known names.
    pub(crate) fn new(
        schema: &Schema,
        chosen: Option<&[String]>,
        derived: &[(&str, &str)],
        also: &[String],
    ) -> Result<Self, (String, Vec<String>)> {
        let names = || {
            let fields = schema.fields().iter().map(|field| &field.name);
            fields.chain(schema.indices().iter().map(|index| &index.name))
        };
        let builtins = || Builtin::all(schema.sets().len());
        if let Some(name) = chosen.into_iter().flatten().find(|&name| names().all(|other| other != name)) {
            return Err((name.clone(), names().cloned().collect()));
        }
        if let Some(name) = also.iter().find(|&name| builtins().all(|builtin| builtin.name(schema.sets()) != *name)) {
            return Err((name.clone(), builtins().map(|builtin| builtin.name(schema.sets())).collect()));
        }
        let mut carried: Option<Vec<&str>> = chosen.map(|chosen| chosen.iter().map(String::as_str).collect());
        if let Some(carried) = &mut carried {
            let of_set = |name: &str, set: &str| {
                let field = schema.fields().iter().find(|field| field.name == name).map(|field| field.level);
                let level = field.or_else(|| schema.find_index(name).map(|index| schema.indices()[index].level));
                level.is_some_and(|level| schema.level_name(level) == set)
            };
            // What rows follow from may be of a derived set itself.
            while let Some(&(_, input)) = derived
                .iter()
                .find(|(set, input)| !carried.contains(input) && carried.iter().any(|name| of_set(name, set)))
            {
                carried.push(input);
            }
        }
        let carries = |name: &String| carried.as_ref().is_none_or(|carried| carried.contains(&name.as_str()));
        let asked = |builtin: &Builtin| builtin.is_usual(schema.sets()) || also.contains(&builtin.name(schema.sets()));
        Ok(Self {
            fields: schema.fields().iter().map(|field| carries(&field.name)).collect(),
            indices: schema.indices().iter().map(|index| carries(&index.name)).collect(),
            builtins: builtins().filter(asked).collect(),
        })
    }
}
