//! [`Rank`]: what one rank does.

use super::exchange::Exchange;
use super::gate::Gate;
use super::new_ids::NewIds;
use super::outbox::{Outbox, blocks};
use super::owners::Owners;
use super::part_builder::{PartBuilder, RECORD};
use super::spill::Spill;
use super::stream::Stream;
use super::{Dispatch, DispatchError, Dispatched, Progress};
use crate::dgl::PartitionWriter;
use crate::{ChunkedGraph, PartitionBook};
use std::path::{Path, PathBuf};

/// What all ranks of a process have in common.
pub(super) struct Shared<'a> {
    pub(super) options: &'a Dispatch,
    pub(super) graph: &'a ChunkedGraph,
    pub(super) ids: NewIds<'a>,
    pub(super) parts: usize,
    pub(super) out: &'a Path,
    pub(super) temporary: PathBuf,
    pub(super) gate: Gate,
    pub(super) progress: &'a (dyn Fn(Progress) + Sync),
}

/// One of the ranks, and what has come of its parts.
pub(super) struct Rank<'a, E> {
    shared: &'a Shared<'a>,
    exchange: &'a mut E,
    /// Types of sources and targets of each type of edges.
    ends: Vec<[usize; 2]>,
    /// Of part `rank`, part `rank + ranks` and so on.
    spills: Vec<Spill>,
    outbox: Outbox,
}

/// Bytes that a rank reads at a time: little enough that the messages of a round have less than 2 GiB, which is the most in MPI.
const LEAST_READ: usize = 64;
const MOST_READ: usize = 32 << 20;

impl<'a, E: Exchange> Rank<'a, E> {
    pub(super) fn new(shared: &'a Shared<'a>, exchange: &'a mut E) -> Self {
        let (rank, ranks) = (exchange.rank(), exchange.ranks());
        let kind_of = |name: &String| {
            let types = shared.graph.node_types();
            types.iter().position(|kind| kind.name() == name).unwrap_or_default()
        };
        let ends = shared.graph.edge_types().iter().map(|edges| [0, 2].map(|end| kind_of(&edges.name()[end])));
        let own = (rank..shared.parts).step_by(ranks);
        let spills = own.map(|part| Spill::new(shared.temporary.join(format!("part{part}")))).collect();
        let outbox = Outbox::new(ranks, shared.parts);
        Self { ends: ends.collect(), shared, exchange, spills, outbox }
    }

    /// All of it; the parts of this rank are written then, and by rank 0 the JSON file.
    pub(super) fn run(mut self) -> Result<Dispatched, DispatchError> {
        let types = self.shared.graph.edge_types().len();
        let mut cut = 0;
        for kind in 0..types {
            cut += self.edges(kind)?;
        }
        let (book, edge_cut) = self.book(cut)?;
        let streams = Stream::all(self.shared.graph);
        for stream in &streams {
            self.feature(stream)?;
        }
        let originals = types + streams.len();
        if self.shared.options.save_orig_ids {
            for kind in 0..self.shared.graph.node_types().len() {
                self.original_nodes(kind, originals + kind)?;
            }
        }
        let (nodes, edges) = (book.nodes(), book.edges());
        let name = self.shared.options.name.as_deref().unwrap_or(self.shared.graph.name());
        let writer = PartitionWriter::create(self.shared.out, name, "assigned", 1, book.clone())?;
        // Nothing more is sent.
        self.outbox = Outbox::new(self.exchange.ranks(), 0);
        self.write(&book, &writer, &streams, originals)?;
        self.exchange.barrier()?;
        if self.exchange.rank() == 0 {
            writer.write_config()?;
        }
        self.exchange.barrier()?;
        Ok(Dispatched { config: writer.config_path(), nodes, edges, edge_cut })
    }

    /// Reads edges and sends each to the rank of its target's part. Gives how many have a source in another part.
    fn edges(&mut self, kind: usize) -> Result<u64, DispatchError> {
        let shared = self.shared;
        let (edges, ids, [from, to]) = (&shared.graph.edge_types()[kind], &shared.ids, self.ends[kind]);
        let most = (self.read_bytes() / 16).max(1);
        let (rank, ranks) = (self.exchange.rank(), self.exchange.ranks());
        let mut ranges = (rank..edges.chunks().len()).step_by(ranks).flat_map(|chunk| edges.ranges(chunk, most));
        let mut owners = match edges.features() {
            [] => None,
            _ => Some(Owners::create(&shared.temporary, kind)?),
        };
        let mut cut = 0;
        for _ in 0..rounds(edges.chunks(), most, ranks) {
            let range = ranges.next().transpose()?;
            let start = range.as_ref().map_or(0, |range| range.ids.start);
            if let Some(range) = range {
                let mut parts = Vec::new();
                for (edge, (&source, &target)) in range.ids.clone().zip(range.sources.iter().zip(&range.targets)) {
                    let (source, target) = (source as usize, target as usize);
                    let part = ids.owners(to)[target];
                    cut += u64::from(part != ids.owners(from)[source]);
                    let to_part = self.outbox.of(part);
                    to_part.extend_from_slice(&ids.global(from, source).to_le_bytes());
                    to_part.extend_from_slice(&ids.within(to, target).to_le_bytes());
                    if shared.options.save_orig_ids {
                        to_part.extend_from_slice(&(edge as u64).to_le_bytes());
                    }
                    if owners.is_some() {
                        parts.extend_from_slice(&part.to_le_bytes());
                    }
                }
                if let Some(owners) = &mut owners {
                    owners.write(start, &parts)?;
                }
                (shared.progress)(Progress::Edges(range.ids.len()));
            }
            self.send(kind, start)?;
        }
        Ok(cut)
    }

    /// Sends what is in the box and keeps what comes.
    fn send(&mut self, stream: usize, start: usize) -> Result<(), DispatchError> {
        let messages = self.outbox.messages(start);
        let ranks = self.exchange.ranks();
        for (rank, message) in self.exchange.all_to_all(messages)?.into_iter().enumerate() {
            for block in blocks(rank, &message) {
                let block = block?;
                let spill = self.spills.get_mut(block.part / ranks);
                let spill = spill.ok_or(DispatchError::Message { rank, bytes: block.rows.len() })?;
                spill.append(stream, block.start, block.rows)?;
            }
        }
        Ok(())
    }

    /// Tells all ranks how many edges the parts of this one have, and what it has counted of edges that are cut.
    fn book(&mut self, cut: u64) -> Result<(PartitionBook, u64), DispatchError> {
        let shared = self.shared;
        let types = shared.graph.edge_types();
        let counts = self.spills.iter().flat_map(|spill| {
            let record = self.record() as u64;
            (0..types.len()).map(move |kind| spill.bytes(kind) / record)
        });
        let message: Vec<u8> = [cut].into_iter().chain(counts).flat_map(u64::to_le_bytes).collect();
        let ranks = self.exchange.ranks();
        let (mut counts, mut all_cut) = (vec![vec![0; shared.parts]; types.len()], 0);
        for (rank, message) in self.exchange.all_to_all(vec![message; ranks])?.iter().enumerate() {
            let mut numbers = message.as_chunks::<8>().0.iter().map(|&bytes| u64::from_le_bytes(bytes));
            all_cut += numbers.next().unwrap_or(0);
            for part in (rank..shared.parts).step_by(ranks) {
                for counts in &mut counts {
                    counts[part] = numbers.next().unwrap_or(0) as usize;
                }
            }
        }
        let nodes = shared.ids.book();
        let node_counts: Vec<Vec<usize>> = (0..nodes.node_types().len())
            .map(|kind| (0..shared.parts).map(|part| nodes.node_range(kind, part).count()).collect())
            .collect();
        let names = types.iter().map(|edges| edges.name().clone()).collect();
        Ok((PartitionBook::new(nodes.node_types().to_vec(), &node_counts, names, &counts), all_cut))
    }

    /// Reads rows of a feature and sends each to the rank of its part.
    fn feature(&mut self, stream: &Stream<'_>) -> Result<(), DispatchError> {
        let (shared, feature) = (self.shared, stream.feature);
        let width = stream.row_bytes();
        let most = (self.read_bytes() / width.max(2)).max(1);
        let (rank, ranks) = (self.exchange.rank(), self.exchange.ranks());
        let mut ranges = (rank..feature.files().len()).step_by(ranks).flat_map(|file| feature.ranges_of(file, most));
        let mut owners = if stream.of_nodes { None } else { Some(Owners::create(&shared.temporary, stream.kind)?) };
        for _ in 0..rounds(feature.files(), most, ranks) {
            let range = ranges.next().transpose()?;
            let start = range.as_ref().map_or(0, |(range, _)| range.start);
            if let Some((range, array)) = range {
                let read;
                let parts = match &mut owners {
                    None => &shared.ids.owners(stream.kind)[range.clone()],
                    Some(owners) => {
                        read = owners.read(range.start, range.len())?;
                        &read
                    }
                };
                if width > 0 {
                    for (row, &part) in array.bytes().chunks_exact(width).zip(parts) {
                        self.outbox.of(part).extend_from_slice(row);
                    }
                }
                (shared.progress)(Progress::Rows(range.len()));
            }
            self.send(stream.number, start)?;
        }
        Ok(())
    }

    /// Sends original ids of nodes as if they were a feature: looked for by each part, all nodes would be passed over once per part.
    fn original_nodes(&mut self, kind: usize, stream: usize) -> Result<(), DispatchError> {
        let owners = self.shared.ids.owners(kind);
        let most = (self.read_bytes() / 8).max(1);
        for round in (0..owners.len()).step_by(most.saturating_mul(self.exchange.ranks())) {
            let start = round.saturating_add(most * self.exchange.rank()).min(owners.len());
            for (node, &part) in (start as u64..).zip(owners[start..].iter().take(most)) {
                self.outbox.of(part).extend_from_slice(&node.to_le_bytes());
            }
            self.send(stream, start)?;
        }
        Ok(())
    }

    /// Writes the parts of this rank, one at a time. The stream of the first type's original ids is `originals`.
    fn write(
        &mut self,
        book: &PartitionBook,
        writer: &PartitionWriter,
        streams: &[Stream<'_>],
        originals: usize,
    ) -> Result<(), DispatchError> {
        let builder =
            PartBuilder { book, targets: self.ends.iter().map(|&[_, to]| to).collect(), record: self.record() };
        let parts = (self.exchange.rank()..).step_by(self.exchange.ranks());
        for (part, spill) in parts.zip(std::mem::take(&mut self.spills)) {
            let pass = self.shared.gate.enter(builder.bytes(part));
            let built = builder.build(part, &spill)?;
            let writes: Vec<_> = streams.iter().map(|stream| stream.copy(&spill)).collect();
            let features = [true, false].map(|of_nodes| {
                let streams = streams.iter().zip(&writes).filter(|(stream, _)| stream.of_nodes == of_nodes);
                streams.map(|(stream, write)| stream.rows(book, part, write)).collect::<Vec<_>>()
            });
            writer.write_part_with(&built, [&features[0], &features[1]])?;
            drop(built);
            if self.shared.options.save_orig_ids {
                let nodes = (0..book.node_types().len()).map(|kind| spill.numbers(originals + kind, 8, 0));
                writer.write_orig_nids(part, &nodes.collect::<Result<Vec<_>, _>>()?)?;
                let edges = (0..book.edge_types().len()).map(|kind| spill.numbers(kind, builder.record, RECORD));
                writer.write_orig_eids(part, &edges.collect::<Result<Vec<_>, _>>()?)?;
            }
            drop(pass);
            drop(features);
            drop(writes);
            spill.remove()?;
            (self.shared.progress)(Progress::Part);
        }
        Ok(())
    }

    /// Bytes that are read at a time. They are in memory about four times: as they are read, by part, in messages sent and received.
    fn read_bytes(&self) -> usize {
        let ranks = self.exchange.ranks();
        (self.shared.options.memory / (8 * ranks)).min((1 << 30) / ranks).clamp(LEAST_READ, MOST_READ)
    }

    /// Bytes of an edge on its way.
    fn record(&self) -> usize {
        if self.shared.options.save_orig_ids { RECORD + 8 } else { RECORD }
    }
}

/// Rounds after which all files are read, `most` rows at a time, file f by rank f % ranks.
fn rounds(files: impl Iterator<Item = usize>, most: usize, ranks: usize) -> usize {
    let mut rounds = vec![0; ranks];
    files.enumerate().for_each(|(file, rows)| rounds[file % ranks] += rows.div_ceil(most).max(1));
    rounds.into_iter().max().unwrap_or(0)
}
