//! [`PartBuilder`]: makes a part of the edges that were sent for it.

use super::DispatchError;
use super::edge_ids::EdgeIds;
use super::node_set::NodeSet;
use super::spill::Spill;
use super::stop::Stop;
use crate::{Part, PartitionBook};
use std::io;

/// Makes parts of records, one per edge: the global id of the source (8 bytes), the position of the target among the
/// nodes of its type and part (4 bytes), and, if wanted, the original position of the edge (8 bytes). Edges to nodes of
/// other parts have records of their own: the global id of the target, the position of the source, and the number of the
/// edge among those of its chunk that the part of the target owns (8 bytes).
pub(super) struct PartBuilder<'a> {
    ids: &'a EdgeIds,
    book: &'a PartitionBook,
    /// Types of sources and targets of each type of edges.
    ends: &'a [[usize; 2]],
    /// Number of bytes of a record.
    record: usize,
}

/// Number of bytes of a record without the original position.
pub(super) const RECORD: usize = 12;
/// Number of bytes of a record of an edge to another part.
pub(super) const OUTWARD: usize = RECORD + 8;

impl<'a> PartBuilder<'a> {
    pub(super) fn new(ids: &'a EdgeIds, ends: &'a [[usize; 2]], record: usize) -> Self {
        Self { ids, book: ids.book(), ends, record }
    }

    /// The largest number of bytes that a part takes in memory.
    pub(super) fn bytes(&self, part: usize) -> usize {
        let [nodes, edges] = self.most(part);
        // Ids of nodes are there twice while they are checked, besides a set of all nodes and the distances of nodes.
        // Edges to other parts are there twice while they are sorted.
        24 * (edges + self.ids.outward(part)) + 28 * nodes + self.book.nodes() / 6
    }

    /// The largest number of nodes and edges of a part together.
    pub(super) fn rows(&self, part: usize) -> usize {
        self.most(part).iter().sum()
    }

    /// The largest numbers of nodes and edges of a part.
    fn most(&self, part: usize) -> [usize; 2] {
        let edges = self.book.part_edges(part).count().saturating_add(self.ids.outward(part));
        [self.book.nodes().min(self.book.part_nodes(part).count().saturating_add(edges)), edges]
    }

    /// Makes the part with a HALO of one hop, without features.
    pub(super) fn build(&self, number: usize, spill: &Spill, stop: &Stop) -> Result<Part, DispatchError> {
        let own = self.book.part_nodes(number);
        let types = self.book.edge_types().len();
        let all_edges = self.book.part_edges(number);
        let inner_edges = (all_edges.end - all_edges.start) as usize;
        let edges = inner_edges + self.ids.outward(number);
        let (mut sources, mut targets) = (Vec::with_capacity(edges), Vec::with_capacity(edges));
        let mut edge_ids: Vec<i64> = Vec::with_capacity(edges);
        edge_ids.extend(all_edges);
        let mut halo = NodeSet::new(self.book.nodes());
        for kind in 0..types {
            let first = self.book.node_range(self.ends[kind][1], number).start - own.start;
            spill.read(kind, self.record, |_, records| {
                stop.check().map_err(io::Error::other)?;
                for record in records.chunks_exact(self.record) {
                    let (source, target) = ends(record);
                    if !own.contains(&source) {
                        halo.insert(source as usize);
                    }
                    // Sources keep their global ids until the HALO is complete.
                    sources.push(source);
                    targets.push(first + target);
                }
                Ok(())
            })?;
        }
        let mut outward = Vec::with_capacity(self.ids.outward(number));
        for kind in 0..types {
            let first = self.book.node_range(self.ends[kind][0], number).start;
            spill.read(types + kind, OUTWARD, |position, records| {
                stop.check().map_err(io::Error::other)?;
                for record in records.chunks_exact(OUTWARD) {
                    let (target, source) = ends(record);
                    halo.insert(target as usize);
                    let part = self.book.node(target).map_or(0, |node| node.part);
                    let id = self.ids.id(kind, position, part, self::number(&record[RECORD..]) as u64);
                    outward.push((id, first + source, target));
                }
                Ok(())
            })?;
        }
        outward.sort_unstable();
        for (id, source, target) in outward {
            edge_ids.push(id);
            sources.push(source);
            targets.push(target);
        }
        let inner_nodes = (own.end - own.start) as usize;
        let mut node_ids = Vec::with_capacity(inner_nodes + halo.number() as usize);
        node_ids.extend(own.clone());
        node_ids.extend(halo.ids());
        for node in sources.iter_mut().chain(&mut targets[inner_edges..]) {
            *node = if own.contains(node) {
                *node - own.start
            } else {
                (inner_nodes as u64 + halo.position(*node as usize)) as i64
            };
        }
        let part = Part { number, node_ids, inner_nodes, sources, targets, edge_ids, inner_edges, ..Part::default() };
        Ok(Part { halo_hops: 1, ..part })
    }
}

fn ends(record: &[u8]) -> (i64, i64) {
    (number(&record[..8]), number(&record[8..RECORD]))
}

/// Reads a little-endian number of up to 8 bytes.
fn number(bytes: &[u8]) -> i64 {
    let mut wide = [0; 8];
    wide[..bytes.len()].copy_from_slice(bytes);
    i64::from_le_bytes(wide)
}
