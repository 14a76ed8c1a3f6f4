//! Work that is not done yet keeps its memory, however the device loader ends and whichever stream works on the
//! batches.

use graphpack_loader::extend::file_error;
use graphpack_loader::{Batch, Loader, Options, Order, molecules};
use graphpack_simulated_gpu::{Gpu, Later, Streams};
use graphpack_tch::{CapturedStep, DeviceLoader, Error, Event, Pinned, Stream, TensorBatch};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;
use tch::Device;

type Fallible = Result<(), Box<dyn std::error::Error>>;

fn loader() -> Result<Loader, Box<dyn std::error::Error>> {
    Ok(Loader::new(molecules::generate(3, 200), Options::graphs(16).order(Order::Shuffled).seed(1).memory(Pinned))?)
}

fn expected(loader: &Loader, epoch: u64) -> Result<Vec<TensorBatch>, Error> {
    DeviceLoader::new(loader.epoch(epoch), Device::Cpu).collect()
}

#[test]
fn batches_and_views_of_them_outlive_the_loader() -> Fallible {
    let Some(gpu) = Gpu::alone() else { return Ok(()) };
    let (loader, device) = (loader()?, gpu.device(0));
    let expected = expected(&loader, 0)?;
    let mut batches = DeviceLoader::new(loader.epoch(0), device);
    let [first, second] = [batches.next().ok_or("a batch")??, batches.next().ok_or("a batch")??];
    gpu.settle();
    let held = gpu.hold(device, Streams::Default);
    let reads = [Later::read(&first)?, Later::read(&second)?];
    let view = second.get("x")?.narrow(0, 1, 3);
    drop(batches);
    // No loader takes the memory back: the allocator has it at once, and must not write to it before the reads.
    drop((first, second));
    gpu.settle();
    let mut of_view = view.f_empty_like()?;
    of_view.copy_(&view);
    drop(view);
    gpu.settle();
    drop(held);
    Later::check_all(&reads, &expected[..2]);
    assert!(of_view.to_device(Device::Cpu).equal(&expected[1].get("x")?.narrow(0, 1, 3)));
    Ok(())
}

#[test]
fn an_end_waits_for_copies_that_read_memory_of_the_loader() -> Fallible {
    let Some(gpu) = Gpu::alone() else { return Ok(()) };
    let (loader, device) = (loader()?, gpu.device(0));
    let [first, second] = [expected(&loader, 0)?, expected(&loader, 1)?];
    for taken in 1..=2 {
        let mut batches = DeviceLoader::new(loader.epoch(0), device);
        let held = gpu.hold(device, Streams::Copies);
        let mut reads = Vec::new();
        for _ in 0..taken {
            reads.push(Later::read(&batches.next().ok_or("a batch")??)?);
        }
        let released = Arc::new(AtomicBool::new(false));
        let release = thread::spawn({
            let released = released.clone();
            move || {
                thread::sleep(Duration::from_millis(20));
                released.store(true, Ordering::Relaxed);
                drop(held);
            }
        });
        drop(batches);
        assert!(released.load(Ordering::Relaxed), "the end came before the copies could");
        // These are collated in the memory of the batches before.
        let again = DeviceLoader::new(loader.epoch(1), Device::Cpu).collect::<Result<Vec<_>, _>>()?;
        assert!(again.len() == second.len() && again.len() > taken);
        for (batch, expected) in again.iter().zip(&second) {
            assert!(batch.get("x")?.equal(expected.get("x")?));
        }
        release.join().map_err(|_| "nothing panics")?;
        Later::check_all(&reads, &first[..taken]);
    }
    Ok(())
}

#[test]
fn errors_and_panics_arrive_after_the_batches_before_them() -> Fallible {
    let Some(gpu) = Gpu::alone() else { return Ok(()) };
    let (loader, device) = (loader()?, gpu.device(0));
    let expected = expected(&loader, 0)?;
    let _slow = gpu.slow(device, Streams::Copies, Duration::from_millis(1));
    let failures: [fn() -> Result<Batch, graphpack_loader::Error>; 2] =
        [|| Err(file_error("disk")(std::io::Error::other("the disk is gone"))), || panic!("out of graphs")];
    for (failure, text) in failures.into_iter().zip(["the disk is gone", "out of graphs"]) {
        let source = loader.epoch(0).take(3).chain(std::iter::once_with(failure)).chain(loader.epoch(1));
        let mut batches = DeviceLoader::new(source, device);
        let mut reads = Vec::new();
        for _ in 0..3 {
            reads.push(Later::read(&batches.next().ok_or("a batch")??)?);
        }
        let error = batches.next().ok_or("an error")?.err().ok_or("the fourth fails")?;
        assert!(error.to_string().contains(text), "{error}");
        assert!(batches.next().is_none() && batches.next().is_none());
        Later::check_all(&reads, &expected[..3]);
    }
    Ok(())
}

#[test]
fn a_batch_may_be_used_on_another_stream_that_is_ordered_by_events() -> Fallible {
    let Some(gpu) = Gpu::alone() else { return Ok(()) };
    let (loader, device) = (loader()?, gpu.device(0));
    let expected = expected(&loader, 0)?;
    let other = Stream::new(device)?;
    let mut reads = Vec::new();
    for batch in DeviceLoader::new(loader.epoch(0), device) {
        let batch = batch?;
        let held = gpu.hold(device, Streams::Pool);
        let current = Stream::current(device)?;
        Event::record(current)?.block(other)?;
        {
            let _guard = other.enter()?;
            reads.push(Later::read(&batch)?);
        }
        Event::record(other)?.block(current)?;
        drop(batch);
        gpu.settle();
        drop(held);
    }
    other.synchronize()?;
    Later::check_all(&reads, &expected);
    Ok(())
}

#[test]
fn steps_on_the_side_stream_take_turns_with_the_current_one() -> Fallible {
    let Some(gpu) = Gpu::alone() else { return Ok(()) };
    let (loader, device) = (loader()?, gpu.device(0));
    let expected = expected(&loader, 0)?;
    for held in [Streams::Copies, Streams::Pool] {
        let mut batches = DeviceLoader::new(loader.epoch(0), device);
        let mut reads = Vec::new();
        let held = gpu.hold(device, held);
        // Two batches: too few to record.
        let mut step = CapturedStep::new(device, |batch| {
            reads.push(Later::read(batch)?);
            Ok(())
        });
        for _ in 0..2 {
            step.run(&batches.next().ok_or("a batch")??)?;
        }
        // The next batches may be copied over these, but only after the steps.
        thread::sleep(Duration::from_millis(10));
        gpu.settle();
        drop(held);
        Later::check_all(&reads, &expected[..2]);
    }
    Ok(())
}

#[test]
fn a_batch_that_is_copied_in_line_keeps_its_memory_until_it_is_dropped() -> Fallible {
    let Some(gpu) = Gpu::alone() else { return Ok(()) };
    let (loader, device) = (loader()?, gpu.device(0));
    let expected = expected(&loader, 0)?;
    let mut reads = Vec::new();
    // This thread collates, and each batch takes the memory of the one before.
    for batch in loader.epoch(0) {
        let held = gpu.hold(device, Streams::Default);
        let batch = TensorBatch::new(batch?, device)?;
        reads.push(Later::read(&batch)?);
        let release = thread::spawn(move || {
            thread::sleep(Duration::from_millis(5));
            drop(held);
        });
        drop(batch);
        release.join().map_err(|_| "nothing panics")?;
    }
    Later::check_all(&reads, &expected);
    Ok(())
}
