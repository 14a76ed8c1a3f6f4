//! [`ChunkOptions`]: into how many chunks a graph is written, and how.

use super::ChunkFormat;
use super::format::separates;

/// Into how many chunks, and how files are written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChunkOptions {
    /// Files per type of edge and per feature, at least 1; the first ones have a row more where there is a rest.
    pub chunks: usize,
    /// How edges are written. DGL's tools read csv with spaces, and parquet.
    pub edges: ChunkFormat,
    /// How features are written: numpy or parquet, since csv keeps neither types nor shapes.
    pub features: ChunkFormat,
}

impl ChunkOptions {
    /// Edges in csv files with spaces, features in numpy files, as `chunk_graph.py` writes them.
    pub fn new(chunks: usize) -> Self {
        Self { chunks, edges: ChunkFormat::Csv { delimiter: b' ' }, features: ChunkFormat::Numpy }
    }

    /// With edges in another format.
    pub fn edges(self, edges: ChunkFormat) -> Self {
        Self { edges, ..self }
    }

    /// With features in another format.
    pub fn features(self, features: ChunkFormat) -> Self {
        Self { features, ..self }
    }

    /// Errors say what is wrong.
    pub(super) fn check(&self) -> Result<(), String> {
        if self.chunks == 0 {
            return Err("0 chunks, at least 1".into());
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
            return Err("parquet needs the feature `parquet` of graphpack-loader".into());
        }
        Ok(())
    }

    /// Rows of each chunk, as `chunk_graph.py` divides them.
    pub(super) fn sizes(&self, rows: usize) -> Vec<u64> {
        (0..self.chunks).map(|chunk| chunk_size(rows, self.chunks, chunk) as u64).collect()
    }
}

/// Rows of one of the chunks.
pub(super) fn chunk_size(rows: usize, chunks: usize, chunk: usize) -> usize {
    rows / chunks + usize::from(chunk < rows % chunks)
}
