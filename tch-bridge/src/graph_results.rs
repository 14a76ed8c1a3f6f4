//! [`GraphResults`]: results of batches, put back into the order of the data.

use crate::{BridgeError, Error, TensorBatch};
use graphpack_loader::Data;
use tch::Tensor;

/// Results for graphs, such as predictions, which come in the order of the batches and are wanted in that of the
/// loader's data.
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
/// Each place in the data gets its own result, also where a graph has several. A second result for a place is an error.
#[derive(Debug, Default)]
pub struct GraphResults {
    /// The fingerprint of the data that the batches are of.
    data: Option<u64>,
    places: Vec<u32>,
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
        let data = batch.state().data_fingerprint();
        if *self.data.get_or_insert(data) != data {
            return Err(
                BridgeError::Results("expected batches of the same data, found one of other data".into()).into()
            );
        }
        let real = values.f_narrow(0, 0, batch.real().graphs() as i64)?.f_detach()?;
        let mut copy = real.f_empty_like()?;
        copy.f_copy_(&real)?;
        self.places.extend(batch.places());
        self.values.push(copy);
        Ok(())
    }

    /// The results in the order of the loader's data: `[data.len(), ...]`, row i of its graph i,
    /// on the device of the results. All graphs must have one.
    pub fn in_order(&self, data: &Data) -> Result<Tensor, Error> {
        let rows = self.rows_of(data)?;
        let missing: Vec<_> = (0..rows.len()).filter(|&place| rows[place].is_none()).collect();
        match missing.as_slice() {
            [] => self.select(rows.into_iter().flatten().collect()),
            [first, ..] => Err(BridgeError::Results(format!(
                "{} of the {} graphs of the data have no result, the first of them is graph {}; \
                 `in_order_or` gives them one",
                missing.len(),
                rows.len(),
                data.number(*first)
            ))
            .into()),
        }
    }

    /// The same where graphs may have no result, as those that `Oversize::Skip` or `OnError::Skip` leaves out and those
    /// of other ranks: their rows are filled with `value`.
    pub fn in_order_or(&self, data: &Data, value: f64) -> Result<Tensor, Error> {
        let rows = self.rows_of(data)?;
        let missing: Vec<bool> = rows.iter().map(Option::is_none).collect();
        let selected = self.select(rows.into_iter().map(|row| row.unwrap_or(0)).collect())?;
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

    /// For each graph of the data, the row of its result, among those of all batches one after the other.
    fn rows_of(&self, data: &Data) -> Result<Vec<Option<i64>>, Error> {
        if self.data.is_some_and(|expected| expected != data.fingerprint()) {
            let message = "expected the data that the batches are of, found other data".to_owned();
            return Err(BridgeError::Results(message).into());
        }
        let mut rows = vec![None; data.len()];
        for (row, &place) in self.places.iter().enumerate() {
            let Some(of_place) = rows.get_mut(place as usize) else {
                let message = format!("graph {place} has a result, but the data have {} graphs", data.len());
                return Err(BridgeError::Results(message).into());
            };
            if of_place.replace(row as i64).is_some() {
                let (place, number) = (place as usize, data.number(place as usize));
                let message = format!("graph {number}, at place {place}, has two results; an epoch adds each once");
                return Err(BridgeError::Results(message).into());
            }
        }
        Ok(rows)
    }

    /// Rows of the results of all batches.
    fn select(&self, rows: Vec<i64>) -> Result<Tensor, Error> {
        if self.values.is_empty() {
            return Err(BridgeError::Results("expected results, found none: nothing was added".into()).into());
        }
        let values = Tensor::f_cat(&self.values, 0)?;
        if values.size().first() == Some(&0) && !rows.is_empty() {
            return Err(BridgeError::Results("expected results, found none: all batches are padding".into()).into());
        }
        Ok(values.f_index_select(0, &Tensor::f_from_slice(&rows)?.f_to_device(values.device())?)?)
    }
}
