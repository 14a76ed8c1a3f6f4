//! [`Stream`]: a feature on its way to the files of parts.

use super::spill::Spill;
use super::stop::Stop;
use crate::dgl::FeatureRows;
use crate::{ChunkedFeature, ChunkedGraph, PartitionBook};
use std::io::{self, Write};

/// A feature on its way, numbered among all streams.
pub(super) struct Stream<'a> {
    number: usize,
    of_nodes: bool,
    /// The type of nodes or edges.
    kind: usize,
    feature: &'a ChunkedFeature,
}

impl<'a> Stream<'a> {
    /// All features, numbered after the edges of each type that parts own and those that lead out of them.
    pub(super) fn all(graph: &'a ChunkedGraph) -> Vec<Self> {
        let (nodes, edges) = (graph.node_types(), graph.edge_types());
        let of_nodes = nodes.iter().enumerate().map(|(kind, of)| (true, kind, of.features()));
        let of_edges = edges.iter().enumerate().map(|(kind, of)| (false, kind, of.features()));
        let all = of_nodes
            .chain(of_edges)
            .flat_map(|(of_nodes, kind, features)| features.iter().map(move |feature| (of_nodes, kind, feature)));
        let numbered = (2 * edges.len()..).zip(all);
        numbered.map(|(number, (of_nodes, kind, feature))| Self { number, of_nodes, kind, feature }).collect()
    }

    /// Its number among all streams.
    pub(super) fn number(&self) -> usize {
        self.number
    }

    /// Whether it is of nodes, not of edges.
    pub(super) fn of_nodes(&self) -> bool {
        self.of_nodes
    }

    /// The type of nodes or edges.
    pub(super) fn kind(&self) -> usize {
        self.kind
    }

    pub(super) fn feature(&self) -> &'a ChunkedFeature {
        self.feature
    }

    /// Number of bytes of a row.
    pub(super) fn row_bytes(&self) -> usize {
        self.feature.row_bytes()
    }

    /// Returns a function that copies the rows of a part.
    pub(super) fn copy(&self, spill: &Spill, stop: &Stop) -> impl Fn(&mut dyn Write) -> io::Result<()> {
        let number = self.number;
        move |to| {
            let copied = spill.read(number, 1, |_, rows| {
                stop.check().map_err(io::Error::other)?;
                to.write_all(rows)
            });
            copied.map_err(io::Error::other)
        }
    }

    /// Describes the rows of a part, which `write` writes.
    pub(super) fn rows<'w>(
        &self,
        book: &PartitionBook,
        part: usize,
        write: &'w dyn Fn(&mut dyn Write) -> io::Result<()>,
    ) -> FeatureRows<'w> {
        let (kind, rows) = if self.of_nodes {
            (book.node_types()[self.kind].clone(), book.node_range(self.kind, part).count())
        } else {
            (book.edge_types()[self.kind].join(":"), book.edge_range(self.kind, part).count())
        };
        let shape = [rows].into_iter().chain(self.feature.row().iter().copied()).collect();
        FeatureRows { name: format!("{kind}/{}", self.feature.name()), element: self.feature.element(), shape, write }
    }
}
