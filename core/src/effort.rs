//! [`Effort`]: how much work a packer may do, counted in steps instead of time.

/// A budget of elementary steps.
///
/// With a deadline, plans would depend on the machine and its load; a number of steps gives the same plan everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Effort {
    steps: u64,
}

/// Steps per second: half of those of the knapsack's inner loop on a core of 2020, as a margin for slower ones.
const STEPS_PER_SECOND: f64 = 2e9;

impl Effort {
    /// A number of elementary steps.
    pub const fn steps(steps: u64) -> Self {
        Self { steps }
    }

    /// The number of steps that a core of 2020 or later does within `seconds`. Negative numbers and NaN count as 0.
    pub fn seconds(seconds: f64) -> Self {
        // A cast from float to integer saturates.
        Self { steps: (seconds * STEPS_PER_SECOND) as u64 }
    }

    /// Takes `steps` out of the budget. False, and takes all that are left, if these are fewer.
    #[cfg(feature = "alloc")]
    pub(crate) fn spend(&mut self, steps: u64) -> bool {
        let left = self.steps.checked_sub(steps);
        self.steps = left.unwrap_or(0);
        left.is_some()
    }

    /// Takes `steps` out of the budget, or all that are left if these are fewer.
    #[cfg(feature = "alloc")]
    pub(crate) fn use_up(&mut self, steps: u64) {
        self.steps = self.steps.saturating_sub(steps);
    }

    /// Lets `work` spend at most a part of the steps that are left: one in `parts`.
    #[cfg(feature = "alloc")]
    pub(crate) fn share<T>(&mut self, parts: u64, work: impl FnOnce(&mut Self) -> T) -> T {
        let mut share = Self { steps: self.steps / parts.max(1) };
        self.steps -= share.steps;
        let done = work(&mut share);
        self.steps += share.steps;
        done
    }

    /// Number of steps left.
    #[cfg(feature = "alloc")]
    pub(crate) fn left(&self) -> u64 {
        self.steps
    }
}

/// One second.
impl Default for Effort {
    fn default() -> Self {
        Self::seconds(1.0)
    }
}
