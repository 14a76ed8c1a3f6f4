//! [`Rank`]: the work of one rank.

use super::exchange::Exchange;
use super::job::Job;
use super::outbox::{Outbox, blocks};
use super::owners::Owners;
use super::part_builder::{PartBuilder, RECORD};
use super::spill::Spill;
use super::stream::Stream;
use super::{DispatchError, Dispatched, Progress};
use crate::PartitionBook;
use crate::dgl::PartitionWriter;

/// One of the ranks, and what was sent to it for its parts.
pub(super) struct Rank<'a, E> {
    job: &'a Job<'a>,
    exchange: &'a mut E,
    /// Types of sources and targets of each type of edges.
    ends: Vec<[usize; 2]>,
    /// The files of parts `rank`, `rank + ranks` and so on.
    spills: Vec<Spill>,
    outbox: Outbox,
}

impl<'a, E: Exchange> Rank<'a, E> {
    pub(super) fn new(job: &'a Job<'a>, exchange: &'a mut E) -> Self {
        let (rank, ranks) = (exchange.rank(), exchange.ranks());
        let kind_of = |name: &String| {
            let types = job.graph().node_types();
            types.iter().position(|kind| kind.name() == name).unwrap_or_default()
        };
        let ends = job.graph().edge_types().iter().map(|edges| [0, 2].map(|end| kind_of(&edges.name()[end])));
        let own = (rank..job.parts()).step_by(ranks);
        let spills = own.map(|part| job.spill(part)).collect();
        let outbox = Outbox::new(ranks, job.parts());
        Self { ends: ends.collect(), job, exchange, spills, outbox }
    }

    /// Does all the work: writes the parts of this rank, and on rank 0 the JSON file.
    pub(super) fn run(mut self) -> Result<Dispatched, DispatchError> {
        let types = self.job.graph().edge_types().len();
        let mut cut = 0;
        for kind in 0..types {
            cut += self.edges(kind)?;
        }
        let (book, edge_cut) = self.book(cut)?;
        let streams = Stream::all(self.job.graph());
        for stream in &streams {
            self.feature(stream)?;
        }
        let originals = types + streams.len();
        if self.job.saves_original_ids() {
            for kind in 0..self.job.graph().node_types().len() {
                self.original_nodes(kind, originals + kind)?;
            }
        }
        let (nodes, edges) = (book.nodes(), book.edges());
        let writer = self.job.writer(book.clone())?;
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

    /// Reads edges and sends each to the rank of its target's part. Returns the number of edges whose source is in
    /// another part.
    fn edges(&mut self, kind: usize) -> Result<u64, DispatchError> {
        let job = self.job;
        let (edges, ids, [from, to]) = (&job.graph().edge_types()[kind], job.ids(), self.ends[kind]);
        let most = (self.job.read_bytes(self.exchange.ranks()) / 16).max(1);
        let (rank, ranks) = (self.exchange.rank(), self.exchange.ranks());
        let mut ranges = (rank..edges.chunks().len()).step_by(ranks).flat_map(|chunk| edges.ranges(chunk, most));
        let mut owners = match edges.features() {
            [] => None,
            _ => Some(Owners::new(job.temporary(), kind, edges.chunks())),
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
                    if job.saves_original_ids() {
                        to_part.extend_from_slice(&(edge as u64).to_le_bytes());
                    }
                    if owners.is_some() {
                        parts.extend_from_slice(&part.to_le_bytes());
                    }
                }
                if let Some(owners) = &mut owners {
                    owners.write(start, &parts)?;
                }
                job.report(Progress::Edges(range.ids.len()));
            }
            self.send(kind, start)?;
        }
        Ok(cut)
    }

    /// Sends what is in the outbox and keeps what is received.
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

    /// Exchanges the numbers of edges of all parts and of edges that are cut; returns the book and the edge cut.
    fn book(&mut self, cut: u64) -> Result<(PartitionBook, u64), DispatchError> {
        let job = self.job;
        let types = job.graph().edge_types();
        let counts = self.spills.iter().flat_map(|spill| {
            let record = self.job.record() as u64;
            (0..types.len()).map(move |kind| spill.bytes(kind) / record)
        });
        let message: Vec<u8> = [cut].into_iter().chain(counts).flat_map(u64::to_le_bytes).collect();
        let ranks = self.exchange.ranks();
        let (mut counts, mut all_cut) = (vec![vec![0; job.parts()]; types.len()], 0);
        for (rank, message) in self.exchange.all_to_all(vec![message; ranks])?.iter().enumerate() {
            let mut numbers = message.as_chunks::<8>().0.iter().map(|&bytes| u64::from_le_bytes(bytes));
            all_cut += numbers.next().unwrap_or(0);
            for part in (rank..job.parts()).step_by(ranks) {
                for counts in &mut counts {
                    counts[part] = numbers.next().unwrap_or(0) as usize;
                }
            }
        }
        let nodes = job.ids().book();
        let node_counts: Vec<Vec<usize>> = (0..nodes.node_types().len())
            .map(|kind| (0..job.parts()).map(|part| nodes.node_range(kind, part).count()).collect())
            .collect();
        let names = types.iter().map(|edges| edges.name().clone()).collect();
        Ok((PartitionBook::new(nodes.node_types().to_vec(), &node_counts, names, &counts), all_cut))
    }

    /// Reads rows of a feature and sends each to the rank of its part.
    fn feature(&mut self, stream: &Stream<'_>) -> Result<(), DispatchError> {
        let (job, feature) = (self.job, stream.feature());
        let width = stream.row_bytes();
        let most = (self.job.read_bytes(self.exchange.ranks()) / width.max(2)).max(1);
        let (rank, ranks) = (self.exchange.rank(), self.exchange.ranks());
        let mut ranges = (rank..feature.files().len()).step_by(ranks).flat_map(|file| feature.ranges_of(file, most));
        let chunks = |kind: usize| job.graph().edge_types()[kind].chunks();
        let mut owners =
            (!stream.of_nodes()).then(|| Owners::new(job.temporary(), stream.kind(), chunks(stream.kind())));
        for _ in 0..rounds(feature.files(), most, ranks) {
            let range = ranges.next().transpose()?;
            let start = range.as_ref().map_or(0, |(range, _)| range.start);
            if let Some((range, array)) = range {
                let read;
                let parts = match &mut owners {
                    None => &job.ids().owners(stream.kind())[range.clone()],
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
                job.report(Progress::Rows(range.len()));
            }
            self.send(stream.number(), start)?;
        }
        Ok(())
    }

    /// Sends original ids of nodes like a feature. If each part searched for its own, it would pass over all nodes.
    fn original_nodes(&mut self, kind: usize, stream: usize) -> Result<(), DispatchError> {
        let owners = self.job.ids().owners(kind);
        let most = (self.job.read_bytes(self.exchange.ranks()) / 8).max(1);
        for round in (0..owners.len()).step_by(most.saturating_mul(self.exchange.ranks())) {
            let start = round.saturating_add(most * self.exchange.rank()).min(owners.len());
            for (node, &part) in (start as u64..).zip(owners[start..].iter().take(most)) {
                self.outbox.of(part).extend_from_slice(&node.to_le_bytes());
            }
            self.send(stream, start)?;
        }
        Ok(())
    }

    /// Writes the parts of this rank, one at a time. `originals` is the stream of the first type's original ids.
    fn write(
        &mut self,
        book: &PartitionBook,
        writer: &PartitionWriter,
        streams: &[Stream<'_>],
        originals: usize,
    ) -> Result<(), DispatchError> {
        let targets = self.ends.iter().map(|&[_, to]| to).collect();
        let builder = PartBuilder::new(book, targets, self.job.record());
        let parts = (self.exchange.rank()..).step_by(self.exchange.ranks());
        for (part, spill) in parts.zip(std::mem::take(&mut self.spills)) {
            let pass = self.job.enter(builder.bytes(part));
            let built = builder.build(part, &spill)?;
            let writes: Vec<_> = streams.iter().map(|stream| stream.copy(&spill)).collect();
            let features = [true, false].map(|of_nodes| {
                let streams = streams.iter().zip(&writes).filter(|(stream, _)| stream.of_nodes() == of_nodes);
                streams.map(|(stream, write)| stream.rows(book, part, write)).collect::<Vec<_>>()
            });
            writer.write_part_with(&built, [&features[0], &features[1]])?;
            drop(built);
            if self.job.saves_original_ids() {
                let nodes = (0..book.node_types().len()).map(|kind| spill.numbers(originals + kind, 8, 0));
                writer.write_orig_nids(part, &nodes.collect::<Result<Vec<_>, _>>()?)?;
                let edges = (0..book.edge_types().len()).map(|kind| spill.numbers(kind, self.job.record(), RECORD));
                writer.write_orig_eids(part, &edges.collect::<Result<Vec<_>, _>>()?)?;
            }
            drop(pass);
            drop(features);
            drop(writes);
            spill.remove()?;
            self.job.report(Progress::Part);
        }
        Ok(())
    }
}

/// Number of rounds after which all files are read, `most` rows at a time, file f by rank f % ranks.
fn rounds(files: impl Iterator<Item = usize>, most: usize, ranks: usize) -> usize {
    let mut rounds = vec![0; ranks];
    files.enumerate().for_each(|(file, rows)| rounds[file % ranks] += rows.div_ceil(most).max(1));
    rounds.into_iter().max().unwrap_or(0)
}
