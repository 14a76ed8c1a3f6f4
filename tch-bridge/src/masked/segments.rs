//! [`Segments`]: sums, means, maxima and softmax over groups of rows; pooling over graphs; [`cumulative_lengths`], as
//! attention over sequences of different lengths wants it.

use super::rows::{as_values, checked_mask, checked_ptr, column_like, floating, whole_numbers, wide};
use crate::{Error, TensorBatch};
use tch::{Device, Kind, TchError, Tensor};

/// Rows in groups: the nodes of each graph, the edges into each node, the triplets of each edge, or any others that a
/// `ptr` or an index divides.
///
/// ```
/// use graphpack_tch::Segments;
/// use tch::Tensor;
///
/// let values = Tensor::from_slice(&[1.0_f32, 2.0, 3.0, 4.0]).view([4, 1]);
/// let of_targets = Segments::by_index(&Tensor::from_slice(&[2_i64, 0, 2, 2]), 3)?;
/// assert_eq!(Vec::<f32>::try_from(of_targets.sum(&values)?.view(-1))?, [2.0, 0.0, 8.0]);
/// let consecutive = Segments::by_ptr(&Tensor::from_slice(&[0_i64, 3, 3, 4]), 4)?;
/// assert_eq!(Vec::<f32>::try_from(consecutive.mean(&values)?.view(-1))?, [2.0, 0.0, 4.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Values are `[rows, ...]` of floating point, results `[segments, ...]`. A segment without rows gives zero. A row that
/// is [masked](Self::masked) out counts as absent, even if it holds NaN. All results have gradients; sums by index also
/// have second derivatives, for losses on forces.
///
/// On CUDA, sums by index add in an order that changes from run to run unless they are
/// [deterministic](Self::deterministic); sums by `ptr` always add in the same order. Gradients of maxima, of softmax
/// and of [`expand`](Self::expand) are sums by index, too. Nothing here waits for the device, so all of it may be
/// captured.
#[derive(Debug)]
pub struct Segments {
    groups: Groups,
    rows: i64,
    segments: i64,
    mask: Option<Tensor>,
    deterministic: bool,
}

#[derive(Debug)]
enum Groups {
    /// Segment `s` has the rows from `ptr[s]` up to `ptr[s + 1]`.
    Ptr(Tensor),
    /// Row `r` belongs to segment `index[r]`.
    Index(Tensor),
}

impl Segments {
    /// Consecutive rows: segment `s` has the rows from `ptr[s]` up to `ptr[s + 1]`. `ptr`, int64 or int32
    /// `[segments + 1]`, starts with 0, never falls, and ends with `rows`. Only on the CPU is another one refused: on a
    /// device that would wait for it.
    pub fn by_ptr(ptr: &Tensor, rows: i64) -> Result<Self, TchError> {
        let ptr = whole_numbers(ptr, "ptr", "[segments + 1]")?;
        let segments = ptr.size1()? - 1;
        // libtorch reads the rows that `ptr` names without looking whether they are there.
        let ptr = match ptr.device() {
            Device::Cpu => checked_ptr(ptr, rows)?,
            _ => ptr.f_clamp(0, rows.max(0))?,
        };
        Ok(Self { groups: Groups::Ptr(ptr), rows, segments, mask: None, deterministic: false })
    }

    /// Rows in any order, sorted or not: row `r` belongs to segment `index[r]`, from 0 up to `segments`. `index` is
    /// int64 or int32 `[rows]`, such as a row of `edge_index` with as many segments as there are nodes, or the row of
    /// an index of triplets that numbers edges with as many segments as there are edges.
    pub fn by_index(index: &Tensor, segments: i64) -> Result<Self, TchError> {
        let index = whole_numbers(index, "index", "[rows]")?;
        if segments < 0 {
            return Err(TchError::Shape(format!("{segments} segments, expected 0 or more")));
        }
        let rows = index.size1()?;
        Ok(Self { groups: Groups::Index(index), rows, segments, mask: None, deterministic: false })
    }

    /// Counts only the rows where `mask`, bool `[rows]`, is true.
    #[must_use]
    pub fn masked(mut self, mask: &Tensor) -> Self {
        self.mask = Some(mask.shallow_clone());
        self
    }

    /// Gives the same bits in every run. On CUDA, rows are sorted by segment first; on the CPU they are always added in
    /// order.
    #[must_use]
    pub fn deterministic(mut self) -> Self {
        self.deterministic = true;
        self
    }

    /// Sum of each segment: `[rows, ...]` to `[segments, ...]`.
    pub fn sum(&self, values: &Tensor) -> Result<Tensor, TchError> {
        let values = self.with_masked(values, 0.0)?;
        match &self.groups {
            Groups::Ptr(ptr) => {
                floating(&values)?;
                let none = None::<&Tensor>;
                Tensor::f_segment_reduce(&values, "sum", none, none, Some(ptr), 0, true, 0.0)
            }
            Groups::Index(index) => {
                let zeros = self.full(&values, 0.0)?;
                if self.sorted(&values) {
                    zeros.f_index_put(&[Some(index)], &values, true)
                } else {
                    zeros.f_index_add(0, index, &values)
                }
            }
        }
    }

    /// Mean of each segment: `[rows, ...]` to `[segments, ...]`.
    pub fn mean(&self, values: &Tensor) -> Result<Tensor, TchError> {
        let kind = wide(values.kind());
        let sums = self.sum(&values.f_to_kind(kind)?)?;
        as_values(sums.f_div(&column_like(&self.counts(kind)?.f_clamp_min(1)?, values)?)?, values)
    }

    /// Maximum of each segment: `[rows, ...]` to `[segments, ...]`. If several rows are the maximum, they share the
    /// gradient.
    pub fn max(&self, values: &Tensor) -> Result<Tensor, TchError> {
        floating(values)?;
        let values = self.with_masked(values, f64::NEG_INFINITY)?;
        let index = column_like(&self.index()?, &values)?.f_expand_as(&values)?;
        let largest =
            self.full(&values, f64::NEG_INFINITY)?.f_internal_scatter_reduce(0, &index, &values, "amax", true)?;
        largest.f_masked_fill(&column_like(&self.counts(Kind::Int64)?, &values)?.f_eq(0)?, 0.0)
    }

    /// Softmax of each segment: `[rows, ...]` to the same size. Rows that are masked out get zero.
    pub fn softmax(&self, values: &Tensor) -> Result<Tensor, TchError> {
        floating(values)?;
        let values = self.with_masked(values, f64::NEG_INFINITY)?;
        let largest = self.max(&values.f_detach()?)?;
        // If all rows are -inf, the difference would be NaN.
        let largest = largest.f_masked_fill(&largest.f_eq(f64::NEG_INFINITY)?, 0.0)?;
        let weights = values.f_sub(&self.expand(&largest)?)?.f_exp()?;
        let sums = self.sum(&weights)?;
        weights.f_div(&self.expand(&sums.f_masked_fill(&sums.f_eq(0)?, 1.0)?)?)
    }

    /// For each row, the row of its segment: `[segments, ...]` to `[rows, ...]`.
    pub fn expand(&self, of_segments: &Tensor) -> Result<Tensor, TchError> {
        if of_segments.size().first() != Some(&self.segments) {
            let size = of_segments.size();
            return Err(TchError::Shape(format!("values of size {size:?}, expected {} segments", self.segments)));
        }
        let index = self.index()?;
        // The gradient of each is summed in the way that `sum` sums.
        if self.sorted(of_segments) {
            of_segments.f_index(&[Some(index)])
        } else {
            of_segments.f_index_select(0, &index)
        }
    }

    /// Number of rows of each segment that are not masked out: `[segments]`.
    pub fn counts(&self, kind: Kind) -> Result<Tensor, TchError> {
        match (&self.groups, self.mask()?) {
            (Groups::Ptr(ptr), None) => ptr.f_diff::<&Tensor>(1, 0, None, None)?.f_to_kind(kind),
            _ => {
                let index = self.index()?;
                // Sums of whole numbers do not depend on the order; in float16 they would end at 2,048.
                let of = (Kind::Int64, index.device());
                let ones = match self.mask()? {
                    Some(mask) => mask.f_to_kind(of.0)?,
                    None => Tensor::f_ones([self.rows], of)?,
                };
                Tensor::f_zeros([self.segments], of)?.f_index_add(0, &index, &ones)?.f_to_kind(kind)
            }
        }
    }

    /// Whether rows are added by `index_put`, which sorts them on CUDA. On the CPU `index_add` keeps their order.
    fn sorted(&self, values: &Tensor) -> bool {
        self.deterministic && values.device().is_cuda()
    }

    /// `[segments, ...]` of one value, for the results of values `[rows, ...]`.
    fn full(&self, values: &Tensor, value: f64) -> Result<Tensor, TchError> {
        let mut size = values.size();
        if let Some(rows) = size.first_mut() {
            *rows = self.segments;
        }
        Tensor::f_full(&size, value, (values.kind(), values.device()))
    }

    /// The segment of each row.
    fn index(&self) -> Result<Tensor, TchError> {
        match &self.groups {
            Groups::Index(index) => Ok(index.shallow_clone()),
            Groups::Ptr(ptr) => {
                let rows = Tensor::f_arange(self.rows, (Kind::Int64, ptr.device()))?;
                // The segment of a row is the first one that ends after it.
                let ends = ptr.f_narrow(0, 1, self.segments)?;
                rows.f_searchsorted(&ends, false, true, "right", None::<&Tensor>)
            }
        }
    }

    /// The mask, if it fits the rows.
    fn mask(&self) -> Result<Option<&Tensor>, TchError> {
        self.mask.as_ref().map(|mask| checked_mask(mask, self.rows)).transpose()
    }

    /// The values, if they have the rows, with `masked` in those that are masked out.
    fn with_masked(&self, values: &Tensor, masked: f64) -> Result<Tensor, TchError> {
        let size = values.size();
        if size.first() != Some(&self.rows) {
            return Err(TchError::Shape(format!("values of size {size:?} for segments of {} rows", self.rows)));
        }
        match self.mask()? {
            None => Ok(values.shallow_clone()),
            Some(mask) => values.f_masked_fill(&column_like(&mask.f_logical_not()?, values)?, masked),
        }
    }
}

/// Sum of the node rows of each graph: `[nodes, width]` to `[graphs, width]`; rows of padding graphs are zero.
pub fn sum_pool(node_level: &Tensor, batch: &TensorBatch) -> Result<Tensor, Error> {
    let graphs = batch.shape().graphs() as i64;
    let zeros = Tensor::f_zeros([graphs, node_level.size2()?.1], (node_level.kind(), node_level.device()))?;
    let sums = zeros.f_index_add(0, batch.batch()?, node_level)?;
    // A product with the mask would keep a NaN.
    Ok(sums.f_masked_fill(&batch.graph_mask().f_logical_not()?.f_unsqueeze(1)?, 0.0)?)
}

/// Mean of the node rows of each graph: `[nodes, width]` to `[graphs, width]`; rows of padding graphs and of graphs
/// without nodes are zero.
pub fn mean_pool(node_level: &Tensor, batch: &TensorBatch) -> Result<Tensor, Error> {
    let graphs = batch.shape().graphs() as i64;
    let ptr = batch.ptr()?;
    let nodes = ptr.f_narrow(0, 1, graphs)?.f_sub(&ptr.f_narrow(0, 0, graphs)?)?;
    let sums = sum_pool(&node_level.f_to_kind(wide(node_level.kind()))?, batch)?;
    Ok(as_values(sums.f_div(&nodes.f_clamp_min(1)?.f_unsqueeze(1)?)?, node_level)?)
}

/// `cu_seqlens` of variable-length attention (FlashAttention and others), int32 `[graphs + 1]`, from a `ptr` of int64
/// or int32: the graphs of a batch are packed as such attention expects its sequences, so that nothing is copied.
/// Padding rows are a sequence of their own. More rows than int32 counts are an error on the CPU; on a device that
/// would wait.
pub fn cumulative_lengths(ptr: &Tensor) -> Result<Tensor, TchError> {
    let ptr = whole_numbers(ptr, "ptr", "[graphs + 1]")?;
    if ptr.device() == Device::Cpu
        && let Some(rows) = Vec::<i64>::try_from(&ptr)?.into_iter().find(|&rows| i32::try_from(rows).is_err())
    {
        return Err(TchError::Shape(format!("ptr has {rows}, expected at most {}, the largest int32", i32::MAX)));
    }
    ptr.f_to_kind(Kind::Int)?.f_contiguous()
}
