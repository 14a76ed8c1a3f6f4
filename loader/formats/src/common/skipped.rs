//! [`Skipped`]: what a reader passed over.

/// What a reader passed over, one line each. Only the first are kept, so that a file of nothing else fits in memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Skipped {
    lines: Vec<String>,
    more: u64,
}

impl Skipped {
    const MOST: usize = 10_000;

    /// Adds a line.
    pub(crate) fn note(&mut self, line: String) {
        self.push(|| line);
    }

    /// Adds what stands at a place, and why it was passed over.
    #[cfg(any(feature = "sdf", feature = "smiles"))]
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
