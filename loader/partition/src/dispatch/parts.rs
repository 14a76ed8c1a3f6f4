//! [`PartBuilder`]: makes a part of the edges that were sent for it; [`PartWriter`]: writes its files; [`Stream`]: a feature
//! on its way to them.

use super::ids::{EdgeIds, NodeSet};
use super::job::{Job, OUTWARD, RECORD, Stop};
use super::spills::Spill;
use crate::chunked::{ChunkedFeature, ChunkedGraph};
use crate::dgl::{FeatureRows, PartitionWriter};
use crate::{Part, PartitionBook};
use graphpack_loader::Error;
use std::io::{self, Write};
use std::path::PathBuf;

/// Makes parts of records, one per edge: the global id of the source (8 bytes), the position of the target among the
/// nodes of its type and part (4 bytes), and, if wanted, the original position of the edge (8 bytes). Edges to nodes of
/// other parts have records of their own: the global id of the target, the position of the source, and the number of
/// the edge among those of its chunk that the part of the target owns (8 bytes).
pub(super) struct PartBuilder<'a> {
    ids: &'a EdgeIds,
    book: &'a PartitionBook,
    /// Types of sources and targets of each type of edges.
    ends: &'a [[usize; 2]],
    /// Number of bytes of a record.
    record: usize,
}

impl<'a> PartBuilder<'a> {
    pub(super) fn new(ids: &'a EdgeIds, ends: &'a [[usize; 2]], record: usize) -> Self {
        Self { ids, book: ids.book(), ends, record }
    }

    /// The largest number of bytes that a part takes in memory.
    pub(super) fn bytes(&self, part: usize) -> usize {
        let edges = self.book.part_edges(part).count().saturating_add(self.ids.outward(part));
        let nodes = self.book.nodes().min(self.book.part_nodes(part).count().saturating_add(edges));
        // Ids of nodes are there twice while they are checked, besides a set of all nodes and the distances of nodes.
        // Edges to other parts are there twice while they are sorted.
        24 * (edges + self.ids.outward(part)) + 28 * nodes + self.book.nodes() / 6
    }

    /// Makes the part with a HALO of one hop, without features.
    pub(super) fn build(&self, number: usize, spill: &Spill, stop: &Stop) -> Result<Part, Error> {
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

/// Writes the files of a part from what was sent for it, and notes that the part is whole.
pub(super) struct PartWriter<'a> {
    job: &'a Job<'a>,
    book: &'a PartitionBook,
    streams: &'a [Stream<'a>],
    builder: PartBuilder<'a>,
    writer: PartitionWriter,
    /// The stream of original ids of the first type of nodes.
    originals: usize,
}

impl<'a> PartWriter<'a> {
    /// `ends` are the types of sources and targets of each type of edges.
    pub(super) fn new(
        job: &'a Job<'a>,
        ids: &'a EdgeIds,
        streams: &'a [Stream<'a>],
        ends: &'a [[usize; 2]],
        originals: usize,
    ) -> Result<Self, Error> {
        let (builder, book) = (PartBuilder::new(ids, ends, job.edge_bytes()), ids.book());
        Ok(Self { job, book, streams, builder, writer: job.writer(book.clone())?, originals })
    }

    pub(super) fn write(&self, part: usize, spill: &Spill) -> Result<(), Error> {
        // An error of a file that was cut short because the rank is to end says nothing.
        self.write_files(part, spill).map_err(|error| self.job.stop.check().err().unwrap_or(error))
    }

    fn write_files(&self, part: usize, spill: &Spill) -> Result<(), Error> {
        let pass = self.job.gate.enter(self.builder.bytes(part));
        let built = self.builder.build(part, spill, &self.job.stop)?;
        let writes: Vec<_> = self.streams.iter().map(|stream| stream.copy(spill, &self.job.stop)).collect();
        let features = [true, false].map(|of_nodes| {
            let streams = self.streams.iter().zip(&writes).filter(|(stream, _)| stream.of_nodes == of_nodes);
            streams.map(|(stream, write)| stream.rows(self.book, part, write)).collect::<Vec<_>>()
        });
        let mut files = self.writer.write_part_with(&built, [&features[0], &features[1]])?;
        drop(built);
        if self.job.saves_original_ids() {
            let nodes = (0..self.book.node_types().len()).map(|kind| spill.numbers(self.originals + kind, 8, 0));
            files.push(self.writer.write_nids(part, &nodes.collect::<Result<Vec<_>, _>>()?)?);
            let record = self.job.edge_bytes();
            let edges = (0..self.book.edge_types().len()).map(|kind| spill.numbers(kind, record, RECORD));
            files.push(self.writer.write_eids(part, &edges.collect::<Result<Vec<_>, _>>()?)?);
        }
        drop(pass);
        self.job.record.part(part, &files.into_iter().map(|(file, sum)| (file.to_owned(), sum)).collect())
    }

    /// Returns the path of the JSON file; writes it if `write`.
    pub(super) fn config(&self, write: bool) -> Result<PathBuf, Error> {
        if write {
            self.writer.write_config()?;
        }
        Ok(self.writer.config_path())
    }
}

/// A feature on its way, numbered among all streams.
pub(super) struct Stream<'a> {
    pub(super) number: usize,
    /// Whether it is of nodes, not of edges.
    pub(super) of_nodes: bool,
    /// The type of nodes or edges.
    pub(super) kind: usize,
    pub(super) feature: &'a ChunkedFeature,
}

impl<'a> Stream<'a> {
    /// All features, numbered after the edges of each type that parts own and those that lead out of them.
    pub(super) fn all(graph: &'a ChunkedGraph) -> Vec<Self> {
        let (nodes, edges) = (graph.node_types(), graph.edge_types());
        let of_nodes = nodes.iter().enumerate().map(|(kind, of)| (true, kind, of.features()));
        let of_edges = edges.iter().enumerate().map(|(kind, of)| (false, kind, of.features()));
        let all = of_nodes
            .chain(of_edges)
            .flat_map(|(of_nodes, kind, features)| features.iter().map(move |feature| (of_nodes, kind, feature)));
        let numbered = (2 * edges.len()..).zip(all);
        numbered.map(|(number, (of_nodes, kind, feature))| Self { number, of_nodes, kind, feature }).collect()
    }

    /// Returns a function that copies the rows of a part.
    pub(super) fn copy(&self, spill: &Spill, stop: &Stop) -> impl Fn(&mut dyn Write) -> io::Result<()> {
        let number = self.number;
        move |to| {
            let copied = spill.read(number, 1, |_, rows| {
                stop.check().map_err(io::Error::other)?;
                to.write_all(rows)
            });
            copied.map_err(io::Error::other)
        }
    }

    /// Describes the rows of a part, which `write` writes.
    pub(super) fn rows<'w>(
        &self,
        book: &PartitionBook,
        part: usize,
        write: &'w dyn Fn(&mut dyn Write) -> io::Result<()>,
    ) -> FeatureRows<'w> {
        let (kind, rows) = if self.of_nodes {
            (book.node_types()[self.kind].clone(), book.node_range(self.kind, part).count())
        } else {
            (book.edge_names()[self.kind].clone(), book.edge_range(self.kind, part).count())
        };
        let shape = [rows].into_iter().chain(self.feature.row().iter().copied()).collect();
        FeatureRows { name: format!("{kind}/{}", self.feature.name()), element: self.feature.element(), shape, write }
    }
}
