//! [`Progress`]: how far the programs of a histogram have come.

use super::program::{Program, Solution};
use crate::FixedLimits;
use crate::packer::Effort;
use crate::packer::problem::{Counts, Packs};
use alloc::vec::Vec;

/// What earlier attempts on the same histogram have found, where the next one begins.
#[derive(Default)]
pub(crate) struct Progress<const K: usize> {
    /// The program of each component, while that is not solved to its end.
    pub(super) projected: Vec<Projected>,
    /// The program of all components.
    pub(super) whole: Option<Program<K>>,
    /// Whether its fractions were rounded in all ways.
    pub(super) is_rounded: bool,
}

/// Packs and prices of a program that began earlier, and whether it is solved.
#[derive(Default)]
pub(super) struct Projected {
    pub(super) packs: Vec<Vec<(u32, u32)>>,
    pub(super) prices: Vec<(u32, f64)>,
    pub(super) is_solved: bool,
}

impl<const K: usize> Progress<K> {
    /// Whether all is done, so that another attempt finds nothing more.
    pub(crate) fn is_solved(&self) -> bool {
        self.is_rounded && self.whole.as_ref().is_some_and(Program::is_solved)
    }

    /// Goes on with the program, also from the packs of `start`. None if the effort is too small to begin.
    pub(super) fn solve(
        &mut self,
        histogram: &Counts<K>,
        limits: &FixedLimits<K>,
        start: &Packs,
        effort: &mut Effort,
    ) -> Option<Solution> {
        if self.whole.is_none() {
            self.whole = Program::new(histogram, limits, &[], effort);
        }
        let program = self.whole.as_mut()?;
        program.add(start.iter().map(|(contents, _)| contents), effort);
        program.run(effort);
        program.solution()
    }
}
