//! Losses step by step: on the device against the CPU, and how much rounding alone changes them.

use crate::{Gpu, Outcome};
use example_models::{Moved, Task};
use graphpack_tch::TensorBatch;
use serde_json::{Value, json};
use tch::{Device, Kind, Tensor};

/// Graphs per batch.
pub(super) const BATCH_GRAPHS: u32 = 64;
/// The largest relative difference of two losses, unless rounding alone makes a larger one.
const TOLERANCE: f64 = 1e-3;
/// Differences may be this many times as large as those that rounding makes.
const FACTOR: f64 = 10.0;

/// How far weights are moved to see what rounding does: by what one addition in float32 loses.
pub(super) const SAME_DEVICE: &[Moved] = &[Moved { share: 1e-7, seed: 1 }];
/// Another device adds in another order, which loses about as much as ten additions. Several draws, since one may be
/// lucky.
const OTHER_DEVICE: &[Moved] =
    &[Moved { share: 1e-6, seed: 1 }, Moved { share: 1e-6, seed: 2 }, Moved { share: 1e-6, seed: 3 }];

/// Gives batches to a step, one after the other.
pub(super) type Feed<'a> = dyn Fn(&mut dyn FnMut(&TensorBatch) -> Outcome) -> Outcome + 'a;

/// The first batches, copied ahead.
pub(super) fn ahead(task: &Task, device: Device, steps: usize) -> Box<Feed<'_>> {
    Box::new(move |step| {
        let loader = task.loader(BATCH_GRAPHS, device, 1)?;
        for batch in (0..).flat_map(|epoch| task.batches(&loader, epoch, device)).take(steps) {
            step(&batch?)?;
        }
        Ok(())
    })
}

/// The first batches, copied when they are asked for, in their narrow types.
fn copied_in_line(task: &Task, device: Device, steps: usize) -> Box<Feed<'_>> {
    Box::new(move |step| {
        let loader = task.loader(BATCH_GRAPHS, device, 1)?;
        for batch in (0..).flat_map(|epoch| loader.epoch(epoch)).take(steps) {
            step(&TensorBatch::new(batch?, device)?)?;
        }
        Ok(())
    })
}

/// The losses that a step returns. No value is asked for before the last step, so that only events keep the streams in
/// order.
pub(super) fn curve(feed: &Feed<'_>, mut step: impl FnMut(&TensorBatch) -> Outcome<Tensor>) -> Outcome<Vec<f64>> {
    let mut losses = Vec::new();
    feed(&mut |batch| {
        // A copy: the next replay writes over the loss.
        losses.push(step(batch)?.f_mul_scalar(1.0)?);
        Ok(())
    })?;
    Ok(Vec::try_from(Tensor::f_stack(&losses, 0)?.f_to_kind(Kind::Double)?)?)
}

/// Losses of steps that are not captured.
fn uncaptured(task: &Task, device: Device, feed: &Feed<'_>, moved: Option<Moved>) -> Outcome<Vec<f64>> {
    // No dropout: it draws other numbers on another device.
    let mut training = task.training(device, 0.0, 1, moved)?;
    curve(feed, |batch| Ok(training.step(batch)?))
}

/// The relative differences of two curves of losses, step by step.
fn differences(found: &[f64], expected: &[f64]) -> Outcome<Vec<f64>> {
    if found.len() != expected.len() || found.iter().any(|loss| !loss.is_finite()) {
        return Err(format!("not {} numbers: {found:?}", expected.len()).into());
    }
    let relative = |(found, expected): (&f64, &f64)| (found - expected).abs() / expected.abs().max(1e-12);
    Ok(found.iter().zip(expected).map(relative).collect())
}

/// Compares curves of losses with that of uncaptured steps. Larger differences than [`TOLERANCE`] are compared with
/// those that rounding has made by the same step.
pub(super) fn compare(
    task: &Task,
    device: Device,
    feed: &Feed<'_>,
    found: &[Vec<f64>],
    moved: &[Moved],
) -> Outcome<Value> {
    let expected = uncaptured(task, device, feed, None)?;
    let mut worst = vec![0.0_f64; expected.len()];
    for found in found {
        largest(&mut worst, differences(found, &expected)?);
    }
    let most = |differences: &[f64]| differences.iter().copied().fold(0.0, f64::max);
    let mut result = json!({
        "steps": expected.len(),
        "worst_relative_difference": most(&worst),
        "loss_fell": expected.last() < expected.first(),
    });
    if most(&worst) <= TOLERANCE {
        return Ok(result);
    }
    let mut rounding = vec![0.0_f64; expected.len()];
    for &moved in moved {
        largest(&mut rounding, differences(&uncaptured(task, device, feed, Some(moved))?, &expected)?);
    }
    for step in 1..rounding.len() {
        rounding[step] = rounding[step].max(rounding[step - 1]);
    }
    let allowed = |step: usize| TOLERANCE.max(FACTOR * rounding[step]);
    if let Some(step) = (0..worst.len()).find(|&step| worst[step] > allowed(step)) {
        let list = |numbers: &[f64]| numbers.iter().map(|n| format!("{n:.0e}")).collect::<Vec<_>>().join(" ");
        return Err(format!(
            "the loss of step {step} differs by {:.1e} of its value, {:.1e} is allowed; \
             all differences: {}; those of rounding: {}",
            worst[step],
            allowed(step),
            list(&worst),
            list(&rounding)
        )
        .into());
    }
    result["of_rounding"] = json!(most(&rounding));
    Ok(result)
}

/// Raises each step's largest difference so far.
fn largest(so_far: &mut [f64], differences: Vec<f64>) {
    so_far.iter_mut().zip(differences).for_each(|(most, difference)| *most = most.max(difference));
}

#[test]
#[ignore = "needs a GPU"]
fn losses_are_those_of_the_cpu() -> Outcome {
    let gpu = Gpu::alone()?;
    let (device, steps) = (gpu.device, gpu.steps());
    gpu.check(|task| {
        let found = uncaptured(task, device, &ahead(task, device, steps), None)?;
        compare(task, Device::Cpu, &ahead(task, Device::Cpu, steps), &[found], OTHER_DEVICE)
    })
}

/// Batches from `TensorBatch::new` keep their narrow types; those that are copied ahead are cast.
#[test]
#[ignore = "needs a GPU"]
fn batches_that_are_copied_in_line_give_the_same_losses() -> Outcome {
    let gpu = Gpu::alone()?;
    let (device, steps) = (gpu.device, gpu.steps());
    gpu.check(|task| {
        let found = uncaptured(task, device, &copied_in_line(task, device, steps), None)?;
        compare(task, device, &ahead(task, device, steps), &[found], SAME_DEVICE)
    })
}
