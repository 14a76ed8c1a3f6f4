//! No memory is read or written too early, neither on a device nor on the host, whichever streams are held back.

use graphpack_loader::{Dtype, Loader, Options, Order, molecules};
use graphpack_simulated_gpu::{Gpu, Rounds, Streams};
use graphpack_tch::{Pinned, Stream};
use std::error::Error;
use std::time::Duration;

type Fallible = Result<(), Box<dyn Error>>;

/// One loader collates in pinned memory; the batches of the other go through pinned memory of the device loader.
fn loaders() -> Result<[Loader; 2], Box<dyn Error>> {
    let data = || molecules::generate(3, 400);
    let options = || Options::graphs(16).index(Dtype::I32).order(Order::Shuffled).seed(1).workers(1);
    Ok([Loader::new(data(), options().memory(Pinned))?, Loader::new(data(), options())?])
}

#[test]
fn while_copies_wait_so_does_work_on_batches_and_the_host_keeps_what_they_read() -> Fallible {
    let Some(gpu) = Gpu::alone() else { return Ok(()) };
    for loader in loaders()? {
        for ahead in 1..=3 {
            Rounds { device: gpu.device(0), ahead, held: Streams::Copies }.run(&gpu, &loader)?;
        }
    }
    Ok(())
}

#[test]
fn while_work_on_batches_waits_so_do_copies_into_their_memory() -> Fallible {
    let Some(gpu) = Gpu::alone() else { return Ok(()) };
    for loader in loaders()? {
        for ahead in 1..=3 {
            Rounds { device: gpu.device(0), ahead, held: Streams::Default }.run(&gpu, &loader)?;
        }
    }
    Ok(())
}

#[test]
fn batches_belong_to_the_stream_that_is_current_when_they_are_taken() -> Fallible {
    let Some(gpu) = Gpu::alone() else { return Ok(()) };
    let device = gpu.device(0);
    for loader in loaders()? {
        for held in [Streams::Pool, Streams::Copies] {
            let _guard = Stream::new(device)?.enter()?;
            Rounds { device, ahead: 2, held }.run(&gpu, &loader)?;
        }
    }
    Ok(())
}

#[test]
fn streams_that_are_slow_stay_in_order() -> Fallible {
    let Some(gpu) = Gpu::alone() else { return Ok(()) };
    let device = gpu.device(0);
    for loader in loaders()? {
        for slow in [Streams::Copies, Streams::Default] {
            let _slow = gpu.slow(device, slow, Duration::from_micros(200));
            // No work goes to these streams, so nothing is held.
            Rounds { device, ahead: 2, held: Streams::Pool }.run(&gpu, &loader)?;
        }
    }
    Ok(())
}
