//! Pooling: from rows of nodes to rows of graphs.

use super::rows::{as_values, wide};
use crate::Error;
use crate::TensorBatch;
use tch::Tensor;

/// Sum of the node rows of each graph: `[nodes, width]` to `[graphs, width]`; rows of padding graphs are zero.
pub fn sum_pool(node_level: &Tensor, batch: &TensorBatch) -> Result<Tensor, Error> {
    let graphs = batch.shape().graphs() as i64;
    let zeros = Tensor::f_zeros([graphs, node_level.size2()?.1], (node_level.kind(), node_level.device()))?;
    let sums = zeros.f_index_add(0, batch.batch()?, node_level)?;
    // A product with the mask would keep a NaN.
    Ok(sums.f_masked_fill(&batch.graph_mask().f_logical_not()?.f_unsqueeze(1)?, 0.0)?)
}

/// Mean of the node rows of each graph: `[nodes, width]` to `[graphs, width]`; rows of padding graphs and of graphs
/// without nodes are zero.
pub fn mean_pool(node_level: &Tensor, batch: &TensorBatch) -> Result<Tensor, Error> {
    let graphs = batch.shape().graphs() as i64;
    let ptr = batch.ptr()?;
    let nodes = ptr.f_narrow(0, 1, graphs)?.f_sub(&ptr.f_narrow(0, 0, graphs)?)?;
    let sums = sum_pool(&node_level.f_to_kind(wide(node_level.kind()))?, batch)?;
    Ok(as_values(sums.f_div(&nodes.f_clamp_min(1)?.f_unsqueeze(1)?)?, node_level)?)
}
