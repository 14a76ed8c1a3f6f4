//! [`PartWriter`]: writes the files of a part from what was sent for it.

use super::DispatchError;
use super::edge_ids::EdgeIds;
use super::job::Job;
use super::part_builder::{PartBuilder, RECORD};
use super::spill::Spill;
use super::stream::Stream;
use crate::PartitionBook;
use crate::dgl::PartitionWriter;
use std::path::PathBuf;

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
    ) -> Result<Self, DispatchError> {
        let (builder, book) = (PartBuilder::new(ids, ends, job.edge_bytes()), ids.book());
        Ok(Self { job, book, streams, builder, writer: job.writer(book.clone())?, originals })
    }

    pub(super) fn write(&self, part: usize, spill: &Spill) -> Result<(), DispatchError> {
        // An error of a file that was cut short because the rank is to end says nothing.
        self.write_files(part, spill).map_err(|error| self.job.stop().check().err().unwrap_or(error))
    }

    fn write_files(&self, part: usize, spill: &Spill) -> Result<(), DispatchError> {
        let pass = self.job.enter(self.builder.bytes(part), self.builder.rows(part));
        let built = self.builder.build(part, spill, self.job.stop())?;
        let writes: Vec<_> = self.streams.iter().map(|stream| stream.copy(spill, self.job.stop())).collect();
        let features = [true, false].map(|of_nodes| {
            let streams = self.streams.iter().zip(&writes).filter(|(stream, _)| stream.of_nodes() == of_nodes);
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
        self.job.record().part(part, &files.into_iter().map(|(file, sum)| (file.to_owned(), sum)).collect())
    }

    /// Returns the path of the JSON file; writes it if `write`.
    pub(super) fn config(&self, write: bool) -> Result<PathBuf, DispatchError> {
        if write {
            self.writer.write_config()?;
        }
        Ok(self.writer.config_path())
    }
}
