//! [`Walk`]: the sampled neighbourhood of one node.

use crate::graph::InEdges;
use graphpack_loader::Random;
use hashbrown::HashMap;
use std::ops::Range;

/// The sampled neighbourhood of a root: the root first, then the other nodes of each type in the order in which they
/// were met, hop by hop.
#[derive(Debug, Default)]
pub(super) struct Walk {
    /// For each type of nodes.
    nodes: Vec<Vec<u32>>,
    /// For each type of edges.
    edges: Vec<Drawn>,
    /// By type and node.
    position: HashMap<(u32, u32), u32>,
    picks: Vec<u32>,
    /// For each type of nodes, those that the previous hop met first.
    level: Vec<Range<usize>>,
}

/// The edges of one type.
#[derive(Debug, Default)]
struct Drawn {
    /// Positions among the nodes of their types.
    sources: Vec<u32>,
    targets: Vec<u32>,
    /// Edges of the graph.
    edges: Vec<u32>,
}

impl Walk {
    /// Draws at most a fan-out of edges of each type, without replacement, into each node that the previous hop met
    /// first. Each node is expanded once. A hop takes one type of edges after the other. `fan_outs` are those of each
    /// hop, by type.
    pub(super) fn draw(
        &mut self,
        in_edges: &[InEdges],
        ends: &[[usize; 2]],
        kind: usize,
        root: u32,
        fan_outs: &[Vec<u32>],
        random: &mut Random,
    ) {
        let Self { nodes, edges, position, picks, level } = self;
        let types = ends.iter().flatten().copied().max().unwrap_or(0).max(kind) + 1;
        nodes.resize_with(types.max(nodes.len()), Vec::new);
        nodes.iter_mut().for_each(Vec::clear);
        edges.resize_with(ends.len(), Drawn::default);
        for Drawn { sources, targets, edges } in edges.iter_mut() {
            sources.clear();
            targets.clear();
            edges.clear();
        }
        position.clear();
        nodes[kind].push(root);
        position.insert((kind as u32, root), 0);
        level.clear();
        level.resize(nodes.len(), 0..0);
        for fan_outs in fan_outs {
            level.iter_mut().zip(&*nodes).for_each(|(level, nodes)| *level = level.end..nodes.len());
            for (number, &[from, to]) in ends.iter().enumerate() {
                let (of, fan_out, drawn) = (&in_edges[number], fan_outs[number], &mut edges[number]);
                for target in level[to].clone().filter(|_| fan_out > 0) {
                    let into = of.of(nodes[to][target]);
                    pick(picks, into.len() as u32, fan_out, random);
                    for [source, edge] in picks.iter().map(|&pick| into[pick as usize]) {
                        let met = *position.entry((from as u32, source)).or_insert_with(|| {
                            nodes[from].push(source);
                            nodes[from].len() as u32 - 1
                        });
                        drawn.sources.push(met);
                        drawn.targets.push(target as u32);
                        drawn.edges.push(edge);
                    }
                }
            }
        }
    }

    /// Nodes of a type by their numbers in the graph; the root is the first of its type.
    pub(super) fn nodes(&self, kind: usize) -> &[u32] {
        self.nodes.get(kind).map_or(&[], Vec::as_slice)
    }

    /// Edges of a type by their numbers in the graph.
    pub(super) fn edges(&self, kind: usize) -> &[u32] {
        self.edges.get(kind).map_or(&[], |drawn| &drawn.edges)
    }

    /// Sources and targets of the edges of a type, as positions among the nodes.
    pub(super) fn ends(&self, kind: usize) -> [&[u32]; 2] {
        [&self.edges[kind].sources, &self.edges[kind].targets]
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
