//! Captured steps: the same losses as uncaptured ones, for one shape and for two, with new dropout in every replay,
//! with new learning rates, and while other threads pin memory.

use super::losses::{BATCH_GRAPHS, Feed, SAME_DEVICE, ahead, compare, curve};
use crate::{Gpu, Outcome};
use example_models::Task;
use graphpack_loader::{Capacity, Grouping, Loader, Shape, Shapes};
use graphpack_tch::{CapturedStep, TensorBatch};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use tch::{Device, Tensor};

/// Number of steps in which some are certainly replayed: three run unrecorded, one is recorded, and some more.
const REPLAYED: usize = 8;

/// Losses of a captured step with a graph for each of `shapes` shapes.
fn captured(task: &Task, device: Device, feed: &Feed<'_>, shapes: usize) -> Outcome<Vec<f64>> {
    let mut training = task.training(device, 0.0, 1, None)?;
    let mut step = CapturedStep::new(device, move |batch| training.step(batch)).shapes(shapes);
    let found = curve(feed, |batch| Ok(step.run(batch)?.shallow_clone()))?;
    recorded(device, step.recorded(), shapes)?;
    Ok(found)
}

/// An error unless `expected` shapes were recorded; on a CPU none is.
pub(super) fn recorded(device: Device, found: usize, expected: usize) -> Outcome {
    let expected = if device.is_cuda() { expected } else { 0 };
    if found == expected { Ok(()) } else { Err(format!("{found} steps were recorded, expected {expected}").into()) }
}

#[test]
#[ignore = "needs a GPU"]
fn captured_steps_have_the_losses_of_others() -> Outcome {
    let gpu = Gpu::alone()?;
    let device = gpu.device;
    gpu.check(|task| {
        let feed = ahead(task, device, gpu.steps());
        compare(task, device, &feed, &[captured(task, device, &feed, 1)?], SAME_DEVICE)
    })
}

/// Batches of the two most frequent shapes, padded to powers of two.
pub(super) fn of_two_shapes(task: &Task, device: Device) -> Outcome<[Vec<TensorBatch>; 2]> {
    let options = task.options(16, device, 1).capacity(Capacity::exactly(16));
    let options = options.grouping(Grouping::InOrder).shapes(Shapes::PowerOfTwo);
    let loader = Loader::new(task.data().clone(), options)?;
    let mut groups: Vec<(Shape, Vec<TensorBatch>)> = Vec::new();
    for batch in task.batches(&loader, 0, device).take(200) {
        let batch = batch?;
        match groups.iter_mut().find(|(shape, _)| *shape == batch.shape()) {
            Some((_, group)) => group.push(batch),
            None => groups.push((batch.shape(), vec![batch])),
        }
    }
    groups.sort_by_key(|(_, group)| std::cmp::Reverse(group.len()));
    let mut groups = groups.into_iter().map(|(_, group)| group);
    match (groups.next(), groups.next()) {
        (Some(first), Some(second)) => Ok([first, second]),
        _ => Err("all batches have one shape".into()),
    }
}

/// The graphs of both shapes share memory.
#[test]
#[ignore = "needs a GPU"]
fn steps_of_two_shapes_in_turn_have_the_losses_of_others() -> Outcome {
    let gpu = Gpu::alone()?;
    let (device, steps) = (gpu.device, gpu.steps());
    gpu.check(|task| {
        let batches = of_two_shapes(task, device)?;
        let feed = move |step: &mut dyn FnMut(&TensorBatch) -> Outcome| -> Outcome {
            for number in 0..steps.max(2 * REPLAYED) {
                let group = &batches[number % 2];
                step(&group[number / 2 % group.len()])?;
            }
            Ok(())
        };
        compare(task, device, &feed, &[captured(task, device, &feed, 2)?], SAME_DEVICE)
    })
}

/// The same batch again and again.
fn one_batch(task: &Task, device: Device) -> Outcome<Box<Feed<'static>>> {
    let batch = first(task, device)?;
    Ok(Box::new(move |step| (0..REPLAYED).try_for_each(|_| step(&batch))))
}

pub(super) fn first(task: &Task, device: Device) -> Outcome<TensorBatch> {
    let loader = task.loader(BATCH_GRAPHS, device, 0)?;
    Ok(task.batches(&loader, 0, device).next().ok_or("there are no batches")??)
}

/// With learning rate 0, losses of one batch differ by dropout alone, and they differ in every replay.
#[test]
#[ignore = "needs a GPU"]
fn dropout_differs_between_replays() -> Outcome {
    let gpu = Gpu::alone()?;
    let (device, task) = (gpu.device, &gpu.tasks[0]);
    let feed = one_batch(task, device)?;
    let replays = |dropout: f64| -> Outcome<Vec<f64>> {
        let mut training = task.training(device, dropout, 1, None)?;
        training.set_learning_rate(0.0)?;
        let mut step = CapturedStep::new(device, move |batch| training.step(batch));
        let losses = curve(&feed, |batch| Ok(step.run(batch)?.shallow_clone()))?;
        recorded(device, step.recorded(), 1)?;
        Ok(losses[REPLAYED - 4..].to_vec())
    };
    let spread = |losses: &[f64]| {
        let (least, most) = losses.iter().fold((f64::MAX, f64::MIN), |(a, b), &loss| (a.min(loss), b.max(loss)));
        (most - least) / most.abs()
    };
    let (with, without) = (replays(0.5)?, replays(0.0)?);
    let same = (1..with.len()).any(|k| with[..k].contains(&with[k]));
    // Without dropout they are nearly equal: the order of additions changes from run to run.
    let finite = with.iter().chain(&without).all(|loss| loss.is_finite());
    if !finite || same || spread(&with) < 1e-3 || spread(&without) > 1e-4 {
        return Err(format!("losses of one batch are {with:?} with dropout and {without:?} without").into());
    }
    println!("spread {}, without dropout {}", spread(&with), spread(&without));
    Ok(())
}

/// With a learning rate of 0 no bit of a parameter changes.
#[test]
#[ignore = "needs a GPU"]
fn a_learning_rate_that_is_set_after_the_recording_holds_for_replays() -> Outcome {
    let gpu = Gpu::alone()?;
    gpu.check(|task| learning_rate(task, gpu.device))
}

fn learning_rate(task: &Task, device: Device) -> Outcome<Value> {
    let feed = one_batch(task, device)?;
    let training = RefCell::new(task.training(device, 0.0, 1, None)?);
    let mut step = CapturedStep::new(device, |batch| training.borrow_mut().step(batch));
    let copies = || -> Outcome<Vec<Tensor>> {
        Ok(training
            .borrow()
            .parameters()
            .iter()
            .map(|parameter| parameter.detach().f_mul_scalar(1.0))
            .collect::<Result<_, _>>()?)
    };
    let mut changed = Vec::new();
    // The first round records; both others only replay.
    for rate in [1e-3, 1e-3, 0.0] {
        training.borrow_mut().set_learning_rate(rate)?;
        let before = copies()?;
        curve(&feed, |batch| Ok(step.run(batch)?.shallow_clone()))?;
        changed.push(before.iter().zip(&copies()?).filter(|(before, after)| before != after).count());
    }
    recorded(device, step.recorded(), 1)?;
    if changed[1] > 0 && changed[2] == 0 {
        Ok(json!({ "changed": changed }))
    } else {
        Err(format!("{changed:?} parameters changed, expected some, some and none").into())
    }
}

/// Tells a thread to stop when this one returns, for whatever reason.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Steps are recorded over and over while another thread makes loaders with more and more pinned memory.
#[test]
#[ignore = "needs a GPU"]
fn steps_are_recorded_while_others_pin_memory() -> Outcome {
    let gpu = Gpu::alone()?;
    let (device, quick, task) = (gpu.device, gpu.quick, &gpu.tasks[0]);
    let rounds = if quick { 2 } else { 10 };
    let feed = ahead(task, device, REPLAYED);
    let stop = AtomicBool::new(false);
    let pin = || -> Result<usize, String> {
        let (mut loaders, mut graphs) = (0, 32);
        loop {
            let loader = task.loader(graphs, device, 1).map_err(|error| error.to_string())?;
            for batch in loader.epoch(0).take(2) {
                batch.map_err(|error| error.to_string())?;
            }
            loaders += 1;
            if stop.load(Ordering::Relaxed) {
                return Ok(loaders);
            }
            graphs = if graphs > 2048 { 32 } else { graphs + graphs / 2 };
        }
    };
    thread::scope(|scope| {
        let other = scope.spawn(pin);
        let found = {
            let _stop = Stop(&stop);
            (0..rounds).map(|_| captured(task, device, &feed, 1)).collect::<Outcome<Vec<_>>>()?
        };
        let loaders = other.join().map_err(|_| "the thread that makes loaders panicked")??;
        let losses = compare(task, device, &feed, &found, SAME_DEVICE)?;
        println!("{rounds} rounds, {loaders} loaders, {losses}");
        Ok(())
    })
}
