//! Steps that cannot be recorded are refused as on a GPU, and nothing is recorded afterwards. Each runs in a process of
//! its own, since that process can record no more.

use graphpack_loader::{ErrorKind, Loader, Options, molecules};
use graphpack_simulated_gpu::{Gpu, Streams};
use graphpack_tch::{CapturedStep, DeviceLoader, Error, Event, Stream, TensorBatch};
use std::env;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::process::Command;
use std::time::Duration;
use tch::{Device, Kind, Tensor};

type Fallible<T> = Result<T, Box<dyn std::error::Error>>;
type Step = fn(&TensorBatch) -> Result<Tensor, Error>;

fn sum(batch: &TensorBatch) -> Result<Tensor, Error> {
    Ok(batch.get("x")?.f_sum(Kind::Float)?)
}

/// The name of what a step asks for, the step, and a part of the message.
const REFUSED: [(&str, Step, &str); 10] = [
    ("a value", |batch| Ok(sum(batch)?.f_add_scalar(f64::try_from(sum(batch)?)?)?), "a copy that waits"),
    ("a value of the device", |batch| Ok(sum(batch)?.f_add_scalar(sum(batch)?.f_double_value(&[])?)?), "_local_scalar"),
    ("a value, whatever becomes of it", |batch| sum(batch).inspect(|sum| drop(f64::try_from(sum))), "a previous error"),
    ("a copy to the host", |batch| Ok(sum(batch)?.f_to_device(Device::Cpu)?), "a copy that waits"),
    (
        "a copy from the host",
        |batch| Ok(sum(batch)?.f_add(&host().f_to_device(batch.graph_mask().device())?)?),
        "a copy",
    ),
    ("rows that are not zero", |batch| Ok(batch.get("x")?.f_nonzero()?), "nonzero"),
    ("rows of a mask", |batch| Ok(batch.get("x")?.f_index(&[Some(batch.node_mask()?)])?), "nonzero"),
    ("an end of the stream", |batch| waited(batch, |stream, _| stream.synchronize()), "waiting for its work"),
    ("an event of the recording", |batch| waited(batch, |stream, _| Event::record(stream)?.synchronize()), "an event"),
    ("an event of another stream", |batch| waited(batch, |_, other| other.query().map(|_| ())), "an event"),
];

fn host() -> Tensor {
    Tensor::ones([1], (Kind::Float, Device::Cpu))
}

fn waited(batch: &TensorBatch, wait: fn(Stream, &Event) -> Result<(), Error>) -> Result<Tensor, Error> {
    let device = batch.graph_mask().device();
    let other = Event::record(Stream::new(device)?)?;
    wait(Stream::current(device)?, &other)?;
    sum(batch)
}

#[test]
#[ignore = "run by the test below"]
fn refuse() -> Fallible<()> {
    let Some(gpu) = Gpu::alone() else { return Ok(()) };
    let name = env::var("REFUSED")?;
    let (_, refused, message) = REFUSED.into_iter().find(|(of, ..)| *of == name).ok_or("a name from above")?;
    let device = gpu.device(0);
    let loader = Loader::new(molecules::generate(3, 200), Options::graphs(16))?;
    let mut recorded = CapturedStep::new(device, sum);
    let mut step = CapturedStep::new(device, refused);
    let mut other = CapturedStep::new(device, sum);
    for (number, batch) in DeviceLoader::new(loader.epoch(0), device).enumerate() {
        let batch = batch?;
        // A step that was recorded before goes on.
        assert_eq!(f64::try_from(recorded.run(&batch)?)?, f64::try_from(sum(&batch)?)?);
        let found = step.run(&batch).map(|_| ()).map_err(|error| error.to_string());
        match (number, found) {
            (0..=2, found) => found?,
            (_, found) => {
                let text = found.err().ok_or("it is refused")?;
                assert!(text.contains("no step can be recorded in this process any more"), "{text}");
                assert!(text.contains(message) && text.contains("captur"), "{text}");
            }
        }
        // So does a step that is not recorded, until it would be.
        if number > 3 {
            let found = other.run(&batch).map(|_| ()).map_err(|error| error.to_string());
            match (number, found) {
                (4..=6, found) => found?,
                (_, found) => assert!(found.is_err_and(|text| text.contains(message))),
            }
        }
    }
    assert_eq!([recorded.recorded(), step.recorded(), other.recorded()], [1, 0, 0]);
    println!("refused {name}");
    Ok(())
}

#[test]
fn what_needs_a_value_is_refused_and_so_is_every_recording_after_that() -> Fallible<()> {
    let Some(_gpu) = Gpu::alone() else { return Ok(()) };
    for (name, ..) in REFUSED {
        let mut command = Command::new(env::current_exe()?);
        command.args(["--exact", "refusals::refuse", "--ignored", "--nocapture"]).env("REFUSED", name);
        let output = command.output()?;
        let text = String::from_utf8(output.stdout)? + &String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && text.contains(&format!("refused {name}")), "{text}");
    }
    Ok(())
}

#[test]
fn after_the_closure_fails_the_next_batch_is_recorded() -> Fallible<()> {
    let Some(gpu) = Gpu::alone() else { return Ok(()) };
    let device = gpu.device(0);
    let loader = Loader::new(molecules::generate(3, 200), Options::graphs(16))?;
    let reserved = gpu.reserved();
    let mut calls = 0;
    let total = Tensor::zeros([], (Kind::Float, device));
    let mut so_far = total.shallow_clone();
    let mut step = CapturedStep::new(device, |batch| {
        calls += 1;
        let sum = sum(batch)?;
        let _ = so_far.f_add_(&sum)?;
        match calls {
            4 => Err(batch.get("nothing").expect_err("there is no such array")),
            // `panic!` prints, which would give all streams time to finish.
            2 | 5 => resume_unwind(Box::new("so it is")),
            _ => Ok(sum),
        }
    });
    let (mut steps, mut expected) = (0, 0.0);
    let _slow = gpu.slow(device, Streams::Pool, Duration::from_millis(3));
    for (number, batch) in DeviceLoader::new(loader.epoch(0), device).enumerate() {
        let batch = batch?;
        match (number, catch_unwind(AssertUnwindSafe(|| Ok::<_, Error>(step.run(&batch)?.shallow_clone())))) {
            (3, Ok(Err(error))) => assert_eq!(error.kind(), ErrorKind::Missing),
            (1 | 4, Err(panic)) => assert_eq!(panic.downcast_ref(), Some(&"so it is")),
            (1 | 3 | 4, _) => return Err("the closure fails".into()),
            (_, Err(panic)) => resume_unwind(panic),
            (_, Ok(found)) => assert_eq!(f64::try_from(found?)?, f64::try_from(sum(&batch)?)?),
        }
        // Work that was given before a panic is done; recorded work is not.
        if !matches!(number, 3 | 4) {
            expected += f64::try_from(sum(&batch)?)?;
        }
        assert_eq!(f64::try_from(&total)?, expected);
        assert_eq!((step.recorded(), gpu.reserved() > reserved), (usize::from(number > 4), number > 4));
        steps += 1;
    }
    assert!(steps > 7);
    Ok(())
}
