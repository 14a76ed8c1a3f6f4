//! npz files of many structures in concatenated arrays.

use super::{StructureError, Structures};
use npyz::npz::NpzArchive;
use npyz::{DType, Deserialize};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

type Archive = NpzArchive<BufReader<File>>;

impl Structures {
    /// Reads `num_atoms` uint8 `[structures]`, `z` uint8 `[atoms]` and the positions, `pos` float32 in angstrom or `pos_milliangstrom` int16,
    /// `[atoms, 3]`; `mol_id` int32 `[structures]`, if it is there, names them.
    pub fn read_npz(path: impl AsRef<Path>) -> Result<Self, StructureError> {
        let path = path.as_ref();
        let file = || NpzArchive::open(path);
        let mut archive = file().map_err(|source| StructureError::Io { path: path.to_owned(), line: 0, source })?;
        let counts = array::<u8>(&mut archive, path, "num_atoms", None)?;
        let atoms = counts.iter().map(|&count| usize::from(count)).sum::<usize>();
        let z = array::<u8>(&mut archive, path, "z", Some(atoms))?;
        let floats = archive.array_names().any(|name| name == "pos");
        let pos: Vec<f32> = if floats {
            array::<f32>(&mut archive, path, "pos", Some(3 * atoms))?
        } else {
            let pos = array::<i16>(&mut archive, path, "pos_milliangstrom", Some(3 * atoms))?;
            pos.into_iter().map(|milliangstrom| f32::from(milliangstrom) / 1000.0).collect()
        };
        let named = archive.array_names().any(|name| name == "mol_id");
        let names = if named { array::<i32>(&mut archive, path, "mol_id", Some(counts.len()))? } else { Vec::new() };

        let mut structures = Self::new();
        let mut rest = z.iter().copied().zip(pos.as_chunks::<3>().0.iter().copied());
        for (structure, &count) in counts.iter().enumerate() {
            let name = names.get(structure).map_or(structure.to_string(), i32::to_string);
            structures.push(name, rest.by_ref().take(usize::from(count)), None);
        }
        Ok(structures)
    }
}

/// All elements of an array, row by row, as many as expected.
fn array<T: Deserialize>(
    archive: &mut Archive,
    path: &Path,
    name: &'static str,
    expected: Option<usize>,
) -> Result<Vec<T>, StructureError> {
    let wrong = |problem: String| StructureError::Array { path: path.to_owned(), array: name, problem };
    let npy = archive.by_name(name).map_err(|error| wrong(format!("cannot be read: {error}")))?;
    let npy = npy.ok_or_else(|| wrong("is missing".into()))?;
    let dtype = match npy.dtype() {
        DType::Plain(plain) => plain.to_string(),
        other => format!("{other:?}"),
    };
    let shape = npy.shape().to_vec();
    let elements = npy.data::<T>().map_err(|error| wrong(format!("of dtype {dtype} cannot be used: {error}")))?;
    let elements =
        elements.collect::<Result<Vec<_>, _>>().map_err(|error| wrong(format!("cannot be read: {error}")))?;
    match expected {
        Some(expected) if expected != elements.len() => {
            Err(wrong(format!("of shape {shape:?} has {} elements, expected {expected}", elements.len())))
        }
        _ => Ok(elements),
    }
}
