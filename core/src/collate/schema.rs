//! What each graph has, as a constant: a [`FixedSchema`] of [`FixedField`]s and [`FixedIndex`]es.

use super::{Builtin, Dtype, Level, NeighbourField, Neighbours, PaddingValue};
use crate::MAX_SETS;

/// The sets, fields and indices of graphs, and the built-in arrays that batches of them have. What is named by a number
/// in this module is named by its position here.
#[derive(Clone, Copy, Debug)]
pub struct FixedSchema {
    /// Different names of 1 to 16 sets.
    pub sets: &'static [&'static str],
    /// Fields, each of another name than other fields and indices.
    pub fields: &'static [FixedField],
    /// Indices.
    pub indices: &'static [FixedIndex],
    /// The built-in arrays of batches, in the order of [`Builtin::all`]. [`Ptr`](Builtin::Ptr) of a set tells the rows
    /// of each graph afterwards, [`GraphIds`](Builtin::GraphIds) the graph. There is no
    /// [`IndexPtr`](Builtin::IndexPtr), as rows are not sorted.
    pub builtins: &'static [Builtin],
}

/// One field: `width` elements for each row of a set, or for each graph, as its level says.
#[derive(Clone, Copy, Debug)]
pub struct FixedField {
    /// Name of the field and of its array: `x`, `edge_attr`, `pos`, `y`.
    pub name: &'static str,
    /// What it has rows for: a set, or graphs.
    pub level: Level,
    /// Element type.
    pub dtype: Dtype,
    /// Elements per row.
    pub width: usize,
    /// What padding rows hold.
    pub padding: PaddingValue,
}

impl FixedField {
    /// Returns a field with these properties, whose padding is 0.
    pub const fn new(name: &'static str, level: Level, dtype: Dtype, width: usize) -> Self {
        Self { name, level, dtype, width, padding: PaddingValue::Number(0.0) }
    }

    /// Sets what padding rows hold.
    #[must_use]
    pub const fn padded(self, padding: PaddingValue) -> Self {
        Self { padding, ..self }
    }
}

/// A field whose values number rows of other sets of the same graph, as `edge_index` numbers nodes. A batch holds it as
/// `[columns, rows]`. Collation adds to each column the place where the graph's rows begin in the set that the column
/// points into.
#[derive(Clone, Copy, Debug)]
pub struct FixedIndex {
    /// Name of the index and of its array: `edge_index`, `triplet_index`.
    pub name: &'static str,
    /// What it has entries for: the rows of a set, or graphs.
    pub level: Level,
    /// The set that each of 1 to 8 columns points into.
    pub targets: &'static [u8],
}

impl FixedIndex {
    /// Returns an index with these properties.
    pub const fn new(name: &'static str, level: Level, targets: &'static [u8]) -> Self {
        Self { name, level, targets }
    }
}

impl FixedSchema {
    /// Whether batches keep padding rows of a set: of `nodes`, and of every set that an index or [`Neighbours`] point
    /// into.
    pub(super) const fn has_padding(&self, set: usize) -> bool {
        let mut index = 0;
        while index < self.indices.len() {
            let mut column = 0;
            while column < self.indices[index].targets.len() {
                if self.indices[index].targets[column] as usize == set {
                    return true;
                }
                column += 1;
            }
            index += 1;
        }
        let mut at = 0;
        while at < self.builtins.len() {
            if let Some(of) = self.builtins[at].matrix()
                && of.edges as usize == set
            {
                return true;
            }
            at += 1;
        }
        set < self.sets.len() && equal(self.sets[set], "nodes")
    }

    /// Errors unless built-in arrays, which are in order, have all of each [`Neighbours`], then its fields.
    const fn check_neighbours(&self) -> Result<(), &'static str> {
        let (mut at, mut last) = (0, None);
        while at < self.builtins.len() {
            match self.builtins.split_at(at).1 {
                [Builtin::Neighbours(of), Builtin::NeighbourEdges(edges), Builtin::NeighbourMask(mask), ..] => {
                    if !self.has_neighbours(*of) || !same(*of, *edges) || !same(*of, *mask) {
                        return Err("expected at least one neighbour, of an index of a set with two columns, the \
                                    second into their set");
                    }
                    (last, at) = (Some(*of), at + 2);
                }
                [Builtin::Neighbours(_) | Builtin::NeighbourEdges(_) | Builtin::NeighbourMask(_), ..] => {
                    return Err("expected Neighbours, NeighbourEdges and NeighbourMask together");
                }
                [Builtin::NeighbourField(field), ..] => match last {
                    Some(of) if same(of, field.of) && self.has_neighbour_field(*field) => {}
                    _ => return Err("expected NeighbourField after its Neighbours, of a field of their index's set"),
                },
                [Builtin::IndexPtr(_), ..] => {
                    return Err("expected no IndexPtr: batches in fixed memory keep the order of rows");
                }
                _ => {}
            }
            at += 1;
        }
        Ok(())
    }

    const fn has_neighbours(&self, of: Neighbours) -> bool {
        if of.index as usize >= self.indices.len() || of.most == 0 {
            return false;
        }
        let FixedIndex { level, targets, .. } = self.indices[of.index as usize];
        matches!(level, Level::Set(set) if set == of.edges) && targets.len() == 2 && targets[1] == of.set
    }

    const fn has_neighbour_field(&self, of: NeighbourField) -> bool {
        if of.field as usize >= self.fields.len() {
            return false;
        }
        let FixedField { level, dtype, width, .. } = self.fields[of.field as usize];
        let found = if let Some(width) = of.width { width as usize } else { 1 };
        matches!(level, Level::Set(set) if set == of.of.edges) && dtype as u8 == of.dtype as u8 && width == found
    }

    /// Errors with what is wrong.
    pub(super) const fn check(&self) -> Result<(), &'static str> {
        if self.sets.is_empty() || self.sets.len() > MAX_SETS {
            return Err("expected 1 to 16 sets");
        }
        if self.has_equal_names() {
            return Err("expected different names of sets, and of fields and indices");
        }
        let mut at = 0;
        while at < self.fields.len() {
            let FixedField { level, dtype, width, padding, .. } = self.fields[at];
            if !self.has(level) {
                return Err("a field is of a set that the schema does not have");
            }
            if !padding.suits(level, dtype, width) {
                return Err("the padding value of a field is none of its dtype, level and width");
            }
            at += 1;
        }
        at = 0;
        while at < self.indices.len() {
            let FixedIndex { level, targets, .. } = self.indices[at];
            if targets.is_empty() || targets.len() > 8 {
                return Err("expected indices of 1 to 8 columns");
            }
            let mut known = self.has(level);
            let mut column = 0;
            while column < targets.len() {
                known = known && self.has(Level::Set(targets[column]));
                column += 1;
            }
            if !known {
                return Err("an index is of or into a set that the schema does not have");
            }
            at += 1;
        }
        at = 0;
        while at < self.builtins.len() {
            if !self.has(self.builtins[at].of()) {
                return Err("a built-in array is of a set that the schema does not have");
            }
            if at > 0 && self.builtins[at - 1].place() >= self.builtins[at].place() {
                return Err("expected built-in arrays in the order of Builtin::all, each once");
            }
            at += 1;
        }
        self.check_neighbours()
    }

    /// Whether two sets, or two of the fields and indices, have the same name.
    const fn has_equal_names(&self) -> bool {
        let (sets, fields) = (self.sets.len(), self.fields.len());
        let (mut at, all) = (0, sets + fields + self.indices.len());
        while at < all {
            let mut other = if at < sets { 0 } else { sets };
            while other < at {
                if equal(self.name(at), self.name(other)) {
                    return true;
                }
                other += 1;
            }
            at += 1;
        }
        false
    }

    /// The name at a position among sets, then fields, then indices.
    const fn name(&self, at: usize) -> &'static str {
        let (sets, fields) = (self.sets.len(), self.fields.len());
        if at < sets {
            self.sets[at]
        } else if at < sets + fields {
            self.fields[at - sets].name
        } else {
            self.indices[at - sets - fields].name
        }
    }

    const fn has(&self, level: Level) -> bool {
        match level {
            Level::Set(set) => (set as usize) < self.sets.len(),
            Level::Graph => true,
        }
    }
}

/// Whether two matrices are equal, in a constant.
const fn same(a: Neighbours, b: Neighbours) -> bool {
    a.index == b.index && a.edges == b.edges && a.set == b.set && a.most == b.most
}

/// Whether two names are equal, in a constant.
const fn equal(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at == a.len() && at == b.len()
}
