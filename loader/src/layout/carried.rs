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

    /// Chooses from what there is: of fields and indices those in `chosen`, or all if that is `None`; of built-in arrays
    /// the usual ones and those in `also`. Errors with the first name that there is not, and all names that there are.
    pub(crate) fn new(
        schema: &Schema,
        chosen: Option<&[String]>,
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
        let carries = |name: &String| chosen.is_none_or(|chosen| chosen.contains(name));
        let asked = |builtin: &Builtin| builtin.is_usual(schema.sets()) || also.contains(&builtin.name(schema.sets()));
        Ok(Self {
            fields: schema.fields().iter().map(|field| carries(&field.name)).collect(),
            indices: schema.indices().iter().map(|index| carries(&index.name)).collect(),
            builtins: builtins().filter(asked).collect(),
        })
    }
}
