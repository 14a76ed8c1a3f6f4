//! Values of sets: [`by_set`] as JSON with the names of the sets, [`listed`] in a sentence, [`by_x`] as a size; the
//! [`contents`] of a data set, and how good a [`sample`] its batches are.

use graphpack_core::Size;
use graphpack_loader::{ColumnQuality, Compared, Data, Error, Field, Level, SampleQuality};
use serde_json::{Map, Value, json};

/// An object with a key for each set.
pub(crate) fn by_set(sets: &[String], values: impl IntoIterator<Item = impl Into<Value>>) -> Map<String, Value> {
    sets.iter().cloned().zip(values.into_iter().map(Into::into)).collect()
}

/// `a, b and c`.
pub(crate) fn listed(items: &[String]) -> String {
    match items {
        [most @ .., last] if !most.is_empty() => format!("{} and {last}", most.join(", ")),
        _ => items.concat(),
    }
}

/// The rows of each set as `222 x 502`.
pub(crate) fn by_x(size: &Size) -> String {
    size.as_slice().iter().map(u32::to_string).collect::<Vec<_>>().join(" x ")
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
        let shape = |field: &Field| match field {
            Field { vector: true, width: 1, .. } => format!("[{rows}]"),
            Field { width, .. } => format!("[{rows}, {width}]"),
        };
        let fields = schema.fields().iter().filter(|field| field.level == level);
        let fields = fields.map(|field| format!("; {} {} {}", field.name, field.dtype, shape(field)));
        let indices = schema.indices().iter().filter(|index| index.level == level).map(|index| {
            let into: Vec<&str> = index.targets.iter().map(|&set| schema.level_name(Level::Set(set))).collect();
            format!("; {} [{}, {rows}] into {}", index.name, index.width(), into.join(", "))
        });
        format!("  {name}: {rows}{}", fields.chain(indices).collect::<String>())
    });
    Ok(lines.collect::<Vec<_>>().join("\n"))
}

/// Returns all figures, each as `{"found": ..., "random": ...}`.
pub(crate) fn sample(quality: &SampleQuality, sets: &[String]) -> Value {
    let compared = |Compared { found, random }: &Compared| json!({ "found": found, "random": random });
    let column = |ColumnQuality { variance, worst, missing, .. }: &ColumnQuality| json!({ "variance": compared(variance), "worst": compared(worst), "missing": missing });
    json!({
        "epochs": quality.epochs,
        "batches": quality.batches,
        "columns": quality.columns.iter().map(column).collect::<Vec<_>>(),
        "spread": by_set(sets, quality.spread.iter().map(compared)),
        "pairs": compared(&quality.pairs),
    })
}
