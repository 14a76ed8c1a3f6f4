//! [`Upload`]: the thread that copies batches to a device ahead of the step.

use crate::delivery::{Casts, Counting, Delivery};
use crate::ffi::{copy, is_pinned, pinned, tensor_over};
use crate::lease::{Leases, Reader};
use crate::tensor_batch::About;
use crate::{BridgeError, Event, Stream, TensorBatch};
use graphpack_loader::{Batch, Layout};
use std::collections::VecDeque;
use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;
use tch::{Device, Tensor};

/// A batch on its way, and what the consumer needs to take it over.
pub(crate) struct Ready {
    pub(crate) batch: TensorBatch,
    /// Done when the batch is on the device.
    pub(crate) copied: Option<Event>,
    /// To be told which stream reads the batch.
    pub(crate) reader: Reader,
}

/// Copies batches to a device, on a stream of its own.
pub(crate) struct Upload {
    /// None only in tests, on the CPU.
    side: Option<Stream>,
    casts: Casts,
    /// Most copies that are waited for at the same time.
    ahead: usize,
    leases: Leases,
    deliveries: Vec<Arc<Delivery>>,
    counting: Counting,
    /// Copies that were begun, oldest first, and the memory that they read.
    in_flight: VecDeque<(Option<Event>, Host)>,
    /// Pinned memory that nothing reads.
    idle: Vec<Tensor>,
}

/// Memory that a copy reads.
enum Host {
    /// Of the loader, and pinned.
    Batch { _bytes: Tensor },
    /// Ours.
    Staging(Tensor),
}

impl Upload {
    pub(crate) fn new(device: Device, side: Option<Stream>, casts: Casts, ahead: usize) -> Self {
        Self {
            side,
            casts,
            ahead,
            leases: Leases::new(device, side),
            deliveries: Vec::new(),
            counting: Counting::on(device),
            in_flight: VecDeque::new(),
            idle: Vec::new(),
        }
    }

    /// Begins to copy a batch. The side stream must be current.
    pub(crate) fn begin(&mut self, batch: Batch) -> Result<Ready, BridgeError> {
        let delivery = self.delivery(batch.layout())?;
        let about = About::of(&batch);
        let host = tensor_over(batch.into_memory()).map_err(BridgeError::Blob)?;
        let (device, reader) = self.leases.lend(delivery.bytes())?;
        let host = self.pinned(host)?;
        let bytes = match &host {
            Host::Batch { _bytes: bytes } | Host::Staging(bytes) => bytes,
        };
        let begun = delivery.deliver(bytes, &device, about.real(), &mut self.counting);
        let copied = self.side.map(Event::record).transpose();
        // Whatever was begun reads this memory until it is done.
        let mark = self.side.map(Event::record).transpose();
        self.in_flight.push_back((mark.ok().flatten(), host));
        begun?;
        self.finish(self.ahead)?;
        Ok(Ready { batch: TensorBatch::on_device(delivery, device, about)?, copied: copied?, reader })
    }

    /// Waits until no more than `left` copies are in flight, and lets those go that are done.
    fn finish(&mut self, left: usize) -> Result<(), BridgeError> {
        while let Some((copied, _)) = self.in_flight.front() {
            let wait = self.in_flight.len() > left;
            match copied {
                Some(copied) if !copied.query()? => {
                    if !wait {
                        break;
                    }
                    // An event would be waited for by a core that does nothing else.
                    sleep(PAUSE);
                    continue;
                }
                _ => {}
            }
            if let Some((_, Host::Staging(memory))) = self.in_flight.pop_front() {
                self.idle.push(memory);
            }
        }
        Ok(())
    }

    /// How batches of a layout go to the device.
    fn delivery(&mut self, layout: &Arc<Layout>) -> Result<Arc<Delivery>, BridgeError> {
        if let Some(known) = self.deliveries.iter().find(|known| Arc::ptr_eq(known.layout(), layout)) {
            return Ok(known.clone());
        }
        let new = Arc::new(Delivery::new(layout.clone(), &self.casts)?);
        // Outliers in batches of their own have as many layouts as there are outliers.
        if self.deliveries.len() == MOST_DELIVERIES {
            self.deliveries.remove(0);
        }
        self.deliveries.push(new.clone());
        Ok(new)
    }

    /// The bytes in pinned memory, without a copy if they are there already.
    fn pinned(&mut self, bytes: Tensor) -> Result<Host, BridgeError> {
        if self.side.is_none() || is_pinned(&bytes).map_err(BridgeError::Pinned)? {
            return Ok(Host::Batch { _bytes: bytes });
        }
        let length = bytes.numel();
        let room = match self.idle.iter().position(|idle| idle.numel() >= length) {
            Some(position) => self.idle.swap_remove(position),
            None => {
                self.idle.pop();
                pinned(length).map_err(BridgeError::Pinned)?
            }
        };
        let part = room.f_narrow(0, 0, length as i64)?;
        copy(&part, &bytes).map_err(BridgeError::Copy)?;
        Ok(Host::Staging(room))
    }
}

/// Layouts whose deliveries are remembered.
const MOST_DELIVERIES: usize = 64;
/// Between two looks at whether a copy is done.
const PAUSE: Duration = Duration::from_micros(50);

impl Drop for Upload {
    fn drop(&mut self) {
        if let Some(side) = self.side {
            // The memory in flight may be used for something else afterwards. A device that fails here fails the next step, too.
            let _ = side.synchronize();
            side.give_back();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Upload;
    use crate::delivery::Casts;
    use graphpack_loader::{Loader, molecules};
    use std::collections::HashSet;
    use tch::{Device, Kind};

    /// As on a device, but without streams: every copy is done when it returns.
    #[test]
    fn batches_arrive_whole_in_memory_that_is_used_again() {
        let loader = Loader::new(molecules::generate(3, 200)).batch_graphs(16).narrow_indices().shuffle(1);
        let loader = loader.build().expect("molecules fit");
        let casts = Casts { fields: vec![("y".into(), Kind::Double)], wide_indices: true };
        let mut upload = Upload::new(Device::Cpu, None, casts, 2);
        let mut addresses = HashSet::new();
        let mut steps = 0;
        let mut kept = None;
        for (batch, same) in loader.epoch(0).zip(loader.epoch(0)) {
            let (batch, same) = (batch.expect("nothing fails"), same.expect("nothing fails"));
            let ready = upload.begin(batch).expect("nothing fails").batch;
            assert_eq!((ready.real(), ready.step(), ready.state()), (same.real(), same.step(), &same.state()));
            let edges: Vec<i64> = same.get::<i32>("edge_index").expect("narrow").iter().map(|&n| n.into()).collect();
            assert_eq!(Vec::<i64>::try_from(ready.edge_index().reshape(-1)).expect("int64"), edges);
            let targets: Vec<f64> = same.get::<i64>("y").expect("y is a field").iter().map(|&n| n as f64).collect();
            let found = ready.get("y").expect("y is a field").reshape(-1);
            assert_eq!(Vec::<f64>::try_from(found).expect("float64"), targets);
            addresses.insert(ready.get("x").expect("x is a field").data_ptr());
            // The step before still holds a view.
            kept = Some(ready.get("x").expect("x is a field").narrow(0, 0, 1));
            steps += 1;
        }
        assert!(kept.is_some());
        assert!(steps > 5 && addresses.len() == 2, "{steps} steps in {} places", addresses.len());
    }
}
