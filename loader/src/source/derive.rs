//! Sets that follow from the rest of a graph: edges between atoms, triplets, line graphs.

use super::Data;
use super::derived::{Derived, DerivedError, LineGraphs, Pairs, Rule};
use super::near::{Connect, Near};
use crate::error::Error;
use crate::layout::Schema;
use std::sync::Arc;

impl Data {
    /// Returns the atoms with edges between those that are near, which workers make when they write a graph.
    ///
    /// Graphs have all sets, fields and indices of these, and then the set `edges` with `edge_index` and these fields:
    ///
    /// | field | what it is |
    /// |---|---|
    /// | `distance` `[edges, 1]` | the length of the edge |
    /// | `cell_offsets` int32 `[edges, 3]` | how many cells the image of the source that is meant is away from the source |
    /// | `shift` `[edges, 3]` | the same as a vector: `cell_offsets` times the cell |
    ///
    /// The vector from target to source is `pos[source] + shift - pos[target]`. Floating point fields have the dtype of
    /// the positions. fairchem's `cell_offsets` are the same; MACE's vectors and `unit_shifts`, which point from source
    /// to target, are the negative of these.
    ///
    /// ```
    /// use graphpack_loader::{Column, Data, Edges, Level, Schema, Store};
    ///
    /// // A crystal of one atom, and a molecule of two.
    /// let schema = Schema::of(&["nodes"])
    ///     .field("pos", "nodes", graphpack_loader::Dtype::F32, &[3])
    ///     .field("cell", "graph", graphpack_loader::Dtype::F32, &[9]);
    /// let pos = Column::of(&schema, "pos", vec![0.0_f32, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0])?;
    /// let cells = [2.0_f32, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0].into_iter().chain([0.0; 9]).collect();
    /// let cell = Column::of(&schema, "cell", cells)?;
    /// let atoms = Store::of_sets(schema, vec![vec![0, 1, 3]], vec![], vec![pos, cell])?;
    /// let data = Data::from(atoms).connect(Edges::Radius(2.5))?;
    /// assert_eq!((data.size(0)?[1], data.size(1)?[1]), (6, 2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// This counts the edges of every graph on all cores, as it is before maps, and batches are planned with these
    /// numbers. Errors if there are no positions, or if the edges of a graph cannot be found. Workers make edges from
    /// the positions and cells that [maps](Self::map) left, so that a map may move atoms; see [`Connect::margin`].
    /// Batches that carry something of edges, or of data that are mapped or trimmed, carry positions and cells, too,
    /// whichever [`fields`](field@crate::Options::fields) are chosen.
    ///
    /// Without `pbc`, a cell is periodic in all directions, and a cell of zeros in none. Cells may be skewed,
    /// left-handed, and smaller than the radius; atoms may be outside. Positions and cells may each be float32 or
    /// float64. Distances are computed in float64 from what they are, with additions, multiplications, divisions and
    /// square roots alone, so that edges are the same on every platform; [`Edges`](crate::Edges) says which lengths
    /// count as equal. They are sorted by target, then by distance, then by source, then by `cell_offsets`.
    ///
    /// [`Store::collect`](crate::Store::collect) makes a store with the edges as columns.
    pub fn connect(&self, edges: impl Into<Connect>) -> Result<Self, Error> {
        let options = edges.into();
        self.derived(move |schema| Near::new(&options, schema))
    }

    /// Returns the graphs with the triplets of their edges, as DimeNet needs them: pairs of edges (k to j, j to i) with
    /// i other than k.
    ///
    /// Graphs have all sets, fields and indices of these, and then the set `triplets` with `triplet_index` `[2,
    /// triplets]` into edges and edges: the first line is the edge k to j, the second j to i. The rows are in PyTorch
    /// Geometric's order: by the number of the second edge, then by k, then by the number of the first.
    ///
    /// ```
    /// use graphpack_loader::{Data, Edges, Loader, Options, clusters};
    ///
    /// let data = Data::from(clusters::generate(1, 100)).connect(Edges::Nearest(4))?.triplets()?;
    /// for batch in Loader::new(data, Options::graphs(8))?.epoch(0) {
    ///     let batch = batch?;
    ///     let (sources, targets) = batch.edge_index::<i64>()?;
    ///     let triplets = batch.index::<i64>("triplet_index")?;
    ///     for (&kj, &ji) in triplets[0].iter().zip(triplets[1]) {
    ///         let (k, j, i) = (sources[kj as usize], sources[ji as usize], targets[ji as usize]);
    ///         assert!(targets[kj as usize] == j && k != i);
    ///     }
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// This counts the triplets of every graph on all cores, as it is before maps. Errors if there is no `edge_index`
    /// of a set with two columns into one set, or if a graph cannot be read. Batches are planned with these numbers.
    /// Workers write the rows from the edges that [maps](Self::map) left: a map may turn edges, or keep fewer. If it
    /// makes more triplets than were counted, the graph is an error.
    pub fn triplets(&self) -> Result<Self, Error> {
        self.derived(|_| Ok(Pairs::Triplets))
    }

    /// Returns the graphs with their line graphs, as `dgl.line_graph` builds them: their nodes are the edges of the
    /// graph, and their edges are the pairs of edges u to v, v to w.
    ///
    /// Graphs have all sets, fields and indices of these, and then the set `line_edges` with `line_index` `[2,
    /// line_edges]` into edges and edges: the first line is the edge u to v, the second v to w. The rows are in DGL's
    /// order: by the number of the first edge, then by that of the second. A self-loop does not follow itself. Fields
    /// of edges are those of the line graph's nodes.
    ///
    /// Triplets can be had, too, and messages between bonds as ALIGNN has them. Here an edge is not followed by its
    /// inverse:
    ///
    /// ```
    /// use graphpack_loader::{Data, LineGraphs, Loader, Options, molecules};
    ///
    /// let data = Data::from(molecules::generate(1, 100)).line_graphs(LineGraphs::default().backtracking(false))?.triplets()?;
    /// assert_eq!(data.schema().sets()[..], ["nodes", "edges", "line_edges", "triplets"]);
    /// for batch in Loader::new(data, Options::graphs(8))?.epoch(0) {
    ///     let batch = batch?;
    ///     // These are the same pairs in another order.
    ///     let [_, _, line_edges, triplets] = batch.real().sets()[..] else { unreachable!("there are four sets") };
    ///     assert_eq!(line_edges, triplets);
    ///     let (sources, targets) = batch.edge_index::<i64>()?;
    ///     let line_index = batch.index::<i64>("line_index")?;
    ///     for (&first, &second) in line_index[0].iter().zip(line_index[1]).take(line_edges) {
    ///         assert_eq!(targets[first as usize], sources[second as usize]);
    ///         assert_ne!(sources[first as usize], targets[second as usize]);
    ///     }
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// They are counted and written as [triplets](Self::triplets) are, with the same errors.
    pub fn line_graphs(&self, options: LineGraphs) -> Result<Self, Error> {
        self.derived(move |_| Ok(Pairs::LineGraph { backtracking: options.backtracking }))
    }

    /// Returns the graphs with what follows from them by a rule.
    fn derived<R: Rule>(
        &self,
        rule: impl Fn(&Schema) -> Result<R, Error> + Send + Sync + 'static,
    ) -> Result<Self, Error> {
        self.made(move |graphs| {
            graphs.known().map_err(DerivedError::Data)?;
            let rule = rule(graphs.schema())?;
            Ok(Arc::new(Derived::new(graphs, rule)?))
        })
    }
}
