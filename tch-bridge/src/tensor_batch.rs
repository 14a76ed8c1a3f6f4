//! [`TensorBatch`]: a batch as libtorch tensors.

use crate::device::{Delivery, InUse};
use crate::ffi::{Owner, copy, tensor_over};
use crate::{BridgeError, Error, Stream};
use graphpack_loader::memory::BatchMemory;
use graphpack_loader::{Batch, BatchInfo};
use std::ops::Deref;
use std::sync::Arc;
use tch::{Device, Kind, Tensor};

/// A batch as tensors of fixed shapes, with PyTorch Geometric's names and dtypes.
///
/// On the CPU the tensors lie in the memory of the batch: nothing is copied. The memory goes back to the loader when
/// the last tensor over it is gone, tensors that autograd saved included. To CUDA, [`TensorBatch::new`] copies on the
/// current stream, and [`DeviceLoader`](crate::DeviceLoader) copies ahead, while the step before computes. What else is
/// known of it is in its [`BatchInfo`].
pub struct TensorBatch {
    delivery: Arc<Delivery>,
    /// All tensors are views of it, except for those that were cast on the CPU. Captured steps copy it as a whole.
    bytes: Tensor,
    tensors: Vec<Tensor>,
    /// Where `graph_ids` and `graph_mask` are, which all batches carry.
    of_graphs: [usize; 2],
    info: BatchInfo,
    /// The memory of the host that a copy to the device may still read.
    _host: Option<InUse<Tensor>>,
}

impl TensorBatch {
    /// The tensors of a batch, on `device`. With CUDA, the CPU waits for the copy: when the batch is dropped if the
    /// memory of the loader is [`Pinned`](crate::Pinned), otherwise here.
    pub fn new(batch: Batch, device: Device) -> Result<Self, Error> {
        let delivery = Delivery::plain(batch.layout().clone());
        let (host, info) = split(batch)?;
        let (bytes, host) = match device {
            Device::Cuda(_) => {
                // Also refuses indices that libtorch would take for those of other devices.
                let stream = Stream::current(device)?;
                let bytes = Tensor::f_empty([host.numel() as i64], (Kind::Uint8, device))?;
                let copied = copy(&bytes, &host).map_err(BridgeError::cannot("copy a batch"));
                // Also where the copy failed: it may have begun.
                let host = InUse::by(Some(stream), host);
                copied?;
                (bytes, Some(host?))
            }
            Device::Cpu => (host, None),
            other => return Err(BridgeError::Device(other).into()),
        };
        let mut this = Self::on_device(Arc::new(delivery), bytes, info)?;
        this._host = host;
        Ok(this)
    }

    /// The arrays that a delivery has put into `bytes` on its device.
    pub(crate) fn on_device(delivery: Arc<Delivery>, bytes: Tensor, info: BatchInfo) -> Result<Self, Error> {
        let tensors = delivery.views(&bytes)?;
        Self::of(delivery, bytes, tensors, info)
    }

    /// The arrays in the memory of the batch, on the CPU; only those that a delivery casts are copies.
    pub(crate) fn on_cpu(delivery: Arc<Delivery>, bytes: Tensor, info: BatchInfo) -> Result<Self, Error> {
        let tensors = delivery.views_and_casts(&bytes)?;
        Self::of(delivery, bytes, tensors, info)
    }

    fn of(delivery: Arc<Delivery>, bytes: Tensor, tensors: Vec<Tensor>, info: BatchInfo) -> Result<Self, Error> {
        let of_graphs = [delivery.layout().find("graph_ids")?, delivery.layout().find("graph_mask")?];
        Ok(Self { delivery, bytes, tensors, of_graphs, info, _host: None })
    }

    /// The device that the arrays are on.
    pub(crate) fn device(&self) -> Device {
        self.bytes.device()
    }

    /// Returns tensors of the kinds, sizes and device of these, not initialised.
    pub(crate) fn like(&self) -> Result<Self, Error> {
        Self::on_device(self.delivery.clone(), self.bytes.f_empty_like()?, self.info.clone())
    }

    /// Copies the contents of a batch of the same arrays, with one copy on the current stream.
    pub(crate) fn copy_from(&mut self, other: &Self) -> Result<(), Error> {
        // Batches of different loaders have deliveries of their own.
        if !Arc::ptr_eq(&self.delivery, &other.delivery) && !self.delivery.same_arrays(&other.delivery) {
            return Err(BridgeError::Arrays { step: other.step() }.into());
        }
        copy(&self.bytes, &other.bytes).map_err(BridgeError::cannot("copy a batch"))
    }

    /// The array `name`: a field or an index of the data set, or an array that batches have beside them. Errors if
    /// batches do not carry it.
    pub fn get(&self, name: &str) -> Result<&Tensor, Error> {
        Ok(&self.tensors[self.layout().find(name)?])
    }

    /// `[2, edges]`: row 0 sources, row 1 targets; int64, or int32 with narrow indices. Errors if batches do not carry
    /// it.
    pub fn edge_index(&self) -> Result<&Tensor, Error> {
        self.get("edge_index")
    }

    /// `[nodes]`: the graph of each node; of the type of `edge_index`. Errors if the data have no nodes.
    pub fn batch(&self) -> Result<&Tensor, Error> {
        self.get("batch")
    }

    /// `[graphs + 1]`: the first node of each graph, then the number of nodes; of the type of `edge_index`. Errors if
    /// the data have no nodes.
    pub fn ptr(&self) -> Result<&Tensor, Error> {
        self.get("ptr")
    }

    /// int64 `[graphs]`: the number of each graph in the data set, -1 for padding.
    pub fn graph_ids(&self) -> &Tensor {
        &self.tensors[self.of_graphs[0]]
    }

    /// bool `[nodes]`: true for real nodes. Errors if the data have no nodes.
    pub fn node_mask(&self) -> Result<&Tensor, Error> {
        self.get("node_mask")
    }

    /// bool `[edges]`: true for real edges. Errors if the data have no edges.
    pub fn edge_mask(&self) -> Result<&Tensor, Error> {
        self.get("edge_mask")
    }

    /// bool `[graphs]`: true for real graphs.
    pub fn graph_mask(&self) -> &Tensor {
        &self.tensors[self.of_graphs[1]]
    }

    /// Splits a node-level tensor `[nodes, ...]` into the rows of each real graph, as views.
    pub fn unbatch(&self, node_level: &Tensor) -> Result<Vec<Tensor>, Error> {
        self.unbatch_by(self.ptr()?, node_level)
    }

    /// Splits rows of any set, `[rows, ...]`, into those of each real graph, as views. `ptr` is that of the set, as
    /// `batch.get("edge_ptr")` where batches [carry](field@graphpack_loader::Options::extra) it.
    pub fn unbatch_by(&self, ptr: &Tensor, rows: &Tensor) -> Result<Vec<Tensor>, Error> {
        let (size, graphs) = (ptr.size(), self.shape().graphs());
        if size != [graphs as i64 + 1] {
            let message = format!("ptr of size {size:?}, expected [{}]: one entry more than graphs", graphs + 1);
            return Err(BridgeError::Results(message).into());
        }
        let ptr = Vec::<i64>::try_from(&ptr.f_to_device(Device::Cpu)?.f_to_kind(Kind::Int64)?)?;
        let (size, expected) = (rows.size(), ptr[graphs]);
        if size.first() != Some(&expected) {
            let message = format!("values of size {size:?}, expected {expected} rows, as ptr ends with");
            return Err(BridgeError::Results(message).into());
        }
        let of_graph = |range: &[i64]| Ok(rows.f_narrow(0, range[0], range[1] - range[0])?);
        ptr.windows(2).take(self.real().graphs()).map(of_graph).collect()
    }
}

impl Deref for TensorBatch {
    type Target = BatchInfo;

    fn deref(&self) -> &BatchInfo {
        &self.info
    }
}

/// Returns all bytes of a batch, as a tensor, and what else is known of it. The memory goes back to the loader when the
/// last tensor over it is gone.
pub(crate) fn split(batch: Batch) -> Result<(Tensor, BatchInfo), Error> {
    let (memory, info) = batch.into_parts();
    Ok((tensor_over(memory).map_err(BridgeError::cannot("use the memory of a batch"))?, info))
}

impl Owner for BatchMemory {
    fn device(&self) -> Device {
        Device::Cpu
    }

    fn memory(&mut self) -> (*mut u8, usize) {
        let bytes = self.bytes_mut();
        (bytes.as_mut_ptr(), bytes.len())
    }
}

#[cfg(test)]
mod tests {
    use crate::{DeviceLoader, TensorBatch};
    use graphpack_loader::{ErrorKind, Loader, Options, molecules};
    use tch::{Device, Kind};

    #[test]
    fn contents_are_taken_over_from_the_same_arrays_alone() {
        let first = |loader: &Loader, kind: Option<Kind>| -> TensorBatch {
            let batches = DeviceLoader::new(loader.epoch(0), Device::Cpu);
            let mut batches = match kind {
                Some(kind) => batches.cast("y", kind),
                None => batches,
            };
            batches.next().expect("a batch").expect("nothing fails")
        };
        let [one, other] =
            [(); 2].map(|()| Loader::new(molecules::generate(3, 100), Options::graphs(16)).expect("molecules fit"));
        let batch = first(&one, None);
        let mut inputs = batch.like().expect("there is memory");
        inputs.copy_from(&first(&other, None)).expect("another loader, the same arrays");
        assert!(inputs.get("x").expect("x").equal(batch.get("x").expect("x")));
        let error = inputs.copy_from(&first(&one, Some(Kind::Double)));
        assert!(error.is_err_and(|error| error.kind() == ErrorKind::Data && error.step() == Some(0)));
    }
}
