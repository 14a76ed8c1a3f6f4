//! [`WholeFile`]: a file written completely or not at all; [`create_part`]: what is not complete yet.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

/// A file that gets its name once it is complete, in place of the file that has the name before. Where the name is a
/// link, that is the file that it leads to.
///
/// Until [`finish`](Self::finish) it is in the same folder as `NAME.PROCESS-NUMBER.part`, a name that no other file
/// had. Dropped before, it is removed; only where the process is killed it stays.
///
/// ```
/// use graphpack_loader::store::WholeFile;
/// use std::io::Write;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("results.csv");
/// let whole = WholeFile::create(&path)?;
/// whole.file().write_all(b"graph,y")?;
/// assert!(!path.exists());
/// whole.finish()?;
/// assert!(path.exists());
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct WholeFile {
    file: File,
    part: PathBuf,
    path: PathBuf,
}

impl WholeFile {
    /// Begins the file `path`. Errors if that is a folder or a device, which a file must not replace.
    pub fn create(path: impl AsRef<Path>) -> io::Result<Self> {
        expect_file(path.as_ref())?;
        let path = without_links(path.as_ref());
        let (part, file) = create_part(&path, |part| File::create_new(part))?;
        Ok(Self { file, part, path })
    }

    /// Writes a file of these bytes.
    pub fn write(path: impl AsRef<Path>, bytes: &[u8]) -> io::Result<()> {
        let whole = Self::create(path)?;
        whole.file().write_all(bytes)?;
        whole.finish()
    }

    /// The file, at the place where it is written next.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// The name that the file has for now.
    pub fn part(&self) -> &Path {
        &self.part
    }

    /// Gives the file its name, once all of it is on the disk: otherwise a power cut may leave an empty file of this
    /// name.
    pub fn finish(mut self) -> io::Result<()> {
        self.file.sync_all()?;
        fs::rename(&self.part, &self.path)?;
        self.part = PathBuf::new();
        Ok(())
    }
}

impl Drop for WholeFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.part);
    }
}

/// Errors if `path` is there, but is no file.
pub(crate) fn expect_file(path: &Path) -> io::Result<()> {
    let Some(found) = fs::metadata(path).ok().filter(|found| !found.is_file()) else { return Ok(()) };
    let found = if found.is_dir() { "a folder" } else { "a device or a pipe" };
    let message = format!("expected a file, or nothing, to be replaced, found {found}");
    Err(io::Error::new(io::ErrorKind::InvalidInput, message))
}

/// Returns the file that `path` leads to if it is a link, even if that does not exist yet; otherwise `path`.
pub(crate) fn without_links(path: &Path) -> PathBuf {
    let mut path: PathBuf = path.components().collect();
    // As many as Linux follows.
    for _ in 0..40 {
        let Ok(to) = fs::read_link(&path) else { break };
        path.pop();
        path.push(to);
    }
    path
}

/// Calls `create` with a name beside `path` for what will be complete later, until it is one that nothing has: another
/// process may write the same file, and may have left something.
pub(crate) fn create_part<T>(path: &Path, create: impl Fn(&Path) -> io::Result<T>) -> io::Result<(PathBuf, T)> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let nameless = || io::Error::new(io::ErrorKind::InvalidInput, "expected a path that ends with a name");
    let name = path.file_name().ok_or_else(nameless)?;
    loop {
        let mut part = OsString::from(name);
        part.push(format!(".{}-{}.part", process::id(), NUMBER.fetch_add(1, Ordering::Relaxed)));
        let part = path.with_file_name(part);
        match create(&part) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            created => return created.map(|created| (part, created)),
        }
    }
}
