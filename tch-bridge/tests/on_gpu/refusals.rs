//! Steps that are refused or fail; everything else still works afterwards.

use super::capture::{first, of_two_shapes, recorded};
use crate::{Gpu, Outcome};
use example_models::Task;
use graphpack_loader::ErrorKind;
use graphpack_loader::extend::{file_error, panic_message};
use graphpack_tch::{CapturedStep, Error, TensorBatch};
use serde_json::{Value, json};
use std::env;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Command;
use tch::{Device, Kind, Tensor};

#[test]
#[ignore = "needs a GPU"]
fn a_batch_of_another_shape_is_refused_and_steps_of_the_first_go_on() -> Outcome {
    let gpu = Gpu::alone()?;
    gpu.check(|task| another_shape(task, gpu.device))
}

fn another_shape(task: &Task, device: Device) -> Outcome<Value> {
    let [these, others] = of_two_shapes(task, device)?;
    let mut training = task.training(device, 0.0, 1, None)?;
    let mut step = CapturedStep::new(device, move |batch| training.step(batch));
    for batch in these.iter().cycle().take(6) {
        step.run(batch)?;
    }
    let shapes = (these[0].shape(), others[0].shape());
    let expected = format!("has {}, expected {} as in the first", shapes.1, shapes.0);
    let of_shapes = |error: &Error| error.kind() == ErrorKind::Data && error.to_string().contains(&expected);
    let message = match step.run(&others[0]) {
        Err(error) if of_shapes(&error) => error.to_string(),
        Err(error) => return Err(format!("refused for another reason: {error}").into()),
        Ok(_) => return Err(format!("{} was not refused", others[0].shape()).into()),
    };
    let loss = f64::try_from(step.run(&these[0])?)?;
    recorded(device, step.recorded(), 1)?;
    if loss.is_finite() { Ok(json!(message)) } else { Err(format!("the loss afterwards is {loss}").into()) }
}

/// In a process of its own, since that cannot record any more afterwards.
#[test]
#[ignore = "needs a GPU"]
fn steps_that_cannot_be_recorded_fail_and_everything_else_goes_on() -> Outcome {
    const FAILING: &str = "GRAPHPACK_FAILING_STEPS";
    if env::var_os(FAILING).is_some() {
        return failing_steps();
    }
    let name = "refusals::steps_that_cannot_be_recorded_fail_and_everything_else_goes_on";
    let mut command = Command::new(env::current_exe()?);
    let output = command.args(["--exact", name, "--ignored", "--nocapture"]).env(FAILING, "1").output()?;
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    println!("{text}");
    if output.status.success() && text.contains("1 passed") { Ok(()) } else { Err(output.status.to_string().into()) }
}

type Step = Box<dyn FnMut(&TensorBatch) -> Result<Tensor, Error>>;

/// A step that also runs `fault` when it is recorded, in its fourth call.
fn with_fault(
    task: &Task,
    device: Device,
    mut fault: impl FnMut(&Tensor) -> Result<(), Error> + 'static,
) -> Outcome<CapturedStep<Step, Tensor>> {
    let mut training = task.training(device, 0.1, 1, None)?;
    let mut runs = 0;
    let step: Step = Box::new(move |batch| {
        let loss = training.step(batch)?;
        runs += 1;
        if runs == 4 {
            fault(&loss)?;
        }
        Ok(loss)
    });
    Ok(CapturedStep::new(device, step))
}

/// Runs four steps; returns the error of the fourth.
fn fourth(step: &mut CapturedStep<Step, Tensor>, batch: &TensorBatch) -> Outcome<String> {
    for _ in 0..3 {
        step.run(batch)?;
    }
    match catch_unwind(AssertUnwindSafe(|| step.run(batch).map(drop))) {
        Ok(Ok(())) => Err("the fourth step did not fail".into()),
        Ok(Err(error)) => Ok(error.to_string()),
        Err(panic) => Ok(panic_message(&*panic)),
    }
}

fn contains(message: String, expected: &str) -> Outcome<String> {
    if message.contains(expected) { Ok(message) } else { Err(format!("{message:?} is not {expected:?}").into()) }
}

fn failing_steps() -> Outcome {
    let gpu = Gpu::alone()?;
    let (device, task) = (gpu.device, &gpu.tasks[0]);
    let batch = first(task, device)?;
    let missing = || file_error("asked for")(std::io::ErrorKind::NotFound.into());

    // A failure of the closure leaves the device as it was.
    let mut step = with_fault(task, device, move |_| Err(missing().into()))?;
    let of_error = contains(fourth(&mut step, &batch)?, &missing().to_string())?;
    step.run(&batch)?;
    recorded(device, step.recorded(), 1)?;
    let mut step = with_fault(task, device, |_| panic!("as asked for"))?;
    let of_panic = contains(fourth(&mut step, &batch)?, "as asked for")?;
    step.run(&batch)?;
    recorded(device, step.recorded(), 1)?;

    // Recorded work has no value to ask for; on a CPU there is one.
    let mut step = with_fault(task, device, |loss| Ok(f64::try_from(loss).map(drop)?))?;
    let mut of_value = "on a CPU there is one".to_owned();
    if device.is_cuda() {
        let refused = "no step can be recorded in this process any more";
        of_value = contains(fourth(&mut step, &batch)?, refused)?;
        let mut other = with_fault(task, device, |_| Ok(()))?;
        contains(fourth(&mut other, &batch)?, refused)?;
    }
    // Work that is not recorded goes on as before.
    let kept = Tensor::f_ones([100_000], (Kind::Float, device))?.f_dropout(0.5, true)?.f_gt(0.0)?;
    let kept = f64::try_from(kept.f_mean(Kind::Double)?)?;
    let mut training = task.training(device, 0.1, 1, None)?;
    let loss = f64::try_from(training.step(&batch)?)?;
    if !(0.49..0.51).contains(&kept) || !loss.is_finite() {
        return Err(format!("afterwards dropout keeps {kept} and the loss is {loss}").into());
    }
    println!("error: {of_error}\npanic: {of_panic}\nvalue: {of_value}\ndropout keeps {kept}");
    Ok(())
}
