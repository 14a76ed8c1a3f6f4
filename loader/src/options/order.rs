//! [`Order`]: the order in which graphs come.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Decides in which order graphs come.
///
/// ```
/// use graphpack_loader::{Loader, Options, Order, molecules};
///
/// let options = Options::exactly(4).order(Order::Shuffled).seed(42);
/// let loader = Loader::new(molecules::generate(7, 100), options)?;
/// let first = |epoch| loader.epoch(epoch).next().expect("a batch").map(|batch| batch.graph_ids().to_vec());
/// assert_ne!(first(0)?, first(1)?); // each epoch has an order of its own,
/// assert_eq!(first(1)?, first(1)?); // which follows from seed and epoch
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Order {
    /// As in the data: all epochs are the same, unless graphs are drawn or changed at random. Batches have the graphs
    /// in the order of the data with [`Grouping::InOrder`](crate::Grouping::InOrder) alone: others group them by size,
    /// and graphs of one size come in the order of the data. [`GraphResults`](crate::GraphResults) brings results into
    /// the order of the data.
    #[default]
    Given,
    /// Shuffled for each epoch, by a function of (seed, epoch).
    Shuffled,
    /// Shuffled so that a disk seeks less: blocks of this number of consecutive graphs come in random order, and graphs
    /// are shuffled within every eight blocks.
    ///
    /// With [`Grouping::Window`](crate::Grouping::Window) and [`Grouping::InOrder`](crate::Grouping::InOrder), reads at
    /// any time fall into about eight places of the data, and two graphs meet in a batch only if their blocks are
    /// shuffled together. A plan takes the graphs of each size in this order, and its packs so that all sizes keep
    /// step: most graphs of a batch are within a few thousand places of each other, however many graphs there are.
    /// Batches of [few shapes](crate::Shapes::Few) are shuffled with each other all the same.
    Blocks(usize),
}

impl Order {
    /// Whether epochs differ.
    pub(crate) fn is_shuffled(self) -> bool {
        self != Self::Given
    }
}

/// Writes the option in words.
impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Given => f.write_str("given"),
            Self::Shuffled => f.write_str("shuffled"),
            Self::Blocks(graphs) => write!(f, "blocks({graphs})"),
        }
    }
}
