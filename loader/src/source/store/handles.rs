//! [`Handles`]: the files of a data set that are open, a bounded number at a time.

use crate::error::Error;
use std::fs::File;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

/// The most files that this process keeps open for all its data sets, besides one for each thread that is reading. Half of
/// what most systems let a process open.
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
        let file = File::open(path).map_err(Error::at(path))?;
        let others = OPEN.fetch_add(1, Ordering::Relaxed);
        let open = Arc::new(Open { number, file });
        let mut kept = place.write().unwrap_or_else(PoisonError::into_inner);
        // In place of the file before, or one more if other data sets have not all that may be open; otherwise this one is
        // closed after use.
        let before = if kept.is_some() || others < MOST { kept.replace(open.clone()) } else { None };
        drop(kept);
        drop(before);
        work(&open.file)
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
