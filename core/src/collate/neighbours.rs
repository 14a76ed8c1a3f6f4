//! [`Neighbours`]: the edges into each node as a row of a matrix, so that a sum over edges is a gather;
//! [`NeighbourField`]: a field of edges in that order; how they are written.

use super::Dtype;
use super::dtype::cast;
use super::numbers::BatchInteger;

/// Arrays that hold, for each row of a set, the entries of an index that point to it: for each node the edges into it,
/// at most [`most`](Self::most). For engines that have no scatter-add: a sum over edges is a gather and a sum over
/// `most` columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Neighbours {
    /// The position of the index: of a set, with two columns, as `edge_index` has sources and targets.
    pub index: u8,
    /// The set that the index is of: `edges`.
    pub edges: u8,
    /// The set that the second column points into, which the arrays have rows for.
    pub set: u8,
    /// The most entries that may point to a row, at least 1: the columns of the arrays.
    pub most: u32,
}

/// A field of the entries in the order of [`Neighbours`], so that an engine needs no gather: `[nodes, most, width]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NeighbourField {
    /// The matrix that has the entries.
    pub of: Neighbours,
    /// The position of the field, which is of the set [`Neighbours::edges`].
    pub field: u8,
    /// Its element type.
    pub dtype: Dtype,
    /// Its elements per row; `None` for a vector, whose array is `[nodes, most]`.
    pub width: Option<u32>,
}

/// More entries point to a row than [`Neighbours::most`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crowded {
    /// The first such row of the graph.
    pub row: usize,
    /// How many entries point to it.
    pub found: usize,
}

impl Neighbours {
    /// Writes the rows of one graph. `parts` are the bytes of its rows in the arrays of
    /// [`Builtin::Neighbours`](super::Builtin::Neighbours), `NeighbourEdges` and `NeighbourMask`, then of its entries
    /// in both columns of the index, all of type `index`. The graph's rows begin at `first_row` of the batch, its
    /// entries at `first_entry`. Only the entries that it `keeps` are written, counted from 0 within the graph. Errors
    /// if too many of them point to a row: all but the first [`most`](Self::most) are left out.
    pub fn write(
        self,
        parts: [&mut [u8]; 5],
        index: Dtype,
        first_row: usize,
        first_entry: usize,
        keeps: impl Fn(usize) -> bool,
    ) -> Result<(), Crowded> {
        match index {
            Dtype::I32 => self.write_as::<i32>(parts, first_row, first_entry, keeps),
            _ => self.write_as::<i64>(parts, first_row, first_entry, keeps),
        }
    }

    fn write_as<T: BatchInteger>(
        self,
        [neighbours, edges, mask, sources, targets]: [&mut [u8]; 5],
        first_row: usize,
        first_entry: usize,
        keeps: impl Fn(usize) -> bool,
    ) -> Result<(), Crowded> {
        let (neighbours, edges): (&mut [T], &mut [T]) = (cast(neighbours), cast(edges));
        let (sources, targets): (&[T], &[T]) = (cast(sources), cast(targets));
        let most = self.most as usize;
        mask.fill(0);
        let (mut last, mut column, mut crowded) = (usize::MAX, 0, None);
        for (entry, (source, target)) in sources.iter().zip(targets).enumerate().filter(|(entry, _)| keeps(*entry)) {
            let row = target.number().wrapping_sub(first_row);
            let Some(filled) = mask.get_mut(row.saturating_mul(most)..).and_then(|rows| rows.get_mut(..most)) else {
                continue;
            };
            // Entries are often sorted by target.
            column = if row == last { column + 1 } else { filled.iter().position(|&is| is == 0).unwrap_or(most) };
            last = row;
            let Some(is) = filled.get_mut(column) else {
                crowded = crowded.or(Some(row));
                continue;
            };
            let at = row * most + column;
            if let (Some(neighbour), Some(edge)) = (neighbours.get_mut(at), edges.get_mut(at)) {
                (*is, *neighbour, *edge) = (1, *source, T::of(first_entry + entry));
            }
        }
        crowded.map_or(Ok(()), |row| {
            let found = targets.iter().filter(|target| target.number() == first_row + row).count();
            Err(Crowded { row, found })
        })
    }

    /// Makes all that is not an entry of a graph point to padding, in whole arrays of which the first `real` rows are
    /// not padding: in neighbours to `padding_row`, in their edges to `padding_entry`.
    pub fn pad(
        self,
        [neighbours, edges, mask]: [&mut [u8]; 3],
        index: Dtype,
        real: usize,
        padding_row: usize,
        padding_entry: usize,
    ) {
        fn point<T: BatchInteger>(elements: &mut [T], mask: &[u8], to: usize) {
            // Every element is written, so that the compiler vectorizes it.
            elements
                .iter_mut()
                .zip(mask)
                .for_each(|(element, is)| *element = if *is == 0 { T::of(to) } else { *element });
        }
        mask.get_mut(real.saturating_mul(self.most as usize)..).unwrap_or_default().fill(0);
        for (elements, to) in [(neighbours, padding_row), (edges, padding_entry)] {
            match index {
                Dtype::I32 => point::<i32>(cast(elements), mask, to),
                _ => point::<i64>(cast(elements), mask, to),
            }
        }
    }

    /// Writes the whole array of a [`NeighbourField`]: for each element of `edges`, the whole array of
    /// [`Builtin::NeighbourEdges`](super::Builtin::NeighbourEdges), that row of `field`, which has `row` bytes per row.
    /// Padding is written already, so that other entries get that of the field.
    pub fn gather([array, edges, field]: [&mut [u8]; 3], index: Dtype, row: usize) {
        match index {
            Dtype::I32 => gather_rows::<i32>(array, cast(edges), field, row),
            _ => gather_rows::<i64>(array, cast(edges), field, row),
        }
    }
}

fn gather_rows<T: BatchInteger>(array: &mut [u8], edges: &[T], field: &[u8], row: usize) {
    for (to, edge) in array.chunks_exact_mut(row.max(1)).zip(edges) {
        let start = edge.number().saturating_mul(row);
        let from = field.get(start..).and_then(|rows| rows.get(..row));
        from.into_iter().for_each(|from| to.copy_from_slice(from));
    }
}
