//! Fills a store graph by graph, from the graphs of batches.

use super::bytes::Bytes;
use super::local_index::LocalIndex;
use super::offsets::Offsets;
use super::{Column, Store, StoreError};
use crate::layout::{BatchGraph, Schema};
use crate::source::Source;

impl Store {
    /// Returns a store without graphs.
    pub fn empty(schema: Schema) -> Self {
        let columns = schema.fields().iter().map(|field| Column::from_parts(field.clone(), Bytes::new(&[])));
        let indices = schema.indices().iter().map(|index| LocalIndex::narrow(&vec![Vec::new(); index.width()], 0));
        let (ptr, indices) = (vec![Offsets::from_vec(&[0]); schema.sets().len()], indices.collect());
        let columns = columns.collect();
        Self { schema, ptr, indices, columns, map: None, path: None }
    }

    /// Appends a graph of a batch. Errors, and changes nothing, unless the batch is of the same schema and carries all
    /// its fields and indices. A mapped file is copied into memory first.
    pub fn push(&mut self, graph: &BatchGraph<'_>) -> Result<(), StoreError> {
        if graph.layout().schema() != self.schema() {
            let names = |schema: &Schema| {
                let fields = schema.fields().iter().map(|field| &field.name);
                fields.chain(schema.indices().iter().map(|index| &index.name)).cloned().collect()
            };
            let (expected, found) = (names(self.schema()), names(graph.layout().schema()));
            return Err(StoreError::Fields { expected, found });
        }
        let rows = self.schema.fields().iter().map(|field| graph.row_bytes(&field.name)).collect::<Result<Vec<_>, _>>();
        let entries = self.schema.indices().iter().map(|index| graph.index(&index.name)).collect::<Result<Vec<_>, _>>();
        let (rows, entries) = (rows?, entries?);
        let size = graph.size();
        for ((of, index), columns) in self.schema.indices().iter().zip(&mut self.indices).zip(&entries) {
            let largest = of.targets.iter().map(|&set| size[usize::from(set)]).max();
            index.push(columns, largest.unwrap_or_default().into());
        }
        self.columns.iter_mut().zip(rows).for_each(|(column, rows)| column.push(rows));
        self.ptr.iter_mut().enumerate().for_each(|(set, ptr)| ptr.push(size[set]));
        (self.map, self.path) = (None, None);
        Ok(())
    }
}
