//! [`position`]: finds the set that an argument names; [`once`]: refuses a name that is given twice.

/// The component that belongs to the set `name`.
pub(crate) fn position(sets: &[String], name: &str) -> Result<usize, String> {
    let found = sets.iter().position(|set| set == name);
    found.ok_or_else(|| format!("the histogram has no set {name:?}; it has {}", sets.join(", ")))
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
