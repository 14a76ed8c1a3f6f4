//! GraphSAGE with means (Hamilton et al., arXiv 1706.02216): a class for each node.

mod network;
mod whole;

pub(crate) use network::Sage;
pub(crate) use whole::Whole;
