//! [`Dense`] and [`cumulative_lengths`] against plain loops, and attention over both.

use super::one_batch;
use graphpack_loader::molecules;
use graphpack_tch::{Dense, Error, TensorBatch, cumulative_lengths};
use tch::{Device, Kind, TchError, Tensor};

type Fallible = Result<(), Box<dyn std::error::Error>>;

const WIDTH: usize = 3;

/// Rows of the nodes of a batch, NaN in padding, and `ptr`.
fn rows(batch: &TensorBatch) -> Result<(Vec<f64>, Vec<usize>), Error> {
    let real = batch.real().nodes() * WIDTH;
    let value = |place: usize| if place < real { (place as f64).sin() } else { f64::NAN };
    let ptr = Vec::<i64>::try_from(batch.ptr()?)?;
    Ok(((0..batch.shape().nodes() * WIDTH).map(value).collect(), ptr.into_iter().map(|row| row as usize).collect()))
}

fn tensor(rows: &[f64]) -> Tensor {
    Tensor::from_slice(rows).view([-1, WIDTH as i64]).set_requires_grad(true)
}

#[test]
fn rows_lie_side_by_side_and_come_back() -> Fallible {
    let batch = one_batch(molecules::generate(5, 16));
    let (values, ptr) = rows(&batch)?;
    let longest = ptr.windows(2).take(batch.real().graphs()).map(|range| range[1] - range[0]).max().unwrap_or(0);
    for (most, ptr_of) in [(longest, batch.ptr()?.shallow_clone()), (longest + 7, batch.ptr()?.to_kind(Kind::Int))] {
        let dense = Dense::new(&ptr_of, batch.node_mask()?, most as i64)?;
        let graphs = batch.shape().graphs();
        let mut expected = vec![0.0; graphs * most * WIDTH];
        let mut mask = vec![false; graphs * most];
        for (graph, range) in ptr.windows(2).take(batch.real().graphs()).enumerate() {
            for row in range[0]..range[1] {
                let place = graph * most + row - range[0];
                mask[place] = true;
                expected[place * WIDTH..][..WIDTH].copy_from_slice(&values[row * WIDTH..][..WIDTH]);
            }
        }
        let rows = tensor(&values);
        let found = dense.from_rows(&rows)?;
        assert_eq!(found.size(), [graphs, most, WIDTH].map(|n| n as i64));
        assert_eq!(Vec::<f64>::try_from(found.reshape(-1))?, expected);
        assert_eq!(Vec::<bool>::try_from(dense.mask().view(-1))?, mask);
        let back = dense.to_rows(&found)?;
        let real = batch.real().nodes() * WIDTH;
        let zeros = vec![0.0; values.len() - real];
        assert_eq!(Vec::<f64>::try_from(back.reshape(-1))?, [&values[..real], &zeros].concat());
        // The derivative of 3 v^2 is 6 v.
        dense.to_rows(&(found.square() * 3.0))?.sum(Kind::Double).f_backward()?;
        let gradient = Vec::<f64>::try_from(rows.grad().view(-1))?;
        for (place, (gradient, value)) in gradient.into_iter().zip(&values).enumerate() {
            let expected = if place < real { 6.0 * value } else { 0.0 };
            assert!((gradient - expected).abs() < 1e-12, "{gradient} not {expected} at {place}");
        }
    }
    Ok(())
}

/// Softmax of dot products within each graph, by masked dense attention, equals a loop over sequences that begin where
/// the cumulative lengths say.
#[test]
fn attention_side_by_side_equals_attention_over_sequences() -> Fallible {
    let batch = one_batch(molecules::generate(5, 16));
    let (values, _) = rows(&batch)?;
    let lengths = cumulative_lengths(batch.ptr()?)?;
    assert_eq!((lengths.kind(), lengths.size()), (Kind::Int, batch.ptr()?.size()));
    assert_eq!(cumulative_lengths(&batch.ptr()?.to_kind(Kind::Int))?, lengths);
    let ends = Vec::<i32>::try_from(&lengths)?;
    let dense = Dense::new(batch.ptr()?, batch.node_mask()?, 64)?;
    let x = dense.from_rows(&tensor(&values))?;
    let scores = x.matmul(&x.transpose(1, 2)).masked_fill(&dense.mask().unsqueeze(1).logical_not(), -1e4);
    let attended = dense.to_rows(&scores.softmax(-1, Kind::Double).matmul(&x))?;
    let found = Vec::<f64>::try_from(attended.reshape(-1))?;
    for range in ends.windows(2).take(batch.real().graphs()) {
        let of_graph: Vec<&[f64]> = (range[0]..range[1]).map(|row| &values[row as usize * WIDTH..][..WIDTH]).collect();
        for (row, query) in (range[0]..).zip(&of_graph) {
            let dot = |key: &&&[f64]| query.iter().zip(**key).map(|(a, b)| a * b).sum::<f64>().exp();
            let total: f64 = of_graph.iter().map(|key| dot(&key)).sum();
            for column in 0..WIDTH {
                let expected: f64 = of_graph.iter().map(|key| dot(&key) / total * key[column]).sum();
                let found = found[row as usize * WIDTH + column];
                assert!((found - expected).abs() < 1e-12, "{found} not {expected} in row {row}");
            }
        }
    }
    assert!(found[batch.real().nodes() * WIDTH..].iter().all(|&value| value == 0.0), "padding rows are zero");
    Ok(())
}

/// A weight between the softmax and the rows, where padding graphs have numbers that nobody looks at.
#[test]
fn gradients_of_attention_are_those_without_padding() -> Fallible {
    let batch = one_batch(molecules::generate(5, 16));
    let (values, ptr) = rows(&batch)?;
    let dense = Dense::new(batch.ptr()?, batch.node_mask()?, 64)?;
    let numbers: Vec<f64> = (0..WIDTH * WIDTH).map(|place| (place as f64).cos()).collect();
    let weight = || tensor(&numbers);
    let attend = |x: &Tensor, scores: &Tensor, weight: &Tensor| {
        scores.softmax(-1, Kind::Double).matmul(&x.matmul(weight)).matmul(weight)
    };
    let (padded, x) = (weight(), dense.from_rows(&tensor(&values))?);
    let scores = x.matmul(&x.transpose(1, 2)).masked_fill(&dense.mask().unsqueeze(1).logical_not(), -1e4);
    dense.to_rows(&attend(&x, &scores, &padded))?.square().sum(Kind::Double).f_backward()?;
    let alone = weight();
    let mut loss = Tensor::from(0.0);
    for graph in ptr.windows(2).take(batch.real().graphs()) {
        let x = tensor(&values[graph[0] * WIDTH..graph[1] * WIDTH]);
        loss += attend(&x, &x.matmul(&x.tr()), &alone).square().sum(Kind::Double);
    }
    loss.f_backward()?;
    let relative =
        (padded.grad() - alone.grad()).abs().max().double_value(&[]) / alone.grad().abs().max().double_value(&[]);
    assert!(relative < 1e-12, "{relative}");
    Ok(())
}

#[test]
fn what_does_not_fit_is_refused() -> Fallible {
    let (ptr, mask) = (Tensor::from_slice(&[0_i64, 2, 5, 9]), Tensor::from_slice(&[true; 9]));
    let says = |result: Result<_, TchError>, expected: &str| match result {
        Err(error) => assert!(error.to_string().contains(expected), "{error}"),
        Ok(_) => panic!("accepted, but {expected}"),
    };
    says(Dense::new(&ptr, &mask, 3).map(drop), "a graph of the batch has 4 rows, expected at most 3");
    says(Dense::new(&ptr, &mask, 0).map(drop), "at most 0 rows per graph, expected 1 or more");
    says(Dense::new(&ptr, &mask.narrow(0, 0, 8), 4).map(drop), "ptr begins with 0 and ends with 9, expected 0 and 8");
    says(Dense::new(&ptr, &ptr, 4).map(drop), "mask is Int64 of size [4], expected Bool of size [4]");
    says(cumulative_lengths(&mask).map(drop), "ptr is Bool of size [9], expected whole numbers");
    let many = Tensor::from_slice(&[0, 1_i64 << 31]);
    says(cumulative_lengths(&many).map(drop), "ptr has 2147483648, expected at most 2147483647");
    // Rows that are masked out may be many, as those of the padding graph are.
    let real = Tensor::from_slice(&[true, true, true, true, false, false, false, false, false]);
    let dense = Dense::new(&ptr, &real, 3)?;
    says(dense.from_rows(&ptr).map(drop), "values of size [4], expected 9 rows");
    says(dense.to_rows(&Tensor::zeros([3, 2], (Kind::Float, Device::Cpu))).map(drop), "[3, 2], expected [3, 3]");
    let expected = [true, true, false, true, true, false, false, false, false];
    assert_eq!(Vec::<bool>::try_from(dense.mask().view(-1))?, expected);
    let none = Dense::new(&Tensor::from_slice(&[0_i64]), &Tensor::from_slice::<bool>(&[]), 3)?;
    assert_eq!(none.from_rows(&Tensor::zeros([0, 2], (Kind::Float, Device::Cpu)))?.size(), [0, 3, 2]);
    Ok(())
}
