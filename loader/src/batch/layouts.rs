//! [`Layouts`]: the layout of each shape that occurs.

use crate::layout::{Dtype, Layout, Schema, Shape};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Most layouts that are kept; batches with the least padding alone have nearly as many shapes as there are batches.
const KEPT: usize = 4096;

/// The layout of each shape that occurs, the same one for every batch that has the shape.
pub(crate) struct Layouts {
    schema: Schema,
    /// The type of indices.
    index: Dtype,
    /// That of the shape that nearly all batches have.
    fixed: Option<Arc<Layout>>,
    others: Mutex<HashMap<Shape, Arc<Layout>>>,
}

impl Layouts {
    /// None if batches of the shape `fixed` are more than can be addressed.
    pub(crate) fn new(schema: Schema, index: Dtype, fixed: Option<Shape>) -> Option<Self> {
        let fixed = match fixed {
            Some(shape) => Some(Arc::new(Layout::new(schema.clone(), shape, index)?)),
            None => None,
        };
        Some(Self { schema, index, fixed, others: Mutex::default() })
    }

    /// The layout of a shape. None if it is more than can be addressed.
    pub(crate) fn of(&self, shape: Shape) -> Option<Arc<Layout>> {
        if let Some(layout) = self.fixed(shape) {
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

    /// The layout of the shape that nearly all batches have, if this is it.
    pub(crate) fn fixed(&self, shape: Shape) -> Option<&Arc<Layout>> {
        self.fixed.as_ref().filter(|layout| layout.shape() == shape)
    }
}
