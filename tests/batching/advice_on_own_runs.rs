//! Naming the fastest way of batching on the trainings of this project, which packed batches are among.

use graphpack_loader::Shape;
use graphpack_loader::advice::{StepCost, TimedStep};
use std::collections::BTreeMap;

/// A row of the table of trained models in `docs/measurements/batching.md`.
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
    let rows = page.lines().map(|line| line.trim_matches('|').split('|').map(str::trim).collect::<Vec<_>>());
    let (mut shapes, mut trained) = (BTreeMap::new(), Vec::new());
    for row in rows {
        match row[..] {
            [algorithm, batch_size, _, shape, .., _] if row.len() == 10 && shape.contains(" x ") => {
                let Ok(batch_size) = batch_size.parse::<u32>() else { continue };
                let sizes: Vec<usize> = shape.split(" x ").map(|rows| rows.parse().unwrap()).collect();
                shapes.insert((algorithm, batch_size), Shape::new([sizes[0], sizes[1]], batch_size as usize));
            }
            [model, algorithm, batch_size, _, _, update, per_thousand, _, loss] if loss.contains(" to ") => {
                let Ok(batch_size) = batch_size.parse() else { continue };
                let (update, per_thousand) = (update.parse().unwrap(), per_thousand.parse().unwrap());
                trained.push(Trained { model, algorithm, batch_size, update, per_thousand });
            }
            _ => {}
        }
    }
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
