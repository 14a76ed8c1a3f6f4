//! [`TensorBatch`]: a batch as libtorch tensors.

use crate::BridgeError;
use crate::event::Event;
use crate::ffi::{Owner, tensor_over};
use graphpack_loader::{ArrayInfo, Batch, BatchMemory, Dtype, Layout, LoaderState, Shape};
use std::sync::Arc;
use tch::{Device, Kind, Tensor};

/// A batch as tensors of fixed shapes, with PyTorch Geometric's names and dtypes.
///
/// On the CPU the tensors lie in the memory of the batch: nothing is copied, and the memory goes back to the loader when the last tensor that
/// uses it is gone, those that autograd saved included. On CUDA all arrays are copied at once; from [`Pinned`](crate::Pinned) memory
/// the copy does not block.
pub struct TensorBatch {
    layout: Arc<Layout>,
    tensors: Vec<Tensor>,
    real: Shape,
    epoch: u64,
    step: u64,
    state: LoaderState,
    /// What a copy to the device may still be reading. The event is dropped, and thereby waited for, first.
    _in_flight: Option<(Event, Tensor)>,
}

impl Owner for BatchMemory {
    fn bytes_mut(&mut self) -> &mut [u8] {
        Self::bytes_mut(self)
    }
}

impl TensorBatch {
    /// The tensors of a batch, on `device`.
    pub fn new(batch: Batch, device: Device) -> Result<Self, BridgeError> {
        let (layout, real, epoch, step) = (batch.layout().clone(), batch.real(), batch.epoch(), batch.step());
        let state = batch.state();
        let host = tensor_over(batch.into_memory()).map_err(BridgeError::Blob)?;
        let (bytes, in_flight) = match device {
            Device::Cuda(index) => {
                let bytes = host.f_to_device_(device, Kind::Uint8, true, false)?;
                (bytes, Some((Event::record(index)?, host)))
            }
            Device::Cpu => (host, None),
            other => return Err(BridgeError::Device(other)),
        };
        let tensors = layout.arrays().iter().map(|array| view(&bytes, array)).collect::<Result<_, _>>()?;
        Ok(Self { layout, tensors, real, epoch, step, state, _in_flight: in_flight })
    }

    /// The array `name`: a field of the data set, or one that every batch has.
    pub fn get(&self, name: &str) -> Result<&Tensor, BridgeError> {
        let position = self.layout.arrays().iter().position(|array| array.name == name);
        position.map(|position| &self.tensors[position]).ok_or_else(|| BridgeError::Missing { name: name.to_owned() })
    }

    /// Array `after` of those that come after the fields.
    fn own(&self, after: usize) -> &Tensor {
        &self.tensors[self.layout.schema().fields().len() + after]
    }

    /// int64, or int32 with narrow indices, `[2, edges]`: row 0 sources, row 1 targets.
    pub fn edge_index(&self) -> &Tensor {
        self.own(0)
    }

    /// `[nodes]`, of the type of `edge_index`: the graph of each node.
    pub fn batch(&self) -> &Tensor {
        self.own(1)
    }

    /// `[graphs + 1]`, of the type of `edge_index`: the first node of each graph.
    pub fn ptr(&self) -> &Tensor {
        self.own(2)
    }

    /// int64 `[graphs]`: numbers in the data set, -1 for padding.
    pub fn graph_ids(&self) -> &Tensor {
        self.own(3)
    }

    /// bool `[nodes]`: true for real nodes.
    pub fn node_mask(&self) -> &Tensor {
        self.own(4)
    }

    /// bool `[edges]`: true for real edges.
    pub fn edge_mask(&self) -> &Tensor {
        self.own(5)
    }

    /// bool `[graphs]`: true for real graphs.
    pub fn graph_mask(&self) -> &Tensor {
        self.own(6)
    }

    /// The fixed shape.
    pub fn shape(&self) -> Shape {
        self.layout.shape()
    }

    /// How much of the shape is real.
    pub fn real(&self) -> Shape {
        self.real
    }

    /// The epoch that the batch belongs to.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// The number of the batch in its epoch.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// Where the training is after this batch: `Loader::resume` goes on right behind it.
    pub fn state(&self) -> &LoaderState {
        &self.state
    }

    /// The rows of a node-level tensor `[nodes, ...]` of each real graph, as views.
    pub fn unbatch(&self, node_level: &Tensor) -> Result<Vec<Tensor>, BridgeError> {
        let ptr = Vec::<i64>::try_from(&self.ptr().f_to_device(Device::Cpu)?)?;
        ptr.windows(2)
            .take(self.real.graphs)
            .map(|range| Ok(node_level.f_narrow(0, range[0], range[1] - range[0])?))
            .collect()
    }
}

/// One array of a batch, as a view into its bytes.
fn view(bytes: &Tensor, array: &ArrayInfo) -> Result<Tensor, BridgeError> {
    let range = array.range();
    let rows = bytes.f_narrow(0, range.start as i64, range.len() as i64)?;
    let rows = rows.f_view_dtype(kind(array.dtype))?;
    Ok(match array.width {
        None => rows,
        Some(width) => rows.f_view([array.rows as i64, width as i64])?,
    })
}

/// The dtype of libtorch.
fn kind(dtype: Dtype) -> Kind {
    match dtype {
        Dtype::F32 => Kind::Float,
        Dtype::F64 => Kind::Double,
        Dtype::I64 => Kind::Int64,
        Dtype::I32 => Kind::Int,
        Dtype::U8 => Kind::Uint8,
        Dtype::Bool => Kind::Bool,
    }
}
