//! [`Adjacency`]: the edges of one graph by node, and the pairs of consecutive edges.

use super::rule::Rule;
use crate::layout::{Index, IndexBytes, IndexWidth, Slot, SlotError};
use std::ops::Range;

/// The edges of one graph, sorted by node. All its memory serves the next graph again.
#[derive(Default)]
pub(super) struct Adjacency {
    nodes: usize,
    /// Source and target of each edge.
    ends: [Vec<u32>; 2],
    /// By source, those of one source by number.
    outgoing: Groups,
    /// By target, those of one target by source, then by number.
    incoming: Groups,
    column: Vec<i64>,
    /// For each node, how many of the edges at hand have it as their source.
    tally: Vec<u32>,
    /// First and second edge of each row.
    rows: [Vec<u32>; 2],
}

/// The edges of each node.
#[derive(Default)]
struct Groups {
    /// Where the edges of each node begin, and their number at the end.
    ptr: Vec<usize>,
    edges: Vec<u32>,
}

impl Groups {
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
    /// Reads `edge_index` of a graph, which points into the set at position `nodes`. Errors if batches do not carry it
    /// or if it was not written.
    pub(super) fn read(&mut self, slot: &Slot<'_>, nodes: usize) -> Result<(), SlotError> {
        let rows = slot.size()[nodes];
        self.nodes = rows as usize;
        for (column, ends) in self.ends.iter_mut().enumerate() {
            slot.read_index(Index::EDGE_INDEX, column, &mut self.column)?;
            // A transform may have ignored that an index was refused.
            if let Some(entry) = self.column.iter().position(|node| !(0..i64::from(rows)).contains(node)) {
                let (index, set) = (Index::EDGE_INDEX.to_owned(), slot.schema().sets()[nodes].clone());
                return Err(SlotError::Row { index, column, entry, row: self.column[entry], set, rows });
            }
            ends.clear();
            ends.extend(self.column.iter().map(|&node| node as u32));
        }
        let [sources, targets] = &self.ends;
        self.outgoing.sort(self.nodes, sources, 0..sources.len() as u32);
        self.incoming.sort(self.nodes, targets, self.outgoing.edges.iter().copied());
        Ok(())
    }

    /// Returns the number of rows, without making them.
    pub(super) fn count(&mut self, rule: Rule) -> u64 {
        let meeting = |node| self.incoming.of(node).len() as u64 * self.outgoing.of(node).len() as u64;
        let meeting: u64 = (0..self.nodes as u32).map(meeting).sum();
        let dropped = match rule {
            Rule::LineGraph { backtracking: true } => self.self_loops(),
            Rule::LineGraph { backtracking: false } | Rule::Triplets => self.returning(),
        };
        meeting - dropped
    }

    fn self_loops(&self) -> u64 {
        let [sources, targets] = &self.ends;
        sources.iter().zip(targets).filter(|(source, target)| source == target).count() as u64
    }

    /// Number of pairs that return to the node where they began.
    fn returning(&mut self) -> u64 {
        let Self { ends: [sources, targets], outgoing, incoming, tally, .. } = self;
        tally.clear();
        tally.resize(self.nodes, 0);
        let mut pairs = 0;
        for node in 0..self.nodes as u32 {
            incoming.of(node).iter().for_each(|&edge| tally[sources[edge as usize] as usize] += 1);
            let back = |&edge: &u32| u64::from(tally[targets[edge as usize] as usize]);
            pairs += outgoing.of(node).iter().map(back).sum::<u64>();
            incoming.of(node).iter().for_each(|&edge| tally[sources[edge as usize] as usize] = 0);
        }
        pairs
    }

    /// Makes the rows, about `expected` of them, and returns the first and the second edge of each.
    pub(super) fn rows(&mut self, rule: Rule, expected: usize) -> [IndexBytes<'_>; 2] {
        self.rows.iter_mut().for_each(|edges| {
            edges.clear();
            edges.reserve(expected);
        });
        match rule {
            Rule::Triplets => self.triplets(),
            Rule::LineGraph { backtracking } => self.line_graph(backtracking),
        }
        // No graph has 2^31 edges; if one had, the numbers would be negative and be refused.
        self.rows.each_ref().map(|edges| IndexBytes::new(IndexWidth::I32, bytemuck::cast_slice(edges)))
    }

    fn triplets(&mut self) {
        let Self { ends: [sources, targets], incoming, rows: [first, second], .. } = self;
        for (edge, (&from, &to)) in (0..).zip(sources.iter().zip(&*targets)) {
            let before = incoming.of(from);
            // They are sorted by source, so that those from `to` are neighbours.
            let Range { start, end } = equal(before, |&edge| sources[edge as usize], to);
            first.extend_from_slice(&before[..start]);
            first.extend_from_slice(&before[end..]);
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

/// Where `key` is `value` in `items`, which are sorted by it.
fn equal(items: &[u32], key: impl Fn(&u32) -> u32, value: u32) -> Range<usize> {
    let start = items.partition_point(|item| key(item) < value);
    start..start + items[start..].partition_point(|item| key(item) == value)
}
