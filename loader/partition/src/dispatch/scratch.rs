//! [`Scratch`]: the folder of the temporary files of parts.

use super::DispatchError;
use graphpack_loader::IoError;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The folder of the temporary files of parts. A folder of this process alone is removed with it.
pub(super) struct Scratch {
    path: PathBuf,
    own: bool,
}

impl Scratch {
    /// The folder `temporary`, which all processes share.
    pub(super) fn shared(temporary: PathBuf) -> Self {
        Self { path: temporary, own: false }
    }

    /// A folder in `scratch` for what process `process` has of the parts in `out`, which exists. What a killed run has
    /// left there is removed.
    pub(super) fn local(scratch: &Path, out: &Path, process: usize) -> Result<Self, DispatchError> {
        let whole = out.canonicalize().map_err(IoError::at(out))?;
        let of = crc32fast::hash(whole.as_os_str().as_encoded_bytes());
        let path = scratch.join(format!("graphpack-{of:08x}-{process}"));
        match fs::remove_dir_all(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(IoError::at(&path)(error).into()),
            _ => fs::create_dir(&path).map_err(IoError::at(&path))?,
        }
        Ok(Self { path, own: true })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if self.own {
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}
