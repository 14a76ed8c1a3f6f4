//! Segment operations against a slow loop, gradients included.

use graphpack_loader::{Data, Loader, Options, molecules};
use graphpack_tch::{Segments, TensorBatch};
use std::error::Error;
use tch::{Device, Kind, TchError, Tensor};

const WIDTH: usize = 3;

/// Rows of width 3 in segments, with ties, with an empty segment, and with NaN in rows that are masked out.
struct Case {
    values: Vec<f64>,
    segment: Vec<usize>,
    mask: Vec<bool>,
    segments: usize,
}

impl Case {
    fn new(consecutive: bool, masked: bool) -> Self {
        let mut segment = vec![4, 0, 0, 2, 4, 4, 1, 0, 4, 2, 1, 0];
        if consecutive {
            segment.sort_unstable();
        }
        let mask: Vec<bool> = (0..segment.len()).map(|row| !masked || row % 3 != 1).collect();
        let value = |place: usize| match (place * 7 + 3) % 11 {
            _ if !mask[place / WIDTH] => f64::NAN,
            number => number as f64 / 4.0 - 1.0,
        };
        Self { values: (0..segment.len() * WIDTH).map(value).collect(), segment, mask, segments: 5 }
    }

    fn rows(&self, of: usize) -> Vec<usize> {
        (0..self.segment.len()).filter(|&row| self.segment[row] == of && self.mask[row]).collect()
    }

    fn value(&self, row: usize, column: usize) -> f64 {
        self.values[row * WIDTH + column]
    }

    /// Applies `reduce` to the values of each segment and column.
    fn of_segments(&self, reduce: impl Fn(&[f64]) -> f64) -> Vec<f64> {
        let of = |segment, column| {
            let values: Vec<f64> = self.rows(segment).into_iter().map(|row| self.value(row, column)).collect();
            if values.is_empty() { 0.0 } else { reduce(&values) }
        };
        (0..self.segments)
            .flat_map(|segment| (0..WIDTH).map(move |column| (segment, column)))
            .map(|(s, c)| of(s, c))
            .collect()
    }

    fn softmax(&self) -> Vec<f64> {
        let of = |row: usize, column| {
            if !self.mask[row] {
                return 0.0;
            }
            let sum: f64 = self.rows(self.segment[row]).into_iter().map(|row| self.value(row, column).exp()).sum();
            self.value(row, column).exp() / sum
        };
        (0..self.segment.len() * WIDTH).map(|place| of(place / WIDTH, place % WIDTH)).collect()
    }

    fn tensor(&self) -> Tensor {
        Tensor::from_slice(&self.values).view([-1, WIDTH as i64]).set_requires_grad(true)
    }
}

fn close(found: &Tensor, expected: &[f64]) {
    let found = Vec::<f64>::try_from(found.reshape(-1)).expect("double");
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-12, "{found} instead of {expected}");
    }
}

/// All ways to write the same segments.
fn ways(case: &Case, consecutive: bool) -> Result<Vec<Segments>, TchError> {
    let index: Vec<i64> = case.segment.iter().map(|&segment| segment as i64).collect();
    let index = Tensor::from_slice(&index);
    let rows = case.segment.len() as i64;
    let narrow = index.to_kind(Kind::Int);
    let mut ways = vec![
        Segments::by_index(&index, case.segments as i64)?,
        Segments::by_index(&narrow, case.segments as i64)?.deterministic(),
    ];
    if consecutive {
        let starts: Vec<i64> =
            (0..=case.segments).map(|end| case.segment.iter().filter(|&&s| s < end).count() as i64).collect();
        ways.push(Segments::by_ptr(&Tensor::from_slice(&starts), rows)?);
        ways.push(Segments::by_ptr(&Tensor::from_slice(&starts).to_kind(Kind::Int), rows)?.deterministic());
    }
    if case.mask.contains(&false) {
        let mask = Tensor::from_slice(&case.mask);
        ways = ways.into_iter().map(|segments| segments.masked(&mask)).collect();
    }
    Ok(ways)
}

#[test]
fn sums_means_maxima_and_softmax_equal_a_slow_loop() -> Result<(), Box<dyn Error>> {
    for (consecutive, masked) in [(false, false), (false, true), (true, false), (true, true)] {
        let case = Case::new(consecutive, masked);
        for segments in ways(&case, consecutive)? {
            let values = case.tensor();
            close(&segments.sum(&values)?, &case.of_segments(|values| values.iter().sum()));
            close(
                &segments.mean(&values)?,
                &case.of_segments(|values| values.iter().sum::<f64>() / values.len() as f64),
            );
            close(&segments.max(&values)?, &case.of_segments(|v| v.iter().copied().fold(f64::MIN, f64::max)));
            close(&segments.softmax(&values)?, &case.softmax());
            let counts = Vec::<i64>::try_from(segments.counts(Kind::Int64)?)?;
            assert_eq!(counts, (0..case.segments).map(|s| case.rows(s).len() as i64).collect::<Vec<_>>());
        }
    }
    Ok(())
}

/// The gradient of a weighted sum of results, against central differences.
#[test]
fn gradients_equal_differences() -> Result<(), Box<dyn Error>> {
    type Operation = fn(&Segments, &Tensor) -> Result<Tensor, TchError>;
    let operations: [(&str, Operation); 4] =
        [("sum", Segments::sum), ("mean", Segments::mean), ("max", Segments::max), ("softmax", Segments::softmax)];
    for (consecutive, masked) in [(false, true), (true, false), (true, true)] {
        let mut case = Case::new(consecutive, masked);
        // A maximum has no gradient if two values are equal.
        for (place, value) in case.values.iter_mut().enumerate() {
            *value += place as f64 * 1e-3;
        }
        for segments in ways(&case, consecutive)? {
            for (name, operation) in operations {
                let loss = |values: &Tensor| -> Result<Tensor, TchError> {
                    let result = operation(&segments, values)?;
                    let weights = Tensor::arange(result.numel() as i64, (Kind::Double, values.device()));
                    result.f_reshape(-1)?.f_mul(&weights)?.f_sum(Kind::Double)
                };
                let values = case.tensor();
                loss(&values)?.f_backward()?;
                let gradient = Vec::<f64>::try_from(values.grad().reshape(-1))?;
                for place in 0..case.values.len() {
                    if !case.mask[place / WIDTH] {
                        assert_eq!(gradient[place], 0.0, "{name} of a row that does not count");
                        continue;
                    }
                    let at = |step: f64| -> Result<f64, Box<dyn Error>> {
                        let mut moved = case.values.clone();
                        moved[place] += step;
                        Ok(f64::try_from(loss(&Tensor::from_slice(&moved).view([-1, WIDTH as i64]))?)?)
                    };
                    let expected = (at(1e-5)? - at(-1e-5)?) / 2e-5;
                    assert!((gradient[place] - expected).abs() < 1e-6, "{name}: {} not {expected}", gradient[place]);
                }
            }
        }
    }
    Ok(())
}

#[test]
fn ties_share_the_gradient_of_a_maximum() -> Result<(), Box<dyn Error>> {
    let values = Tensor::from_slice(&[2.0, 2.0, 1.0]).view([3, 1]).set_requires_grad(true);
    Segments::by_index(&Tensor::from_slice(&[0_i64, 0, 0]), 1)?.max(&values)?.sum(Kind::Double).f_backward()?;
    assert_eq!(Vec::<f64>::try_from(values.grad().view(-1))?, [0.5, 0.5, 0.0]);
    Ok(())
}

/// Forces are gradients of energies, so their loss takes gradients of gradients.
#[test]
fn sums_by_index_have_second_derivatives() -> Result<(), Box<dyn Error>> {
    for deterministic in [false, true] {
        let values = Tensor::from_slice(&[1.0, 2.0, 3.0]).view([3, 1]).set_requires_grad(true);
        let segments = Segments::by_index(&Tensor::from_slice(&[0_i64, 1, 0]), 2)?;
        let segments = if deterministic { segments.deterministic() } else { segments };
        let energy = segments.sum(&values.f_pow_tensor_scalar(3)?)?.sum(Kind::Double);
        let forces = Tensor::f_run_backward(&[energy], &[&values], true, true)?;
        forces[0].f_square()?.sum(Kind::Double).f_backward()?;
        // d/dv (3 v^2)^2 = 36 v^3
        assert_eq!(Vec::<f64>::try_from(values.grad().view(-1))?, [36.0, 288.0, 972.0]);
    }
    Ok(())
}

/// Messages go from edges to edges by triplets, which are in the order of neither; padding stays with padding.
#[test]
fn triplets_send_messages_to_edges() -> Result<(), Box<dyn Error>> {
    let loader = Loader::new(Data::from(molecules::generate(5, 40)).triplets()?, Options::graphs(16))?;
    let batch = TensorBatch::new(loader.epoch(0).next().ok_or("a batch")??, Device::Cpu)?;
    let index = batch.get("triplet_index")?;
    let ends = [Vec::<i64>::try_from(index.get(0))?, Vec::<i64>::try_from(index.get(1))?];
    assert!(ends[0].len() > 100 && !ends[0].is_sorted());
    let edges = batch.shape().edges();
    let values: Vec<f64> = (0..edges).map(|edge| (edge as f64).sin()).collect();
    let mut expected = vec![(0.0, f64::MIN, 0.0); edges];
    for (&from, &to) in ends[0].iter().zip(&ends[1]) {
        let (sum, largest, number) = &mut expected[to as usize];
        *sum += values[from as usize];
        *largest = largest.max(values[from as usize]);
        *number += 1.0;
    }
    let none = |edge: &&(f64, f64, f64)| edge.2 == 0.0;
    assert!(expected[..batch.real().edges()].iter().any(|edge| none(&edge)));
    let of_sources = Tensor::from_slice(&values).view([-1, 1]).index_select(0, &index.get(0));
    // As it is, narrow, and not contiguous.
    for targets in [index.get(1), index.get(1).to_kind(Kind::Int), index.tr().contiguous().select(1, 1)] {
        let of_edges = Segments::by_index(&targets, edges as i64)?;
        close(&of_edges.sum(&of_sources)?, &expected.iter().map(|edge| edge.0).collect::<Vec<_>>());
        let means: Vec<f64> = expected.iter().map(|edge| edge.0 / edge.2.max(1.0)).collect();
        close(&of_edges.mean(&of_sources)?, &means);
        let largest: Vec<f64> = expected.iter().map(|edge| if none(&edge) { 0.0 } else { edge.1 }).collect();
        close(&of_edges.max(&of_sources)?, &largest);
    }
    Ok(())
}

#[test]
fn there_may_be_no_rows_and_no_segments() -> Result<(), Box<dyn Error>> {
    let none = Tensor::from_slice::<i64>(&[]);
    for count in [0, 3] {
        let ptr = Tensor::from_slice(&vec![0_i64; count as usize + 1]);
        for segments in [Segments::by_index(&none, count)?, Segments::by_ptr(&ptr, 0)?] {
            let values = none.to_kind(Kind::Double).view([0, 1]).set_requires_grad(true);
            let zeros = vec![0.0; count as usize];
            segments.sum(&values)?.sum(Kind::Double).f_backward()?;
            for found in [segments.sum(&values)?, segments.mean(&values)?, segments.max(&values)?] {
                close(&found, &zeros);
            }
            close(&segments.softmax(&values)?, &[]);
            close(&segments.counts(Kind::Double)?, &zeros);
        }
    }
    Ok(())
}

/// Above all, no row is read that is not there.
#[test]
fn what_does_not_fit_is_refused() -> Result<(), Box<dyn Error>> {
    fn says<T>(result: Result<T, TchError>, expected: &str) {
        match result {
            Err(error) => assert!(error.to_string().contains(expected), "{error}"),
            Ok(_) => panic!("accepted, but {expected}"),
        }
    }
    let whole = |numbers: &[i64]| Tensor::from_slice(numbers);
    for (ptr, expected) in [
        (whole(&[0, 2, 9]), "ptr begins with 0 and ends with 9, expected 0 and 4"),
        (whole(&[1, 2, 4]), "ptr begins with 1 and ends with 4, expected 0 and 4"),
        (whole(&[0, 5, 2, 4]), "ptr falls from 5 to 2 after entry 1, expected ascending numbers"),
        (whole(&[]), "ptr begins with nothing"),
        (whole(&[0, 4]).view([1, 2]), "ptr is Int64 of size [1, 2], expected whole numbers of size [segments + 1]"),
    ] {
        says(Segments::by_ptr(&ptr, 4), expected);
    }
    says(
        Segments::by_index(&Tensor::from_slice(&[0.5]), 2),
        "index is Double of size [1], expected whole numbers of size [rows]",
    );
    says(Segments::by_index(&whole(&[0]), -1), "-1 segments, expected 0 or more");
    let values = Tensor::from_slice(&[1.0, 2.0, 3.0]);
    for index in [whole(&[0, 5, 1]), whole(&[0, -1, 1])] {
        let beyond = Segments::by_index(&index, 2)?;
        for result in [beyond.sum(&values), beyond.max(&values), beyond.softmax(&values), beyond.counts(Kind::Int64)] {
            says(result, "out of ");
        }
    }
    let three = || [Segments::by_index(&whole(&[0, 0, 1]), 2), Segments::by_ptr(&whole(&[0, 2, 3]), 3)];
    for segments in three() {
        let segments = segments?;
        let two = values.narrow(0, 0, 2);
        for result in [segments.sum(&two), segments.mean(&two), segments.max(&two), segments.softmax(&two)] {
            says(result, "values of size [2] for segments of 3 rows");
        }
        says(segments.expand(&values), "values of size [3], expected 2 segments");
        says(segments.max(&whole(&[1, 2, 3])), "values are Int64, expected floating point");
        let short = segments.masked(&Tensor::from_slice(&[true, false]));
        for result in [short.sum(&values), short.max(&values), short.counts(Kind::Int64)] {
            says(result, "mask is Bool of size [2], expected Bool of size [3]");
        }
    }
    Ok(())
}
