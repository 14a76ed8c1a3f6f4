//! [`Walk`]: the sampled neighbourhood of one node.

use crate::graph::InEdges;
use graphpack_loader::Random;
use graphpack_loader::Size;
use std::collections::HashMap;

/// The sampled neighbourhood of a root: the root first, then the other nodes in the order in which they were met, hop
/// by hop.
#[derive(Debug, Default)]
pub(super) struct Walk {
    nodes: Vec<u32>,
    /// Positions in `nodes`.
    sources: Vec<u32>,
    targets: Vec<u32>,
    /// Edges of the graph.
    edges: Vec<u32>,
    position: HashMap<u32, u32>,
    picks: Vec<u32>,
}

impl Walk {
    /// Draws at most a fan-out of edges, without replacement, into each node that the previous hop met first. Each node
    /// is expanded once.
    pub(super) fn draw(&mut self, in_edges: &InEdges, root: u32, fan_outs: &[u32], random: &mut Random) {
        self.nodes.clear();
        self.sources.clear();
        self.targets.clear();
        self.edges.clear();
        self.position.clear();
        self.nodes.push(root);
        self.position.insert(root, 0);
        let mut level = 0;
        for &fan_out in fan_outs {
            let end = self.nodes.len();
            for target in level..end {
                let into = in_edges.of(self.nodes[target]);
                pick(&mut self.picks, into.len() as u32, fan_out, random);
                for &(source, edge) in self.picks.iter().map(|&pick| &into[pick as usize]) {
                    let met = *self.position.entry(source).or_insert_with(|| {
                        self.nodes.push(source);
                        self.nodes.len() as u32 - 1
                    });
                    self.sources.push(met);
                    self.targets.push(target as u32);
                    self.edges.push(edge);
                }
            }
            level = end;
        }
    }

    /// Number of nodes and of edges.
    pub(super) fn size(&self) -> Size {
        Size::new([self.nodes.len() as u32, self.edges.len() as u32])
    }

    /// Nodes of the graph; the root is the first.
    pub(super) fn nodes(&self) -> &[u32] {
        &self.nodes
    }

    /// Edges of the graph.
    pub(super) fn edges(&self) -> &[u32] {
        &self.edges
    }

    /// Sources and targets of the edges, as positions among the nodes.
    pub(super) fn ends(&self) -> [&[u32]; 2] {
        [&self.sources, &self.targets]
    }
}

/// Picks `most` of the numbers below `count`, or all of them, in ascending order; every set is equally likely (Floyd,
/// CACM 30(9), 1987).
fn pick(picks: &mut Vec<u32>, count: u32, most: u32, random: &mut Random) {
    picks.clear();
    if count <= most {
        picks.extend(0..count);
        return;
    }
    for last in count - most..count {
        let number = random.below(last + 1);
        match picks.binary_search(&number) {
            // All picks so far are smaller than `last`.
            Ok(_) => picks.push(last),
            Err(place) => picks.insert(place, number),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::pick;
    use graphpack_loader::Random;
    use std::collections::HashMap;

    #[test]
    fn every_choice_is_equally_likely() {
        let mut counts = HashMap::<Vec<u32>, u32>::new();
        let (mut random, mut picks) = (Random::new(1, 1), Vec::new());
        for _ in 0..35_000 {
            pick(&mut picks, 7, 3, &mut random);
            assert!(picks.is_sorted_by(|a, b| a < b) && picks.len() == 3 && picks[2] < 7);
            *counts.entry(picks.clone()).or_default() += 1;
        }
        assert_eq!(counts.len(), 35);
        // 1000 each; six standard deviations.
        assert!(counts.values().all(|count| count.abs_diff(1000) < 190), "{counts:?}");
        pick(&mut picks, 3, 3, &mut random);
        assert_eq!(picks, [0, 1, 2]);
        pick(&mut picks, 0, 3, &mut random);
        assert!(picks.is_empty());
    }
}
