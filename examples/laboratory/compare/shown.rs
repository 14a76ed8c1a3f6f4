//! [`shown`]: a mean with its interval, as tables have it.

/// A mean with half of its interval, if that is known.
pub(super) fn shown((mean, half): (f64, Option<f64>), digits: usize) -> String {
    match half.filter(|half| half.is_finite()) {
        Some(half) => format!("{mean:.digits$} ± {half:.digits$}"),
        None => format!("{mean:.digits$}"),
    }
}
