//! The schema of molecules and the shape of batches; how a request is collated, and what the network gets of a batch.

use crate::gine::{ATOM, BOND};
use crate::{Refusal, Request};
use graphpack_core::collate::{
    Builtin, CollateError, Dtype, FixedBatch, FixedField, FixedIndex, FixedLayout, FixedSchema, Level, Neighbours,
    PaddedBatch, Padding,
};
use graphpack_core::{Shape, Size};

/// The most edges that end at a node: of ogbg-molhiv's 41,127 molecules, 43 have more at one.
pub const MOST: u32 = 6;

const NEIGHBOURS: Neighbours = Neighbours { index: 0, edges: 1, set: 0, most: MOST };

const SCHEMA: FixedSchema = FixedSchema {
    sets: &["nodes", "edges"],
    fields: &[
        FixedField::new("x", Level::NODE, Dtype::U8, ATOM.len()),
        FixedField::new("edge_attr", Level::EDGE, Dtype::U8, BOND.len()),
    ],
    indices: &[FixedIndex::new("edge_index", Level::EDGE, &[0, 0])],
    builtins: &[
        Builtin::Ptr(0),
        Builtin::GraphIds,
        Builtin::Neighbours(NEIGHBOURS),
        Builtin::NeighbourEdges(NEIGHBOURS),
        Builtin::NeighbourMask(NEIGHBOURS),
    ],
};

/// Nodes, edges and graphs of a batch: five molecules of ogbg-molhiv on average. 39 are too large.
pub const SHAPE: Shape = Shape { size: Size::new([NODES, EDGES]), graphs: 9 };
pub(crate) const NODES: u32 = 128;
const EDGES: u32 = 280;

/// Nodes and edges of the largest molecule: one of each is padding.
pub const LIMITS: [u32; 2] = [NODES - 1, EDGES - 1];

pub(crate) const LAYOUT: FixedLayout = FixedLayout::new(SCHEMA, Padding::SelfLoops, SHAPE, Dtype::I32);

/// Bytes of a batch.
pub const BYTES: usize = LAYOUT.bytes();

/// Adds the molecule to a batch. Errors, and leaves the batch as it was, if it does not fit or is malformed.
pub(crate) fn add(batch: &mut FixedBatch<'_>, request: &Request<'_>) -> Result<(), CollateError> {
    let [nodes, edges] = size(request).map(|rows| rows as u32);
    let mut graph = batch.open(Size::new([nodes, edges]), i64::from(request.ticket))?;
    graph.field(0, request.x)?;
    graph.field(1, request.edge_attr)?;
    graph.index(0, &request.edge_index)?;
    graph.finish()
}

/// Errors if no batch holds the molecule, or if it has features that the network does not know.
pub(crate) fn check(request: &Request<'_>) -> Result<(), Refusal> {
    let [nodes, edges] = size(request);
    if nodes > LIMITS[0] as usize || edges > LIMITS[1] as usize {
        return Err(Refusal::TooLarge { nodes, edges });
    }
    features("x", request.x, &ATOM)?;
    features("edge_attr", request.edge_attr, &BOND)
}

/// Nodes and edges.
fn size(request: &Request<'_>) -> [usize; 2] {
    [request.x.len() / ATOM.len(), request.edge_attr.len() / BOND.len()]
}

fn features(field: &'static str, rows: &[u8], most: &[u8]) -> Result<(), Refusal> {
    for row in rows.chunks(most.len()) {
        for (column, (&found, &values)) in row.iter().zip(most).enumerate() {
            if found >= values {
                return Err(Refusal::Feature { field, column, values, found });
            }
        }
    }
    Ok(())
}

/// What the network takes of a batch.
#[derive(Clone, Copy)]
pub(crate) struct Inputs<'a> {
    /// `[nodes, 9]`
    pub(crate) x: &'a [u8],
    /// `[edges, 3]`
    pub(crate) edge_attr: &'a [u8],
    /// `[nodes, MOST]`: the source of each edge that ends at a node, its number, and whether there is one.
    pub(crate) sources: &'a [i32],
    pub(crate) edges: &'a [i32],
    pub(crate) mask: &'a [bool],
    /// `[graphs + 1]`: the first node of each graph.
    pub(crate) ptr: &'a [i32],
}

impl<'a> Inputs<'a> {
    /// `None` would be an array that [`LAYOUT`] does not have.
    pub(crate) fn of(batch: &PaddedBatch<'a>) -> Option<Self> {
        Some(Self {
            x: batch.get("x")?,
            edge_attr: batch.get("edge_attr")?,
            sources: batch.get("neighbours")?,
            edges: batch.get("neighbour_edges")?,
            mask: batch.get("neighbour_mask")?,
            ptr: batch.get("ptr")?,
        })
    }

    /// The first `nodes` and `graphs`.
    pub(crate) fn only(self, nodes: usize, graphs: usize) -> Self {
        let x = self.x.get(..nodes * ATOM.len()).unwrap_or_default();
        Self { x, ptr: self.ptr.get(..=graphs).unwrap_or_default(), ..self }
    }
}
