//! [`CostArgs`]: what a step costs, in any unit; numbers by the names of sets.

use graphpack_core::{Cost, MAX_SETS};

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
        let rows = if self.cost.is_empty() { Cost::ROWS } else { of_each("--cost", &self.cost, sets)? };
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

/// The position of the set `name`.
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

pub(crate) fn parse_number(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| format!("expected a number that is not negative, found {text:?}"))
}
