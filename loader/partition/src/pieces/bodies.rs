//! [`Bodies`]: the edges of clusters, in memory or read from files when they are wanted.

use super::ClustersError;
use super::body::{Body, ClusterOutline, Types};
use super::part_files::PartFiles;
use super::tables::Tables;
use graphpack_loader::Level;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

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
    pub(super) files: PartFiles,
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
    ) -> Result<Arc<Body>, ClustersError> {
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
                    return Err(ClustersError::Changed { path: files.graph_path(outline.part)? });
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
