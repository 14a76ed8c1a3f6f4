//! [`Metadata`]: the contents of metadata.json, unchecked; [`ChunkFormat`]: the format of the files in it; [`ChunkOptions`]:
//! which formats are written, and in how many files.

use crate::files::Entries;
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;
use std::path::Path;

/// The name of the file.
pub(super) const FILE: &str = "metadata.json";

/// The keys of the file. DGL 2.1 reads numbers per type, its guide and `chunk_graph.py` have numbers per chunk; one of
/// the two is required.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Metadata {
    pub(super) graph_name: String,
    pub(super) node_type: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) num_nodes_per_chunk: Option<Vec<Vec<u64>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) num_nodes_per_type: Option<Vec<u64>>,
    pub(super) edge_type: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) num_edges_per_chunk: Option<Vec<Vec<u64>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) num_edges_per_type: Option<Vec<u64>>,
    pub(super) edges: Entries<FileSpec>,
    #[serde(deserialize_with = "or_null")]
    pub(super) node_data: Entries<Entries<FileSpec>>,
    #[serde(deserialize_with = "or_null")]
    pub(super) edge_data: Entries<Entries<FileSpec>>,
}

/// The files of the edges of a type, or of a feature.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct FileSpec {
    pub(super) format: FormatSpec,
    pub(super) data: Vec<String>,
    /// Number of rows of each file, which GraphStorm writes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) row_counts: Option<Vec<u64>>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct FormatSpec {
    pub(super) name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) delimiter: Option<String>,
}

fn or_null<'de, D: Deserializer<'de>, V: Deserialize<'de>>(deserializer: D) -> Result<Entries<V>, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// The format of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChunkFormat {
    /// Csv: lines of numbers, without a header.
    Csv {
        /// The byte between cells.
        delimiter: u8,
    },
    /// NumPy's npy.
    Numpy,
    /// Parquet; needs the feature `parquet`.
    Parquet,
}

impl ChunkFormat {
    /// The format that a file's name stands for: `.npy`, `.parquet`, or csv.
    pub fn of_name(path: impl AsRef<Path>, delimiter: u8) -> Self {
        match path.as_ref().extension().and_then(|extension| extension.to_str()) {
            Some("npy") => Self::Numpy,
            Some("parquet") => Self::Parquet,
            _ => Self::Csv { delimiter },
        }
    }

    /// The extension of files.
    pub(super) fn extension(self) -> &'static str {
        match self {
            Self::Csv { .. } => "csv",
            Self::Numpy => "npy",
            Self::Parquet => "parquet",
        }
    }

    pub(super) fn spec(self) -> FormatSpec {
        let delimiter = if let Self::Csv { delimiter } = self { Some(char::from(delimiter).to_string()) } else { None };
        FormatSpec { name: self.to_string(), delimiter }
    }
}

/// An error is a text that says what is wrong with the format.
impl TryFrom<&FormatSpec> for ChunkFormat {
    type Error = String;

    fn try_from(spec: &FormatSpec) -> Result<Self, String> {
        match spec.name.as_str() {
            "csv" => {
                let text = spec.delimiter.as_deref().unwrap_or(",");
                match *text.as_bytes() {
                    [delimiter] if separates(delimiter) => Ok(Self::Csv { delimiter }),
                    _ => Err(format!("delimiter {text:?}, expected one byte that is not part of a number")),
                }
            }
            "numpy" => Ok(Self::Numpy),
            "parquet" => Ok(Self::Parquet),
            other => Err(format!("format {other:?}, expected \"csv\", \"numpy\" or \"parquet\"")),
        }
    }
}

/// Whether a byte can separate numbers.
pub(super) fn separates(delimiter: u8) -> bool {
    delimiter.is_ascii() && !delimiter.is_ascii_alphanumeric() && !b"\0\r\n\"+-.".contains(&delimiter)
}

/// Writes the name that metadata.json uses.
impl fmt::Display for ChunkFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Csv { .. } => "csv",
            Self::Numpy => "numpy",
            Self::Parquet => "parquet",
        })
    }
}

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
