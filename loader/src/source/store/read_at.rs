//! Reads files by position: [`read_at`], from the page cache alone `read_cached`; [`Handles`]: the open files of a data
//! set; [`FileState`]: whether one changed; [`SharedFile`]: any file, for other sources.

use super::FileError;
use crate::error::{Error, file_error};
use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::SystemTime;

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

/// The most files that this process keeps open for all its data sets, besides one for each thread that is reading. Half
/// of what most systems let a process open.
const MOST: usize = 512;
/// How many are open.
static OPEN: AtomicUsize = AtomicUsize::new(0);

/// Files that were opened last: each file has one place, which it shares with others where there are too many.
#[derive(Debug)]
pub(super) struct Handles(Box<[RwLock<Option<Arc<Open>>>]>);

/// A file that is open.
#[derive(Debug)]
struct Open {
    number: usize,
    file: File,
}

impl Drop for Open {
    fn drop(&mut self) {
        OPEN.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Handles {
    /// Creates it for a data set of `files` files, none of them open.
    pub(super) fn new(files: usize) -> Self {
        Self((0..files.clamp(1, MOST)).map(|_| RwLock::default()).collect())
    }

    /// Returns what `work` makes of file number `number`, which is opened if it is not open. No thread waits for what
    /// another opens or reads.
    pub(super) fn with<T>(
        &self,
        number: usize,
        path: &Path,
        work: impl FnOnce(&File) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let place = &self.0[number % self.0.len()];
        let kept = place.read().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(open) = kept.filter(|open| open.number == number) {
            return work(&open.file);
        }
        let file = File::open(path).map_err(file_error(path))?;
        let others = OPEN.fetch_add(1, Ordering::Relaxed);
        let open = Arc::new(Open { number, file });
        let mut kept = place.write().unwrap_or_else(PoisonError::into_inner);
        // In place of the file before, or one more if other data sets have not all that may be open; otherwise this one
        // is closed after use.
        let before = if kept.is_some() || others < MOST { kept.replace(open.clone()) } else { None };
        drop(kept);
        drop(before);
        work(&open.file)
    }
}

/// A file of any format that others may write to, read by position. A source of your own copies rows from it.
///
/// Like the files of [`StoreFiles`](crate::StoreFiles) it is kept open between reads, unless the process has hundreds
/// of such files open.
///
/// ```
/// use graphpack_loader::store::SharedFile;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("records");
/// std::fs::write(&path, "0123456789")?;
/// let (file, mut record) = (SharedFile::open(&path)?, [0; 2]);
/// file.read(4, &mut record)?;
/// assert_eq!(&record, b"45");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct SharedFile(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    path: PathBuf,
    state: FileState,
    handles: Handles,
}

impl SharedFile {
    /// Opens a file.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref().to_owned();
        let state = open_regular(&path).and_then(|file| FileState::of(&file)).map_err(file_error(&path))?;
        Ok(Self(Arc::new(Shared { path, state, handles: Handles::new(1) })))
    }

    /// Number of bytes when it was opened.
    pub fn bytes(&self) -> u64 {
        self.0.state.bytes
    }

    /// Reads bytes from `offset` on. Errors if the file has fewer.
    pub fn read(&self, offset: u64, into: &mut [u8]) -> Result<(), Error> {
        let Shared { path, handles, .. } = &*self.0;
        handles.with(0, path, |file| read_at(file, path, offset, into))
    }

    /// Errors if the file changed since it was opened: for a source to ask before and after it reads.
    pub fn check(&self) -> Result<(), Error> {
        let Shared { path, state, .. } = &*self.0;
        state.check(path, fs::metadata(path).and_then(FileState::from_metadata))
    }
}

/// The size of a file and the time of its last change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FileState {
    pub(super) bytes: u64,
    changed: Option<SystemTime>,
}

/// Opens a regular file. Errors if it is something else, before that is opened: a pipe would wait for a writer.
pub(super) fn open_regular(path: &Path) -> io::Result<File> {
    FileState::from_metadata(fs::metadata(path)?)?;
    File::open(path)
}

impl FileState {
    /// The state of a file now. Errors if it is a folder or a device.
    pub(super) fn of(file: &File) -> io::Result<Self> {
        Self::from_metadata(file.metadata()?)
    }

    pub(super) fn from_metadata(metadata: Metadata) -> io::Result<Self> {
        if !metadata.is_file() {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "expected a file, found something else, such as a folder or a pipe",
            ));
        }
        Ok(Self { bytes: metadata.len(), changed: metadata.modified().ok() })
    }

    /// Errors unless the state `now` is still this one.
    pub(super) fn check(&self, path: &Path, now: io::Result<Self>) -> Result<(), Error> {
        match now {
            Ok(now) if now == *self => Ok(()),
            now => {
                let now = now.map_or(0, |now| now.bytes);
                Err(FileError::Changed { path: path.to_owned(), opened: self.bytes, now }.into())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Handles;
    use std::fs;
    use std::io::{Read, Seek};

    #[test]
    fn files_are_open_as_long_as_there_is_room() {
        let folder = tempfile::tempdir().expect("a folder");
        let paths: Vec<_> = (0..5_u8).map(|file| folder.path().join(file.to_string())).collect();
        paths.iter().zip(0..).for_each(|(path, content)| fs::write(path, [content]).expect("it is written"));
        let handles = Handles((0..2).map(|_| Default::default()).collect());
        for number in [0, 1, 2, 2, 4, 3, 0, 1] {
            let mut byte = [9];
            let read = |mut file: &fs::File| Ok(file.rewind().and_then(|()| file.read(&mut byte)));
            let read = handles.with(number, &paths[number], read).expect("it opens");
            assert_eq!((read.expect("it is read"), usize::from(byte[0])), (1, number));
        }
        assert!(handles.with(5, &folder.path().join("5"), |_| Ok(())).is_err());
        // Nobody waits for another's reading.
        let within =
            handles.with(3, &paths[3], |_| handles.with(1, &paths[1], |_| handles.with(3, &paths[3], |_| Ok(7))));
        assert_eq!(within.expect("they open"), 7);
    }
}
