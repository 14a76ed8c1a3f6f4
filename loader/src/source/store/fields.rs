//! Selects, renames and adds the fields of a store.

use super::{Column, Store};
use crate::error::Error;
use crate::layout::{Field, Schema};

impl Store {
    /// Returns the store with those fields for which `name` returns a name, under this name.
    ///
    /// ```
    /// use graphpack_loader::molecules;
    ///
    /// let store = molecules::generate(1, 10).with_names(|name| (name == "y").then(|| "energy".to_owned()))?;
    /// assert_eq!((store.schema().fields().len(), &*store.schema().fields()[0].name), (1, "energy"));
    /// # Ok::<(), graphpack_loader::Error>(())
    /// ```
    pub fn with_names(mut self, name: impl Fn(&str) -> Option<String>) -> Result<Self, Error> {
        self.columns = self.columns.into_iter().filter_map(|column| column.renamed(&name)).collect();
        self.described()
    }

    /// Returns the store with this column in place of the one of its name, or after all others. Errors unless it has the
    /// rows of its level.
    pub fn with_column(mut self, column: Column) -> Result<Self, Error> {
        match self.schema.position(&column.field().name) {
            Some(position) => self.columns[position] = column,
            None => self.columns.push(column),
        }
        self.described()
    }

    /// Describes the columns that there are now.
    fn described(self) -> Result<Self, Error> {
        let fields: Vec<Field> = self.columns.iter().map(|column| column.field().clone()).collect();
        let schema = Schema::from_parts(self.schema.sets(), fields, self.schema.indices().to_vec())?;
        Self::from_parts(schema, self.ptr, self.indices, self.columns, self.map)
    }
}
