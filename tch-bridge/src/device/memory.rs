//! [`Leases`]: memory of a device that is lent to batches and comes back when no tensor uses it any more; [`Pinned`]:
//! memory of the host that a GPU reads without the CPU; [`InUse`]: memory of the host that copies may still read.

use crate::ffi::{Owner, pinned, tensor_over};
use crate::{BridgeError, Error, Event, Stream};
use crossbeam_channel::{Receiver, Sender, unbounded};
use graphpack_loader::BoxError;
use graphpack_loader::memory::{Arena, Memory};
use std::ptr::NonNull;
use std::sync::{Arc, OnceLock};
use tch::{Device, Kind, Tensor};

/// Lends memory of a device to batches, and takes it back.
///
/// A lease ends when the last tensor over its memory is gone, including views and tensors that autograd saved. By then
/// all work that reads the memory has been given to the reader's stream. An event there marks the end of that work, and
/// the writer's stream waits for the event before the memory is written again. The CPU never waits.
pub(crate) struct Leases {
    device: Device,
    /// The stream that writes the memory; none on the CPU, where a copy is done when it returns.
    writer: Option<Stream>,
    home: Sender<Returned>,
    returned: Receiver<Returned>,
}

/// Memory that has come back, and the event after which it may be written again.
type Returned = (Tensor, Option<Event>);

/// The stream that reads a batch; empty until the batch is handed over.
pub(crate) type Reader = Arc<OnceLock<Stream>>;

/// Memory that is lent; it goes home when dropped.
struct Lease {
    /// Taken only when dropped.
    memory: Option<Tensor>,
    bytes: usize,
    device: Device,
    reader: Reader,
    home: Sender<Returned>,
}

impl Leases {
    pub(crate) fn new(device: Device, writer: Option<Stream>) -> Self {
        let (home, returned) = unbounded();
        Self { device, writer, home, returned }
    }

    /// Lends a tensor of `bytes` bytes, to be written on the writer's stream, which must be current.
    pub(crate) fn lend(&self, bytes: usize) -> Result<(Tensor, Reader), Error> {
        let memory = match self.returned.try_recv() {
            Ok((memory, free)) => {
                let blocked = match (free, self.writer) {
                    (Some(free), Some(writer)) => free.block(writer),
                    _ => Ok(()),
                };
                let ((), memory) = or_never_free(blocked, memory)?;
                // Memory that is too small is freed, in the order of the writer's stream.
                Some(memory).filter(|memory| memory.numel() >= bytes)
            }
            Err(_) => None,
        };
        let memory = match memory {
            Some(memory) => memory,
            None => Tensor::f_empty([bytes as i64], (Kind::Uint8, self.device))?,
        };
        let reader = Reader::default();
        let lease =
            Lease { memory: Some(memory), bytes, device: self.device, reader: reader.clone(), home: self.home.clone() };
        Ok((tensor_over(lease).map_err(BridgeError::cannot("use the memory of a batch"))?, reader))
    }
}

impl Owner for Lease {
    fn device(&self) -> Device {
        self.device
    }

    fn memory(&mut self) -> (*mut u8, usize) {
        (self.memory.as_ref().map_or(std::ptr::null_mut(), |memory| memory.data_ptr().cast()), self.bytes)
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let Some(memory) = self.memory.take() else { return };
        // If nobody is at home, the memory goes to the allocator, which then also waits for the reader.
        let free = |&reader: &Stream| reader.uses(&memory).and_then(|()| Event::record(reader));
        if let Ok((free, memory)) = or_never_free(self.reader.get().map(free).transpose(), memory) {
            // After the loader is gone nobody takes it.
            let _ = self.home.send((memory, free));
        }
    }
}

/// Memory of the host that copies may still read. It is released when an event says that they are done, for which
/// dropping it waits.
pub(crate) struct InUse<T> {
    /// Taken only when it is released.
    memory: Option<T>,
    /// None on the CPU, where a copy is done when it returns.
    done: Option<Event>,
}

impl<T> InUse<T> {
    /// Memory that the work may use that `stream` has been given so far.
    pub(crate) fn by(stream: Option<Stream>, memory: T) -> Result<Self, Error> {
        let (done, memory) = or_never_free(stream.map(Event::record).transpose(), memory)?;
        Ok(Self { memory: Some(memory), done })
    }

    /// Whether the work is done.
    pub(crate) fn is_done(&self) -> Result<bool, Error> {
        self.done.as_ref().map_or(Ok(true), Event::query)
    }

    /// Waits for the work; returns the memory, or none if it was released already.
    pub(crate) fn release(&mut self) -> Result<Option<T>, Error> {
        let Some(memory) = self.memory.take() else { return Ok(None) };
        let done = self.done.as_ref().map_or(Ok(()), Event::synchronize);
        or_never_free(done, memory).map(|((), memory)| Some(memory))
    }
}

impl<T> Drop for InUse<T> {
    fn drop(&mut self) {
        // If the device fails here, so does the next step.
        let _ = self.release();
    }
}

/// Returns `memory` with what tells when it is free. If the device could not tell that, the memory may be in use for
/// ever: it is never freed, since whoever got it next would write where the device still reads.
pub(crate) fn or_never_free<F, T>(free: Result<F, Error>, memory: T) -> Result<(F, T), Error> {
    match free {
        Ok(free) => Ok((free, memory)),
        Err(error) => {
            std::mem::forget(memory);
            Err(error)
        }
    }
}

/// Page-locked memory of the host, from libtorch: copies from it to a CUDA device do not wait.
///
/// ```no_run
/// use graphpack_loader::{Loader, Options, molecules};
/// use graphpack_tch::Pinned;
///
/// let device = graphpack_tch::device("cuda:1")?; // before anything else with CUDA
/// let loader = Loader::new(molecules::generate(1, 100), Options::default().memory(Pinned))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Pinned;

/// A byte tensor with a single owner.
struct PinnedBytes {
    /// Owns the memory.
    _tensor: Tensor,
    data: NonNull<u8>,
    bytes: usize,
}

// SAFETY: the pointer is to the memory of the tensor, which may be used on any thread.
unsafe impl Send for PinnedBytes {}

// SAFETY: what is shared between threads is the memory, as a slice; the tensor is only dropped, by its single owner.
unsafe impl Sync for PinnedBytes {}

impl Memory for Pinned {
    fn allocate(&self, bytes: usize) -> Result<Box<dyn Arena>, BoxError> {
        let zeros = || -> Result<Tensor, Error> {
            // The arena is read as a whole, gaps between arrays included.
            Ok(pinned(bytes.max(1)).map_err(BridgeError::cannot("allocate page-locked memory"))?.f_zero_()?)
        };
        let tensor = zeros()?;
        match NonNull::new(tensor.data_ptr().cast::<u8>()) {
            Some(data) => Ok(Box::new(PinnedBytes { _tensor: tensor, data, bytes })),
            None => Err("libtorch gave no memory".into()),
        }
    }
}

impl Arena for PinnedBytes {
    fn bytes(&self) -> &[u8] {
        // SAFETY: the tensor has `bytes` initialised bytes from `data` on, lives as long as self, and has no other
        // owner.
        unsafe { std::slice::from_raw_parts(self.data.as_ptr(), self.bytes) }
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `bytes`, and self is borrowed exclusively.
        unsafe { std::slice::from_raw_parts_mut(self.data.as_ptr(), self.bytes) }
    }
}

#[cfg(test)]
mod tests {
    use super::Leases;
    use tch::Device;

    #[test]
    fn memory_comes_back_when_the_last_view_is_gone() {
        let leases = Leases::new(Device::Cpu, None);
        let (first, _) = leases.lend(1000).expect("there is memory");
        let address = first.data_ptr();
        let view = first.narrow(0, 100, 10);
        drop(first);
        let (second, _) = leases.lend(1000).expect("there is memory");
        assert_ne!(second.data_ptr(), address, "a view is still there");
        drop(view);
        let (third, _) = leases.lend(500).expect("there is memory");
        assert_eq!((third.data_ptr(), third.numel()), (address, 500));
        drop((second, third));
        assert_eq!(leases.lend(1001).expect("there is memory").0.numel(), 1001);
        // A lease may outlive the `Leases` that gave it.
        let (last, _) = leases.lend(10).expect("there is memory");
        drop(leases);
        assert_eq!(last.fill(7).sum(tch::Kind::Int64), tch::Tensor::from(70));
    }
}
