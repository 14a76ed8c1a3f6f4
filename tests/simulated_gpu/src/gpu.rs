//! [`Gpu`]: the simulated devices, for one test at a time.

use crate::ffi;
use std::ops::Sub;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tch::Device;

/// The simulated devices. While it lives, no other test of the process has them.
pub struct Gpu {
    _alone: MutexGuard<'static, ()>,
}

static ALONE: Mutex<()> = Mutex::new(());

/// Streams of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Streams {
    /// The default stream: work goes to it unless another one is current.
    Default = 0,
    /// The streams that [`graphpack_tch::Stream::new`] returns.
    Pool = 1,
    /// The streams that [`graphpack_tch::DeviceLoader`] copies on.
    Copies = 2,
}

/// Calls of libtorch that can be made to fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// An event is recorded.
    RecordEvent = 0,
    /// An event is asked whether it is done.
    QueryEvent = 1,
    /// An event is waited for.
    WaitForEvent = 2,
    /// A stream becomes the current one.
    ExchangeStream = 3,
}

/// What streams were given, not counting waits for events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    /// Operations that are done one by one.
    pub operations: u64,
    /// Operations that were recorded instead.
    pub recorded: u64,
    /// Replays of graphs.
    pub replays: u64,
}

impl Sub for Work {
    type Output = Self;

    /// What was given after `earlier`.
    fn sub(self, earlier: Self) -> Self {
        Self {
            operations: self.operations - earlier.operations,
            recorded: self.recorded - earlier.recorded,
            replays: self.replays - earlier.replays,
        }
    }
}

impl Gpu {
    /// Devices 0 and 1. If libtorch has real ones in this process, prints that the test is skipped and returns none.
    pub fn alone() -> Option<Self> {
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        if ffi::install() {
            return Some(Self { _alone: alone });
        }
        assert!(
            tch::Cuda::device_count() > 0,
            "libtorch has CUDA in this process, but no devices: nothing can be simulated"
        );
        println!("SKIPPED: libtorch has CUDA devices in this process");
        None
    }

    /// A device by its index.
    pub fn device(&self, index: usize) -> Device {
        Device::Cuda(index)
    }

    /// Holds streams of a device: they begin nothing until the result is dropped. Drop it before values that wait for
    /// them.
    pub fn hold(&self, device: Device, streams: Streams) -> Held {
        let held = Held { device: index(device), streams };
        ffi::hold(held.device, streams as _, true);
        held
    }

    /// Slows streams of a device down: each item takes at least `pause` until the result is dropped.
    pub fn slow(&self, device: Device, streams: Streams, pause: Duration) -> Slow {
        let slow = Slow { device: index(device), streams };
        ffi::slow(slow.device, streams as _, pause.as_micros() as i64);
        slow
    }

    /// Waits until no stream can do anything: each is idle or held, or waits for one that is held.
    pub fn settle(&self) {
        assert!(ffi::settle(20_000), "the streams have not come to rest within 20 s");
    }

    /// What streams of a device were given since the process started.
    pub fn work(&self, device: Device, streams: Streams) -> Work {
        let [operations, recorded, replays] = ffi::work(index(device), streams as _);
        Work { operations, recorded, replays }
    }

    /// Makes calls fail, on all threads, until the result is dropped.
    pub fn fail(&self, call: Call) -> Failing {
        ffi::fail(call as _, true);
        Failing(call)
    }

    /// Makes graphs those of another libtorch until the result is dropped: of a version, `(0, 0)` for the one that is
    /// loaded, and of a class of graphs whose members have `more` bytes.
    pub fn libtorch(&self, version: (i32, i32), more: i32) -> OtherLibtorch {
        ffi::libtorch(version, more);
        OtherLibtorch
    }

    /// This thread's current device.
    pub fn current(&self) -> Device {
        Device::Cuda(ffi::current())
    }

    /// How often this thread has asked whether an event is done.
    pub fn queries(&self) -> u64 {
        ffi::queries()
    }

    /// Bytes that belong to graphs.
    pub fn reserved(&self) -> u64 {
        ffi::reserved()
    }
}

impl Drop for Gpu {
    fn drop(&mut self) {
        // The next test, or the end of the process, finds all streams at rest. If they are not, a test has failed
        // already.
        let _ = ffi::settle(20_000);
    }
}

/// Streams that are held.
#[must_use = "streams are held only as long as it lives"]
pub struct Held {
    device: usize,
    streams: Streams,
}

impl Drop for Held {
    fn drop(&mut self) {
        ffi::hold(self.device, self.streams as _, false);
    }
}

/// Streams that are slow.
#[must_use = "streams are slow only as long as it lives"]
pub struct Slow {
    device: usize,
    streams: Streams,
}

impl Drop for Slow {
    fn drop(&mut self) {
        ffi::slow(self.device, self.streams as _, 0);
    }
}

/// Calls that fail.
#[must_use = "calls fail only as long as it lives"]
pub struct Failing(Call);

impl Drop for Failing {
    fn drop(&mut self) {
        ffi::fail(self.0 as _, false);
    }
}

/// Another libtorch.
#[must_use = "there is another libtorch only as long as it lives"]
pub struct OtherLibtorch;

impl Drop for OtherLibtorch {
    fn drop(&mut self) {
        ffi::libtorch((0, 0), 0);
    }
}

fn index(device: Device) -> usize {
    match device {
        Device::Cuda(index) if index < 2 => index,
        other => panic!("{other:?} is not simulated"),
    }
}
