//! [`Data::neighbours`]: the edges into each node as a row of a matrix, so that a sum over edges is a gather;
//! [`NeighbourMatrix`]: of which index, with which fields.

use super::derived::DerivedError;
use super::each_graph::each_graph;
use super::graphs::Graphs;
use super::{Data, Sizes, Worker};
use crate::error::{BoxError, Error};
use crate::layout::{Carried, Index, Level, Schema, Size, Slot};
use std::sync::Arc;

/// Which edges [`Data::neighbours`] makes a matrix of. A number in its place is the number of columns for `edge_index`.
#[derive(Clone, Debug)]
#[must_use]
pub struct NeighbourMatrix {
    index: String,
    most: Option<u32>,
    fields: Vec<String>,
}

/// The entries of `edge_index` in this number of columns.
impl From<u32> for NeighbourMatrix {
    fn from(most: u32) -> Self {
        Self::of(Index::EDGE_INDEX).most(most)
    }
}

/// The entries of `edge_index`, in this number of columns if there is one.
impl From<Option<u32>> for NeighbourMatrix {
    fn from(most: Option<u32>) -> Self {
        Self::of(Index::EDGE_INDEX).most(most)
    }
}

impl NeighbourMatrix {
    /// Takes the entries of this index, which is of a set and has two columns, sources and targets.
    pub fn of(index: impl Into<String>) -> Self {
        Self { index: index.into(), most: None, fields: Vec::new() }
    }

    /// Sets the number of columns: the most edges into a node, at least 1. Without a number, all graphs are read and
    /// counted as they are before maps, those of epoch 0 alone where each epoch draws its own. A map of positions
    /// before [`connect`](Data::connect), or graphs of a later epoch, may then have a node with more edges, which is an
    /// error of its graph in the middle of an epoch: set a number for them, or take
    /// [`Oversize::Trim`](crate::Oversize::Trim).
    pub fn most(mut self, most: impl Into<Option<u32>>) -> Self {
        self.most = most.into();
        self
    }

    /// Lays these fields of edges out in the order of the matrix, too, so that an engine needs no gather for them:
    /// `neighbour_FIELD` `[nodes, most, width]`, or `[nodes, most]` of a field whose arrays are vectors. Entries
    /// without an edge hold what the field has in padding.
    pub fn fields(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.fields = names.into_iter().map(Into::into).collect();
        self
    }
}

impl Data {
    /// Returns the graphs so that batches also have the edges into each node as a matrix of `most` columns, for engines
    /// that have no scatter-add: a sum over edges is a gather and a sum over columns. `None` takes the most edges into
    /// a node of these data ([before maps](NeighbourMatrix::most)).
    ///
    /// | array | dtype | what it is |
    /// |---|---|---|
    /// | `neighbours` `[nodes, most]` | that of indices | the sources of the edges into the node, in the order of the edges |
    /// | `neighbour_edges` `[nodes, most]` | that of indices | the numbers of these edges in the batch, so that `edge_attr` follows by a gather |
    /// | `neighbour_mask` `[nodes, most]` | bool | true where there is such an edge |
    /// | `neighbour_FIELD` `[nodes, most, width]` | that of the field | a [field](NeighbourMatrix::fields) of these edges |
    ///
    /// All other entries, and all rows of padding nodes, point to the first padding node and the first padding edge, so
    /// that batches have a padding edge. Workers write the arrays from the edges that [maps](Self::map) and
    /// [`Oversize::Trim`](crate::Oversize::Trim) left. A node with more edges is an error of its graph. With
    /// `Oversize::Trim` all edges stay in `edge_index`, and the matrix has the `most` nearest, by the first floating
    /// point field of width 1 of edges whose padding is [`Length`](crate::schema::PaddingValue::Length); without such a
    /// field the first, which are the nearest after [`connect`](Self::connect).
    ///
    /// An index of another set SET is [named](NeighbourMatrix::of). Its arrays are `SET_neighbours`,
    /// `SET_neighbour_edges`, `SET_neighbour_mask` and `SET_neighbour_FIELD`, with a row for each row of the set that
    /// the second column points into. A set has one matrix: another call for the same index replaces it, one for
    /// another index of the set is an error. Neither the order of graphs nor saved states depend on the number of
    /// columns or on fields. They do depend on whether there is a matrix, since its padding edge is part of the shape.
    ///
    /// ```
    /// use graphpack_loader::{Data, Loader, NeighbourMatrix, Options, molecules};
    ///
    /// let data = Data::from(molecules::generate(1, 100));
    /// let data = data.neighbours(NeighbourMatrix::of("edge_index").fields(["edge_attr"]))?;
    /// for batch in Loader::new(data, Options::graphs(8))?.epoch(0) {
    ///     let batch = batch?;
    ///     let (sources, _) = batch.edge_index::<i64>()?;
    ///     let (neighbours, edges) = (batch.get::<i64>("neighbours")?, batch.get::<i64>("neighbour_edges")?);
    ///     for (&source, &edge) in neighbours.iter().zip(edges) {
    ///         assert_eq!(source, sources[edge as usize]);
    ///     }
    ///     let edge_attr = batch.layout().array("neighbour_edge_attr").expect("it was asked for");
    ///     let most = neighbours.len() / batch.shape().nodes();
    ///     assert_eq!(edge_attr.shape().collect::<Vec<_>>(), [batch.shape().nodes(), most, 3]);
    /// }
    /// # Ok::<(), graphpack_loader::Error>(())
    /// ```
    ///
    /// Errors if there is no such index of a set with two columns, or no such field of its set, if other fields,
    /// indices or neighbours have the names of these arrays, if `most` is 0, or if a graph cannot be read. Data that
    /// are [mixed](Self::mix) may not have neighbours: the mix may.
    pub fn neighbours(&self, matrix: impl Into<NeighbourMatrix>) -> Result<Self, Error> {
        let NeighbourMatrix { index, most, fields } = matrix.into();
        let most = match most {
            Some(most) => most,
            None => most_neighbours(&**self.graphs(), &index)?.max(1),
        };
        self.made(move |graphs| -> Result<Arc<dyn Graphs>, Error> {
            graphs.known().map_err(DerivedError::Data)?;
            let schema = graphs.schema().clone().with_neighbours(&index, most, &fields)?;
            Ok(Arc::new(IndexArrays::new(graphs, schema)))
        })
    }
}

/// Returns the most entries of an index that point to a row of any graph.
fn most_neighbours(graphs: &dyn Graphs, index: &str) -> Result<u32, Error> {
    let schema = graphs.schema();
    // Errors where there is nothing to count.
    schema.clone().with_neighbours(index, 1, &[])?;
    let level = schema.find_index(index).map(|at| schema.indices()[at].level);
    let carried = Carried::new(schema, Some(&[index.to_owned()]), &graphs.derived_from(), &[]);
    let carried = carried.unwrap_or_else(|_| Carried::all(schema));
    let counted = each_graph(graphs, &carried, true, Counted::default, |counted, slot| {
        let Counted { most, targets, counts } = counted;
        counts.clear();
        if matches!(level, Some(Level::Set(edges)) if slot.size()[usize::from(edges)] == 0) {
            return Ok(()); // Sources need not write an index without entries.
        }
        slot.read_column(index, 1, targets)?;
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

/// The most entries that point to a row of some graphs, and memory for the next.
#[derive(Default)]
struct Counted {
    most: u32,
    targets: Vec<i64>,
    counts: Vec<u32>,
}

/// Graphs whose batches have more arrays of indices, and rows in the order that these need.
pub(super) struct IndexArrays {
    graphs: Arc<dyn Graphs>,
    schema: Schema,
    /// Whether rows are derived, which are written after all others.
    has_derived: bool,
}

impl IndexArrays {
    pub(super) fn new(graphs: Arc<dyn Graphs>, schema: Schema) -> Self {
        let has_derived = !graphs.derived_from().is_empty();
        Self { graphs, schema, has_derived }
    }
}

impl Graphs for IndexArrays {
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
        self.graphs.write(graph, slot, worker)?;
        if !self.has_derived {
            slot.sort();
        }
        Ok(())
    }

    fn write_derived(&self, graph: usize, slot: &mut Slot<'_>) -> Result<(), BoxError> {
        self.graphs.write_derived(graph, slot)?;
        if self.has_derived {
            slot.sort();
        }
        Ok(())
    }
}
