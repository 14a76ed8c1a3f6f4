//! [`Maxima`]: a bound on the room of many groups.

use crate::lanes::Lanes;

/// The component-wise maximum of the room of groups, apart for those that have least of the first component, of the
/// second, and so on, as shares of the limits.
///
/// With one maximum for all, groups that have room in one component only and groups that have room in another only
/// would look like groups with room in both; these are most of what best-fit leaves open.
#[derive(Clone, Copy)]
pub(super) struct Maxima<const K: usize>([[u32; K]; K]);

impl<const K: usize> Maxima<K> {
    pub(super) const NONE: Self = Self([[0; K]; K]);

    /// Whether a graph of `size` may have room in a group. There may be none although this is true.
    pub(super) fn may_hold(&self, size: &[u32; K]) -> bool {
        K == 0 || self.0.iter().any(|maximum| size.fits(maximum))
    }

    pub(super) fn add(&mut self, room: &[u32; K], limits: &[u32; K]) {
        if let Some(maximum) = self.0.get_mut(scarcest(room, limits)) {
            *maximum = maximum.max_each(room);
        }
    }

    pub(super) fn join(&mut self, other: &Self) {
        for (maximum, other) in self.0.iter_mut().zip(&other.0) {
            *maximum = maximum.max_each(other);
        }
    }

    /// Whether the maxima may be lower without a group with this room.
    pub(super) fn follow_from(&self, room: &[u32; K], limits: &[u32; K]) -> bool {
        let maximum = self.0.get(scarcest(room, limits));
        maximum.is_some_and(|maximum| (0..K).any(|k| room[k] == maximum[k]))
    }
}

/// The component of which there is least as a share of the limits.
fn scarcest<const K: usize>(room: &[u32; K], limits: &[u32; K]) -> usize {
    let product = |a: usize, b: usize| u64::from(room[a]) * u64::from(limits[b]);
    (1..K).fold(0, |least, k| if product(k, least) < product(least, k) { k } else { least })
}
