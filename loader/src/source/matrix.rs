//! [`Data::neighbours`]: the edges into each node as a row of a matrix, so that a sum over edges is a gather.

use super::derived::DerivedError;
use super::each_graph::each_graph;
use super::graphs::Graphs;
use super::{Data, Sizes, Worker};
use crate::error::{BoxError, Error};
use crate::layout::{Carried, Index, Schema, Size, Slot};
use std::sync::Arc;

impl Data {
    /// Returns the graphs so that batches also have the edges into each node as a matrix of `most` columns, for engines
    /// that have no scatter-add: a sum over edges is a gather and a sum over columns. `None` takes the most edges into
    /// a node of these data, as they are before maps, and reads all graphs.
    ///
    /// | array | dtype | what it is |
    /// |---|---|---|
    /// | `neighbours` `[nodes, most]` | that of indices | the sources of the edges into the node, in the order of the edges |
    /// | `neighbour_edges` `[nodes, most]` | that of indices | the numbers of these edges in the batch, so that `edge_attr` follows by a gather |
    /// | `neighbour_mask` `[nodes, most]` | bool | true where there is such an edge |
    ///
    /// All other entries, and all rows of padding nodes, point to the first padding node and the first padding edge, so
    /// that batches have a padding edge. Workers write the arrays from the edges that [maps](Self::map) and
    /// [`Oversize::Trim`](crate::Oversize::Trim) left. A node with more edges is an error of its graph; with
    /// `Oversize::Trim` the first `most` edges stay in the matrix, and all in `edge_index`. Another call replaces the
    /// number. Neither the order of graphs nor saved states depend on it.
    ///
    /// ```
    /// use graphpack_loader::{Data, Loader, Options, molecules};
    ///
    /// let data = Data::from(molecules::generate(1, 100)).neighbours(None)?;
    /// for batch in Loader::new(data, Options::graphs(8))?.epoch(0) {
    ///     let batch = batch?;
    ///     let (sources, _) = batch.edge_index::<i64>()?;
    ///     let (neighbours, edges) = (batch.get::<i64>("neighbours")?, batch.get::<i64>("neighbour_edges")?);
    ///     for (&source, &edge) in neighbours.iter().zip(edges) {
    ///         assert_eq!(source, sources[edge as usize]);
    ///     }
    /// }
    /// # Ok::<(), graphpack_loader::Error>(())
    /// ```
    ///
    /// Errors if there is no `edge_index` of a set with two columns, if fields or indices have the names of these
    /// arrays, if `most` is 0, or if a graph cannot be read. Data that are [mixed](Self::mix) may not have neighbours:
    /// the mix may.
    pub fn neighbours(&self, most: impl Into<Option<u32>>) -> Result<Self, Error> {
        let most = match most.into() {
            Some(most) => most,
            None => most_neighbours(&**self.graphs())?.max(1),
        };
        self.made(move |graphs| -> Result<Arc<dyn Graphs>, Error> {
            graphs.known().map_err(DerivedError::Data)?;
            let schema = graphs.schema().clone().with_neighbours(most)?;
            Ok(Arc::new(Matrix { graphs, schema }))
        })
    }
}

/// Returns the most edges into a node of any graph.
fn most_neighbours(graphs: &dyn Graphs) -> Result<u32, Error> {
    let schema = graphs.schema();
    // Errors where there is nothing to count.
    schema.clone().with_neighbours(1)?;
    let edges = [Index::EDGE_INDEX.to_owned()];
    let carried = Carried::new(schema, Some(&edges), &graphs.derived_from(), &[]);
    let carried = carried.unwrap_or_else(|_| Carried::all(schema));
    let counted = each_graph(graphs, &carried, true, Counted::default, |counted, slot| {
        let Counted { most, targets, counts } = counted;
        counts.clear();
        slot.read_column(Index::EDGE_INDEX, 1, targets)?;
        for &target in &*targets {
            let target = usize::try_from(target)?;
            counts.resize(counts.len().max(target + 1), 0);
            counts[target] += 1;
            *most = counts[target].max(*most);
        }
        Ok(())
    })?;
    Ok(counted.into_iter().map(|counted| counted.most).max().unwrap_or(0))
}

/// The most edges into a node of some graphs, and memory for the next.
#[derive(Default)]
struct Counted {
    most: u32,
    targets: Vec<i64>,
    counts: Vec<u32>,
}

/// Graphs whose batches have neighbours.
struct Matrix {
    graphs: Arc<dyn Graphs>,
    schema: Schema,
}

impl Graphs for Matrix {
    fn of(&self) -> Option<&dyn Graphs> {
        Some(&*self.graphs)
    }

    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn len(&self) -> usize {
        self.graphs.len()
    }

    fn size(&self, graph: usize) -> Size {
        self.graphs.size(graph)
    }

    fn sizes(&self) -> Result<Arc<Sizes>, BoxError> {
        self.graphs.sizes()
    }

    fn write(&self, graph: usize, slot: &mut Slot<'_>, worker: &mut Worker) -> Result<(), BoxError> {
        self.graphs.write(graph, slot, worker)
    }
}
