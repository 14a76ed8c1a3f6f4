//! Writes a graph that exceeds the limits, trimmed to them.

use crate::Random;
use crate::layout::{Carried, Dtype, GraphDraw, GraphRows, GraphSpan, Layout, Shape, Size, Slot};
use crate::options::Transform;
use crate::source::{Source, SourceError};
use std::sync::Arc;

/// Writes a graph of `size`, of which at most `most` rows fit into `slot`. It is written into memory of its own first:
/// which rows stay is drawn there, then it is transformed, derived sets are made of what is left, and it is copied.
pub(super) fn write<S: Source + ?Sized>(
    source: &S,
    (graph, size): (usize, Size),
    most: &Size,
    draw: GraphDraw,
    transform: Option<&Transform>,
    slot: &mut Slot<'_>,
) -> Result<(), SourceError> {
    let schema = source.schema();
    let shape = Shape::of(size.sets(), 1, |set| size[set] as usize);
    let layout = Layout::new(Arc::new(schema.clone()), &Carried::all(schema), shape, Dtype::I64);
    let layout = layout.ok_or("a graph of this size is more than can be addressed")?;
    let mut memory: Vec<u64> = Vec::new();
    memory.try_reserve_exact(layout.bytes().div_ceil(8))?;
    memory.resize(layout.bytes().div_ceil(8), 0);
    let before = Shape::of(size.sets(), 0, |_| 0);
    let mut whole = Slot::new(bytemuck::cast_slice_mut(&mut memory), &layout, GraphSpan::new(&before, size));
    source.write(graph, &mut whole)?;
    let mut random = Random::of_trim(draw.seed, draw.epoch, draw.number);
    whole.trim(most, &mut random)?;
    if let Some(transform) = transform {
        GraphRows::change(&mut whole, draw, transform)?;
    }
    source.write_derived(graph, &mut whole)?;
    whole.check()?;
    whole.trim(most, &mut random)?;
    slot.leave_out(whole.left_out());
    Ok(slot.copy(&whole)?)
}
