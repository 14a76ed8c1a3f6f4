//! [`position`]: a set by the name that an argument has for it.

/// The component that belongs to the set `name`.
pub(crate) fn position(sets: &[String], name: &str) -> Result<usize, String> {
    let found = sets.iter().position(|set| set == name);
    found.ok_or_else(|| format!("the histogram has no set {name:?}; it has {}", sets.join(", ")))
}
