//! Captured steps train like uncaptured ones on the CPU: on every batch once, whichever streams are slow or held; once
//! recorded, by replays alone.

use graphpack_loader::{Loader, Options, Order, Shape, Shapes, molecules};
use graphpack_simulated_gpu::{Gpu, Network, Streams, Work};
use graphpack_tch::{CapturedStep, Checkpoint, DeviceLoader, Error, Pinned, TensorBatch};
use std::collections::BTreeMap;
use std::thread;
use std::time::Duration;
use tch::{Device, Kind, Tensor};

type Fallible<T> = Result<T, Box<dyn std::error::Error>>;

const EPOCHS: u64 = 3;
/// The bridge's number of steps before one is recorded.
const WARM_UP: usize = 3;
/// The work of a replayed step: the copy of the batch, and the graph.
const REPLAYED: Work = Work { operations: 1, recorded: 0, replays: 1 };
const NOTHING: Work = Work { operations: 0, recorded: 0, replays: 0 };

fn loader() -> Fallible<Loader> {
    Ok(Loader::new(molecules::generate(3, 200), Options::graphs(16).order(Order::Shuffled).seed(1).memory(Pinned))?)
}

/// A loader of batches of several shapes.
fn of_shapes() -> Fallible<Loader> {
    let options = Options::exactly(2).shapes(Shapes::PowerOfTwo);
    Ok(Loader::new(molecules::generate(3, 120), options.order(Order::Shuffled).seed(1).memory(Pinned))?)
}

/// Losses of all epochs; no value is asked for before the end.
fn losses(
    device: Device,
    loader: &Loader,
    mut step: impl FnMut(usize, &TensorBatch) -> Result<Tensor, Error>,
) -> Fallible<Vec<f64>> {
    let mut losses: Vec<Tensor> = Vec::new();
    for epoch in 0..EPOCHS {
        for batch in DeviceLoader::new(loader.epoch(epoch), device) {
            let loss = step(losses.len(), &batch?)?;
            let mut kept = loss.f_empty_like()?;
            kept.copy_(&loss);
            losses.push(kept);
        }
    }
    Ok(losses.iter().map(f64::try_from).collect::<Result<_, _>>()?)
}

/// The results of a training: losses and variables.
#[derive(Debug, PartialEq)]
struct Trained(Vec<f64>, BTreeMap<String, Vec<f32>>);

/// Trains on the CPU, uncaptured; calls `before` before each step.
fn expected(loader: &Loader, decoupled: bool, before: impl Fn(usize, &Network)) -> Fallible<Trained> {
    let network = Network::new(Device::Cpu, decoupled)?;
    let losses = losses(Device::Cpu, loader, |number, batch| {
        before(number, &network);
        network.step(batch)
    })?;
    assert!(losses.len() > 30 && losses.iter().all(|loss| loss.is_finite()));
    Ok(Trained(losses, network.variables()?))
}

#[test]
fn replayed_steps_train_like_the_cpu() -> Fallible<()> {
    let Some(gpu) = Gpu::alone() else { return Ok(()) };
    let (loader, device) = (loader()?, gpu.device(0));
    for decoupled in [false, true] {
        let expected = expected(&loader, decoupled, |_, _| ())?;
        for slow in [Streams::Copies, Streams::Pool, Streams::Default] {
            let _slow = gpu.slow(device, slow, Duration::from_micros(300));
            let network = Network::new(device, decoupled)?;
            let mut step = CapturedStep::new(device, |batch| network.step(batch));
            let found = losses(device, &loader, |number, batch| {
                let work = || [gpu.work(device, Streams::Default), gpu.work(device, Streams::Pool)];
                let before = work();
                let loss = step.run(batch)?.shallow_clone();
                let [current, side] = [work()[0] - before[0], work()[1] - before[1]];
                match number {
                    0..WARM_UP => assert!(current == NOTHING && side.operations > 50 && side.recorded == 0, "{side:?}"),
                    WARM_UP => assert!(current == REPLAYED && side.operations == 0 && side.recorded > 50, "{side:?}"),
                    _ => assert_eq!([current, side], [REPLAYED, NOTHING]),
                }
                Ok(loss)
            })?;
            assert_eq!(step.recorded(), 1);
            assert_eq!(Trained(found, network.variables()?), expected, "while {slow:?} are slow");
        }
    }
    Ok(())
}

#[test]
fn each_replay_reads_its_own_batch_even_if_that_was_dropped() -> Fallible<()> {
    let Some(gpu) = Gpu::alone() else { return Ok(()) };
    let (loader, device) = (loader()?, gpu.device(0));
    // The recorded step reads these arrays.
    const READ: [&str; 3] = ["x", "edge_index", "graph_ids"];
    let read = |batch: &TensorBatch| {
        let copies = READ.map(|name| Ok(batch.get(name)?.f_add_scalar(1)?));
        copies.into_iter().collect::<Result<Vec<Tensor>, Error>>()
    };
    let reserved = gpu.reserved();
    let mut step = CapturedStep::new(device, read);
    let mut found = Vec::new();
    for epoch in 0..EPOCHS {
        let mut batches = DeviceLoader::new(loader.epoch(epoch), device).ahead(3);
        let mut next = || -> Result<bool, Error> {
            let Some(batch) = batches.next().transpose()? else { return Ok(false) };
            let kept = step.run(&batch)?.iter().map(|output| {
                let mut kept = output.f_empty_like()?;
                kept.copy_(output);
                Ok(kept)
            });
            found.push(kept.collect::<Result<Vec<Tensor>, Error>>()?);
            Ok(true)
        };
        for _ in 0..=WARM_UP {
            next()?;
        }
        loop {
            gpu.settle();
            let held = gpu.hold(device, Streams::Default);
            let more = next()? && next()?;
            // Gives the copies of the next batches time to overwrite these.
            thread::sleep(Duration::from_millis(2));
            gpu.settle();
            drop(held);
            if !more {
                break;
            }
        }
    }
    assert_eq!(step.recorded(), 1);
    assert!(gpu.reserved() > reserved);
    drop(step);
    assert_eq!(gpu.reserved(), reserved);
    let mut found = found.into_iter();
    for epoch in 0..EPOCHS {
        for batch in DeviceLoader::new(loader.epoch(epoch), Device::Cpu) {
            let expected = read(&batch?)?;
            for ((name, found), expected) in
                READ.iter().zip(found.next().ok_or("the CPU has more batches")?).zip(expected)
            {
                assert!(found.to_device(Device::Cpu).equal(&expected), "{name}");
            }
        }
    }
    assert!(found.next().is_none());
    Ok(())
}

#[test]
fn the_first_shapes_have_graphs_and_the_others_run_unrecorded() -> Fallible<()> {
    let Some(gpu) = Gpu::alone() else { return Ok(()) };
    let (loader, device) = (of_shapes()?, gpu.device(0));
    let expected = expected(&loader, false, |_, _| ())?;
    for most in [2, 4] {
        let _slow = gpu.slow(device, Streams::Pool, Duration::from_micros(50));
        let network = Network::new(device, false)?;
        let mut step = CapturedStep::new(device, |batch| network.step(batch)).shapes(most);
        // Shapes in the order in which they come, with the number of steps of each.
        let mut seen: Vec<(Shape, usize)> = Vec::new();
        let (mut changes, mut last) = (0, None);
        let found = losses(device, &loader, |_, batch| {
            let shape = batch.shape();
            changes += usize::from(last.replace(shape) != Some(shape));
            let position = seen.iter().position(|(of, _)| *of == shape).unwrap_or_else(|| {
                seen.push((shape, 0));
                seen.len() - 1
            });
            seen[position].1 += 1;
            let before = gpu.work(device, Streams::Default);
            let loss = step.run(batch)?.shallow_clone();
            let replayed = position < most && seen[position].1 > WARM_UP;
            assert_eq!(gpu.work(device, Streams::Default) - before, if replayed { REPLAYED } else { NOTHING });
            Ok(loss)
        })?;
        assert!(seen.len() > most && changes > 20, "{seen:?}");
        let recorded = seen[..most].iter().filter(|(_, steps)| *steps > WARM_UP).count();
        assert!(recorded > 1 && step.recorded() == recorded, "{seen:?}");
        assert_eq!(Trained(found, network.variables()?), expected);
    }
    Ok(())
}

#[test]
fn each_of_a_few_shapes_has_a_graph() -> Fallible<()> {
    let Some(gpu) = Gpu::alone() else { return Ok(()) };
    let options = Options::graphs(2).shapes(Shapes::Few(3));
    let (loader, device) = (
        Loader::new(molecules::generate(3, 300), options.order(Order::Shuffled).seed(1).memory(Pinned))?,
        gpu.device(0),
    );
    let expected = expected(&loader, false, |_, _| ())?;
    let shapes = loader.shapes(0)?.len();
    let network = Network::new(device, false)?;
    let mut step = CapturedStep::new(device, |batch| network.step(batch)).shapes(shapes);
    let mut replayed = 0;
    let found = losses(device, &loader, |_, batch| {
        let before = gpu.work(device, Streams::Default);
        let loss = step.run(batch)?.shallow_clone();
        replayed += usize::from(gpu.work(device, Streams::Default) - before == REPLAYED);
        Ok(loss)
    })?;
    assert!(shapes > 1 && step.recorded() == shapes);
    assert_eq!(replayed, found.len() - WARM_UP * shapes);
    assert_eq!(Trained(found, network.variables()?), expected);
    Ok(())
}

#[test]
fn if_there_is_one_graph_another_shape_is_refused() -> Fallible<()> {
    let Some(gpu) = Gpu::alone() else { return Ok(()) };
    let (loader, device) = (of_shapes()?, gpu.device(0));
    let mut step = CapturedStep::new(device, |batch| Ok(batch.get("x")?.f_sum(Kind::Int64)?));
    let (mut first, mut refused) = (None, 0);
    for batch in DeviceLoader::new(loader.epoch(0), device).chain(DeviceLoader::new(loader.epoch(1), device)) {
        let batch = batch?;
        let (shape, first) = (batch.shape(), *first.get_or_insert(batch.shape()));
        match step.run(&batch) {
            Ok(sum) => {
                assert_eq!(shape, first);
                assert_eq!(i64::try_from(sum)?, i64::try_from(batch.get("x")?.f_sum(Kind::Int64)?)?);
            }
            Err(error) => {
                let text = error.to_string();
                assert!([shape, first].iter().all(|shape| text.contains(&shape.to_string())), "{text}");
                refused += 1;
            }
        }
    }
    assert!(refused > 0 && step.recorded() == 1);
    Ok(())
}

#[test]
fn replays_follow_the_learning_rate() -> Fallible<()> {
    let Some(gpu) = Gpu::alone() else { return Ok(()) };
    let (loader, device) = (loader()?, gpu.device(0));
    // Once before the recording, and twice after it.
    let set = |number, network: &Network| {
        if let Some(rate) = [(2, 0.02), (7, 0.001), (20, 0.03)].into_iter().find(|(at, _)| *at == number) {
            network.optimizer.set_learning_rate(rate.1).expect("it can be set");
        }
    };
    for decoupled in [false, true] {
        let expected = expected(&loader, decoupled, set)?;
        let _slow = gpu.slow(device, Streams::Default, Duration::from_micros(300));
        let network = Network::new(device, decoupled)?;
        let mut step = CapturedStep::new(device, |batch| network.step(batch));
        let found = losses(device, &loader, |number, batch| {
            set(number, &network);
            Ok(step.run(batch)?.shallow_clone())
        })?;
        assert_eq!(Trained(found, network.variables()?), expected);
    }
    Ok(())
}

/// Values are loaded in place, so that a step that is recorded already goes on from them.
#[test]
fn a_recorded_step_goes_on_from_a_checkpoint() -> Fallible<()> {
    let Some(gpu) = Gpu::alone() else { return Ok(()) };
    let (loader, device) = (loader()?, gpu.device(0));
    let folder = tempfile::tempdir()?;
    let checkpoint = Checkpoint::new(folder.path().join("training.safetensors"));
    let network = Network::new(device, true)?;
    let mut step = CapturedStep::new(device, |batch| network.step(batch));
    let mut losses = |epoch| -> Fallible<Vec<f64>> {
        let mut losses = Vec::new();
        for batch in DeviceLoader::new(epoch, device) {
            let batch = batch?;
            losses.push(f64::try_from(step.run(&batch)?)?);
            if batch.step() == 5 {
                checkpoint.save(&network.store, &network.optimizer, &batch.state())?;
            }
        }
        Ok(losses)
    };
    let unbroken = losses(loader.epoch(0))?;
    let state = checkpoint.load(&network.store, &network.optimizer)?.ok_or("it was saved")?;
    assert_eq!(losses(loader.resume(&state)?)?, unbroken[6..]);
    assert_eq!(step.recorded(), 1);
    Ok(())
}

#[test]
fn a_step_may_be_dropped_before_its_replays_are_done() -> Fallible<()> {
    let Some(gpu) = Gpu::alone() else { return Ok(()) };
    let (loader, device) = (loader()?, gpu.device(0));
    let double = |batch: &TensorBatch| Ok(batch.get("x")?.f_mul_scalar(2)?);
    let expected = DeviceLoader::new(loader.epoch(0), Device::Cpu).map(|batch| double(&batch?));
    let expected = expected.collect::<Result<Vec<Tensor>, Error>>()?;
    let mut batches = DeviceLoader::new(loader.epoch(0), device).zip(&expected);
    let mut step = CapturedStep::new(device, double);
    for (batch, _) in batches.by_ref().take(WARM_UP + 2) {
        step.run(&batch?)?;
    }
    gpu.settle();
    let held = gpu.hold(device, Streams::Default);
    let (batch, expected) = batches.next().ok_or("a batch")?;
    let doubled = step.run(&batch?)?;
    let mut kept = doubled.f_empty_like()?;
    kept.copy_(doubled);
    drop(step);
    // These take the memory that is free now.
    let _others = (0..8).map(|_| kept.f_ones_like()).collect::<Result<Vec<_>, _>>()?;
    gpu.settle();
    drop(held);
    assert!(kept.to_device(Device::Cpu).equal(expected));
    Ok(())
}

#[test]
fn graphs_of_a_step_share_memory() -> Fallible<()> {
    let Some(gpu) = Gpu::alone() else { return Ok(()) };
    let (loader, device) = (of_shapes()?, gpu.device(0));
    let reserved = |most: usize| -> Fallible<u64> {
        let before = gpu.reserved();
        let network = Network::new(device, false)?;
        let step = || CapturedStep::new(device, |batch| network.step(batch)).shapes(most);
        let mut steps: Vec<_> = (0..2 / most).map(|_| step()).collect();
        let mut shapes = Vec::new();
        for batch in DeviceLoader::new(loader.epoch(0).chain(loader.epoch(1)), device) {
            let batch = batch?;
            if !shapes.contains(&batch.shape()) {
                shapes.push(batch.shape());
            }
            match shapes.iter().position(|of| *of == batch.shape()) {
                Some(position) if position < 2 => steps[position / most].run(&batch)?,
                _ => continue,
            };
        }
        assert_eq!(steps.iter().map(CapturedStep::recorded).sum::<usize>(), 2);
        Ok(gpu.reserved() - before)
    };
    let [apart, together] = [reserved(1)?, reserved(2)?];
    assert!(together > 0 && together < apart, "{together} bytes together, {apart} apart");
    Ok(())
}
