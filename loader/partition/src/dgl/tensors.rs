//! Files of named arrays as `dgl.data.save_tensors` writes them: features of a part, original ids.

use super::DglError;
use super::input::{Header, Input, NAMED_BYTES};
use super::output::{Elements, save};
use crate::file_sum::FileSum;
use crate::{Array, ArrayType};
use std::path::Path;

const TENSORS: u64 = 0xDD5A_9FBE_3FA2_443F;

/// Name, elements and shape of an array in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TensorInfo {
    /// Its name.
    pub name: String,
    /// The type of its elements.
    pub element: ArrayType,
    /// Its shape, rows first.
    pub shape: Vec<usize>,
    /// Where in the file its elements start.
    pub(crate) start: u64,
}

/// Reads all arrays of a file, in its order.
pub fn load_tensors(path: impl AsRef<Path>) -> Result<Vec<(String, Array)>, DglError> {
    read(path.as_ref(), |input| input.named("a tensor"))
}

/// Reads the name, elements and shape of each array of a file, and skips the data.
pub fn tensors_in(path: impl AsRef<Path>) -> Result<Vec<TensorInfo>, DglError> {
    read(path.as_ref(), |input| {
        let name = input.string("a tensor")?;
        let Header { element, shape, bytes } = input.header("a tensor")?;
        let start = input.position();
        input.skip("a tensor", bytes)?;
        Ok(TensorInfo { name, element, shape, start })
    })
}

/// Writes arrays in the given order, under a temporary name until the file is complete. What DGL does not read becomes
/// what it does: bool uint8, uint16 int32, uint32 and uint64 int64. An uint64 that int64 does not hold is refused.
pub fn save_tensors(path: impl AsRef<Path>, tensors: &[(String, Array)]) -> Result<(), DglError> {
    let tensors: Vec<_> = tensors.iter().map(|(name, array)| (name.as_str(), Elements::Array(array))).collect();
    write(path.as_ref(), &tensors).map(drop)
}

fn read<T>(path: &Path, item: impl Fn(&mut Input) -> Result<T, DglError>) -> Result<Vec<T>, DglError> {
    let mut input = Input::open(path)?;
    input.magic("start of a file of tensors", TENSORS)?;
    let offset = input.position();
    let count = input.u64("number of tensors")?;
    let tensors = input.list("number of tensors", NAMED_BYTES, item)?;
    if tensors.len() as u64 != count {
        return Err(input.wrong(
            offset,
            "number of tensors",
            format_args!("{}, the count after it", tensors.len()),
            count,
        ));
    }
    input.end()?;
    Ok(tensors)
}

pub(super) fn write(path: &Path, tensors: &[(&str, Elements<'_>)]) -> Result<FileSum, DglError> {
    save(path, |output| {
        output.u64(TENSORS)?;
        output.size(tensors.len())?;
        output.list(tensors, |output, (name, elements)| output.named(name, *elements))
    })
}
