//! [`Connected`]: a source of atoms with edges between those that are near.

use super::near::Near;
use super::{ConnectOptions, Edges};
use crate::source::Source;
use crate::source::derived::{Derived, DerivedError};
use crate::source::source::same_source;

/// A source of atoms with edges between those that are near, which workers make when they write a graph.
///
/// It has all sets, fields and indices of the source, and then the set `edges` with `edge_index` and these fields:
///
/// | field | what it is |
/// |---|---|
/// | `distance` `[edges, 1]` | the length of the edge |
/// | `cell_offsets` int32 `[edges, 3]` | how many cells the image of the source that is meant is away from the source |
/// | `shift` `[edges, 3]` | the same as a vector: `cell_offsets` times the cell |
///
/// The vector from target to source is `pos[source] + shift - pos[target]`. Floating point fields have the dtype of the
/// positions. fairchem's `cell_offsets` are the same; MACE's vectors and `unit_shifts`, which point from source to
/// target, are the negative of these.
///
/// ```
/// use graphpack_loader::{Column, Connected, Edges, Level, Schema, Source, Store};
///
/// // A crystal of one atom, and a molecule of two.
/// let schema = Schema::of(&["nodes"])
///     .field("pos", "nodes", graphpack_loader::Dtype::F32, &[3])
///     .field("cell", "graph", graphpack_loader::Dtype::F32, &[9]);
/// let pos = Column::of(&schema, "pos", vec![0.0_f32, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0])?;
/// let cells = [2.0_f32, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0].into_iter().chain([0.0; 9]).collect();
/// let cell = Column::of(&schema, "cell", cells)?;
/// let atoms = Store::of_sets(schema, vec![vec![0, 1, 3]], vec![], vec![pos, cell])?;
/// let data = Connected::new(atoms, Edges::Radius(2.5))?;
/// assert_eq!((data.size(0)[1], data.size(1)[1]), (6, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Edges are counted when this is made, and batches are planned with these numbers. Workers make them after the transform,
/// from the positions and cells that are then there, so a transform may move atoms; see
/// [`margin`](ConnectOptions::margin). Batches with edges
/// carry positions and cells, too, whichever [`fields`](field@crate::Options::fields) are chosen.
///
/// Without `pbc`, a cell is periodic in all directions, and a cell of zeros in none. Cells may be skewed, left-handed, and
/// smaller than the radius; atoms may be outside. Positions and cells may each be float32 or float64. Distances are
/// computed in float64 from what they are, with additions, multiplications, divisions and square roots alone, so that
/// edges are the same on every platform; [`Edges`] says which lengths count as equal. They are sorted by target, then by
/// distance, then by source, then by `cell_offsets`.
///
/// [`Store::collect`](crate::Store::collect) makes a store with the edges as columns. [`Triplets`](crate::Triplets) and
/// [`LineGraphs`](crate::LineGraphs) can be around this.
#[derive(Clone, Debug)]
pub struct Connected<S>(Derived<S, Near>);

impl<S: Source> Connected<S> {
    /// Counts the edges of every graph by a rule, on all cores. Errors if there are no positions, or if the edges of a
    /// graph cannot be found.
    pub fn new(source: S, edges: Edges) -> Result<Self, DerivedError> {
        Self::with(source, ConnectOptions::new(edges))
    }

    /// Returns the same as [`new`](Self::new) with further options.
    pub fn with(source: S, options: ConnectOptions) -> Result<Self, DerivedError> {
        let rule = Near::new(&options, source.schema())?;
        Derived::new(source, rule, options.cache.as_deref()).map(Self)
    }
}

impl<S: Source> Source for Connected<S> {
    same_source!(self => self.0);
}
