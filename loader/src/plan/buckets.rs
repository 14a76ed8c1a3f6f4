//! [`Buckets`]: which graphs are packed under which limits.

use super::Sizes;
use crate::error::BuildError;
use crate::options::Limits;
use std::collections::HashMap;

/// Which graphs are packed under which limits: all under the same, or each class of sizes under its own.
pub(crate) struct Buckets {
    limits: Vec<Limits>,
    /// The bucket of each distinct size; empty if there is one bucket.
    of: Vec<u8>,
}

impl Buckets {
    /// Returns the one bucket of all graphs.
    pub(super) fn one(limits: Limits) -> Self {
        Self { limits: vec![limits], of: Vec::new() }
    }

    /// Searches for at most `shapes` buckets, whose packs have at most an eighth more than `graphs` graphs.
    pub(super) fn search(sizes: &Sizes, shapes: u8, graphs: u32) -> Result<Self, BuildError> {
        let histogram = sizes.histogram(&sizes.counts(&(0..sizes.graphs() as u32).collect::<Vec<_>>()));
        let rows = histogram.totals().into_iter().sum::<u128>();
        let mut options = graphpack_core::Buckets::new(shapes.into(), graphs.saturating_add(graphs / 8));
        options.per_shape = u64::try_from(rows / 100).unwrap_or(u64::MAX);
        let found = options.search(&histogram).map_err(|error| BuildError::Pack(error.into()))?;
        let mut of = HashMap::new();
        for (bucket, found) in found.iter().enumerate() {
            of.extend(found.histogram.entries().iter().map(|(size, _)| (*size, bucket as u8)));
        }
        Ok(Self {
            limits: found.iter().map(|bucket| bucket.limits).collect(),
            of: sizes.distinct().iter().map(|size| of.get(size).copied().unwrap_or(0)).collect(),
        })
    }

    /// The limits of each bucket, the largest last.
    pub(crate) fn limits(&self) -> &[Limits] {
        &self.limits
    }

    /// The limits that every graph keeps, whatever its bucket.
    pub(super) fn largest(&self) -> Limits {
        self.limits[self.limits.len() - 1]
    }

    /// Returns the limits under which graphs of the distinct sizes `one` and `other` are packed together, if they are.
    pub(super) fn of_both(&self, one: usize, other: usize) -> Option<&Limits> {
        let [one, other] = [one, other].map(|class| self.of.get(class).map_or(0, |&of| usize::from(of)));
        (one == other).then(|| &self.limits[one])
    }

    /// Returns the limits of each bucket, and how many of `counts` graphs of each distinct size are in it.
    pub(crate) fn counts(&self, counts: &[u64]) -> impl Iterator<Item = (&Limits, Vec<u64>)> {
        self.limits.iter().enumerate().map(move |(bucket, limits)| {
            let here = |class: usize| self.of.get(class).is_none_or(|&of| usize::from(of) == bucket);
            let counts = counts.iter().enumerate().map(|(class, &count)| if here(class) { count } else { 0 });
            (limits, counts.collect())
        })
    }
}
