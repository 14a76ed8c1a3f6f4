//! [`LineGraphs`]: a source with the line graphs of its graphs.

use super::DerivedError;
use super::derived::Derived;
use super::pairs::Pairs;
use crate::source::Source;
use crate::source::source::same_source;
use std::path::Path;

/// A source with the line graphs of its graphs, as `dgl.line_graph` builds them: their nodes are the edges of the graph,
/// and their edges are the pairs of edges u to v, v to w.
///
/// It has all sets, fields and indices of the source, and then the set `line_edges` with `line_index` `[2, line_edges]`
/// into edges and edges: the first line is the edge u to v, the second v to w. The rows are in DGL's order: by the
/// number of the first edge, then by that of the second. A self-loop does not follow itself. Fields of edges are those of
/// the line graph's nodes.
///
/// Triplets can be had, too, and messages between bonds as ALIGNN has them. Here an edge is not followed by its inverse:
///
/// ```
/// use graphpack_loader::{LineGraphs, Loader, Options, Source, Triplets, molecules};
///
/// let data = LineGraphs::without_backtracking(molecules::generate(1, 100))?;
/// let data = Triplets::new(data)?;
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
/// The edges of the line graphs are counted and written as the rows of [`Triplets`](crate::Triplets) are.
#[derive(Clone, Debug)]
pub struct LineGraphs<S>(Derived<S, Pairs>);

impl<S: Source> LineGraphs<S> {
    /// Counts the pairs of edges of every graph, on all cores, as `dgl.line_graph(g)` has them: w may be u. Errors if
    /// there is no `edge_index` of a set with two columns into one set, or if a graph cannot be read.
    pub fn new(source: S) -> Result<Self, DerivedError> {
        Derived::new(source, Pairs::LineGraph { backtracking: true }, None).map(Self)
    }

    /// Returns the line graphs without the pairs in which w is u, as `dgl.line_graph(g, backtracking=False)` does.
    pub fn without_backtracking(source: S) -> Result<Self, DerivedError> {
        Derived::new(source, Pairs::LineGraph { backtracking: false }, None).map(Self)
    }

    /// Returns the line graphs with or without backtracking, and keeps the counts in the file `cache`, as
    /// [`Triplets::with_cache`](crate::Triplets::with_cache) does.
    pub fn with_cache(source: S, backtracking: bool, cache: impl AsRef<Path>) -> Result<Self, DerivedError> {
        Derived::new(source, Pairs::LineGraph { backtracking }, Some(cache.as_ref())).map(Self)
    }
}

impl<S: Source> Source for LineGraphs<S> {
    same_source!(self => self.0);
}
