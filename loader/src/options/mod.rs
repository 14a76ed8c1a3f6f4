//! [`Options`]: the options of a loader and their defaults, as plain data; `plan/` makes batches from them.
//!
//! | file | what is in it |
//! |---|---|
//! | `grouping`, `order`, `shapes` | which graphs share a batch; in which order they come; which shapes batches have |
//! | `oversize` | what becomes of graphs that are too large or cannot be loaded |
//! | `capacity` | [`Capacity`]: how much a batch holds |
//! | `saved_plan` | [`SavedPlan`]: a plan that was made before |
//! | `shard` | the part of a rank |

mod capacity;
mod grouping;
mod order;
mod oversize;
mod saved_plan;
mod shapes;
mod shard;

use crate::layout::{Dtype, Heap, Memory, Pool, Schema};
use crate::source::{Data, Weights};
pub use capacity::{Capacity, Estimate};
pub(crate) use capacity::{FromEpoch0, Holds};
pub use graphpack_core::Limits;
pub use graphpack_core::collate::Padding;
use graphpack_core::{Budget, Cost, Packer};
pub use grouping::Grouping;
pub use order::Order;
pub use oversize::{OnError, Oversize};
pub use saved_plan::SavedPlan;
pub use shapes::Shapes;
pub use shard::{Remainder, Shard};
use std::sync::Arc;

/// The options of a [`Loader`](crate::Loader), as plain data: each is a field, and a method of that name sets it.
/// [`Loader::new`](crate::Loader::new) refuses options that contradict each other, and names both.
///
/// Three questions are answered apart: who shares a batch ([`grouping`](field@Self::grouping)), how much fits
/// ([`capacity`](field@Self::capacity)), and which shapes batches have ([`shapes`](field@Self::shapes)).
///
/// ```
/// use graphpack_loader::{Grouping, Loader, Options, Order, Shapes, molecules};
///
/// let data = std::sync::Arc::new(molecules::generate(7, 1000));
/// // Packed, in batches of one shape.
/// let packed = Options::rows(&[("nodes", 512), ("edges", 1152)], 32).order(Order::Shuffled).seed(42);
/// // As jraph batches: these limits without packing.
/// let dynamic = packed.clone().grouping(Grouping::InOrder);
/// // As PyTorch Geometric's DynamicBatchSampler: graphs until 512 nodes are full, hardly any padding.
/// let pyg = Options::rows(&[("nodes", 512)], u32::MAX).grouping(Grouping::InOrder).shapes(Shapes::Exact);
/// // 31 graphs each, with rows rounded up.
/// let static_64 = Options::exactly(31).grouping(Grouping::InOrder).shapes(Shapes::Multiple(64));
/// let mut batches = Vec::new();
/// for options in [packed, dynamic, pyg, static_64] {
///     batches.push(Loader::new(data.clone(), options)?.batches(0)?);
/// }
/// assert!(batches[0] < batches[1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
#[non_exhaustive]
#[must_use]
pub struct Options {
    /// How much a pack holds (default: about 128 graphs, or what the plan has).
    pub capacity: Capacity,
    /// Which graphs share a batch (default: packed by [`Packer::Auto`], whose batches are the fewest and the best
    /// sample of the data: [`SampleQuality`](crate::quality::SampleQuality)).
    pub grouping: Grouping,
    /// Which shapes batches have (default: one).
    pub shapes: Shapes,
    /// Number of packs per batch (default 1). The capacity stays that of one pack.
    pub packs: usize,
    /// Data whose sizes decide capacity and shape in place of the loader's own, so that splits of a data set share
    /// them.
    pub sized_for: Option<Data>,
    /// What happens to graphs that exceed the capacity (default: an error).
    pub oversize: Oversize,
    /// What happens to graphs that cannot be loaded (default: the epoch ends).
    pub on_error: OnError,
    /// Which rows padding entries of indices point to (default: [`Padding::Beyond`] for data with positions, as those
    /// that were [connected](Data::connect) are, and else [`Padding::SelfLoops`]).
    ///
    /// A column of an index has no more entries in a padding row than some row of the data has (or two): if e edges and
    /// n nodes are those of the graph with the most edges per node, at most e / n, rounded up. Where batches could have
    /// too few padding rows for that, shapes have more: limits of T nodes and L edges, where no graph has more than m
    /// edges per node, get T + L / m nodes at most, rounded up, beside the least. Limits like the data's, L at most
    /// m T, so at most double. Limits for far more edges than nodes can have grow with the edges, which are padding in
    /// every batch: 222 nodes and 5,000 edges of graphs with two edges per node make shapes of at least 2,500 nodes.
    /// [`Loader::shape`](crate::Loader::shape) tells; lower the limit. Where batches are rounded up, nodes grow by one
    /// step: 64 more or twice as many. A [`Capacity::shape`] holds fewer real rows instead, unless a graph would lose
    /// its room. Plans and their efficiency do not depend on it.
    ///
    /// ```
    /// use graphpack_loader::{Loader, Options, Padding, molecules};
    ///
    /// // A model that divides by the lengths of edges: each padding edge connects two nodes that are 100 apart.
    /// let loader = Loader::new(molecules::generate(7, 100), Options::graphs(8).padding(Padding::TwoNodes))?;
    /// let batch = loader.epoch(0).next().ok_or("a batch")??;
    /// let (sources, targets) = batch.edge_index::<i64>()?;
    /// assert!(sources.iter().zip(targets).all(|(source, target)| source != target));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// What a map, [`Oversize::Trim`] or the margin of [`Data::connect`] leaves out of a graph is padding, too, and not
    /// foreseen: then a padding row may have more entries. The same holds of later epochs of graphs that are
    /// [drawn](Data::each_epoch) again, and of rounded shapes, if indices lead from set to set in a circle: where
    /// two sets point into each other and need, for example, more rows of one than of the other but fewer than twice as
    /// many, no two powers of two will do.
    pub padding: Option<Padding>,
    /// Which part of every epoch this rank gets (default: all of it).
    pub shard: Shard,
    /// What the batches of all ranks have equally much of in each step, so that no rank waits for another (default:
    /// nothing), if batches are packed and have [`Shapes::Exact`] or rounded shapes: the [`Cost`] of rows and graphs,
    /// without padding. Batches of [one shape](Shapes::One) have equal cost anyway.
    ///
    /// Packs then have a limit of cost beside the capacity: the least, of a few above the mean, with which an epoch
    /// needs no more steps. Every rank has a batch in every step, unless the ranks of one speed get fewer graphs than
    /// batches. No batch costs more than the limit, so ranks wait for at most 1 - mean / limit of the time, and less
    /// where graphs are shuffled, since batches of nearest cost then share a step;
    /// [`Loader::idle_share`](crate::Loader::idle_share) says how long. The limit is above the mean by a 512th, or a
    /// 128th, 32nd, 8th or half where that is too little, and never below the costliest graph; there is none if packs
    /// would exceed the capacity otherwise.
    ///
    /// A run that resumes on another number of ranks goes on with the batches of the old number until the epoch ends,
    /// so that each graph occurs once; the next epoch is balanced for the new number. Plans have the cost of a graph as
    /// one more set, in units in which the costliest graph has 2^18 or less, rounded up: integers, the same on every
    /// machine.
    ///
    /// ```
    /// use graphpack_loader::{Loader, Options, Order, Shapes, Shard, molecules};
    /// use graphpack_core::Cost;
    ///
    /// // 1 unit of time for a node, 20 for an edge, 100 for a step.
    /// let cost = Cost::rows([1, 20]).step(100);
    /// let options = Options::graphs(32).shapes(Shapes::Exact).order(Order::Shuffled).shard(Shard::new(0, 8)?);
    /// let usual = Loader::new(molecules::generate(7, 1000), options.clone())?;
    /// let equal = Loader::new(molecules::generate(7, 1000), options.equal_cost(cost))?;
    /// assert!(equal.idle_share(0, &cost)? < 0.01);
    /// assert!(usual.idle_share(0, &cost)? > 0.01);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub equal_cost: Option<Cost>,
    /// How fast each rank is, in any unit, the same list on every rank (default: none, all ranks are equally fast).
    /// With [`equal_cost`](field@Self::equal_cost), a rank of half the speed then gets batches of half the cost. Ranks
    /// of each speed have a plan and a limit of cost of their own. Nothing checks that all ranks have the same list:
    /// with others, graphs are left out or occur twice. In [`Order::Given`], the slowest ranks get the first graphs of
    /// each size in every epoch.
    pub speeds: Vec<u32>,
    /// Whether all ranks' batches of a step are padded to the shape of the largest, for devices that must agree on a
    /// shape (the batching study's appendix F; default: no). Without it, ranks have batches of similar shapes if there
    /// are several shapes.
    pub equal_shapes: bool,
    /// Whether the last batch of an epoch is left out if it is incomplete (default: no): if it has fewer graphs than
    /// the fixed number, fewer packs than the others, or was closed only because no graph was left. With [few
    /// shapes](Shapes::Few), the last batch of each shape is. Its graphs are not loaded in this epoch. A batch of one
    /// pack of a plan, or of [`Grouping::Window`], is never incomplete. [`Remainder`](crate::Remainder) decides what
    /// ranks leave out.
    pub drop_last: bool,
    /// In which order graphs come (default: as given).
    pub order: Order,
    /// Draws graphs with replacement, by weight, instead of taking each graph once per epoch (default: `None`). Each
    /// epoch then has its own plan.
    pub weights: Option<Weights>,
    /// The seed of all that is random: of shuffling, draws, changed graphs and trimming (default 0).
    pub seed: u64,
    /// The fields and indices that batches carry (default: all). Others are neither read, written nor copied, except
    /// those that chosen ones are made from, such as positions for edges within a radius, and masks of fields with
    /// [labels](crate::schema::Field::labels). PyTorch Geometric's `exclude_keys` names the others.
    pub fields: Option<Vec<String>>,
    /// The value of floating point fields of graphs that lack them, as `has_NAME` says, and of padding graphs
    /// (default 0). With NaN, `y == y` is true where `has_y` is, for losses that tell missing labels by NaN. Unless the
    /// value is 0, batches that carry a field carry its mask, too. Where graphs lack integers or bools, the loader
    /// [warns](crate::Loader::warning).
    pub missing: f64,
    /// Built-in arrays beside those that batches carry anyway ([`Builtin`](crate::memory::Builtin)): `edge_ptr`,
    /// `tokens_batch`, `triplets_mask`, `pool`. PyTorch Geometric's `follow_batch` adds `_batch` and `_ptr`.
    pub extra: Vec<String>,
    /// The type of indices, `batch` and `ptr`: [`Dtype::I64`] (default) or [`Dtype::I32`], which has half the bytes to
    /// write and to copy to a device. Batches of 2^31 or more rows of a set or graphs are then an error.
    pub index: Dtype,
    /// Number of threads that make batches (default 1). With 0, the consumer's own thread makes them. The batches are
    /// the same for any number.
    pub workers: usize,
    /// Number of finished batches that may wait for the consumer (default 4), besides the one that each worker is
    /// making.
    pub prefetch: usize,
    /// Where the memory of batches comes from (default: the heap, or what suits the device that a bridge makes tensors
    /// on).
    pub memory: Option<Arc<dyn Memory>>,
}

/// Setters that only set: the field says what.
macro_rules! setters {
    ($($option:ident: $type:ty,)*) => {$(
        #[doc = concat!("Sets [`", stringify!($option), "`](field@Self::", stringify!($option), ").")]
        pub fn $option(mut self, $option: $type) -> Self {
            self.$option = $option;
            self
        }
    )*};
}

impl Options {
    /// The defaults with a [capacity](Capacity::graphs) of about `mean` graphs.
    pub fn graphs(mean: u32) -> Self {
        Self::default().capacity(Capacity::graphs(mean))
    }

    /// The defaults with a [capacity](Capacity::rows) of at most these rows of the sets that are named, and `graphs`
    /// graphs.
    pub fn rows(most: &[(&str, u32)], graphs: u32) -> Self {
        Self::default().capacity(Capacity::rows(most, graphs))
    }

    /// The defaults with a [capacity](Capacity::exactly) of this number of graphs, in the order in which they come
    /// ([`Grouping::InOrder`]), which this capacity takes.
    pub fn exactly(graphs: u32) -> Self {
        Self::default().capacity(Capacity::exactly(graphs)).grouping(Grouping::InOrder)
    }

    setters! {
        shapes: Shapes,
        packs: usize,
        oversize: Oversize,
        on_error: OnError,
        shard: Shard,
        equal_shapes: bool,
        drop_last: bool,
        order: Order,
        seed: u64,
        missing: f64,
        index: Dtype,
        workers: usize,
        prefetch: usize,
    }

    /// Sets [`capacity`](field@Self::capacity), also to [`Limits`](crate::Limits).
    pub fn capacity(mut self, capacity: impl Into<Capacity>) -> Self {
        self.capacity = capacity.into();
        self
    }

    /// Sets [`grouping`](field@Self::grouping), also to that of a packer or a plan.
    pub fn grouping(mut self, grouping: impl Into<Grouping>) -> Self {
        self.grouping = grouping.into();
        self
    }

    /// Sets [`sized_for`](field@Self::sized_for).
    pub fn sized_for(mut self, data: impl Into<Data>) -> Self {
        self.sized_for = Some(data.into());
        self
    }

    /// Sets [`padding`](field@Self::padding).
    pub fn padding(mut self, padding: Padding) -> Self {
        self.padding = Some(padding);
        self
    }

    /// Which rows padding entries of indices point to in batches of this schema.
    pub(crate) fn padding_of(&self, schema: &Schema) -> Padding {
        self.padding.unwrap_or_else(|| schema.usual_padding())
    }

    /// Sets [`equal_cost`](field@Self::equal_cost).
    pub fn equal_cost(mut self, cost: Cost) -> Self {
        self.equal_cost = Some(cost);
        self
    }

    /// Sets [`speeds`](field@Self::speeds).
    pub fn speeds(mut self, speeds: impl IntoIterator<Item = u32>) -> Self {
        self.speeds = speeds.into_iter().collect();
        self
    }

    /// Sets [`weights`](field@Self::weights).
    pub fn weights(mut self, weights: Weights) -> Self {
        self.weights = Some(weights);
        self
    }

    /// Sets [`fields`](field@Self::fields), by name.
    pub fn fields<I: Into<String>>(mut self, names: impl IntoIterator<Item = I>) -> Self {
        self.fields = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Sets [`extra`](field@Self::extra), by name.
    pub fn extra<I: Into<String>>(mut self, names: impl IntoIterator<Item = I>) -> Self {
        self.extra = names.into_iter().map(Into::into).collect();
        self
    }

    /// Sets [`memory`](field@Self::memory).
    pub fn memory(mut self, memory: impl Memory + 'static) -> Self {
        self.memory = Some(Arc::new(memory));
        self
    }

    /// Memory for batches: it recycles what prefetching, the workers and a consumer need that holds two.
    pub(crate) fn pool(&self) -> Arc<Pool> {
        let memory = self.memory.clone().unwrap_or_else(|| Arc::new(Heap));
        Arc::new(Pool::new(memory, self.prefetch.saturating_add(self.workers).saturating_add(2)))
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            capacity: Capacity::default(),
            grouping: Grouping::Packed(Packer::Auto(Budget::default())),
            shapes: Shapes::default(),
            packs: 1,
            sized_for: None,
            oversize: Oversize::default(),
            on_error: OnError::default(),
            padding: None,
            shard: Shard::default(),
            equal_cost: None,
            speeds: Vec::new(),
            equal_shapes: false,
            drop_last: false,
            order: Order::default(),
            weights: None,
            seed: 0,
            fields: None,
            missing: 0.0,
            extra: Vec::new(),
            index: Dtype::I64,
            workers: 1,
            prefetch: 4,
            memory: None,
        }
    }
}
