//! Files of named arrays as `dgl.data.save_tensors` writes them: features of a part, original ids.

use super::DglError;
use super::input::{Header, Input, NAMED_BYTES};
use super::output::{Elements, save};
use crate::files::FileSum;
use crate::{Array, ArrayType};
use graphpack_loader::Error;
use graphpack_loader::store::SharedFile;
use std::ops::Range;
use std::path::{Path, PathBuf};

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

/// A file of arrays, whose rows are read by position when they are wanted.
#[derive(Clone, Debug)]
pub(crate) struct TensorFile {
    pub(crate) path: PathBuf,
    pub(crate) arrays: Vec<TensorInfo>,
    pub(crate) file: SharedFile,
}

impl TensorFile {
    /// Opens a file, after all of its headers were checked against its length.
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        let arrays = tensors_in(path)?;
        Ok(Self { path: path.to_owned(), arrays, file: SharedFile::open(path)? })
    }

    /// The array with a name.
    pub(crate) fn named(&self, name: &str) -> Option<&TensorInfo> {
        self.arrays.iter().find(|array| array.name == name)
    }

    /// Where the elements of an array are, which the file still has.
    pub(crate) fn bytes_of(&self, array: &TensorInfo) -> Result<Range<u64>, Error> {
        let bytes = array.element.bytes_of(&array.shape).map_or(u64::MAX, |bytes| bytes as u64);
        let left = self.file.bytes().saturating_sub(array.start);
        if bytes <= left {
            return Ok(array.start..array.start + bytes);
        }
        let (path, offset, what) = (self.path.clone(), array.start, "a tensor");
        Err(DglError::Truncated { path, offset, what, expected: bytes, found: left }.into())
    }

    fn read(&self, array: &TensorInfo) -> Result<Array, Error> {
        let range = self.bytes_of(array)?;
        let mut bytes = vec![0; (range.end - range.start) as usize];
        self.file.read(range.start, &mut bytes)?;
        Array::new(array.element, array.shape.clone(), bytes).map_err(|error| {
            let (path, offset, what) = (self.path.clone(), array.start, "a tensor");
            DglError::Format { path, offset, what, expected: "an array".into(), found: error.to_string() }.into()
        })
    }
}

/// Reads all arrays of a file, in its order.
pub fn load_tensors(path: impl AsRef<Path>) -> Result<Vec<(String, Array)>, Error> {
    let file = TensorFile::open(path.as_ref())?;
    file.arrays.iter().map(|array| Ok((array.name.clone(), file.read(array)?))).collect()
}

/// Reads the name, elements and shape of each array of a file, and skips the data.
pub fn tensors_in(path: impl AsRef<Path>) -> Result<Vec<TensorInfo>, Error> {
    let mut input = Input::open(path.as_ref())?;
    input.magic("start of a file of tensors", TENSORS)?;
    let offset = input.position();
    let count = input.u64("number of tensors")?;
    let tensors = input.list("number of tensors", NAMED_BYTES, |input| {
        let name = input.string("a tensor")?;
        let Header { element, shape, bytes } = input.header("a tensor")?;
        let start = input.position();
        input.skip("a tensor", bytes)?;
        Ok(TensorInfo { name, element, shape, start })
    })?;
    if tensors.len() as u64 != count {
        let expected = format_args!("{}, the count after it", tensors.len());
        return Err(input.wrong(offset, "number of tensors", expected, count));
    }
    input.end()?;
    Ok(tensors)
}

/// Writes arrays in the given order, under a temporary name until the file is complete. What DGL does not read becomes
/// what it does: bool uint8, uint16 int32, uint32 and uint64 int64. An uint64 that int64 does not hold is refused.
pub fn save_tensors(path: impl AsRef<Path>, tensors: &[(String, Array)]) -> Result<(), Error> {
    let tensors: Vec<_> = tensors.iter().map(|(name, array)| (name.as_str(), Elements::Array(array))).collect();
    write(path.as_ref(), &tensors).map(drop)
}

pub(super) fn write(path: &Path, tensors: &[(&str, Elements<'_>)]) -> Result<FileSum, Error> {
    save(path, |output| {
        output.u64(TENSORS)?;
        output.size(tensors.len())?;
        output.list(tensors, |output, (name, elements)| output.named(name, *elements))
    })
}
