//! [`Gather`]: parts, one after the other, on the way to be [`Clusters`].

use super::clusters::{Halo, Table};
use super::columns::{check_wanted, choose};
use super::links::Links;
use super::{ClusterOptions, Clusters, ClustersError};
use crate::{Array, Part, PartitionBook};
use crate::{PartError, part_check as check};
use graphpack_loader::fingerprint::{mix_bytes, samples};
use graphpack_loader::{Dtype, Field, Level, Schema, Source};

/// What the parts so far give.
pub(super) struct Gather<'a> {
    book: &'a PartitionBook,
    options: &'a ClusterOptions,
    clusters: Clusters,
    /// The position of each part among the clusters.
    position: Vec<Option<usize>>,
    /// Global ids of the HALO's nodes and of all edges of each part, until all parts are there.
    halo_ids: Vec<[Vec<i64>; 2]>,
    /// First row of the edges of each cluster.
    edge_starts: Vec<usize>,
}

impl<'a> Gather<'a> {
    pub(super) fn new(book: &'a PartitionBook, options: &'a ClusterOptions) -> Result<Self, ClustersError> {
        let (nodes, edges) = (book.node_types().len(), book.edge_types().len());
        if nodes != 1 || edges > 1 {
            return Err(ClustersError::Types { nodes, edges });
        }
        if let Some(ids) = options.original_ids.as_ref().filter(|ids| ids.len() != book.nodes()) {
            return Err(ClustersError::Ids { expected: book.nodes(), found: ids.len() });
        }
        let clusters = Clusters {
            schema: Schema::default(),
            parts: Vec::new(),
            starts: vec![0],
            node_ids: Vec::new(),
            nodes: Vec::new(),
            edges: Vec::new(),
            links: Links::default(),
            halos: options.halo.then(Vec::new),
            fingerprint: 0,
        };
        let position = vec![None; book.parts()];
        Ok(Self { book, options, clusters, position, halo_ids: Vec::new(), edge_starts: vec![0] })
    }

    pub(super) fn add(&mut self, part: &Part) -> Result<(), ClustersError> {
        let number = part.number;
        let wrong = |source| ClustersError::Part { part: number, source };
        check::part(part, self.book).map_err(wrong)?;
        if self.position[number].is_some() {
            return Err(ClustersError::Twice { part: number });
        }
        if self.clusters.parts.is_empty() {
            self.choose(part)?;
        }
        self.position[number] = Some(self.clusters.parts.len());
        self.clusters.parts.push(number);
        let inner = &part.node_ids[..part.inner_nodes];
        match &self.options.original_ids {
            // The book has all nodes of the part, and as many ids as nodes.
            Some(ids) => self.clusters.node_ids.extend(inner.iter().map(|&id| ids[id as usize])),
            None => self.clusters.node_ids.extend(inner),
        }
        self.clusters.starts.push(self.clusters.node_ids.len());
        self.edge_starts.push(self.edge_starts.last().map_or(0, |start| start + part.inner_edges));
        let (nodes, edges) = (self.clusters.node_ids.len(), self.edge_starts.last().copied().unwrap_or_default());
        let counts =
            [("nodes", nodes), ("edges", edges), ("nodes", part.node_ids.len()), ("edges", part.sources.len())];
        if let Some(&(what, count)) = counts.iter().find(|(_, count)| *count > i32::MAX as usize) {
            return Err(ClustersError::TooLarge { what, count });
        }
        let order = self.add_edges(part);
        self.add_features(part, order.as_deref())
    }

    /// The fields, from the features of the first part.
    fn choose(&mut self, part: &Part) -> Result<(), ClustersError> {
        let failed = |source| ClustersError::Feature { part: part.number, source };
        let edge_kind = self.book.edge_types().first().map(|name| name.join(":")).unwrap_or_default();
        let levels = [
            (self.book.node_types()[0].as_str(), Level::Node, &part.node_features),
            (edge_kind.as_str(), Level::Edge, &part.edge_features),
        ];
        let wanted = self.options.features.as_deref();
        if let Some(wanted) = wanted {
            let known =
                levels.iter().flat_map(|(kind, _, features)| features.iter().map(|(full, _)| (full.as_str(), *kind)));
            check_wanted(wanted, known).map_err(failed)?;
        }
        let tables = levels.map(|(kind, level, features)| {
            let features = features.iter().map(|(full, array)| (full.as_str(), array));
            let chosen = choose(features, kind, level, wanted)?;
            Ok(chosen.into_iter().map(|chosen| Table { chosen, bytes: Vec::new() }).collect())
        });
        let [nodes, edges] = tables;
        (self.clusters.nodes, self.clusters.edges) = (nodes.map_err(failed)?, edges.map_err(failed)?);
        let field = |table: &Table| table.chosen.field.clone();
        let mut fields: Vec<Field> = self.clusters.nodes.iter().map(field).collect();
        fields.push(Field::new("owned", Level::Node, Dtype::Bool, 1));
        fields.push(Field::new("node_id", Level::Node, Dtype::I64, 1));
        fields.extend(self.clusters.edges.iter().map(field));
        self.clusters.schema = Schema::new(fields).map_err(|error| failed(error.into()))?;
        Ok(())
    }

    /// Returns the order that links have the edges in.
    fn add_edges(&mut self, part: &Part) -> Option<Vec<u32>> {
        match &mut self.clusters.halos {
            None => {
                let source = |&source: &i64| {
                    let local = source as usize;
                    if local < part.inner_nodes {
                        return (part.number, source as u32);
                    }
                    let owner = self.book.node(part.node_ids[local]);
                    owner.map_or((usize::MAX, 0), |owner| (owner.part, owner.local as u32))
                };
                let sources: Vec<_> = part.sources[..part.inner_edges].iter().map(source).collect();
                Some(self.clusters.links.add(&sources, &part.targets))
            }
            Some(halos) => {
                let narrow = |ids: &[i64]| ids.iter().map(|&id| id as u32).collect();
                let (sources, targets) = (narrow(&part.sources), narrow(&part.targets));
                halos.push(Halo { sources, targets, ..Halo::default() });
                let edges = if self.clusters.edges.is_empty() { Vec::new() } else { part.edge_ids.clone() };
                self.halo_ids.push([part.node_ids[part.inner_nodes..].to_vec(), edges]);
                None
            }
        }
    }

    fn add_features(&mut self, part: &Part, order: Option<&[u32]>) -> Result<(), ClustersError> {
        let number = part.number;
        let first = self.clusters.parts[0];
        for (tables, features, rows) in [
            (&mut self.clusters.nodes, &part.node_features, part.inner_nodes),
            (&mut self.clusters.edges, &part.edge_features, part.inner_edges),
        ] {
            for Table { chosen, bytes } in tables {
                let feature = chosen.full.clone();
                let expected = kind(chosen.field.dtype, chosen.field.width);
                let differs = |found| ClustersError::Differs { part: number, first, feature, expected, found };
                let Some((_, array)) = features.iter().find(|(name, _)| *name == chosen.full) else {
                    return Err(differs("not at all".into()));
                };
                let found = array.element();
                let width = array.row_bytes() / found.bytes();
                if found.dtype() != Some(chosen.field.dtype) || width != chosen.field.width {
                    return Err(differs(kind(found, width)));
                }
                if array.shape().first() != Some(&rows) {
                    let found = array.shape().first().copied().unwrap_or_default();
                    let source = PartError::Feature { name: chosen.full.clone(), expected: rows.to_string(), found };
                    return Err(ClustersError::Part { part: number, source });
                }
                super::columns::check_bool(&chosen.full, array)
                    .map_err(|source| ClustersError::Feature { part: number, source })?;
                append(bytes, array, order.filter(|_| chosen.field.level == Level::Edge));
            }
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<Clusters, ClustersError> {
        if self.clusters.halos.is_none() {
            self.clusters.links.finish(&self.position);
        }
        if let Some(halos) = &mut self.clusters.halos {
            for ((halo, [nodes, edges]), &part) in halos.iter_mut().zip(&self.halo_ids).zip(&self.clusters.parts) {
                halo.nodes.reserve_exact(nodes.len());
                for &node in nodes {
                    // The book has every node of a part that was checked.
                    let Some(place) = self.book.node(node) else { continue };
                    let Some(position) = self.position[place.part] else {
                        return Err(ClustersError::Missing { part, what: "node", id: node, owner: place.part });
                    };
                    halo.nodes.push((self.clusters.starts[position] + place.local) as u32);
                }
                for &edge in edges {
                    let Some(place) = self.book.edge(edge) else { continue };
                    let Some(position) = self.position[place.part] else {
                        return Err(ClustersError::Missing { part, what: "edge", id: edge, owner: place.part });
                    };
                    halo.edges.push((self.edge_starts[position] + place.local) as u32);
                }
            }
        }
        self.clusters.fingerprint = fingerprint(&self.clusters);
        Ok(self.clusters)
    }
}

fn kind(element: impl std::fmt::Display, width: usize) -> String {
    format!("as {element} of width {width}")
}

fn append(bytes: &mut Vec<u8>, array: &Array, order: Option<&[u32]>) {
    match order {
        None => bytes.extend_from_slice(array.bytes()),
        Some(order) => {
            let width = array.row_bytes();
            for &row in order {
                bytes.extend_from_slice(&array.bytes()[row as usize * width..(row as usize + 1) * width]);
            }
        }
    }
}

/// Of sizes and ids, all edges, and features of some rows.
fn fingerprint(clusters: &Clusters) -> u64 {
    let mut hash = clusters.sizes_fingerprint();
    let halos = clusters.halos.iter().flatten().flat_map(|halo| [&halo.nodes, &halo.sources, &halo.targets]);
    for list in [&clusters.links.sources, &clusters.links.targets].into_iter().chain(halos) {
        hash = mix_bytes(hash, bytemuck::cast_slice(list));
    }
    hash = mix_bytes(hash, bytemuck::cast_slice(&clusters.node_ids));
    let tables = clusters.nodes.iter().map(|table| (table, clusters.nodes()));
    let tables = tables
        .chain(clusters.edges.iter().map(|table| (table, table.bytes.len() / table.chosen.field.row_bytes().max(1))));
    tables.fold(hash, |hash, (table, rows)| {
        samples(rows).fold(hash, |hash, row| mix_bytes(hash, table.rows(row..row + 1)))
    })
}
