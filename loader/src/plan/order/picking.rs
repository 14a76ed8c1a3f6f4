//! [`Picking`]: the graphs of an epoch, in the order in which they are offered.

use super::Draws;
use crate::Random;

/// Blocks that are mixed with each other.
const BLOCKS: usize = 8;

/// Which graphs an epoch has, and in which order they come.
pub(crate) struct Picking {
    /// The graphs that there are.
    pub(crate) graphs: Vec<u32>,
    /// Graphs of a block, which are neighbours in the data set; none to shuffle all with all.
    pub(crate) block: Option<usize>,
    /// Each graph as often as chance and its weight give; none for each once.
    pub(crate) draws: Option<Draws>,
}

impl Picking {
    pub(super) fn epoch(&self, shuffled: bool, random: &mut Random) -> Vec<u32> {
        let mut graphs = match &self.draws {
            Some(draws) => {
                let mut drawn = draws.draw(&self.graphs, random);
                if !shuffled || self.block.is_some() {
                    drawn.sort_unstable();
                }
                drawn
            }
            None => self.graphs.clone(),
        };
        match self.block {
            _ if !shuffled => {}
            None => random.shuffle(&mut graphs),
            Some(block) => return in_blocks(&graphs, block, random),
        }
        graphs
    }
}

/// Blocks of neighbours in random order, then graphs in random order within every eight blocks: what is read next lies in at most eight places.
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
