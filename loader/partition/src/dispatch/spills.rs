//! [`Spills`]: the temporary files of a rank's parts.

use super::DispatchError;
use super::spill::Spill;
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
    pub(super) fn append(
        &mut self,
        part: usize,
        stream: usize,
        start: u64,
        rows: &[u8],
    ) -> Result<bool, DispatchError> {
        let Some(spill) = self.spills.get_mut(part) else { return Ok(false) };
        self.gathered += spill.gather(stream, start, rows);
        if self.gathered > self.most_gathered {
            self.write()?;
        }
        Ok(true)
    }

    fn write(&mut self) -> Result<(), DispatchError> {
        let mut open = 0;
        for spill in &mut self.spills {
            open += usize::from(spill.write(open < self.most_open)?);
        }
        self.gathered = 0;
        Ok(())
    }

    /// Writes all that is gathered and closes all files. Returns what there is of each part.
    pub(super) fn finish(mut self) -> Result<Vec<Spill>, DispatchError> {
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
