//! [`Packer`]: the algorithms by name, with their options; [`Budget`]: how much work they may do.

use crate::Heuristic;
use core::fmt;

/// An algorithm that turns a histogram and limits into a plan.
///
/// | packer | for | from |
/// |---|---|---|
/// | [`Auto`](Self::Auto) | when in doubt: the best of best-fit, demand and columns, improved | |
/// | [`BestFit`](Self::BestFit) | any data set; mostly better than `FirstFit` | paper, section 2.4, with a true best fit |
/// | [`FirstFit`](Self::FirstFit) | packs that are filled more evenly | paper, section 2.4, last paragraph but one |
/// | [`Demand`](Self::Demand) | several limits that bind at once; close to the bound nearly everywhere | ours |
/// | [`Columns`](Self::Columns) | few sizes with large counts, small limits | Gilmore and Gomory 1961 |
/// | [`Published`](Self::Published) | comparing with the paper's figures | paper, listing 2, to the letter |
///
/// [`best_fit_by`](crate::best_fit_by) ranks sizes by a function of yours; [`baseline`](crate::baseline) has what the
/// paper compares packing with; [`stream::Window`](crate::stream::Window) packs graphs as they come. The work of a
/// packer depends on the number of distinct sizes and hardly on the number of graphs: it places many graphs of a size at
/// once, or repeats whole packs.
///
/// ```
/// use graphpack_core::{Budget, Histogram, Limits, Packer};
///
/// let histogram = Histogram::from_counts([([20, 40], 3), ([10, 22], 3)])?;
/// let plan = Packer::Auto(Budget::default()).pack(&histogram, &Limits::new([30, 64]))?;
/// assert_eq!(plan.packs(), plan.bound()); // no plan has fewer packs
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Packer {
    /// Each graph goes to the open pack with the least room left among those that can hold it: the paper's tuple
    /// longest-pack-first histogram-packing (section 2.4).
    BestFit(Heuristic),
    /// Each graph goes to the open pack with the most room left: the paper's tuple shortest-pack-first
    /// histogram-packing.
    FirstFit(Heuristic),
    /// Each pack is a small likeness of what is left to be packed, in the rows of all sets and the number of graphs.
    Demand,
    /// Begins with the plan of demand, solves the configuration program (how often to use each possible pack, in
    /// fractions) as far as the budget goes, and makes whole packs of it. Errors if the budget is too small to begin.
    Columns(Budget),
    /// Packs by best-fit by the product and by demand. Then improves the plan as far as the budget goes, by column
    /// generation and exchanges of graphs between packs, and returns the best one. More budget is never worse, unless
    /// it ends while demand packs thousands of sizes.
    Auto(Budget),
    /// Listing 2 of the paper with its peculiarities; gives the paper's pack counts.
    Published(Heuristic),
}

impl Packer {
    /// The version of the algorithms. Plans of one version are the same everywhere; those of another may have other
    /// packs for the same histogram, limits and packer, and the changelog says so. A saved plan keeps its packs.
    pub const VERSION: u32 = 1;

    /// Returns this packer with the weights of its heuristic for `sets` sets ([`Heuristic::resized`]).
    #[must_use]
    pub fn resized(&self, sets: usize) -> Self {
        match self {
            Self::BestFit(heuristic) => Self::BestFit(heuristic.resized(sets)),
            Self::FirstFit(heuristic) => Self::FirstFit(heuristic.resized(sets)),
            Self::Published(heuristic) => Self::Published(heuristic.resized(sets)),
            other => *other,
        }
    }
}

/// Writes `best_fit(product)`, `auto(2800000000 steps)`, `demand` and so on.
impl fmt::Display for Packer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BestFit(heuristic) => write!(f, "best_fit({heuristic})"),
            Self::FirstFit(heuristic) => write!(f, "first_fit({heuristic})"),
            Self::Demand => f.write_str("demand"),
            Self::Columns(budget) => write!(f, "columns({} steps)", budget.steps),
            Self::Auto(budget) => write!(f, "auto({} steps)", budget.steps),
            Self::Published(heuristic) => write!(f, "published({heuristic})"),
        }
    }
}

/// How much work a packer may do, in elementary steps.
///
/// With a deadline, plans would depend on the machine and its load; a number of steps gives the same plan everywhere.
///
/// ```
/// use graphpack_core::Budget;
///
/// // What a core does in about a second: always this number of steps.
/// assert_eq!(Budget::seconds(1.0), Budget::steps(2_800_000_000));
/// assert_eq!(Budget::default(), Budget::seconds(1.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Budget {
    steps: u64,
}

/// Steps per second. On the machine on which the costs of steps were measured, plans of up to 100,000 sizes that use up
/// a budget of one second took 0.9 to 1.5 seconds.
const STEPS_PER_SECOND: f64 = 2.8e9;

impl Budget {
    /// A number of elementary steps.
    pub const fn steps(steps: u64) -> Self {
        Self { steps }
    }

    /// The number of steps that a core of 2020 or later does within `seconds`. Negative numbers and NaN count as 0.
    pub fn seconds(seconds: f64) -> Self {
        // A cast from float to integer saturates.
        Self { steps: (seconds * STEPS_PER_SECOND) as u64 }
    }

    /// Takes `steps` out of the budget. None, and takes all that are left, if these are fewer.
    pub(crate) fn take(&mut self, steps: u64) -> Option<()> {
        let left = self.steps.checked_sub(steps);
        self.steps = left.unwrap_or(0);
        left.map(|_| ())
    }

    /// Takes `steps` out of the budget, or all that are left if these are fewer.
    pub(crate) fn use_up(&mut self, steps: u64) {
        self.steps = self.steps.saturating_sub(steps);
    }

    /// Number of steps left.
    pub(crate) fn left(&self) -> u64 {
        self.steps
    }
}

/// One second.
impl Default for Budget {
    fn default() -> Self {
        Self::seconds(1.0)
    }
}
