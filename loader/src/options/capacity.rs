//! [`Capacity`]: how much a pack, and so a batch, holds.

use crate::layout::Shape;
use graphpack_core::{Cost, Limits};
use std::fmt;

/// How much a pack, and so a batch, holds. Numbers of graphs are real graphs, except in [`shape`](Self::shape) and
/// [`estimate`](Self::estimate), which count the padding graph, too, as jraph and the batching study do.
///
/// With several [packs](crate::Options::packs) per batch, the capacity is that of each pack; `shape` and the budget of
/// [`cheapest`](Self::cheapest) are those of the batch.
///
/// The default is about 128 graphs, or the limits of the plan with [`Grouping::Plan`](crate::Grouping::Plan).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Capacity(pub(crate) Holds);

/// What a capacity says.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Holds {
    #[default]
    Default,
    Graphs(u32),
    Fullest(u32),
    Exactly(u32),
    Rows {
        most: Vec<(String, u32)>,
        graphs: u32,
    },
    Limits(Limits),
    Shape(Shape),
    Estimate {
        by: Estimate,
        batch_size: u32,
    },
    Cheapest {
        step: Cost,
        memory: Cost,
        budget: u64,
    },
    FromEpoch0(FromEpoch0),
}

/// What epoch 0 gave, for all epochs where each draws its graphs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FromEpoch0 {
    pub(crate) limits: Limits,
    /// The shape of batches.
    pub(crate) shape: Shape,
    /// The same with the least padding.
    pub(crate) base: Shape,
    /// The number of graphs that each batch must have, if it is fixed.
    pub(crate) exactly: Option<u32>,
}

impl Holds {
    /// About this number of graphs, where nobody says how many.
    pub(crate) const DEFAULT_GRAPHS: u32 = 128;
}

/// A rule that finds a shape for about a number of graphs.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Estimate {
    /// jraph's estimate from the mean and the largest size ([`Sample::dynamic`](graphpack_core::Sample::dynamic)),
    /// computed from all graphs.
    Jraph,
    /// The size of the largest graph times the batch size, rounded up to a multiple of 64
    /// ([`Sample::constant`](graphpack_core::Sample::constant)): any graphs fit, one fewer than the batch size.
    Constant,
    /// The size of the largest graph for each real graph of the batch, plus one padding graph of one node (TF-GNN,
    /// [`Sample::tight`](graphpack_core::Sample::tight)).
    Tight,
    /// The smallest shape that this share of 10,000 random batches fit into, above 0 and at most 1
    /// ([`Shape::percentile`](graphpack_core::Shape::percentile)), but at least the largest graph. With
    /// [`Grouping::InOrder`](crate::Grouping::InOrder), a batch that does not fit ends earlier; TF-GNN would drop it. A
    /// batch is taken to have at most the graphs of an epoch.
    Percentile(f64),
}

/// Writes the rule as errors name it: `jraph`, `percentile(0.9)`.
impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Jraph => f.write_str("jraph"),
            Self::Constant => f.write_str("constant"),
            Self::Tight => f.write_str("tight"),
            Self::Percentile(share) => write!(f, "percentile({share})"),
        }
    }
}

impl Capacity {
    /// About `mean` graphs on average. The limit of each set is its mean number of rows times `mean`, or the rows of
    /// the largest graph if these are more, rounded up to a multiple of 64, or of a smaller power of two where that
    /// would add more than a quarter. A pack has at most a quarter more graphs than fit on average; a single one if one
    /// fits. If the data set has fewer graphs, `mean` is their number.
    ///
    /// One large graph may raise the limits so far that many more graphs fit: the loader
    /// [warns](crate::Loader::warning) of that. With [`oversize`](field@crate::Options::oversize), large graphs do not
    /// raise the limits: those that have more rows of a set than `mean` others on average (than 4 others if `mean` is
    /// less) exceed them.
    pub fn graphs(mean: u32) -> Self {
        Self(Holds::Graphs(mean))
    }

    /// About `mean` graphs in the limits whose packs are fullest, searched ([`search`](graphpack_core::search)) near
    /// the data set's mean size. Large graphs count as in [`graphs`](Self::graphs). Takes about a second for a thousand
    /// distinct sizes.
    pub fn fullest(mean: u32) -> Self {
        Self(Holds::Fullest(mean))
    }

    /// Exactly this number of graphs, of whatever size; only with [`Grouping::InOrder`](crate::Grouping::InOrder). The
    /// last batch of an epoch may have fewer. [`Shapes::One`](crate::Shapes::One) has room for this number of largest
    /// graphs. Where the shape follows from other graphs, of data that the loader is
    /// [sized for](field@crate::Options::sized_for) or of epoch 0, an epoch is an error if this number of its graphs
    /// does not fit.
    pub fn exactly(graphs: u32) -> Self {
        Self(Holds::Exactly(graphs))
    }

    /// At most these rows of the sets that are named, any number of rows of the others, and at most `graphs` graphs
    /// (`u32::MAX`: any number). Limits of any kind, such as those of a search or of a plan, are a capacity, too
    /// (`Capacity::from(limits)`).
    pub fn rows(most: &[(&str, u32)], graphs: u32) -> Self {
        let most = most.iter().map(|&(set, rows)| (set.to_owned(), rows)).collect();
        Self(Holds::Rows { most, graphs })
    }

    /// What fits into this shape of a batch, padding included: jraph's `n_node, n_edge, n_graph`.
    pub fn shape(batch: Shape) -> Self {
        Self(Holds::Shape(batch))
    }

    /// What fits into the shape that a rule finds for `batch_size` graphs, the padding graph included.
    pub fn estimate(by: Estimate, batch_size: u32) -> Self {
        Self(Holds::Estimate { by, batch_size })
    }

    /// Searches for the limits whose epoch costs least by `step`, what a step costs, among those whose batches, padding
    /// included, need at most `budget` of `memory` ([`search::cheapest`](graphpack_core::search::cheapest)), in about
    /// the data set's mean size. Costs of rows are those of the sets, in their order. Takes about a second for a
    /// thousand distinct sizes.
    ///
    /// ```
    /// use graphpack_loader::{Capacity, Level, Loader, Options, molecules};
    /// use graphpack_core::Cost;
    ///
    /// // 2 ns for a node, 5 for an edge, 30 microseconds for a step; 1 MB, 400 bytes for a node, 150 for an edge.
    /// let step = Cost::rows([2, 5]).step(30_000);
    /// let memory = Cost::rows([400, 150]);
    /// let options = Options::default().capacity(Capacity::cheapest(step, memory, 1_000_000));
    /// let loader = Loader::new(molecules::generate(7, 1000), options)?;
    /// let shape = loader.shape().expect("packed batches have one shape");
    /// assert!(400 * shape.nodes() + 150 * shape.rows(Level::EDGE) <= 1_000_000);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cheapest(step: Cost, memory: Cost, budget: u64) -> Self {
        Self(Holds::Cheapest { step, memory, budget })
    }

    /// Whether rows and graphs are given, so that nothing follows from the sizes of graphs.
    pub(crate) fn is_given(&self) -> bool {
        matches!(
            self.0,
            Holds::Exactly(_) | Holds::Rows { .. } | Holds::Limits(_) | Holds::Shape(_) | Holds::FromEpoch0(_)
        )
    }

    /// The number of graphs that every batch but the last must have, if it is fixed.
    pub(crate) fn exact_graphs(&self) -> Option<u32> {
        match self.0 {
            Holds::Exactly(graphs) => Some(graphs),
            Holds::FromEpoch0(given) => given.exactly,
            _ => None,
        }
    }

    /// Whether what was given is that of a batch with its padding, so that shapes do not grow.
    pub(crate) fn has_padding(&self) -> bool {
        matches!(self.0, Holds::Shape(_) | Holds::Cheapest { .. })
    }
}

/// At most the rows of each set, in the order of the sets, and the graphs that the limits have.
impl From<Limits> for Capacity {
    fn from(limits: Limits) -> Self {
        Self(Holds::Limits(limits))
    }
}

/// Writes the option as errors name it: `exactly(31)`, `rows(nodes: 2048, at most 128 graphs)`.
impl fmt::Display for Capacity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Holds::Default => f.write_str("default"),
            Holds::Graphs(mean) => write!(f, "graphs({mean})"),
            Holds::Fullest(mean) => write!(f, "fullest({mean})"),
            Holds::Exactly(graphs) => write!(f, "exactly({graphs})"),
            Holds::Rows { most, graphs } => {
                f.write_str("rows(")?;
                most.iter().try_for_each(|(set, rows)| write!(f, "{set}: {rows}, "))?;
                if *graphs == u32::MAX { f.write_str("any graphs)") } else { write!(f, "at most {graphs} graphs)") }
            }
            Holds::Limits(limits) | Holds::FromEpoch0(FromEpoch0 { limits, .. }) => write!(f, "rows{limits}"),
            Holds::Shape(shape) => write!(f, "shape({shape})"),
            Holds::Estimate { by, batch_size } => write!(f, "estimate({by}, {batch_size})"),
            Holds::Cheapest { budget, .. } => write!(f, "cheapest(within {budget})"),
        }
    }
}
