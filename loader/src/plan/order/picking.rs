//! [`Picking`]: which graphs an epoch has, in the order in which they are offered for packing, by weight if there are
//! [`Draws`].

use crate::options::Order;
use crate::random::Random;
use crate::source::Weights;

/// Number of blocks whose graphs are shuffled together.
const BLOCKS: usize = 8;

/// Which graphs an epoch has, and in which order they are offered for packing.
pub(crate) struct Picking {
    /// The graphs to pick from.
    pub(crate) graphs: Vec<u32>,
    pub(crate) order: Order,
    /// Draws graphs by weight; `None` to take each graph once.
    pub(crate) draws: Option<Draws>,
}

impl Picking {
    /// Returns the graphs of an epoch in the order in which they are offered.
    pub(super) fn epoch(&self, random: &mut Random) -> Vec<u32> {
        let mut graphs = match &self.draws {
            Some(draws) => {
                let mut drawn = draws.draw(&self.graphs, random);
                // In the order of the data: as they come, or cut into blocks of neighbours.
                if self.order != Order::Shuffled {
                    drawn.sort_unstable();
                }
                drawn
            }
            None => self.graphs.clone(),
        };
        match self.order {
            Order::Given => graphs,
            Order::Shuffled => {
                random.shuffle(&mut graphs);
                graphs
            }
            Order::Blocks(block) => in_blocks(&graphs, block, random),
        }
    }
}

/// Shuffles blocks of consecutive graphs, then the graphs within every [`BLOCKS`] blocks, so that reads fall into few
/// places of the data at a time.
fn in_blocks(graphs: &[u32], block: usize, random: &mut Random) -> Vec<u32> {
    let blocks: Vec<&[u32]> = graphs.chunks(block).collect();
    let mut order: Vec<u32> = (0..blocks.len() as u32).collect();
    random.shuffle(&mut order);
    let mut shuffled = Vec::with_capacity(graphs.len());
    for mixed in order.chunks(BLOCKS) {
        let start = shuffled.len();
        mixed.iter().for_each(|&block| shuffled.extend_from_slice(blocks[block as usize]));
        random.shuffle(&mut shuffled[start..]);
    }
    shuffled
}

/// Draws graphs with replacement, each with a probability proportional to its weight.
pub(crate) struct Draws {
    /// For each graph, the sum of the weights up to and including its own.
    sums: Vec<f64>,
    draws: usize,
}

impl Draws {
    /// Restricts `weights` to these `graphs`; `None` if all of their weights are 0.
    pub(crate) fn among(weights: &Weights, graphs: &[u32]) -> Option<Self> {
        let mut sum = 0.0;
        let sums = graphs.iter().map(|&graph| {
            sum += weights.weights()[graph as usize];
            sum
        });
        let sums = sums.collect();
        (sum > 0.0).then_some(Self { sums, draws: weights.draws() })
    }

    /// Draws the graphs of an epoch. `graphs` must be those given to [`among`](Self::among).
    pub(super) fn draw(&self, graphs: &[u32], random: &mut Random) -> Vec<u32> {
        let total = self.sums.last().copied().unwrap_or(0.0);
        let mut one = || {
            let point = random.unit() * total;
            // Rounding may give `total` itself, which stands for the last graph whose weight is not 0.
            let place = self.sums.partition_point(|&sum| sum <= point);
            graphs[place.min(self.sums.partition_point(|&sum| sum < total))]
        };
        (0..self.draws).map(|_| one()).collect()
    }
}
