//! [`CapturedStep`]: a training step that is recorded once per shape and replayed for every batch.

use super::cuda_graph::{CudaGraph, SideStream};
use crate::{BridgeError, Error, TensorBatch};
use graphpack_loader::Shape;
use tch::Device;

/// Number of steps that run as they are before one is recorded: in the first ones libraries choose algorithms and
/// allocate memory.
const WARM_UP: usize = 3;

/// A training step (forward pass, loss, backward pass, optimizer) as a CUDA graph. Its launches are recorded once, and
/// from then on given to the device as one: launching the kernels of small graphs takes longer than running them.
///
/// ```
/// use graphpack_loader::{Loader, Options, molecules};
/// use graphpack_tch::{Adam, CapturedStep, DeviceLoader, mean_pool, mse};
/// use tch::{Kind, nn, nn::Module};
///
/// let device = graphpack_tch::device("cpu")?; // or cuda
/// let store = nn::VarStore::new(device);
/// let layer = nn::linear(store.root(), 9, 1, Default::default());
/// let optimizer = Adam::new(&store, 1e-3, 0.0)?;
/// let mut step = CapturedStep::new(device, |batch| {
///     let x = batch.get("x")?.f_to_kind(Kind::Float)?;
///     let loss = mse(&layer.forward(&mean_pool(&x, batch)?), &batch.get("y")?.f_to_kind(Kind::Float)?, batch)?;
///     optimizer.backward_step(&loss)?;
///     Ok(loss.detach())
/// });
/// let loader = Loader::new(molecules::generate(1, 100), Options::graphs(16))?;
/// for batch in DeviceLoader::new(loader.epoch(0), device) {
///     let loss = step.run(&batch?)?;
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Every batch is trained on exactly once: with the first three batches of a shape the closure runs as it is, on a
/// stream of its own; with the fourth it is recorded, and the recording is replayed at once. On the CPU the closure
/// runs for every batch.
///
/// A replay repeats only work of the device. What the closure does or reads on the CPU happens only while it is
/// recorded. So it must not ask for values of tensors or for [`real`](graphpack_loader::BatchInfo::real), nor keep
/// tensors from one step to the next, except in parameters and in an optimizer such as [`Adam`](crate::Adam). The
/// tensors that it returns stay in place: the next step overwrites them. Detach a loss that you keep, of this step or
/// of an earlier one.
///
/// If the closure fails or panics, the recording ends, and the next batch is recorded instead. If the device refuses a
/// recording, for example because the closure asked for a value, libtorch can neither record nor free all of its memory
/// any more: no [`CapturedStep`] of this process records from then on, and the process must
/// be restarted.
pub struct CapturedStep<F, T> {
    step: F,
    device: Device,
    /// Steps are recorded on this stream, and run on it before that.
    side: SideStream,
    most: usize,
    shapes: Vec<OfShape<T>>,
    /// The closure's last result, unless that step was replayed.
    returned: Option<T>,
}

struct OfShape<T> {
    shape: Shape,
    /// Steps that ran as they are, up to [`WARM_UP`].
    seen: usize,
    recorded: Option<Recorded<T>>,
}

struct Recorded<T> {
    graph: CudaGraph,
    /// The graph reads these tensors; every batch is copied into them.
    inputs: TensorBatch,
    /// The closure's result; the graph writes these tensors.
    outputs: T,
}

impl<F, T> CapturedStep<F, T>
where
    F: FnMut(&TensorBatch) -> Result<T, Error>,
{
    /// A step for batches on `device` that all have the same shape.
    pub fn new(device: Device, step: F) -> Self {
        Self { step, device, side: SideStream::of(device), most: 1, shapes: Vec::new(), returned: None }
    }

    /// Records a graph for each of the first `most` shapes. Batches of other shapes run as they are instead of being
    /// refused. Useful if outliers get batches of their own, or if shapes are powers of two. All graphs share their
    /// memory.
    #[must_use]
    pub fn shapes(mut self, most: usize) -> Self {
        self.most = most.max(1);
        self
    }

    /// Number of shapes that have been recorded.
    pub fn recorded(&self) -> usize {
        self.shapes.iter().filter(|of_shape| of_shape.recorded.is_some()).count()
    }

    /// Runs the step for a batch, on the current stream; returns what the closure returned.
    pub fn run(&mut self, batch: &TensorBatch) -> Result<&T, Error> {
        // Its work would go to a stream that nobody records.
        if batch.device() != self.device {
            let [expected, found] = [self.device, batch.device()];
            return Err(BridgeError::Elsewhere { expected, found, step: batch.step() }.into());
        }
        let shape = batch.shape();
        let position = match self.shapes.iter().position(|of_shape| of_shape.shape == shape) {
            Some(position) => position,
            None if self.shapes.len() < self.most => {
                self.shapes.push(OfShape { shape, seen: 0, recorded: None });
                self.shapes.len() - 1
            }
            None if self.most == 1 => {
                let [expected, found] = [self.shapes[0].shape, shape].map(Box::new);
                return Err(BridgeError::Shape { expected, found, step: batch.step() }.into());
            }
            None => return self.run_unrecorded(batch),
        };
        if self.device == Device::Cpu || self.shapes[position].seen < WARM_UP {
            self.shapes[position].seen += 1;
            return self.run_unrecorded(batch);
        }
        let recorded = match self.shapes[position].recorded.take() {
            Some(recorded) => recorded,
            None => self.record(batch)?,
        };
        let recorded = self.shapes[position].recorded.insert(recorded);
        // The result of an unrecorded step is freed to the side stream, which must not use its memory while the current
        // stream still reads it.
        if self.returned.is_some() {
            self.side.wait()?;
            self.returned = None;
        }
        recorded.inputs.copy_from(batch)?;
        recorded.graph.replay()?;
        Ok(&recorded.outputs)
    }

    /// Runs a step that is not recorded; on CUDA it, too, runs on the side stream, so that none of it belongs to a
    /// stream that cannot be recorded.
    fn run_unrecorded(&mut self, batch: &TensorBatch) -> Result<&T, Error> {
        let outputs = match self.device {
            Device::Cpu => (self.step)(batch)?,
            _ => self.side.run(|| (self.step)(batch))?,
        };
        Ok(self.returned.insert(outputs))
    }

    fn record(&mut self, batch: &TensorBatch) -> Result<Recorded<T>, Error> {
        let inputs = batch.like()?;
        let other = self.shapes.iter().find_map(|of_shape| Some(&of_shape.recorded.as_ref()?.graph));
        let (graph, outputs) = self.side.run(|| CudaGraph::record(other, || (self.step)(&inputs)))?;
        Ok(Recorded { graph, inputs, outputs })
    }
}
