//! [`MaskedBatchNorm`], losses and pooling: what padding rows hold changes nothing.

use super::one_batch;
use graphpack_loader::{Column, Level, Store, molecules};
use graphpack_tch::{MaskedBatchNorm, Segments, bce_with_logits, l1, labelled, masked_mean, mean_pool, mse, sum_pool};
use tch::{Device, Kind, Reduction, Tensor, nn};

#[test]
fn masked_batch_norm_equals_batch_norm_of_the_real_rows() {
    let batch = one_batch(molecules::generate(5, 16));
    let store = nn::VarStore::new(Device::Cpu);
    let norm = MaskedBatchNorm::new(store.root(), 8);
    let (rows, real) = (batch.shape().nodes() as i64, batch.real().nodes() as i64);
    assert!(real < rows);
    let x = Tensor::arange(8 * rows, (Kind::Float, Device::Cpu)).reshape([rows, 8]).sin() * 3 + 1;
    let [ours, theirs] = [x.copy().set_requires_grad(true), x.narrow(0, 0, real).copy().set_requires_grad(true)];
    let (mean, var) = (Tensor::zeros([8], (Kind::Float, Device::Cpu)), Tensor::ones([8], (Kind::Float, Device::Cpu)));
    let none: Option<Tensor> = None;
    let expected = theirs.batch_norm(none.as_ref(), none.as_ref(), Some(&mean), Some(&var), true, 0.1, 1e-5, false);
    let found = norm.forward(&ours, batch.node_mask().unwrap(), true).unwrap();
    let close = |a: &Tensor, b: &Tensor| f64::try_from((a - b).abs().max()).unwrap() < 1e-5;
    assert!(close(&found.narrow(0, 0, real), &expected));
    let weight = x.narrow(0, 0, real).square().cos();
    (expected * &weight).sum(Kind::Float).backward();
    (found.narrow(0, 0, real) * &weight).sum(Kind::Float).backward();
    assert!(close(&ours.grad().narrow(0, 0, real), &theirs.grad()));
    assert!(close(
        &ours.grad().narrow(0, real, rows - real),
        &Tensor::zeros([rows - real, 8], (Kind::Float, Device::Cpu))
    ));
    let buffers = store.variables();
    assert!(close(&buffers["running_mean"], &mean) && close(&buffers["running_var"], &var));
    let evaluated = norm.forward(&x, batch.node_mask().unwrap(), false).unwrap();
    assert!(close(
        &evaluated,
        &x.batch_norm(none.as_ref(), none.as_ref(), Some(&mean), Some(&var), false, 0.1, 1e-5, false)
    ));
}

#[test]
fn masked_batch_norm_keeps_nan_of_padding_out() {
    let batch = one_batch(molecules::generate(5, 16));
    let mut store = nn::VarStore::new(Device::Cpu);
    let norm = MaskedBatchNorm::new(store.root(), 2);
    store.double();
    let (rows, real) = (batch.shape().nodes() as i64, batch.real().nodes() as i64);
    let x = Tensor::arange(2 * rows, (Kind::Double, Device::Cpu)).reshape([rows, 2]).sin();
    let _ = x.narrow(0, real, rows - real).fill_(f64::NAN);
    let found = norm.forward(&x, batch.node_mask().unwrap(), true).unwrap();
    assert!(f64::try_from(found.narrow(0, 0, real).sum(Kind::Double)).unwrap().is_finite());
    let before = store.variables()["running_mean"].copy();
    let nothing = batch.node_mask().unwrap().zeros_like();
    let _ = norm.forward(&x, &nothing, true).unwrap();
    assert_eq!(before, store.variables()["running_mean"], "a batch of padding alone moves no statistics");
    let error = norm.forward(&x, batch.edge_mask().unwrap(), true).unwrap_err().to_string();
    assert!(error.contains(&format!("expected Bool of size [{rows}]")), "{error}");
}

/// `BatchNorm1d` makes an error of a single row; a step that may not wait for the device cannot.
#[test]
fn a_single_row_leaves_the_running_statistics() {
    let store = nn::VarStore::new(Device::Cpu);
    let norm = MaskedBatchNorm::new(store.root(), 1);
    let x = Tensor::from_slice(&[7.0_f32, 3.0, 5.0]).view([3, 1]);
    for (real, mean) in [(0, 0.0), (1, 0.0), (2, 0.5)] {
        let mask = Tensor::arange(3, (Kind::Int64, Device::Cpu)).lt(real);
        let _ = norm.forward(&x, &mask, true).unwrap();
        let found = |name: &str| store.variables()[name].double_value(&[0]);
        assert!((found("running_mean") - mean).abs() < 1e-6, "{real} rows: {}", found("running_mean"));
        // 0.9 and a tenth of the unbiased variance, 8.
        assert!((found("running_var") - if real == 2 { 1.7 } else { 1.0 }).abs() < 1e-6, "{real} rows");
    }
    for train in [false, true] {
        assert!(norm.forward(&x, &x, train).is_err(), "a mask of another type");
    }
}

#[test]
fn sizes_that_libtorch_would_stretch_are_refused() {
    let batch = one_batch(molecules::generate(5, 16));
    let graphs = batch.shape().graphs() as i64;
    let logits = Tensor::zeros([graphs, 3], (Kind::Float, Device::Cpu));
    for logits in [logits, Tensor::zeros([graphs], (Kind::Float, Device::Cpu))] {
        assert!(bce_with_logits(&logits, batch.get("y").unwrap(), &batch).is_err());
        assert!(mse(&logits, batch.get("y").unwrap(), &batch).is_err());
    }
}

#[test]
fn losses_ignore_padding_and_missing_labels() {
    let y = vec![1.0_f32, f32::NAN, 0.0, 1.0, f32::NAN, f32::NAN];
    let data = Store::of_columns(
        vec![0, 1, 2, 3],
        vec![0, 0, 0, 0],
        [vec![], vec![]],
        vec![Column::new("y", Level::Graph, 2, y)],
    )
    .unwrap();
    let batch = one_batch(data);
    let graphs = batch.shape().graphs() as i64;
    assert!(graphs > 3, "some graphs are padding");
    let logits = Tensor::arange(2 * graphs, (Kind::Float, Device::Cpu)).reshape([graphs, 2]).set_requires_grad(true);
    let ids = Vec::<i64>::try_from(batch.graph_ids()).unwrap();
    let place = |graph: i64| ids.iter().position(|&id| id == graph).unwrap() as i64;
    let labelled: Vec<(i64, f32)> = vec![(2 * place(0), 1.0), (2 * place(1), 0.0), (2 * place(1) + 1, 1.0)];
    let chosen = Tensor::from_slice(&labelled.iter().map(|(at, _)| *at as f32).collect::<Vec<_>>());
    let labels = Tensor::from_slice(&labelled.iter().map(|(_, label)| *label).collect::<Vec<_>>());
    let none: Option<Tensor> = None;
    let found = [
        bce_with_logits(&logits, batch.get("y").unwrap(), &batch).unwrap(),
        mse(&logits, batch.get("y").unwrap(), &batch).unwrap(),
    ];
    let expected = [
        chosen.binary_cross_entropy_with_logits(&labels, none.as_ref(), none.as_ref(), Reduction::Mean),
        chosen.mse_loss(&labels, Reduction::Mean),
    ];
    for (found, expected) in found.iter().zip(&expected) {
        let (found, expected) = (f64::try_from(found).unwrap(), f64::try_from(expected).unwrap());
        assert!((found - expected).abs() < 1e-6 * expected.abs(), "{found}, expected {expected}");
    }
    found[1].backward();
    let touched = i64::try_from(logits.grad().count_nonzero(None)).unwrap();
    assert!(touched <= 3 && !f64::try_from(logits.grad().sum(Kind::Float)).unwrap().is_nan());
    let empty = masked_mean(&logits, &logits.zeros_like().to_kind(Kind::Bool)).unwrap();
    assert_eq!(f64::try_from(empty).unwrap(), 0.0);
}

/// More values than float16 can count.
#[test]
fn means_of_many_float16_values_are_exact() {
    let values = Tensor::ones([70_000], (Kind::Half, Device::Cpu));
    let mean = masked_mean(&values, &values.ones_like().to_kind(Kind::Bool)).unwrap();
    assert_eq!((mean.kind(), f64::try_from(mean).unwrap()), (Kind::Half, 1.0));
    let segments = Segments::by_index(&Tensor::zeros([5000], (Kind::Int64, Device::Cpu)), 1).unwrap();
    assert_eq!(f64::try_from(segments.counts(Kind::Half).unwrap()).unwrap(), 5000.0);
    let segments = Segments::by_index(&Tensor::zeros([70_000], (Kind::Int64, Device::Cpu)), 1).unwrap();
    let mean = segments.mean(&values).unwrap();
    assert_eq!((mean.kind(), f64::try_from(mean).unwrap()), (Kind::Half, 1.0));
    let whole = Segments::by_index(&Tensor::from_slice(&[0_i64, 0]), 1).unwrap();
    assert_eq!(f64::try_from(whole.mean(&Tensor::from_slice(&[1_i64, 2])).unwrap()).unwrap(), 1.5);
    let batch = one_batch(molecules::generate(5, 16));
    let nodes = Tensor::full([batch.shape().nodes() as i64, 2], 0.1, (Kind::BFloat16, Device::Cpu));
    let means = mean_pool(&nodes, &batch).unwrap().narrow(0, 0, batch.real().graphs() as i64);
    assert!(means.equal(&nodes.narrow(0, 0, batch.real().graphs() as i64)));
}

#[test]
fn batch_norm_takes_many_float16_rows_and_its_own_width_alone() {
    let store = nn::VarStore::new(Device::Cpu);
    let norm = MaskedBatchNorm::new(store.root(), 2);
    let x = Tensor::from_slice(&[1.0, 3.0]).to_kind(Kind::Half).view([2, 1]).repeat([50_000, 2]);
    let mask = Tensor::ones([100_000], (Kind::Bool, Device::Cpu));
    let found = norm.forward(&x, &mask, true).unwrap();
    assert!(f64::try_from((found.abs() - 1.0).abs().max()).unwrap() < 1e-4);
    let mean = Vec::<f32>::try_from(&store.variables()["running_mean"]).unwrap();
    assert!(mean.iter().all(|mean| (mean - 0.2).abs() < 1e-6), "{mean:?}");
    for train in [false, true] {
        let error = norm.forward(&x.narrow(1, 0, 1), &mask, train).unwrap_err().to_string();
        assert!(error.contains("values of size [100000, 1], expected [100000, 2]"), "{error}");
    }
}

/// NaN, which marks what was not measured, would become a whole number, and a mean would be cut.
#[test]
fn losses_and_means_of_whole_numbers_are_refused() {
    let whole = Tensor::from_slice(&[1_i64, 2]);
    let (targets, mask) = (Tensor::from_slice(&[1.0, f64::NAN]), Tensor::from_slice(&[true, true]));
    for result in [mse(&whole, &targets, &mask), l1(&whole, &targets, &mask), masked_mean(&whole, &mask)] {
        let error = result.unwrap_err().to_string();
        assert!(error.contains("values are Int64, expected floating point"), "{error}");
    }
    let error = masked_mean(&targets, &whole).unwrap_err().to_string();
    assert!(error.contains("mask is Int64, expected Bool"), "{error}");
    // As `batch` where `node_mask` was meant.
    let error = labelled(&targets, &whole).unwrap_err().to_string();
    assert!(error.contains("mask is Int64 of size [2], expected Bool of size [2]"), "{error}");
}

/// Forces are targets of nodes, charges a vector of them: each loss against a plain loop over the rows that count.
#[test]
fn losses_of_rows_of_any_set_equal_a_loop() {
    let batch = one_batch(molecules::generate(5, 16));
    for (mask, size) in
        [(batch.node_mask().unwrap(), vec![3]), (batch.edge_mask().unwrap(), vec![]), (batch.graph_mask(), vec![2, 2])]
    {
        let rows = mask.size1().unwrap();
        let real = Vec::<bool>::try_from(mask).unwrap();
        assert!(real.contains(&false), "there is padding");
        let size = [vec![rows], size].concat();
        let each = size[1..].iter().product::<i64>() as usize;
        let values = |factor: f64| -> Vec<f64> {
            let padding = |place: usize| if real[place / each] { factor * (place as f64).sin() } else { f64::NAN };
            (0..real.len() * each).map(padding).collect()
        };
        let (predictions, mut targets) = (values(2.0), values(0.5));
        for place in (0..targets.len()).step_by(7) {
            targets[place] = f64::NAN;
        }
        let pairs = || predictions.iter().zip(&targets).filter(|(_, target)| !target.is_nan());
        let mean = |loss: fn(f64, f64) -> f64| pairs().map(|(&p, &t)| loss(p, t)).sum::<f64>() / pairs().count() as f64;
        let expected = [
            mean(|p, t| (p - t).powi(2)),
            mean(|p, t| (p - t).abs()),
            mean(|p, t| p.max(0.0) - p * t + (-p.abs()).exp().ln_1p()),
        ];
        let predictions = Tensor::from_slice(&predictions).reshape(&size).set_requires_grad(true);
        let targets = Tensor::from_slice(&targets).reshape(&size);
        let found = [
            mse(&predictions, &targets, mask).unwrap(),
            l1(&predictions, &targets, mask).unwrap(),
            bce_with_logits(&predictions, &targets, mask).unwrap(),
        ];
        for (found, expected) in found.into_iter().zip(expected) {
            found.backward();
            let found = f64::try_from(found).unwrap();
            assert!((found - expected).abs() < 1e-12, "{found}, expected {expected} of {size:?}");
        }
        let touched = predictions.grad().ne(0.0).logical_or(&predictions.grad().isnan());
        let counts = labelled(&targets, mask).unwrap();
        assert!(i64::try_from(touched.logical_and(&counts.logical_not()).sum(Kind::Int64)).unwrap() == 0);
        assert_eq!(i64::try_from(counts.sum(Kind::Int64)).unwrap(), pairs().count() as i64);
    }
    let y = batch.get("y").unwrap().to_kind(Kind::Float);
    let of = |loss: Result<Tensor, _>| f64::try_from(loss.unwrap()).unwrap();
    assert_eq!(of(mse(&y.zeros_like(), &y, &batch)), of(mse(&y.zeros_like(), &y, batch.graph_mask())));
}

/// `has_y` of batches, of each graph or of each of its targets.
#[test]
fn labels_are_missing_by_nan_and_by_the_mask_of_their_field() {
    let targets = Tensor::from_slice(&[1.0, 2.0, f64::NAN, 4.0, 0.0, 0.0]).view([3, 2]);
    let predictions = Tensor::from_slice(&[0.0, 0.0, 9.0, 1.0, 9.0, 9.0]).view([3, 2]);
    let of = |loss: Result<Tensor, _>| f64::try_from(loss.unwrap()).unwrap();
    let of_graphs = Tensor::from_slice(&[true, true, false]);
    for has in [of_graphs.shallow_clone(), of_graphs.view([3, 1])] {
        assert_eq!(of(l1(&predictions, &targets, &has)), (1.0 + 2.0 + 3.0) / 3.0);
    }
    let of_targets = Tensor::from_slice(&[true, false, true, true, false, false]).view([3, 2]);
    assert_eq!(of(l1(&predictions, &targets, &of_targets)), (1.0 + 3.0) / 2.0);
    let of_one = Tensor::from_slice(&[true, false, true]).view([3, 1]);
    let (one, zeros) = (targets.narrow(1, 1, 1), predictions.narrow(1, 1, 1).zeros_like());
    assert_eq!(of(l1(&zeros, &one, &of_one)), (2.0 + 0.0) / 2.0);
    assert!(labelled(&targets, &of_targets.view([2, 3])).is_err());
}

#[test]
fn means_are_over_the_rows_or_places_of_a_mask() {
    let values = Tensor::from_slice(&[1.0, 2.0, f64::NAN, 4.0, 5.0, 6.0]);
    let mean = |values: &Tensor, mask: &Tensor| masked_mean(values, mask).map(|mean| f64::try_from(mean).unwrap());
    let rows = Tensor::from_slice(&[true, false, true]);
    assert_eq!(mean(&values.view([3, 2]), &rows).unwrap(), (1.0 + 2.0 + 5.0 + 6.0) / 4.0);
    assert_eq!(mean(&values.view([3, 2, 1]), &rows).unwrap(), (1.0 + 2.0 + 5.0 + 6.0) / 4.0);
    let places = Tensor::from_slice(&[true, false, false, false, true, true]);
    assert_eq!(mean(&values, &places).unwrap(), 4.0);
    assert_eq!(mean(&values.view([3, 2]), &places.view([3, 2])).unwrap(), 4.0);
    for (mask, expected) in [
        (places.view([3, 2]), "values have size [2, 3], their mask [3, 2]: expected the same size, or [2]"),
        (places.view([6]), "values have size [2, 3], their mask [6]: expected the same size, or [2]"),
    ] {
        let error = mean(&values.view([2, 3]), &mask).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    let batch = one_batch(molecules::generate(5, 16));
    let nodes = Tensor::zeros([batch.shape().nodes() as i64, 3], (Kind::Float, Device::Cpu));
    let error = mse(&nodes, &nodes, &batch).unwrap_err().to_string();
    let (nodes, graphs) = (batch.shape().nodes(), batch.shape().graphs());
    let expected = format!("targets have size [{nodes}, 3], expected {graphs} rows: their mask has size [{graphs}]");
    assert!(error.contains(&expected), "{error}");
}

#[test]
fn pooling_keeps_nan_of_padding_out() {
    let batch = one_batch(molecules::generate(5, 16));
    let x = Tensor::ones([batch.shape().nodes() as i64, 2], (Kind::Float, Device::Cpu));
    let _ = x.narrow(0, batch.real().nodes() as i64, 1).fill_(f64::NAN);
    let means = mean_pool(&x, &batch).unwrap();
    let real = batch.real().graphs() as i64;
    assert_eq!(f64::try_from(means.sum(Kind::Float)).unwrap(), 2.0 * real as f64);
    let sums = sum_pool(&x, &batch).unwrap();
    assert_eq!(f64::try_from(sums.sum(Kind::Float)).unwrap(), 2.0 * batch.real().nodes() as f64);
}
