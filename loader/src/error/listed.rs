//! [`listed`]: the names that there are, for errors about one that there is not.

/// Returns `are a, b, c`, or `are none`.
pub(crate) fn listed(names: &[String]) -> String {
    format!("are {}", if names.is_empty() { "none".into() } else { names.join(", ") })
}
