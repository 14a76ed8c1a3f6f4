//! Values of sets: [`by_set`] as JSON with the names of the sets, [`listed`] in a sentence, [`by_x`] as a size; how
//! good a [`sample`] batches are.

use graphpack_core::Size;
use graphpack_loader::quality::{ColumnQuality, Compared, SampleQuality};
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
