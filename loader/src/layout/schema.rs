//! [`Schema`]: the sets of rows that every graph of a data set has, their fields and indices; [`SchemaError`]: why they
//! do not make a schema.

use super::fields::common_unit;
use super::{Builtin, Dtype, Field, Index, Level, MAX_SETS, Marks, PaddingValue, SetNames, Shape};
use crate::error::{Cause, Error, ErrorKind, listed};
use crate::fingerprint::{mix, mix_bytes};
use graphpack_core::collate::Padding;
use graphpack_core::{LeastPadding, Limits};

/// The most columns of an index.
pub const MAX_COLUMNS: usize = 8;

/// The most axes of a row.
const MAX_AXES: usize = 7;

/// The most bytes that one row may have.
const MAX_ROW_BYTES: usize = 1 << 30;

/// The most fields and indices of a data set: a slot marks each with a bit.
pub(crate) const MAX_FIELDS: usize = Marks::MOST;

/// The sets of rows that every graph of a data set has, their fields and their indices.
///
/// Most data have `nodes` and `edges`; any others are declared by name, and `graph` stands for the graph itself:
///
/// ```
/// use graphpack_loader::{Dtype, Level, Schema};
///
/// let schema = Schema::of(&["protein", "ligand", "contacts"])
///     .field("protein.x", "protein", Dtype::F32, &[20]) // `[protein, 20]` in batches
///     .field("affinity", "graph", Dtype::F32, &[]) // `[graphs]`
///     .index("contact_index", "contacts", &["protein", "ligand"]);
/// assert_eq!(schema.fields()[0].level, Level::Set(0));
/// ```
///
/// What cannot be declared is an error where data are made of it: of [`Store`](crate::Store), of a loader, and of
/// [`check`](Self::check). The first mistake counts, and nothing is declared after it. Errors unless
///
/// - there are 1 to 16 sets, of different names, none of them `node`, `edge`, `graph` or `graphs`;
/// - fields and indices have different names, none of which the batch itself or a file uses;
/// - what they name are sets that there are, and indices have 1 to 8 columns;
/// - a row has at most 7 axes and 1 GiB, and fields may have their [padding values](crate::schema::PaddingValue);
/// - fields with [labels](Field::labels) are one int64 of each graph;
/// - there are at most 128 fields and indices.
#[derive(Clone, Debug, PartialEq)]
pub struct Schema {
    sets: SetNames,
    fields: Vec<Field>,
    indices: Vec<Index>,
    /// The arrays of neighbours and of sorted rows that batches have, in the order of their indices.
    pub(super) index_arrays: Vec<Builtin>,
    /// The first mistake.
    mistake: Option<Box<SchemaError>>,
}

impl Default for Schema {
    /// Returns the schema of `nodes`, `edges` and `edge_index` without fields.
    fn default() -> Self {
        Self::of(&Self::DEFAULT_SETS).index(Index::EDGE_INDEX, "edges", &["nodes", "nodes"])
    }
}

/// Declaring.
impl Schema {
    /// The sets of most data.
    pub const DEFAULT_SETS: [&str; 2] = ["nodes", "edges"];

    /// Begins a schema of these sets.
    pub fn of(sets: &[&str]) -> Self {
        let mut schema = Self {
            sets: SetNames::new(sets.iter().map(|&set| set.to_owned())),
            fields: vec![],
            indices: vec![],
            index_arrays: vec![],
            mistake: None,
        };
        schema.mistake = schema.check_sets().err().map(Box::new);
        schema
    }

    /// Adds a field of a set, or of `graph`. Each of its rows is one value (`&[]`), or has values along these axes (`&[9]`,
    /// `&[3, 3]`).
    #[must_use]
    pub fn field(self, name: &str, set: &str, dtype: Dtype, row: &[usize]) -> Self {
        self.declare(|schema| {
            let level = schema.level(name, set)?;
            schema.add_field(Field::new(name, level, dtype, product(row)).shaped(row))
        })
    }

    /// Adds a field with all its properties, as other data have it.
    #[must_use]
    pub fn with_field(self, field: Field) -> Self {
        self.declare(|schema| schema.add_field(field))
    }

    /// Sets what padding rows hold of a field that was added before, for example `PaddingValue::Length` for a length
    /// that a model divides by, or -100.0. It is 0 otherwise.
    #[must_use]
    pub fn padded(self, field: &str, value: impl Into<PaddingValue>) -> Self {
        let value = value.into();
        self.declare(|schema| {
            let position = schema.position(field).ok_or_else(|| SchemaError::no_field(field, &schema.fields))?;
            schema.fields[position].padding = value;
            schema.check_padding(&schema.fields[position])
        })
    }

    /// Adds an index of a set, or of `graph`, with one column for each set in `into`: the set whose rows the column
    /// numbers.
    #[must_use]
    pub fn index(self, name: &str, set: &str, into: &[&str]) -> Self {
        self.declare(|schema| {
            let target = |&target: &&str| match schema.level(name, target)? {
                Level::Set(set) => Ok(set),
                Level::Graph => Err(schema.no_set(name, target)),
            };
            let targets = into.iter().map(target).collect::<Result<Vec<u8>, _>>()?;
            schema.add_index(Index::new(name, schema.level(name, set)?, targets))
        })
    }

    /// Errors with the first mistake in what was declared.
    pub fn check(&self) -> Result<(), Error> {
        self.mistake.as_deref().map_or(Ok(()), |mistake| Err(mistake.clone().into()))
    }

    /// Returns the schema of these sets, fields and indices, in their order, or the first mistake.
    pub(crate) fn from_parts(sets: &[impl AsRef<str>], fields: Vec<Field>, indices: Vec<Index>) -> Result<Self, Error> {
        let mut schema = Self::of(&sets.iter().map(AsRef::as_ref).collect::<Vec<_>>());
        schema.check()?;
        check_number(fields.len() + indices.len())?;
        fields.into_iter().try_for_each(|field| schema.add_field(field))?;
        indices.into_iter().try_for_each(|index| schema.add_index(index))?;
        Ok(schema)
    }

    fn declare(mut self, declare: impl FnOnce(&mut Self) -> Result<(), SchemaError>) -> Self {
        if self.mistake.is_none() {
            self.mistake = declare(&mut self).err().map(Box::new);
        }
        self
    }

    fn add_field(&mut self, field: Field) -> Result<(), SchemaError> {
        self.check_name(&field.name)?;
        self.check_level(&field.name, field.level)?;
        let Field { name, dtype, width, row, .. } = &field;
        if row.len() > MAX_AXES || product(row) != *width {
            return Err(SchemaError::Row { name: name.clone(), row: row.clone(), width: *width });
        }
        if width.checked_mul(dtype.bytes()).is_none_or(|bytes| bytes > MAX_ROW_BYTES) {
            return Err(SchemaError::Width { name: name.clone(), width: *width });
        }
        if !field.labels.is_empty() && (field.level, dtype, *width) != (Level::Graph, &Dtype::I64, 1) {
            return Err(SchemaError::Labels { name: name.clone(), width: *width, dtype: *dtype });
        }
        self.check_padding(&field)?;
        self.fields.push(field);
        Ok(())
    }

    fn add_index(&mut self, index: Index) -> Result<(), SchemaError> {
        let Index { name, level, targets } = &index;
        self.check_name(name)?;
        targets.iter().map(|&set| Level::Set(set)).chain([*level]).try_for_each(|of| self.check_level(name, of))?;
        if !(1..=MAX_COLUMNS).contains(&targets.len()) {
            return Err(SchemaError::Columns { name: name.clone(), columns: targets.len() });
        }
        self.indices.push(index);
        Ok(())
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

    /// Errors unless one more field or index may have this name.
    fn check_name(&self, name: &str) -> Result<(), SchemaError> {
        check_number(self.fields.len() + self.indices.len() + 1)?;
        let builtins = || Builtin::all(self.sets.len()).chain(self.index_arrays.iter().copied());
        let of_batch = || builtins().any(|builtin| self.array_name(builtin) == name);
        let of_file = || name == "__metadata__" || (0..self.sets.len()).any(|set| name == self.sets.offsets(set));
        let reserved = name.is_empty() || of_file() || of_batch();
        if reserved || self.position(name).is_some() || self.find_index(name).is_some() {
            return Err(SchemaError::Name { name: name.into(), reserved });
        }
        Ok(())
    }

    fn check_padding(&self, field: &Field) -> Result<(), SchemaError> {
        if field.may_have(field.padding) {
            return Ok(());
        }
        Err(SchemaError::Padding { field: field.clone().into(), of: self.level_name(field.level).to_owned() })
    }

    fn check_level(&self, name: &str, level: Level) -> Result<(), SchemaError> {
        match level {
            Level::Set(set) if usize::from(set) >= self.sets.len() => {
                Err(SchemaError::NoSet { name: name.into(), set: format!("number {set}"), sets: self.sets.to_vec() })
            }
            _ => Ok(()),
        }
    }

    /// The level that a field or index declares by name.
    fn level(&self, name: &str, set: &str) -> Result<Level, SchemaError> {
        match self.set(set) {
            Some(set) => Ok(Level::Set(set as u8)),
            None if set == "graph" => Ok(Level::Graph),
            None => Err(self.no_set(name, set)),
        }
    }

    fn no_set(&self, name: &str, set: &str) -> SchemaError {
        SchemaError::NoSet { name: name.into(), set: format!("{set:?}"), sets: self.sets.to_vec() }
    }
}

/// The number of values along all axes of a row.
fn product(row: &[usize]) -> usize {
    row.iter().fold(1, |product, &length| product.saturating_mul(length))
}

/// Errors if there are too many fields and indices.
fn check_number(fields: usize) -> Result<(), SchemaError> {
    if fields > MAX_FIELDS { Err(SchemaError::Fields { fields }) } else { Ok(()) }
}

/// Reading.
impl Schema {
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

    /// The arrays of neighbours and of sorted rows that batches have.
    pub(crate) fn index_arrays(&self) -> &[Builtin] {
        &self.index_arrays
    }

    /// Returns the name of a built-in array in batches of these graphs: PyTorch Geometric's where it has one.
    pub fn array_name(&self, of: Builtin) -> String {
        let field = |field: u8| self.fields.get(usize::from(field)).map_or("", |field| &field.name);
        let index = |index: u8| self.indices.get(usize::from(index)).map_or("", |index| &index.name);
        of.name(|set| self.level_name(Level::Set(set)), field, index).concat()
    }

    /// The position of the first field of a set that is a length: a floating point number with this padding.
    pub(crate) fn length(&self, set: u8) -> Option<usize> {
        let is_length = |of: &Field| of.padding == PaddingValue::Length && of.dtype.is_float() && of.width == 1;
        self.fields.iter().position(|field| field.level == Level::Set(set) && is_length(field))
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
    pub fn find_index(&self, name: &str) -> Option<usize> {
        self.indices.iter().position(|index| index.name == name)
    }

    /// The set of a level by its name, or `graph`; empty if there is no such set.
    pub fn level_name(&self, level: Level) -> &str {
        match level {
            Level::Set(set) => self.sets.get(usize::from(set)).map_or("", String::as_str),
            Level::Graph => "graph",
        }
    }

    /// Whether batches keep padding rows of a set: of `nodes`, and of every set that an index or neighbours point into.
    pub(crate) fn has_padding(&self, set: usize) -> bool {
        let is_target = |index: &Index| index.targets.contains(&(set as u8));
        let has_edges = |array: &Builtin| array.matrix().is_some_and(|of| usize::from(of.edges) == set);
        self.sets[set] == "nodes" || self.indices.iter().any(is_target) || self.index_arrays.iter().any(has_edges)
    }

    /// Returns the padding that batches have unless [`Options::padding`](field@crate::Options::padding) says otherwise:
    /// [`Padding::Beyond`] if a field of the schema is [positions](PaddingValue::Positions), where one coordinate has no
    /// place for three nodes [`Padding::TwoNodes`], and else [`Padding::SelfLoops`].
    pub fn usual_padding(&self) -> Padding {
        let positions = self.fields.iter().filter(|field| field.padding == PaddingValue::Positions);
        match positions.map(|field| field.width).min() {
            None => Padding::SelfLoops,
            Some(1) => Padding::TwoNodes,
            Some(_) => Padding::Beyond,
        }
    }

    /// Returns what every batch keeps free: rows for padding entries to point to, and one graph.
    pub fn least_padding(&self, padding: Padding) -> LeastPadding {
        padding.least(self.sets.len(), |set| self.has_padding(set))
    }

    /// Returns the shape that holds `packs` packs of `limits` and the [least padding](Self::least_padding); `None` if
    /// its numbers overflow. A loader may add rows to it, so that padding entries are spread.
    pub fn padded_shape(&self, padding: Padding, limits: &Limits, packs: usize) -> Option<Shape> {
        let times = |limit: u32| (limit as usize).checked_mul(packs);
        limits.size.as_slice().iter().copied().try_for_each(|limit| times(limit).map(drop))?;
        let rows = |set| times(limits.size[set]).unwrap_or_default();
        Shape::of(limits.size.sets(), times(limits.graphs)?, rows).padded(&self.least_padding(padding))
    }

    /// Takes the units of fields that are the same in all `parts`, which have these fields, and forgets the others.
    /// Errors if two parts state different ones, or have different labels.
    pub(crate) fn agree(&mut self, parts: &[&Self]) -> Result<(), Error> {
        for (at, field) in self.fields.iter_mut().enumerate() {
            let differs = |part: &&Self| part.fields.get(at).is_some_and(|other| other.labels != field.labels);
            if let Some(part) = parts.iter().position(differs) {
                let lacks = field.labels.is_empty() || parts[part].fields[at].labels.is_empty();
                return Err(SchemaError::OtherLabels { name: field.name.clone(), part, lacks }.into());
            }
            let unit = |part: usize| parts[part].fields.get(at).and_then(|field| field.unit.as_deref());
            field.unit = common_unit((0..parts.len()).map(unit)).map_err(|parts| SchemaError::Units {
                name: field.name.clone(),
                units: parts.map(|part| unit(part).unwrap_or_default().to_owned()),
                parts,
            })?;
        }
        Ok(())
    }

    /// Returns a hash of the sets, and of names, levels, dtypes and widths. Padding values, the axes of rows, units and
    /// labels do not matter.
    pub(crate) fn fingerprint(&self) -> u64 {
        // Graphs are 2, between the first two sets and the others: saved states have hashes with these numbers.
        let number = |level: Level| match level {
            Level::Graph => 2,
            Level::Set(set) => u64::from(set) + u64::from(set >= 2),
        };
        let hash = self.fields.iter().fold(0, |hash, field| {
            let kind = [number(field.level), field.dtype as u64, field.width as u64];
            let hash = kind.into_iter().fold(mix_bytes(hash, field.name.as_bytes()), mix);
            // A code is another text where the labels are others.
            field.labels.iter().fold(hash, |hash, label| mix_bytes(hash, label.as_bytes()))
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

/// Sets, fields and indices do not make a schema.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(crate) enum SchemaError {
    #[error("a graph has 1 to 16 sets, found {}: {sets:?}", .sets.len())]
    Sets { sets: Vec<String> },
    #[error("set name {name:?} is {}", if *.reserved { "empty or reserved" } else { "used twice" })]
    Set { name: String, reserved: bool },
    #[error("{name:?} names the set {set}, but the sets are {sets:?}")]
    NoSet { name: String, set: String, sets: Vec<String> },
    #[error(
        "name {name:?} is {}",
        if *.reserved { "reserved for the batch itself or its file" } else { "used twice" }
    )]
    Name { name: String, reserved: bool },
    #[error("field {name:?} has {width} elements per row; a row may have at most 1 GiB")]
    Width { name: String, width: usize },
    #[error("field {name:?} has rows of {row:?}; expected up to 7 axes of {width} elements in all")]
    Row { name: String, row: Vec<usize>, width: usize },
    #[error("there is no field {name:?}; there {}", listed(.available))]
    NoField { name: String, available: Vec<String> },
    #[error("the padding value {} of field {:?} {}", .field.padding, .field.name, padding_problem(.field, .of))]
    Padding { field: Box<Field>, of: String },
    #[error(
        "field {name:?} is in {} in part {}, but in {} in part {}: graphpack convert joins units that it knows",
        .units[0], .parts[0], .units[1], .parts[1]
    )]
    Units { name: String, units: [String; 2], parts: [usize; 2] },
    #[error("field {name:?} has labels, expected codes of one int64 per graph, found {width} of {dtype} per row")]
    Labels { name: String, width: usize, dtype: Dtype },
    #[error(
        "field {name:?} {}",
        if *.lacks { format!("has labels in one of the parts 0 and {part} alone: expected them in both or in neither") }
        else { format!("has other labels in part {part}: a mix, or graphpack convert, makes one list of both") }
    )]
    OtherLabels {
        name: String,
        part: usize,
        /// Whether one of the two has none.
        lacks: bool,
    },
    #[error("neighbours follow from an index of a set with two columns, but {index:?} is none; there {}", listed(.available))]
    NoEdges { index: String, available: Vec<String> },
    #[error("expected no array {name:?}, which is to be added: a field, an index or another array has this name")]
    ArrayName { name: String },
    #[error("expected an index of a set with a column {column}, found {index:?}; there {}", listed(.available))]
    NoColumn { index: String, column: usize, available: Vec<String> },
    #[error("{set:?} cannot have the order of {index:?}, which follows from their own order")]
    OrderInCircle { index: String, set: String },
    #[error("neighbours have fields of {of}, but {name:?} is of {found}")]
    NeighbourField { name: String, of: String, found: String },
    #[error("expected at least 1 column of neighbours, found 0")]
    NoNeighbours,
    #[error("index {name:?} has {columns} columns, expected 1 to 8")]
    Columns { name: String, columns: usize },
    #[error("the data set has {fields} fields and indices, at most 128 are supported")]
    Fields { fields: usize },
}

/// What is wrong with the padding value of a field of the set `of`, or of graphs.
fn padding_problem(Field { dtype, width, padding, .. }: &Field, of: &str) -> String {
    let expected = match padding {
        PaddingValue::Number(_) => return format!("is not a finite value of {dtype}"),
        PaddingValue::Positions | PaddingValue::Length => "numbers of a set",
        PaddingValue::Cell => "9 numbers per graph",
    };
    let row = if of == "graph" { "" } else { "row of " };
    format!("expects {expected}, found {width} of {dtype} per {row}{of}")
}

impl Cause for SchemaError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Data
    }
}

impl SchemaError {
    /// The error that none of `fields` has this name.
    pub(crate) fn no_field(name: &str, fields: &[Field]) -> Self {
        Self::NoField { name: name.to_owned(), available: fields.iter().map(|field| field.name.clone()).collect() }
    }
}
