//! [`Spills`]: the temporary files of a rank's parts; [`Spill`]: what was sent for one part.

use graphpack_loader::Error;
use graphpack_loader::extend::file_error;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

/// The temporary files of a rank's parts. Rows are gathered in memory and appended part by part, so that many parts do
/// not mean many small appends.
pub(super) struct Spills {
    spills: Vec<Spill>,
    /// Bytes of memory that gathered rows take.
    gathered: usize,
    most_gathered: usize,
    /// How many files may stay open. Appends go round the parts, so these are the first ones.
    most_open: usize,
}

impl Spills {
    /// Rows take about `most_gathered` bytes in memory, and `most_open` files stay open.
    pub(super) fn new(paths: impl Iterator<Item = PathBuf>, most_gathered: usize, most_open: usize) -> Self {
        Self { spills: paths.map(Spill::new).collect(), gathered: 0, most_gathered, most_open }
    }

    /// Adds rows of a stream, whose range starts at `start`, to one of the parts. Returns false if there is no such
    /// part.
    pub(super) fn append(&mut self, part: usize, stream: usize, start: u64, rows: &[u8]) -> Result<bool, Error> {
        let Some(spill) = self.spills.get_mut(part) else { return Ok(false) };
        self.gathered += spill.gather(stream, start, rows);
        if self.gathered > self.most_gathered {
            self.write()?;
        }
        Ok(true)
    }

    fn write(&mut self) -> Result<(), Error> {
        let mut open = 0;
        for spill in &mut self.spills {
            open += usize::from(spill.write(open < self.most_open)?);
        }
        self.gathered = 0;
        Ok(())
    }

    /// Writes all that is gathered and closes all files. Returns what there is of each part.
    pub(super) fn finish(mut self) -> Result<Vec<Spill>, Error> {
        self.write()?;
        self.spills.iter_mut().for_each(Spill::close);
        Ok(self.spills)
    }
}

/// How many temporary files a process keeps open: a quarter of what the system lets it open (`RLIMIT_NOFILE`, usually
/// 1024), at most 1024.
pub(super) fn most_open() -> usize {
    const MOST: u64 = 1024;
    #[cfg(unix)]
    let allowed = rustix::process::getrlimit(rustix::process::Resource::Nofile).current.unwrap_or(4 * MOST);
    #[cfg(not(unix))]
    let allowed = 512;
    (allowed / 4).min(MOST) as usize
}

/// What was sent for one part: a stream of rows for each type of edges, for each feature, and for the original ids of
/// each type of nodes. Each stream is read in the original order, in whatever order its rows arrived. The last rows are
/// in memory until [`Spill::write`].
pub(super) struct Spill {
    path: PathBuf,
    file: Option<File>,
    /// Whether this run has created the file: rows are never appended to what another has left.
    created: bool,
    /// Rows that are not in the file yet.
    gathered: Vec<u8>,
    /// Number of bytes of all rows.
    bytes: u64,
    segments: Vec<Segment>,
}

struct Segment {
    stream: usize,
    /// Original position of the range that it is from.
    start: u64,
    offset: u64,
    bytes: u64,
}

/// Approximate number of bytes read at a time.
const BLOCK: usize = 1 << 20;

impl Spill {
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path, file: None, created: false, gathered: Vec::new(), bytes: 0, segments: Vec::new() }
    }

    /// Adds rows of a stream whose range starts at `start`. Returns the number of bytes of memory that this took.
    pub(super) fn gather(&mut self, stream: usize, start: u64, rows: &[u8]) -> usize {
        let before = self.gathered.capacity();
        self.gathered.extend_from_slice(rows);
        let bytes = rows.len() as u64;
        self.segments.push(Segment { stream, start, offset: self.bytes, bytes });
        self.bytes += bytes;
        self.gathered.capacity() - before
    }

    /// Appends the gathered rows to the file and frees their memory. The file stays open if it is or if `keep_open`;
    /// returns whether it does.
    pub(super) fn write(&mut self, keep_open: bool) -> Result<bool, Error> {
        if self.gathered.is_empty() {
            return Ok(self.file.is_some());
        }
        let open = self.file.is_some() || keep_open;
        let file = match self.file.take() {
            Some(file) => Ok(file),
            None => OpenOptions::new().create_new(!self.created).append(true).open(&self.path),
        };
        self.created |= file.is_ok();
        let gathered = std::mem::take(&mut self.gathered);
        let written = file.and_then(|mut file| file.write_all(&gathered).map(|()| file));
        self.file = Some(written.map_err(file_error(&self.path))?).filter(|_| open);
        Ok(open)
    }

    /// Closes the file.
    pub(super) fn close(&mut self) {
        self.file = None;
    }

    /// Number of bytes of a stream.
    pub(super) fn bytes(&self, stream: usize) -> u64 {
        self.segments.iter().filter(|segment| segment.stream == stream).map(|segment| segment.bytes).sum()
    }

    /// Reads all rows of a stream in order and passes whole rows of `row_bytes` bytes to `rows`, after the original
    /// position of the range that they are from.
    pub(super) fn read(
        &self,
        stream: usize,
        row_bytes: usize,
        mut rows: impl FnMut(u64, &[u8]) -> io::Result<()>,
    ) -> Result<(), Error> {
        let mut segments: Vec<&Segment> = self.segments.iter().filter(|segment| segment.stream == stream).collect();
        if segments.is_empty() {
            return Ok(());
        }
        segments.sort_unstable_by_key(|segment| segment.start);
        let mut buffer = vec![0; (BLOCK / row_bytes.max(1)).max(1) * row_bytes.max(1)];
        let read = || {
            let mut file = File::open(&self.path)?;
            for segment in segments {
                file.seek(SeekFrom::Start(segment.offset))?;
                let mut left = segment.bytes;
                while left > 0 {
                    let block = &mut buffer[..];
                    let now = left.min(block.len() as u64);
                    let block = &mut block[..now as usize];
                    file.read_exact(block)?;
                    rows(segment.start, block)?;
                    left -= now;
                }
            }
            Ok(())
        };
        read().map_err(file_error(&self.path))
    }

    /// Reads the number of 8 bytes at offset `at` of each row of a stream, in order.
    pub(super) fn numbers(&self, stream: usize, row_bytes: usize, at: usize) -> Result<Vec<i64>, Error> {
        let mut numbers = Vec::with_capacity((self.bytes(stream) / row_bytes.max(1) as u64) as usize);
        self.read(stream, row_bytes, |_, rows| {
            let wide = rows.chunks_exact(row_bytes).filter_map(|row| row[at..].first_chunk());
            numbers.extend(wide.map(|&bytes| i64::from_le_bytes(bytes)));
            Ok(())
        })?;
        Ok(numbers)
    }

    /// Removes the file, if it exists.
    pub(super) fn remove(self) -> Result<(), Error> {
        match fs::remove_file(&self.path) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => Err(file_error(&self.path)(source)),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Spills;
    use std::fs;

    /// Files of this process that are in the folder.
    #[cfg(target_os = "linux")]
    fn open_in(folder: &std::path::Path) -> usize {
        let links =
            fs::read_dir("/proc/self/fd").expect("Linux").flatten().filter_map(|fd| fs::read_link(fd.path()).ok());
        links.filter(|path| path.starts_with(folder)).count()
    }

    #[test]
    fn rows_come_back_in_order_with_any_memory_and_few_files_open() {
        const PARTS: usize = 40;
        for (memory, most_open) in [(0, 0), (0, 7), (500, 7), (1 << 20, 7), (500, 100)] {
            let folder = tempfile::tempdir().expect("a folder");
            let folder = folder.path().canonicalize().expect("it exists");
            let paths = (0..PARTS).map(|part| folder.join(part.to_string()));
            let mut spills = Spills::new(paths, memory, most_open);
            for range in [3, 1, 2, 0] {
                for part in 0..PARTS {
                    assert!(spills.append(part, 5, range, &[range as u8, part as u8]).expect("appended"));
                    assert!(spills.append(part, 6, range, &[9]).expect("appended"));
                    #[cfg(target_os = "linux")]
                    assert!(open_in(&folder) <= most_open.max(1));
                }
            }
            assert!(!spills.append(PARTS, 5, 0, &[]).expect("nothing to do"));
            for (part, spill) in spills.finish().expect("written").into_iter().enumerate() {
                #[cfg(target_os = "linux")]
                assert_eq!(open_in(&folder), 0);
                let mut rows = Vec::new();
                let read = |_, read: &[u8]| {
                    rows.extend_from_slice(read);
                    Ok(())
                };
                spill.read(5, 2, read).expect("read");
                assert_eq!(rows, [0, 1, 2, 3].map(|range| [range, part as u8]).concat());
                assert_eq!((spill.bytes(5), spill.bytes(6), spill.bytes(7)), (8, 4, 0));
                spill.remove().expect("removed");
            }
            assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 0);
        }
    }
}
