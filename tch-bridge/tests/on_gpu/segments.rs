//! Segment operations: the same sums in every run, the same results as on the CPU, also in captured steps.

use super::capture::recorded;
use super::losses::ahead;
use crate::{Gpu, Outcome};
use graphpack_tch::{CapturedStep, Error, Segments, TensorBatch};
use tch::{Device, Kind, TchError, Tensor};

/// The largest relative difference of sums that are added in another order.
const TOLERANCE: f64 = 1e-5;

/// Values `[100,000, 3]` and the segment of each row, of 1,000; the same on every device.
fn rows(device: Device) -> Outcome<(Tensor, Tensor)> {
    let numbers = Tensor::f_arange(300_000, (Kind::Int64, Device::Cpu))?;
    let values = (&numbers * 2_654_435_761_i64).f_remainder(1009)?.f_to_kind(Kind::Float)?.f_div_scalar(1009.0)?;
    let index = (numbers.f_narrow(0, 0, 100_000)? * 40_503).f_remainder(1000)?;
    Ok((values.f_view([100_000, 3])?.f_to_device(device)?, index.f_to_device(device)?))
}

/// Every run gives the same bits. Also prints whether they are those of the CPU.
#[test]
#[ignore = "needs a GPU"]
fn deterministic_sums_are_the_same_in_every_run() -> Outcome {
    let gpu = Gpu::alone()?;
    let device = gpu.device;
    let sums = |device| -> Outcome<[Tensor; 2]> {
        let (values, index) = rows(device)?;
        let ptr = Tensor::f_arange_start_step(0, 100_001, 100, (Kind::Int64, device))?;
        let by_index = Segments::by_index(&index, 1000)?.deterministic().sum(&values)?;
        Ok([
            by_index.f_to_device(Device::Cpu)?,
            Segments::by_ptr(&ptr, 100_000)?.sum(&values)?.f_to_device(Device::Cpu)?,
        ])
    };
    let first = sums(device)?;
    for run in 1..20 {
        if sums(device)? != first {
            return Err(format!("run {run} gives other sums").into());
        }
    }
    let there = sums(Device::Cpu)?;
    let [by_index, by_ptr] = [first[0] == there[0], first[1] == there[1]];
    println!("the bits of the CPU: by index {by_index}, by ptr {by_ptr}");
    Ok(())
}

#[test]
#[ignore = "needs a GPU"]
fn segments_are_as_on_the_cpu() -> Outcome {
    let gpu = Gpu::alone()?;
    let device = gpu.device;
    let all = |device| -> Outcome<[Tensor; 4]> {
        let (values, index) = rows(device)?;
        let segments = Segments::by_index(&index, 1000)?.masked(&index.f_remainder(7)?.f_ne(0)?);
        let results =
            [segments.sum(&values)?, segments.mean(&values)?, segments.max(&values)?, segments.softmax(&values)?];
        let mut there = Vec::new();
        for result in results {
            there.push(result.f_to_device(Device::Cpu)?);
        }
        there.try_into().map_err(|_| "four results".into())
    };
    let mut worst = 0.0_f64;
    for (found, expected) in all(device)?.iter().zip(&all(Device::Cpu)?) {
        let difference = (found - expected).abs() / expected.abs().clamp_min(1e-3);
        worst = worst.max(f64::try_from(difference.f_max()?)?);
    }
    println!("worst relative difference {worst:.1e}");
    if worst <= TOLERANCE { Ok(()) } else { Err(format!("differ by {worst:.1e}").into()) }
}

/// For all operations over the nodes of each graph (by `ptr`, by index, and deterministic), a loss and its gradient.
fn losses_and_gradients(batch: &TensorBatch, weights: &Tensor) -> Result<Tensor, Error> {
    let graphs = batch.shape().graphs() as i64;
    // Computed for each operation, since every backward pass frees what it used.
    let values = || -> Result<Tensor, Error> { Ok(batch.get("x")?.f_to_kind(Kind::Float)?.f_mul(weights)?.f_sin()?) };
    type Operation = fn(&Segments, &Tensor) -> Result<Tensor, TchError>;
    let operations: [Operation; 4] = [Segments::sum, Segments::mean, Segments::max, Segments::softmax];
    let groups = [
        Segments::by_ptr(batch.ptr()?, batch.shape().nodes() as i64)?,
        Segments::by_index(batch.batch()?, graphs)?,
        Segments::by_index(batch.batch()?, graphs)?.deterministic(),
    ];
    let mut results = Vec::new();
    for segments in groups {
        let segments = segments.masked(batch.node_mask()?);
        for operation in operations {
            let loss = operation(&segments, &values()?)?.f_square()?.f_mean(Kind::Float)?;
            loss.f_backward()?;
            let mut gradient = weights.f_grad()?;
            results.push(Tensor::f_cat(&[loss.detach().f_view(1)?, gradient.f_mul_scalar(1.0)?], 0)?);
            let _ = gradient.f_zero_()?;
        }
    }
    Ok(Tensor::f_stack(&results, 0)?)
}

/// Losses and gradients of replays equal those on the CPU.
#[test]
#[ignore = "needs a GPU"]
fn segments_in_captured_steps_are_as_on_the_cpu() -> Outcome {
    let gpu = Gpu::alone()?;
    let (device, task) = (gpu.device, &gpu.tasks[0]);
    let weights = |device| -> Outcome<Tensor> {
        let weights = Tensor::f_arange(9, (Kind::Float, Device::Cpu))?.f_mul_scalar(0.1)?.f_add_scalar(0.3)?;
        Ok(weights.f_to_device(device)?.f_set_requires_grad(true)?)
    };
    let all = |device| -> Outcome<(usize, Vec<Tensor>)> {
        let weights = weights(device)?;
        let mut step = CapturedStep::new(device, |batch| losses_and_gradients(batch, &weights));
        let mut results = Vec::new();
        ahead(task, device, 8)(&mut |batch| {
            results.push(step.run(batch)?.f_mul_scalar(1.0)?);
            Ok(())
        })?;
        Ok((step.recorded(), results))
    };
    let ((steps, found), (_, expected)) = (all(device)?, all(Device::Cpu)?);
    recorded(device, steps, 1)?;
    let mut worst = 0.0_f64;
    for (found, expected) in found.iter().zip(&expected) {
        let found = found.f_to_device(Device::Cpu)?;
        // Relative to the largest number of a row: gradients may cancel.
        let largest = expected.abs().f_amax([1], true)?;
        let difference = (&found - expected).abs().f_div(&largest)?.f_max()?;
        worst = worst.max(f64::try_from(difference)?);
    }
    if expected.len() == 8 && worst <= 10.0 * TOLERANCE {
        println!("worst relative difference {worst:.1e}");
        Ok(())
    } else {
        Err(format!("{} steps differ by {worst:.1e}", expected.len()).into())
    }
}
