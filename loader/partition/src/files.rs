//! What is written and read: [`OutputFolder`], a folder that is emptied again if writing fails; names of files;
//! [`Entries`], an object of JSON in its order; [`FileSum`], by which a whole file is told from another; [`open`], which
//! refuses what is no file.

use graphpack_loader::Error;
use graphpack_loader::extend::file_error;
use graphpack_loader::store::WholeFile;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::HashSet;
use std::fmt;
use std::fs::{self, File, TryLockError};
use std::io::{self, BufReader, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

/// A folder that was empty or did not exist, claimed by one run. Dropping it removes everything in it, unless
/// [`OutputFolder::keep`] was called.
#[derive(Debug)]
pub struct OutputFolder {
    path: PathBuf,
    existed: bool,
    at_end: AtEnd,
    /// Locked by this run alone, so that none goes on with what another is working on.
    lock: Option<Lock>,
}

/// What becomes of the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AtEnd {
    Remove,
    /// Only temporary ones are removed.
    Keep,
    Leave,
}

/// A folder within, until the files are kept.
const TEMPORARY: &str = "unfinished.tmp";
/// That folder while it is removed.
const ENDED: &str = "ended.tmp";
/// A file in that folder. The lock of a folder would hold on one machine alone, on NFS.
const LOCK: &str = "lock";

impl OutputFolder {
    /// Creates the folder if it does not exist, and a temporary folder in it, which keeps other runs out.
    pub fn claim(path: impl AsRef<Path>) -> io::Result<Self> {
        let path = path.as_ref();
        let existed = path.is_dir();
        // Asked again, as another run may have created it in between.
        if path.exists() && !path.is_dir() {
            return Err(io::Error::new(io::ErrorKind::NotADirectory, "is a file, expected a folder or nothing"));
        }
        fs::create_dir_all(path)?;
        check(path, 0)?;
        if let Err(error) = fs::create_dir(temporary(path)) {
            if error.kind() == io::ErrorKind::AlreadyExists {
                // Another run was faster.
                return Err(unfinished());
            }
            if !existed {
                // Fails if another run has put something in it.
                let _ = fs::remove_dir(path);
            }
            return Err(error);
        }
        // Something else may have been put there in between.
        if let Err(error) = check(path, 1) {
            let _ = fs::remove_dir(temporary(path));
            return Err(error);
        }
        let mut claimed = Self { path: path.to_owned(), existed, at_end: AtEnd::Remove, lock: None };
        match lock(path) {
            Ok(lock) => claimed.lock = lock,
            // A run that goes on was faster: nothing here is this one's.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                claimed.leave();
                return Err(error);
            }
            Err(error) => return Err(error),
        }
        Ok(claimed)
    }

    /// Claims what a run that was killed or stopped has left in the folder, if it has left anything.
    pub(crate) fn resume(path: &Path) -> io::Result<Option<Self>> {
        if !temporary(path).is_dir() {
            return Ok(None);
        }
        Ok(Some(Self { path: path.to_owned(), existed: true, at_end: AtEnd::Leave, lock: lock(path)? }))
    }

    /// Keeps the files; only temporary ones are removed.
    pub fn keep(mut self) {
        self.at_end = AtEnd::Keep;
    }

    /// Leaves all files for a run that goes on.
    pub(crate) fn leave(mut self) {
        self.at_end = AtEnd::Leave;
    }
}

/// The folder of temporary files.
pub(crate) fn temporary(folder: &Path) -> PathBuf {
    folder.join(TEMPORARY)
}

/// The file in it that the run locks.
pub(crate) fn lock_file(folder: &Path) -> PathBuf {
    temporary(folder).join(LOCK)
}

/// Refuses a folder with more than `own` entries: the temporary folder of this run, or none.
fn check(path: &Path, own: usize) -> io::Result<()> {
    let names: Vec<_> = fs::read_dir(path)?.take(2).map(|entry| Ok(entry?.file_name())).collect::<io::Result<_>>()?;
    if own == 0 && temporary(path).exists() {
        return Err(unfinished());
    }
    if names.len() > own {
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, "the folder is not empty"));
    }
    Ok(())
}

fn unfinished() -> io::Error {
    let problem = format!(
        "{TEMPORARY} is in the folder: a run was killed here or is still working; remove what a killed run has left"
    );
    io::Error::new(io::ErrorKind::AlreadyExists, problem)
}

/// A file that is locked until this is dropped or the process ends.
#[derive(Debug)]
struct Lock(File);

impl Drop for Lock {
    fn drop(&mut self) {
        // A process that was forked meanwhile, as METIS' is, has the file open, too: closing alone would keep the lock.
        let _ = self.0.unlock();
    }
}

/// Locks what is in the folder, where the file system can.
fn lock(path: &Path) -> io::Result<Option<Lock>> {
    // NFS locks files that are open for writing.
    let file = File::options().read(true).write(true).create(true).truncate(false).open(lock_file(path))?;
    match file.try_lock() {
        Ok(()) => Ok(Some(Lock(file))),
        Err(TryLockError::WouldBlock) => {
            let problem = "another run is still working in the folder";
            Err(io::Error::new(io::ErrorKind::AlreadyExists, problem))
        }
        // Not every shared file system has locks.
        Err(TryLockError::Error(_)) => Ok(None),
    }
}

/// Ignores files that cannot be removed: there is a more important error then.
impl Drop for OutputFolder {
    fn drop(&mut self) {
        if self.at_end == AtEnd::Leave {
            return;
        }
        // Renamed while it is locked: no run goes on with it. Then closed: NFS keeps a file that is open.
        let ended = self.path.join(ENDED);
        let ended = fs::rename(temporary(&self.path), &ended).map_or(temporary(&self.path), |()| ended);
        self.lock = None;
        if self.at_end == AtEnd::Keep {
            let _ = fs::remove_dir_all(ended);
            return;
        }
        if !self.existed {
            let _ = fs::remove_dir_all(&self.path);
            return;
        }
        for entry in fs::read_dir(&self.path).into_iter().flatten().flatten() {
            let path = entry.path();
            let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
        }
    }
}

/// Returns whether a name can be that of a file.
pub(crate) fn is_file_name(name: &str) -> bool {
    !name.is_empty() && !name.contains(['/', '\\', '\0'])
}

/// Makes any name a part of a path: bytes other than letters, digits, `_`, `-`, and `.` after the first, become `~` and
/// two hexadecimal digits.
pub(crate) fn plain(name: &str) -> String {
    let byte = |(at, &byte): (usize, &u8)| match byte {
        b'.' if at > 0 => ".".to_owned(),
        b'_' | b'-' => char::from(byte).to_string(),
        _ if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
        _ => format!("~{byte:02x}"),
    };
    let plain: String = name.as_bytes().iter().enumerate().map(byte).collect();
    if plain.is_empty() { "~".into() } else { plain }
}

/// An object whose keys keep their order. A key that occurs twice is refused.
#[derive(Debug)]
pub(crate) struct Entries<V>(pub(crate) Vec<(String, V)>);

impl<V> Entries<V> {
    pub(crate) fn get(&self, key: &str) -> Option<&V> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }
}

impl<V> Default for Entries<V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<V: Serialize> Serialize for Entries<V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

impl<'de, V: Deserialize<'de>> Deserialize<'de> for Entries<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(EntriesVisitor(PhantomData))
    }
}

struct EntriesVisitor<V>(PhantomData<V>);

impl<'de, V: Deserialize<'de>> Visitor<'de> for EntriesVisitor<V> {
    type Value = Entries<V>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut entries = Entries::default();
        let mut seen = HashSet::new();
        while let Some((key, value)) = map.next_entry::<String, V>()? {
            if !seen.insert(key.clone()) {
                return Err(serde::de::Error::custom(format!("{key:?} occurs twice")));
            }
            entries.0.push((key, value));
        }
        Ok(entries)
    }
}

/// Writes a file of JSON, which gets its name when it is complete.
pub(crate) fn write_json(path: &Path, value: &impl Serialize) -> Result<(), Error> {
    let text = serde_json::to_vec_pretty(value).map_err(|error| file_error(path)(error.into()))?;
    WholeFile::write(path, &text).map_err(file_error(path))
}

/// The length and CRC-32 of a file, by which a whole file is told from one that was cut short or damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileSum {
    pub(crate) bytes: u64,
    pub(crate) crc32: u32,
}

/// A writer that sums up what it writes.
pub(crate) struct Summing<W> {
    to: W,
    crc: crc32fast::Hasher,
    bytes: u64,
}

impl FileSum {
    /// Reads a file.
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        let mut summing = Summing::new(io::sink());
        io::copy(&mut BufReader::with_capacity(1 << 18, File::open(path)?), &mut summing)?;
        Ok(summing.sum())
    }
}

impl<W: Write> Summing<W> {
    pub(crate) fn new(to: W) -> Self {
        Self { to, crc: crc32fast::Hasher::new(), bytes: 0 }
    }

    /// The sum of what was written.
    pub(crate) fn sum(self) -> FileSum {
        FileSum { bytes: self.bytes, crc32: self.crc.finalize() }
    }
}

impl<W: Write> Write for Summing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.to.write(bytes)?;
        self.crc.update(&bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// Opens a file to read it. What is no file is an error: a pipe can be read once, and opening one waits for whoever
/// writes it.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    expect(path)?;
    File::open(path)
}

/// Errors if there is something, but no file.
pub(crate) fn expect(path: &Path) -> io::Result<()> {
    let about = fs::metadata(path)?;
    if about.is_file() {
        return Ok(());
    }
    let found = if about.is_dir() { "a folder" } else { "a pipe or a device" };
    Err(io::Error::new(io::ErrorKind::InvalidInput, format!("it is not a file, but {found}")))
}

#[cfg(test)]
mod tests {
    use super::{OutputFolder, TEMPORARY, lock, plain, temporary};
    use std::sync::Barrier;
    use std::{fs, thread};

    #[test]
    fn one_of_many_has_it_and_the_others_remove_nothing() {
        for existed in [false, true] {
            let root = tempfile::tempdir().expect("a folder");
            let path = root.path().join("parts");
            if existed {
                fs::create_dir(&path).expect("made");
            }
            let start = Barrier::new(8);
            let claim = || {
                start.wait();
                OutputFolder::claim(&path)
            };
            let claimed: Vec<_> = thread::scope(|scope| {
                let threads: Vec<_> = (0..8).map(|_| scope.spawn(claim)).collect();
                threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
            });
            let (mut winners, losers): (Vec<_>, Vec<_>) = claimed.into_iter().partition(Result::is_ok);
            assert_eq!((winners.len(), losers.len()), (1, 7));
            assert!(temporary(&path).is_dir());
            fs::write(path.join("a"), "1").expect("written");
            let message = losers[0].as_ref().expect_err("not claimed").to_string();
            assert!(message.starts_with("unfinished.tmp is in the folder: a run was killed here"), "{message}");
            assert!(OutputFolder::claim(&path).is_err());
            winners.remove(0).expect("claimed").keep();
            assert!(path.join("a").is_file() && !temporary(&path).exists());
            let message = OutputFolder::claim(&path).expect_err("not empty").to_string();
            assert_eq!(message, "the folder is not empty");
            assert!(path.join("a").is_file());
        }
    }

    #[test]
    fn what_is_not_kept_is_as_it_was() {
        let root = tempfile::tempdir().expect("a folder");
        for path in [root.path().join("new"), root.path().to_owned()] {
            let existed = path.exists();
            let folder = OutputFolder::claim(&path).expect("empty");
            fs::create_dir(path.join("part0")).expect("made");
            fs::write(path.join("a"), "1").expect("written");
            drop(folder);
            assert_eq!(path.exists(), existed);
            assert_eq!(fs::read_dir(root.path()).expect("a folder").count(), 0);
        }
    }

    #[test]
    fn names_are_parts_of_paths_and_stay_apart() {
        for (name, expected) in [
            ("paper", "paper"),
            ("_N", "_N"),
            ("a.b-1", "a.b-1"),
            ("..", "~2e."),
            ("a/b", "a~2fb"),
            ("~", "~7e"),
            ("", "~"),
        ] {
            assert_eq!(plain(name), expected);
        }
    }

    #[test]
    fn a_lock_ends_although_a_forked_process_has_its_file() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join(TEMPORARY)).unwrap();
        let first = lock(folder.path()).unwrap().expect("a file system with locks");
        let of_fork = first.0.try_clone().unwrap();
        assert!(lock(folder.path()).is_err());
        drop(first);
        assert!(lock(folder.path()).unwrap().is_some());
        drop(of_fork);
    }
}
