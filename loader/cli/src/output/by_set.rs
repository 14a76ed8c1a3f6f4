//! Values of sets, with the names of the sets: [`by_set`] as JSON, [`listed`] in a sentence.

use serde_json::{Map, Value};

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
