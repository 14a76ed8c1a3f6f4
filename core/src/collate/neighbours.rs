//! [`Neighbours`]: the edges into each node as a row of a matrix, so that a sum over edges is a gather; how it is
//! written.

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
    /// The set that the second column points into, which the arrays have rows for.
    pub set: u8,
    /// The most entries that may point to a row, at least 1: the columns of the arrays.
    pub most: u32,
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
    /// [`Builtin::Neighbours`](super::Builtin::Neighbours), `NeighbourEdges` and `NeighbourMask`, then of its entries in
    /// both columns of the index, all of type `index`. The graph's rows begin at `first_row` of the batch, its entries
    /// at `first_entry`. Errors if too many entries point to a row: all but the first [`most`](Self::most) are left out.
    pub fn write(
        self,
        parts: [&mut [u8]; 5],
        index: Dtype,
        first_row: usize,
        first_entry: usize,
    ) -> Result<(), Crowded> {
        match index {
            Dtype::I32 => self.write_as::<i32>(parts, first_row, first_entry),
            _ => self.write_as::<i64>(parts, first_row, first_entry),
        }
    }

    fn write_as<T: BatchInteger>(
        self,
        [neighbours, edges, mask, sources, targets]: [&mut [u8]; 5],
        first_row: usize,
        first_entry: usize,
    ) -> Result<(), Crowded> {
        let (neighbours, edges): (&mut [T], &mut [T]) = (cast(neighbours), cast(edges));
        let (sources, targets): (&[T], &[T]) = (cast(sources), cast(targets));
        let most = self.most as usize;
        mask.fill(0);
        let (mut last, mut column, mut crowded) = (usize::MAX, 0, None);
        for (entry, (source, target)) in sources.iter().zip(targets).enumerate() {
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
            elements.iter_mut().zip(mask).filter(|(_, is)| **is == 0).for_each(|(element, _)| *element = T::of(to));
        }
        mask.get_mut(real.saturating_mul(self.most as usize)..).unwrap_or_default().fill(0);
        for (elements, to) in [(neighbours, padding_row), (edges, padding_entry)] {
            match index {
                Dtype::I32 => point::<i32>(cast(elements), mask, to),
                _ => point::<i64>(cast(elements), mask, to),
            }
        }
    }
}
