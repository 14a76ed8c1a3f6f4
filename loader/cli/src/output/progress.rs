//! Progress on a terminal; elsewhere nothing is shown. A spinner or bar vanishes when it is dropped.

use indicatif::{ProgressBar, ProgressStyle};
use std::time::Duration;

/// Turns while something is done whose end is not known.
pub(crate) fn spinner(message: &'static str) -> ProgressBar {
    let spinner = ProgressBar::new_spinner().with_message(message);
    spinner.enable_steady_tick(Duration::from_millis(100));
    spinner
}

/// Fills while `count` things are done.
pub(crate) fn bar(things: &str, count: usize) -> ProgressBar {
    let style = ProgressStyle::with_template(&format!("{{bar:30}} {{pos}}/{{len}} {things}"));
    ProgressBar::new(count as u64).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
