//! [`Leases`]: memory of a device that is lent to batches and comes back when nobody uses it any more.

use crate::ffi::{Owner, tensor_over};
use crate::{BridgeError, Event, Stream};
use crossbeam_channel::{Receiver, Sender, unbounded};
use std::sync::{Arc, OnceLock};
use tch::{Device, Kind, Tensor};

/// Memory that is lent, and the stream that it is written on.
///
/// A lease ends when the last tensor over its memory is gone, views and what autograd saved included. By then the CPU has given all work that
/// reads it to the reader's stream; an event there marks the end of that work, and the writer's stream waits for it before anything is written
/// again. The CPU never waits.
pub(crate) struct Leases {
    device: Device,
    /// None on the CPU, where everything is done when it returns.
    writer: Option<Stream>,
    home: Sender<Returned>,
    returned: Receiver<Returned>,
}

/// Memory, and when it may be written again.
type Returned = (Tensor, Option<Event>);

/// The stream that reads what is lent; empty until the batch is handed over.
pub(crate) type Reader = Arc<OnceLock<Stream>>;

/// Memory on loan.
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

    /// A tensor of `bytes` bytes that is written next on the writer's stream, which must be current.
    pub(crate) fn lend(&self, bytes: usize) -> Result<(Tensor, Reader), BridgeError> {
        let memory = match self.returned.try_recv() {
            Ok((memory, free)) => {
                if let (Some(free), Some(writer)) = (free, self.writer) {
                    free.block(writer)?;
                }
                // Too small: freed in the order of the writer's stream.
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
        Ok((tensor_over(lease).map_err(BridgeError::Blob)?, reader))
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
        let mut free = None;
        if let Some(&reader) = self.reader.get() {
            // Where the memory goes to the allocator instead of home, the reader's work still protects it.
            let recorded = reader.uses(&memory).and_then(|()| Event::record(reader));
            let Ok(event) = recorded else {
                // The device fails; memory that may be in use is kept for good.
                std::mem::forget(memory);
                return;
            };
            free = Some(event);
        }
        // Nobody is at home any more after the loader is gone.
        let _ = self.home.send((memory, free));
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
        // A lease may outlive those who gave it.
        let (last, _) = leases.lend(10).expect("there is memory");
        drop(leases);
        assert_eq!(last.fill(7).sum(tch::Kind::Int64), tch::Tensor::from(70));
    }
}
