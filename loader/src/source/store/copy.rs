//! Makes stores from other stores: parts, concatenations, copies in memory.

use super::bytes::Bytes;
use super::local_index::LocalIndex;
use super::offsets::Offsets;
use super::{Column, Store, StoreError};
use crate::error::Error;
use crate::layout::{Carried, Level};
use crate::source::Data;
use crate::source::each_graph::each_graph;
use std::ops::Range;

impl Store {
    /// Copies the graphs in a range into a store in memory. Errors if the range goes beyond the last graph.
    pub fn part(&self, graphs: Range<usize>) -> Result<Self, Error> {
        if graphs.end > self.len() {
            return Err(StoreError::Graph { graph: graphs.end - 1, graphs: self.len() }.into());
        }
        self.chosen(&graphs.collect::<Vec<_>>())
    }

    /// Copies the graphs with these numbers, which must exist, into a store in memory.
    pub(crate) fn chosen(&self, graphs: &[usize]) -> Result<Self, Error> {
        if let Some(&graph) = graphs.iter().find(|&&graph| graph >= self.len()) {
            return Err(StoreError::Graph { graph, graphs: self.len() }.into());
        }
        graphs.iter().try_for_each(|&graph| self.check_pages_of(graph..graph + 1))?;
        let ptr = |offsets: &Offsets| sums(graphs.iter().map(|&graph| offsets.span(graph).len()));
        let indices = self.schema().indices().iter().zip(self.indices()).map(|(of, index)| {
            let mut columns = vec![Vec::new(); of.width()];
            for &graph in graphs {
                let found = index.rows(self.span(of.level, graph));
                columns.iter_mut().zip(found).for_each(|(column, found)| column.extend(found.iter()));
            }
            columns
        });
        let columns = self.columns().iter().map(|column| {
            let (mut chosen, level) = (Vec::new(), column.field().level);
            graphs.iter().for_each(|&graph| chosen.extend_from_slice(column.rows(self.span(level, graph))));
            Column::from_parts(column.field().clone(), Bytes::new(&chosen))
        });
        let ptr = self.ptr().iter().map(ptr).collect();
        let chosen = Self::of_sets(self.schema().clone(), ptr, indices.collect(), columns.collect());
        chosen.map_err(|mut error| {
            // Of this store, not of the copy.
            if let Some(StoreError::Row { index, graph, entry, place, .. }) = error.cause_mut() {
                *graph = graphs[*graph];
                let level =
                    self.schema().find_index(index).map_or(Level::Graph, |at| self.schema().indices()[at].level);
                *place = self.span(level, *graph).start + *entry;
            }
            error
        })
    }

    /// Writes all graphs of any data into a store in memory, on all cores: edges and other sets that are made on the
    /// way are then columns, and what [maps](crate::Data::map) change is as in epoch 0 with seed 0. Errors at the first
    /// graph that cannot be written.
    ///
    /// ```
    /// use graphpack_loader::{Data, Store, molecules};
    ///
    /// let triplets = Data::from(molecules::generate(1, 100)).triplets()?;
    /// let store = Store::collect(&triplets)?;
    /// assert_eq!((store.schema(), store.size(7)), (triplets.schema(), triplets.size(7)?));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn collect(data: impl Into<Data>) -> Result<Self, Error> {
        let data = data.into();
        let schema = data.schema();
        let carried = Carried::all(schema);
        let parts = each_graph(
            &**data.graphs(),
            (&carried, false),
            || Self::new(schema.clone()),
            |store, slot| {
                slot.check()?;
                Ok(store.push_graph(&slot.graph())?)
            },
        );
        let parts = parts?;
        Ok(parts.first().map_or_else(|| Self::new(schema.clone()), |first| first.joined(&parts)))
    }

    /// Copies the graphs of several stores, one store after the other, into one in memory. Errors if their fields
    /// differ.
    pub fn concat(parts: &[Self]) -> Result<Self, Error> {
        let Some(first) = parts.first() else {
            return Self::of_columns(vec![0], vec![0], [Vec::new(), Vec::new()], Vec::new());
        };
        if let Some(part) = parts.iter().position(|part| part.schema() != first.schema()) {
            return Err(StoreError::Parts { part }.into());
        }
        parts.iter().try_for_each(|part| part.check_pages_of(0..part.len()))?;
        Ok(first.joined(parts))
    }

    /// Copies the graphs of stores that all have the schema of this one.
    fn joined(&self, parts: &[Self]) -> Self {
        let ptr = |set: usize| {
            sums(parts.iter().flat_map(|part| (0..part.len()).map(move |graph| part.ptr()[set].span(graph).len())))
        };
        let indices = (0..self.indices().len())
            .map(|position| LocalIndex::joined(parts.iter().map(move |part| &part.indices()[position])));
        let mut schema = self.schema().clone();
        parts.iter().for_each(|part| schema.agree(part.schema()));
        let columns = schema.fields().iter().enumerate().map(|(position, field)| {
            let parts: Vec<&[u8]> = parts.iter().map(|part| part.columns()[position].bytes()).collect();
            Column::from_parts(field.clone(), Bytes::joined(&parts))
        });
        let ptr = (0..self.ptr().len()).map(|set| Offsets::from_vec(&ptr(set))).collect();
        let (indices, columns) = (indices.collect(), columns.collect());
        Self { schema, ptr, indices, columns, map: None, origin: None, room: None }
    }

    /// Copies the store into memory, checks its indices and makes their numbers as narrow as the graphs allow. Loading
    /// from the copy is faster than from a mapped file, if it fits into memory.
    pub fn to_memory(&self) -> Result<Self, Error> {
        self.part(0..self.len())
    }
}

/// Returns the sums of the sizes before each graph, and of all at the end.
fn sums(sizes: impl Iterator<Item = usize>) -> Vec<u64> {
    let mut sum = 0;
    let ends = sizes.map(|size| {
        sum += size as u64;
        sum
    });
    std::iter::once(0).chain(ends).collect()
}

#[cfg(test)]
mod tests {
    use super::{LocalIndex, Store, StoreError};

    #[test]
    fn an_error_of_a_part_names_the_graph_of_the_whole() {
        let ptr = |rows: u64| (0..=10).map(|graph| rows * graph).collect();
        let mut store = Store::of_columns(ptr(2), ptr(1), [vec![0; 10], vec![1; 10]], vec![]).expect("ten edges");
        // As a file may have it.
        let targets = (0..10).map(|graph| if graph == 7 { 2 } else { 1 }).collect();
        store.indices = vec![LocalIndex::narrow(&[vec![0; 10], targets], 3)];
        let error = store.part(5..10).expect_err("graph 7 has two nodes");
        let cause = error.cause();
        assert!(matches!(cause, Some(StoreError::Row { graph: 7, place: 7, row: 2, .. })), "{error}");
    }
}
