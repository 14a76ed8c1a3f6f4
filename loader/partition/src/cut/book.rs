//! [`PartitionBook`]: which part owns which node and edge.

use std::ops::Range;

/// Which part owns which node and edge. The global ids of the nodes of one part and type are a range, and so are those
/// of edges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartitionBook {
    nodes: Ids,
    edges: Ids,
    edge_types: Vec<[String; 3]>,
}

/// Where a node or an edge is, as [`PartitionBook::node`] and [`PartitionBook::edge`] find it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    /// Number of its type: a position in the list of types.
    pub kind: usize,
    /// The part that owns it.
    pub part: usize,
    /// Its position among those that the part owns, of all types: the local id of a node.
    pub local: usize,
    /// Its position among those of its type, in the order of global ids.
    pub within_type: usize,
}

/// Ranges of global ids, of nodes or of edges.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Ids {
    types: Vec<String>,
    parts: usize,
    /// Start of each range, at `part * types + type`, and the end of the last.
    starts: Vec<i64>,
    /// Number of ids of the same type before each range.
    before: Vec<usize>,
}

impl PartitionBook {
    /// Makes a book of the numbers of nodes and edges, `[type][part]`. The first type of nodes determines the number of
    /// parts; missing numbers are 0.
    pub fn new(
        node_types: Vec<String>,
        nodes: &[Vec<usize>],
        edge_types: Vec<[String; 3]>,
        edges: &[Vec<usize>],
    ) -> Self {
        let parts = nodes.first().map_or(0, Vec::len);
        let names = edge_types.iter().map(|name| name.join(":")).collect();
        Self { nodes: Ids::new(node_types, parts, nodes), edges: Ids::new(names, parts, edges), edge_types }
    }

    /// Number of parts.
    pub fn parts(&self) -> usize {
        self.nodes.parts
    }

    /// Names of the types of nodes, in the order of their numbers.
    pub fn node_types(&self) -> &[String] {
        &self.nodes.types
    }

    /// Names of the types of edges as source, relation, target, in the order of their numbers.
    pub fn edge_types(&self) -> &[[String; 3]] {
        &self.edge_types
    }

    /// Names of the types of edges as files have them, `source:relation:target`, in the order of their numbers.
    pub fn edge_names(&self) -> &[String] {
        &self.edges.types
    }

    /// Number of nodes of the whole graph.
    pub fn nodes(&self) -> usize {
        self.nodes.len()
    }

    /// Number of nodes of a type; 0 if there is no such type.
    pub fn nodes_of(&self, kind: usize) -> usize {
        (0..self.parts()).map(|part| self.node_range(kind, part).count()).sum()
    }

    /// Number of edges of a type; 0 if there is no such type.
    pub(crate) fn edges_of(&self, kind: usize) -> usize {
        (0..self.parts()).map(|part| self.edge_range(kind, part).count()).sum()
    }

    /// Number of edges of the whole graph.
    pub fn edges(&self) -> usize {
        self.edges.len()
    }

    /// Global ids of the nodes of a type that a part owns; empty if there is no such type or part.
    pub fn node_range(&self, kind: usize, part: usize) -> Range<i64> {
        self.nodes.range(kind, part)
    }

    /// Global ids of the edges of a type that a part owns; empty if there is no such type or part.
    pub fn edge_range(&self, kind: usize, part: usize) -> Range<i64> {
        self.edges.range(kind, part)
    }

    /// Global ids of the nodes of all types that a part owns.
    pub(crate) fn part_nodes(&self, part: usize) -> Range<i64> {
        self.nodes.of_part(part)
    }

    /// Global ids of the edges of all types that a part owns.
    pub(crate) fn part_edges(&self, part: usize) -> Range<i64> {
        self.edges.of_part(part)
    }

    /// Finds the node with a global id by binary search; `None` if there is none.
    pub fn node(&self, id: i64) -> Option<Location> {
        self.nodes.place(id)
    }

    /// Finds the edge with a global id by binary search; `None` if there is none.
    pub fn edge(&self, id: i64) -> Option<Location> {
        self.edges.place(id)
    }

    /// The global id of a part's node by its local id, the inverse of [`PartitionBook::node`].
    pub fn node_id(&self, part: usize, local: usize) -> Option<i64> {
        let Ids { types, parts, starts, .. } = &self.nodes;
        if part >= *parts {
            return None;
        }
        let starts = starts.get(part * types.len()..=(part + 1) * types.len())?;
        let id = starts[0].checked_add_unsigned(local as u64)?;
        (id < *starts.last()?).then_some(id)
    }
}

impl Ids {
    fn new(types: Vec<String>, parts: usize, counts: &[Vec<usize>]) -> Self {
        let (mut starts, mut before) = (vec![0], Vec::new());
        let mut seen = vec![0_usize; types.len()];
        let mut id = 0_i64;
        for part in 0..parts {
            for (kind, seen) in seen.iter_mut().enumerate() {
                before.push(*seen);
                let count = counts.get(kind).and_then(|counts| counts.get(part)).copied().unwrap_or(0);
                *seen = seen.saturating_add(count);
                id = i64::saturating_add_unsigned(id, count as u64);
                starts.push(id);
            }
        }
        Self { types, parts, starts, before }
    }

    fn len(&self) -> usize {
        self.starts.last().map_or(0, |&end| end as usize)
    }

    fn range(&self, kind: usize, part: usize) -> Range<i64> {
        if kind >= self.types.len() || part >= self.parts {
            return 0..0;
        }
        let at = part * self.types.len() + kind;
        self.starts[at]..self.starts[at + 1]
    }

    fn of_part(&self, part: usize) -> Range<i64> {
        if part >= self.parts {
            return 0..0;
        }
        self.starts[part * self.types.len()]..self.starts[(part + 1) * self.types.len()]
    }

    fn place(&self, id: i64) -> Option<Location> {
        if id < 0 || id >= self.len() as i64 {
            return None;
        }
        // The last range that starts at or before the id; an empty range starts where the next one does.
        let at = self.starts.partition_point(|&start| start <= id) - 1;
        let (part, kind) = (at / self.types.len(), at % self.types.len());
        let local = (id - self.starts[part * self.types.len()]) as usize;
        Some(Location { kind, part, local, within_type: self.before[at] + (id - self.starts[at]) as usize })
    }
}

#[cfg(test)]
mod tests {
    use super::PartitionBook;

    #[test]
    fn ids_lead_to_places_and_back() {
        let edge = ["a".to_owned(), "r".to_owned(), "b".to_owned()];
        let book = PartitionBook::new(
            vec!["a".into(), "b".into()],
            &[vec![2, 0, 3], vec![0, 4, 1]],
            vec![edge],
            &[vec![1, 0, 2]],
        );
        assert_eq!((book.parts(), book.nodes(), book.edges()), (3, 10, 3));
        assert_eq!([0, 1, 2].map(|kind| book.nodes_of(kind)), [5, 5, 0]);
        let mut expected = 0;
        for part in 0..3 {
            for kind in 0..2 {
                for id in book.node_range(kind, part) {
                    assert_eq!(id, expected);
                    let place = book.node(id).expect("it exists");
                    assert_eq!((place.kind, place.part), (kind, part));
                    assert_eq!(book.node_id(part, place.local), Some(id));
                    expected += 1;
                }
            }
        }
        assert_eq!(expected, 10);
        assert_eq!(book.node(8).map(|place| place.within_type), Some(4), "the last of type a");
        assert_eq!((book.node(10), book.node(-1), book.node_id(0, 2), book.node_id(3, 0)), (None, None, None, None));
        assert_eq!((book.node_id(usize::MAX, 0), book.node_range(2, 0), book.edge_range(0, 3)), (None, 0..0, 0..0));
    }
}
