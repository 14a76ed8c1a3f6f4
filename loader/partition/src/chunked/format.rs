//! [`ChunkFormat`]: how the files of a chunked graph are written.

use super::metadata::FormatSpec;
use std::fmt;

/// How files are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChunkFormat {
    /// Lines of numbers, without a header.
    Csv {
        /// Between the cells.
        delimiter: u8,
    },
    /// NumPy's npy.
    Numpy,
    /// Parquet; needs the feature `parquet`.
    Parquet,
}

impl ChunkFormat {
    /// What names of files end in.
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

/// Errors say what is wrong with the format.
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

/// Whether a byte can be between numbers.
pub(super) fn separates(delimiter: u8) -> bool {
    delimiter.is_ascii() && !delimiter.is_ascii_alphanumeric() && !b"\0\r\n\"+-.".contains(&delimiter)
}

/// Writes the name in metadata.json.
impl fmt::Display for ChunkFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Csv { .. } => "csv",
            Self::Numpy => "numpy",
            Self::Parquet => "parquet",
        })
    }
}
