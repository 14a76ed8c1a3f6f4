//! [`Handles`]: the files of a data set that are open, a bounded number at a time.

use super::FileError;
use crate::error::IoError;
use std::fs::File;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock};

/// The most files that this process keeps open for all its data sets. Half of what most systems let a process open.
const MOST: usize = 512;
/// How many there are.
static OPEN: AtomicUsize = AtomicUsize::new(0);

/// Files that were opened last: each file has one place, which it shares with others where there are too many.
#[derive(Debug)]
pub(super) struct Handles(Box<[RwLock<Option<Open>>]>);

/// A file that is kept open.
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
    /// No open files, of a data set of `files`.
    pub(super) fn new(files: usize) -> Self {
        Self((0..files.clamp(1, MOST)).map(|_| RwLock::default()).collect())
    }

    /// Returns what `work` makes of file number `number`, which is opened if it is not open.
    pub(super) fn with<T>(
        &self,
        number: usize,
        path: &Path,
        work: impl FnOnce(&File) -> Result<T, FileError>,
    ) -> Result<T, FileError> {
        let place = &self.0[number % self.0.len()];
        if let Some(open) = &*place.read().unwrap_or_else(PoisonError::into_inner)
            && open.number == number
        {
            return work(&open.file);
        }
        let mut place = place.write().unwrap_or_else(PoisonError::into_inner);
        // The file before is closed first, so that there are never more.
        if place.as_ref().is_none_or(|open| open.number != number) {
            *place = None;
        }
        if let Some(open) = &*place {
            return work(&open.file);
        }
        let file = File::open(path).map_err(IoError::at(path))?;
        if OPEN.fetch_add(1, Ordering::Relaxed) < MOST {
            return work(&place.insert(Open { number, file }).file);
        }
        // Other data sets have all that may be open: this one is closed after use.
        OPEN.fetch_sub(1, Ordering::Relaxed);
        drop(place);
        work(&file)
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
    }
}
