//! [`read_at`]: reads bytes of a file by position; `read_cached` reads only what the page cache holds.

use super::FileError;
use crate::error::Error;
use std::fs::File;
use std::io;
use std::path::Path;

/// Reads bytes of a file from `offset` on. Errors if it has fewer.
pub(super) fn read_at(file: &File, path: &Path, offset: u64, into: &mut [u8]) -> Result<(), Error> {
    let mut found = 0;
    while found < into.len() {
        match some_at(file, offset + found as u64, &mut into[found..]) {
            Ok(0) => {
                let (path, expected) = (path.to_owned(), into.len());
                return Err(FileError::Truncated { path, offset, expected, found }.into());
            }
            Ok(more) => found += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(source) => {
                return Err(FileError::Read { path: path.to_owned(), offset, expected: into.len(), source }.into());
            }
        }
    }
    Ok(())
}

/// Reads bytes of a file if the system has all of them in memory. Otherwise returns false, and asks the system to fetch
/// them and what is up to `around` bytes from them, without waiting for it.
#[cfg(target_os = "linux")]
pub(super) fn read_cached(file: &File, offset: u64, into: &mut [u8], around: u64) -> bool {
    use rustix::fs::{Advice, fadvise};
    use rustix::io::{Errno, ReadWriteFlags, preadv2};
    use std::num::NonZeroU64;
    use std::sync::atomic::{AtomicBool, Ordering};
    /// Some file systems cannot say whether they would wait; all are then read with waiting.
    static REFUSED: AtomicBool = AtomicBool::new(false);
    let bytes = into.len();
    if bytes == 0 || REFUSED.load(Ordering::Relaxed) {
        return bytes == 0;
    }
    match preadv2(file, &mut [io::IoSliceMut::new(into)], offset, ReadWriteFlags::NOWAIT) {
        Ok(found) if found == bytes => return true,
        Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL) => REFUSED.store(true, Ordering::Relaxed),
        _ => {
            let from = offset.saturating_sub(around);
            let length = offset.saturating_add(bytes as u64).saturating_add(around) - from;
            // Only a hint: whatever is wrong, reading says.
            let _ = fadvise(file, from, NonZeroU64::new(length), Advice::WillNeed);
        }
    }
    false
}

/// On other systems the page cache cannot be asked, and nothing is read.
#[cfg(not(target_os = "linux"))]
pub(super) fn read_cached(_: &File, _: u64, into: &mut [u8], _: u64) -> bool {
    into.is_empty()
}

#[cfg(unix)]
fn some_at(file: &File, offset: u64, into: &mut [u8]) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, into, offset)
}

#[cfg(windows)]
fn some_at(file: &File, offset: u64, into: &mut [u8]) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, into, offset)
}
