//! [`Schema`]: the sets of rows that every graph of a data set has, their fields and their indices.

use super::{Builtin, Dtype, Field, Index, Level, MAX_SETS, Marks, SchemaError, SetNames};
use crate::fingerprint::{mix, mix_bytes};
use half::f16;

/// The most columns of an index.
pub const MAX_COLUMNS: usize = 8;

/// The most bytes that one row may have.
const MAX_ROW_BYTES: usize = 1 << 30;

/// The most fields and indices of a data set: a slot marks each with a bit.
pub(crate) const MAX_FIELDS: usize = Marks::MOST;

/// The sets of rows that every graph of a data set has, their fields and their indices.
///
/// Most data have [`nodes` and `edges`](Self::new). Any others are declared by name:
///
/// ```
/// use graphpack_loader::{Dtype, Level, Schema};
///
/// let schema = Schema::of(["protein", "ligand", "contacts"])
///     .field("protein.x", "protein", Dtype::F32, 20)
///     .field("ligand.x", "ligand", Dtype::F32, 9)
///     .field("y", "graph", Dtype::F32, 1)
///     .index("contact_index", "contacts", ["protein", "ligand"])
///     .build()?;
/// assert_eq!(schema.fields()[1].level, Level::Set(1));
/// # Ok::<(), graphpack_loader::SchemaError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Schema {
    sets: SetNames,
    fields: Vec<Field>,
    indices: Vec<Index>,
}

impl Default for Schema {
    /// Returns the schema of `nodes`, `edges` and `edge_index` without fields.
    fn default() -> Self {
        Self {
            sets: SetNames::new(Self::DEFAULT_SETS.map(String::from)),
            fields: vec![],
            indices: vec![Index::edge_index()],
        }
    }
}

impl Schema {
    /// The sets of most data.
    pub const DEFAULT_SETS: [&str; 2] = ["nodes", "edges"];

    /// Returns the schema that most data have: these fields of the sets `nodes` and `edges` and of graphs
    /// ([`Level::NODE`], [`Level::EDGE`], [`Level::Graph`]), and `edge_index` of `edges` into `nodes` and `nodes`. Errors
    /// as [`from_parts`](Self::from_parts).
    pub fn new(fields: Vec<Field>) -> Result<Self, SchemaError> {
        Self::from_parts(Self::DEFAULT_SETS, fields, vec![Index::edge_index()])
    }

    /// Returns the schema of these sets, fields and indices, in their order. Errors unless
    ///
    /// - there are 1 to 8 sets, of different names, none of them `node`, `edge`, `graph` or `graphs`;
    /// - fields and indices have different names, none of which the batch itself or a file uses;
    /// - levels and targets are sets that there are, and indices have 1 to 8 columns;
    /// - a row has at most 1 GiB, and padding values are finite values of their dtype;
    /// - there are at most 128 fields and indices.
    pub fn from_parts(
        sets: impl IntoIterator<Item = impl Into<String>>,
        fields: Vec<Field>,
        indices: Vec<Index>,
    ) -> Result<Self, SchemaError> {
        let schema = Self { sets: SetNames::new(sets.into_iter().map(Into::into)), fields, indices };
        schema.check_sets()?;
        let fields = schema.fields.len() + schema.indices.len();
        if fields > MAX_FIELDS {
            return Err(SchemaError::Fields { fields });
        }
        schema.check_names()?;
        for Field { name, level, dtype, width, padding, .. } in &schema.fields {
            schema.check_level(name, *level)?;
            if width.checked_mul(dtype.bytes()).is_none_or(|bytes| bytes > MAX_ROW_BYTES) {
                return Err(SchemaError::Width { name: name.clone(), width: *width });
            }
            if !dtype.holds(*padding) {
                return Err(SchemaError::Padding { name: name.clone(), dtype: *dtype, value: *padding });
            }
        }
        for Index { name, level, targets } in &schema.indices {
            targets
                .iter()
                .map(|&set| Level::Set(set))
                .chain([*level])
                .try_for_each(|of| schema.check_level(name, of))?;
            if !(1..=MAX_COLUMNS).contains(&targets.len()) {
                return Err(SchemaError::Columns { name: name.clone(), columns: targets.len() });
            }
        }
        Ok(schema)
    }

    fn check_sets(&self) -> Result<(), SchemaError> {
        if !(1..=MAX_SETS).contains(&self.sets.len()) {
            return Err(SchemaError::Sets { sets: self.sets.to_vec() });
        }
        for (position, name) in self.sets.iter().enumerate() {
            let reserved = ["", "node", "edge", "graph", "graphs"].contains(&name.as_str());
            if reserved || self.sets[..position].contains(name) {
                return Err(SchemaError::Set { name: name.clone(), reserved });
            }
        }
        Ok(())
    }

    fn check_names(&self) -> Result<(), SchemaError> {
        let of_batch: Vec<String> = Builtin::all(self.sets.len()).map(|builtin| builtin.name(&self.sets)).collect();
        let of_file =
            |name: &str| name == "__metadata__" || (0..self.sets.len()).any(|set| name == self.sets.offsets(set));
        let names: Vec<&str> =
            self.fields.iter().map(|field| &*field.name).chain(self.indices.iter().map(|index| &*index.name)).collect();
        for (position, &name) in names.iter().enumerate() {
            let reserved = name.is_empty() || of_file(name) || of_batch.iter().any(|builtin| builtin == name);
            if reserved || names[..position].contains(&name) {
                return Err(SchemaError::Name { name: name.into(), reserved });
            }
        }
        Ok(())
    }

    fn check_level(&self, name: &str, level: Level) -> Result<(), SchemaError> {
        match level {
            Level::Set(set) if usize::from(set) >= self.sets.len() => {
                Err(SchemaError::NoSet { name: name.into(), set: format!("number {set}"), sets: self.sets.to_vec() })
            }
            _ => Ok(()),
        }
    }

    /// The names of the sets.
    pub fn sets(&self) -> &SetNames {
        &self.sets
    }

    /// The fields.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// The indices.
    pub fn indices(&self) -> &[Index] {
        &self.indices
    }

    /// The position of the set named `name`; `None` if there is none.
    pub fn set(&self, name: &str) -> Option<usize> {
        self.sets.iter().position(|set| set == name)
    }

    /// The position of the field named `name`; `None` if there is none.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|field| field.name == name)
    }

    /// The position of the index named `name`; `None` if there is none.
    pub fn index(&self, name: &str) -> Option<usize> {
        self.indices.iter().position(|index| index.name == name)
    }

    /// The set of a level by its name, or `graph`; empty if there is no such set.
    pub fn level_name(&self, level: Level) -> &str {
        match level {
            Level::Set(set) => self.sets.get(usize::from(set)).map_or("", String::as_str),
            Level::Graph => "graph",
        }
    }

    /// Whether batches keep padding rows of a set: of `nodes`, and of every set that an index points into.
    pub(crate) fn has_padding(&self, set: usize) -> bool {
        self.sets[set] == "nodes" || self.indices.iter().any(|index| index.targets.contains(&(set as u8)))
    }

    /// Forgets the units of fields that are known otherwise, or not at all, in the schema of other graphs.
    pub(crate) fn agree(&mut self, other: &Self) {
        for field in &mut self.fields {
            other.position(&field.name).into_iter().for_each(|at| field.agree(&other.fields[at]));
        }
    }

    /// Returns a hash of the sets, and of names, levels, dtypes and widths. Padding values, vectors and units do not
    /// matter.
    pub(crate) fn fingerprint(&self) -> u64 {
        // Graphs are 2, between the first two sets and the others: saved states have hashes with these numbers.
        let number = |level: Level| match level {
            Level::Graph => 2,
            Level::Set(set) => u64::from(set) + u64::from(set >= 2),
        };
        let hash = self.fields.iter().fold(0, |hash, field| {
            let kind = [number(field.level), field.dtype as u64, field.width as u64];
            kind.into_iter().fold(mix_bytes(hash, field.name.as_bytes()), mix)
        });
        let default = Self::default();
        if (&self.sets, &self.indices) == (&default.sets, &default.indices) {
            return hash;
        }
        let hash = self.sets.iter().fold(hash, |hash, set| mix_bytes(hash, set.as_bytes()));
        self.indices.iter().fold(hash, |hash, index| {
            let hash = mix(mix_bytes(hash, index.name.as_bytes()), number(index.level));
            mix_bytes(hash, &index.targets)
        })
    }
}

impl Dtype {
    /// Whether `value` is a value of this type, and finite, as files can keep it.
    fn holds(self, value: f64) -> bool {
        let whole = |from: f64, to: f64| value.fract() == 0.0 && (from..=to).contains(&value);
        match self {
            Self::F16 => f16::from_f64(value).is_finite(),
            Self::F32 => (value as f32).is_finite(),
            Self::F64 => value.is_finite(),
            // Whole numbers of up to 53 bits are exact in a float.
            Self::I64 => whole(-9_007_199_254_740_992.0, 9_007_199_254_740_992.0),
            Self::I32 => whole(i32::MIN.into(), i32::MAX.into()),
            Self::U8 => whole(0.0, 255.0),
            Self::Bool => whole(0.0, 1.0),
        }
    }
}
