//! Where a call of libtorch fails, nothing is left half done: memory that a copy may still read is never used again, no
//! device stays switched, and graphs of an unknown libtorch are not recorded.

use graphpack_loader::{Batch, Loader, Options, molecules};
use graphpack_simulated_gpu::{Call, Gpu, Streams};
use graphpack_tch::{CapturedStep, DeviceLoader, Event, Pinned, Stream, TensorBatch};
use std::collections::HashSet;
use std::error::Error;
use std::sync::{Arc, Mutex};
use tch::{Device, Kind};

type Fallible = Result<(), Box<dyn Error>>;

/// This thread collates, and each batch takes the memory of the one before.
fn loader() -> Result<Loader, Box<dyn Error>> {
    Ok(Loader::new(molecules::generate(3, 200), Options::graphs(16).memory(Pinned).workers(0))?)
}

fn address(batch: &Batch) -> usize {
    batch.bytes().as_ptr() as usize
}

/// Where the batches of an epoch lie.
fn addresses(
    batches: impl Iterator<Item = Result<Batch, graphpack_loader::Error>>,
) -> Result<HashSet<usize>, graphpack_loader::Error> {
    batches.map(|batch| Ok(address(&batch?))).collect()
}

#[test]
fn memory_of_a_batch_whose_copy_may_never_end_is_not_used_again() -> Fallible {
    let Some(gpu) = Gpu::alone() else { return Ok(()) };
    let (loader, device) = (loader()?, gpu.device(0));
    for call in [Call::RecordEvent, Call::WaitForEvent] {
        let mut epoch = loader.epoch(0);
        // Without failures it is.
        let batch = epoch.next().ok_or("a batch")??;
        let before = address(&batch);
        drop(TensorBatch::new(batch, device)?);
        let batch = epoch.next().ok_or("a batch")??;
        assert_eq!(address(&batch), before);
        let held = gpu.hold(device, Streams::Default);
        let failing = gpu.fail(call);
        let copied = TensorBatch::new(batch, device).map(drop);
        drop(failing);
        match (call, copied) {
            (Call::WaitForEvent, copied) => copied?,
            (_, copied) => assert!(copied.is_err_and(|error| error.to_string().contains("a call fails"))),
        }
        let after = addresses(epoch)?;
        assert!(!after.is_empty() && !after.contains(&before), "{call:?}");
        drop(held);
    }
    Ok(())
}

#[test]
fn memory_of_a_batch_that_is_copied_ahead_is_not_used_again_either() -> Fallible {
    let Some(gpu) = Gpu::alone() else { return Ok(()) };
    let device = gpu.device(0);
    for call in [Call::RecordEvent, Call::QueryEvent] {
        let loader = loader()?;
        let read = Arc::new(Mutex::new(HashSet::new()));
        let batches = loader.epoch(0).inspect({
            let read = read.clone();
            move |batch| {
                if let (Ok(batch), Ok(mut read)) = (batch, read.lock()) {
                    read.insert(address(batch));
                }
            }
        });
        let held = gpu.hold(device, Streams::Copies);
        let failing = [call, Call::WaitForEvent].map(|call| gpu.fail(call));
        let mut batches = DeviceLoader::new(batches, device).ahead(1);
        let error = batches.next().ok_or("an error")?.map(drop).expect_err("a call fails").to_string();
        assert!(error.contains("a call fails"), "{error}");
        drop(batches);
        drop(failing);
        let after = addresses(loader.epoch(1))?;
        let read = read.lock().map_err(|_| "poisoned")?;
        assert!(!read.is_empty() && !after.is_empty() && after.is_disjoint(&read), "{call:?}");
        drop(held);
    }
    Ok(())
}

#[test]
fn no_device_stays_switched() -> Fallible {
    let Some(gpu) = Gpu::alone() else { return Ok(()) };
    let [here, there] = [gpu.device(0), gpu.device(1)];
    let stream = Stream::new(there)?;
    assert_eq!(gpu.current(), here);
    let failing = gpu.fail(Call::ExchangeStream);
    assert!(stream.enter().is_err());
    assert_eq!(gpu.current(), here, "a stream that was not entered");
    drop(failing);
    let guard = stream.enter()?;
    assert_eq!(gpu.current(), there);
    let failing = gpu.fail(Call::ExchangeStream);
    drop(guard);
    assert_eq!(gpu.current(), here, "a stream that was not left");
    drop(failing);
    let _failing = gpu.fail(Call::RecordEvent);
    assert!(Event::record(stream).is_err());
    assert_eq!(gpu.current(), here, "an event that was not recorded");
    Ok(())
}

#[test]
fn graphs_of_a_libtorch_that_is_not_known_are_not_recorded() -> Fallible {
    let Some(gpu) = Gpu::alone() else { return Ok(()) };
    let device = gpu.device(0);
    let mut batches = DeviceLoader::new(loader()?.epoch(0), device);
    let mut step = CapturedStep::new(device, |batch| Ok(batch.get("x")?.f_sum(Kind::Int64)?));
    for _ in 0..3 {
        step.run(&batches.next().ok_or("a batch")??)?;
    }
    for (version, more, expected) in [
        ((2, 12), 0, "whose graphs are known, found 2.12.0"),
        ((3, 0), 0, "found 3.0.0"),
        ((0, 0), 1, "expected that libtorch's constructor of CUDAGraph writes"),
        ((0, 0), -8, "expected that libtorch's constructor of CUDAGraph writes"),
        ((0, 0), 500, "expected that libtorch's constructor of CUDAGraph writes"),
    ] {
        let _other = gpu.libtorch(version, more);
        let error = step.run(&batches.next().ok_or("a batch")??).map(drop).expect_err("it is refused").to_string();
        assert!(error.contains("record or replay the step") && error.contains(expected), "{error}");
        assert_eq!(step.recorded(), 0);
    }
    // It was not begun, so that nothing is broken.
    step.run(&batches.next().ok_or("a batch")??)?;
    assert_eq!(step.recorded(), 1);
    Ok(())
}

#[test]
fn batches_of_another_device_are_refused_by_a_step() -> Fallible {
    let Some(gpu) = Gpu::alone() else { return Ok(()) };
    let loader = loader()?;
    let mut step = CapturedStep::new(gpu.device(0), |batch| Ok(batch.get("x")?.f_sum(Kind::Int64)?));
    for device in [gpu.device(1), Device::Cpu] {
        let batch = DeviceLoader::new(loader.epoch(0), device).nth(2).ok_or("a batch")??;
        let error = step.run(&batch).map(drop).expect_err("it is elsewhere").to_string();
        assert_eq!(error, format!("a captured step takes batches on Cuda(0): the batch of step 2 is on {device:?}"));
    }
    let batch = loader.epoch(0).next().ok_or("a batch")??;
    let error = TensorBatch::new(batch, Device::Cuda(256)).map(drop).expect_err("there are two").to_string();
    assert_eq!(error, "batches go to the CPU or to CUDA, not to Cuda(256)");
    Ok(())
}
