//! A generated graph: a stochastic block model of communities, each of one class, with most edges inside a community.
//! Features are so noisy that a node's class shows only together with its neighbours.

use graphpack_loader::Error;
use graphpack_partition::{Array, ArrayType, EdgeType, LargeGraph, NodeType};

/// Elements of `x`.
const WIDTH: usize = 32;
/// The mean of each feature in a class is plus or minus this many standard deviations.
const SIGNAL: f64 = 0.2;
/// Nodes of a community.
const COMMUNITY: usize = 200;
/// Edges that each node draws, stored in both directions.
const EDGES: usize = 5;
/// Shares of edges within the community, and to any community of the class.
const WITHIN: f64 = 0.7;
const SAME_CLASS: f64 = 0.1;
/// Share of nodes with a random class; the best possible accuracy is below 1 by almost this much.
const STRAY: f64 = 0.1;

/// Generates the graph. Nodes have `x`, `y` and uint8 masks: 20 % for training, 10 % for validation, the others for
/// test.
pub(crate) fn generate(seed: u64, nodes: usize, classes: usize) -> Result<LargeGraph, Error> {
    let mut random = Random(seed);
    let communities = (nodes / COMMUNITY).max(classes);
    // The number of a node says nothing about its community.
    let community: Vec<usize> = (0..nodes).map(|_| random.below(communities)).collect();
    let mut members = vec![Vec::new(); communities];
    community.iter().enumerate().for_each(|(node, &community)| members[community].push(node));
    let (mut sources, mut targets) = (Vec::new(), Vec::new());
    for (from, &own) in community.iter().enumerate() {
        for _ in 0..EDGES {
            let kind = random.unit();
            let other = match kind {
                kind if kind < WITHIN => own,
                kind if kind < WITHIN + SAME_CLASS => {
                    let class = own % classes;
                    class + classes * random.below((communities - class).div_ceil(classes))
                }
                _ => random.below(communities),
            };
            if members[other].is_empty() {
                continue;
            }
            let to = members[other][random.below(members[other].len())];
            sources.extend([from as i64, to as i64]);
            targets.extend([to as i64, from as i64]);
        }
    }
    let mut label = |node: usize| {
        if random.unit() < STRAY { random.below(classes) } else { community[node] % classes }
    };
    let labels: Vec<i64> = (0..nodes).map(|node| label(node) as i64).collect();
    let means: Vec<f64> = (0..classes * WIDTH).map(|_| if random.unit() < 0.5 { 1.0 } else { -1.0 }).collect();
    let mut x = Vec::with_capacity(4 * WIDTH * nodes);
    for &label in &labels {
        for mean in &means[label as usize * WIDTH..][..WIDTH] {
            x.extend(((SIGNAL * mean + random.normal()) as f32).to_le_bytes());
        }
    }
    let split: Vec<f64> = (0..nodes).map(|_| random.unit()).collect();
    let mask = |from: f64, to: f64| {
        let bytes = split.iter().map(|&share| u8::from((from..to).contains(&share))).collect();
        Array::new(ArrayType::U8, vec![nodes], bytes)
    };
    let features = vec![
        ("x".into(), Array::new(ArrayType::F32, vec![nodes, WIDTH], x)?),
        ("y".into(), Array::of_i64(&labels)),
        ("train_mask".into(), mask(0.0, 0.2)?),
        ("val_mask".into(), mask(0.2, 0.3)?),
        ("test_mask".into(), mask(0.3, 1.0)?),
    ];
    let node = NodeType { name: "_N".into(), nodes, features };
    let name = ["_N", "_E", "_N"].map(String::from);
    let edge = EdgeType { name, sources, targets, features: Vec::new() };
    Ok(LargeGraph { name: "blocks".into(), node_types: vec![node], edge_types: vec![edge] })
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
    }

    /// Standard normal, by Box and Muller.
    fn normal(&mut self) -> f64 {
        let (radius, angle) = ((1.0 - self.unit()).ln() * -2.0, self.unit() * std::f64::consts::TAU);
        radius.sqrt() * angle.cos()
    }
}
