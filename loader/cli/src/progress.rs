//! Progress on a terminal.

use indicatif::{ProgressBar, ProgressStyle};
use std::time::Duration;

/// Turns on a terminal, is not there elsewhere.
pub(crate) fn spinner(message: &'static str) -> ProgressBar {
    let spinner = ProgressBar::new_spinner().with_message(message);
    spinner.enable_steady_tick(Duration::from_millis(100));
    spinner
}

/// Likewise, of so many things.
pub(crate) fn bar(things: &str, count: u64) -> ProgressBar {
    let style = ProgressStyle::with_template(&format!("{{bar:30}} {{pos}}/{{len}} {things}"));
    ProgressBar::new(count).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
