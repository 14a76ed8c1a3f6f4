//! Draws the figures of the batching study, in its layout, from the measurements.

use super::Outcome;
use super::compilation::Compiled;
use super::plot::{Kind, Line, heat_map, lines, panels};
use super::run::Run;
use super::statistics::{Contents, Statistics};
use super::summary::{Summary, Tests};
use laboratory::statistics::{deviation, mean};
use std::collections::BTreeMap;
use std::path::Path;

/// Returns the outline of a histogram of at most 60 bins.
fn outline(counts: &BTreeMap<usize, u64>) -> Vec<[f64; 3]> {
    let (Some((&low, _)), Some((&high, _))) = (counts.first_key_value(), counts.last_key_value()) else {
        return Vec::new();
    };
    let width = (high - low + 1).div_ceil(60);
    let total: u64 = counts.values().sum();
    let mut bins: BTreeMap<usize, u64> = (0..=(high - low) / width).map(|bin| (bin, 0)).collect();
    for (&value, &count) in counts {
        *bins.entry((value - low) / width).or_default() += count;
    }
    let outline = bins.into_iter().flat_map(|(bin, count)| {
        let share = 100.0 * count as f64 / total.max(1) as f64;
        let start = (low + bin * width) as f64;
        [[start, share, 0.0], [start + width as f64, share, 0.0]]
    });
    outline.collect()
}

/// Figure 1: nodes and edges per graph, and per batch before padding. Figure 3: distinct shapes by batch size, and
/// graphs per batch.
pub(crate) fn batches(
    folder: &Path,
    graphs: [&BTreeMap<usize, u64>; 2],
    shown: u32,
    all: &[(Statistics, Contents)],
) -> Outcome<()> {
    let of = |k: fn(&Contents) -> &BTreeMap<usize, u64>| -> Vec<Line> {
        // The static algorithms differ only in padding, so one of them stands for all.
        let others = ["static-constant", "static-64"];
        let chosen = all.iter().filter(|(row, _)| row.batch_size == shown && !others.contains(&row.algorithm.as_str()));
        chosen.map(|(row, contents)| (row.algorithm.clone(), outline(k(contents)))).collect()
    };
    panels(&folder.join("figure1.svg"), (2, 2), |area, row, column| {
        let what = ["nodes", "edges"][row];
        if column == 0 {
            let line = [("data".to_owned(), outline(graphs[row]))];
            return lines(area, &format!("{what} per graph"), (what, "% of graphs"), Kind::Histogram, &line);
        }
        let contents = of(if row == 0 { |contents| &contents.nodes } else { |contents| &contents.edges });
        lines(
            area,
            &format!("{what} per batch of size {shown}, before padding"),
            (what, "% of batches"),
            Kind::Histogram,
            &contents,
        )
    })?;
    panels(&folder.join("figure3.svg"), (1, 2), |area, _, column| {
        if column == 1 {
            let title = format!("real graphs per batch of size {shown}");
            return lines(area, &title, ("graphs", "% of batches"), Kind::Histogram, &of(|contents| &contents.graphs));
        }
        let shapes = all.iter().map(|(row, _)| (&*row.algorithm, row.batch_size, [row.distinct_shapes as f64, 0.0]));
        lines(area, "distinct shapes", ("batch size", "shapes"), Kind::BatchSizes, &by_algorithm(shapes))
    })
}

/// Figure 2: running average of the combined time. Figure 4: batching, update and combined time by batch size.
/// Figure 5: speedup per graph over the slowest algorithm other than static-constant. Figure 12: the test error by
/// step. Values are means over repeats, error bars their standard deviation.
pub(crate) fn runs(folder: &Path, shown: u32, all: &[Summary<'_>]) -> Outcome<()> {
    let models = models(all.iter().map(|one| one.model));
    let of = |model: &str| all.iter().filter(|one| one.model == model).collect::<Vec<_>>();
    let curves = |name: &str, what: &str, kind: Kind, points: fn(&Run) -> &[(usize, f64)]| {
        if all.iter().flat_map(|one| &one.runs).all(|run| points(run).is_empty()) {
            return Ok(());
        }
        panels(&folder.join(name), (1, models.len()), |area, _, column| {
            let chosen = of(models[column]).into_iter().filter(|one| one.batch_size == shown);
            let all: Vec<Line> = chosen.map(|one| (one.algorithm.into(), over_repeats(one, points))).collect();
            lines(area, &format!("{}, batch size {shown}", models[column]), ("steps", what), kind, &all)
        })
    };
    curves("figure2.svg", "running average, ms per step", Kind::Steps, |run| &run.running_average.0)?;
    curves("figure12.svg", "test RMSE", Kind::Learning, |run| &run.rmse.0)?;
    let over_sizes = |model: &str, value: &dyn Fn(&Summary<'_>) -> [f64; 2]| {
        by_algorithm(of(model).into_iter().map(|one| (one.algorithm, one.batch_size, value(one))))
    };
    panels(&folder.join("figure4.svg"), (3, models.len()), |area, row, column| {
        let (name, value): (_, fn(&Run) -> f64) = match row {
            0 => ("batching", |run| run.batching_ms_mean),
            1 => ("update", |run| run.update_ms_mean),
            _ => ("combined", |run| run.combined_ms_mean),
        };
        let title = format!("{}: {name}", models[column]);
        let all = over_sizes(models[column], &|one| one.spread(value));
        lines(area, &title, ("batch size", "mean ms per step"), Kind::BatchSizes, &all)
    })?;
    panels(&folder.join("figure5.svg"), (1, models.len()), |area, _, column| {
        let cells = of(models[column]);
        let slowest = |size: u32| {
            let others = cells.iter().filter(|one| one.batch_size == size && one.algorithm != "static-constant");
            others.map(|one| one.spread(Run::ms_per_graph)[0]).fold(0.0, f64::max)
        };
        let speedup = |one: &Summary<'_>| one.spread(|run| slowest(one.batch_size) / run.ms_per_graph());
        let title = format!("{}: speedup per graph over the slowest", models[column]);
        lines(area, &title, ("batch size", "times"), Kind::BatchSizes, &over_sizes(models[column], &speedup))
    })
}

/// Figures 14 and 15: t values and p-values of Student's tests between algorithms.
pub(crate) fn tests(folder: &Path, shown: u32, all: &[Tests]) -> Outcome<()> {
    let of_size: Vec<_> = all.iter().filter(|test| test.batch_size == shown).collect();
    let models = models(of_size.iter().map(|test| &*test.model));
    let maps = |name: &str, what: &str, number: fn(&Tests) -> f64, depth: fn(f64) -> f64| {
        panels(&folder.join(name), (1, models.len()), |area, _, column| {
            let tests: Vec<_> = of_size.iter().filter(|test| test.model == models[column]).collect();
            let mut names: Vec<&str> = tests.iter().flat_map(|test| [&*test.one, &*test.other]).collect();
            names.sort_unstable();
            names.dedup();
            let value = |row: usize, column: usize| {
                let pair = |test: &&&&Tests, a: usize, b: usize| test.one == names[a] && test.other == names[b];
                let straight = tests.iter().find(|test| pair(test, row, column)).map(|test| number(test));
                let turned = || tests.iter().find(|test| pair(test, column, row)).map(|test| number(test));
                // A t value changes its sign.
                straight.or_else(|| turned().map(|found| if what == "t" { -found } else { found })).unwrap_or(f64::NAN)
            };
            let title = format!("{}, batch size {shown}: {what} of Student's test", models[column]);
            heat_map(area, &title, &names, value, depth)
        })
    };
    maps("figure14.svg", "t", |test| test.student_t, |t| t.abs() / 3.0)?;
    // From 0.1 on, the study sees little evidence of a difference.
    maps("figure15.svg", "p", |test| test.student_p, |p| 1.0 - p / 0.1)
}

/// Figure 13 with compilation: running average of a step's time, each shape's compilation included.
pub(crate) fn compilation(folder: &Path, all: &[Compiled]) -> Outcome<()> {
    let models = models(all.iter().map(|one| one.model));
    panels(&folder.join("figure13.svg"), (1, models.len()), |area, _, column| {
        let chosen = all.iter().filter(|one| one.model == models[column]);
        let points =
            |one: &Compiled| one.curve().map(|(steps, ms)| [steps, ms, 0.0]).filter(|p| p[0] >= 100.0).collect();
        let name = |one: &Compiled<'_>| format!("{}, batch size {}", one.algorithm, one.batch_size());
        let all: Vec<Line> = chosen.map(|one| (name(one), points(one))).collect();
        let title = format!("{}, compilation included", models[column]);
        lines(area, &title, ("steps", "running average, ms per step"), Kind::Steps, &all)
    })
}

/// Names of models, each once.
fn models<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut all: Vec<&str> = Vec::new();
    names.for_each(|name| {
        if !all.contains(&name) {
            all.push(name);
        }
    });
    all
}

/// The mean of a curve over repeats, which have the same steps, with its standard deviation.
fn over_repeats(one: &Summary<'_>, points: fn(&Run) -> &[(usize, f64)]) -> Vec<[f64; 3]> {
    let count = one.runs.iter().map(|run| points(run).len()).min().unwrap_or(0);
    let at = |place: usize| {
        let values: Vec<f64> = one.runs.iter().map(|run| points(run)[place].1).collect();
        let error = if values.len() < 2 { 0.0 } else { deviation(&values) };
        [points(one.runs[0])[place].0 as f64, mean(&values), error]
    };
    (0..count).map(at).collect()
}

/// Groups values, each with its error, by algorithm into lines over batch sizes.
fn by_algorithm<'a>(values: impl Iterator<Item = (&'a str, u32, [f64; 2])>) -> Vec<Line> {
    let mut all: Vec<Line> = Vec::new();
    for (name, size, [value, error]) in values {
        let place = all.iter().position(|(other, _)| other == name);
        let place = place.unwrap_or_else(|| {
            all.push((name.to_owned(), Vec::new()));
            all.len() - 1
        });
        all[place].1.push([f64::from(size), value, error]);
    }
    all
}
