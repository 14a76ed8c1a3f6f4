//! [`Places`]: the part of each node so far, while edges are read.

use std::thread;

/// The part of a node that has none yet.
pub(super) const UNASSIGNED: u16 = u16::MAX;
/// A part as full as the mean costs a node this share of its neighbours: a node with 10 neighbours goes to an empty part
/// rather than to a mean one with 5 of them.
const FULLNESS: f64 = 0.5;
/// What the fullness beyond the tolerance costs in addition, so much that hardly any part exceeds it.
const EXCESS: f64 = 50.0;
/// The most nodes that are placed without seeing each other's new places.
const MOST_ROUND: usize = 8192;
/// Below this many nodes in a round, starting threads takes longer than they save.
const LEAST_SHARED: usize = 512;

/// Where nodes are, in 8 bytes per node.
pub(super) struct Places {
    /// The first node of each type, and the end of the last.
    offsets: Vec<usize>,
    pub(super) owners: Vec<u16>,
    /// Neighbours in the own part that blocks before had in this pass.
    pub(super) near: Vec<u16>,
    pub(super) in_edges: Vec<u32>,
    /// Nodes of each type and part.
    pub(super) nodes: Vec<Vec<u64>>,
    /// Edges of each part.
    pub(super) edges: Vec<u64>,
    /// For each type.
    pub(super) mean_nodes: Vec<f64>,
    pub(super) mean_edges: f64,
    tolerance: f64,
}

/// Numbers of a node's neighbours in each part, all 0 between two nodes.
struct Counts {
    of: Vec<u32>,
    parts: Vec<u16>,
}

impl Places {
    /// `offsets` has the first node of each type, and the end of the last.
    pub(super) fn new(offsets: Vec<usize>, parts: usize, tolerance: f64) -> Self {
        let nodes = offsets[offsets.len() - 1];
        let mean_nodes: Vec<f64> =
            offsets.windows(2).map(|range| (range[1] - range[0]) as f64 / parts as f64).collect();
        Self {
            owners: vec![UNASSIGNED; nodes],
            near: vec![0; nodes],
            in_edges: vec![0; nodes],
            nodes: vec![vec![0; parts]; mean_nodes.len()],
            edges: vec![0; parts],
            mean_nodes,
            mean_edges: 0.0,
            tolerance,
            offsets,
        }
    }

    /// Places the nodes of a block of pairs (node, neighbour).
    pub(super) fn block(&mut self, pairs: &mut [u64], threads: usize) {
        sort(pairs, threads);
        let parts = self.edges.len();
        let round = (self.owners.len() / (1000 * parts)).clamp(1, MOST_ROUND);
        let mut runs: Vec<&[u64]> = Vec::with_capacity(round);
        let mut all = pairs.chunk_by(|one, other| one >> 32 == other >> 32);
        let mut counts: Vec<Counts> = (0..threads).map(|_| Counts::new(parts)).collect();
        loop {
            runs.clear();
            runs.extend(all.by_ref().take(round));
            if runs.is_empty() {
                return;
            }
            let choices = self.choices(&runs, &mut counts);
            for (run, (part, near)) in runs.iter().zip(choices) {
                self.put((run[0] >> 32) as usize, part, near);
            }
        }
    }

    /// The best part of each node, and its neighbours there, as things are before any of them moves.
    fn choices(&self, runs: &[&[u64]], counts: &mut [Counts]) -> Vec<(u16, u16)> {
        let least: Vec<u16> = (0..self.nodes.len()).map(|kind| self.emptiest(kind)).collect();
        let some = |runs: &[&[u64]], counts: &mut Counts| -> Vec<(u16, u16)> {
            runs.iter().map(|run| self.best(run, &least, counts)).collect()
        };
        if runs.len() < LEAST_SHARED || counts.len() == 1 {
            return some(runs, &mut counts[0]);
        }
        let share = runs.len().div_ceil(counts.len());
        thread::scope(|scope| {
            let shares = runs.chunks(share).zip(counts).map(|(runs, counts)| scope.spawn(move || some(runs, counts)));
            let shares: Vec<_> = shares.collect();
            let joined =
                shares.into_iter().map(|share| share.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            joined.flatten().collect()
        })
    }

    /// The type of a node: the last that starts there is not empty.
    fn kind(&self, node: usize) -> usize {
        self.offsets.partition_point(|&start| start <= node) - 1
    }

    /// The part with least of what it has most of, of nodes of a type and edges.
    fn emptiest(&self, kind: usize) -> u16 {
        let full = |part: &usize| self.fullness(kind, *part, 0, 0);
        (0..self.edges.len()).min_by(|one, other| full(one).total_cmp(&full(other))).unwrap_or_default() as u16
    }

    /// The larger of nodes of a type and edges of a part, divided by their means.
    fn fullness(&self, kind: usize, part: usize, nodes: i64, edges: i64) -> f64 {
        let nodes = self.nodes[kind][part].saturating_add_signed(nodes) as f64 / self.mean_nodes[kind];
        let edges = self.edges[part].saturating_add_signed(edges) as f64 / self.mean_edges.max(1.0);
        nodes.max(edges)
    }

    /// `least` is the emptiest part for each type.
    fn best(&self, run: &[u64], least: &[u16], counts: &mut Counts) -> (u16, u16) {
        let node = (run[0] >> 32) as usize;
        let kind = self.kind(node);
        let least = least[kind];
        let own = self.owners[node];
        for pair in run {
            counts.add(self.owners[*pair as u32 as usize], 1);
        }
        counts.add(own, u32::from(self.near[node]));
        let degree = (run.len() + usize::from(self.near[node])) as f64;
        let edges = i64::from(self.in_edges[node]);
        let score = |part: u16| {
            // Its own part is judged as if it were not there yet.
            let (nodes, edges) = if part == own { (0, 0) } else { (1, edges) };
            let full = self.fullness(kind, part.into(), nodes, edges);
            f64::from(counts.of[usize::from(part)])
                - degree * (FULLNESS * full + EXCESS * (full - self.tolerance).max(0.0))
        };
        let mut best = (if own == UNASSIGNED { least } else { own }, f64::NEG_INFINITY);
        // Among equals the own part, then the emptiest, then the one that was counted first.
        for part in [own, least].into_iter().chain(counts.parts.iter().copied()).filter(|&part| part != UNASSIGNED) {
            let score = score(part);
            if score > best.1 {
                best = (part, score);
            }
        }
        let near = counts.of[usize::from(best.0)].min(u16::MAX.into()) as u16;
        counts.clear();
        (best.0, near)
    }

    fn put(&mut self, node: usize, part: u16, near: u16) {
        let (own, edges, kind) = (self.owners[node], u64::from(self.in_edges[node]), self.kind(node));
        self.near[node] = near;
        if own == part {
            return;
        }
        if own != UNASSIGNED {
            self.nodes[kind][usize::from(own)] -= 1;
            self.edges[usize::from(own)] -= edges;
        }
        self.owners[node] = part;
        self.nodes[kind][usize::from(part)] += 1;
        self.edges[usize::from(part)] += edges;
    }

    /// Places nodes without neighbours where there are fewest nodes.
    pub(super) fn rest(&mut self) {
        for kind in 0..self.nodes.len() {
            let mut part = 0;
            for node in self.offsets[kind]..self.offsets[kind + 1] {
                if self.owners[node] == UNASSIGNED {
                    while self.nodes[kind][part] as f64 >= self.mean_nodes[kind] && part + 1 < self.edges.len() {
                        part += 1;
                    }
                    self.put(node, part as u16, 0);
                }
            }
        }
    }
}

impl Counts {
    fn new(parts: usize) -> Self {
        Self { of: vec![0; parts], parts: Vec::new() }
    }

    fn add(&mut self, part: u16, neighbours: u32) {
        if part == UNASSIGNED || neighbours == 0 {
            return;
        }
        let count = &mut self.of[usize::from(part)];
        if *count == 0 {
            self.parts.push(part);
        }
        *count += neighbours;
    }

    fn clear(&mut self) {
        self.parts.drain(..).for_each(|part| self.of[usize::from(part)] = 0);
    }
}

/// Sorts by several threads.
fn sort(pairs: &mut [u64], threads: usize) {
    if threads < 2 || pairs.len() < 1 << 16 {
        return pairs.sort_unstable();
    }
    let (middle, half) = (pairs.len() / 2, threads / 2);
    pairs.select_nth_unstable(middle);
    let (low, high) = pairs.split_at_mut(middle);
    thread::scope(|scope| {
        scope.spawn(|| sort(low, half));
        sort(high, threads - half);
    });
}
