//! [`Convert`]: files of any format, written into one store.

use super::{Change, FileFormat, Pieces, ReadOptions};
use crate::FormatError;
use crate::common::Units;
use crate::gather::Fields;
use graphpack_loader::extend::{Cause, panic_message};
use graphpack_loader::store::StoreWriter;
use graphpack_loader::{Error, ErrorKind, Store};
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::{io, thread};

/// Pieces of a file that wait to be written.
const WAITING: usize = 2;

/// How files of any format become one store. Dtypes that differ become the widest, as a [`StoreWriter`] joins them, and
/// units of length, energy, force and stress that of the first file that states one.
///
/// ```no_run
/// use graphpack_formats::Convert;
/// use graphpack_loader::store::StoreWriter;
///
/// let mut writer = StoreWriter::create("all.safetensors")?;
/// Convert::default().run(&["a.extxyz".into(), "b.db".into()], &mut writer, |progress| println!("{progress:?}"))?;
/// writer.finish()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Default)]
pub struct Convert<'a> {
    /// The fields of the store.
    pub fields: Fields,
    /// How files are read.
    pub options: ReadOptions,
    /// The format of all files; otherwise that of each is recognised.
    pub format: Option<FileFormat>,
    /// A csv file with a row for each graph of the only file, and those of its columns that become fields.
    #[cfg(feature = "readers")]
    pub targets: Option<(PathBuf, Vec<String>)>,
    /// Files that are read at once; at least 1. The order of graphs is always that of the files.
    pub threads: usize,
    /// Changes each piece before it is written, on the thread that reads it: edges between atoms.
    pub change: Option<&'a Change<'a>>,
}

#[derive(Debug, thiserror::Error)]
#[error("cannot start a thread that reads files: {0}")]
struct NoThread(#[source] io::Error);

impl Cause for NoThread {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Load
    }
}

/// How far a conversion is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Graphs that are written.
    pub graphs: u64,
    /// The share of all files that is read, from 0 to 1; none where a file does not say how much there is.
    pub share: Option<f64>,
}

/// What files had.
#[derive(Debug, Default)]
pub struct Converted {
    /// Number of graphs.
    pub graphs: u64,
    /// What was passed over and why, which numbers were converted and which units lost, one line each, with its file.
    pub skipped: Vec<String>,
    /// Number of records that could not be read and were left out, which are listed, too.
    pub failed: u64,
}

enum Message {
    Piece(Store, (u64, Option<u64>)),
    End { seen: BTreeSet<String>, skipped: Vec<String>, failed: u64 },
}

type Sent = Result<Message, Error>;

impl Convert<'_> {
    /// Reads `paths` and writes all their graphs. `progress` is called after every few thousand graphs.
    pub fn run(
        &self,
        paths: &[PathBuf],
        writer: &mut StoreWriter,
        mut progress: impl FnMut(Progress),
    ) -> Result<Converted, Error> {
        #[cfg(feature = "readers")]
        if let (Some((csv, _)), [first, _, ..]) = (&self.targets, paths) {
            let (expected, found) = (format!("one file for {}", csv.display()), format!("{} files", paths.len()));
            return Err(FormatError::wrong(first, "targets", expected, found));
        }
        let (senders, receivers): (Vec<_>, Vec<_>) = paths.iter().map(|_| sync_channel(WAITING)).unzip();
        let senders: Vec<Mutex<Option<SyncSender<Sent>>>> =
            senders.into_iter().map(|sender| Mutex::new(Some(sender))).collect();
        let next = AtomicUsize::new(0);
        // Files are begun in their order, so the one whose graphs are next is always being read.
        let work = || {
            loop {
                let file = next.fetch_add(1, Ordering::Relaxed);
                let (Some(path), Some(sender)) = (paths.get(file), senders.get(file)) else { return };
                let sender = sender.lock().unwrap_or_else(PoisonError::into_inner).take();
                let Some(sender) = sender else { return };
                let read = catch_unwind(AssertUnwindSafe(|| self.read(path, &sender)));
                let panicked =
                    |text| FormatError::wrong(path, "", "a file that can be read", format!("a panic: {text}"));
                match read.unwrap_or_else(|panic| Err(panicked(panic_message(&*panic)))) {
                    Ok(true) => {}
                    Ok(false) => return,
                    Err(error) => {
                        let _ = sender.send(Err(error));
                        return;
                    }
                }
            }
        };
        thread::scope(|scope| {
            let mut begun = 0;
            while begun < self.threads.clamp(1, paths.len().max(1)) {
                match thread::Builder::new().spawn_scoped(scope, work) {
                    Ok(_) => begun += 1,
                    Err(_) if begun > 0 => break,
                    Err(source) => return Err(NoThread(source).into()),
                }
            }
            let mut written = Written { paths, ..Written::default() };
            for (path, receiver) in paths.iter().zip(receivers) {
                written.write(path, &receiver, writer, &mut progress)?;
            }
            self.fields.check(paths.first().map_or(Path::new(""), |path| path), &written.seen)?;
            Ok(written.converted)
        })
    }

    /// Reads a file to its end; returns false if nobody waits for it.
    fn read(&self, path: &Path, sender: &SyncSender<Sent>) -> Result<bool, Error> {
        let format = self.options.format(path, self.format)?;
        let mut pieces = Pieces::with(path, format, &self.fields, &self.options)?.among_others();
        #[cfg(feature = "readers")]
        if let Some((csv, columns)) = &self.targets {
            pieces = pieces.with_targets(csv, columns)?;
        }
        while let Some(piece) = pieces.next().transpose()? {
            let changed = match self.change {
                Some(change) => pieces.changed(piece, change)?,
                None => vec![piece],
            };
            for piece in changed {
                if sender.send(Ok(Message::Piece(piece, pieces.progress()))).is_err() {
                    return Ok(false);
                }
            }
        }
        let (seen, skipped, failed) = (pieces.seen(), pieces.skipped(), pieces.failed());
        Ok(sender.send(Ok(Message::End { seen, skipped, failed })).is_ok())
    }
}

/// What is written.
#[derive(Default)]
struct Written<'a> {
    paths: &'a [PathBuf],
    /// Graphs in the store after each file that is written.
    ends: Vec<u64>,
    converted: Converted,
    seen: BTreeSet<String>,
    units: Units,
}

impl Written<'_> {
    /// Writes the next file, to its end.
    fn write(
        &mut self,
        path: &Path,
        receiver: &Receiver<Sent>,
        writer: &mut StoreWriter,
        progress: &mut impl FnMut(Progress),
    ) -> Result<(), Error> {
        loop {
            let message = receiver
                .recv()
                .unwrap_or_else(|_| Err(FormatError::wrong(path, "", "to be read to its end", "no more graphs")));
            let converted = &mut self.converted;
            match message? {
                Message::Piece(piece, (done, all)) => {
                    let piece = self.units.unite(path, piece, &mut converted.skipped)?;
                    writer.push(&piece).map_err(|error| self.named(path, error))?;
                    self.converted.graphs += piece.len() as u64;
                    let share = all.map(|all| (done as f64 / all.max(1) as f64).min(1.0));
                    let share = share.map(|share| (self.ends.len() as f64 + share) / self.paths.len() as f64);
                    progress(Progress { graphs: self.converted.graphs, share });
                }
                Message::End { seen, skipped, failed } => {
                    self.seen.extend(seen);
                    converted.failed += failed;
                    let path = path.display();
                    converted.skipped.extend(skipped.iter().map(|line| format!("{path}: {line}")));
                    let lost = self.units.lost(writer.schema().fields());
                    if !lost.is_empty() {
                        let why = "have no unit in the store, since only some graphs up to here state one";
                        converted.skipped.push(format!("{path}: {} {why}", lost.join(", ")));
                    }
                    self.ends.push(writer.len() as u64);
                    return Ok(());
                }
            }
        }
    }

    /// The error of graphs that cannot be written, with their file and that of the graphs that they contradict.
    fn named(&self, path: &Path, error: Error) -> Error {
        let Some(source) = error.get_ref().filter(|_| error.kind() == ErrorKind::Data) else { return error };
        let before = error.graph().and_then(|graph| self.paths.get(self.ends.iter().position(|end| graph < *end)?));
        let before = before.map(|before| format!(" (before: {})", before.display())).unwrap_or_default();
        FormatError::wrong(path, "", "graphs like those before", format!("{source}{before}"))
    }
}
