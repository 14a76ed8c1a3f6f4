//! [`Adjacency`]: the edges of one graph by node, and [`Pairs`] of consecutive edges.

use crate::error::Error;
use crate::layout::{Index, Slot};

/// Which pairs of edges (u to v, v to w) are the rows of a derived set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::source) enum Pairs {
    /// All with w other than u, sorted by the second edge, then by u, then by the first edge.
    Triplets,
    /// All of two different edges, without `backtracking` only those with w other than u, sorted by the first edge,
    /// then by the second.
    LineGraph { backtracking: bool },
}

impl Pairs {
    /// The index of the pairs: the first edge and the second.
    pub(super) fn index(self) -> &'static str {
        match self {
            Self::Triplets => "triplet_index",
            Self::LineGraph { .. } => "line_index",
        }
    }
}

/// Edges for which there is room from the start, and nodes. Memory grows for larger graphs only: growing whenever a
/// graph is the largest so far would allocate in the midst of an epoch, since each epoch has new threads.
const EDGES: usize = 1 << 12;
/// Rows for which there is room from the start.
const ROWS: usize = 1 << 16;

/// The edges of one graph, sorted by node. All its memory serves the next graph again.
pub(super) struct Adjacency {
    nodes: usize,
    /// Source and target of each edge.
    ends: [Vec<u32>; 2],
    /// The edges by source; those of one source by number.
    outgoing: Groups,
    /// The edges by target; those of one target by source, then by number. Made by `find_back`.
    incoming: Groups,
    /// For each edge u to v, where those from v to u are among the incoming edges of u; made by `find_back`.
    back: Vec<(u32, u32)>,
    /// For one u and each node v, where the edges from v to u are among the incoming edges of u.
    from: Vec<(u32, u32)>,
    column: Vec<i64>,
    /// First and second edge of each row.
    rows: [Vec<u32>; 2],
}

/// The edges of each node.
struct Groups {
    /// Where the edges of each node begin, and their number at the end.
    ptr: Vec<usize>,
    edges: Vec<u32>,
}

impl Groups {
    fn new() -> Self {
        Self { ptr: Vec::with_capacity(EDGES), edges: Vec::with_capacity(EDGES) }
    }

    /// Groups `edges`, which are all edges, by their `nodes`. Edges of one node keep their order.
    fn sort(&mut self, nodes: usize, ends: &[u32], edges: impl Iterator<Item = u32>) {
        let Self { ptr, edges: sorted } = self;
        ptr.clear();
        ptr.resize(nodes + 2, 0);
        ends.iter().for_each(|&node| ptr[node as usize + 2] += 1);
        (2..ptr.len()).for_each(|node| ptr[node] += ptr[node - 1]);
        sorted.resize(ends.len(), 0);
        for edge in edges {
            // Where the next edge of this node goes; in the end, where the edges of the next node begin.
            let place = &mut ptr[ends[edge as usize] as usize + 1];
            sorted[*place] = edge;
            *place += 1;
        }
    }

    fn of(&self, node: u32) -> &[u32] {
        &self.edges[self.ptr[node as usize]..self.ptr[node as usize + 1]]
    }
}

impl Adjacency {
    /// Returns memory for graphs.
    pub(super) fn new() -> Self {
        let [back, from] = [(); 2].map(|()| Vec::with_capacity(EDGES));
        let [ends, rows] = [EDGES, ROWS].map(|room| [(); 2].map(|()| Vec::with_capacity(room)));
        let [outgoing, incoming] = [(); 2].map(|()| Groups::new());
        Self { nodes: 0, ends, outgoing, incoming, back, from, column: Vec::with_capacity(EDGES), rows }
    }

    /// Reads `edge_index` of a graph, whose entries were checked when it was written. Errors if batches do not carry it
    /// or if it was not written.
    pub(super) fn read(&mut self, slot: &Slot<'_>) -> Result<(), Error> {
        let of = slot.schema().indices().iter().find(|index| index.name == Index::EDGE_INDEX);
        let nodes = of.map_or(0, |index| usize::from(index.targets[0]));
        self.nodes = slot.size()[nodes] as usize;
        for (column, ends) in self.ends.iter_mut().enumerate() {
            slot.read_column(Index::EDGE_INDEX, column, &mut self.column)?;
            ends.clear();
            ends.extend(self.column.iter().map(|&node| node as u32));
        }
        let sources = &self.ends[0];
        self.outgoing.sort(self.nodes, sources, 0..sources.len() as u32);
        Ok(())
    }

    /// Returns the number of rows, without making them.
    pub(super) fn count(&mut self, pairs: Pairs) -> u64 {
        let all: u64 = self.ends[1].iter().map(|&node| self.outgoing.of(node).len() as u64).sum();
        all - if pairs == (Pairs::LineGraph { backtracking: true }) { self.self_loops() } else { self.find_back() }
    }

    fn self_loops(&self) -> u64 {
        let [sources, targets] = &self.ends;
        sources.iter().zip(targets).filter(|(source, target)| source == target).count() as u64
    }

    /// Finds the edges that lead back from each edge, and returns their number.
    fn find_back(&mut self) -> u64 {
        let Self { nodes, ends: [sources, targets], outgoing, incoming, back, from, .. } = self;
        incoming.sort(*nodes, targets, outgoing.edges.iter().copied());
        from.resize(*nodes, (0, 0));
        back.resize(sources.len(), (0, 0));
        let mut found = 0;
        for node in 0..*nodes as u32 {
            for (&edge, place) in incoming.of(node).iter().zip(0..) {
                let (start, end) = &mut from[sources[edge as usize] as usize];
                if start == end {
                    *start = place;
                }
                *end = place + 1;
            }
            for &edge in outgoing.of(node) {
                let (start, end) = from[targets[edge as usize] as usize];
                back[edge as usize] = (start, end);
                found += u64::from(end - start);
            }
            incoming.of(node).iter().for_each(|&edge| from[sources[edge as usize] as usize] = (0, 0));
        }
        found
    }

    /// Makes the rows, and returns the first and the second edge of each. Reserves memory for `expected` rows.
    pub(super) fn rows(&mut self, pairs: Pairs, expected: usize) -> [&[u32]; 2] {
        self.rows.iter_mut().for_each(|edges| {
            edges.clear();
            edges.reserve(expected);
        });
        match pairs {
            Pairs::Triplets => self.triplets(),
            Pairs::LineGraph { backtracking } => self.line_graph(backtracking),
        }
        self.rows.each_ref().map(Vec::as_slice)
    }

    fn triplets(&mut self) {
        self.find_back();
        let Self { ends: [sources, _], incoming, back, rows: [first, second], .. } = self;
        for (edge, (&from, &(start, end))) in (0..).zip(sources.iter().zip(&*back)) {
            let before = incoming.of(from);
            first.extend_from_slice(&before[..start as usize]);
            first.extend_from_slice(&before[end as usize..]);
            second.resize(first.len(), edge);
        }
    }

    fn line_graph(&mut self, backtracking: bool) {
        let Self { ends: [sources, targets], outgoing, rows: [first, second], .. } = self;
        for (edge, (&from, &to)) in (0..).zip(sources.iter().zip(&*targets)) {
            let after = outgoing.of(to);
            let kept = |&next: &u32| if backtracking { next != edge } else { targets[next as usize] != from };
            match backtracking && from != to {
                true => second.extend_from_slice(after),
                false => second.extend(after.iter().copied().filter(kept)),
            }
            first.resize(second.len(), edge);
        }
    }
}
