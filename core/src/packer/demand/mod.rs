//! The demand packer: every pack is a small likeness of what is left to be packed.
//!
//! Limits bind in several components at once, and greedy packers run out of graphs that are rich in one component and
//! poor in another. A pack therefore starts with the largest size left and then takes, one after the other, the size
//! whose direction is best aligned with what the pack still lacks: what a pack should hold on average from here on,
//! minus what this one holds, over all components and the number of graphs. When nothing more fits, the last two graphs
//! are exchanged for the pair that fills the pack best. The pack is repeated as often as the counts allow.
//!
//! On ogbg-molhiv (limits 222 x 502) this gives 3,744 packs, which [`Packer::Auto`] proves to be the fewest. Without
//! the exchange of the last pair it gives 3,768; best-fit gives 3,764.
//!
//! `pack` begins and repeats packs, and leaves the rest to best-fit when it is interrupted. `filling` fills one pack,
//! `size_tree` finds the size to take, `vector` computes with sizes as shares of the limits.
//!
//! [`Packer::Auto`]: super::Packer::Auto

mod filling;
mod pack;
mod size_tree;
mod vector;

pub(crate) use pack::{Packing, pack, pack_below};
