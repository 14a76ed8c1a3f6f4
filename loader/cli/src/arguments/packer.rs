//! [`PackerArgs`]: the packer of a plan.

use super::set::position;
use clap::ValueEnum;
use graphpack_core::{Effort, Heuristic, Packer};

/// Which packer makes a plan, and how.
#[derive(clap::Args)]
pub(crate) struct PackerArgs {
    /// Algorithm [default: auto; best-fit where --heuristic or --published is given]
    #[arg(long, value_enum)]
    packer: Option<PackerName>,
    /// About how long columns and auto may take, in seconds of one core; counted in steps, so that plans are the same
    /// everywhere
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0, value_parser = parse_budget)]
    budget: f64,
    /// Packs that window keeps open
    #[arg(long, value_name = "W", default_value_t = 32, value_parser = clap::value_parser!(u8).range(1..=128))]
    open: u8,
    /// Seed of the random order in which window sees the graphs, and of the epochs of --sample
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Priority of a size, for best-fit and first-fit: product, sum, max, min, node, edge or set:NAME [default:
    /// product]
    #[arg(long)]
    heuristic: Option<String>,
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
}

/// A packer and what it is called on the command line.
pub(crate) struct Chosen<const K: usize> {
    pub(crate) packer: Packer<K>,
    pub(crate) name: String,
    /// None for packers that have no heuristic.
    pub(crate) heuristic: Option<String>,
}

impl PackerArgs {
    /// Packs that a window keeps open, and the seed of random orders.
    pub(crate) fn window(&self) -> (u8, u64) {
        (self.open, self.seed)
    }

    /// The packer that was asked for, for sizes of these sets.
    pub(crate) fn choose<const K: usize>(&self, sets: &[String]) -> Result<Chosen<K>, String> {
        let heuristic_name = self.heuristic.as_deref().unwrap_or("product");
        let heuristic = match heuristic_name {
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
        let effort = Effort::seconds(self.budget);
        let fits = self.published || self.heuristic.is_some();
        let packer_name = self.packer.unwrap_or(if fits { PackerName::BestFit } else { PackerName::Auto });
        let packer = match (packer_name, self.published) {
            (PackerName::BestFit, false) => Packer::BestFit(heuristic),
            (PackerName::BestFit, true) => Packer::Published(heuristic),
            (PackerName::FirstFit, false) => Packer::FirstFit(heuristic),
            (PackerName::Demand, false) => Packer::Demand,
            (PackerName::Columns, false) => Packer::Columns(effort),
            (PackerName::Window, false) => Packer::Window { open: self.open, seed: self.seed },
            (PackerName::Auto, false) => Packer::Auto(effort),
            (_, true) => return Err("--published is for --packer best-fit only: the paper lists no other".to_owned()),
        };
        let by_heuristic = matches!(packer_name, PackerName::BestFit | PackerName::FirstFit);
        Ok(Chosen { packer, name: name(packer_name), heuristic: by_heuristic.then(|| heuristic_name.to_owned()) })
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
