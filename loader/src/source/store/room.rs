//! [`Room`]: memory for a graph that is pushed to a store.

use crate::layout::{Carried, Dtype, Layout, Schema, Shape, Size};
use std::sync::Arc;

/// Memory in which a graph is written before it is appended; it is used again for the next graph.
#[derive(Clone, Debug)]
pub(super) struct Room {
    pub(super) layout: Arc<Layout>,
    /// Words, so that arrays are aligned for their elements.
    pub(super) memory: Vec<u64>,
}

impl Room {
    /// Returns room for a graph of this size and somewhat larger ones; `None` if memory has not as much.
    pub(super) fn new(schema: &Schema, size: &Size) -> Option<Self> {
        let shape = Shape::of(size.sets(), 1, |set| (size[set] as usize).next_power_of_two());
        let layout = Layout::new(Arc::new(schema.clone()), &Carried::all(schema), shape, Dtype::I64)?;
        let mut memory = Vec::new();
        let words = layout.bytes().div_ceil(size_of::<u64>());
        memory.try_reserve_exact(words).ok()?;
        memory.resize(words, 0);
        Some(Self { layout: Arc::new(layout), memory })
    }

    pub(super) fn fits(&self, size: &Size) -> bool {
        size.as_slice().iter().zip(self.layout.shape().sets()).all(|(&rows, &room)| rows as usize <= room)
    }
}
