//! [`PartBuilder`]: makes a part of the edges that were sent for it.

use super::DispatchError;
use super::node_set::NodeSet;
use super::spill::Spill;
use super::stop::Stop;
use crate::{Part, PartitionBook};
use std::io;

/// Makes parts of records, one per edge: the global id of the source (8 bytes), the position of the target among the
/// nodes of its type and part (4 bytes), and, if wanted, the original position of the edge (8 bytes).
pub(super) struct PartBuilder<'a> {
    book: &'a PartitionBook,
    /// Type of the targets of each type of edges.
    targets: Vec<usize>,
    /// Number of bytes of a record.
    record: usize,
}

/// Number of bytes of a record without the original position.
pub(super) const RECORD: usize = 12;

impl<'a> PartBuilder<'a> {
    pub(super) fn new(book: &'a PartitionBook, targets: Vec<usize>, record: usize) -> Self {
        Self { book, targets, record }
    }

    /// The largest number of bytes that a part takes in memory.
    pub(super) fn bytes(&self, part: usize) -> usize {
        let [nodes, edges] = self.most(part);
        // Ids of nodes are there twice while they are checked, besides a set of all nodes.
        24 * edges + 20 * nodes + self.book.nodes() / 6
    }

    /// The largest number of nodes and edges of a part together.
    pub(super) fn rows(&self, part: usize) -> usize {
        self.most(part).iter().sum()
    }

    /// The largest numbers of nodes and edges of a part.
    fn most(&self, part: usize) -> [usize; 2] {
        let edges = self.book.part_edges(part).count();
        [self.book.nodes().min(self.book.part_nodes(part).count().saturating_add(edges)), edges]
    }

    /// Makes the part with a HALO of one hop, without features.
    pub(super) fn build(&self, number: usize, spill: &Spill, stop: &Stop) -> Result<Part, DispatchError> {
        let own = self.book.part_nodes(number);
        let types = self.book.edge_types().len();
        let all_edges = self.book.part_edges(number);
        let inner_edges = (all_edges.end - all_edges.start) as usize;
        let (mut sources, mut targets) = (Vec::with_capacity(inner_edges), Vec::with_capacity(inner_edges));
        let mut halo = NodeSet::new(self.book.nodes());
        for kind in 0..types {
            let first = self.book.node_range(self.targets[kind], number).start - own.start;
            spill.read(kind, self.record, |records| {
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
        let inner_nodes = (own.end - own.start) as usize;
        let mut node_ids = Vec::with_capacity(inner_nodes + halo.number() as usize);
        node_ids.extend(own.clone());
        node_ids.extend(halo.ids());
        for source in &mut sources {
            *source = if own.contains(source) {
                *source - own.start
            } else {
                (inner_nodes as u64 + halo.position(*source as usize)) as i64
            };
        }
        let edge_ids = all_edges.collect();
        Ok(Part { number, node_ids, inner_nodes, sources, targets, edge_ids, inner_edges, ..Part::default() })
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
