//! [`Triplets`]: a source with the triplets of its edges.

use super::DerivedError;
use super::derived::Derived;
use super::pairs::Pairs;
use crate::source::Source;
use crate::source::source::same_source;
use std::path::Path;

/// A source with the triplets of its edges, as DimeNet needs them: pairs of edges (k to j, j to i) with i other than k.
///
/// It has all sets, fields and indices of the source, and then the set `triplets` with `triplet_index` `[2, triplets]`
/// into edges and edges: the first line is the edge k to j, the second j to i. The rows are in PyTorch Geometric's order:
/// by the number of the second edge, then by k, then by the number of the first.
///
/// ```
/// use graphpack_loader::{Connected, Edges, Loader, Options, Padding, Source, Triplets, clusters};
///
/// let molecules = Connected::new(clusters::generate(1, 100), Edges::Nearest(4))?;
/// let data = Triplets::new(molecules)?;
/// assert_eq!(data.schema().sets()[..], ["nodes", "edges", "triplets"]);
/// for batch in Loader::new(data, Options::graphs(8).padding(Padding::Apart))?.epoch(0) {
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
/// Triplets are counted when this is made, from the `edge_index` that the source writes. Batches are planned with these
/// numbers. Workers write the rows after the transform, from the edges that are then there: a transform may turn edges,
/// or keep fewer. If it makes more triplets than were counted, the graph is an error.
#[derive(Clone, Debug)]
pub struct Triplets<S>(Derived<S, Pairs>);

impl<S: Source> Triplets<S> {
    /// Counts the triplets of every graph, on all cores. Errors if there is no `edge_index` of a set
    /// with two columns into one set, or if a graph cannot be read.
    pub fn new(source: S) -> Result<Self, DerivedError> {
        Derived::new(source, Pairs::Triplets, None).map(Self)
    }

    /// Returns the same as [`new`](Self::new), but reads the counts from the file `cache` if it has those of data with
    /// the [`contents_fingerprint`](Source::contents_fingerprint) of `source`, and otherwise counts and writes it. For
    /// sources that are slow to read: the 130,000 molecules of QM9 in a [`Store`](crate::Store) are counted in less than
    /// half a second.
    pub fn with_cache(source: S, cache: impl AsRef<Path>) -> Result<Self, DerivedError> {
        Derived::new(source, Pairs::Triplets, Some(cache.as_ref())).map(Self)
    }
}

impl<S: Source> Source for Triplets<S> {
    same_source!(self => self.0);
}
