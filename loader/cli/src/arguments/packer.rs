//! [`PackerArgs`]: the packer of a plan.

use super::set::position;
use clap::ValueEnum;
use graphpack_core::{Effort, Heuristic, Histogram, Limits, PackError, Packer, Plan, Size, baseline};
use graphpack_loader::Batching;

/// Which packer makes a plan, and how.
#[derive(clap::Args)]
pub(crate) struct PackerArgs {
    /// Algorithm [default: auto; best-fit where --heuristic, --weights or --published is given]
    #[arg(long, value_enum)]
    packer: Option<PackerName>,
    /// About how long columns and auto may take, in seconds of one core; counted in steps, so that plans are the same
    /// everywhere
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0, value_parser = parse_budget)]
    budget: f64,
    /// Packs that window keeps open
    #[arg(long, value_name = "W", default_value_t = Batching::DEFAULT_OPEN)]
    #[arg(value_parser = clap::value_parser!(u8).range(1..=128))]
    open: u8,
    /// Seed of the random order in which window sees the graphs, and of the epochs of --sample
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Priority of a size, for best-fit and first-fit: product, sum, max, min, node, edge or set:NAME [default:
    /// product]
    #[arg(long)]
    heuristic: Option<String>,
    /// Weight of each set in product, sum, max or min, in the order of the histogram; in product, powers
    #[arg(long, value_name = "W,W,...", value_delimiter = ',')]
    weights: Vec<u32>,
    /// Follow the paper's listing to the letter (best-fit only)
    #[arg(long)]
    published: bool,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum PackerName {
    BestFit,
    FirstFit,
    Demand,
    Columns,
    Window,
    Auto,
    /// The paper's baseline: every graph in a pack of its own
    None,
    /// The paper's baseline: packs by nodes, with any number of other rows
    NodeBase,
    /// The paper's baseline: packs by edges, with any number of other rows
    EdgeBase,
}

/// A packer and what it is called on the command line.
pub(crate) struct Chosen<const K: usize> {
    how: How<K>,
    pub(crate) name: String,
    /// None for packers that have no heuristic.
    pub(crate) heuristic: Option<String>,
}

enum How<const K: usize> {
    Packer(Packer<K>),
    /// Each graph by itself.
    Alone,
    /// By one component.
    Base(usize),
}

impl<const K: usize> Chosen<K> {
    /// Packs every graph of a histogram.
    pub(crate) fn pack(&self, histogram: &Histogram<K>, limits: &Limits<K>) -> Result<Plan<K>, PackError<K>> {
        match self.how {
            How::Packer(packer) => packer.pack(histogram, limits),
            How::Alone => baseline::no_packing(histogram, limits),
            How::Base(component) => baseline::one_component(histogram, limits, component),
        }
    }
}

impl PackerArgs {
    /// Packs that a window keeps open, and the seed of random orders.
    pub(crate) fn window(&self) -> (u8, u64) {
        (self.open, self.seed)
    }

    /// The packer that was asked for, for sizes of these sets.
    pub(crate) fn choose<const K: usize>(&self, sets: &[String]) -> Result<Chosen<K>, String> {
        let (heuristic, heuristic_name) = self.heuristic(sets)?;
        let effort = Effort::seconds(self.budget);
        let has_heuristic = self.heuristic.is_some() || !self.weights.is_empty();
        let fits = self.published || has_heuristic;
        let packer_name = self.packer.unwrap_or(if fits { PackerName::BestFit } else { PackerName::Auto });
        let by_heuristic = matches!(packer_name, PackerName::BestFit | PackerName::FirstFit);
        if has_heuristic && !by_heuristic {
            let found = name(packer_name);
            return Err(format!("--heuristic and --weights: expected --packer best-fit or first-fit, found {found}"));
        }
        let how = match (packer_name, self.published) {
            (PackerName::BestFit, false) => How::Packer(Packer::BestFit(heuristic)),
            (PackerName::BestFit, true) => How::Packer(Packer::Published(heuristic)),
            (_, true) => return Err("--published is for --packer best-fit only: the paper lists no other".to_owned()),
            (PackerName::FirstFit, _) => How::Packer(Packer::FirstFit(heuristic)),
            (PackerName::Demand, _) => How::Packer(Packer::Demand),
            (PackerName::Columns, _) => How::Packer(Packer::Columns(effort)),
            (PackerName::Window, _) => How::Packer(Packer::Window { open: self.open, seed: self.seed }),
            (PackerName::Auto, _) => How::Packer(Packer::Auto(effort)),
            (PackerName::None, _) => How::Alone,
            (PackerName::NodeBase, _) => How::Base(position(sets, "nodes")?),
            (PackerName::EdgeBase, _) => How::Base(position(sets, "edges")?),
        };
        Ok(Chosen { how, name: name(packer_name), heuristic: by_heuristic.then_some(heuristic_name) })
    }

    /// The heuristic that was asked for, and what to call it.
    fn heuristic<const K: usize>(&self, sets: &[String]) -> Result<(Heuristic<K>, String), String> {
        let name = self.heuristic.as_deref().unwrap_or("product");
        if self.weights.is_empty() {
            let heuristic = match name {
                "product" => Heuristic::Product,
                "sum" => Heuristic::Sum,
                "max" => Heuristic::Maximum,
                "min" => Heuristic::Minimum,
                "node" => Heuristic::Component(position(sets, "nodes")?),
                "edge" => Heuristic::Component(position(sets, "edges")?),
                other => match other.strip_prefix("set:") {
                    Some(set) => Heuristic::Component(position(sets, set)?),
                    None => {
                        let expected = "product, sum, max, min, node, edge or set:NAME";
                        return Err(format!("--heuristic: expected {expected}, found {other:?}"));
                    }
                },
            };
            return Ok((heuristic, name.to_owned()));
        }
        let found = self.weights.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
        let weights =
            <[u32; K]>::try_from(&*self.weights).ok().filter(|weights| weights.iter().any(|&weight| weight > 0));
        let weights = weights.map(Size).ok_or_else(|| {
            format!("--weights: expected a number for each of {}, not all 0, found {found}", sets.join(","))
        })?;
        let heuristic = match name {
            "product" => Heuristic::WeightedProduct(weights),
            "sum" => Heuristic::Weighted(weights),
            "max" => Heuristic::WeightedMaximum(weights),
            "min" => Heuristic::WeightedMinimum(weights),
            other => return Err(format!("--weights: expected --heuristic product, sum, max or min, found {other:?}")),
        };
        Ok((heuristic, format!("{name} with weights {found}")))
    }
}

/// The name of a choice on the command line.
fn name(value: impl ValueEnum) -> String {
    value.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

fn parse_budget(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|seconds: &f64| seconds.is_finite() && *seconds >= 0.0);
    seconds.ok_or_else(|| format!("expected a number of seconds, found {text:?}"))
}
