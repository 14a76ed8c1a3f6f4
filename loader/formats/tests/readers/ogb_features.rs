//! [`OgbFeatures`]: the features of OGB's molecules as its raw files have them, graph by graph.

use graphpack_formats::records::{CsvRows, Record, Values};
use std::path::Path;

/// The features of OGB's molecules, graph by graph.
pub(crate) struct OgbFeatures {
    /// Nodes and stored edges of each graph.
    sizes: Vec<(usize, usize)>,
    x: Vec<i64>,
    edges: Vec<i64>,
    edge_attr: Vec<i64>,
    /// The next graph, and the nodes and edges before it.
    next: (usize, usize, usize),
}

impl OgbFeatures {
    /// Those in a data set's folder.
    pub(crate) fn open(folder: &Path) -> Self {
        let read =
            |(name, width): (&str, usize)| CsvRows::read_integers(&folder.join("raw").join(name), width).unwrap().1;
        let counts = |name: &str| read((name, 1)).into_iter().map(|count| count as usize);
        let sizes = counts("num-node-list.csv.gz").zip(counts("num-edge-list.csv.gz")).collect();
        let [x, edges, edge_attr] = [("node-feat.csv.gz", 9), ("edge.csv.gz", 2), ("edge-feat.csv.gz", 3)].map(read);
        Self { sizes, x, edges, edge_attr, next: (0, 0, 0) }
    }

    /// Number of graphs.
    pub(crate) fn graphs(&self) -> usize {
        self.sizes.len()
    }

    /// Whether the next graph is `record`: features, edges and their order. Which of a bond's two edges comes first
    /// counts only `if_directed`.
    pub(crate) fn next_is(&mut self, record: &Record, if_directed: bool) -> bool {
        let (graph, node, edge) = self.next;
        let Some(&(nodes, edges)) = self.sizes.get(graph) else { return false };
        self.next = (graph + 1, node + nodes, edge + edges);
        let integers = |name: &str| match record.field(name).map(|field| &field.values) {
            Some(Values::I64(values)) => values.as_slice(),
            _ => &[],
        };
        let Some([sources, targets]) = &record.edges else { return false };
        let stored = self.edges[2 * edge..2 * (edge + edges)].chunks(2).map(|pair| (pair[0], pair[1]));
        let found = sources.iter().copied().zip(targets.iter().copied());
        let are_edges = found
            .clone()
            .step_by(2)
            .zip(stored)
            .all(|(found, (begin, end))| found == (begin, end) || (!if_directed && found == (end, begin)));
        let are_both_ways =
            found.clone().skip(1).step_by(2).eq(targets.iter().copied().zip(sources.iter().copied()).step_by(2));
        let attr = self.edge_attr[3 * edge..3 * (edge + edges)].chunks(3).flat_map(|row| [row, row]).flatten();
        integers("x") == &self.x[9 * node..9 * (node + nodes)]
            && are_edges
            && are_both_ways
            && sources.len() == 2 * edges
            && attr.eq(integers("edge_attr"))
    }
}
