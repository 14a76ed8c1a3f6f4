//! [`print`]: results on standard output, and nothing else there; [`write()`]: a file of results; progress on a
//! terminal, which vanishes when it is dropped.

use graphpack_loader::store::WholeFile;
use graphpack_partition::dgl::not_served;
use indicatif::{ProgressBar, ProgressStyle};
use std::error::Error;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;

/// What every subcommand returns.
pub(crate) type Outcome = Result<(), Box<dyn Error>>;

/// Where results go after [`keep_to_results`].
static RESULTS: OnceLock<File> = OnceLock::new();

/// Results that cannot be printed.
#[derive(Debug)]
pub(crate) struct PrintError(io::Error);

impl fmt::Display for PrintError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "standard output: {}", self.0)
    }
}

impl Error for PrintError {}

impl PrintError {
    /// Whether nobody reads any more, as after `| head`.
    pub(crate) fn is_broken_pipe(&self) -> bool {
        self.0.kind() == io::ErrorKind::BrokenPipe
    }
}

/// Prints one or more lines.
pub(crate) fn print(text: impl fmt::Display) -> Result<(), PrintError> {
    let text = format!("{text}\n");
    let written = match RESULTS.get() {
        Some(mut results) => results.write_all(text.as_bytes()),
        None => io::stdout().write_all(text.as_bytes()),
    };
    written.map_err(PrintError)
}

/// Says something beside the results on standard error, if that can be written to.
pub(crate) fn remark(text: impl fmt::Display) {
    let _ = writeln!(io::stderr(), "graphpack: {text}");
}

/// Says what keeps DGL's servers from opening a partition, given its JSON file.
pub(crate) fn remark_not_served(config: &Path) -> Result<(), graphpack_loader::Error> {
    let lines = not_served(config)?;
    lines.iter().for_each(|line| remark(format_args!("{}: DGL's servers do not open it: {line}", config.display())));
    Ok(())
}

/// Says how many records are left out, if some are.
pub(crate) fn left_out(failed: u64) -> Option<String> {
    let are = if failed == 1 { "record that cannot be read is" } else { "records that cannot be read are" };
    (failed > 0).then(|| format!("{failed} {are} left out"))
}

/// Says on standard error what was passed over in a file, of which `failed` records were left out, if that can be
/// written to.
pub(crate) fn note(path: &Path, skipped: &[String], failed: u64) {
    let path = path.display();
    skipped.iter().take(10).for_each(|line| drop(writeln!(io::stderr(), "{path}: {line}")));
    if skipped.len() > 10 {
        let list = if failed > 0 { "convert --on-error skip" } else { "inspect --format json" };
        let _ = writeln!(io::stderr(), "{path}: and {} more notes, which {list} lists", skipped.len() - 10);
    }
}

/// Keeps everything but results off standard output, as far as the system allows: METIS prints lines about small graphs
/// there, which scripts cannot read.
#[cfg(unix)]
pub(crate) fn keep_to_results() {
    use std::os::fd::AsFd;
    let own = io::stdout().as_fd().try_clone_to_owned();
    let nowhere = File::options().write(true).open("/dev/null");
    if let (Ok(own), Ok(nowhere)) = (own, nowhere)
        && rustix::stdio::dup2_stdout(nowhere).is_ok()
    {
        // Fails only where it was set before.
        let _ = RESULTS.set(own.into());
    }
}

/// Without file descriptors, results share standard output with everything else.
#[cfg(not(unix))]
pub(crate) fn keep_to_results() {}

/// Writes a file completely or not at all. What is no regular file, such as a pipe, is written as it is.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Outcome {
    let is_special = fs::metadata(path).is_ok_and(|found| !found.is_file());
    let written = if is_special { fs::write(path, bytes) } else { WholeFile::write(path, bytes) };
    Ok(written.map_err(|error| format!("{}: {error}", path.display()))?)
}

/// Steps of a bar of shares.
const SHARES: u64 = 10_000;

/// Turns while something is done whose end is not known.
pub(crate) fn spinner(message: &'static str) -> ProgressBar {
    let spinner = ProgressBar::new_spinner().with_message(message);
    spinner.enable_steady_tick(Duration::from_millis(100));
    spinner
}

/// Fills while files are read, as far as they say how much there is, and counts graphs.
pub(crate) fn graphs() -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30} {percent:>3} %  {msg}, {eta} left");
    ProgressBar::new(SHARES).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// Moves a bar of [`graphs`].
pub(crate) fn graphs_read(bar: &ProgressBar, graphs: u64, share: Option<f64>) {
    let rate = graphs as f64 / bar.elapsed().as_secs_f64().max(1e-3);
    bar.set_message(format!("{graphs} graphs, {rate:.0}/s"));
    share.inspect(|share| bar.set_position((share * SHARES as f64) as u64));
}

/// Fills while `count` things are done.
pub(crate) fn bar(things: &str, count: usize) -> ProgressBar {
    let style = ProgressStyle::with_template(&format!("{{bar:30}} {{pos}}/{{len}} {things}"));
    ProgressBar::new(count as u64).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
