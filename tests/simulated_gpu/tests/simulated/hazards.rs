//! Programs that do not avoid what the bridge avoids fail on the simulated devices: otherwise the other tests could not
//! fail.

use graphpack_loader::{Loader, Options, molecules};
use graphpack_simulated_gpu::{Gpu, Streams};
use graphpack_tch::{CapturedStep, DeviceLoader, Event, Stream};
use std::error::Error;
use std::time::Duration;
use tch::{Device, Kind, Tensor};

type Fallible = Result<(), Box<dyn Error>>;

/// The one value that all elements of a tensor have.
fn value(tensor: &Tensor) -> i64 {
    let tensor = tensor.to_device(Device::Cpu).to_kind(Kind::Int64);
    assert_eq!(tensor.min(), tensor.max());
    tensor.min().int64_value(&[])
}

fn full(value: i64, device: Device) -> Tensor {
    Tensor::full([1000], value, (Kind::Uint8, device))
}

#[test]
fn only_events_order_streams() -> Fallible {
    let Some(gpu) = Gpu::alone() else { return Ok(()) };
    let (device, other) = (gpu.device(0), Stream::new(gpu.device(0))?);
    for ordered in [false, true] {
        let (mut written, mut read) = (full(1, device), full(0, device));
        gpu.settle();
        let held = gpu.hold(device, Streams::Pool);
        {
            let _guard = other.enter()?;
            let _ = written.fill_(2);
        }
        if ordered {
            Event::record(other)?.block(Stream::current(device)?)?;
        }
        read.copy_(&written);
        gpu.settle();
        drop(held);
        assert_eq!(value(&read), if ordered { 2 } else { 1 });
        other.synchronize()?;
        assert_eq!(value(&written), 2);
    }
    Ok(())
}

#[test]
fn freed_memory_is_overwritten_even_if_another_stream_will_read_it() -> Fallible {
    let Some(gpu) = Gpu::alone() else { return Ok(()) };
    let (device, other) = (gpu.device(0), Stream::new(gpu.device(0))?);
    let mut read = full(0, device);
    let freed = {
        let _guard = other.enter()?;
        full(1, device)
    };
    gpu.settle();
    let held = gpu.hold(device, Streams::Default);
    read.copy_(&freed);
    let place = freed.data_ptr();
    drop(freed);
    let next = {
        let _guard = other.enter()?;
        full(3, device)
    };
    assert_eq!(next.data_ptr(), place);
    gpu.settle();
    drop(held);
    assert_eq!(value(&read), 3);
    Ok(())
}

#[test]
fn a_copy_reads_pinned_memory_when_its_turn_comes_and_other_memory_at_once() -> Fallible {
    let Some(gpu) = Gpu::alone() else { return Ok(()) };
    let device = gpu.device(0);
    let mut pinned = full(1, Device::Cpu).pin_memory(device);
    let held = gpu.hold(device, Streams::Default);
    let copy = pinned.to_device_(device, Kind::Uint8, true, false);
    let _ = pinned.fill_(2);
    drop(held);
    assert_eq!(value(&copy), 2);
    let mut pageable = full(1, Device::Cpu);
    let slow = gpu.slow(device, Streams::Default, Duration::from_millis(5));
    let copy = pageable.to_device_(device, Kind::Uint8, true, false);
    let _ = pageable.fill_(2);
    drop(slow);
    assert_eq!(value(&copy), 1);
    Ok(())
}

#[test]
fn a_replay_repeats_nothing_of_the_host_and_reads_memory_that_the_closure_freed() -> Fallible {
    let Some(gpu) = Gpu::alone() else { return Ok(()) };
    let device = gpu.device(0);
    let loader = Loader::new(molecules::generate(3, 200), Options::graphs(16))?;
    let mut calls = 0;
    let mut of_device = full(0, device);
    let mut kept: Option<Tensor> = None;
    let mut step = CapturedStep::new(device, |_| {
        calls += 1;
        let _ = of_device.f_add_scalar_(1)?;
        // From the call before; freed after this call.
        let next = kept.take().map_or_else(|| Ok(full(1, device)), |before| before.f_add_scalar(1))?;
        kept = Some(next.shallow_clone());
        Ok((of_device.f_add_scalar(0)?, next, full(calls, device)))
    });
    let mut found = Vec::new();
    for batch in DeviceLoader::new(loader.epoch(0), device).take(7) {
        gpu.settle();
        let (device, kept, calls) = step.run(&batch?)?;
        found.push([value(device), value(kept), value(calls)]);
    }
    let freed = 0xDB + 1;
    assert_eq!(found[..3], [[1; 3], [2; 3], [3; 3]]);
    // The replay right after the recording may run before that memory is overwritten.
    assert_eq!([found[3][0], found[3][2]], [4; 2]);
    assert_eq!(found[4..], [[5, freed, 4], [6, freed, 4], [7, freed, 4]]);
    Ok(())
}
