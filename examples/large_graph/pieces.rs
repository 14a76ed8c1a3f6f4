//! [`Pieces`]: the graphs of batches, which are parts of the large graph or neighbourhoods.

use crate::sage::{Sage, Whole};
use crate::{Args, Method, Outcome};
use graphpack_loader::{Data, Limits};
use graphpack_partition::assign::Metis;
use graphpack_partition::pieces::{ClusterOptions, NeighbourOptions};
use graphpack_partition::{Assignment, ClusterGroups, Clusters, Cut, LargeGraph, Neighbours};
use graphpack_tch::{Error, TensorBatch, masked_mean};
use std::sync::Arc;
use tch::{Kind, Tensor};

/// Parts or neighbourhoods; each epoch draws its own.
pub(crate) enum Pieces {
    Clusters(ClusterGroups),
    Neighbours(Neighbours),
}

impl Pieces {
    /// Makes the pieces; returns them with a description.
    pub(crate) fn new(graph: Arc<LargeGraph>, whole: &Whole, args: &Args) -> Outcome<(Self, String)> {
        if let Some(fan_outs) = &args.fan_outs {
            let roots: Vec<i64> =
                (0..).zip(&whole.masks[0]).filter(|(_, train)| **train).map(|(node, _)| node).collect();
            let what = format!("neighbourhoods of {} training nodes, fan-outs {fan_outs:?}", roots.len());
            let options = NeighbourOptions {
                fan_outs: fan_outs.clone(),
                seed: args.seed,
                features: Some(vec!["x".into()]),
                of_roots: vec!["y".into()],
                ..NeighbourOptions::default()
            };
            return Ok((Self::Neighbours(Neighbours::new(graph, &roots, options)?), what));
        }
        let (parts, per_group) = if args.full { (1, 1) } else { (args.parts, args.clusters) };
        let assignment = match args.method {
            Method::Metis if parts > 1 => Metis::new(parts).seed(args.seed).assign(&graph)?,
            _ => Assignment::random(&graph, parts, args.seed)?,
        };
        let cut = 100.0 * assignment.edge_cut(&graph)? as f64 / graph.edges().max(1) as f64;
        let features = Some(["x", "y", "train_mask"].map(String::from).to_vec());
        let options = ClusterOptions { features, ..ClusterOptions::default() };
        let cutting = Cut::new(&graph, &assignment, 1)?;
        let clusters = Clusters::new(cutting.book(), cutting.parts(), &options)?;
        let groups = ClusterGroups::new(Arc::new(clusters), per_group, args.seed)?.between(!args.apart);
        let what = if args.full {
            "the whole graph".into()
        } else {
            let apart = if args.apart { ", none of them in batches" } else { "" };
            format!("{per_group} of {parts} parts, {cut:.1} % of the edges between parts{apart}")
        };
        Ok((Self::Clusters(groups), what))
    }

    /// Returns limits that the batches of all epochs fit.
    pub(crate) fn limits(&self, epochs: u64, roots: u32) -> Limits {
        match self {
            Self::Clusters(groups) => groups.limits_of(0..epochs),
            Self::Neighbours(neighbours) => neighbours.limits(roots),
        }
    }

    /// Draws those of an epoch.
    pub(crate) fn epoch(&self, epoch: u64) -> Data {
        match self {
            Self::Clusters(groups) => groups.epoch(epoch).into(),
            Self::Neighbours(neighbours) => neighbours.epoch(epoch).into(),
        }
    }

    /// Returns the mean cross-entropy over training nodes: those that the parts own, or the roots.
    pub(crate) fn loss(&self, network: &Sage, batch: &TensorBatch) -> Result<Tensor, Error> {
        let logits = network.forward(batch, true)?;
        let (logits, mask) = match self {
            Self::Clusters(_) => {
                let train = batch.get("train_mask")?.f_to_kind(Kind::Bool)?;
                (logits, train.f_logical_and(batch.get("owned")?)?.f_view(-1)?)
            }
            // The root is the first node of each graph; for padding graphs any row will do.
            Self::Neighbours(_) => {
                let graphs = batch.shape().graphs() as i64;
                let first = batch.ptr()?.f_narrow(0, 0, graphs)?.f_clamp_max(batch.shape().nodes() as i64 - 1)?;
                (logits.f_index_select(0, &first)?, batch.graph_mask().shallow_clone())
            }
        };
        let labels = batch.get("y")?.f_to_kind(Kind::Int64)?.f_view([-1, 1])?;
        let likelihood = logits.f_log_softmax(1, Kind::Float)?.f_gather(1, &labels, false)?.f_view(-1)?;
        Ok(masked_mean(&likelihood.f_neg()?, &mask)?)
    }
}
