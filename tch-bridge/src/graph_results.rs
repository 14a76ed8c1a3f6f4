//! [`GraphResults`]: results of batches, put back into the order of the data.

use crate::{BridgeError, Error, TensorBatch};
use graphpack_loader::{Data, GraphResults as Rows};
use tch::Tensor;

/// Collects results for graphs, such as predictions, batch by batch, and returns them in the order of the loader's
/// data.
///
/// ```
/// use graphpack_loader::{Data, Loader, Options, molecules};
/// use graphpack_tch::{DeviceLoader, GraphResults};
/// use std::sync::Arc;
/// use tch::{Device, Kind};
///
/// let data = Arc::new(molecules::generate(1, 100));
/// let split = Data::from(data).subset(vec![7, 3, 98, 3])?; // graph 3 twice
/// let loader = Loader::new(split, Options::graphs(2))?;
/// let mut predictions = GraphResults::new();
/// for batch in DeviceLoader::new(loader.epoch(0), Device::Cpu) {
///     let batch = batch?;
///     predictions.add(&batch, &batch.get("y")?.to_kind(Kind::Float))?; // [graphs, 1] of a network
/// }
/// let predictions = predictions.in_order(loader.data())?; // row 0 of graph 7, rows 1 and 3 of graph 3
/// assert_eq!(predictions.size(), [4, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Each place in the data gets its own result, also where a graph has several places. A second result for a place is an
/// error. Results that are not tensors go into [`graphpack_loader::GraphResults`].
#[derive(Debug, Default)]
pub struct GraphResults {
    /// The row of each result among those of all batches.
    rows: Rows<i64>,
    /// Number of rows.
    count: i64,
    values: Vec<Tensor>,
}

impl GraphResults {
    /// Creates it without results.
    pub fn new() -> Self {
        Self::default()
    }

    /// Copies the results of the real graphs of a batch. `values` is `[graphs, ...]`, padding included. Nothing waits
    /// for the device.
    pub fn add(&mut self, batch: &TensorBatch, values: &Tensor) -> Result<(), Error> {
        let (size, graphs) = (values.size(), batch.shape().graphs() as i64);
        if size.first() != Some(&graphs) {
            let message = format!("values of size {size:?}, expected {graphs} rows, one for each graph of the batch");
            return Err(BridgeError::Results(message).into());
        }
        let real = batch.real().graphs() as i64;
        let found = values.f_narrow(0, 0, real)?.f_detach()?;
        let mut copy = found.f_empty_like()?;
        copy.f_copy_(&found)?;
        self.rows.add(batch, self.count..self.count + real)?;
        self.count += real;
        self.values.push(copy);
        Ok(())
    }

    /// Returns the results in the order of the loader's data: `[data.len(), ...]`, row i for its graph i, on the device
    /// of the results. Errors if a graph has none.
    pub fn in_order(&self, data: &Data) -> Result<Tensor, Error> {
        self.select(&self.rows.clone().in_order(data)?)
    }

    /// Returns the results in the order of the loader's data, with `value` in the rows of graphs without a result:
    /// those that `Oversize::Skip` or `OnError::Skip` leaves out, and those of other ranks.
    pub fn in_order_or(&self, data: &Data, value: f64) -> Result<Tensor, Error> {
        let mut rows = self.rows.clone().in_order_or(data, -1)?;
        let missing: Vec<bool> = rows.iter().map(|row| *row < 0).collect();
        rows.iter_mut().for_each(|row| *row = (*row).max(0));
        let selected = self.select(&rows)?;
        if !selected.is_floating_point() && value.fract() != 0.0 {
            let message = format!("the results are {:?}, which has no {value}", selected.kind());
            return Err(BridgeError::Results(message).into());
        }
        let mut size = vec![1; selected.dim()];
        size[0] = missing.len() as i64;
        let missing = Tensor::f_from_slice(&missing)?.f_to_device(selected.device())?.f_reshape(size)?;
        // A number in place of the tensor would panic where the type of the results cannot hold it.
        Ok(selected.f_masked_fill_tensor(&missing, &Tensor::from(value))?)
    }

    /// Rows of the results of all batches.
    fn select(&self, rows: &[i64]) -> Result<Tensor, Error> {
        if self.values.is_empty() {
            return Err(BridgeError::Results("expected results, found none: nothing was added".into()).into());
        }
        let values = Tensor::f_cat(&self.values, 0)?;
        if values.size().first() == Some(&0) && !rows.is_empty() {
            return Err(BridgeError::Results("expected results, found none: all batches are padding".into()).into());
        }
        Ok(values.f_index_select(0, &Tensor::f_from_slice(rows)?.f_to_device(values.device())?)?)
    }
}
