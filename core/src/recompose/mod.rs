//! Packs that are alike, and other ones in each epoch: [`Recomposer`].
//!
//! A packer fills packs one after the other, so that the last are made of what others left over; and with a plan alone
//! the same sizes share a pack in every epoch. Here packs deal their graphs to each other again, two packs at a time:
//!
//! 1. The graphs of both are sorted, and of every two neighbours each pack gets one: the larger goes to the pack that
//!    has been given less so far.
//! 2. If a pack then exceeds the limits, one or two pairs of neighbours change sides.
//! 3. If that does not help, both packs keep their graphs, and exchange neighbours as far as the limits allow.
//!
//! So packs always keep the limits, and their number stays the same. In a round every pack meets one other; what was
//! in one pack is spread over 2^r packs after r rounds, evenly for each size.
//!
//! | file | what is in it |
//! |---|---|
//! | `recomposer` | [`Recomposer`]: which packs meet in which round |
//! | `pool` | the graphs of the two packs that meet |
//! | `kinds` | the distinct sizes, and what they weigh when packs are made alike |
//! | `composition` | [`Composition`]: packs, graph by graph |

mod composition;
mod kinds;
mod pool;
mod recomposer;

pub use composition::Composition;
pub use recomposer::Recomposer;
