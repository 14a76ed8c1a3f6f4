//! [`PackerArgs`]: the packer of a plan; [`PlanFile`]: where the plan is written; [`SampleArgs`]: whether its batches
//! are measured as a sample of the data set.

use super::cost::{parse_number, position};
use super::name;
use crate::output::{Outcome, write};
use clap::ValueEnum;
use graphpack_core::stream::MOST_OPEN;
use graphpack_core::{Budget, Heuristic, Histogram, Limits, PackError, Packer, Plan, Size, baseline};
use graphpack_loader::quality::SampleQuality;
use graphpack_loader::{Data, Grouping, Loader, Options, Order, SavedPlan};
use std::error::Error;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// Which packer makes a plan, and how.
#[derive(clap::Args)]
pub(crate) struct PackerArgs {
    /// Algorithm: auto if not given, or best-fit where --heuristic, --weights or --published is given
    #[arg(long, value_enum)]
    packer: Option<PackerName>,
    /// About how long columns and auto may take, in seconds of one core; counted in steps, so that plans are the same
    /// everywhere [default: 1]
    #[arg(long, value_name = "SECONDS", value_parser = parse_number)]
    budget: Option<f64>,
    /// Priority of a size, for best-fit and first-fit: product, sum, maximum, minimum, node, edge or set:NAME
    /// [default: product]
    #[arg(long)]
    heuristic: Option<String>,
    /// Weight of each set in product, sum, maximum or minimum, in the order of the histogram; in product, powers
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
    Auto,
    /// The paper's baseline: every graph in a pack of its own
    None,
    /// The paper's baseline: packs by nodes, with any number of other rows
    NodeBase,
    /// The paper's baseline: packs by edges, with any number of other rows
    EdgeBase,
}

/// A packer and what it is called on the command line.
pub(crate) struct Chosen {
    how: How,
    pub(crate) name: String,
    /// None for packers that have no heuristic.
    pub(crate) heuristic: Option<String>,
}

enum How {
    Packer(Packer),
    /// Each graph by itself.
    Alone,
    /// By one set.
    Base(usize),
}

impl Chosen {
    /// Whether it is one of the paper's baselines.
    pub(crate) fn is_baseline(&self) -> bool {
        !matches!(self.how, How::Packer(_))
    }

    /// Whether packs keep the limit of a set: baselines by one set ignore the others.
    pub(crate) fn keeps(&self, set: usize) -> bool {
        if let How::Base(only) = self.how { only == set } else { true }
    }

    /// Packs every graph of a histogram.
    pub(crate) fn pack(&self, histogram: &Histogram, limits: &Limits) -> Result<Plan, PackError> {
        match self.how {
            How::Packer(packer) => packer.pack(histogram, limits),
            How::Alone => baseline::no_packing(histogram, limits),
            How::Base(set) => baseline::one_set(histogram, limits, set),
        }
    }
}

impl PackerArgs {
    /// Whether best-fit is run as the paper prints it.
    pub(crate) fn is_published(&self) -> bool {
        self.published
    }

    /// The packer that was asked for, or that follows from other options.
    fn packer_name(&self) -> PackerName {
        let fits = self.published || self.heuristic.is_some() || !self.weights.is_empty();
        self.packer.unwrap_or(if fits { PackerName::BestFit } else { PackerName::Auto })
    }

    /// Errors if an option has no effect on the packer that was asked for; `max_graphs` says whether `--max-graphs` is
    /// given.
    pub(crate) fn check(&self, max_graphs: bool) -> Result<(), String> {
        let packer = self.packer_name();
        let is = |packers: &[PackerName]| packers.contains(&packer);
        let by_priority = is(&[PackerName::BestFit, PackerName::FirstFit]);
        let with_budget = is(&[PackerName::Auto, PackerName::Columns]);
        let options = [
            ("--heuristic", self.heuristic.is_some(), by_priority, "--packer best-fit or first-fit"),
            ("--weights", !self.weights.is_empty(), by_priority, "--packer best-fit or first-fit"),
            (
                "--published",
                self.published,
                is(&[PackerName::BestFit]),
                "--packer best-fit, the only packer in the paper",
            ),
            ("--budget", self.budget.is_some(), with_budget, "--packer auto or columns"),
            ("--max-graphs", max_graphs, !is(&[PackerName::None]), "packers that put several graphs into a pack"),
        ];
        match options.into_iter().find(|(_, given, has_effect, _)| *given && !has_effect) {
            None => Ok(()),
            Some((option, _, _, takes)) => {
                let default = if self.packer.is_none() { ", the default" } else { "" };
                let found = name(packer);
                Err(format!("{option} has no effect with --packer {found}{default}: it is for {takes}"))
            }
        }
    }

    /// The packer that was asked for, for sizes of these sets.
    pub(crate) fn choose(&self, sets: &[String]) -> Result<Chosen, String> {
        let (heuristic, heuristic_name) = self.heuristic(sets)?;
        let budget = self.budget.map_or_else(Budget::default, Budget::seconds);
        let packer_name = self.packer_name();
        let by_heuristic = matches!(packer_name, PackerName::BestFit | PackerName::FirstFit);
        let how = match packer_name {
            PackerName::BestFit if self.published => How::Packer(Packer::Published(heuristic)),
            PackerName::BestFit => How::Packer(Packer::BestFit(heuristic)),
            PackerName::FirstFit => How::Packer(Packer::FirstFit(heuristic)),
            PackerName::Demand => How::Packer(Packer::Demand),
            PackerName::Columns => How::Packer(Packer::Columns(budget)),
            PackerName::Auto => How::Packer(Packer::Auto(budget)),
            PackerName::None => How::Alone,
            PackerName::NodeBase => How::Base(position(sets, "nodes")?),
            PackerName::EdgeBase => How::Base(position(sets, "edges")?),
        };
        Ok(Chosen { how, name: name(packer_name), heuristic: by_heuristic.then_some(heuristic_name) })
    }

    /// The heuristic that was asked for, and what to call it.
    fn heuristic(&self, sets: &[String]) -> Result<(Heuristic, String), String> {
        let name = self.heuristic.as_deref().unwrap_or("product");
        if self.weights.is_empty() {
            let heuristic = match name {
                "product" => Heuristic::Product,
                "sum" => Heuristic::Sum,
                "maximum" => Heuristic::Maximum,
                "minimum" => Heuristic::Minimum,
                "node" => Heuristic::Set(position(sets, "nodes")?),
                "edge" => Heuristic::Set(position(sets, "edges")?),
                other => match other.strip_prefix("set:") {
                    Some(set) => Heuristic::Set(position(sets, set)?),
                    None => {
                        let expected = "product, sum, maximum, minimum, node, edge or set:NAME";
                        return Err(format!("--heuristic: expected {expected}, found {other:?}"));
                    }
                },
            };
            return Ok((heuristic, name.to_owned()));
        }
        let found = self.weights.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
        let weights = &self.weights;
        let is_sound = weights.len() == sets.len() && weights.iter().any(|&weight| weight > 0);
        let weights = is_sound.then(|| Size::of(weights.len(), |set| weights[set])).ok_or_else(|| {
            format!("--weights: expected a number for each of {}, not all 0, found {found}", sets.join(","))
        })?;
        let heuristic = match name {
            "product" => Heuristic::WeightedProduct(weights),
            "sum" => Heuristic::WeightedSum(weights),
            "maximum" => Heuristic::WeightedMaximum(weights),
            "minimum" => Heuristic::WeightedMinimum(weights),
            other => {
                let expected = "--heuristic product, sum, maximum or minimum";
                return Err(format!("--weights: expected {expected}, found {other:?}"));
            }
        };
        Ok((heuristic, format!("{name} with weights {found}")))
    }
}

/// A file for a plan, in the format that its name ends in.
#[derive(Clone)]
pub(crate) struct PlanFile {
    path: PathBuf,
    format: PlanFormat,
}

#[derive(Clone, Copy)]
enum PlanFormat {
    /// [`SavedPlan`]: packs, limits, sets, packer and bound.
    Json,
    /// [`FixedPlan`](graphpack_core::FixedPlan): limits and packs.
    Postcard,
}

impl PlanFile {
    /// Takes a path that ends in `.json` or `.postcard`.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let path = PathBuf::from(text);
        let format = match path.extension().and_then(|extension| extension.to_str()) {
            Some("json") => PlanFormat::Json,
            Some("postcard") => PlanFormat::Postcard,
            _ => return Err(format!("expected a name that ends in .json or .postcard, found {text:?}")),
        };
        Ok(Self { path, format })
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a plan for graphs of these sets.
    pub(crate) fn write(&self, sets: &[String], plan: &Plan) -> Outcome {
        match self.format {
            PlanFormat::Json => Ok(SavedPlan::from(plan.clone()).of_sets(sets).save(&self.path)?),
            PlanFormat::Postcard => write(&self.path, &postcard::to_allocvec(&plan.as_fixed())?),
        }
    }

    /// What reads the file: of a plan in fixed memory, the type with just enough room.
    pub(crate) fn reader(&self, plan: &Plan) -> String {
        match self.format {
            PlanFormat::Json => "Grouping::Plan".into(),
            PlanFormat::Postcard => {
                let (sets, entries, packs) = (plan.limits().size.sets(), plan.entries(), plan.distinct_packs());
                format!("FixedPlan<{sets}, {entries}, {packs}>")
            }
        }
    }

    /// The file and what reads it, in words.
    pub(crate) fn described(&self, plan: &Plan) -> String {
        let (path, reader) = (self.path.display(), self.reader(plan));
        match self.format {
            PlanFormat::Json => format!("{path}: for {reader}"),
            PlanFormat::Postcard => format!("{path}: for a {reader} or one with more room"),
        }
    }
}

/// Whether and how batches are measured as a sample of the data set.
#[derive(clap::Args)]
pub(crate) struct SampleArgs {
    /// With a data set, also say how good a sample of it batches are, by this field of graphs, such as the target
    #[arg(long, value_name = "FIELD", conflicts_with = "histogram")]
    sample: Option<String>,
    /// With --sample, which graphs share a batch
    #[arg(long, value_enum, default_value_t = Way::Packed, conflicts_with = "histogram")]
    batching: Way,
    /// With --sample, packs of a batch
    #[arg(long, value_name = "P", default_value = "1", conflicts_with = "histogram")]
    packs_per_batch: NonZeroUsize,
    /// With --sample, shuffled epochs that are measured
    #[arg(long, value_name = "E", default_value_t = 50, conflicts_with = "histogram")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    epochs: u64,
    #[arg(long, value_name = "W", conflicts_with = "histogram", help = open_help())]
    #[arg(value_parser = clap::value_parser!(u8).range(1..=i64::from(MOST_OPEN)))]
    open: Option<u8>,
    /// With --sample, seed of the epochs
    #[arg(long, default_value_t = 0, conflicts_with = "histogram")]
    seed: u64,
}

fn open_help() -> String {
    format!("With --batching window, packs that are open at once [default: {}]", Grouping::DEFAULT_OPEN)
}

/// Ways of batching that have limits.
#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Way {
    Packed,
    Window,
    Dynamic,
}

impl SampleArgs {
    /// Errors if there is no window for `--open`.
    pub(crate) fn check(&self) -> Result<(), String> {
        match self.open {
            Some(_) if self.batching != Way::Window => Err("--open has no effect without --batching window".into()),
            _ => Ok(()),
        }
    }

    /// Measures the batches that a loader makes of `data` by `plan` or within its limits, unless `--sample` is not
    /// given.
    pub(crate) fn measure(&self, data: Option<Data>, plan: &Plan) -> Result<Option<SampleQuality>, Box<dyn Error>> {
        let (Some(field), Some(data)) = (&self.sample, data) else { return Ok(None) };
        let limited = Options::default().capacity(*plan.limits());
        let options = match self.batching {
            Way::Packed => limited.grouping(plan.clone()),
            Way::Window => limited.grouping(Grouping::Window(self.open.unwrap_or(Grouping::DEFAULT_OPEN))),
            Way::Dynamic => limited.grouping(Grouping::InOrder),
        };
        let loader =
            Loader::new(data, options.packs(self.packs_per_batch.get()).order(Order::Shuffled).seed(self.seed))?;
        Ok(Some(loader.sample_quality(field, 0..self.epochs)?))
    }
}
