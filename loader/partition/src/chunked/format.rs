//! [`ChunkFormat`]: the format of a chunked graph's files.

use super::metadata::FormatSpec;
use std::fmt;
use std::path::Path;

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
