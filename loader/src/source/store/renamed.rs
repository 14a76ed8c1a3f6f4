//! Stores with some of their fields, under other names.

use super::{Column, Store, StoreError};
use crate::layout::{Field, Schema};

impl Store {
    /// Returns the store with those fields for which `name` returns a name, under this name.
    ///
    /// ```
    /// use graphpack_loader::{Source, molecules};
    ///
    /// let store = molecules::generate(1, 10).with_names(|name| (name == "y").then(|| "energy".to_owned()))?;
    /// assert_eq!((store.schema().fields().len(), &*store.schema().fields()[0].name), (1, "energy"));
    /// # Ok::<(), graphpack_loader::StoreError>(())
    /// ```
    pub fn with_names(self, name: impl Fn(&str) -> Option<String>) -> Result<Self, StoreError> {
        let columns: Vec<Column> = self.columns.into_iter().filter_map(|column| column.renamed(&name)).collect();
        let fields: Vec<Field> = columns.iter().map(|column| column.field().clone()).collect();
        let schema = Schema::from_parts(self.schema.sets().to_vec(), fields, self.schema.indices().to_vec())?;
        Self::from_parts(schema, self.ptr, self.indices, columns, self.map)
    }
}
