//! Progress on a terminal; elsewhere nothing is shown. A spinner or bar vanishes when it is dropped.

use indicatif::{ProgressBar, ProgressStyle};
use std::time::Duration;

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
