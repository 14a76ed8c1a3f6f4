//! [`BurnLoader`]: burn's `DataLoader` over a graphpack loader, and [`BurnBatch`], what it gives.

use burn_core::data::dataloader::{DataLoader, DataLoaderIterator, Progress};
use burn_core::data::dataset::DatasetError;
use burn_core::tensor::{Bool, Device, Int, Tensor, TensorData};
use graphpack_loader::{ArrayError, Batch, Dtype, Epoch, Loader, Shape, Source};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A graphpack loader as burn's `DataLoader`: `iter` gives one epoch after the other, each in its own order if the
/// loader shuffles.
///
/// Items are counted in batches. Every error is an `Err` in place of its batch; one of the loader ends the epoch.
///
/// ```
/// use burn_core::data::dataloader::DataLoader;
/// use burn_core::tensor::Device;
/// use graphpack_adapters::BurnLoader;
/// use graphpack_loader::{Loader, molecules};
///
/// let loader = Loader::new(molecules::generate(1, 100)).batch_graphs(16).shuffle(42).build()?;
/// let loader = BurnLoader::new(loader, Device::flex());
/// for _epoch in 0..2 {
///     for batch in loader.iter() {
///         let batch = batch?;
///         assert_eq!(batch.int("x")?.dims(), [batch.shape.nodes, 9]);
///         assert_eq!(batch.edge_index.dims(), [2, batch.shape.edges]);
///     }
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct BurnLoader<S> {
    loader: Arc<Loader<S>>,
    device: Device,
    /// The epoch that `iter` gives next.
    next: AtomicU64,
    /// The batches of each epoch that it gives, as far as there are so many.
    part: Range<usize>,
}

impl<S: Source + 'static> BurnLoader<S> {
    /// All batches of `loader`, as tensors on `device`, from epoch 0 on.
    pub fn new(loader: Loader<S>, device: Device) -> Self {
        Self { loader: Arc::new(loader), device, next: AtomicU64::new(0), part: 0..usize::MAX }
    }

    /// The next `iter` gives epoch `epoch`, for a training that is continued.
    #[must_use]
    pub fn starting_at(self, epoch: u64) -> Self {
        Self { next: AtomicU64::new(epoch), ..self }
    }

    /// Its part of an epoch, within what the epoch has.
    fn part(&self, epoch: u64) -> Range<usize> {
        let batches = self.loader.batches(epoch);
        self.part.start.min(batches)..self.part.end.min(batches)
    }

    fn epoch(&self) -> u64 {
        self.next.load(Ordering::Relaxed)
    }
}

impl<S: Source + 'static> DataLoader<BurnBatch> for BurnLoader<S> {
    fn iter<'a>(&'a self) -> Box<dyn DataLoaderIterator<BurnBatch> + 'a> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let part = self.part(number);
        let epoch = self.loader.epoch_from(number, part.start);
        Box::new(BurnEpoch { epoch, device: self.device.clone(), done: 0, total: part.len() })
    }

    /// The batches of the next epoch.
    fn num_items(&self) -> usize {
        self.part(self.epoch()).len()
    }

    /// The same from the next epoch on; epochs are then counted apart.
    fn to_device(&self, device: &Device) -> Arc<dyn DataLoader<BurnBatch>> {
        let (loader, next) = (self.loader.clone(), AtomicU64::new(self.epoch()));
        Arc::new(Self { loader, device: device.clone(), next, part: self.part.clone() })
    }

    /// Batches `start` to `end` of each epoch, from the next one on; epochs are then counted apart.
    fn slice(&self, start: usize, end: usize) -> Arc<dyn DataLoader<BurnBatch>> {
        let within = |batch: usize| self.part.start.saturating_add(batch).min(self.part.end);
        let part = within(start)..within(end.max(start));
        let (loader, next) = (self.loader.clone(), AtomicU64::new(self.epoch()));
        Arc::new(Self { loader, device: self.device.clone(), next, part })
    }
}

/// One epoch, or a part of it.
struct BurnEpoch {
    epoch: Epoch,
    device: Device,
    done: usize,
    total: usize,
}

impl Iterator for BurnEpoch {
    type Item = Result<BurnBatch, DatasetError>;

    fn next(&mut self) -> Option<Self::Item> {
        // An epoch that cannot be planned counts no batches and says why not in place of the first.
        if self.done == self.total && self.total > 0 {
            return None;
        }
        let batch = match self.epoch.next()? {
            Ok(_) if self.done == self.total => return None,
            Ok(batch) => BurnBatch::new(batch, &self.device).map_err(DatasetError::new),
            Err(error) => Err(DatasetError::new(error)),
        };
        self.done += usize::from(batch.is_ok());
        Some(batch)
    }
}

impl DataLoaderIterator<BurnBatch> for BurnEpoch {
    fn progress(&self) -> Progress {
        Progress::new(self.done, self.total, Some("batches".to_owned()))
    }
}

/// A batch as burn tensors. The dtypes are those of the data, not the device's defaults.
#[derive(Clone, Debug)]
pub struct BurnBatch {
    /// Row 0 sources, row 1 targets.
    pub edge_index: Tensor<2, Int>,
    /// `[nodes]`: the graph of each node.
    pub batch: Tensor<1, Int>,
    /// `[graphs + 1]`: the first node of each graph.
    pub ptr: Tensor<1, Int>,
    /// `[graphs]`: numbers in the data set, -1 for padding.
    pub graph_ids: Tensor<1, Int>,
    /// `[nodes]`: true for real nodes.
    pub node_mask: Tensor<1, Bool>,
    /// `[edges]`: true for real edges.
    pub edge_mask: Tensor<1, Bool>,
    /// `[graphs]`: true for real graphs.
    pub graph_mask: Tensor<1, Bool>,
    /// The fixed shape.
    pub shape: Shape,
    /// How much of the shape is real.
    pub real: Shape,
    /// The epoch that the batch belongs to.
    pub epoch: u64,
    /// The number of the batch in its epoch.
    pub step: u64,
    fields: Vec<(String, Dtype, Field)>,
}

/// A field of the data set, `[rows, width]`.
#[derive(Clone, Debug)]
enum Field {
    Float(Tensor<2>),
    Int(Tensor<2, Int>),
    Bool(Tensor<2, Bool>),
}

impl BurnBatch {
    /// The tensors of a batch, on `device`.
    pub fn new(batch: Batch, device: &Device) -> Result<Self, ArrayError> {
        let fields = batch.layout().schema().fields().iter().map(|field| {
            let data = data(&batch, &field.name)?;
            let options = (device, data.dtype());
            let tensor = match field.dtype {
                Dtype::F32 | Dtype::F64 => Field::Float(Tensor::from_data(data, options)),
                Dtype::I64 | Dtype::I32 | Dtype::U8 => Field::Int(Tensor::from_data(data, options)),
                Dtype::Bool => Field::Bool(Tensor::from_data(data, options)),
            };
            Ok((field.name.clone(), field.dtype, tensor))
        });
        let fields = fields.collect::<Result<_, ArrayError>>()?;
        let vector = |name| {
            let data = data(&batch, name)?;
            let options = (device, data.dtype());
            Ok::<Tensor<1, Int>, ArrayError>(Tensor::from_data(data, options))
        };
        let mask = |name| Ok::<Tensor<1, Bool>, ArrayError>(Tensor::from_data(data(&batch, name)?, device));
        let edge_index = data(&batch, "edge_index")?;
        let options = (device, edge_index.dtype());
        Ok(Self {
            edge_index: Tensor::from_data(edge_index, options),
            batch: vector("batch")?,
            ptr: vector("ptr")?,
            graph_ids: vector("graph_ids")?,
            node_mask: mask("node_mask")?,
            edge_mask: mask("edge_mask")?,
            graph_mask: mask("graph_mask")?,
            shape: batch.shape(),
            real: batch.real(),
            epoch: batch.epoch(),
            step: batch.step(),
            fields,
        })
    }

    /// The field `name` of floating-point numbers, `[rows, width]`.
    pub fn float(&self, name: &str) -> Result<Tensor<2>, ArrayError> {
        match self.field(name)? {
            (_, Field::Float(tensor)) => Ok(tensor.clone()),
            (dtype, _) => Err(other(name, dtype, Dtype::F32)),
        }
    }

    /// The field `name` of integers, `[rows, width]`.
    pub fn int(&self, name: &str) -> Result<Tensor<2, Int>, ArrayError> {
        match self.field(name)? {
            (_, Field::Int(tensor)) => Ok(tensor.clone()),
            (dtype, _) => Err(other(name, dtype, Dtype::I64)),
        }
    }

    /// The field `name` of truth values, `[rows, width]`.
    pub fn bool(&self, name: &str) -> Result<Tensor<2, Bool>, ArrayError> {
        match self.field(name)? {
            (_, Field::Bool(tensor)) => Ok(tensor.clone()),
            (dtype, _) => Err(other(name, dtype, Dtype::Bool)),
        }
    }

    fn field(&self, name: &str) -> Result<(Dtype, &Field), ArrayError> {
        let found = self.fields.iter().find(|(field, _, _)| field == name);
        found.map(|(_, dtype, tensor)| (*dtype, tensor)).ok_or_else(|| ArrayError::Missing { name: name.to_owned() })
    }
}

fn other(name: &str, expected: Dtype, found: Dtype) -> ArrayError {
    ArrayError::Dtype { name: name.to_owned(), expected, found }
}

/// One array of a batch.
fn data(batch: &Batch, name: &str) -> Result<TensorData, ArrayError> {
    let array = batch.layout().array(name).ok_or_else(|| ArrayError::Missing { name: name.to_owned() })?;
    let sizes: Vec<usize> = [array.rows].into_iter().chain(array.width).collect();
    Ok(match array.dtype {
        Dtype::F32 => TensorData::new(batch.get::<f32>(name)?.to_vec(), sizes),
        Dtype::F64 => TensorData::new(batch.get::<f64>(name)?.to_vec(), sizes),
        Dtype::I64 => TensorData::new(batch.get::<i64>(name)?.to_vec(), sizes),
        Dtype::I32 => TensorData::new(batch.get::<i32>(name)?.to_vec(), sizes),
        Dtype::U8 => TensorData::new(batch.get::<u8>(name)?.to_vec(), sizes),
        Dtype::Bool => TensorData::new(batch.get::<bool>(name)?.to_vec(), sizes),
    })
}
