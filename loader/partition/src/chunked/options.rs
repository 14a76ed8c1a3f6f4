//! [`ChunkOptions`]: the number of chunks of a graph, and the formats of its files.

use super::ChunkFormat;
use super::format::separates;

/// The number of chunks, and the formats of files.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChunkOptions {
    /// Number of files per type of edges and per feature, at least 1. Their sizes differ by at most one row, the larger
    /// ones first.
    pub chunks: usize,
    /// Format of edges. DGL's tools read csv separated by spaces, and parquet.
    pub edges: ChunkFormat,
    /// Format of features: numpy or parquet, since csv keeps neither types nor shapes.
    pub features: ChunkFormat,
}

impl ChunkOptions {
    /// Edges in csv files separated by spaces and features in numpy files, as `chunk_graph.py` writes them.
    pub fn new(chunks: usize) -> Self {
        Self { chunks, edges: ChunkFormat::Csv { delimiter: b' ' }, features: ChunkFormat::Numpy }
    }

    /// Changes the format of edges.
    pub fn edges(self, edges: ChunkFormat) -> Self {
        Self { edges, ..self }
    }

    /// Changes the format of features.
    pub fn features(self, features: ChunkFormat) -> Self {
        Self { features, ..self }
    }

    /// Checks the options; an error is a text that says what is wrong.
    pub(super) fn check(&self) -> Result<(), String> {
        if self.chunks == 0 {
            return Err("0 chunks, expected at least 1".into());
        }
        if matches!(self.features, ChunkFormat::Csv { .. }) {
            return Err("features in csv, expected numpy or parquet: csv keeps neither types nor shapes".into());
        }
        if let ChunkFormat::Csv { delimiter } = self.edges
            && !separates(delimiter)
        {
            let delimiter = delimiter.escape_ascii();
            return Err(format!("delimiter \"{delimiter}\", expected one byte that is not part of a number"));
        }
        #[cfg(not(feature = "parquet"))]
        if [self.edges, self.features].contains(&ChunkFormat::Parquet) {
            return Err("parquet needs the feature `parquet` of graphpack-partition".into());
        }
        Ok(())
    }

    /// Number of rows of each chunk, divided as by `chunk_graph.py`.
    pub(super) fn sizes(&self, rows: usize) -> Vec<u64> {
        (0..self.chunks).map(|chunk| chunk_size(rows, self.chunks, chunk) as u64).collect()
    }
}

/// Number of rows of a chunk.
pub(super) fn chunk_size(rows: usize, chunks: usize, chunk: usize) -> usize {
    rows / chunks + usize::from(chunk < rows % chunks)
}
