//! [`SchemaBuilder`]: declares fields and indices by the names of their sets.

use super::{Dtype, Field, Index, Level, Schema, SchemaError};

/// Declares the fields and indices of a [`Schema`] by the names of their sets; `graph` stands for the graph itself.
#[derive(Clone, Debug)]
#[must_use]
pub struct SchemaBuilder {
    sets: Vec<String>,
    fields: Vec<Field>,
    indices: Vec<Index>,
    /// The first mistake, which [`build`](Self::build) returns.
    error: Option<SchemaError>,
}

impl Schema {
    /// Begins a schema of these sets, to which fields and indices are added by the names of their sets.
    pub fn of(sets: impl IntoIterator<Item = impl Into<String>>) -> SchemaBuilder {
        let sets = sets.into_iter().map(Into::into).collect();
        SchemaBuilder { sets, fields: vec![], indices: vec![], error: None }
    }
}

impl SchemaBuilder {
    /// Adds a field of a set, or of `graph`, with `width` elements per row.
    pub fn field(mut self, name: &str, set: &str, dtype: Dtype, width: usize) -> Self {
        let level = self.level(name, set);
        self.fields.push(Field::new(name, level, dtype, width));
        self
    }

    /// Sets the value of all elements in padding rows of a field that was added before.
    pub fn padded(self, field: &str, value: f64) -> Self {
        self.change(field, |field| field.padding = value)
    }

    /// Makes arrays of a field of width 1 that was added before vectors, `[rows]` and not `[rows, 1]`.
    pub fn vector(self, field: &str) -> Self {
        self.change(field, |field| field.vector = true)
    }

    /// Adds an index of a set, or of `graph`, with one column for each of `targets`: the set that the column points
    /// into.
    pub fn index<'a>(mut self, name: &str, set: &str, targets: impl IntoIterator<Item = &'a str>) -> Self {
        let level = self.level(name, set);
        let targets = targets.into_iter().map(|target| match self.level(name, target) {
            Level::Set(set) => set,
            Level::Graph => {
                let sets = self.sets.clone();
                self.failed(SchemaError::NoSet { name: name.into(), set: "\"graph\"".into(), sets });
                0
            }
        });
        let targets: Vec<u8> = targets.collect();
        self.indices.push(Index::new(name, level, targets));
        self
    }

    /// Checks the declarations as [`Schema::from_parts`] does.
    pub fn build(self) -> Result<Schema, SchemaError> {
        // Sets first: with two sets of one name, or none, all else is moot.
        Schema::from_parts(self.sets.clone(), vec![], vec![])?;
        match self.error {
            Some(error) => Err(error),
            None => Schema::from_parts(self.sets, self.fields, self.indices),
        }
    }

    fn change(mut self, field: &str, change: impl FnOnce(&mut Field)) -> Self {
        match self.fields.iter_mut().find(|other| other.name == field) {
            Some(found) => change(found),
            None => {
                let error = SchemaError::no_field(field, &self.fields);
                self.failed(error);
            }
        }
        self
    }

    fn level(&mut self, name: &str, set: &str) -> Level {
        match self.sets.iter().position(|other| other == set) {
            Some(set) => Level::Set(set as u8),
            None if set == "graph" => Level::Graph,
            None => {
                let sets = self.sets.clone();
                self.failed(SchemaError::NoSet { name: name.into(), set: format!("{set:?}"), sets });
                Level::Graph
            }
        }
    }

    fn failed(&mut self, error: SchemaError) {
        self.error.get_or_insert(error);
    }
}
