//! [`Census`]: what the graphs of a data set have.

use graphpack_formats::{Fields, FileFormat, elements};
use graphpack_loader::graphpack_core::collate::singular;
use graphpack_loader::schema::{Field, Index, PaddingValue};
use graphpack_loader::{Data, Dtype, Error, Level, Store};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// The most notes about graphs that were passed over: `convert --skipped` writes all.
const NOTES: usize = 10;

/// The most labels of a field that are printed, which stand in its line: `--format json` has all.
const LABELS: usize = 10;

/// What the graphs of a data set have, counted store by store.
#[derive(Default)]
pub(crate) struct Census {
    graphs: u64,
    sets: Vec<String>,
    /// Graphs of each size.
    sizes: BTreeMap<Vec<u32>, u64>,
    fields: Vec<(Field, Found)>,
    /// Of each index of a set with two columns: the index, and how many rows have which number of entries into them.
    degrees: Vec<(Index, BTreeMap<u32, u64>)>,
    /// Graphs that are periodic in these directions.
    periodic: BTreeMap<Vec<bool>, u64>,
    /// Atoms of each atomic number.
    elements: BTreeMap<i64, u64>,
}

/// How much of a field there is.
#[derive(Clone, Copy, Default)]
struct Found {
    /// Graphs that have some of it.
    graphs: u64,
    /// The share of its values that there are, times graphs.
    values: f64,
}

impl Found {
    /// What the mask of a field in a store says, or that there is all of it. Masks have a value for each graph or,
    /// where labels are missing one by one, for each value.
    fn new(field: &Field, store: &Store) -> Self {
        let mask = store.values::<bool>(&format!("has_{}", field.name)).unwrap_or_default();
        if mask.is_empty() || mask.len() != store.len() && mask.len() != store.len() * field.width {
            return Self { graphs: store.len() as u64, values: store.len() as f64 };
        }
        let of_graphs = mask.chunks(mask.len() / store.len());
        let there = |of_graph: &[bool]| of_graph.iter().filter(|has| **has).count();
        let values: f64 = of_graphs.clone().map(|mask| there(mask) as f64 / mask.len() as f64).sum();
        Self { graphs: of_graphs.filter(|mask| there(mask) > 0).count() as u64, values }
    }

    /// What a line says of it.
    fn text(self, all: u64) -> String {
        let share = |part: f64| match format!("{:.1}", 100.0 * part / all as f64) {
            share if ["0.0", "100.0"].contains(&&*share) => None,
            share => Some(share),
        };
        if self.graphs < all {
            let of_all = || format!(", in {} of {all} graphs", self.graphs);
            share(self.graphs as f64).map_or_else(of_all, |share| format!(", in {share} % of the graphs"))
        } else if self.values < all as f64 {
            share(self.values).map_or(", but not all values".into(), |share| format!(", {share} % of the values"))
        } else {
            String::new()
        }
    }
}

impl Census {
    /// Counts the graphs of a store.
    pub(crate) fn count(&mut self, store: &Store) -> Result<(), Error> {
        let (schema, graphs) = (store.schema(), store.len() as u64);
        self.graphs += graphs;
        self.sets = schema.sets().to_vec();
        for size in store.sizes() {
            *self.sizes.entry(size.as_slice().to_vec()).or_default() += 1;
        }
        for field in schema.fields() {
            let is_mask = |name: &str| schema.position(name).is_some() && field.dtype == Dtype::Bool;
            if field.name.strip_prefix("has_").is_some_and(is_mask) {
                continue;
            }
            let found = Found::new(field, store);
            match self.fields.iter_mut().find(|(known, _)| known.name == field.name) {
                Some((known, all)) => {
                    *all = Found { graphs: all.graphs + found.graphs, values: all.values + found.values };
                    known.unit = known.unit.take().filter(|unit| field.unit.as_ref() == Some(unit));
                    // Integers until now.
                    known.dtype = if known.dtype == Dtype::I64 { field.dtype } else { known.dtype };
                }
                None => self.fields.push((field.clone(), found)),
            }
            match (&*field.name, field.dtype, field.width) {
                ("z", Dtype::I64, 1) if field.level == Level::NODE => {
                    store.values::<i64>("z")?.into_iter().for_each(|z| *self.elements.entry(z).or_default() += 1);
                }
                ("pbc", Dtype::Bool, 3) if field.level == Level::Graph => {
                    let pbc = store.values::<bool>("pbc")?;
                    pbc.chunks(3).for_each(|pbc| *self.periodic.entry(pbc.to_vec()).or_default() += 1);
                }
                _ => {}
            }
        }
        let of_sets = schema.indices().iter().filter(|index| index.width() == 2 && index.level != Level::Graph);
        for index in of_sets {
            let at = self.degrees.iter().position(|(known, _)| known.name == index.name).unwrap_or_else(|| {
                self.degrees.push((index.clone(), BTreeMap::new()));
                self.degrees.len() - 1
            });
            let (degrees, mut into) = (&mut self.degrees[at].1, Vec::new());
            for (graph, size) in store.sizes().enumerate() {
                into.clear();
                into.resize(size[usize::from(index.targets[1])] as usize, 0_u32);
                for &row in &store.index(&index.name, graph)?[1] {
                    usize::try_from(row).ok().and_then(|row| into.get_mut(row)).into_iter().for_each(|into| *into += 1);
                }
                into.iter().for_each(|&degree| *degrees.entry(degree).or_default() += 1);
            }
        }
        Ok(())
    }

    /// Names of the sets.
    pub(crate) fn sets(&self) -> &[String] {
        &self.sets
    }

    /// Numbers of rows, and how many graphs have them.
    pub(crate) fn sizes(&self) -> impl Iterator<Item = (&[u32], u64)> {
        self.sizes.iter().map(|(size, count)| (&**size, *count))
    }

    /// Least, mean and most rows of a set.
    fn rows(&self, set: usize) -> (u32, f64, u32) {
        let rows = || self.sizes.iter().map(|(size, count)| (size[set], *count));
        let sum: f64 = rows().map(|(rows, count)| f64::from(rows) * count as f64).sum();
        let [least, most] = [rows().map(|(rows, _)| rows).min(), rows().map(|(rows, _)| rows).max()];
        (least.unwrap_or(0), sum / (self.graphs as f64).max(1.0), most.unwrap_or(0))
    }

    fn level(&self, level: Level) -> &str {
        match level {
            Level::Graph => "graph",
            Level::Set(set) => self.sets.get(usize::from(set)).map_or("", String::as_str),
        }
    }

    /// Everything, for scripts.
    pub(crate) fn object(&self, format: FileFormat, skipped: &[String], left_out: u64) -> Value {
        let sets = self.sets.iter().enumerate().map(|(set, name)| {
            let (least, mean, most) = self.rows(set);
            json!({ "name": name, "min": least, "mean": mean, "max": most })
        });
        let fields = self.fields.iter().map(|(field, found)| {
            json!({
                "name": field.name,
                "of": self.level(field.level),
                "dtype": written(field, format).to_string(),
                "width": field.width,
                "graphs": found.graphs,
                "share_of_values": found.values / (self.graphs as f64).max(1.0),
                "unit": field.unit,
                "labels": *field.labels,
                "padding": field.padding,
            })
        });
        let indices = self.degrees.iter().map(|(index, degrees)| {
            let into: Vec<&str> = index.targets.iter().map(|&set| &*self.sets[usize::from(set)]).collect();
            // How many rows of the second set have which number of entries into them.
            json!({ "name": index.name, "into": into, "entries_into_a_row": degrees })
        });
        let elements = self.elements.iter().map(|(&z, &count)| (symbol(z), json!(count)));
        let periodic = self.periodic.iter().map(|(pbc, &count)| (directions(pbc), json!(count)));
        json!({
            "format": format.name(),
            "graphs": self.graphs,
            "sets": sets.collect::<Vec<_>>(),
            "fields": fields.collect::<Vec<_>>(),
            "indices": indices.collect::<Vec<_>>(),
            "pbc": periodic.collect::<serde_json::Map<_, _>>(),
            "elements": elements.collect::<serde_json::Map<_, _>>(),
            "left_out": left_out,
            "skipped": skipped,
        })
    }

    /// Everything, line by line.
    pub(crate) fn lines(&self, path: &Path, format: FileFormat, skipped: &[String]) -> Vec<String> {
        let mut lines = vec![format!("{}: {} graphs ({format})", path.display(), self.graphs)];
        for (set, name) in self.sets.iter().enumerate() {
            let (least, mean, most) = self.rows(set);
            lines.push(format!("  {name}: {least} to {most}, {mean:.1} on average"));
        }
        for (field, found) in &self.fields {
            let share = found.text(self.graphs);
            let unit = field.unit.as_ref().map(|unit| format!(", {unit}")).unwrap_or_default();
            let labels = labelled(&field.labels);
            let (of, dtype) = (self.level(field.level), written(field, format));
            let padding = match field.padding {
                PaddingValue::Number(0.0) => String::new(),
                padding => format!(", {padding} in padding"),
            };
            lines.push(format!("  {}: {dtype} x {} of {of}{share}{unit}{labels}{padding}", field.name, field.width));
        }
        for (index, degrees) in &self.degrees {
            let (set, into) = (self.level(index.level), singular(&self.sets[usize::from(index.targets[1])]));
            if let Some(text) = distribution(degrees) {
                lines.push(format!("  {}: {set} into a {into}: {text}", index.name));
            }
        }
        let counts = |counts: &mut dyn Iterator<Item = (String, u64)>| {
            counts.map(|(name, count)| format!("{name} {count}")).collect::<Vec<_>>().join(", ")
        };
        if !self.periodic.is_empty() {
            let periodic = &mut self.periodic.iter().map(|(pbc, count)| (directions(pbc), *count));
            lines.push(format!("  periodic directions: {}", counts(periodic)));
        }
        if !self.elements.is_empty() {
            lines.push(format!(
                "  elements: {}",
                counts(&mut self.elements.iter().map(|(z, count)| (symbol(*z), *count)))
            ));
        }
        lines.extend(skipped.iter().take(NOTES).map(|line| format!("  {line}")));
        if skipped.len() > NOTES {
            lines.push(format!("  and {} more notes", skipped.len() - NOTES));
        }
        lines
    }
}

/// The first labels, and the number of others.
fn labelled(labels: &[String]) -> String {
    let first = labels[..labels.len().min(LABELS)].join(", ");
    match labels.len().saturating_sub(LABELS) {
        _ if labels.is_empty() => String::new(),
        0 => format!(", of {first}"),
        others => format!(", of {first} and {others} more"),
    }
}

/// The dtype that a store has, unless --double is given.
fn written(field: &Field, format: FileFormat) -> Dtype {
    match field.dtype {
        Dtype::F64 if format == FileFormat::Store || Fields::default().is_double(&field.name, field.level) => {
            Dtype::F64
        }
        Dtype::F64 => Dtype::F32,
        dtype => dtype,
    }
}

/// The most that rows have, and what is enough for most rows, such as `0 to 10, 2.1 on average; 50 % have at most 2, 90
/// % 3, 99 % 4, 99.9 % 6`. `None` if there are no rows.
fn distribution(counts: &BTreeMap<u32, u64>) -> Option<String> {
    let ((least, _), (most, _)) = (counts.first_key_value()?, counts.last_key_value()?);
    let rows: u64 = counts.values().sum();
    let sum: f64 = counts.iter().map(|(&number, &rows)| f64::from(number) * rows as f64).sum();
    let mut enough = Vec::new();
    for share in [0.5, 0.9, 0.99, 0.999] {
        let (wanted, mut seen) = ((share * rows as f64).ceil() as u64, 0);
        let number = counts.iter().find(|(_, rows)| {
            seen += **rows;
            seen >= wanted
        });
        enough.extend(number.map(|(number, _)| format!("{} % {number}", 100.0 * share)));
    }
    let enough = enough.join(", ").replacen(" % ", " % have at most ", 1);
    Some(format!("{least} to {most}, {:.1} on average; {enough}", sum / rows as f64))
}

/// The symbol of an element, or its number.
pub(super) fn symbol(z: i64) -> String {
    u8::try_from(z).ok().and_then(elements::symbol).map_or_else(|| format!("number {z}"), str::to_owned)
}

fn directions(pbc: &[bool]) -> String {
    match pbc.iter().filter(|periodic| **periodic).count() {
        0 => "none".into(),
        3 => "all".into(),
        _ => pbc.iter().zip(["a", "b", "c"]).filter(|(periodic, _)| **periodic).map(|(_, name)| name).collect(),
    }
}

/// Returns a line for each set and one for the graphs, such as `edges: 40; edge_attr int64 [40, 3]; edge_index [2, 40]
/// into nodes, nodes`.
pub(crate) fn contents(data: &Data) -> Result<String, Error> {
    let schema = data.schema();
    let mut rows = vec![0; schema.sets().len()];
    for size in data.sizes()? {
        rows.iter_mut().zip(size.as_slice()).for_each(|(rows, more)| *rows += *more as usize);
    }
    let levels = (0..rows.len()).map(|set| Level::Set(set as u8)).chain([Level::Graph]);
    let lines = levels.zip(rows.iter().copied().chain([data.len()])).map(|(level, rows)| {
        let name = if level == Level::Graph { "graphs" } else { schema.level_name(level) };
        let fields = schema.fields().iter().filter(|field| field.level == level);
        let fields = fields.map(|field| format!("; {} {} {:?}", field.name, field.dtype, field.shape(rows)));
        let indices = schema.indices().iter().filter(|index| index.level == level).map(|index| {
            let into: Vec<&str> = index.targets.iter().map(|&set| schema.level_name(Level::Set(set))).collect();
            format!("; {} [{}, {rows}] into {}", index.name, index.width(), into.join(", "))
        });
        format!("  {name}: {rows}{}", fields.chain(indices).collect::<String>())
    });
    Ok(lines.collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_that_are_not_printed_are_counted() {
        let labels: Vec<String> = (0..12).map(|label| label.to_string()).collect();
        let ten = ", of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9";
        assert_eq!(
            [0, 2, 10, 12].map(|most| labelled(&labels[..most])),
            ["", ", of 0, 1", ten, &format!("{ten} and 2 more")]
        );
    }
}
