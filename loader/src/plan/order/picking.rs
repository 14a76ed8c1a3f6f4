//! [`Picking`]: which graphs an epoch has, and in which order they are offered for packing.

use super::Draws;
use crate::Random;
use crate::options::Order;

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
