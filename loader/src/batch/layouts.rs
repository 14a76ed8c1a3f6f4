//! [`Layouts`]: keeps the layout of each shape that occurs.

use crate::layout::{Carried, Dtype, Layout, Schema, Shape};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The most layouts that are kept: if batches have only the least padding, nearly every batch has a shape of its own.
const KEPT: usize = 4096;

/// Keeps the layout of each shape that occurs, so that batches of one shape share it.
pub(crate) struct Layouts {
    schema: Arc<Schema>,
    carried: Carried,
    /// Type of the indices.
    index: Dtype,
    /// The layout of the shape that all or nearly all batches have.
    fixed: Option<Arc<Layout>>,
    others: Mutex<HashMap<Shape, Arc<Layout>>>,
}

impl Layouts {
    /// Returns the layouts of a data set with `schema`, where all or nearly all batches have the shape `fixed`. `None`
    /// if such a batch has more bytes than memory can address, or more rows than its indices can count.
    pub(crate) fn new(schema: Schema, carried: Carried, index: Dtype, fixed: Option<Shape>) -> Option<Self> {
        let schema = Arc::new(schema);
        let fixed = match fixed {
            Some(shape) => Some(Arc::new(Layout::new(schema.clone(), &carried, shape, index)?)),
            None => None,
        };
        Some(Self { schema, carried, index, fixed, others: Mutex::default() })
    }

    /// Returns the layout of `shape`; `None` if such a batch has more bytes than memory can address, or more rows than
    /// its indices can count.
    pub(crate) fn of(&self, shape: Shape) -> Option<Arc<Layout>> {
        if let Some(layout) = self.fixed(shape) {
            return Some(layout.clone());
        }
        let mut others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(layout) = others.get(&shape) {
            return Some(layout.clone());
        }
        let layout = Arc::new(Layout::new(self.schema.clone(), &self.carried, shape, self.index)?);
        if others.len() < KEPT {
            others.insert(shape, layout.clone());
        }
        Some(layout)
    }

    /// The layout of `shape`, if it is the one that all or nearly all batches have.
    pub(crate) fn fixed(&self, shape: Shape) -> Option<&Arc<Layout>> {
        self.fixed.as_ref().filter(|layout| layout.shape() == shape)
    }
}
