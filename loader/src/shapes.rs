//! [`Shapes`]: to which shape each batch is padded, and the layouts of the shapes that occur.

use crate::{Dtype, Layout, Padding, Schema, Shape};
use graphpack_core::Rounding;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// To which shape a batch is padded.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ShapeRule {
    /// All batches to this one, but graphs that exceed it to the other.
    Fixed { shape: Shape, alone: Option<Shape> },
    /// Each to the next that its own nodes and edges give. `graphs` slots for graphs, or one more than there are.
    Rounded { rounding: Rounding, graphs: Option<usize> },
}

impl ShapeRule {
    /// The shape of a batch with that much real. None if it cannot be addressed.
    pub(crate) fn shape(&self, real: Shape, padding: Padding) -> Option<Shape> {
        match *self {
            Self::Fixed { shape, alone: None } => Some(shape),
            Self::Fixed { shape, alone: Some(alone) } => {
                let fits = real.nodes + padding.nodes() <= shape.nodes && real.edges <= shape.edges;
                Some(if real.graphs == 1 && !fits { alone } else { shape })
            }
            Self::Rounded { rounding, graphs } => {
                // Rounding leaves room for one padding node; some paddings want more.
                let nodes = real.nodes.checked_add(padding.nodes() - 1)? as u64;
                let target = rounding.target([nodes, real.edges as u64], 0)?;
                let [nodes, edges] = target.size.0.map(|n| n as usize);
                Some(Shape { nodes, edges, graphs: graphs.unwrap_or(real.graphs + 1) })
            }
        }
    }
}

/// Most layouts that are kept; unpadded batches have a shape nearly each.
const KEPT: usize = 4096;

/// Shape rule and layouts of a loader.
pub(crate) struct Shapes {
    rule: ShapeRule,
    schema: Schema,
    /// Of indices.
    index: Dtype,
    /// The layout of the fixed shape.
    fixed: Option<Arc<Layout>>,
    others: Mutex<HashMap<Shape, Arc<Layout>>>,
}

impl Shapes {
    /// None if a fixed shape is more than can be addressed.
    pub(crate) fn new(rule: ShapeRule, schema: Schema, index: Dtype) -> Option<Self> {
        let fixed = match rule {
            ShapeRule::Fixed { shape, .. } => Some(Arc::new(Layout::new(schema.clone(), shape, index)?)),
            ShapeRule::Rounded { .. } => None,
        };
        Some(Self { rule, schema, index, fixed, others: Mutex::default() })
    }

    pub(crate) fn rule(&self) -> &ShapeRule {
        &self.rule
    }

    /// The layout that all batches have.
    pub(crate) fn only(&self) -> Option<&Arc<Layout>> {
        self.fixed.as_ref().filter(|_| matches!(self.rule, ShapeRule::Fixed { alone: None, .. }))
    }

    /// The layout of a shape, the same for every batch that has it. None if it is more than can be addressed.
    pub(crate) fn layout(&self, shape: Shape) -> Option<Arc<Layout>> {
        if let Some(layout) = self.fixed.as_ref().filter(|layout| layout.shape() == shape) {
            return Some(layout.clone());
        }
        let mut others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(layout) = others.get(&shape) {
            return Some(layout.clone());
        }
        let layout = Arc::new(Layout::new(self.schema.clone(), shape, self.index)?);
        if others.len() < KEPT {
            others.insert(shape, layout.clone());
        }
        Some(layout)
    }
}
