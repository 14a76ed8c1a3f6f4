//! [`Data::sorted_by`]: rows in the order of a column of an index, so that a sum over edges needs no atomics.

use super::Data;
use super::derived::DerivedError;
use super::graphs::Graphs;
use super::neighbours::IndexArrays;
use crate::error::Error;
use std::sync::Arc;

impl Data {
    /// Returns the graphs with the rows of a set in the order of a column of its index, for kernels that sum over rows
    /// without atomics: edges in the order of their targets, as PyTorch Geometric's `sort(sort_by_row=False)` has them,
    /// by column 1 of `edge_index`. Edges of one target keep their order. Fields and other indices of the set, and
    /// indices into it, such as those of triplets, go along.
    ///
    /// Batches then have an array `INDEX_ptr`, as `edge_index_ptr` `[nodes + 1]` of the type of indices: the edges into
    /// node `i` are those from `edge_index_ptr[i]` up to `edge_index_ptr[i + 1]`. Padding edges are in this order, too,
    /// so that the whole column is sorted.
    ///
    /// Workers sort each graph that is not in order when they write it, and again if a [map](Self::map) has changed the
    /// order. A [store](crate::Store::collect) of these data is in order, so that workers only look whether it is. Sets
    /// that are [derived](Self::triplets) afterwards are made of sorted edges: triplets are then in the order of their
    /// second edge, unless a map in between changes the order of edges. Neither the order of graphs nor saved states
    /// depend on the order of rows.
    ///
    /// ```
    /// use graphpack_loader::{Data, Loader, Options, molecules};
    ///
    /// let data = Data::from(molecules::generate(1, 100)).sorted_by("edge_index", 1)?;
    /// for batch in Loader::new(data, Options::graphs(8))?.epoch(0) {
    ///     let batch = batch?;
    ///     let (_, targets) = batch.edge_index::<i64>()?;
    ///     for (node, edges) in batch.get::<i64>("edge_index_ptr")?.windows(2).enumerate() {
    ///         let into = &targets[edges[0] as usize..edges[1] as usize];
    ///         assert!(into.iter().all(|&target| target == node as i64));
    ///     }
    /// }
    /// # Ok::<(), graphpack_loader::Error>(())
    /// ```
    ///
    /// A set has one order: another call for it replaces the order. Errors if there is no such index of a set, or it
    /// has no such column, if it follows from the order of its own set, as an index of edges into edges does, or if
    /// another array has the name of the pointers. Data that are [mixed](Self::mix) may not be sorted: the mix may.
    pub fn sorted_by(&self, index: &str, column: usize) -> Result<Self, Error> {
        let index = index.to_owned();
        self.made(move |graphs| -> Result<Arc<dyn Graphs>, Error> {
            graphs.known().map_err(DerivedError::Data)?;
            let schema = graphs.schema().clone().with_order(&index, column)?;
            Ok(Arc::new(IndexArrays::new(graphs, schema)))
        })
    }
}
