//! [`axes`]: the two sets of a picture that has an axis for each.

/// The names of two sets; an error if there are more or fewer.
pub(crate) fn axes(sets: &[String]) -> Result<[&str; 2], String> {
    match sets {
        [up, across] => Ok([up, across]),
        _ => Err(format!("--plot: this picture has an axis for each of two sets, found {}", sets.join(", "))),
    }
}
