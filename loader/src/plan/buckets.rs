//! [`Buckets`]: which graphs are packed under which limits.

use super::Sizes;
use crate::error::{BuildError, Error};
use crate::layout::Size;
use crate::options::Limits;
use std::collections::HashMap;

/// Which graphs are packed under which limits: all under the same, or each class of sizes under its own.
pub(crate) struct Buckets {
    limits: Vec<Limits>,
    /// The bucket of each size that they were searched for; empty if there is one bucket.
    of: HashMap<Size, u8>,
}

impl Buckets {
    /// Returns the one bucket of all graphs.
    pub(super) fn one(limits: Limits) -> Self {
        Self { limits: vec![limits], of: HashMap::new() }
    }

    /// Searches for at most `shapes` buckets, whose packs have at most an eighth more than `graphs` graphs.
    pub(super) fn search(sizes: &Sizes, shapes: u8, graphs: u32) -> Result<Self, Error> {
        let histogram = sizes.histogram_of_all();
        let rows = histogram.totals().into_iter().sum::<u128>();
        let mut options = graphpack_core::Buckets::new(shapes.into(), graphs.saturating_add(graphs / 8));
        options.per_shape = u64::try_from(rows / 100).unwrap_or(u64::MAX);
        let found = options.search(&histogram).map_err(|error| BuildError::Pack(error.into()))?;
        let mut of = HashMap::new();
        for (bucket, found) in found.iter().enumerate() {
            of.extend(found.histogram.entries().iter().map(|(size, _)| (*size, bucket as u8)));
        }
        Ok(Self { limits: found.iter().map(|bucket| bucket.limits).collect(), of })
    }

    /// The limits of each bucket, the largest last.
    pub(crate) fn limits(&self) -> &[Limits] {
        &self.limits
    }

    /// The limits that every graph keeps, whatever its bucket.
    pub(super) fn largest(&self) -> Limits {
        self.limits[self.limits.len() - 1]
    }

    /// The bucket of a size: the first that has room for it if they were searched for other sizes, or the last.
    fn bucket(&self, size: &Size) -> usize {
        if let Some(&bucket) = self.of.get(size) {
            return bucket.into();
        }
        let last = self.limits.len() - 1;
        self.limits.iter().position(|limits| size.fits(&limits.size)).unwrap_or(last)
    }

    /// Returns the limits under which graphs of two sizes are packed together, if they are.
    pub(super) fn of_both(&self, one: &Size, other: &Size) -> Option<&Limits> {
        let [one, other] = [one, other].map(|size| self.bucket(size));
        (one == other).then(|| &self.limits[one])
    }

    /// Returns the limits of each bucket, and how many graphs of each distinct size of `sizes` are in it, of `counts`.
    pub(crate) fn counts(&self, sizes: &Sizes, counts: &[u64]) -> impl Iterator<Item = (&Limits, Vec<u64>)> {
        let buckets: Vec<usize> = sizes.distinct().iter().map(|size| self.bucket(size)).collect();
        let counts = counts.to_vec();
        self.limits.iter().enumerate().map(move |(bucket, limits)| {
            let here = buckets.iter().zip(&counts).map(|(&of, &count)| if of == bucket { count } else { 0 });
            (limits, here.collect())
        })
    }
}
