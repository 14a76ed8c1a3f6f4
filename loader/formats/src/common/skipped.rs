//! [`Skipped`]: what a reader passed over; [`says_none`]: what it does not pass over, since there is nothing.

/// What a reader passed over, one line each. Only the first are kept, so that a file of nothing else fits in memory.
#[cfg(any(feature = "sdf", feature = "smiles"))]
#[derive(Clone, Debug, Default)]
pub(crate) struct Skipped {
    lines: Vec<String>,
    more: u64,
}

#[cfg(any(feature = "sdf", feature = "smiles"))]
impl Skipped {
    const MOST: usize = 10_000;

    /// Adds a line.
    pub(crate) fn note(&mut self, line: String) {
        self.push(|| line);
    }

    /// Adds what stands at a place, and why it was passed over.
    pub(crate) fn add(&mut self, place: &str, what: &str, why: &dyn std::fmt::Display) {
        self.push(|| {
            let end = if what.chars().count() > 200 { "..." } else { "" };
            let what: String = what.chars().take(200).collect();
            format!("{place}: {what}{end}: {why}")
        });
    }

    fn push(&mut self, line: impl FnOnce() -> String) {
        if self.lines.len() < Self::MOST {
            self.lines.push(line());
            return;
        }
        self.lines.truncate(Self::MOST);
        self.more += 1;
        self.lines.push(format!("and {} more", self.more));
    }

    /// The lines.
    pub(crate) fn lines(&self) -> &[String] {
        &self.lines
    }
}

/// Whether a text says that there is no value: it is empty, or `nan`, `NA`, `N/A`, `null` or `None` in any case.
#[cfg(any(
    feature = "ase_db",
    feature = "aselmdb",
    feature = "hdf5",
    feature = "npz",
    feature = "sdf",
    feature = "smiles",
    feature = "targets",
    feature = "xyz"
))]
pub(crate) fn says_none(text: &str) -> bool {
    text.is_empty() || ["nan", "na", "n/a", "null", "none"].iter().any(|none| text.eq_ignore_ascii_case(none))
}
