//! [`Contents`]: what packs hold while they are being filled, as chains that share their beginnings.

use crate::Size;
use alloc::vec::Vec;

/// Chains of (size, times). Packs that were filled alike share one chain until they differ, so that memory follows the number of
/// placements and not the number of graphs.
pub(super) struct Contents<const K: usize> {
    links: Vec<Link<K>>,
}

struct Link<const K: usize> {
    size: Size<K>,
    times: u32,
    before: Option<Chain>,
}

/// The last link of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Chain(usize);

impl<const K: usize> Contents<K> {
    pub(super) fn new() -> Self {
        Self { links: Vec::new() }
    }

    /// The chain `before` with `times` graphs of `size` after it.
    pub(super) fn push(&mut self, before: Option<Chain>, size: Size<K>, times: u32) -> Chain {
        self.links.push(Link { size, times, before });
        Chain(self.links.len() - 1)
    }

    /// Like [`push`](Self::push), but a chain that nobody else holds and that ends in the same size grows in place.
    pub(super) fn extend(&mut self, chain: Chain, shared: bool, size: Size<K>, times: u32) -> Chain {
        let last = &mut self.links[chain.0];
        if !shared && last.size == size {
            last.times += times;
            chain
        } else {
            self.push(Some(chain), size, times)
        }
    }

    /// Sizes of a chain from the last to the first; a size may occur in several links.
    pub(super) fn iter(&self, chain: Chain) -> impl Iterator<Item = (Size<K>, u32)> + '_ {
        core::iter::successors(Some(chain), |chain| self.links[chain.0].before)
            .map(|chain| (self.links[chain.0].size, self.links[chain.0].times))
    }
}
