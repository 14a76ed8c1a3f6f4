//! `graphpack plan`: packs a histogram and says how good the plan is.

use crate::arguments::{Chosen, Format, HistogramFile, PackerArgs, PlanFile, Replace, SampleArgs, TargetArgs, ends_in};
use crate::output::{Outcome, PrintError, by_set, listed, plot, print, sample};
use graphpack_core::{Heuristic, Histogram, Limits, PackError, Packer, Plan, Size};
use graphpack_loader::quality::SampleQuality;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Pack a histogram or a data set: how many packs its graphs need under given limits, and how full these are
#[derive(clap::Args)]
#[command(group(clap::ArgGroup::new("outputs").multiple(true)))]
// Sizes do not depend on targets.
#[command(mut_arg("targets", |arg| arg.conflicts_with("histogram")))]
pub(crate) struct Args {
    #[command(flatten)]
    histogram: HistogramFile,
    #[command(flatten)]
    targets: TargetArgs,
    /// Most rows of each set in a pack, in the order of the histogram: those of the largest graphs if not given
    #[arg(long, value_name = "N,E,...", value_parser = parse_limits)]
    limits: Option<Rows>,
    #[command(flatten)]
    packer: PackerArgs,
    #[command(flatten)]
    sample: SampleArgs,
    /// Write the plan: JSON for Grouping::Plan, or postcard for the FixedPlan of a program without allocator
    #[arg(long, value_name = "FILE.json|FILE.postcard", value_parser = PlanFile::parse, group = "outputs")]
    out: Option<PlanFile>,
    /// Draw how full containers are before and after packing
    #[arg(long, value_name = "FILE.svg", value_parser = ends_in("SVG", &["svg"]), group = "outputs")]
    plot: Option<PathBuf>,
    #[command(flatten)]
    replace: Replace,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// The harmonic mean of the shares of packs above which limits are good, and the share of packs beyond the bound up to
/// which a plan is.
const FULL: f64 = 0.9;
const CLOSE: f64 = 0.05;

/// A number for each set.
#[derive(Clone)]
pub(super) struct Rows(Vec<u32>);

impl Rows {
    /// The numbers of `--limits`, else those of the largest graphs.
    pub(super) fn of_each(given: Option<&Self>, sets: &[String], histogram: &Histogram) -> Result<Size, String> {
        match given {
            Some(Self(rows)) if rows.len() == sets.len() => Ok(Size::of(rows.len(), |set| rows[set])),
            Some(Self(rows)) => {
                let found = rows.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
                Err(format!("--limits: expected a number for each of {}, found {found}", sets.join(",")))
            }
            None => Ok(histogram.largest().max_each(&Size::of(sets.len(), |_| 1))),
        }
    }
}

/// A plan and what is printed of it.
struct Report<'a> {
    sets: &'a [String],
    histogram: &'a Histogram,
    chosen: &'a Chosen,
    /// Whether it is the paper's listing, to the letter.
    published: bool,
    plan: Plan,
    time: Duration,
    sample: Option<SampleQuality>,
}

pub(crate) fn run(args: &Args) -> Outcome {
    args.packer.check(args.histogram.most_graphs().is_some())?;
    args.sample.check()?;
    let inputs: Vec<&Path> = args.histogram.files().chain(args.targets.file()).collect();
    let outputs = [("--out", args.out.as_ref().map(PlanFile::path)), ("--plot", args.plot.as_deref())];
    args.replace.check(&outputs, &inputs)?;
    let (counts, data) = args.histogram.read_data(Some(&args.targets))?;
    let (sets, histogram) = (counts.sets(), counts.histogram());
    let limits = Rows::of_each(args.limits.as_ref(), sets, histogram)?;
    let chosen = args.packer.choose(sets)?;
    let most_graphs = args.histogram.limits(histogram);
    let kept = most_graphs(Size::of(sets.len(), |k| if chosen.keeps(k) { limits[k] } else { u32::MAX }));
    let limits = Limits::new(limits).graphs(kept.graphs);
    let start = Instant::now();
    let plan = chosen.pack(histogram, &limits).map_err(|error| match error {
        PackError::TooLarge { .. } => format!("{error}, or a larger --budget"),
        error => error.to_string(),
    })?;
    let time = start.elapsed();
    let sample = args.sample.measure(data, &plan)?;
    // After all that may fail.
    if let Some(file) = &args.out {
        file.write(sets, &plan)?;
    }
    let published = args.packer.is_published();
    let report = Report { sets, histogram, chosen: &chosen, published, plan, time, sample };
    if let Some(path) = &args.plot {
        plot::save(path, plot::fill(sets, &report.plan, ""))?;
    }
    match args.format {
        Format::Text => {
            report.print()?;
            if let Some(file) = &args.out {
                print(file.described(&report.plan))?;
            }
        }
        Format::Json => {
            let mut object = report.json();
            if let Some(file) = &args.out {
                object["read_by"] = file.reader(&report.plan).into();
            }
            print(object)?;
        }
    }
    Ok(())
}

impl Report<'_> {
    fn json(&self) -> serde_json::Value {
        let (limits, efficiency) = (self.plan.limits(), self.plan.efficiency());
        let mut limits_by_set = by_set(self.sets, limits.size.as_slice().iter().copied());
        limits_by_set.insert("graphs".to_owned(), limits.graphs.into());
        let mut efficiency_by_set = by_set(self.sets, efficiency.sets);
        efficiency_by_set.insert("graphs".to_owned(), efficiency.graphs.into());
        let mut object = json!({
            "graphs": self.histogram.graphs(),
            "sizes": self.histogram.entries().len(),
            "limits": limits_by_set,
            "ignored_limits": self.ignored(),
            "packer": self.chosen.name,
            "chosen": self.plan.packer().map(|packer| described(&packer, self.sets)),
            "heuristic": self.chosen.heuristic,
            "packs": self.plan.packs(),
            "graphs_per_pack": self.graphs_per_pack(),
            "distinct_packs": self.plan.distinct_packs(),
            "efficiency": efficiency_by_set,
            "bound": self.plan.bound(),
            "gap": self.plan.gap(),
            "seconds": self.time.as_secs_f64(),
        });
        if let Some(quality) = &self.sample {
            object["sample"] = sample(quality, self.sets);
        }
        object
    }

    /// The sets whose limits are ignored.
    fn ignored(&self) -> Vec<String> {
        let ignored = self.sets.iter().enumerate().filter(|(k, _)| !self.chosen.keeps(*k));
        ignored.map(|(_, set)| set.clone()).collect()
    }

    fn graphs_per_pack(&self) -> f64 {
        self.histogram.graphs() as f64 / self.plan.packs().max(1) as f64
    }

    /// What is wrong where packs are far from full though there are hardly more than there must be: the limits.
    fn advice(&self) -> Option<String> {
        let efficiency = self.plan.efficiency();
        let is_empty = self.histogram.graphs() == 0;
        if self.chosen.is_baseline() || is_empty || efficiency.harmonic_mean() >= FULL || self.plan.gap() > CLOSE {
            return None;
        }
        let why = if efficiency.graphs >= FULL {
            return Some("no packer fills these limits: packs have as many graphs as --max-graphs allows".into());
        } else if self.plan.packs() == 1 {
            return Some("all graphs fit into one pack: with smaller limits it would be fuller".into());
        } else if (0..self.sets.len()).any(|k| self.plan.limits().size[k] / 2 < self.histogram.largest()[k]) {
            "hold little more than the largest graph"
        } else {
            "are out of proportion"
        };
        Some(format!("no packer fills these limits, which {why}: graphpack limits searches limits that are full"))
    }

    fn print(&self) -> Result<(), PrintError> {
        let efficiency = self.plan.efficiency();
        let filled = self.sets.iter().zip(efficiency.sets);
        let filled = filled.map(|(set, share)| format!("{:.2} % of the {set}", 100.0 * share));
        let (graphs, sizes) = (self.histogram.graphs(), self.histogram.entries().len());
        print(format_args!("{graphs} graphs of {sizes} sizes, limits {}", self.plan.limits()))?;
        let (packer, ignored) = (&self.chosen.name, self.ignored());
        if !ignored.is_empty() {
            let sets = listed(&ignored);
            print(format_args!("{packer} ignores the limits of {sets}: those above are what its fullest pack has"))?;
        }
        let by = self.chosen.heuristic.as_ref().map(|heuristic| format!(" by {heuristic}")).unwrap_or_default();
        print(format_args!(
            "{}{packer}{by}: {} packs ({} distinct)",
            if self.published { "published " } else { "" },
            self.plan.packs(),
            self.plan.distinct_packs()
        ))?;
        print(format_args!(
            "filled: {}, {:.2} % of the graphs",
            filled.collect::<Vec<_>>().join(", "),
            100.0 * efficiency.graphs
        ))?;
        if let Some(chosen) = self.plan.packer().filter(|_| packer == "auto") {
            print(format_args!("the best of those tried: {}", described(&chosen, self.sets)))?;
        }
        let gap = 100.0 * self.plan.gap();
        print(format_args!(
            "no plan has fewer than {} packs (gap {gap:.3} %); {:.1} graphs per pack",
            self.plan.bound(),
            self.graphs_per_pack()
        ))?;
        if let Some(advice) = self.advice() {
            print(advice)?;
        }
        print(format_args!("packed in {:.4} s", self.time.as_secs_f64()))?;
        self.sample.as_ref().map_or(Ok(()), print)
    }
}

/// A packer in a few words.
fn described(packer: &Packer, sets: &[String]) -> String {
    let by = |heuristic: &Heuristic| priority(heuristic, sets);
    match packer {
        Packer::BestFit(heuristic) => format!("best-fit by {}", by(heuristic)),
        Packer::FirstFit(heuristic) => format!("first-fit by {}", by(heuristic)),
        Packer::Published(heuristic) => format!("published best-fit by {}", by(heuristic)),
        Packer::Columns(_) => "columns".to_owned(),
        Packer::Auto(_) => "auto".to_owned(),
        other => format!("{other:?}").to_lowercase(),
    }
}

/// The priority of a size in a few words.
fn priority(heuristic: &Heuristic, sets: &[String]) -> String {
    match heuristic {
        Heuristic::Set(set) => sets.get(*set).cloned().unwrap_or_else(|| heuristic.to_string()),
        other => other.to_string(),
    }
}

/// Parses `N,E` and so on.
pub(super) fn parse_limits(text: &str) -> Result<Rows, String> {
    let rows = text.split(',').map(|number| number.trim().parse().ok()).collect::<Option<_>>();
    rows.map(Rows).ok_or_else(|| format!("expected a number for each set as in 222,502, found {text:?}"))
}
