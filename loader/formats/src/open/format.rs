//! [`FileFormat`]: the formats that files are recognised to have, from what is in them.

use crate::common::{Compression, expect_file, file_names};
use crate::{FormatError, ReadError};
use graphpack_loader::Error;
use std::fmt;
use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::path::Path;
use std::str::FromStr;

/// A format that a file or folder may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileFormat {
    /// A store in safetensors, or a folder of several.
    Store,
    /// Extended XYZ, and QM9's original files.
    Xyz,
    /// ASE's SQLite database, or a folder of several.
    AseDb,
    /// ASE's LMDB database, or a folder of several.
    Aselmdb,
    /// HDF5 in the layouts of MACE, SPICE and ANI.
    Hdf5,
    /// SMILES in csv with a header, or one in each line.
    Smiles,
    /// Molecules in SDF.
    Sdf,
    /// A data set of TU Dortmund's collection, a folder or a zip.
    Tu,
    /// Arrays of NumPy in an archive.
    Npz,
    /// Parquet with columns of lists.
    Parquet,
    /// A folder in the raw layout of the Open Graph Benchmark.
    Ogb,
}

impl FileFormat {
    /// All formats, in the order in which help and errors name them.
    pub const ALL: [Self; 11] = [
        Self::Store,
        Self::Xyz,
        Self::AseDb,
        Self::Aselmdb,
        Self::Hdf5,
        Self::Smiles,
        Self::Sdf,
        Self::Tu,
        Self::Npz,
        Self::Parquet,
        Self::Ogb,
    ];

    /// The name of the format, which is that of the reader's feature, too.
    pub fn name(self) -> &'static str {
        self.names().0
    }

    /// Says in a few words what its files are, for messages.
    pub fn description(self) -> &'static str {
        self.names().1
    }

    fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Store => ("store", "a store (safetensors, or a folder with index.json)"),
            Self::Xyz => ("xyz", "XYZ (a number of atoms, a comment, a line for each atom)"),
            Self::AseDb => ("ase_db", "a database of ASE in SQLite, or a folder of .db files"),
            Self::Aselmdb => ("aselmdb", "a database of ASE in LMDB, or a folder of .aselmdb files"),
            Self::Hdf5 => ("hdf5", "HDF5"),
            Self::Smiles => ("smiles", "csv with a column of SMILES, or a molecule in each line"),
            Self::Sdf => ("sdf", "SDF (V2000 or V3000 in line 4)"),
            Self::Tu => ("tu", "a data set of TU Dortmund (NAME_A.txt in a folder or zip)"),
            Self::Npz => ("npz", "npz (arrays of NumPy in a zip)"),
            Self::Parquet => ("parquet", "parquet"),
            Self::Ogb => ("ogb", "a data set of OGB (a folder with raw/ in it)"),
        }
    }
}

impl fmt::Display for FileFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for FileFormat {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let names = Self::ALL.map(Self::name).join(", ");
        let found = Self::ALL.into_iter().find(|format| format.name() == text);
        found.ok_or_else(|| format!("expected one of {names}, found {text:?}"))
    }
}

/// Bytes of a file that are looked at.
const LOOKED_AT: u64 = 1 << 16;

impl FileFormat {
    /// Finds out which format a file or folder has, from what is in it. Errors with what was looked for and what was
    /// found.
    pub fn of(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        expect_file(path)?;
        let looked = || -> io::Result<_> {
            if path.is_dir() {
                let names = file_names(path)?;
                return Ok((of_folder(path, &names), found_in_folder(&names)));
            }
            let start = start(File::open(path)?)?;
            let mut found = found_in_file(&start);
            let format = if let Some(compression) = Compression::of(&start) {
                let mut text = Vec::new();
                // What is damaged further on does not matter here.
                let _ = compression.decompress(Cursor::new(&start))?.take(LOOKED_AT).read_to_end(&mut text);
                found = format!("a file of {}, in which {}", compression.name(), found_in_file(&text));
                of_text(&text)
            } else if start.starts_with(b"PK\x03\x04") {
                let (format, name) = of_zip(path, &start)?;
                found = found_in_zip(&name);
                format
            } else {
                of_bytes(&start).or_else(|| of_text(&start))
            };
            Ok((format, found))
        };
        let (format, found) = looked().map_err(|source| ReadError::open(path, source))?;
        let format = format.or_else(|| Compression::ends(path, ".smi").then_some(Self::Smiles));
        format.ok_or_else(|| {
            let all = Self::ALL.map(Self::description).join("; ");
            FormatError::wrong(path, "", format!("one of: {all}"), found)
        })
    }
}

fn start(file: File) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    file.take(LOOKED_AT).read_to_end(&mut start)?;
    Ok(start)
}

fn of_folder(path: &Path, names: &[String]) -> Option<FileFormat> {
    let is_tu = |names: &[String]| names.iter().any(|name| name.ends_with("_A.txt"));
    if path.join("index.json").is_file() {
        Some(FileFormat::Store)
    } else if is_tu(names) {
        Some(FileFormat::Tu)
    } else if path.join("raw").is_dir() {
        // PyTorch Geometric keeps data sets of TU there.
        let raw = file_names(&path.join("raw")).unwrap_or_default();
        Some(if is_tu(&raw) { FileFormat::Tu } else { FileFormat::Ogb })
    } else {
        // Files of two formats are no data set: those of one would be left out.
        let names: Vec<String> = names.iter().map(|name| name.to_ascii_lowercase()).collect();
        let any = |end: &str| names.iter().any(|name| name.ends_with(end));
        let endings = Compression::endings(&[".xyz", ".extxyz"]);
        let is_xyz = |name: &String| endings.iter().any(|ending| name.ends_with(ending));
        let found = [
            (FileFormat::Aselmdb, any(".aselmdb")),
            (FileFormat::AseDb, any(".db")),
            (FileFormat::Xyz, names.iter().any(is_xyz)),
        ];
        let mut found = found.into_iter().filter_map(|(format, is)| is.then_some(format));
        found.next().filter(|_| found.next().is_none())
    }
}

fn of_bytes(start: &[u8]) -> Option<FileFormat> {
    let word = |at: usize| Some(u32::from_le_bytes(start.get(at..at + 4)?.try_into().ok()?));
    if start.starts_with(b"SQLite format 3\0") {
        Some(FileFormat::AseDb)
    } else if [0, 512, 1024, 2048]
        .iter()
        .any(|&at| start.get(at..).is_some_and(|at| at.starts_with(b"\x89HDF\r\n\x1a\n")))
    {
        Some(FileFormat::Hdf5)
    } else if start.starts_with(b"PAR1") {
        Some(FileFormat::Parquet)
    } else if word(16) == Some(0xbeef_c0de) || word(12) == Some(0xbeef_c0de) {
        // The first meta page, after the header of a page on systems of 64 and of 32 bits.
        Some(FileFormat::Aselmdb)
    } else if start.get(8) == Some(&b'{') && start[4..8] == [0; 4] {
        // The length of a header of at most 4 GB, and the header.
        Some(FileFormat::Store)
    } else {
        None
    }
}

/// An archive has arrays if the first file in it is one. Also returns the name of that file.
fn of_zip(path: &Path, start: &[u8]) -> io::Result<(Option<FileFormat>, String)> {
    let length = start.get(26..28).map_or(0, |length| usize::from(length[0]) | usize::from(length[1]) << 8);
    let first = String::from_utf8_lossy(start.get(30..30 + length).unwrap_or_default()).into_owned();
    // The names once more at the end, after all files.
    let mut file = File::open(path)?;
    let end = file.seek(SeekFrom::End(0))?;
    file.seek(SeekFrom::Start(end.saturating_sub(LOOKED_AT)))?;
    let last = self::start(file)?;
    let has = |name: &[u8]| last.windows(name.len()).any(|window| window == name);
    let format = match (first.ends_with(".npy") || has(b".npy"), has(b"_A.txt") || first.ends_with("_A.txt")) {
        (_, true) => Some(FileFormat::Tu),
        (true, false) => Some(FileFormat::Npz),
        (false, false) => None,
    };
    Ok((format, first))
}

fn of_text(start: &[u8]) -> Option<FileFormat> {
    let text = String::from_utf8_lossy(start);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    if text.trim_start().starts_with('{') && text.contains("\"files\"") {
        return Some(FileFormat::Store);
    }
    let mut lines = text.lines();
    let first: Vec<&str> = lines.by_ref().take(4).collect();
    if first.get(3).is_some_and(|line| line.contains("V2000") || line.contains("V3000")) {
        return Some(FileFormat::Sdf);
    }
    let line = first.iter().find(|line| !line.trim().is_empty())?;
    if line.trim().parse::<u64>().is_ok() && first.len() > 1 {
        return Some(FileFormat::Xyz);
    }
    let mut cells = line.split([',', '\t', ';']).map(|cell| cell.trim().trim_matches('"').to_lowercase());
    let is_smiles = |cell: String| cell == "mol" || cell == "smi" || cell.contains("smiles");
    if cells.any(is_smiles) {
        return Some(FileFormat::Smiles);
    }
    #[cfg(feature = "readers")]
    if crate::smiles::begins(start) {
        return Some(FileFormat::Smiles);
    }
    None
}

fn found_in_folder(names: &[String]) -> String {
    match names {
        [] => "an empty folder".into(),
        [a, b, _, _, ..] => format!("a folder with {a}, {b} and {} others", names.len() - 2),
        few => format!("a folder with {}", few.join(", ")),
    }
}

/// What else Python writes: `torch.save` writes archives that begin with `NAME/data.pkl`.
const PICKLE: &str = "Python's objects, as torch.save and pickle write them (load them in Python: graphpack_loader.from_pyg \
    takes graphs of PyTorch Geometric, save_store writes them)";

fn found_in_zip(first: &str) -> String {
    if first.ends_with("/data.pkl") { PICKLE.into() } else { format!("a zip archive that begins with {first:?}") }
}

fn found_in_file(start: &[u8]) -> String {
    match start {
        [] => "an empty file".into(),
        [0x80, 2..=5, ..] => PICKLE.into(),
        _ => format!("a file that begins with \"{}\"", start[..start.len().min(24)].escape_ascii()),
    }
}
