//! Naming the fastest way of batching for a model, data set and device that was never timed, on the 1,939 finished runs
//! that the batching study recorded. `docs/measurements/advice.md` says what is compared and holds what this prints:
//! `cargo test -p graphpack-cli --test advice -- --nocapture`.

use flate2::read::GzDecoder;
use graphpack_cli::advice::{Batching, Counted, Way, Workload};
use graphpack_formats::histogram_csv;
use graphpack_loader::step_cost::{StepCost, TimedStep};
use graphpack_loader::{Loader, Options, Order, Shape, Size};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::Path;
use test_common::shared_data;

const ALGORITHMS: [(&str, Batching); 3] =
    [("dynamic", Batching::Dynamic), ("static-64", Batching::Static64), ("static-2N", Batching::StaticPow2)];
/// Batches that are planned to find the shapes of a way: the shorter of the recorded trainings.
const BATCHES: u64 = 100_000;

/// AFLOW's sizes are not public. Edges are 24 per node; nodes are taken to be log-normal, with the mean and the
/// deviation, in whole numbers, that come nearest to the numbers of recompilations in 100,000 steps. No time went into
/// them.
const AFLOW: [f64; 2] = [8.0, 10.0];

#[derive(Clone, Debug, Deserialize)]
struct Run {
    steps: u64,
    model: String,
    dataset: String,
    batching: String,
    batch_size: u32,
    device: String,
    iteration: u32,
    recompilations: Option<f64>,
    batching_ms_mean: Option<f64>,
    update_ms_mean: Option<f64>,
    update_ms_median: Option<f64>,
}

/// What all repeats of one training have in common: the medians of their numbers.
#[derive(Clone, Debug)]
struct Row {
    run: Run,
    batching: f64,
    update: f64,
    /// (mean - median) of the update, in all steps: compilation and other outliers.
    outliers: f64,
    /// Step times of each repeat.
    repeats: BTreeMap<u32, f64>,
}

/// Model, data set, device.
type Group<'a> = [&'a str; 3];

impl Row {
    fn group(&self) -> Group<'_> {
        [&self.run.model, &self.run.dataset, &self.run.device]
    }

    fn cell(&self) -> (Group<'_>, u64, u32) {
        (self.group(), self.run.steps, self.run.batch_size)
    }

    /// Mean milliseconds of a step, batching included: the median of the repeats.
    fn step(&self) -> f64 {
        median(self.repeats.values().copied())
    }
}

fn median(numbers: impl IntoIterator<Item = f64>) -> f64 {
    let mut numbers: Vec<f64> = numbers.into_iter().collect();
    numbers.sort_by(f64::total_cmp);
    let middle = numbers.len() / 2;
    if numbers.len() % 2 == 1 { numbers[middle] } else { f64::midpoint(numbers[middle - 1], numbers[middle]) }
}

fn read(data: &Path) -> Vec<Row> {
    let file = File::open(data.join("recorded/gnn_batching_timings.csv.gz")).unwrap();
    let mut trainings = BTreeMap::<_, Vec<Run>>::new();
    for run in csv::Reader::from_reader(GzDecoder::new(file)).deserialize() {
        let run: Run = run.unwrap();
        // Runs that did not finish have no times.
        if run.update_ms_mean.is_some() {
            let key = (run.model.clone(), run.dataset.clone(), run.device.clone(), run.steps, run.batch_size);
            trainings.entry((key, run.batching.clone())).or_default().push(run);
        }
    }
    let row = |runs: Vec<Run>| {
        let of = |number: fn(&Run) -> Option<f64>| median(runs.iter().filter_map(number));
        Row {
            batching: of(|run| run.batching_ms_mean),
            update: of(|run| run.update_ms_mean),
            outliers: of(|run| Some((run.update_ms_mean? - run.update_ms_median?) * run.steps as f64)),
            repeats: runs
                .iter()
                .filter_map(|run| Some((run.iteration, run.batching_ms_mean? + run.update_ms_mean?)))
                .collect(),
            run: runs[0].clone(),
        }
    };
    trainings.into_values().map(row).collect()
}

/// The shapes of each algorithm at each batch size, by data set.
struct Shapes(BTreeMap<(String, String, u32), Workload>);

impl Shapes {
    fn plan(data: &Path) -> Self {
        let qm9 = histogram_csv::read(data.join("histograms/qm9_fully_connected.hist.csv")).unwrap();
        let qm9 = qm9.histogram().entries().to_vec();
        let mut shapes = BTreeMap::new();
        for (name, sizes) in [("qm9", qm9), ("aflow", aflow())] {
            for batch_size in [16, 32, 64, 128] {
                for (algorithm, batching) in ALGORITHMS {
                    let source = Counted::new(["nodes", "edges"], sizes.iter().copied()).unwrap();
                    let options = Options::default().order(Order::Shuffled).seed(1).drop_last(true);
                    let options = Way { batching, batch_size }.apply(options);
                    let work = Workload::of(&Loader::new(source, options).unwrap(), BATCHES, u64::MAX).unwrap();
                    shapes.insert((name.to_owned(), algorithm.to_owned(), batch_size), work);
                }
            }
        }
        Self(shapes)
    }

    fn of(&self, run: &Run) -> &Workload {
        &self.0[&(run.dataset.clone(), run.batching.clone(), run.batch_size)]
    }

    /// The mean slots of a batch as three sets of which an algorithm has one or two, so that the slots of each have a
    /// price of their own, static-64's being the least.
    fn slots(&self, run: &Run, by_algorithm: bool) -> Shape {
        let slots = self.of(run).rows().iter().sum::<f64>().round() as usize;
        let of = |algorithm: &str| if by_algorithm && run.batching == algorithm { slots } else { 0 };
        Shape::new([slots, of("dynamic"), of("static-2N")], run.batch_size as usize)
    }
}

/// About 100,000 graphs.
fn aflow() -> Vec<(Size, u64)> {
    let [mean, deviation] = AFLOW;
    let variance = (1.0 + (deviation / mean).powi(2)).ln();
    let density = |nodes: f64| (-(nodes.ln() - mean.ln() + variance / 2.0).powi(2) / (2.0 * variance)).exp() / nodes;
    let all: f64 = (1..=288).map(|nodes| density(f64::from(nodes))).sum();
    let count = |nodes: u32| (1e5 * density(f64::from(nodes)) / all).round() as u64;
    (1..=288).map(|nodes| (Size::new([nodes, 24 * nodes]), count(nodes))).collect()
}

/// Milliseconds per step that each row of a group is predicted to take, by rows of other groups.
fn predict(group: Group<'_>, rows: &[Row], shapes: &Shapes, by_algorithm: bool) -> BTreeMap<(u64, u32, String), f64> {
    let [model, dataset, device] = group;
    let known: Vec<&Row> = rows.iter().filter(|row| row.group() != group && row.run.device == device).collect();
    // The same model on the same device, with other data: what slots and compilation cost.
    let same: Vec<&&Row> = known.iter().filter(|row| row.run.model == model).collect();
    let compiled = |row: &Row| row.run.recompilations.filter(|shapes| *shapes > 0.0);
    let compile = median(
        same.iter().filter(|row| row.run.batching == "static-64").filter_map(|row| Some(row.outliers / compiled(row)?)),
    );
    let steps: Vec<TimedStep> = same
        .iter()
        .map(|row| {
            let compiling = compile * compiled(row).unwrap_or(0.0) / row.run.steps as f64;
            let shape = shapes.slots(&row.run, by_algorithm);
            TimedStep { shape, milliseconds: row.update - compiling }
        })
        .collect();
    let cost = StepCost::fit(&steps);
    // Other models on the same device, with the same data: what making a batch costs.
    let batching = |run: &Run| {
        let alike = known.iter().filter(|row| {
            row.run.dataset == dataset && row.run.batching == run.batching && row.run.batch_size == run.batch_size
        });
        median(alike.map(|row| row.batching))
    };
    rows.iter()
        .filter(|row| row.group() == group)
        .map(|row| {
            let run = &row.run;
            let compiling = compile * shapes.of(run).shapes_met(run.steps as f64) / run.steps as f64;
            let step = cost.fitted(&shapes.slots(run, by_algorithm)) + compiling + batching(run);
            ((run.steps, run.batch_size, run.batching.clone()), step)
        })
        .collect()
}

/// The choice in one cell, and what it costs beside the fastest of each repeat, on average.
struct Choice {
    cell: String,
    named: String,
    fastest: String,
    regret: f64,
    oracle: f64,
    /// The largest regret of a repeat, and the oracle's.
    worst: [f64; 2],
}

fn choices(rows: &[Row], mut name: impl FnMut(&[&Row]) -> String) -> Vec<Choice> {
    let cells: BTreeSet<_> = rows.iter().map(Row::cell).collect();
    let mut choices = Vec::new();
    for cell in cells {
        let rows: Vec<&Row> = rows.iter().filter(|row| row.cell() == cell).collect();
        if rows.len() < 2 {
            continue;
        }
        let named = name(&rows);
        let fastest = rows.iter().min_by(|a, b| a.step().total_cmp(&b.step())).unwrap().run.batching.clone();
        let everywhere = |repeat: &&u32| rows.iter().all(|row| row.repeats.contains_key(repeat));
        let repeats: Vec<u32> = rows[0].repeats.keys().filter(everywhere).copied().collect();
        let regrets = |of: &str| -> Vec<f64> {
            let of = rows.iter().find(|row| row.run.batching == of);
            let best = |repeat: &u32| rows.iter().map(|row| row.repeats[repeat]).fold(f64::INFINITY, f64::min);
            // A way without times has not finished.
            repeats
                .iter()
                .map(|repeat| of.map_or(f64::INFINITY, |row| row.repeats[repeat]) / best(repeat) - 1.0)
                .collect()
        };
        let (ours, oracle) = (regrets(&named), regrets(&fastest));
        let most = |all: &[f64]| all.iter().copied().fold(0.0, f64::max);
        let ([model, data, device], steps, batch_size) = cell;
        choices.push(Choice {
            cell: format!("{model} | {data} | {device} | {steps} | {batch_size}"),
            named,
            fastest,
            regret: mean(&ours),
            oracle: mean(&oracle),
            worst: [most(&ours), most(&oracle)],
        });
    }
    choices
}

fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len() as f64
}

/// Prints one line and returns the mean and the worst regret.
fn summary(name: &str, choices: &[Choice]) -> [f64; 2] {
    let regrets: Vec<f64> = choices.iter().map(|choice| choice.regret).filter(|regret| regret.is_finite()).collect();
    let hits = choices.iter().filter(|choice| choice.named == choice.fastest).count();
    let found = [mean(&regrets), regrets.iter().copied().fold(0.0, f64::max)];
    let repeat = choices.iter().map(|choice| choice.worst[0]).filter(|worst| worst.is_finite()).fold(0.0, f64::max);
    let [mean, worst] = found.map(|share| 100.0 * share);
    println!("| {name} | {hits} of {} | {mean:.2} % | {worst:.1} % | {:.1} % |", regrets.len(), 100.0 * repeat);
    found
}

#[test]
#[ignore = "needs the real data sets (GRAPHPACK_DATA)"]
fn on_real_data_the_way_that_is_named_is_nearly_the_fastest_in_recorded_trainings_that_were_not_looked_at() {
    let data = shared_data();
    let rows = read(&data);
    let shapes = Shapes::plan(&data);
    for ((data, algorithm, batch_size), work) in shapes.0.iter().filter(|((_, algorithm, _), _)| algorithm != "dynamic")
    {
        let recorded = rows.iter().filter(|row| {
            let run = &row.run;
            run.dataset == *data && run.batching == *algorithm && run.batch_size == *batch_size && run.steps == BATCHES
        });
        let recorded = median(recorded.filter(|row| row.run.model != "painn").filter_map(|row| row.run.recompilations));
        let met = work.shapes_met(BATCHES as f64);
        println!("{data} {algorithm} {batch_size}: {met:.1} shapes, recorded {recorded}, slots {:.0?}", work.rows());
    }
    let by = |by_algorithm: bool| {
        let groups: BTreeSet<_> = rows.iter().map(Row::group).collect();
        let predicted: BTreeMap<_, _> =
            groups.into_iter().map(|group| (group, predict(group, &rows, &shapes, by_algorithm))).collect();
        choices(&rows, |cell| {
            let of =
                |row: &Row| predicted[&row.group()][&(row.run.steps, row.run.batch_size, row.run.batching.clone())];
            cell.iter().min_by(|a, b| of(a).total_cmp(&of(b))).unwrap().run.batching.clone()
        })
    };
    let advice = by(true);
    println!("\n| model | data | device | steps | batch size | named | fastest | regret | oracle |");
    for choice in &advice {
        let Choice { cell, named, fastest, regret, oracle, .. } = choice;
        println!("| {cell} | {named} | {fastest} | {:.2} % | {:.2} % |", 100.0 * regret, 100.0 * oracle);
    }
    println!("\n| chosen | fastest named | mean regret | worst cell | worst repeat |");
    let oracle =
        choices(&rows, |cell| cell.iter().min_by(|a, b| a.step().total_cmp(&b.step())).unwrap().run.batching.clone());
    let [oracle_mean, _] = summary("oracle: medians known", &oracle);
    let [mean, worst] = summary("advice", &advice);
    let [line, _] = summary("a line in slots", &by(false));
    for (algorithm, _) in ALGORITHMS {
        summary(&format!("always {algorithm}"), &choices(&rows, |_| algorithm.to_owned()));
    }
    assert!(mean - oracle_mean <= 0.012 && worst <= 0.221, "mean {mean}, worst {worst}");
    assert!(mean < line, "the algorithm's own price is of no use: {mean} {line}");
}
