//! [`check`]: checks packs that were read from a file, of a `Plan` or of a `FixedPlan`.

use crate::FixedLimits;

/// Checks packs that were read. Each of `ends` is where a pack ends among `entries`, and how often the plan uses it;
/// `entry` returns one of these: a size, and the number of its graphs.
pub(crate) fn check<const K: usize>(
    limits: &FixedLimits<K>,
    ends: &[(usize, u64)],
    entries: usize,
    entry: impl Fn(usize) -> ([u32; K], u32),
) -> Result<(), Damaged<K>> {
    if limits.is_zero() {
        return Err(Damaged::Limits { limits: *limits });
    }
    let last = ends.last().map_or(0, |&(end, _)| end);
    if !ends.is_sorted_by_key(|&(end, _)| end) || last != entries {
        return Err(Damaged::Ends { entries, last });
    }
    let (mut all, mut start) = (0_u64, 0);
    for (number, &(end, repeat)) in ends.iter().enumerate() {
        let (mut size, mut graphs) = ([0_u64; K], 0_u64);
        let mut unused = start == end || repeat == 0;
        for (rows, times) in (start..end).map(&entry) {
            unused |= times == 0;
            graphs += u64::from(times);
            for (sum, rows) in size.iter_mut().zip(rows) {
                *sum = sum.saturating_add(u64::from(rows) * u64::from(times));
            }
        }
        if unused {
            return Err(Damaged::Unused { number });
        }
        let over = size.iter().zip(&limits.size).any(|(&sum, &limit)| sum > u64::from(limit));
        if over || graphs > u64::from(limits.graphs) {
            return Err(Damaged::Oversize { number, size, graphs, limits: *limits });
        }
        let more = graphs.checked_mul(repeat);
        all = more.and_then(|more| all.checked_add(more)).ok_or(Damaged::Overflow)?;
        start = end;
    }
    Ok(())
}

/// Why arrays that were read cannot be the packs of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Damaged<const K: usize> {
    #[error("limits must be at least 1 each, found {limits}")]
    Limits { limits: FixedLimits<K> },
    #[error("expected packs that end in ascending order, the last at entry {entries}, found a last end of {last}")]
    Ends { entries: usize, last: usize },
    #[error("pack {number} of the plan is empty or never used, or has 0 graphs of a size")]
    Unused { number: usize },
    #[error("pack {number} of the plan exceeds its limits {limits}: it has {size:?} with {graphs} graphs")]
    Oversize { number: usize, size: [u64; K], graphs: u64, limits: FixedLimits<K> },
    #[error("the number of graphs of the plan exceeds 64 bits")]
    Overflow,
}
