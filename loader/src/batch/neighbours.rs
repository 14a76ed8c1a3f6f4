//! The neighbours of rows as matrices: writes those of a graph, the nearest of them where there are too many, and at
//! the end their padding and their fields.

use crate::error::BoxError;
use crate::layout::{ArrayInfo, Builtin, Crowded, Dtype, Layout, Level, NeighbourField, Neighbours, Shape, Size};
use half::f16;
use std::cell::RefCell;

thread_local! {
    /// Serves all graphs of a worker, so that nothing is allocated per graph.
    static NEAREST: RefCell<Nearest> = RefCell::default();
}

/// Writes the neighbours of a graph of `size`, which comes after the rows `before` it. Errors if a row has more than
/// its matrix has columns; if graphs are to be `trimmed`, it keeps the nearest, or where edges have no length the
/// first.
pub(super) fn write(
    layout: &Layout,
    before: &Shape,
    size: &Size,
    trimmed: bool,
    bytes: &mut [u8],
) -> Result<(), BoxError> {
    for (of, arrays, entries) in layout.neighbours() {
        let [rows, edges] = [of.set, of.edges].map(|set| {
            let first = before.rows(Level::Set(set));
            first..first + size[usize::from(set)] as usize
        });
        let [neighbours, numbers, mask] = arrays.map(|array| array.bytes_of(rows.clone()));
        let [sources, targets] = [0, 1].map(|column| entries.column_bytes(column, edges.clone()));
        let parts = [neighbours, numbers, mask, sources, targets];
        let all = bytes.get_disjoint_mut(parts.clone())?;
        let Err(Crowded { row, found }) = of.write(all, entries.dtype, rows.start, edges.start, |_| true) else {
            continue;
        };
        let schema = layout.schema();
        if !trimmed {
            let (set, index) = (schema.sets().singular(of.set.into()), &schema.indices()[usize::from(of.index)].name);
            let most = of.most;
            return Err(format!(
                "{set} {row} has {found} neighbours in {index:?}, expected at most {most}: ask for more columns, or \
                 for Oversize::Trim, which keeps the nearest"
            )
            .into());
        }
        let length = schema.length(of.edges).and_then(|field| layout.field(field)?.1);
        let Some(length) = length else { continue };
        NEAREST.with_borrow_mut(|nearest| {
            nearest.targets.clear();
            entries.read_column(bytes, 1, edges.clone(), 0, &mut nearest.targets);
            nearest.choose(&bytes[length.bytes_of(edges.clone())], length.dtype, of.most);
            let all = bytes.get_disjoint_mut(parts)?;
            // At most `most` are kept for each row, so that it cannot fail.
            let _ = of.write(all, entries.dtype, rows.start, edges.start, |edge| nearest.keeps[edge]);
            Ok::<_, BoxError>(())
        })?;
    }
    Ok(())
}

/// Writes the padding of all neighbours, and then the fields of edges in their order. Padding of these is written.
pub(super) fn pad(layout: &Layout, real: &Shape, bytes: &mut [u8]) {
    for (of, arrays, entries) in layout.neighbours() {
        let sources = layout.schema().indices()[usize::from(of.index)].targets[0];
        let [rows, row, edge] = [of.set, sources, of.edges].map(|set| real.rows(Level::Set(set)));
        if let Ok(parts) = bytes.get_disjoint_mut(arrays.map(ArrayInfo::range)) {
            of.pad(parts, entries.dtype, rows, row, edge);
        }
    }
    for (builtin, array) in layout.builtins() {
        let Builtin::NeighbourField(NeighbourField { of, field, .. }) = builtin else { continue };
        let (edges, field) = (layout.builtin(Builtin::NeighbourEdges(of)), layout.field(field.into()));
        let (Some(edges), Some((_, Some(field)))) = (edges, field) else { continue };
        if let Ok(parts) = bytes.get_disjoint_mut([array, edges, field].map(ArrayInfo::range)) {
            Neighbours::gather(parts, edges.dtype, field.row_bytes());
        }
    }
}

/// Which edges of a graph are among the nearest into their nodes.
#[derive(Default)]
struct Nearest {
    targets: Vec<i64>,
    lengths: Vec<f64>,
    /// The edges by target, then by length.
    order: Vec<u32>,
    keeps: Vec<bool>,
}

impl Nearest {
    /// Keeps the `most` nearest edges into each of `targets`; of equal lengths, those of lower number. `bytes` are the
    /// lengths.
    fn choose(&mut self, bytes: &[u8], dtype: Dtype, most: u32) {
        let Self { targets, lengths, order, keeps } = self;
        lengths.clear();
        match dtype {
            Dtype::F16 => lengths.extend(bytemuck::cast_slice(bytes).iter().map(|&length: &f16| f64::from(length))),
            Dtype::F32 => lengths.extend(bytemuck::cast_slice(bytes).iter().map(|&length: &f32| f64::from(length))),
            _ => lengths.extend_from_slice(bytemuck::cast_slice(bytes)),
        }
        order.clear();
        order.extend(0..targets.len() as u32);
        let of = |edge: u32| (targets[edge as usize], lengths[edge as usize]);
        order.sort_unstable_by(|&a, &b| {
            let ((target, length), (other, than)) = (of(a), of(b));
            target.cmp(&other).then(length.total_cmp(&than)).then(a.cmp(&b))
        });
        keeps.clear();
        keeps.resize(targets.len(), false);
        for edges in order.chunk_by(|&a, &b| targets[a as usize] == targets[b as usize]) {
            edges.iter().take(most as usize).for_each(|&edge| keeps[edge as usize] = true);
        }
    }
}
