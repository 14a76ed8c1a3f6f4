//! Means with intervals, Welch's test, and Holm's correction for several tests.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// A mean and half of its 95 % interval (Student's t); the interval of one value is not known.
pub(super) fn mean_and_interval(values: &[f64]) -> (f64, Option<f64>) {
    let (mean, variance) = moments(values);
    let half = StudentsT::new(0.0, 1.0, values.len().saturating_sub(1) as f64)
        .ok()
        .map(|student| student.inverse_cdf(0.975) * (variance / values.len() as f64).sqrt());
    (mean, half)
}

/// The two-sided p-value of Welch's t-test that two means are equal; `None` with fewer than two values on a side, or if
/// all are equal.
pub(super) fn welch(one: &[f64], other: &[f64]) -> Option<f64> {
    if one.len() < 2 || other.len() < 2 {
        return None;
    }
    let ((mean, variance), (mean_of_other, variance_of_other)) = (moments(one), moments(other));
    let [a, b] = [variance / one.len() as f64, variance_of_other / other.len() as f64];
    let freedom = (a + b).powi(2) / (a * a / (one.len() - 1) as f64 + b * b / (other.len() - 1) as f64);
    let t = (mean - mean_of_other).abs() / (a + b).sqrt();
    let student = StudentsT::new(0.0, 1.0, freedom).ok()?;
    t.is_finite().then(|| 2.0 * (1.0 - student.cdf(t)))
}

/// Holm's correction: p-values that keep the chance of any false finding among all of them.
pub(super) fn holm(p: &[f64]) -> Vec<f64> {
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
    use super::{holm, mean_and_interval, welch};

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-9, "found {found}, expected {expected}");
    }

    const A: [f64; 5] = [27.5, 21.0, 19.0, 23.6, 17.0];
    const B: [f64; 6] = [27.1, 22.0, 20.8, 23.4, 23.4, 23.5];

    #[test]
    fn figures_are_those_of_scipy() {
        // scipy 1.17.1: stats.ttest_ind(A, B, equal_var=False), stats.t.ppf(0.975, 4) * stats.sem(A).
        close(welch(&A, &B).unwrap(), 0.422_930_025_382_445_34);
        close(welch(&A, &B.map(|value| value + 20.0)).unwrap(), 5.077_526_968_267_248e-5);
        let (mean, half) = mean_and_interval(&A);
        close(mean, 21.62);
        close(half.unwrap(), 5.085_065_084_435_972);
        assert_eq!((mean_and_interval(&A[..1]).1, welch(&A[..1], &B), welch(&[1.0; 3], &[1.0; 3])), (None, None, None));
    }

    #[test]
    fn holm_multiplies_by_the_tests_that_are_left() {
        let found = holm(&[0.01, 0.04, 0.03, 0.005]);
        found.iter().zip([0.03, 0.06, 0.06, 0.02]).for_each(|(&found, expected)| close(found, expected));
        assert_eq!(holm(&[0.6, 0.9]), [1.0, 1.0]);
    }
}
