//! Files that may be compressed, which their first bytes say: gzip, and with the feature `compression` bzip2, xz and
//! Zstandard.

use super::ReadError;
use flate2::bufread::MultiGzDecoder;
use graphpack_loader::Error;
#[cfg(feature = "compression")]
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
#[cfg(feature = "compression")]
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Opens a file, decompressing it if it is compressed.
pub fn open(path: &Path) -> Result<Box<dyn Read + Send>, Error> {
    Ok(open_counted(path)?.0)
}

/// Opens a file, decompressing it if it is compressed; also returns how many of its bytes were read so far.
pub(crate) fn open_counted(path: &Path) -> Result<(Box<dyn Read + Send>, Arc<AtomicU64>), Error> {
    let wrong = |source| ReadError::open(path, source);
    let file = File::open(path).map_err(wrong)?;
    let count = Arc::new(AtomicU64::new(0));
    let mut file = BufReader::new(Counted { file, count: count.clone() });
    let start = file.fill_buf().map_err(wrong)?;
    let extension = path.extension().unwrap_or_default();
    let reader: Box<dyn Read + Send> = match Compression::of(start) {
        Some(compression) => compression.decompress(file).map_err(wrong)?,
        None => match Compression::ALL.iter().find(|compression| extension == compression.extension()) {
            Some(named) => return Err(wrong(named.damaged("its first bytes are others"))),
            None => Box::new(file),
        },
    };
    Ok((reader, count))
}

/// Returns `path` if there is such a file, else `path` without its `.gz` if that is there, else `path`.
pub fn existing(path: &Path) -> PathBuf {
    let plain = path.with_extension("");
    let is_compressed = path.extension().is_some_and(|extension| extension == "gz");
    if is_compressed && !path.exists() && plain.exists() { plain } else { path.to_owned() }
}

/// Errors unless `path` is a file or a folder: a pipe would be waited for, and can be read but once.
pub(crate) fn expect_file(path: &Path) -> Result<(), Error> {
    let metadata = fs::metadata(path).map_err(|source| ReadError::open(path, source))?;
    if metadata.is_file() || metadata.is_dir() {
        return Ok(());
    }
    let found = "expected a file or a folder, which can be read more than once, found a pipe or a device";
    Err(ReadError::open(path, io::Error::new(io::ErrorKind::InvalidInput, found)))
}

/// What is in a folder, in alphabetical order, but for macOS's files beside others.
pub(crate) fn file_names(folder: &Path) -> io::Result<Vec<String>> {
    let names = fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
    let mut names = names.collect::<io::Result<Vec<_>>>()?;
    names.retain(|name| !is_of_macos(name));
    names.sort_unstable();
    Ok(names)
}

/// Whether a file is one that macOS writes beside `NAME`, in `._NAME`, in folders and archives.
pub(crate) fn is_of_macos(name: &str) -> bool {
    name.rsplit('/').next().is_some_and(|name| name.starts_with("._"))
}

/// How a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compression {
    Gzip,
    Bzip2,
    Xz,
    Zstandard,
}

impl Compression {
    const ALL: [Self; 4] = [Self::Gzip, Self::Bzip2, Self::Xz, Self::Zstandard];

    /// What the first bytes of a file say.
    pub(crate) fn of(start: &[u8]) -> Option<Self> {
        let is = |compression: &Self| match compression {
            Self::Gzip => start.starts_with(b"\x1f\x8b"),
            // The block size, and the beginning of a block or of the end.
            Self::Bzip2 => start.starts_with(b"BZh") && start.get(4).is_some_and(|at| [b'1', 0x17].contains(at)),
            Self::Xz => start.starts_with(b"\xfd7zXZ\0"),
            // A frame, or one that is passed over, with which parallel writers begin.
            Self::Zstandard => match start {
                [0x28, 0xb5, 0x2f, 0xfd, ..] => true,
                [first, 0x2a, 0x4d, 0x18, ..] => first & 0xf0 == 0x50,
                _ => false,
            },
        };
        Self::ALL.into_iter().find(is)
    }

    /// The content of a compressed file.
    pub(crate) fn decompress<'a>(self, from: impl BufRead + Send + 'a) -> io::Result<Box<dyn Read + Send + 'a>> {
        let reader: Box<dyn Read + Send + 'a> = match self {
            Self::Gzip => Box::new(MultiGzDecoder::new(from)),
            #[cfg(feature = "compression")]
            Self::Bzip2 => Box::new(bzip2::bufread::MultiBzDecoder::new(from)),
            #[cfg(feature = "compression")]
            Self::Xz => Box::new(lzma_rust2::XzReader::new(from, true)),
            #[cfg(feature = "compression")]
            Self::Zstandard => Box::new(Frames { from, decoder: FrameDecoder::new(), is_within: false }),
            #[cfg(not(feature = "compression"))]
            _ => {
                let found = format!("files of {} are read with the feature compression", self.name());
                return Err(io::Error::new(io::ErrorKind::Unsupported, found));
            }
        };
        Ok(Box::new(Decompressed { reader, compression: self }))
    }

    /// What the names of files end in that end as one of `plain`, compressed or not.
    pub(crate) fn endings(plain: &[&str]) -> Vec<String> {
        let compressed = |plain: &&str| Self::ALL.map(|of| format!("{plain}.{}", of.extension()));
        plain.iter().flat_map(|plain| [plain.to_string()].into_iter().chain(compressed(plain))).collect()
    }

    /// Whether a file is called so, in any case, compressed or not.
    pub(crate) fn ends(path: &Path, plain: &str) -> bool {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        Self::endings(&[plain]).iter().any(|ending| name.ends_with(ending))
    }

    fn extension(self) -> &'static str {
        match self {
            Self::Gzip => "gz",
            Self::Bzip2 => "bz2",
            Self::Xz => "xz",
            Self::Zstandard => "zst",
        }
    }

    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Bzip2 => "bzip2",
            Self::Xz => "xz",
            Self::Zstandard => "Zstandard",
        }
    }

    fn damaged(self, why: &str) -> io::Error {
        let text = format!("the file is truncated, damaged or not {} ({why})", self.name());
        io::Error::new(io::ErrorKind::InvalidInput, text)
    }
}

/// A file and how many bytes of it were read.
struct Counted {
    file: File,
    count: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let bytes = self.file.read(to)?;
        self.count.fetch_add(bytes as u64, Ordering::Relaxed);
        Ok(bytes)
    }
}

/// A compressed file, whose errors say what they mean.
struct Decompressed<R> {
    reader: R,
    compression: Compression,
}

impl<R: Read> Read for Decompressed<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        self.reader.read(to).map_err(|error| match error.raw_os_error() {
            Some(_) => error,
            None => io::Error::new(error.kind(), self.compression.damaged(&error.to_string())),
        })
    }
}

/// The frames of a file of Zstandard, one after the other: a decoder ends after the first, and compares no checksums.
#[cfg(feature = "compression")]
struct Frames<R> {
    from: R,
    decoder: FrameDecoder,
    /// Whether a frame was begun and not yet read to its end.
    is_within: bool,
}

#[cfg(feature = "compression")]
impl<R: BufRead> Frames<R> {
    /// Begins the next frame, or passes over one that has no content.
    fn begin(&mut self) -> io::Result<()> {
        match self.decoder.init(&mut self.from) {
            Ok(()) => self.is_within = true,
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                let length = u64::from(length);
                if io::copy(&mut self.from.by_ref().take(length), &mut io::sink())? < length {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
            }
            Err(error) => return Err(io::Error::new(io::ErrorKind::InvalidData, error.to_string())),
        }
        Ok(())
    }

    /// Ends a frame: its content must have the checksum that the frame has, if any.
    fn end(&mut self) -> io::Result<()> {
        self.is_within = false;
        let expected = self.decoder.get_checksum_from_data();
        if expected.is_some() && expected != self.decoder.get_calculated_checksum() {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "its content has another checksum"));
        }
        Ok(())
    }
}

#[cfg(feature = "compression")]
impl<R: BufRead> Read for Frames<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        loop {
            if self.is_within {
                while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                    let blocks = BlockDecodingStrategy::UptoBlocks(1);
                    self.decoder.decode_blocks(&mut self.from, blocks).map_err(io::Error::other)?;
                }
                let bytes = self.decoder.read(to)?;
                if bytes > 0 || to.is_empty() {
                    return Ok(bytes);
                }
                self.end()?;
            }
            if self.from.fill_buf()?.is_empty() {
                return Ok(0);
            }
            self.begin()?;
        }
    }
}
