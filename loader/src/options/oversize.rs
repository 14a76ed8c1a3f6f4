//! What becomes of graphs that are too large ([`Oversize`]) or cannot be loaded ([`OnError`]).

use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;

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
    /// [`Shapes::One`](crate::Shapes::One), these batches share a second shape, large enough for every such graph, and
    /// come after the others or, shuffled, between them. With equal shapes for all ranks, a step in which some ranks
    /// have one has a third shape, of the more rows and graphs of both. With
    /// [`Grouping::InOrder`](crate::Grouping::InOrder) and [`Shapes::Exact`](crate::Shapes::Exact), they come in their
    /// place, as in ptgnn.
    Alone,
    /// Each such graph loses random rows, other rows in every epoch, until each set is within its limit: first of the
    /// first set, with all that refers to them, then of the next: poptorch_geometric's
    /// `OverSizeStrategy.TrimNodesAndEdges`. [`Loader::trimmed`](crate::Loader::trimmed) counts these graphs. A matrix
    /// of [neighbours](crate::Data::neighbours) with too few columns has the nearest edges, and nothing counts the
    /// others.
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
    /// The batch is made without the graph: the other graphs move up, and the rows that are free become padding; with
    /// [`Shapes::Exact`](crate::Shapes::Exact) the batch has fewer rows. All other batches, and all states, are what
    /// they would have been.
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
