//! [`Body`]: the edges of a cluster, and the nodes of its HALO; [`Bodies`]: those of all clusters, in memory or read from
//! files when they are wanted.

use super::ClustersError;
use super::fields::Sets;
use super::tables::{Place, Tables, owned};
use crate::dgl::PartReader;
use crate::{Part, PartitionBook};
use graphpack_loader::extend::{mix, mix_bytes};
use graphpack_loader::{Error, Level, Size};
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// What of a cluster is not in the tables.
#[derive(Debug)]
pub(super) struct Body {
    /// The HALO, for each type of nodes; empty in clusters without.
    pub(super) halo: Vec<Vec<Place>>,
    /// For each type of edges.
    pub(super) edges: Vec<Ends>,
}

/// Edges of one type. With HALO, ends are numbers of nodes in the cluster. Without, they are numbers within the part
/// that owns the node, and edges are ordered by the part of their source.
#[derive(Debug, Default)]
pub(super) struct Ends {
    pub(super) sources: Vec<u32>,
    pub(super) targets: Vec<u32>,
    /// Where the features are, if there are any.
    pub(super) rows: Vec<Place>,
}

/// What stays in memory of a cluster.
#[derive(Debug)]
pub(super) struct ClusterOutline {
    /// Number of the part.
    pub(super) part: usize,
    pub(super) size: Size,
    /// Edges by their type and then by the part of their source; none of clusters with HALO.
    pub(super) blocks: Vec<Block>,
    /// Other parts that have features of the cluster.
    pub(super) owners: Vec<usize>,
    /// Of the body.
    pub(super) hash: u64,
}

/// Edges of one type into a cluster from one part.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) kind: usize,
    pub(super) from: usize,
    pub(super) edges: Range<usize>,
}

/// The types of a part.
pub(super) struct Types<'a> {
    pub(super) book: &'a PartitionBook,
    pub(super) sets: &'a Sets,
    /// Whether clusters have a HALO.
    pub(super) halo: bool,
    /// Whether edges have features, for each type.
    pub(super) featured: Vec<bool>,
}

impl Types<'_> {
    /// Makes the cluster of a part that agrees with the book.
    pub(super) fn cluster(&self, part: &Part) -> (ClusterOutline, Body) {
        let mut blocks = Vec::new();
        let body = if self.halo { self.with_halo(part) } else { self.without_halo(part, &mut blocks) };
        let size = self.sets.size(|set| match set.checked_sub(self.sets.node_types()) {
            None => owned(self.book, self.sets, set, part.number) + body.halo.get(set).map_or(0, Vec::len),
            Some(kind) if self.halo => body.edges.get(kind).map_or(0, |ends| ends.sources.len()),
            Some(kind) => {
                let within = blocks.iter().find(|block| (block.kind, block.from) == (kind, part.number));
                within.map_or(0, |block| block.edges.len())
            }
        });
        let places = body.halo.iter().flatten().chain(body.edges.iter().flat_map(|ends| &ends.rows));
        let mut owners: Vec<usize> = places.map(|place| place[0] as usize).collect();
        owners.sort_unstable();
        owners.dedup();
        owners.retain(|&owner| owner != part.number);
        let hash = body.hash();
        (ClusterOutline { part: part.number, size, blocks, owners, hash }, body)
    }

    /// Where a node of another part is, and its type.
    fn place(&self, id: i64) -> (usize, Place) {
        // The part was checked, so that the book has all of its nodes.
        self.book.node(id).map_or_else(Default::default, |node| {
            let row = id - self.book.node_range(node.kind, node.part).start;
            (node.kind, [node.part as u32, row as u32])
        })
    }

    /// The first own node of each type, by its number in the part.
    fn starts(&self, part: usize) -> Vec<usize> {
        let start = self.book.part_nodes(part).start;
        (0..self.sets.node_types()).map(|kind| (self.book.node_range(kind, part).start - start) as usize).collect()
    }

    /// Positions of the edges of a type that a part owns.
    fn own_edges(&self, kind: usize, part: usize) -> Range<usize> {
        let (ids, start) = (self.book.edge_range(kind, part), self.book.part_edges(part).start);
        (ids.start - start) as usize..(ids.end - start) as usize
    }

    fn without_halo(&self, part: &Part, blocks: &mut Vec<Block>) -> Body {
        let starts = self.starts(part.number);
        let halo: Vec<Place> = part.node_ids[part.inner_nodes..].iter().map(|&id| self.place(id).1).collect();
        let edges = self.sets.ends().iter().enumerate().map(|(kind, &[from, to])| {
            let own = self.own_edges(kind, part.number);
            let source = |edge: u32| {
                let local = part.sources[own.start + edge as usize] as usize;
                let inside = || [part.number as u32, (local - starts[from]) as u32];
                local.checked_sub(part.inner_nodes).map_or_else(inside, |at| halo[at])
            };
            let mut order: Vec<u32> = (0..own.len() as u32).collect();
            order.sort_by_key(|&edge| source(edge)[0]);
            let mut ends = Ends::default();
            for &edge in &order {
                let [owner, row] = source(edge);
                let at = ends.sources.len();
                match blocks.last_mut().filter(|block| (block.kind, block.from) == (kind, owner as usize)) {
                    Some(block) => block.edges.end = at + 1,
                    None => blocks.push(Block { kind, from: owner as usize, edges: at..at + 1 }),
                }
                ends.sources.push(row);
                ends.targets.push((part.targets[own.start + edge as usize] as usize - starts[to]) as u32);
            }
            if self.featured[kind] {
                ends.rows = order.iter().map(|&edge| [part.number as u32, edge]).collect();
            }
            ends
        });
        Body { halo: Vec::new(), edges: edges.collect() }
    }

    /// What own nodes get messages from: nodes and edges that the part has only because its own edges lead out of it
    /// are left out.
    fn with_halo(&self, part: &Part) -> Body {
        let (starts, hops) = (self.starts(part.number), part.hops());
        let mut halo = vec![Vec::new(); self.sets.node_types()];
        let numbers: Vec<u32> = (part.inner_nodes..part.node_ids.len())
            .map(|node| {
                if hops[node] > part.halo_hops {
                    return 0;
                }
                let (kind, place) = self.place(part.node_ids[node]);
                halo[kind].push(place);
                (owned(self.book, self.sets, kind, part.number) + halo[kind].len() - 1) as u32
            })
            .collect();
        let number = |kind: usize, local: i64| {
            let inside = || (local as usize - starts[kind]) as u32;
            (local as usize).checked_sub(part.inner_nodes).map_or_else(inside, |at| numbers[at])
        };
        let mut edges: Vec<Ends> = self.sets.ends().iter().map(|_| Ends::default()).collect();
        let mut add = |kind: usize, edge: usize, place: Place| {
            let ([from, to], ends) = (self.sets.ends()[kind], &mut edges[kind]);
            ends.sources.push(number(from, part.sources[edge]));
            ends.targets.push(number(to, part.targets[edge]));
            if self.featured[kind] {
                ends.rows.push(place);
            }
        };
        for kind in 0..self.sets.ends().len() {
            for (row, edge) in self.own_edges(kind, part.number).enumerate() {
                add(kind, edge, [part.number as u32, row as u32]);
            }
        }
        let inside = |edge: &usize| hops[part.targets[*edge] as usize] < part.halo_hops;
        for edge in (part.inner_edges..part.edge_ids.len()).filter(inside) {
            let Some(place) = self.book.edge(part.edge_ids[edge]) else { continue };
            let row = part.edge_ids[edge] - self.book.edge_range(place.kind, place.part).start;
            add(place.kind, edge, [place.part as u32, row as u32]);
        }
        Body { halo, edges }
    }
}

impl Body {
    /// Bytes in memory.
    pub(super) fn bytes(&self) -> usize {
        let ends = self.edges.iter().map(|ends| 4 * (ends.sources.len() + ends.targets.len()) + 8 * ends.rows.len());
        ends.chain(self.halo.iter().map(|halo| 8 * halo.len())).sum()
    }

    fn hash(&self) -> u64 {
        let hash = self.halo.iter().fold(0, |hash, halo| mix_bytes(hash, bytemuck::cast_slice(halo)));
        self.edges.iter().fold(hash, |hash, ends| {
            let hash = mix_bytes(hash, bytemuck::cast_slice(&ends.sources));
            let hash = mix_bytes(hash, bytemuck::cast_slice(&ends.targets));
            mix(mix_bytes(hash, bytemuck::cast_slice(&ends.rows)), ends.rows.len() as u64)
        })
    }
}

/// The edges of all clusters.
#[derive(Debug)]
pub(super) enum Bodies {
    /// All in memory.
    Memory(Vec<Arc<Body>>),
    /// In files, of which those used last are kept.
    Files(Box<InFiles>),
}

/// The edges of clusters in files.
#[derive(Debug)]
pub(super) struct InFiles {
    pub(super) files: PartReader,
    /// The most that are kept.
    pub(super) keep: usize,
    /// Clusters, the one used last at the end.
    pub(super) kept: Mutex<VecDeque<(usize, Arc<Body>)>>,
}

impl Tables {
    /// How parts become clusters.
    pub(super) fn types(&self, halo: bool) -> Types<'_> {
        let of_edges = |kind: usize| Level::Set(self.sets.of_edges(kind) as u8);
        let kinds = 0..self.sets.ends().len();
        let has = |kind| self.fields.chosen.iter().any(|chosen| chosen.field.level == of_edges(kind));
        Types { book: &self.book, sets: &self.sets, halo, featured: kinds.map(has).collect() }
    }
}

impl Bodies {
    /// The edges of a cluster.
    pub(super) fn get(
        &self,
        cluster: usize,
        outline: &ClusterOutline,
        tables: &Tables,
        halo: bool,
    ) -> Result<Arc<Body>, Error> {
        let InFiles { files, keep, kept } = match self {
            Self::Memory(bodies) => return Ok(bodies[cluster].clone()),
            Self::Files(files) => &**files,
        };
        let lock = || kept.lock().unwrap_or_else(PoisonError::into_inner);
        let found = {
            let mut kept = lock();
            let at = kept.iter().position(|(other, _)| *other == cluster);
            at.and_then(|at| kept.remove(at)).map(|(_, body)| body)
        };
        let body = match found {
            Some(body) => body,
            None => {
                let (found, body) = tables.types(halo).cluster(&files.graph(outline.part)?);
                if found.hash != outline.hash {
                    return Err(ClustersError::Changed { path: files.graph_path(outline.part)? }.into());
                }
                Arc::new(body)
            }
        };
        if *keep > 0 {
            let mut kept = lock();
            kept.retain(|(other, _)| *other != cluster);
            kept.push_back((cluster, body.clone()));
            let over = kept.len().saturating_sub(*keep);
            kept.drain(..over);
        }
        Ok(body)
    }

    /// Bytes in memory.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Memory(bodies) => bodies.iter().map(|body| body.bytes()).sum(),
            Self::Files(files) => {
                files.kept.lock().unwrap_or_else(PoisonError::into_inner).iter().map(|(_, body)| body.bytes()).sum()
            }
        }
    }
}
