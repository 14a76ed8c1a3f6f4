//! Which graphs share a batch ([`Grouping`]), in which order they come ([`Order`]), which shapes batches have
//! ([`Shapes`]), and what becomes of graphs that are too large ([`Oversize`]) or cannot be loaded ([`OnError`]).

use super::SavedPlan;
use graphpack_core::{Packer, Plan};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;

/// Decides which graphs share a batch. How much fits into it is [`Capacity`](crate::Capacity)'s.
///
/// | | order of the graphs | graphs per batch | also in |
/// |---|---|---|---|
/// | [`Packed`](Self::Packed), [`Plan`](Self::Plan) | any | as many as fit | |
/// | [`Window`](Self::Window) | nearly kept | as many as fit | grain's `PackIterDataset` for sequences |
/// | [`InOrder`](Self::InOrder) | kept | until one does not fit | jraph, TF-GNN, PyTorch Geometric, ptgnn |
///
/// ```
/// use graphpack_loader::{Grouping, Loader, Options, molecules};
///
/// let data = std::sync::Arc::new(molecules::generate(7, 1000));
/// let batches = |grouping| -> Result<usize, Box<dyn std::error::Error>> {
///     let options = Options::rows(&[("nodes", 512), ("edges", 1152)], 32).grouping(grouping);
///     Ok(Loader::new(data.clone(), options)?.batches(0)?)
/// };
/// assert!(batches(Grouping::Window(32))? < batches(Grouping::InOrder)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Grouping {
    /// Packs graphs by a plan, which this packer makes from the histogram of sizes. Its packs are made alike and
    /// composed again for each epoch ([`Recomposer`](graphpack_core::Recomposer)). Of a weighted heuristic, the first
    /// weights are those of the sets, in their order.
    Packed(Packer),
    /// Packs graphs by a plan that was made before, once for all ranks. The capacity is then that of the plan. Another
    /// capacity is an error, and so are graphs of other sizes than the plan has.
    Plan(SavedPlan),
    /// Puts each graph into the open pack that it fits best, out of this number of packs, 1 to
    /// [`MOST_OPEN`](graphpack_core::stream::MOST_OPEN) ([`stream::Window`](graphpack_core::stream::Window)). Batches
    /// are nearly as full as with a plan, and any graphs may meet in a batch.
    Window(u8),
    /// Fills one batch until the next graph does not fit ([`NextFit`](graphpack_core::stream::NextFit)): jraph's
    /// `dynamically_batch`, PyTorch Geometric's `DynamicBatchSampler` (except that every graph occurs once and no batch
    /// is empty), and static batches of [exactly](crate::Capacity::exactly) one number of graphs.
    InOrder,
}

impl Grouping {
    /// Packs that [`Window`](Self::Window) keeps open where nobody says how many.
    pub const DEFAULT_OPEN: u8 = 32;
}

impl From<Packer> for Grouping {
    fn from(packer: Packer) -> Self {
        Self::Packed(packer)
    }
}

impl From<SavedPlan> for Grouping {
    fn from(plan: SavedPlan) -> Self {
        Self::Plan(plan)
    }
}

impl From<Plan> for Grouping {
    fn from(plan: Plan) -> Self {
        Self::Plan(plan.into())
    }
}

/// Writes the option as errors name it: `packed`, `window(32)`.
impl fmt::Display for Grouping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Packed(_) => f.write_str("packed"),
            Self::Plan(_) => f.write_str("plan"),
            Self::Window(open) => write!(f, "window({open})"),
            Self::InOrder => f.write_str("in_order"),
        }
    }
}

/// Decides which shapes batches have. Every batch has the [least padding](crate::Schema::least_padding) or more.
///
/// ```
/// use graphpack_loader::{Loader, Options, Shapes, molecules};
///
/// let options = Options::graphs(8).shapes(Shapes::Few(2));
/// let loader = Loader::new(molecules::generate(7, 1000), options)?;
/// for (shape, batches) in loader.shapes(0)? {
///     println!("{batches} batches of {shape}");
/// }
/// # assert!(loader.shapes(0)?.len() <= 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Shapes {
    /// All batches have one shape, with room for what the capacity allows.
    #[default]
    One,
    /// Divides graphs into classes by size, each with a shape of its own, so that few large graphs do not set the shape
    /// of all batches. There are at most this number of shapes, and each saves at least a hundredth of the rows
    /// ([`FewShapes`](graphpack_core::FewShapes)). All shapes are for about the graphs of
    /// [`Capacity::graphs`](crate::Capacity::graphs), at most an eighth more, or for the largest graph of the class; the
    /// largest shape has room for every graph. Only with [`Grouping::Packed`]. Takes about a second for a thousand
    /// distinct sizes.
    ///
    /// [`Loader::shapes`](crate::Loader::shapes) says how many batches have which shape. An epoch mixes them; all ranks
    /// have the same shape in a step. Graphs of a batch are alike in size, so that a batch is a worse sample of the
    /// data than one of a single shape: take few shapes where batches have few graphs.
    Few(u8),
    /// Pads each batch by itself: each set to the next multiple of this number of rows (`Multiple(64)` is static-64 of
    /// Speckhard et al.). Batches have room for the most graphs of the capacity, if it says how many, so that their
    /// number does not make shapes differ.
    Multiple(u32),
    /// Pads each batch by itself: each set to the next power of two rows (static-2^N of Speckhard et al.). Numbers of
    /// graphs are as with [`Multiple`](Self::Multiple).
    PowerOfTwo,
    /// Adds only the padding that each batch needs, as PyTorch Geometric would without any.
    Exact,
}

impl Shapes {
    /// Whether rows are rounded up to other numbers.
    pub(crate) fn is_rounded(self) -> bool {
        matches!(self, Self::Multiple(_) | Self::PowerOfTwo)
    }
}

/// Writes the option as errors name it: `one`, `multiple(64)`.
impl fmt::Display for Shapes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::One => f.write_str("one"),
            Self::Few(shapes) => write!(f, "few({shapes})"),
            Self::Multiple(rows) => write!(f, "multiple({rows})"),
            Self::PowerOfTwo => f.write_str("power_of_two"),
            Self::Exact => f.write_str("exact"),
        }
    }
}

/// Decides in which order graphs come.
///
/// ```
/// use graphpack_loader::{Loader, Options, Order, molecules};
///
/// let options = Options::exactly(4).order(Order::Shuffled).seed(42);
/// let loader = Loader::new(molecules::generate(7, 100), options)?;
/// let first = |epoch| loader.epoch(epoch).next().expect("a batch").map(|batch| batch.graph_ids().to_vec());
/// assert_ne!(first(0)?, first(1)?); // each epoch has an order of its own,
/// assert_eq!(first(1)?, first(1)?); // which follows from seed and epoch
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Order {
    /// As in the data: all epochs are the same, unless graphs are drawn or changed at random. Batches have the graphs
    /// in the order of the data with [`Grouping::InOrder`] alone: others group them by size, and graphs of one size
    /// come in the order of the data. [`GraphResults`](crate::GraphResults) brings results into the order of the data.
    #[default]
    Given,
    /// Shuffled for each epoch, by a function of (seed, epoch).
    Shuffled,
    /// Shuffled so that a disk seeks less: blocks of this number of consecutive graphs come in random order, and graphs
    /// are shuffled within every eight blocks.
    ///
    /// With [`Grouping::Window`] and [`Grouping::InOrder`], reads at any time fall into about eight places of the data,
    /// and two graphs meet in a batch only if their blocks are shuffled together. A plan takes the graphs of each size
    /// in this order, and its packs so that all sizes keep step: most graphs of a batch are within a few thousand
    /// places of each other, however many graphs there are. Batches of [few shapes](Shapes::Few) are shuffled with each
    /// other all the same.
    Blocks(usize),
}

impl Order {
    /// Whether epochs differ.
    pub(crate) fn is_shuffled(self) -> bool {
        self != Self::Given
    }
}

/// Writes the option in words.
impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Given => f.write_str("given"),
            Self::Shuffled => f.write_str("shuffled"),
            Self::Blocks(graphs) => write!(f, "blocks({graphs})"),
        }
    }
}

/// Decides what happens to graphs that exceed the capacity of a pack.
///
/// ```
/// use graphpack_loader::{Loader, Options, Oversize, molecules};
///
/// let options = Options::rows(&[("nodes", 30), ("edges", 64)], 4).oversize(Oversize::Skip);
/// let loader = Loader::new(molecules::generate(7, 1000), options)?;
/// assert!(loader.skipped() > 0); // larger molecules, which no batch has
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Oversize {
    /// [`Loader::new`](crate::Loader::new) fails and names the first such graph.
    #[default]
    Error,
    /// These graphs are left out; [`Loader::skipped`](crate::Loader::skipped) counts them.
    Skip,
    /// Each such graph is a batch of its own; [`Loader::alone`](crate::Loader::alone) counts them. With
    /// [`Shapes::One`], these batches share a second shape, large enough for every such graph, and come after the
    /// others or, shuffled, between them. With equal shapes for all ranks, a step in which some ranks have one has a
    /// third shape, of the more rows and graphs of both. With [`Grouping::InOrder`] and [`Shapes::Exact`], they come in
    /// their place, as in ptgnn.
    Alone,
    /// Each such graph loses random rows, other rows in every epoch, until each set is within its limit: first of the
    /// first set, with all that refers to them, then of the next: poptorch_geometric's
    /// `OverSizeStrategy.TrimNodesAndEdges`. [`Loader::trimmed`](crate::Loader::trimmed) counts these graphs.
    Trim,
}

impl Oversize {
    /// Each value and its word in messages and in Python.
    pub const WORDS: &[(&str, Self)] =
        &[("error", Self::Error), ("skip", Self::Skip), ("alone", Self::Alone), ("trim", Self::Trim)];
}

impl fmt::Display for Oversize {
    /// Writes the word that messages and Python have for it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Self::WORDS.iter().find(|(_, value)| value == self).map_or("", |(word, _)| word))
    }
}

/// Decides what happens when a graph cannot be loaded: its source, or a map, returns an error or panics, or leaves a
/// field unwritten.
///
/// Before a graph is tried again, the thread that writes it drops its [states](crate::Worker::state), so that it opens
/// a broken connection again, and prepares for that graph alone. An error of
/// [`ErrorKind::Stopped`](crate::ErrorKind::Stopped) ends the epoch, whatever the option.
///
/// ```
/// use graphpack_loader::{Data, Loader, OnError, Options, molecules};
///
/// let data = Data::from(molecules::generate(7, 100)).map("broken", |slot| match slot.graph_id() {
///     42 => Err("no such molecule".into()),
///     _ => Ok(()),
/// });
/// let mut epoch = Loader::new(data, Options::graphs(8).on_error(OnError::Skip))?.epoch(0);
/// for batch in &mut epoch {
///     batch?;
/// }
/// println!("{}", epoch.report()); // left out: 1 graphs that could not be loaded ...
/// assert_eq!(epoch.report().failed(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum OnError {
    /// The error ends the epoch, in its place.
    #[default]
    Stop,
    /// The graph is tried again after `wait`, at most `times` times; then the error ends the epoch.
    Retry {
        /// How often it is tried again.
        times: u32,
        /// Time before each.
        wait: Duration,
    },
    /// The batch is made without the graph, in the shape that it would have had: the other graphs move up, and the end
    /// has more padding. All other batches, and all states, are what they would have been.
    /// [`BatchInfo::failed`](crate::BatchInfo::failed) and [`Report::failed`](crate::report::Report::failed) name the
    /// graph.
    Skip,
    /// The graph is tried again as with [`Retry`](Self::Retry), then left out as with [`Skip`](Self::Skip).
    RetryOrSkip {
        /// How often it is tried again.
        times: u32,
        /// Time before each.
        wait: Duration,
    },
}

impl OnError {
    /// How often a graph is tried again, and after what time.
    pub(crate) fn retries(self) -> (u32, Duration) {
        match self {
            Self::Stop | Self::Skip => (0, Duration::ZERO),
            Self::Retry { times, wait } | Self::RetryOrSkip { times, wait } => (times, wait),
        }
    }

    /// Whether a batch is made without a graph that cannot be loaded.
    pub(crate) fn skips(self) -> bool {
        matches!(self, Self::Skip | Self::RetryOrSkip { .. })
    }
}
