//! Means, medians, standard deviations and 95 % intervals of repeated runs.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// The mean; NaN of no values.
pub fn mean(values: &[f64]) -> f64 {
    moments(values).0
}

/// The standard deviation of a sample (divided by one less than the number of values); NaN of fewer than two values.
pub fn deviation(values: &[f64]) -> f64 {
    moments(values).1.sqrt()
}

/// The value in the middle, the mean of both if there are two; NaN of no values.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match (sorted.get(sorted.len() / 2), sorted.len() % 2) {
        (Some(&upper), 0) => f64::midpoint(sorted[sorted.len() / 2 - 1], upper),
        (Some(&middle), _) => middle,
        (None, _) => f64::NAN,
    }
}

/// A mean and half of its 95 % interval (Student's t); the interval of one value is not known.
pub fn mean_and_interval(values: &[f64]) -> (f64, Option<f64>) {
    let (mean, variance) = moments(values);
    let half = StudentsT::new(0.0, 1.0, values.len().saturating_sub(1) as f64)
        .ok()
        .map(|student| student.inverse_cdf(0.975) * (variance / values.len() as f64).sqrt());
    (mean, half)
}

/// A mean with its interval, as tables have it.
pub fn shown((mean, half): (f64, Option<f64>), digits: usize) -> String {
    match half.filter(|half| half.is_finite()) {
        Some(half) => format!("{mean:.digits$} ± {half:.digits$}"),
        None => format!("{mean:.digits$}"),
    }
}

/// Mean and unbiased variance.
fn moments(values: &[f64]) -> (f64, f64) {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let squares = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
    (mean, squares / values.len().saturating_sub(1) as f64)
}

#[cfg(test)]
mod tests {
    use super::{deviation, mean_and_interval, median};

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-9 * expected.abs().max(1e-3), "found {found}, expected {expected}");
    }

    const A: [f64; 5] = [27.5, 21.0, 19.0, 23.6, 17.0];
    const B: [f64; 6] = [27.1, 22.0, 20.8, 23.4, 23.4, 23.5];

    #[test]
    fn figures_are_those_of_scipy() {
        // scipy 1.17.1: stats.t.ppf(0.975, 4) * stats.sem(A), statistics.median, numpy.std(ddof=1).
        let (mean, half) = mean_and_interval(&A);
        close(mean, 21.62);
        close(half.unwrap(), 5.085_065_084_435_972);
        assert_eq!([median(&A), median(&B)], [21.0, 23.4]);
        close(median(&B[..2]), 24.55);
        close(deviation(&A), 4.095363231753687);
        assert_eq!(mean_and_interval(&A[..1]).1, None);
    }
}
