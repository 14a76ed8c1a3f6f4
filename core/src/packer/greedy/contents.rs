//! [`Contents`]: what packs hold while they are being filled, as chains that share their beginnings.

use alloc::vec::Vec;
use core::num::NonZeroUsize;

/// The links of all chains. Packs that were filled alike share one chain until they differ, so that memory follows the
/// number of placements and not of graphs.
#[derive(Default)]
pub(super) struct Contents {
    links: Vec<Link>,
}

/// A number of graphs of one size, after those of another chain.
struct Link {
    /// The number of the size.
    size: u32,
    times: u32,
    before: Chain,
}

/// A chain, by the number of its last link, from 1; none for the empty chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Chain(Option<NonZeroUsize>);

impl Chain {
    /// The chain of an empty pack.
    pub(super) const EMPTY: Self = Self(None);
}

impl Contents {
    /// The chain `before` with `times` graphs of `size` after it.
    pub(super) fn push(&mut self, before: Chain, size: u32, times: u32) -> Chain {
        self.links.push(Link { size, times, before });
        Chain(NonZeroUsize::new(self.links.len()))
    }

    /// Like [`push`](Self::push), but a chain that is not `shared` and ends in the same size grows in place.
    pub(super) fn extend(&mut self, chain: Chain, shared: bool, size: u32, times: u32) -> Chain {
        match chain.0.map(|last| &mut self.links[last.get() - 1]) {
            Some(last) if !shared && last.size == size => {
                last.times += times;
                chain
            }
            _ => self.push(chain, size, times),
        }
    }

    /// Numbers of the sizes of a chain from the last to the first, with the number of graphs; a size may occur in several links.
    pub(super) fn iter(&self, chain: Chain) -> impl Iterator<Item = (u32, u32)> + '_ {
        let link = move |chain: Chain| chain.0.map(|link| &self.links[link.get() - 1]);
        core::iter::successors(link(chain), move |last| link(last.before)).map(|link| (link.size, link.times))
    }
}
