//! npz files: many structures in a few arrays, one after the other.

use crate::{ArrayType, ReadError, npy};
use graphpack_loader::Structures;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use zip::ZipArchive;
use zip::result::ZipError;

/// A npz file: arrays by name, each a file `name.npy` in an archive.
struct Arrays<'a> {
    path: &'a Path,
    archive: ZipArchive<BufReader<File>>,
}

/// Reads a file with the arrays `num_atoms` uint8 `[structures]`, `z` uint8 `[atoms]` and the positions, `pos` float32
/// in angstrom or `pos_milliangstrom` int16, `[atoms, 3]`; `mol_id` int32 `[structures]`, if it is there, names them.
pub fn read(path: impl AsRef<Path>) -> Result<Structures, NpzError> {
    let path = path.as_ref();
    let io = |source| ReadError::open(path, source);
    let file = BufReader::new(File::open(path).map_err(io)?);
    let mut arrays = Arrays { path, archive: ZipArchive::new(file).map_err(|error| io(error.into()))? };
    let (counts, structures) = arrays.get("num_atoms", ArrayType::U8, &[None])?;
    let atoms = counts.iter().map(|&count| usize::from(count)).sum::<usize>();
    let (z, _) = arrays.get("z", ArrayType::U8, &[Some(atoms)])?;
    let pos: Vec<f32> = if arrays.has("pos") {
        let (pos, _) = arrays.get("pos", ArrayType::F32, &[Some(atoms), Some(3)])?;
        pos.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
    } else {
        let (pos, _) = arrays.get("pos_milliangstrom", ArrayType::I16, &[Some(atoms), Some(3)])?;
        pos.as_chunks().0.iter().map(|bytes| f32::from(i16::from_le_bytes(*bytes)) / 1000.0).collect()
    };
    let names =
        if arrays.has("mol_id") { arrays.get("mol_id", ArrayType::I32, &[Some(structures)])?.0 } else { Vec::new() };

    let mut names = names.as_chunks().0.iter().map(|bytes| i32::from_le_bytes(*bytes));
    let mut structures = Structures::new();
    let mut rest = z.iter().copied().zip(pos.as_chunks::<3>().0.iter().copied());
    for (structure, &count) in counts.iter().enumerate() {
        let name = names.next().map_or_else(|| structure.to_string(), |name| name.to_string());
        structures.push(name, rest.by_ref().take(usize::from(count)), None);
    }
    Ok(structures)
}

impl Arrays<'_> {
    fn has(&self, name: &str) -> bool {
        self.archive.file_names().any(|file| file.strip_suffix(".npy") == Some(name))
    }

    /// The bytes and the rows of an array, see [`npy::read`].
    fn get(
        &mut self,
        name: &'static str,
        element: ArrayType,
        shape: &[Option<usize>],
    ) -> Result<(Vec<u8>, usize), NpzError> {
        let array = match self.archive.by_name(&format!("{name}.npy")) {
            Ok(file) => npy::read(file, element, shape),
            Err(ZipError::FileNotFound) => Err("is missing".into()),
            Err(error) => Err(format!("cannot be read: {error}")),
        };
        array.map_err(|problem| NpzError::Array { path: self.path.to_owned(), array: name, problem })
    }
}

/// A npz file that cannot be read.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum NpzError {
    /// The file cannot be read, or is not an archive.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// An array is missing or is not what it must be.
    #[error("{}: array {array:?} {problem}", .path.display())]
    Array {
        /// The file.
        path: PathBuf,
        /// The array.
        array: &'static str,
        /// What is wrong with it.
        problem: String,
    },
}

graphpack_core::debug_is_display!(NpzError);
