//! [`Dense`]: rows of graphs side by side, `[graphs, most, ...]`, and back.

use super::Segments;
use super::rows::{checked_mask, whole_numbers};
use tch::{Device, Kind, TchError, Tensor};

/// The rows of each graph side by side, `[graphs, most, ...]`, for attention and other models of sequences: PyTorch
/// Geometric's `to_dense_batch`, at a fixed shape, and back.
///
/// ```
/// use graphpack_tch::Dense;
/// use tch::{Device, Kind, Tensor};
///
/// let rows = Tensor::from_slice(&[1.0_f32, 2.0, 3.0, 9.0]).view([4, 1]); // the last one is padding
/// let (ptr, node_mask) = (Tensor::from_slice(&[0_i64, 2, 3, 4]), Tensor::from_slice(&[true, true, true, false]));
/// let dense = Dense::new(&ptr, &node_mask, 2)?; // of a batch: Dense::new(batch.ptr()?, batch.node_mask()?, 2)
/// let side_by_side = dense.from_rows(&rows)?; // [3, 2, 1]
/// assert_eq!(Vec::<f32>::try_from(side_by_side.view(-1))?, [1.0, 2.0, 3.0, 0.0, 0.0, 0.0]);
/// assert_eq!(Vec::<bool>::try_from(dense.mask().view(-1))?, [true, true, true, false, false, false]);
/// assert_eq!(Vec::<f32>::try_from(dense.to_rows(&side_by_side)?.view(-1))?, [1.0, 2.0, 3.0, 0.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// It holds for rows of any set, with their `ptr` and mask. Both directions have gradients. Mask scores of attention
/// with a finite number, as -1e4, not with minus infinity: padding graphs have no rows, so that a softmax over their
/// places would be NaN, and so would the gradients of all weights between it and [`to_rows`](Self::to_rows).
#[derive(Debug)]
pub struct Dense {
    /// int64 `[rows]`: where each row goes in `[graphs * most]`; `graphs * most` if it goes nowhere.
    places: Tensor,
    mask: Tensor,
    graphs: i64,
    most: i64,
}

impl Dense {
    /// At most `most` rows of each graph: those where `mask`, bool `[rows]`, is true. `ptr`, int64 or int32
    /// `[graphs + 1]`, has the first row of each graph. A graph with more rows is an error on the CPU; on a device,
    /// which that would wait for, its last ones are left out.
    pub fn new(ptr: &Tensor, mask: &Tensor, most: i64) -> Result<Self, TchError> {
        if most < 1 {
            return Err(TchError::Shape(format!("at most {most} rows per graph, expected 1 or more")));
        }
        let ptr = whole_numbers(ptr, "ptr", "[graphs + 1]")?;
        let rows = mask.size1()?;
        let mask = checked_mask(mask, rows)?;
        let segments = Segments::by_ptr(&ptr, rows)?;
        let graphs = ptr.size1()? - 1;
        let count = |end| Tensor::f_arange(end, (Kind::Int64, ptr.device()));
        // The number of each row within its graph.
        let within = count(rows)?.f_sub(&segments.expand(&ptr.f_narrow(0, 0, graphs)?)?)?;
        if ptr.device() == Device::Cpu {
            let real = Vec::<i64>::try_from(&within)?.into_iter().zip(Vec::<bool>::try_from(mask)?);
            let longest = real.filter_map(|(row, real)| real.then_some(row + 1)).max().unwrap_or(0);
            if longest > most {
                let message = format!("a graph of the batch has {longest} rows, expected at most {most}");
                return Err(TchError::Shape(message));
            }
        }
        let starts = segments.expand(&count(graphs)?.f_mul_scalar(most)?)?;
        let nowhere = mask.f_logical_and(&within.f_lt(most)?)?.f_logical_not()?;
        let places = within.f_add(&starts)?.f_masked_fill(&nowhere, graphs * most)?;
        let taken = Tensor::f_zeros([graphs * most + 1], (Kind::Bool, ptr.device()))?.f_index_fill(0, &places, 1)?;
        let mask = taken.f_narrow(0, 0, graphs * most)?.f_view([graphs, most])?;
        Ok(Self { places, mask, graphs, most })
    }

    /// Bool `[graphs, most]`: true where there is a row.
    pub fn mask(&self) -> &Tensor {
        &self.mask
    }

    /// The rows side by side: `[rows, ...]` to `[graphs, most, ...]`, zero where there is no row.
    pub fn from_rows(&self, values: &Tensor) -> Result<Tensor, TchError> {
        let (size, rows) = (values.size(), self.places.size1()?);
        if size.first() != Some(&rows) {
            return Err(TchError::Shape(format!("values of size {size:?}, expected {rows} rows")));
        }
        let all = self.graphs * self.most;
        // The last place takes the rows that go nowhere.
        let zeros = Tensor::f_zeros([&[all + 1], &size[1..]].concat(), (values.kind(), values.device()))?;
        let places = zeros.f_index_copy(0, &self.places, values)?.f_narrow(0, 0, all)?;
        places.f_reshape([&[self.graphs, self.most], &size[1..]].concat())
    }

    /// Back to rows: `[graphs, most, ...]` to `[rows, ...]`, zero in rows that were left out.
    pub fn to_rows(&self, dense: &Tensor) -> Result<Tensor, TchError> {
        let size = dense.size();
        if size.get(..2) != Some(&[self.graphs, self.most]) {
            let expected = [self.graphs, self.most];
            return Err(TchError::Shape(format!("values of size {size:?}, expected {expected:?} and more dimensions")));
        }
        let zero = Tensor::f_zeros([&[1], &size[2..]].concat(), (dense.kind(), dense.device()))?;
        let places = dense.f_reshape([&[self.graphs * self.most], &size[2..]].concat())?;
        Tensor::f_cat(&[places, zero], 0)?.f_index_select(0, &self.places)
    }
}
