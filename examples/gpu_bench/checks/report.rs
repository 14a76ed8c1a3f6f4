//! [`Report`]: runs checks, and prints a line for each.

use crate::{Outcome, brief, caught};
use serde_json::{Value, json};

/// Runs checks, and prints a line for each.
pub(super) struct Report<'a> {
    device: &'a str,
    only: &'a [String],
    done: usize,
    failed: usize,
}

impl<'a> Report<'a> {
    /// Checks on a device; if `only` has texts, those whose name contains one of them.
    pub(super) fn new(device: &'a str, only: &'a [String]) -> Self {
        Self { device, only, done: 0, failed: 0 }
    }

    /// Runs a check.
    pub(super) fn check(&mut self, name: &str, run: impl FnOnce() -> Outcome<Value>) {
        if !self.only.is_empty() && !self.only.iter().any(|text| name.contains(text)) {
            return;
        }
        self.done += 1;
        self.failed += usize::from(!write(name, self.device, &caught(run)));
    }

    /// An error if a check failed, or if there was none.
    pub(super) fn finish(self) -> Outcome {
        match self.failed {
            0 if self.done == 0 => Err(format!("no check's name contains one of {:?}", self.only).into()),
            0 => Ok(()),
            failed => Err(format!("{failed} of {} checks failed", self.done).into()),
        }
    }
}

/// Prints the line of a check; returns whether it succeeded.
pub(super) fn write(name: &str, device: &str, result: &Outcome<Value>) -> bool {
    let found = match result {
        Ok(found) => found.clone(),
        Err(error) => json!(brief(&**error)),
    };
    println!("{}", json!({ "check": name, "device": device, "ok": result.is_ok(), "found": found }));
    result.is_ok()
}
