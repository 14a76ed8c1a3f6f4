//! [`Within`]: where the sets, fields and indices of one schema are in a larger one; [`Input`]: where one is that a
//! derived set was made from.

use super::{Marks, Schema, Size};

/// Where the sets, fields and indices of one schema are in a larger one that has them all, by position.
#[derive(Clone, Debug)]
pub(crate) struct Within {
    schema: Schema,
    sets: Vec<u8>,
    fields: Vec<u8>,
    indices: Vec<u8>,
    /// The fields of the larger schema, masks of each column, that are masks of graphs in the smaller one.
    narrow: Marks,
}

impl Within {
    /// Finds each set, field and index of `schema` in `larger` by its name; `None` if one is not there.
    pub(crate) fn new(schema: &Schema, larger: &Schema) -> Option<Self> {
        let number = |position: usize| position as u8;
        let mut narrow = Marks::default();
        for field in schema.fields() {
            let at = larger.position(&field.name)?;
            if larger.fields()[at].width > field.width {
                narrow.set(at);
            }
        }
        Some(Self {
            narrow,
            sets: schema.sets().iter().map(|set| larger.set(set).map(number)).collect::<Option<_>>()?,
            fields: schema.fields().iter().map(|of| larger.position(&of.name).map(number)).collect::<Option<_>>()?,
            indices: schema
                .indices()
                .iter()
                .map(|of| larger.find_index(&of.name).map(number))
                .collect::<Option<_>>()?,
            schema: schema.clone(),
        })
    }

    /// Returns where all that is in a schema that is itself within another, `outer`.
    pub(super) fn through(&self, outer: &Self) -> Self {
        let through = |own: &[u8], outer: &[u8]| own.iter().map(|&at| outer[usize::from(at)]).collect();
        let mut narrow = outer.narrow;
        let own = outer.fields.iter().enumerate().filter(|(at, _)| self.narrow.has(*at));
        own.for_each(|(_, &at)| narrow.set(usize::from(at)));
        Self {
            narrow,
            schema: self.schema.clone(),
            sets: through(&self.sets, &outer.sets),
            fields: through(&self.fields, &outer.fields),
            indices: through(&self.indices, &outer.indices),
        }
    }

    /// The smaller schema.
    #[inline]
    pub(super) fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Where a set of the smaller schema is in the larger one.
    pub(super) fn set(&self, set: usize) -> Option<usize> {
        self.sets.get(set).copied().map(usize::from)
    }

    /// Where a field of the smaller schema is in the larger one.
    pub(super) fn field(&self, field: usize) -> Option<usize> {
        self.fields.get(field).copied().map(usize::from)
    }

    /// Whether the field at a position of the larger schema is a mask of each column, and of the graph in the smaller
    /// one.
    pub(super) fn is_narrow(&self, position: usize) -> bool {
        self.narrow.has(position)
    }

    /// Where an index of the smaller schema is in the larger one.
    pub(super) fn index(&self, index: usize) -> Option<usize> {
        self.indices.get(index).copied().map(usize::from)
    }

    /// The rows of the smaller schema's sets, from those of the larger one's.
    pub(super) fn smaller(&self, size: &Size) -> Size {
        Size::of(self.sets.len(), |set| size[usize::from(self.sets[set])])
    }

    /// The rows of the larger schema's `sets` sets, from those of the smaller one's: 0 for sets that it has not.
    pub(crate) fn larger(&self, sets: usize, size: &Size) -> Size {
        let mut larger = Size::of(sets, |_| 0);
        self.sets.iter().zip(size.as_slice()).for_each(|(&set, &rows)| larger.set(usize::from(set), rows));
        larger
    }
}

/// A field or an index that the rows of a derived set were made from, by its position in a schema.
pub(crate) struct Input {
    pub(super) set: String,
    pub(super) field: Option<usize>,
    pub(super) index: Option<usize>,
}

/// A map that is called with a graph: its name, and what sets that were derived before it follow from.
#[derive(Clone, Copy)]
pub(crate) struct MapCall<'a> {
    pub(crate) name: &'a str,
    pub(crate) inputs: &'a [Input],
}

impl Input {
    /// Finds the inputs of derived sets, each of which is a set and the name of an input, in a schema.
    pub(crate) fn all(schema: &Schema, derived: &[(&str, &str)]) -> Vec<Self> {
        let input = |&(set, name): &(&str, &str)| Self {
            set: set.to_owned(),
            field: schema.position(name),
            index: schema.find_index(name),
        };
        derived.iter().map(input).collect()
    }
}
