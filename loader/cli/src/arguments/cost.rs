//! [`CostArgs`]: what a step costs, in any unit; [`StepCostArgs`]: what it takes, in milliseconds. Both give numbers
//! for sets by their names.

use crate::output::remark;
use graphpack_core::{Cost, MAX_SETS};
use graphpack_loader::Shape;
use graphpack_loader::step_cost::{StepCost, TimedStep};
use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

/// What a step costs, in whole numbers of any unit.
#[derive(clap::Args)]
pub(crate) struct CostArgs {
    /// What a row of each set costs, as in nodes=3,edges=20; 0 for sets that are not named. Without this option, each
    /// costs 1
    #[arg(long, value_name = "SET=N", value_delimiter = ',', value_parser = parse_each)]
    cost: Vec<(String, u64)>,
    /// What a step costs besides its rows
    #[arg(long, value_name = "N", default_value_t = 0)]
    step_cost: u64,
}

impl CostArgs {
    /// The cost for data of these sets.
    pub(crate) fn of(&self, sets: &[String]) -> Result<Cost, String> {
        let rows = if self.cost.is_empty() { Cost::SLOTS } else { of_each("--cost", &self.cost, sets)? };
        if !self.cost.is_empty() && self.cost.iter().all(|(_, cost)| *cost == 0) && self.step_cost == 0 {
            return Err("--cost: expected a cost above 0, found 0 for all that is named".into());
        }
        Ok(rows.step(self.step_cost))
    }
}

/// The cost of rows that `flag` gives as `SET=N`.
pub(crate) fn of_each(flag: &str, each: &[(String, u64)], sets: &[String]) -> Result<Cost, String> {
    once(flag, each.iter().map(|(set, _)| set.as_str()))?;
    let mut rows = [0; MAX_SETS];
    for (set, cost) in each {
        rows[position(sets, set)?] = *cost;
    }
    Ok(Cost::rows(rows))
}

/// Parses `SET=N`.
pub(crate) fn parse_each(text: &str) -> Result<(String, u64), String> {
    parse_named(text, "a set and a whole number as in nodes=3", |number| number.parse().ok())
}

/// Parses a name, `=` and a `value`, such as the one that is `expected`.
pub(crate) fn parse_named<T>(
    text: &str,
    expected: &str,
    value: impl FnOnce(&str) -> Option<T>,
) -> Result<(String, T), String> {
    let parsed = text.rsplit_once('=').and_then(|(name, text)| Some((name.to_owned(), value(text)?)));
    parsed.ok_or_else(|| format!("expected {expected}, found {text:?}"))
}

/// The component that belongs to the set `name`.
pub(crate) fn position(sets: &[String], name: &str) -> Result<usize, String> {
    let found = sets.iter().position(|set| set == name);
    found.ok_or_else(|| format!("the input has no set {name:?}; it has {}", sets.join(", ")))
}

/// Errors if a list that `flag` gives has a name twice: only one of the two could hold.
pub(crate) fn once<'a>(flag: &str, names: impl IntoIterator<Item = &'a str>) -> Result<(), String> {
    let mut before = Vec::new();
    for name in names {
        if before.contains(&name) {
            return Err(format!("{flag}: expected {name} once, found it twice"));
        }
        before.push(name);
    }
    Ok(())
}

/// Milliseconds of a step, given or fitted to steps that were timed.
#[derive(clap::Args)]
pub(crate) struct StepCostArgs {
    /// Milliseconds of a row of each set and of every step, as in nodes=0.002,edges=0.0005,step=2.5
    #[arg(long, value_name = "SET=MS", value_delimiter = ',', value_parser = parse_milliseconds, group = "step")]
    model_cost: Vec<(String, f64)>,
    /// Steps that were timed: a csv file with a column for each set, graphs and milliseconds. Of several rows of one
    /// shape the first is the one that compiles
    #[arg(long, value_name = "FILE.csv", group = "step")]
    timings: Option<PathBuf>,
    /// Seconds to compile each shape: 0 if your model is not compiled. With --timings not needed where a shape has
    /// several rows
    #[arg(long, value_name = "SECONDS", value_parser = parse_number)]
    compile_seconds: Option<f64>,
}

impl StepCostArgs {
    /// What a step costs: as given, or as fitted to times.
    pub(crate) fn of(&self, sets: &[String]) -> Result<StepCost, Box<dyn Error>> {
        let cost = match &self.timings {
            Some(path) => {
                let (mut steps, shapes) = read_timings(path, sets)?;
                if self.compile_seconds.is_none() && steps.len() == shapes.len() {
                    let expected = "expected two rows of a shape, of which the first is the step that compiles";
                    let found = "found one of each; --compile-seconds says what that takes, 0 if nothing is compiled";
                    return Err(format!("{}: {expected}, {found}", path.display()).into());
                }
                if self.compile_seconds.is_none() {
                    // Their only step is the one that compiles.
                    let mut rows = BTreeMap::<Shape, usize>::new();
                    steps.iter().for_each(|step| *rows.entry(step.shape).or_default() += 1);
                    steps.retain(|step| rows[&step.shape] > 1);
                    let single = rows.values().filter(|rows| **rows == 1).count();
                    if single > 0 {
                        let why = "which is the step that compiles; --compile-seconds takes them, too";
                        remark(format_args!("--timings: {single} shapes with one row are left out, {why}"));
                    }
                }
                let cost = StepCost::fit_with_compilation(&steps);
                say_how_well(&cost, &shapes, 1 + sets.len());
                cost
            }
            None => {
                once("--model-cost", self.model_cost.iter().map(|(name, _)| name.as_str()))?;
                let (mut rows, mut step) = ([0.0; MAX_SETS], 0.0);
                for (name, milliseconds) in &self.model_cost {
                    match name.as_str() {
                        "step" if !sets.contains(name) => step = *milliseconds,
                        set => rows[position(sets, set)?] = *milliseconds,
                    }
                }
                // --probe needs no cost.
                if !self.model_cost.is_empty() && self.model_cost.iter().all(|(_, milliseconds)| *milliseconds == 0.0) {
                    return Err("--model-cost: expected milliseconds above 0, found 0 for all that is named".into());
                }
                StepCost::of_rows(rows, step)
            }
        };
        Ok(match self.compile_seconds {
            Some(seconds) => cost.compile(1e3 * seconds),
            None => cost,
        })
    }
}

/// Reads steps that were timed, and their shapes; errors name the line.
fn read_timings(path: &Path, sets: &[String]) -> Result<(Vec<TimedStep>, Vec<Shape>), Box<dyn Error>> {
    // A pipe would wait for a writer.
    let is_pipe = fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir());
    if is_pipe {
        return Err(format!("{}: expected a file, found a pipe or a device", path.display()).into());
    }
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let expected: Vec<&str> = sets.iter().map(String::as_str).chain(["graphs", "milliseconds"]).collect();
    let mut steps = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let wrong = |what: String| format!("{}, line {number}: {what}", path.display());
        let cells: Vec<&str> = line.split(',').map(str::trim).collect();
        if number == 1 {
            if cells != expected {
                return Err(wrong(format!("expected the header {}, found {line}", expected.join(","))).into());
            }
            continue;
        }
        if line.trim().is_empty() {
            continue;
        }
        let (Some((milliseconds, rows)), true) = (cells.split_last(), cells.len() == expected.len()) else {
            return Err(wrong(format!("expected {} numbers, found {}", expected.len(), cells.len())).into());
        };
        let rows: Result<Vec<usize>, _> =
            rows.iter().map(|rows| rows.parse::<u32>().map(|rows| rows as usize)).collect();
        let rows = rows.map_err(|_| wrong(format!("expected whole numbers below 2^32, found {line}")))?;
        let time = milliseconds.parse().ok().filter(|time: &f64| *time > 0.0 && time.is_finite());
        let milliseconds =
            time.ok_or_else(|| wrong(format!("expected milliseconds above 0, found {milliseconds:?}")))?;
        steps.push(TimedStep { shape: Shape::of(sets.len(), rows[sets.len()], |set| rows[set]), milliseconds });
    }
    let mut shapes: Vec<Shape> = steps.iter().map(|step| step.shape).collect();
    shapes.sort_unstable();
    shapes.dedup();
    if shapes.len() <= sets.len() {
        let (expected, found) = (sets.len() + 1, shapes.len());
        return Err(format!("{}: expected times of at least {expected} shapes, found {found}", path.display()).into());
    }
    if let Some(set) = dependent(&shapes) {
        let expected = format!("expected shapes that tell what a row of {} costs apart from the others", sets[set]);
        return Err(
            format!("{}: {expected}: add some with half the rows of one set, as --probe does", path.display()).into()
        );
    }
    Ok((steps, shapes))
}

/// The first set whose rows follow from those of the sets before in all shapes, found by Gaussian elimination: times
/// cannot tell what a row of it costs. One without any rows costs nothing.
fn dependent(shapes: &[Shape]) -> Option<usize> {
    let columns = |shape: &Shape| [1].iter().chain(shape.sets()).map(|&rows| rows as f64).collect::<Vec<f64>>();
    let mut lines: Vec<Vec<f64>> = shapes.iter().map(columns).collect();
    let unknowns = lines.first().map_or(0, Vec::len);
    let mut used = 0;
    for of in 0..unknowns {
        let largest = shapes.iter().map(|shape| columns(shape)[of]).fold(0.0, f64::max);
        if largest == 0.0 {
            continue;
        }
        let pivot = (used..lines.len()).max_by(|&a, &b| lines[a][of].abs().total_cmp(&lines[b][of].abs()));
        // A fit leaves out a set whose rows differ by less than this.
        let pivot = pivot.filter(|&pivot| lines[pivot][of].abs() > 1e-6 * largest);
        let Some(pivot) = pivot else { return of.checked_sub(1) };
        lines.swap(used, pivot);
        let (above, below) = lines.split_at_mut(used + 1);
        for line in below {
            let times = line[of] / above[used][of];
            line.iter_mut().zip(&above[used]).for_each(|(rows, other)| *rows -= times * other);
        }
        used += 1;
    }
    None
}

/// Says how far fitted times are from those that were measured: other shapes cost what is fitted.
fn say_how_well(cost: &StepCost, timed: &[Shape], unknowns: usize) {
    let apart = timed.iter().map(|shape| 100.0 * (cost.fitted(shape) / cost.milliseconds(shape) - 1.0).abs());
    let (sum, most) = apart.fold((0.0, 0.0_f64), |(sum, most), apart| (sum + apart, most.max(apart)));
    let (mean, shapes) = (sum / timed.len() as f64, timed.len());
    if shapes == unknowns && most < 0.05 {
        let more = "time more shapes to see how well they fit";
        return remark(format_args!("times of {shapes} shapes determine the {unknowns} numbers of the cost: {more}"));
    }
    remark(format_args!("times of {shapes} shapes are fitted to {mean:.1} % on average, {most:.1} % at most"));
}

/// Parses `SET=MS`.
fn parse_milliseconds(text: &str) -> Result<(String, f64), String> {
    parse_named(text, "a set or step and milliseconds as in nodes=0.002", |number| parse_number(number).ok())
}

pub(crate) fn parse_number(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| format!("expected a number that is not negative, found {text:?}"))
}
