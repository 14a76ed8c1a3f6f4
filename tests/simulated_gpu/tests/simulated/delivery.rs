//! Batches arrive on a device as the loader wrote them, from any memory and however far ahead; training there equals
//! training on the CPU.

use graphpack_loader::{Dtype, Loader, Options, Order, molecules};
use graphpack_simulated_gpu::{Gpu, Later, Streams};
use graphpack_tch::{Adam, DeviceLoader, Error, Pinned, mean_pool, mse};
use std::time::Duration;
use tch::{Device, Kind, Tensor, nn, nn::Module};

type Fallible = Result<(), Box<dyn std::error::Error>>;

#[test]
fn batches_are_those_of_the_loader() -> Fallible {
    let Some(gpu) = Gpu::alone() else { return Ok(()) };
    let device = gpu.device(0);
    let data = || molecules::generate(3, 200);
    let options = || Options::graphs(16).order(Order::Shuffled).seed(1).workers(1);
    let narrow = || options().index(Dtype::I32);
    for loader in [
        Loader::new(data(), options())?,
        Loader::new(data(), options().memory(Pinned))?,
        Loader::new(data(), narrow().memory(Pinned))?,
    ] {
        for (epoch, ahead) in [(0, 1), (1, 2), (2, 3)] {
            let batches = |device| DeviceLoader::new(loader.epoch(epoch), device).wide_indices().cast("x", Kind::Float);
            let mut found = batches(device).ahead(ahead);
            for expected in batches(Device::Cpu) {
                let (expected, found) = (expected?, found.next().ok_or("the loader has more batches")??);
                assert_eq!((found.batch()?.device(), found.state()), (device, expected.state()));
                assert_eq!((found.edge_index()?.kind(), found.get("x")?.kind()), (Kind::Int64, Kind::Float));
                Later::read(&found)?.check(&expected);
            }
            assert!(found.next().is_none() && found.next().is_none());
        }
    }
    Ok(())
}

/// With this many rows, `batch` and masks are not copied.
#[test]
fn arrays_that_are_made_on_the_device_are_made_in_order() -> Fallible {
    let Some(gpu) = Gpu::alone() else { return Ok(()) };
    let device = gpu.device(0);
    let loader = Loader::new(molecules::generate(3, 28_000), Options::graphs(7000).index(Dtype::I32))?;
    let _slow = gpu.slow(device, Streams::Copies, Duration::from_millis(1));
    let mut reads = Vec::new();
    let mut batches = DeviceLoader::new(loader.epoch(0), device).wide_indices();
    for batch in batches.by_ref() {
        reads.push(Later::read(&batch?)?);
    }
    let expected = DeviceLoader::new(loader.epoch(0), Device::Cpu).wide_indices();
    let expected = expected.collect::<Result<Vec<_>, _>>()?;
    assert!(expected.iter().all(|batch| batch.shape().edges() > 256 << 10), "all arrays would be copied");
    Later::check_all(&reads, &expected);
    Ok(())
}

/// Autograd keeps views of batches, and asks for streams on a thread of its own.
#[test]
fn training_equals_training_on_the_cpu() -> Fallible {
    let Some(gpu) = Gpu::alone() else { return Ok(()) };
    let loader =
        Loader::new(molecules::generate(3, 200), Options::graphs(16).order(Order::Shuffled).seed(1).memory(Pinned))?;
    let train = |device: Device| -> Result<Vec<f64>, Box<dyn std::error::Error>> {
        let store = nn::VarStore::new(device);
        let layer = nn::linear(store.root(), 9, 1, Default::default());
        for mut weights in store.trainable_variables() {
            let _ = tch::no_grad(|| weights.fill_(0.1));
        }
        let optimizer = Adam::new(&store, 1e-3, 0.0)?;
        let step = |x: &Tensor, batch: &_, y: &Tensor| -> Result<Tensor, Error> {
            let loss = mse(&layer.forward(&mean_pool(x, batch)?), y, batch)?;
            optimizer.backward_step(&loss)?;
            Ok(loss.detach())
        };
        let mut losses = Vec::new();
        for epoch in 0..2 {
            for batch in DeviceLoader::new(loader.epoch(epoch), device).cast("x", Kind::Float).cast("y", Kind::Float) {
                let batch = batch?;
                losses.push(step(batch.get("x")?, &batch, batch.get("y")?)?);
            }
        }
        Ok(losses.into_iter().map(|loss| loss.double_value(&[])).collect())
    };
    let _slow = gpu.slow(gpu.device(0), Streams::Copies, Duration::from_micros(300));
    let (found, expected) = (train(gpu.device(0))?, train(Device::Cpu)?);
    assert!(expected.len() > 20 && expected.iter().all(|loss| loss.is_finite()));
    assert_eq!(found, expected);
    Ok(())
}
