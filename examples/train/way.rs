//! [`Way`]: the ways of batching that `cargo xtask lab worth` compares.

use super::Outcome;
use clap::ValueEnum;
use graphpack_core::baseline::{no_packing, one_set};
use graphpack_core::{Budget, Heuristic, Histogram, Limits, Packer, Plan, Size};
use graphpack_loader::{Capacity, Data, Grouping, Options, Shapes};

/// Packs that [`Way::Window`] keeps open.
const OPEN: u8 = 32;

/// How the room for some packs of the largest graph's size is filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Way {
    /// one graph in each pack
    None,
    /// packs by nodes; edges have the room that they need
    NodeBase,
    /// packs by edges; nodes have the room that they need
    EdgeBase,
    /// the listing of the tuple packing paper, by its best heuristic
    Published,
    /// the same listing in as many packs as hold on average the graphs that fit
    PublishedGraphs,
    /// graphpack's plan
    Auto,
    /// the best of 32 open packs, in random order
    Window,
    /// graphpack's plan for as many graphs as fit on average: one pack in a shape of its own
    AutoGraphs,
    /// the best of 32 open packs, in random order, for as many graphs as fit on average
    WindowGraphs,
    /// jraph: graphs in random order until one does not fit, in one shape as large as all packs
    Dynamic,
    /// as many graphs as fit on average, padded to multiples of 64
    #[value(name = "static-64")]
    Static64,
    /// as many graphs as fit on average, padded to powers of two
    #[value(name = "static-2n")]
    StaticPow2,
    /// as many graphs as fit on average, without padding
    Unpadded,
}

impl Way {
    /// Sets grouping, capacity and shapes of a loader of graphs with nodes and edges.
    pub(crate) fn apply(self, options: Options, graphs: &Data, packs: u32) -> Outcome<Options> {
        let histogram = Histogram::from_sizes(graphs.sizes()?)?;
        let (largest, totals) = (histogram.largest(), histogram.totals());
        let limits = Limits::new(largest);
        // The scarcer of nodes and edges says how many graphs the room holds on average.
        let room = f64::from(packs) * graphs.len() as f64;
        let fitting = largest.as_slice().iter().zip(&totals).map(|(&rows, &all)| f64::from(rows) * room / all as f64);
        let fitting = fitting.fold(f64::INFINITY, f64::min);
        let (mean, exactly) = (Capacity::graphs(fitting as u32), Capacity::exactly(fitting as u32));
        let all = Size::of(2, |set| largest[set].saturating_mul(packs));
        let published = || -> Outcome<Plan> {
            let plans = [Heuristic::Product, Heuristic::Sum, Heuristic::Set(0), Heuristic::Set(1)]
                .map(|heuristic| Packer::Published(heuristic).pack(&histogram, &limits));
            let plans = plans.into_iter().collect::<Result<Vec<_>, _>>()?;
            Ok(plans.into_iter().min_by_key(Plan::packs).ok_or("no plan")?)
        };
        let of_limits = Capacity::from(limits);
        let in_order = options.clone().grouping(Grouping::InOrder);
        let (options, packs) = match self {
            Self::None => (options.grouping(no_packing(&histogram, &limits)?), packs),
            Self::NodeBase => (options.grouping(one_set(&histogram, &limits, 0)?), packs),
            Self::EdgeBase => (options.grouping(one_set(&histogram, &limits, 1)?), packs),
            Self::Published => (options.grouping(published()?), packs),
            Self::PublishedGraphs => {
                let plan = published()?;
                let packs = fitting * plan.packs() as f64 / graphs.len() as f64;
                (options.grouping(plan), packs.round().max(1.0) as u32)
            }
            Self::Auto => (options.grouping(Packer::Auto(Budget::default())).capacity(of_limits), packs),
            Self::Window => (options.grouping(Grouping::Window(OPEN)).capacity(of_limits), packs),
            Self::AutoGraphs => (options.grouping(Packer::Auto(Budget::default())).capacity(mean), 1),
            Self::WindowGraphs => (options.grouping(Grouping::Window(OPEN)).capacity(mean), 1),
            Self::Dynamic => {
                let limits = Limits::new(all).graphs(limits.graphs.saturating_mul(packs));
                (in_order.capacity(limits), 1)
            }
            Self::Static64 => (in_order.capacity(exactly).shapes(Shapes::Multiple(64)), 1),
            Self::StaticPow2 => (in_order.capacity(exactly).shapes(Shapes::PowerOfTwo), 1),
            Self::Unpadded => (in_order.capacity(exactly).shapes(Shapes::Exact), 1),
        };
        Ok(options.packs(packs as usize))
    }
}
