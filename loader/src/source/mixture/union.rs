//! [`Union`]: the schema of several data sets; [`MixtureError`]: why they cannot be mixed, or not at these rates.

use crate::error::{Cause, Error, ErrorKind};
use crate::layout::{
    Dtype, Field, Index, Level, PaddingValue, Schema, Within, codes_among, common_labels, common_unit,
};

/// One schema that has all sets, fields and indices of several data sets, and what each of them lacks.
pub(super) struct Union {
    pub(super) schema: Schema,
    /// For each data set, where what it has is in `schema`.
    pub(super) within: Vec<Within>,
    /// For each data set, what it lacks of `schema`.
    pub(super) lacking: Vec<Lacking>,
}

/// What a mixture writes because a data set lacks it, or has it otherwise. All by position in the schema of the union.
#[derive(Clone, Debug, Default)]
pub(super) struct Lacking {
    /// Fields, which are 0.
    pub(super) fields: Vec<usize>,
    /// Indices of sets of which the data set has no rows, and their numbers of columns.
    pub(super) indices: Vec<(usize, usize)>,
    /// Masks that the data set does not have itself, and whether it has what they stand for.
    pub(super) masks: Vec<(usize, bool)>,
    /// Masks of graphs, where those of another data set are of each column.
    pub(super) narrow: Vec<usize>,
    /// Masks that the data set has without what they stand for, which its graphs lack whatever they say.
    pub(super) denied: Vec<usize>,
    /// Fields in which NaN is a value that a graph lacks, and their masks.
    pub(super) masked: Vec<(usize, usize)>,
    /// Fields of other codes, their masks, and the code of the mixture for each of the data set's.
    pub(super) codes: Vec<(usize, Option<usize>, Vec<i64>)>,
}

/// The field that says which data set a graph is of.
pub(super) const DATA_SET: &str = "dataset";

/// The field of `fields` that `mask` says of whether a graph has it, or which of its rows; `None` if it is no mask.
fn masked<'a>(fields: &'a [Field], mask: &Field) -> Option<&'a Field> {
    fields.iter().find(|field| mask.masks(field))
}

impl Union {
    /// Unites the schemas of data sets with these names. Errors if two contradict each other.
    pub(super) fn new(parts: &[(&str, &Schema)]) -> Result<Self, Error> {
        parts.iter().try_for_each(|(_, schema)| schema.check()).map_err(MixtureError::Schema)?;
        let (mut sets, mut fields, mut indices) = (Vec::<&str>::new(), Vec::<Field>::new(), Vec::<Index>::new());
        for (_, schema) in parts {
            let new = schema.sets().iter().map(String::as_str).filter(|set| !sets.contains(set));
            sets.extend(new.collect::<Vec<_>>());
        }
        let level = |schema: &Schema, level: Level| match level {
            Level::Set(_) => Level::Set(set_named(&sets, schema.level_name(level))),
            Level::Graph => Level::Graph,
        };
        let is_mask = |mask: &Field| parts.iter().any(|(_, schema)| masked(schema.fields(), mask).is_some());
        for (place, (second, schema)) in parts.iter().enumerate() {
            let names = schema.fields().iter().map(|field| &field.name);
            for name in names.chain(schema.indices().iter().map(|index| &index.name)) {
                let mut before = parts[..place].iter();
                let found = before.find_map(|(first, schema)| Some((first, described(schema, name, is_mask)?)));
                if let (Some((first, expected)), Some(found)) = (found, described(schema, name, is_mask))
                    && expected != found
                {
                    let [first, second] = [first, second].map(|name| String::from(*name));
                    return Err(MixtureError::Conflict { name: name.clone(), first, expected, second, found }.into());
                }
            }
            let new = schema.fields().iter().filter(|field| fields.iter().all(|other| other.name != field.name));
            let new = new.map(|field| Field { level: level(schema, field.level), ..field.clone() });
            let new: Vec<_> = new.collect();
            fields.extend(new);
            for field in &mut fields {
                let own = schema.position(&field.name).map(|at| &schema.fields()[at]);
                if let Some(wider) = own.filter(|own| own.width > field.width) {
                    (field.width, field.row) = (wider.width, wider.row.clone());
                }
            }
            let new = schema.indices().iter().filter(|index| indices.iter().all(|other| other.name != index.name));
            let new = new.map(|index| {
                let targets = index.targets.iter().map(|&set| set_named(&sets, schema.level_name(Level::Set(set))));
                Index::new(&index.name, level(schema, index.level), targets.collect::<Vec<_>>())
            });
            let new: Vec<_> = new.collect();
            indices.extend(new);
        }
        for field in &mut fields {
            let having =
                || parts.iter().filter_map(|(name, of)| Some((*name, &of.fields()[of.position(&field.name)?])));
            field.labels = common_labels(having().map(|(_, field)| &field.labels));
            field.unit = common_unit(having().map(|(_, field)| field.unit.as_deref())).map_err(|places| {
                let told = |(name, field): (&str, &Field)| (name.to_owned(), field.unit.clone().unwrap_or_default());
                let [first, second] = places.map(|place| having().nth(place).map(told).unwrap_or_default());
                MixtureError::Units { name: field.name.clone(), first, second }
            })?;
        }
        // A field of a set that a data set has not at all is not missing there: it has no rows.
        let lacks = |schema: &Schema, field: &Field| {
            let there = field.level == Level::Graph || schema.set(sets[set_of(field.level)]).is_some();
            there && schema.position(&field.name).is_none()
        };
        let masks: Vec<Field> = fields
            .iter()
            .filter(|field| !is_mask(field) && parts.iter().any(|(_, schema)| lacks(schema, field)))
            .map(Field::mask)
            .filter(|mask| fields.iter().all(|field| field.name != mask.name || !is_mask(field)))
            .collect();
        fields.extend(masks);
        fields.push(Field::new(DATA_SET, Level::Graph, Dtype::I64, 1).shaped(&[]));
        let schema = Schema::from_parts(&sets, fields, indices).map_err(MixtureError::Schema)?;
        let lacking = parts.iter().map(|part| Lacking::new(part, &schema, parts)).collect::<Result<_, _>>()?;
        let within = parts.iter().filter_map(|(_, part)| Within::new(part, &schema)).collect();
        Ok(Self { schema, within, lacking })
    }
}

impl Lacking {
    fn new(&(name, part): &(&str, &Schema), schema: &Schema, parts: &[(&str, &Schema)]) -> Result<Self, Error> {
        let mut lacking = Self::default();
        for (at, field) in schema.fields().iter().enumerate().filter(|(_, of)| part.position(&of.name).is_none()) {
            match masked(schema.fields(), field) {
                Some(of) => lacking.masks.push((at, part.position(&of.name).is_some())),
                None if field.name == DATA_SET => {}
                None => lacking.fields.push(at),
            }
        }
        for (at, mask) in schema.fields().iter().enumerate() {
            let Some(of) = masked(schema.fields(), mask) else { continue };
            let own = part.position(&mask.name).map(|own| &part.fields()[own]);
            match schema.position(&of.name) {
                _ if part.position(&of.name).is_none() => lacking.denied.extend(own.map(|_| at)),
                Some(field) if of.dtype.is_float() => lacking.masked.push((field, at)),
                _ => {}
            }
            lacking.narrow.extend(own.filter(|own| own.width < mask.width).map(|_| at));
        }
        for own in part.fields() {
            let Some(at) = schema.position(&own.name) else { continue };
            let mask = schema.fields().iter().position(|mask| mask.is_mask_of(own));
            let codes = codes_among(&own.labels, &schema.fields()[at].labels);
            lacking.codes.extend(codes.map(|codes| (at, mask, codes)));
        }
        for (at, index) in schema.indices().iter().enumerate().filter(|(_, of)| part.find_index(&of.name).is_none()) {
            let level = schema.level_name(index.level).to_owned();
            if index.level == Level::Graph || part.set(&level).is_some() {
                let having = parts.iter().find(|(_, other)| other.find_index(&index.name).is_some());
                let having = having.map_or(String::new(), |(having, _)| String::from(*having));
                return Err(
                    MixtureError::Index { index: index.name.clone(), level, lacking: name.into(), having }.into()
                );
            }
            lacking.indices.push((at, index.width()));
        }
        Ok(lacking)
    }
}

fn set_of(level: Level) -> usize {
    match level {
        Level::Set(set) => usize::from(set),
        Level::Graph => 0,
    }
}

/// Where a set is among `sets`, which have it.
fn set_named(sets: &[&str], set: &str) -> u8 {
    sets.iter().position(|other| *other == set).unwrap_or_default() as u8
}

/// Returns what a schema means by the name of a field or index: all that data sets must agree on. `None` if it has no
/// such name.
fn described(schema: &Schema, name: &str, is_mask: impl Fn(&Field) -> bool) -> Option<String> {
    let field = schema.position(name).map(|at| {
        if is_mask(&schema.fields()[at]) {
            let rows = if schema.fields()[at].level == Level::Graph { "" } else { " of rows" };
            return format!("a mask{rows}");
        }
        let Field { level, dtype, width, padding, row, labels, .. } = &schema.fields()[at];
        let padded = match padding {
            PaddingValue::Number(0.0) => String::new(),
            other => format!(", {other} in padding"),
        };
        let shape = if row[..] == [*width] { String::new() } else { format!(" of shape {row:?}") };
        let labelled = if labels.is_empty() { "" } else { ", codes of labels" };
        format!("a field of {} with {width} of {dtype} per row{shape}{padded}{labelled}", schema.level_name(*level))
    });
    field.or_else(|| {
        let index = &schema.indices()[schema.find_index(name)?];
        let targets = index.targets.iter().map(|&set| schema.level_name(Level::Set(set)));
        Some(format!("an index of {} into {}", schema.level_name(index.level), targets.collect::<Vec<_>>().join(", ")))
    })
}

/// Data sets cannot be mixed, or not at these rates.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MixtureError {
    #[error(
        "{name:?} is {expected} in {first:?}, but {found} in {second:?}; rename one, convert it, or set its padding"
    )]
    Conflict { name: String, first: String, expected: String, second: String, found: String },
    #[error(
        "{name:?} is in {} in {:?}, but in {} in {:?}: graphpack convert joins units that it knows",
        .first.1, .first.0, .second.1, .second.0
    )]
    Units { name: String, first: (String, String), second: (String, String) },
    #[error("{index:?} is an index of {level}, which {lacking:?} has without it; {having:?} has the index")]
    Index { index: String, level: String, lacking: String, having: String },
    #[error("two data sets are named {name:?}, expected different names")]
    Name { name: String },
    #[error("the data sets cannot be united: {0}")]
    Schema(Error),
    #[error("rates: expected a mix of several data sets, found one data set")]
    NoMix,
    #[error("expected a rate for each of {names:?}, found {found}")]
    Rates { names: Vec<String>, found: usize },
    #[error("expected a rate of at least 0 for {name:?}, found {rate}")]
    Rate { name: String, rate: f64 },
    #[error(
        "mix and {name:?}, whose graphs are drawn again for each epoch, contradict each other: mix where they are drawn"
    )]
    Drawn { name: String },
    #[error("mix and the neighbours or sorted rows of {name:?} contradict each other: ask the mix for them")]
    IndexArrays { name: String },
    #[error("expected graphs in {name:?}, which is to be drawn at a rate of {rate}, found none")]
    Empty { name: String, rate: f64 },
    #[error("expected rates with a finite sum above 0, found {sum}")]
    Sum { sum: f64 },
    #[error("expected a temperature above 0, found {temperature}")]
    Temperature { temperature: f64 },
}

impl Cause for MixtureError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Conflict { .. } | Self::Units { .. } | Self::Index { .. } | Self::Schema(_) => ErrorKind::Data,
            _ => ErrorKind::Options,
        }
    }
}
