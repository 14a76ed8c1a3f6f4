//! [`ZipFiles`]: the files in an archive, several of which may be read at once.

use super::{FormatError, ReadError, is_of_macos};
use flate2::Crc;
use flate2::read::DeflateDecoder;
use graphpack_loader::Error;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use zip::result::ZipError;
use zip::{CompressionMethod, ZipArchive};

/// The files in an archive, several of which may be read at once.
pub(crate) struct ZipFiles {
    path: PathBuf,
    archive: ZipArchive<BufReader<File>>,
}

/// A file in an archive, whose length and checksum are compared at its end.
struct Member {
    from: Box<dyn Read + Send>,
    sum: Crc,
    expected: u32,
    left: u64,
}

impl ZipFiles {
    /// Opens an archive.
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        let file = BufReader::new(File::open(path).map_err(|error| ReadError::open(path, error))?);
        let archive = ZipArchive::new(file).map_err(|error| damaged(path, &error))?;
        Ok(Self { path: path.to_owned(), archive })
    }

    /// The names of the files, but for macOS's beside others.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.archive.file_names().filter(|name| !is_of_macos(name))
    }

    /// Opens a file; `None` if it is not there.
    pub(crate) fn file(&mut self, name: &str) -> Result<Option<Box<dyn Read + Send>>, Error> {
        let inside = self.path.join(name);
        let file = match self.archive.by_name(name) {
            Ok(file) => file,
            Err(ZipError::FileNotFound) => return Ok(None),
            Err(error) => return Err(damaged(&inside, &error)),
        };
        let missing = || FormatError::wrong(&inside, "", "a file of a zip archive", "no contents");
        let (start, method) = (file.data_start().ok_or_else(missing)?, file.compression());
        let (compressed, left, expected) = (file.compressed_size(), file.size(), file.crc32());
        let open = || -> io::Result<_> {
            let mut file = File::open(&self.path)?;
            file.seek(SeekFrom::Start(start))?;
            Ok(BufReader::new(file).take(compressed))
        };
        let raw = open().map_err(|error| ReadError::open(&inside, error))?;
        let from: Box<dyn Read + Send> = match method {
            CompressionMethod::Stored => Box::new(raw),
            CompressionMethod::Deflated => Box::new(DeflateDecoder::new(raw)),
            other => {
                return Err(FormatError::wrong(inside, "", "a file that is stored or deflated", other.to_string()));
            }
        };
        Ok(Some(Box::new(Member { from, sum: Crc::new(), expected, left })))
    }
}

impl Read for Member {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let damaged = |what| io::Error::new(io::ErrorKind::UnexpectedEof, what);
        let read = self.from.read(to)?;
        self.sum.update(&to[..read]);
        self.left = self.left.checked_sub(read as u64).ok_or_else(|| damaged("longer than the archive says"))?;
        if read == 0 && !to.is_empty() {
            if self.left > 0 {
                return Err(damaged("shorter than the archive says"));
            }
            if self.sum.sum() != self.expected {
                return Err(damaged("the checksum of the archive is another"));
            }
        }
        Ok(read)
    }
}

fn damaged(path: &Path, error: &ZipError) -> Error {
    FormatError::wrong(path, "", "a sound zip archive", error.to_string())
}
