//! [`listed`]: lists the names that exist, for errors about an unknown name.

/// Returns `are a, b, c`, or `are none`.
pub(crate) fn listed(names: &[String]) -> String {
    format!("are {}", if names.is_empty() { "none".into() } else { names.join(", ") })
}
