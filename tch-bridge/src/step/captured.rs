//! [`CapturedStep`]: a training step that is recorded once per shape and replayed for every batch.

use super::cuda_graph::CudaGraph;
use crate::{BridgeError, Event, Stream, TensorBatch};
use graphpack_loader::Shape;
use tch::Device;

/// Steps that are done as usual before one is recorded: libraries choose their algorithms and take their memory in the first ones.
const WARM_UP: usize = 3;

/// A training step (forward pass, loss, backward pass, optimizer) as a CUDA graph: its launches are recorded once and given to the device as one
/// afterwards, since small graphs take less time to compute than to launch.
///
/// ```
/// use graphpack_loader::{Loader, molecules};
/// use graphpack_tch::{Adam, CapturedStep, DeviceLoader, mean_pool, mse};
/// use tch::{Kind, nn, nn::Module};
///
/// let device = graphpack_tch::device("cpu")?; // or cuda
/// let store = nn::VarStore::new(device);
/// let layer = nn::linear(store.root(), 9, 1, Default::default());
/// let mut optimizer = Adam::new(&store, 1e-3, 0.0)?;
/// let mut step = CapturedStep::new(device, move |batch| {
///     let x = batch.get("x")?.f_to_kind(Kind::Float)?;
///     let loss = mse(&layer.forward(&mean_pool(&x, batch)?), &batch.get("y")?.f_to_kind(Kind::Float)?, batch)?;
///     optimizer.backward_step(&loss)?;
///     Ok(loss.detach())
/// });
/// let loader = Loader::new(molecules::generate(1, 100)).batch_graphs(16).build()?;
/// for batch in DeviceLoader::new(loader.epoch(0), device) {
///     let loss = step.run(&batch?)?;
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Every batch is trained on exactly once: the first three of a shape as usual, on a stream of their own, the next one is recorded and replayed at
/// once. On the CPU all of them are done as usual.
///
/// What is replayed is work of the device. What the closure does or reads on the CPU happens only while it is recorded: it must not ask
/// for values of tensors, nor for [`TensorBatch::real`], nor keep tensors from one step to the next outside of parameters and of an optimizer
/// such as [`Adam`](crate::Adam). What it returns stays where it is: the next step writes over it. A loss that is kept, from here or from steps
/// before, must be detached.
///
/// An error of the closure, or a panic, ends the recording; the next batch is recorded anew. A recording that the device refuses, for example
/// because the closure asked for a value, leaves libtorch unable to record, and to free all memory, in this process: no
/// [`CapturedStep`] records from then on ([`BridgeError::Recorded`]), and the process is to be started again.
pub struct CapturedStep<F, T> {
    step: F,
    device: Device,
    /// Where steps are recorded, and those before; libtorch forbids that on the default stream.
    side: Option<Stream>,
    most: usize,
    shapes: Vec<OfShape<T>>,
    /// What the last step returned, where it was not replayed.
    returned: Option<T>,
}

struct OfShape<T> {
    shape: Shape,
    seen: usize,
    recorded: Option<Recorded<T>>,
}

struct Recorded<T> {
    graph: CudaGraph,
    /// What the graph reads; every batch is copied here.
    inputs: TensorBatch,
    /// What the closure returned, which the graph writes.
    outputs: T,
}

impl<F, T> CapturedStep<F, T>
where
    F: FnMut(&TensorBatch) -> Result<T, BridgeError>,
{
    /// A step for batches on `device` that all have the same shape.
    pub fn new(device: Device, step: F) -> Self {
        Self { step, device, side: None, most: 1, shapes: Vec::new(), returned: None }
    }

    /// Records a graph for each of the first `most` shapes, and does steps of other shapes as usual, instead of refusing them. For
    /// outliers in batches of their own, and for shapes that grow in powers of two. All graphs share their memory.
    #[must_use]
    pub fn shapes(mut self, most: usize) -> Self {
        self.most = most.max(1);
        self
    }

    /// Shapes that have a graph by now.
    pub fn recorded(&self) -> usize {
        self.shapes.iter().filter(|of_shape| of_shape.recorded.is_some()).count()
    }

    /// Does the step for a batch, on the current stream; returns what the closure returned.
    pub fn run(&mut self, batch: &TensorBatch) -> Result<&T, BridgeError> {
        let shape = batch.shape();
        let position = match self.shapes.iter().position(|of_shape| of_shape.shape == shape) {
            Some(position) => position,
            None if self.shapes.len() < self.most => {
                self.shapes.push(OfShape { shape, seen: 0, recorded: None });
                self.shapes.len() - 1
            }
            None if self.most == 1 => {
                let expected = self.shapes[0].shape;
                return Err(BridgeError::Shape { expected, found: shape, step: batch.step() });
            }
            None => return self.usual(batch),
        };
        if self.device == Device::Cpu || self.shapes[position].seen < WARM_UP {
            self.shapes[position].seen += 1;
            return self.usual(batch);
        }
        if self.shapes[position].recorded.is_none() {
            self.shapes[position].recorded = Some(self.record(batch)?);
        }
        // What was returned without a graph is of another step. Its memory is the side stream's, which may be given what the current one still reads.
        if let (Some(_), Some(side)) = (&self.returned, self.side) {
            Event::record(Stream::current(self.device)?)?.block(side)?;
        }
        self.returned = None;
        match &mut self.shapes[position].recorded {
            Some(recorded) => {
                recorded.inputs.copy_from(batch)?;
                recorded.graph.replay()?;
                Ok(&recorded.outputs)
            }
            None => Err(BridgeError::Graph("it was not recorded".into())),
        }
    }

    /// A step that is not recorded; on CUDA aside as well, so that no part of it belongs to a stream that cannot be recorded.
    fn usual(&mut self, batch: &TensorBatch) -> Result<&T, BridgeError> {
        let outputs = match self.device {
            Device::Cpu => (self.step)(batch)?,
            _ => self.aside(|step| step(batch))?,
        };
        Ok(self.returned.insert(outputs))
    }

    fn record(&mut self, batch: &TensorBatch) -> Result<Recorded<T>, BridgeError> {
        let inputs = batch.like()?;
        let shared = self.shapes.iter().find_map(|of_shape| Some(of_shape.recorded.as_ref()?.graph.handle()));
        let (graph, outputs) = self.aside(|step| CudaGraph::record(shared, || step(&inputs)))?;
        Ok(Recorded { graph, inputs, outputs })
    }

    /// Runs on the side stream, in turn with the current one.
    fn aside<O>(&mut self, run: impl FnOnce(&mut F) -> Result<O, BridgeError>) -> Result<O, BridgeError> {
        let side = match self.side {
            Some(side) => side,
            None => *self.side.insert(Stream::new(self.device)?),
        };
        let current = Stream::current(self.device)?;
        Event::record(current)?.block(side)?;
        let turn = Turn { side, current };
        let result = {
            let _guard = side.enter()?;
            run(&mut self.step)
        };
        turn.end()?;
        result
    }
}

/// Lets one stream wait for another at the end, also where the work for that one panicked.
struct Turn {
    side: Stream,
    current: Stream,
}

impl Turn {
    fn end(self) -> Result<(), BridgeError> {
        let result = self.join();
        std::mem::forget(self);
        result
    }

    fn join(&self) -> Result<(), BridgeError> {
        Event::record(self.side)?.block(self.current)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        // Something else has failed already.
        let _ = self.join();
    }
}
