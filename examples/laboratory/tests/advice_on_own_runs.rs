//! Naming the fastest way of batching on the trainings of this project, which packed batches are among.
//! `docs/measurements/advice.md` holds what this prints: `cargo xtask lab test advice -- --nocapture`.

use graphpack_loader::Shape;
use graphpack_loader::step_cost::{StepCost, TimedStep};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

/// A row of `study_times.csv` or, with other names, of the older `study_single_runs.csv` in `docs/measurements/data`.
#[derive(Deserialize)]
struct Run {
    model: String,
    algorithm: String,
    #[serde(alias = "batch size")]
    batch_size: u32,
    #[serde(rename = "update_ms_mean", alias = "update ms median")]
    update: f64,
    combined_ms_mean: Option<f64>,
    steps: Option<f64>,
    graphs: Option<f64>,
    #[serde(rename = "ms per 1000 graphs median")]
    per_thousand: Option<f64>,
}

impl Run {
    /// Steps per 1,000 real graphs. Where they were not kept, they follow from the times of a graph and of a step.
    fn steps(&self) -> f64 {
        let kept = || Some(1000.0 * self.steps? / self.graphs?);
        kept().unwrap_or_else(|| self.per_thousand() / self.update)
    }

    /// Milliseconds per 1,000 real graphs, batching included.
    fn per_thousand(&self) -> f64 {
        let of_step = || Some(1000.0 * self.combined_ms_mean? * self.steps? / self.graphs?);
        self.per_thousand.or_else(of_step).expect("a time per graph")
    }
}

/// The shape of each algorithm's batches at each batch size, from the first table of a page that has this column.
fn shapes(page: &str, column: &str) -> BTreeMap<(String, u32), Shape> {
    let mut rows = page.lines().map(|line| line.trim_matches('|').split('|').map(str::trim).collect::<Vec<_>>());
    let columns = rows.find_map(|header| {
        let place = |name| header.iter().position(|cell| *cell == name);
        Some([place("algorithm")?, place("batch size")?, place(column)?])
    });
    let columns = columns.expect("a table of shapes");
    // After the line below the header, until the table ends.
    let rows = rows.skip(1).take_while(|row| row.len() > 1);
    rows.map(|row| {
        let [algorithm, batch_size, shape] = columns.map(|column| row[column]);
        let (nodes, edges) = shape.split_once(" x ").unwrap();
        let batch_size = batch_size.parse().unwrap();
        let shape = Shape::new([nodes, edges].map(|rows| rows.parse().unwrap()), batch_size as usize);
        ((algorithm.to_owned(), batch_size), shape)
    })
    .collect()
}

fn mean(numbers: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = numbers.len() as f64;
    numbers.sum::<f64>() / count
}

/// The regret of each model and batch size: the cost of a step is fitted to all ways at the other batch sizes, and the
/// fastest is named at this one.
fn regrets(rows: &str, shapes: &BTreeMap<(String, u32), Shape>) -> Vec<f64> {
    let runs: Vec<Run> = csv::Reader::from_reader(rows.as_bytes()).into_deserialize().map(Result::unwrap).collect();
    let shape = |run: &Run| shapes[&(run.algorithm.clone(), run.batch_size)];
    let cells: BTreeSet<_> = runs.iter().map(|run| (&*run.model, run.batch_size)).collect();
    let regret = |(model, batch_size)| {
        let (held_out, fitted): (Vec<&Run>, Vec<&Run>) =
            runs.iter().filter(|run| run.model == model).partition(|run| run.batch_size == batch_size);
        let timed = |run: &&Run| TimedStep { shape: shape(run), milliseconds: run.update };
        let cost = StepCost::fit(&fitted.iter().map(timed).collect::<Vec<_>>());
        let mut ways = BTreeMap::<&str, Vec<&Run>>::new();
        held_out.into_iter().for_each(|run| ways.entry(&run.algorithm).or_default().push(run));
        let measured = |way: &[&Run]| mean(way.iter().map(|run| run.per_thousand()));
        let predicted = |way: &[&Run]| mean(way.iter().map(|run| cost.milliseconds(&shape(run)) * run.steps()));
        let least = |time: &dyn Fn(&[&Run]) -> f64| ways.iter().min_by(|a, b| time(a.1).total_cmp(&time(b.1))).unwrap();
        let (named, fastest) = (least(&predicted), least(&measured));
        let regret = measured(named.1) / measured(fastest.1) - 1.0;
        println!("| {model} | {batch_size} | {} | {} | {:.1} % |", named.0, fastest.0, 100.0 * regret);
        regret
    };
    cells.into_iter().map(regret).collect()
}

/// An epoch in `devices.csv`, with shapes and seconds since the beginning.
#[derive(Deserialize)]
struct Epoch {
    device: String,
    batches: String,
    sitting: u32,
    epoch: usize,
    shapes: f64,
    node_slots: f64,
    edge_slots: f64,
    seconds: f64,
}

impl Epoch {
    fn slots(&self) -> f64 {
        self.node_slots + self.edge_slots
    }
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

#[test]
fn the_way_that_is_named_is_nearly_the_fastest_with_burn() {
    let rows = include_str!("../../../docs/measurements/data/devices.csv");
    let rows: Vec<Epoch> = csv::Reader::from_reader(rows.as_bytes()).into_deserialize().map(Result::unwrap).collect();
    for (device, worst) in [("flex", 0.06), ("wgpu", 0.06)] {
        let mut ways = BTreeMap::<&str, Vec<&Epoch>>::new();
        let of_device = rows.iter().filter(|row| row.device == device && row.sitting == 1);
        of_device.for_each(|row| ways.entry(&row.batches).or_default().push(row));
        assert!(ways.len() == 5 && ways.values().all(|way| way.iter().map(|row| row.epoch).eq(1..=5)));
        // The first two epochs of all ways give the prices of a slot and of a shape.
        let second = |way: &[&Epoch]| way[1].seconds - way[0].seconds;
        let slot = median(ways.values().map(|way| second(way) / way[1].slots()).collect());
        let shape = median(ways.values().map(|way| (way[0].seconds - second(way)).max(0.0) / way[0].shapes).collect());
        let predicted =
            |way: &[&Epoch]| slot * way.iter().map(|epoch| epoch.slots()).sum::<f64>() + shape * way[4].shapes;
        let least =
            |time: &dyn Fn(&[&Epoch]) -> f64| ways.iter().min_by(|a, b| time(a.1).total_cmp(&time(b.1))).unwrap();
        let (named, fastest) = (least(&predicted), least(&|way| way[4].seconds));
        let regret = named.1[4].seconds / fastest.1[4].seconds - 1.0;
        println!("| {device} | {} | {} | {:.1} % |", named.0, fastest.0, 100.0 * regret);
        assert!(regret <= worst, "{device}: {regret}");
    }
}

#[test]
fn the_way_that_is_named_is_nearly_the_fastest_in_our_own_trainings() {
    let molecules = shapes(include_str!("../../../docs/measurements/batching.md"), "nodes x edges (most common)");
    let crystals = shapes(include_str!("../../../docs/measurements/study.md"), "nodes x edges (mean)");
    let times = include_str!("../../../docs/measurements/data/study_times.csv");
    let of_crystals = include_str!("../../../docs/measurements/data/study_crystals.csv");
    let single = include_str!("../../../docs/measurements/data/study_single_runs.csv");
    let all = [
        (times, &molecules, 12, 0.017, 0.1),
        (of_crystals, &crystals, 6, 0.043, 0.12),
        (single, &molecules, 6, 0.03, 0.15),
    ];
    for (rows, shapes, cells, most, worst) in all {
        let regrets = regrets(rows, shapes);
        let mean = mean(regrets.iter().copied());
        println!("mean {:.1} %", 100.0 * mean);
        assert!(mean <= most && regrets.iter().all(|regret| *regret <= worst), "{regrets:?}");
        assert_eq!(regrets.len(), cells);
    }
}
