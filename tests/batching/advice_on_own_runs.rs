//! Naming the fastest way of batching on the trainings of this project, which packed batches are among.

use graphpack_loader::Shape;
use graphpack_loader::advice::{StepCost, TimedStep};
use std::collections::BTreeMap;

/// A row of `docs/measurements/data/study_single_runs.csv`.
struct Trained<'a> {
    model: &'a str,
    algorithm: &'a str,
    batch_size: u32,
    update: f64,
    per_thousand: f64,
}

/// The runs of this project, which have times of packed batches, too: the cost of a step is fitted to the algorithms at
/// one batch size, and the fastest is named at the other.
#[test]
fn the_way_that_is_named_is_nearly_the_fastest_in_our_own_trainings() {
    let page = include_str!("../../docs/measurements/batching.md");
    let mut shapes = BTreeMap::new();
    for row in page.lines().map(|line| line.trim_matches('|').split('|').map(str::trim).collect::<Vec<_>>()) {
        if let [algorithm, batch_size, _, shape, .., _] = row[..]
            && row.len() == 10
            && let (Ok(batch_size), Some((nodes, edges))) = (batch_size.parse::<u32>(), shape.split_once(" x "))
        {
            let sizes = [nodes, edges].map(|rows| rows.parse().unwrap());
            shapes.insert((algorithm, batch_size), Shape::new(sizes, batch_size as usize));
        }
    }
    let runs = include_str!("../../docs/measurements/data/study_single_runs.csv").lines().skip(1);
    let trained: Vec<_> = runs
        .map(|line| {
            let [model, algorithm, batch_size, _, _, median, per_thousand, ..] =
                line.split(',').collect::<Vec<_>>()[..]
            else {
                panic!("a row of ten cells, not {line}")
            };
            let [update, per_thousand] = [median, per_thousand].map(|number| number.parse().unwrap());
            Trained { model, algorithm, batch_size: batch_size.parse().unwrap(), update, per_thousand }
        })
        .collect();
    let mut regrets = Vec::new();
    for (model, [fitted, held_out]) in
        ["SchNet", "MPEU", "PaiNN"].into_iter().flat_map(|model| [[16, 32], [32, 16]].map(|sizes| (model, sizes)))
    {
        let of = |batch_size: u32| trained.iter().filter(move |row| row.model == model && row.batch_size == batch_size);
        let shape = |row: &Trained<'_>| shapes[&(row.algorithm, row.batch_size)];
        let timed = |row: &Trained<'_>| TimedStep { shape: shape(row), milliseconds: row.update };
        let cost = StepCost::fit(&of(fitted).map(timed).collect::<Vec<_>>());
        // Steps per graph are as planned; what a step takes is predicted.
        let predicted = |row: &&Trained<'_>| cost.milliseconds(&shape(row)) * row.per_thousand / row.update;
        let named = of(held_out).min_by(|a, b| predicted(a).total_cmp(&predicted(b))).unwrap();
        let fastest = of(held_out).min_by(|a, b| a.per_thousand.total_cmp(&b.per_thousand)).unwrap();
        let regret = named.per_thousand / fastest.per_thousand - 1.0;
        println!("| {model} | {held_out} | {} | {} | {:.1} % |", named.algorithm, fastest.algorithm, 100.0 * regret);
        regrets.push(regret);
    }
    let mean = regrets.iter().sum::<f64>() / regrets.len() as f64;
    assert!(mean <= 0.03 && regrets.iter().all(|regret| *regret <= 0.15), "{regrets:?}");
}
