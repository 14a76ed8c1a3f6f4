//! [`Packing`]: what a way of batching makes of a capacity: limits and shapes.

use crate::options::Options;
use crate::shapes::ShapeRule;
use crate::{Batching, BuildError, Capacity, Oversize};
use graphpack_core::{Histogram, Limits, Rounding, Size};

/// How graphs come together, and in which shapes.
pub(crate) struct Packing {
    /// Of a pack.
    pub(crate) limits: Limits<2>,
    /// What the capacity gave, where graphs may exceed it.
    pub(crate) declared: Limits<2>,
    pub(crate) rule: ShapeRule,
    /// Whether graphs may exceed the limits.
    pub(crate) any: bool,
}

impl Options {
    /// What the batching makes of the capacity.
    pub(crate) fn packing(&self, sizes: &[Size<2>], all: &Histogram<2>) -> Result<Packing, BuildError> {
        let unlimited = Limits::new([u32::MAX; 2]).graphs(u32::MAX);
        let fixed = |limits: &Limits<2>| {
            let shape = self.padding.shape(limits, self.packs);
            shape
                .map(|shape| ShapeRule::Fixed { shape, alone: None })
                .ok_or(BuildError::TooLarge { limits: *limits, packs: self.packs })
        };
        let packing = match self.batching {
            Batching::Window { open } if !(1..=128).contains(&open) => return Err(BuildError::Window { open }),
            Batching::Packed(_) | Batching::Window { .. } | Batching::Dynamic => {
                let limits = self.capacity.limits(sizes, all, self.padding)?;
                return Ok(Packing { limits, declared: limits, rule: fixed(&limits)?, any: false });
            }
            Batching::StaticConstant => {
                let capacity = match self.capacity {
                    Capacity::Graphs(0) => return Err(BuildError::Zero { option: "graphs per batch" }),
                    Capacity::Graphs(graphs) => Capacity::Constant { batch_size: graphs.saturating_add(1) },
                    other => other,
                };
                let limits = capacity.limits(sizes, all, self.padding)?;
                Packing { limits: unlimited.graphs(limits.graphs), declared: limits, rule: fixed(&limits)?, any: true }
            }
            Batching::Static64 => self.rounded(unlimited.graphs(self.graphs()?), Rounding::Multiple(64)),
            Batching::StaticPow2 => self.rounded(unlimited.graphs(self.graphs()?), Rounding::PowerOfTwo),
            Batching::NodeBudget { nodes: most } | Batching::EdgeBudget { edges: most } => {
                let component = usize::from(matches!(self.batching, Batching::EdgeBudget { .. }));
                let mut limits = unlimited;
                limits.size.0[component] = most;
                limits.check()?;
                Packing { any: false, ..self.rounded(limits, Rounding::Multiple(1)) }
            }
            Batching::GraphsOrNodes { nodes } => {
                let limits = Limits::new([nodes, u32::MAX]).graphs(self.graphs()?);
                limits.check()?;
                self.rounded(limits, Rounding::Multiple(1))
            }
        };
        if self.packs != 1 {
            return Err(self.meaningless("packs_per_batch"));
        }
        if packing.any && self.oversize != Oversize::Error || self.oversize == Oversize::Alone {
            return Err(self.meaningless("oversize"));
        }
        Ok(packing)
    }

    /// Batches of several shapes. Those of a fixed number of graphs have room for it in the last, too.
    fn rounded(&self, limits: Limits<2>, rounding: Rounding) -> Packing {
        let unpadded = rounding == Rounding::Multiple(1);
        let graphs = if unpadded { None } else { (limits.graphs as usize).checked_add(1) };
        Packing { limits, declared: limits, rule: ShapeRule::Rounded { rounding, graphs }, any: true }
    }

    /// The fixed number of graphs per batch.
    fn graphs(&self) -> Result<u32, BuildError> {
        match self.capacity.graphs() {
            Some(0) => Err(BuildError::Zero { option: "graphs per batch" }),
            Some(graphs) => Ok(graphs),
            None => Err(self.meaningless("a capacity of limits")),
        }
    }

    pub(crate) fn meaningless(&self, option: &'static str) -> BuildError {
        BuildError::Meaningless { option, batching: self.batching }
    }
}
