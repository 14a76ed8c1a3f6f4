//! [`Rank`]: the work of one rank.

use super::hub::{Exchange, Outbox, blocks};
use super::ids::{EdgeIds, Owners};
use super::job::{Job, OUTWARD, Scratch};
use super::parts::{PartWriter, Stream};
use super::spills::Spills;
use super::{DispatchError, Dispatched, Progress};
use crate::chunked::ChunkedEdges;
use graphpack_loader::Error;

/// One of the ranks: reads its chunks, sends each row to the rank that writes its part, and writes its own parts.
pub(super) struct Rank<'a> {
    job: &'a Job<'a>,
    exchange: &'a Exchange,
    /// Types of sources and targets of each type of edges.
    ends: Vec<[usize; 2]>,
    outbox: Outbox,
    /// Edges for the parts of their sources, where those do not own them.
    outward: Outbox,
    /// What has come for parts `rank`, `rank + ranks` and so on.
    spills: Spills,
    /// Number of edges read, by type, then by own chunk and part.
    counts: Vec<Vec<u64>>,
    /// Number of edges read whose source is in another part, by that part.
    crossing: Vec<u64>,
}

impl<'a> Rank<'a> {
    /// One of `threads` ranks of a process.
    pub(super) fn new(job: &'a Job<'a>, exchange: &'a Exchange, scratch: &Scratch, threads: usize) -> Self {
        let (rank, ranks) = (exchange.rank, exchange.ranks);
        let edge_types = job.graph.edge_types();
        let ends = edge_types.iter().map(ChunkedEdges::ends).collect();
        let spills = job.spills((rank..job.parts()).step_by(ranks), scratch, threads);
        let [outbox, outward] = [(); 2].map(|()| Outbox::new(ranks, job.parts()));
        let own_chunks = |edges: &ChunkedEdges| (rank..edges.chunks().len()).step_by(ranks).len();
        let counts = edge_types.iter().map(|edges| vec![0; own_chunks(edges) * job.parts()]).collect();
        let crossing = vec![0; job.parts()];
        Self { job, exchange, ends, outbox, outward, spills, counts, crossing }
    }

    /// Does all the work: writes the parts of this rank, and on rank 0 the JSON file.
    pub(super) fn run(mut self) -> Result<Dispatched, Error> {
        let (job, exchange) = (self.job, self.exchange);
        let whole = self.whole_parts()?;
        self.outbox.leave_out(&whole);
        self.outward.leave_out(&whole);
        for kind in 0..self.ends.len() {
            self.edges(kind)?;
        }
        let ids = self.edge_ids()?;
        let streams = Stream::all(job.graph);
        for stream in &streams {
            self.feature(stream)?;
        }
        let originals = 2 * self.ends.len() + streams.len();
        if job.saves_original_ids() {
            for kind in 0..job.graph.node_types().len() {
                self.original_nodes(kind, originals + kind)?;
            }
        }
        drop([self.outbox, self.outward]);
        let writer = PartWriter::new(job, &ids, &streams, &self.ends, originals)?;
        for (part, spill) in (exchange.rank..).step_by(exchange.ranks).zip(self.spills.finish()?) {
            job.stop.check()?;
            if !whole[part] {
                writer.write(part, &spill)?;
            }
            spill.remove()?;
            (job.progress)(Progress::Part);
        }
        exchange.barrier()?;
        let config = writer.config(exchange.rank == 0)?;
        exchange.barrier()?;
        let (nodes, edges) = (ids.book().nodes(), ids.book().edges());
        let kept = whole.iter().filter(|&&whole| whole).count();
        Ok(Dispatched { config, nodes, edges, edge_cut: ids.edge_cut(), kept })
    }

    /// Returns which parts are whole already.
    fn whole_parts(&mut self) -> Result<Vec<bool>, Error> {
        let (job, rank, ranks) = (self.job, self.exchange.rank, self.exchange.ranks);
        let mut whole = vec![false; job.parts()];
        if !job.options.resume {
            return Ok(whole);
        }
        let own = (rank..job.parts()).step_by(ranks).map(|part| {
            job.stop.check()?;
            job.record.is_whole(part).map(u8::from)
        });
        let own: Vec<u8> = own.collect::<Result<_, _>>()?;
        for (rank, message) in self.exchange.all_to_all(vec![own; ranks])?.iter().enumerate() {
            whole.iter_mut().skip(rank).step_by(ranks).zip(message).for_each(|(part, &is)| *part = is == 1);
        }
        Ok(whole)
    }

    /// Reads edges and sends each to the rank of its target's part, and to that of its source's part if it is another.
    fn edges(&mut self, kind: usize) -> Result<(), Error> {
        let (job, parts) = (self.job, self.job.parts());
        let (edges, ids, [from, to]) = (&job.graph.edge_types()[kind], &job.ids, self.ends[kind]);
        let (rank, ranks, most) = self.rounds_of(OUTWARD + job.edge_bytes());
        let chunks = (rank..edges.chunks().len()).step_by(ranks).enumerate();
        let mut ranges =
            chunks.flat_map(|(own, chunk)| edges.ranges(chunk, most).map(move |range| range.map(|range| (own, range))));
        let mut owners = (!edges.features().is_empty()).then(|| Owners::new(&job.temporary, kind, edges.chunks()));
        for _ in 0..rounds(edges.chunks(), most, ranks) {
            let range = ranges.next().transpose()?;
            let start = range.as_ref().map_or(0, |(_, range)| range.ids.start);
            if let Some((own_chunk, range)) = range {
                let counts = &mut self.counts[kind][own_chunk * parts..][..parts];
                let mut of_edges = Vec::new();
                for (edge, (&source, &target)) in range.ids.clone().zip(range.sources.iter().zip(&range.targets)) {
                    let (source, target) = (source as usize, target as usize);
                    let (from_part, part) = (ids.owners(from)[source], ids.owners(to)[target]);
                    let count = &mut counts[usize::from(part)];
                    if from_part != part {
                        self.crossing[usize::from(from_part)] += 1;
                        if let Some(to_part) = self.outward.of(from_part) {
                            to_part.extend_from_slice(&ids.global(to, target).to_le_bytes());
                            to_part.extend_from_slice(&ids.within(from, source).to_le_bytes());
                            to_part.extend_from_slice(&count.to_le_bytes());
                        }
                    }
                    *count += 1;
                    if let Some(to_part) = self.outbox.of(part) {
                        to_part.extend_from_slice(&ids.global(from, source).to_le_bytes());
                        to_part.extend_from_slice(&ids.within(to, target).to_le_bytes());
                        if job.saves_original_ids() {
                            to_part.extend_from_slice(&(edge as u64).to_le_bytes());
                        }
                    }
                    if owners.is_some() {
                        of_edges.extend_from_slice(&part.to_le_bytes());
                    }
                }
                if let Some(owners) = &mut owners {
                    owners.write(start, &of_edges)?;
                }
                (job.progress)(Progress::Edges(range.ids.len()));
            }
            self.send(kind, start)?;
            let outward = self.outward.messages(start);
            self.send_messages(self.ends.len() + kind, outward)?;
        }
        Ok(())
    }

    /// Reads rows of a feature and sends each to the rank of its part.
    fn feature(&mut self, stream: &Stream<'_>) -> Result<(), Error> {
        let (job, feature, width) = (self.job, stream.feature, stream.feature.row_bytes());
        let (rank, ranks, most) = self.rounds_of(width.max(2));
        let mut ranges = (rank..feature.files().len()).step_by(ranks).flat_map(|file| feature.ranges_of(file, most));
        let chunks = |kind: usize| job.graph.edge_types()[kind].chunks();
        let mut owners = (!stream.of_nodes).then(|| Owners::new(&job.temporary, stream.kind, chunks(stream.kind)));
        for _ in 0..rounds(feature.files(), most, ranks) {
            let range = ranges.next().transpose()?;
            let start = range.as_ref().map_or(0, |(range, _)| range.start);
            if let Some((range, array)) = range {
                let read;
                let parts = match &mut owners {
                    None => &job.ids.owners(stream.kind)[range.clone()],
                    Some(owners) => {
                        read = owners.read(range.start, range.len())?;
                        &read
                    }
                };
                if width > 0 {
                    for (row, &part) in array.bytes().chunks_exact(width).zip(parts) {
                        self.outbox.of(part).into_iter().for_each(|to_part| to_part.extend_from_slice(row));
                    }
                }
                (job.progress)(Progress::Rows(range.len()));
            }
            self.send(stream.number, start)?;
        }
        Ok(())
    }

    /// Sends original ids of nodes like a feature. If each part searched for its own, it would pass over all nodes.
    fn original_nodes(&mut self, kind: usize, stream: usize) -> Result<(), Error> {
        let owners = self.job.ids.owners(kind);
        let (rank, ranks, most) = self.rounds_of(8);
        for round in (0..owners.len()).step_by(most.saturating_mul(ranks)) {
            let start = round.saturating_add(most * rank).min(owners.len());
            for (node, &part) in (start as u64..).zip(owners[start..].iter().take(most)) {
                self.outbox.of(part).into_iter().for_each(|to_part| to_part.extend_from_slice(&node.to_le_bytes()));
            }
            self.send(stream, start)?;
        }
        Ok(())
    }

    /// Returns this rank, the number of ranks, and how many rows of `row_bytes` bytes each reads in a round.
    fn rounds_of(&self, row_bytes: usize) -> (usize, usize, usize) {
        let ranks = self.exchange.ranks;
        (self.exchange.rank, ranks, (self.job.read_bytes(ranks) / row_bytes).max(1))
    }

    /// Sends what is in the outbox and keeps what is received.
    fn send(&mut self, stream: usize, start: usize) -> Result<(), Error> {
        let messages = self.outbox.messages(start);
        self.send_messages(stream, messages)
    }

    fn send_messages(&mut self, stream: usize, messages: Vec<Vec<u8>>) -> Result<(), Error> {
        self.job.stop.check()?;
        let ranks = self.exchange.ranks;
        for (rank, message) in self.exchange.all_to_all(messages)?.into_iter().enumerate() {
            for block in blocks(rank, &message) {
                let block = block?;
                if !self.spills.append(block.part / ranks, stream, block.start, block.rows)? {
                    return Err(DispatchError::Message { rank, bytes: block.rows.len() }.into());
                }
            }
        }
        Ok(())
    }

    /// Puts together what all ranks have counted.
    fn edge_ids(&mut self) -> Result<EdgeIds, Error> {
        let (job, ranks, parts) = (self.job, self.exchange.ranks, self.job.parts());
        let numbers = self.crossing.iter().chain(self.counts.iter().flatten());
        let message: Vec<u8> = numbers.flat_map(|number| number.to_le_bytes()).collect();
        let edge_types = job.graph.edge_types();
        let mut counts: Vec<_> = edge_types.iter().map(|edges| vec![0; edges.chunks().len() * parts]).collect();
        let mut crossing = vec![0; parts];
        for (rank, message) in self.exchange.all_to_all(vec![message; ranks])?.iter().enumerate() {
            let mut numbers = message.as_chunks::<8>().0.iter().map(|&bytes| u64::from_le_bytes(bytes));
            crossing.iter_mut().zip(&mut numbers).for_each(|(sum, number)| *sum += number);
            for counts in &mut counts {
                let own = counts.chunks_exact_mut(parts).skip(rank).step_by(ranks).flatten();
                own.zip(&mut numbers).for_each(|(count, number)| *count = number);
            }
        }
        Ok(EdgeIds::new(job.graph, job.ids.book(), counts, crossing))
    }
}

/// Number of rounds after which all files are read, `most` rows at a time, file f by rank f % ranks.
fn rounds(files: impl Iterator<Item = usize>, most: usize, ranks: usize) -> usize {
    let mut rounds = vec![0; ranks];
    files.enumerate().for_each(|(file, rows)| rounds[file % ranks] += rows.div_ceil(most).max(1));
    rounds.into_iter().max().unwrap_or(0)
}
