//! [`ClustersBuilder`]: makes [`Clusters`] of parts that come one after the other.

use super::chosen::{check_bool, check_wanted, choose};
use super::cluster_nodes::ClusterNodes;
use super::halo::Halo;
use super::links::Links;
use super::table::Table;
use super::{ClusterOptions, Clusters, ClustersError};
use crate::cut::check;
use crate::dgl;
use crate::{Part, PartError, PartitionBook};
use graphpack_loader::{Dtype, Field, Level, Schema};
use std::path::Path;

impl Clusters {
    /// Takes the parts of a partition one after the other and checks them, so that the parts of
    /// [`Cut::parts`](crate::Cut::parts) need never be in memory together.
    pub fn new(
        book: &PartitionBook,
        parts: impl IntoIterator<Item = Part>,
        options: &ClusterOptions,
    ) -> Result<Self, ClustersError> {
        let mut builder = ClustersBuilder::new(book, options)?;
        parts.into_iter().try_for_each(|part| builder.add(&part))?;
        builder.finish()
    }

    /// Reads all parts of a partition in DGL's files, given its `NAME.json`. Masks are uint8 there.
    pub fn read(config: impl AsRef<Path>, options: &ClusterOptions) -> Result<Self, ClustersError> {
        let config = config.as_ref();
        let book = dgl::load_partition_book(config)?;
        let mut builder = ClustersBuilder::new(&book, options)?;
        for part in 0..book.parts() {
            builder.add(&dgl::load_partition(config, part)?.part)?;
        }
        builder.finish()
    }
}

/// What the parts so far have given.
struct ClustersBuilder<'a> {
    book: &'a PartitionBook,
    options: &'a ClusterOptions,
    /// Numbers of the parts.
    parts: Vec<usize>,
    /// The position of each part among the clusters.
    position: Vec<Option<usize>>,
    schema: Schema,
    nodes: ClusterNodes,
    /// Features of nodes and of edges.
    tables: [Vec<Table>; 2],
    links: Links,
    halos: Option<Vec<Halo>>,
    /// Global ids of the HALO's nodes and of all edges of each part, until all parts are there.
    halo_ids: Vec<[Vec<i64>; 2]>,
    /// First row of the edges of each cluster, and the end of the last.
    edge_starts: Vec<usize>,
}

impl<'a> ClustersBuilder<'a> {
    fn new(book: &'a PartitionBook, options: &'a ClusterOptions) -> Result<Self, ClustersError> {
        let (nodes, edges) = (book.node_types().len(), book.edge_types().len());
        if nodes != 1 || edges > 1 {
            return Err(ClustersError::Types { nodes, edges });
        }
        if let Some(ids) = options.original_ids.as_ref().filter(|ids| ids.len() != book.nodes()) {
            return Err(ClustersError::Ids { expected: book.nodes(), found: ids.len() });
        }
        Ok(Self {
            book,
            options,
            parts: Vec::new(),
            position: vec![None; book.parts()],
            schema: Schema::default(),
            nodes: ClusterNodes::new(),
            tables: [Vec::new(), Vec::new()],
            links: Links::default(),
            halos: options.halo.then(Vec::new),
            halo_ids: Vec::new(),
            edge_starts: vec![0],
        })
    }

    fn add(&mut self, part: &Part) -> Result<(), ClustersError> {
        let number = part.number;
        check::part(part, self.book).map_err(|source| ClustersError::Part { part: number, source })?;
        if self.position[number].is_some() {
            return Err(ClustersError::Twice { part: number });
        }
        if self.parts.is_empty() {
            self.choose(part)?;
        }
        self.position[number] = Some(self.parts.len());
        self.parts.push(number);
        let inner = part.node_ids[..part.inner_nodes].iter().copied();
        match &self.options.original_ids {
            // There is an id for each node of the book, and the book has all nodes of the part.
            Some(ids) => self.nodes.push(inner.map(|id| ids[id as usize])),
            None => self.nodes.push(inner),
        }
        let edges = self.edge_starts.last().map_or(0, |start| start + part.inner_edges);
        self.edge_starts.push(edges);
        let nodes = self.nodes.ids().len();
        let counts =
            [("nodes", nodes), ("edges", edges), ("nodes", part.node_ids.len()), ("edges", part.sources.len())];
        if let Some(&(what, count)) = counts.iter().find(|(_, count)| *count > i32::MAX as usize) {
            return Err(ClustersError::TooLarge { what, count });
        }
        let order = self.add_edges(part);
        self.add_features(part, order.as_deref())
    }

    /// Chooses the fields from the features of the first part.
    fn choose(&mut self, part: &Part) -> Result<(), ClustersError> {
        let failed = |source| ClustersError::Feature { part: part.number, source };
        let edge_kind = self.book.edge_types().first().map(|name| name.join(":")).unwrap_or_default();
        let levels = [
            (self.book.node_types()[0].as_str(), Level::NODE, &part.node_features),
            (edge_kind.as_str(), Level::EDGE, &part.edge_features),
        ];
        let wanted = self.options.features.as_deref();
        if let Some(wanted) = wanted {
            let known =
                levels.iter().flat_map(|(kind, _, features)| features.iter().map(|(full, _)| (full.as_str(), *kind)));
            check_wanted(wanted, known).map_err(failed)?;
        }
        let [nodes, edges] = levels.map(|(kind, level, features)| {
            let features = features.iter().map(|(full, array)| (full.as_str(), array));
            Ok(choose(features, kind, level, wanted)?.into_iter().map(Table::new).collect())
        });
        self.tables = [nodes.map_err(failed)?, edges.map_err(failed)?];
        let field = |table: &Table| table.field().clone();
        let mut fields: Vec<Field> = self.tables[0].iter().map(field).collect();
        fields.push(Field::new("owned", Level::NODE, Dtype::Bool, 1));
        fields.push(Field::new("node_id", Level::NODE, Dtype::I64, 1));
        fields.extend(self.tables[1].iter().map(field));
        self.schema = Schema::new(fields).map_err(|error| failed(error.into()))?;
        Ok(())
    }

    /// Returns the order in which edges are kept, where it is not that of the part.
    fn add_edges(&mut self, part: &Part) -> Option<Vec<u32>> {
        let Some(halos) = &mut self.halos else {
            let source = |&source: &i64| {
                let local = source as usize;
                if local < part.inner_nodes {
                    return (part.number, source as u32);
                }
                let owner = self.book.node(part.node_ids[local]);
                owner.map_or((usize::MAX, 0), |owner| (owner.part, owner.local as u32))
            };
            let sources: Vec<_> = part.sources[..part.inner_edges].iter().map(source).collect();
            return Some(self.links.add(&sources, &part.targets));
        };
        halos.push(Halo::new(&part.sources, &part.targets));
        let edges = if self.tables[1].is_empty() { Vec::new() } else { part.edge_ids.clone() };
        self.halo_ids.push([part.node_ids[part.inner_nodes..].to_vec(), edges]);
        None
    }

    fn add_features(&mut self, part: &Part, order: Option<&[u32]>) -> Result<(), ClustersError> {
        let (number, first) = (part.number, self.parts[0]);
        let [nodes, edges] = &mut self.tables;
        for (tables, features, rows, order) in [
            (nodes, &part.node_features, part.inner_nodes, None),
            (edges, &part.edge_features, part.inner_edges, order),
        ] {
            for table in tables {
                let (name, field) = (table.full_name().to_owned(), table.field());
                let expected = kind(field.dtype, field.width);
                let differs =
                    |found| ClustersError::Differs { part: number, first, feature: name.clone(), expected, found };
                let Some((_, array)) = features.iter().find(|(feature, _)| *feature == name) else {
                    return Err(differs("not at all".into()));
                };
                let found = array.element();
                let width = array.row_bytes() / found.bytes();
                if found.dtype() != Some(field.dtype) || width != field.width {
                    return Err(differs(kind(found, width)));
                }
                if array.shape().first() != Some(&rows) {
                    let found = array.shape().first().copied().unwrap_or_default();
                    let source = PartError::Feature { name, expected: rows.to_string(), found };
                    return Err(ClustersError::Part { part: number, source });
                }
                check_bool(&name, array).map_err(|source| ClustersError::Feature { part: number, source })?;
                table.append(array, order);
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Clusters, ClustersError> {
        match &mut self.halos {
            None => self.links.finish(&self.position),
            Some(halos) => {
                for ((halo, [nodes, edges]), &part) in halos.iter_mut().zip(&self.halo_ids).zip(&self.parts) {
                    // The book has every node and edge of a part that was checked.
                    let position = |what, id, owner: usize| {
                        self.position[owner].ok_or(ClustersError::Missing { part, what, id, owner })
                    };
                    let nodes = nodes.iter().filter_map(|&id| Some((id, self.book.node(id)?)));
                    let nodes = nodes
                        .map(|(id, at)| Ok((self.nodes.rows(position("node", id, at.part)?).start + at.local) as u32));
                    let nodes = nodes.collect::<Result<_, ClustersError>>()?;
                    let edges = edges.iter().filter_map(|&id| Some((id, self.book.edge(id)?)));
                    let edges =
                        edges.map(|(id, at)| Ok((self.edge_starts[position("edge", id, at.part)?] + at.local) as u32));
                    halo.set_rows(nodes, edges.collect::<Result<_, ClustersError>>()?);
                }
            }
        }
        Ok(Clusters::assemble(self.schema, self.parts, self.nodes, self.tables, self.links, self.halos))
    }
}

fn kind(element: impl std::fmt::Display, width: usize) -> String {
    format!("as {element} of width {width}")
}
