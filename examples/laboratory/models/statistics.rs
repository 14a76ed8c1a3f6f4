//! Means with intervals, Student's and Welch's t-tests, and Holm's correction for several tests.

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

/// The result of a two-sided t-test that two means are equal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Test {
    /// Negative where the first mean is the smaller one.
    pub t: f64,
    /// The chance of such a difference, or a larger one, between equal means.
    pub p: f64,
}

/// Student's t-test, which takes the variances to be equal; `None` with fewer than two values on a side, or if all are
/// equal.
pub fn student(one: &[f64], other: &[f64]) -> Option<Test> {
    test(one, other, |[a, b], [n, m]| {
        let pooled = ((n - 1.0) * a + (m - 1.0) * b) / (n + m - 2.0);
        (pooled / n + pooled / m, n + m - 2.0)
    })
}

/// Welch's t-test, which does not; `None` as above.
pub fn welch(one: &[f64], other: &[f64]) -> Option<Test> {
    test(one, other, |[a, b], [n, m]| {
        let [a, b] = [a / n, b / m];
        (a + b, (a + b).powi(2) / (a * a / (n - 1.0) + b * b / (m - 1.0)))
    })
}

/// A t-test; `of_difference` returns the variance of the difference of the means and its degrees of freedom, from the
/// variances and the numbers of values.
fn test(one: &[f64], other: &[f64], of_difference: impl Fn([f64; 2], [f64; 2]) -> (f64, f64)) -> Option<Test> {
    if one.len() < 2 || other.len() < 2 {
        return None;
    }
    let ((mean, variance), (mean_of_other, variance_of_other)) = (moments(one), moments(other));
    let (variance, freedom) = of_difference([variance, variance_of_other], [one.len() as f64, other.len() as f64]);
    let t = (mean - mean_of_other) / variance.sqrt();
    let student = StudentsT::new(0.0, 1.0, freedom).ok()?;
    t.is_finite().then(|| Test { t, p: 2.0 * student.sf(t.abs()) })
}

/// Holm's correction: p-values that keep the chance of any false finding among all of them.
pub fn holm(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&a, &b| p[a].total_cmp(&p[b]));
    let (mut corrected, mut most) = (vec![0.0; p.len()], 0.0_f64);
    for (rank, &place) in order.iter().enumerate() {
        most = most.max((p.len() - rank) as f64 * p[place]).min(1.0);
        corrected[place] = most;
    }
    corrected
}

/// Mean and unbiased variance.
fn moments(values: &[f64]) -> (f64, f64) {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let squares = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
    (mean, squares / values.len().saturating_sub(1) as f64)
}

#[cfg(test)]
mod tests {
    use super::{Test, deviation, holm, mean_and_interval, median, student, welch};

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-9 * expected.abs().max(1e-3), "found {found}, expected {expected}");
    }

    const A: [f64; 5] = [27.5, 21.0, 19.0, 23.6, 17.0];
    const B: [f64; 6] = [27.1, 22.0, 20.8, 23.4, 23.4, 23.5];

    #[test]
    fn figures_are_those_of_scipy() {
        let is = |found: Option<Test>, [t, p]: [f64; 2]| {
            let found = found.unwrap();
            close(found.t, t);
            close(found.p, p);
        };
        let far = B.map(|value| value + 20.0);
        // scipy 1.17.1: stats.ttest_ind(A, B, equal_var=False), equal_var=True, and with B + 20.
        is(welch(&A, &B), [-0.8624582603181686, 0.42293002538244534]);
        is(student(&A, &B), [-0.9147045073876003, 0.3841985075262416]);
        is(welch(&A, &far), [-10.737934523503265, 5.077526968267248e-05]);
        is(student(&A, &far), [-11.388420240833362, 1.2007287422602086e-06]);
        // stats.t.ppf(0.975, 4) * stats.sem(A), statistics.median, numpy.std(ddof=1).
        let (mean, half) = mean_and_interval(&A);
        close(mean, 21.62);
        close(half.unwrap(), 5.085_065_084_435_972);
        assert_eq!([median(&A), median(&B)], [21.0, 23.4]);
        close(median(&B[..2]), 24.55);
        close(deviation(&A), 4.095363231753687);
        let none: [Option<Test>; 3] = [welch(&A[..1], &B), student(&A[..1], &B), welch(&[1.0; 3], &[1.0; 3])];
        assert_eq!((mean_and_interval(&A[..1]).1, none), (None, [None; 3]));
    }

    #[test]
    fn holm_multiplies_by_the_tests_that_are_left() {
        let found = holm(&[0.01, 0.04, 0.03, 0.005]);
        found.iter().zip([0.03, 0.06, 0.06, 0.02]).for_each(|(&found, expected)| close(found, expected));
        assert_eq!(holm(&[0.6, 0.9]), [1.0, 1.0]);
    }
}
