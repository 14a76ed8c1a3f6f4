//! [`GraphResults`]: results of batches, put back into the order of the data.

use super::BatchInfo;
use crate::error::{Cause, Error, ErrorKind};
use crate::source::Data;

/// Results for graphs, such as predictions, which come in the order of the batches and are wanted in that of the
/// loader's data.
///
/// ```
/// use graphpack_loader::{Data, GraphResults, Loader, Options, molecules};
///
/// let split = Data::from(molecules::generate(1, 100)).subset(vec![7, 3, 98, 3])?; // graph 3 twice
/// let loader = Loader::new(split, Options::graphs(2))?;
/// let mut predictions = GraphResults::new();
/// for batch in loader.epoch(0) {
///     let batch = batch?;
///     let y = batch.get::<i64>("y")?; // a value of a network for each graph, padding graphs included
///     predictions.add(&batch, y.iter().copied())?;
/// }
/// let predictions = predictions.in_order(loader.data())?; // the first of graph 7, then of 3, 98 and 3
/// assert_eq!(predictions.len(), 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A result may be of any type, as a vector with the forces on the nodes of the graph. Each place in the data gets its
/// own, also where a graph has several. A second result for a place, as weights draw graphs twice, is an error.
#[derive(Clone, Debug)]
pub struct GraphResults<T> {
    /// The fingerprint of the data that the batches are of.
    data: Option<u64>,
    /// The place of each result in the data.
    places: Vec<u32>,
    results: Vec<T>,
}

impl<T> Default for GraphResults<T> {
    fn default() -> Self {
        Self { data: None, places: Vec::new(), results: Vec::new() }
    }
}

impl<T> GraphResults<T> {
    /// Creates it without results.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the results of a batch: one for each of its real graphs, or one for each graph, of which those of padding
    /// graphs are left out. Errors if their number is another, if the batch is of other data than those before, or if
    /// it is of a [`Collator`](crate::Collator), whose graphs have no places.
    pub fn add(&mut self, batch: &BatchInfo, results: impl IntoIterator<Item = T>) -> Result<(), Error> {
        if batch.places().len() != batch.real().graphs() {
            return Err(ResultsError::NoPlaces { step: batch.step() }.into());
        }
        let data = batch.state().data_fingerprint();
        if *self.data.get_or_insert(data) != data {
            return Err(ResultsError::OtherBatch { step: batch.step() }.into());
        }
        let (before, [real, graphs]) = (self.results.len(), [batch.real(), batch.shape()].map(|of| of.graphs()));
        self.results.extend(results);
        let found = self.results.len() - before;
        if ![real, graphs].contains(&found) {
            self.results.truncate(before);
            return Err(ResultsError::Number { step: batch.step(), graphs, real, found }.into());
        }
        self.results.truncate(before + real);
        self.places.extend(batch.places());
        Ok(())
    }

    /// Returns the results in the order of the loader's data: number i is that of its graph i. Errors if a graph has
    /// none or two, or if these are not the data of the batches.
    pub fn in_order(self, data: &Data) -> Result<Vec<T>, Error> {
        let ordered = self.ordered(data)?;
        let missing = ordered.iter().filter(|result| result.is_none()).count();
        if let Some(first) = ordered.iter().position(Option::is_none) {
            let (graphs, first) = (data.len(), data.number(first)?);
            return Err(ResultsError::Missing { missing, graphs, first }.into());
        }
        Ok(ordered.into_iter().flatten().collect())
    }

    /// Returns the results in the order of the loader's data, with `value` for each graph that has none: one that was
    /// skipped, was left out with the last batch, or belongs to another rank. Otherwise as
    /// [`in_order`](Self::in_order).
    pub fn in_order_or(self, data: &Data, value: T) -> Result<Vec<T>, Error>
    where
        T: Clone,
    {
        Ok(self.ordered(data)?.into_iter().map(|result| result.unwrap_or_else(|| value.clone())).collect())
    }

    /// The result of each graph of the data.
    fn ordered(self, data: &Data) -> Result<Vec<Option<T>>, Error> {
        if self.data.is_some_and(|expected| expected != data.fingerprint()) {
            return Err(ResultsError::OtherData.into());
        }
        let mut ordered: Vec<Option<T>> = (0..data.len()).map(|_| None).collect();
        for (place, result) in self.places.into_iter().zip(self.results) {
            let of_place = ordered.get_mut(place as usize).ok_or(ResultsError::OtherData)?;
            if of_place.replace(result).is_some() {
                return Err(ResultsError::Twice { graph: data.number(place as usize)?, place }.into());
            }
        }
        Ok(ordered)
    }
}

/// Results do not belong to the graphs of the data.
#[derive(Debug, thiserror::Error)]
enum ResultsError {
    #[error(
        "results of graphs: expected one for each of the {graphs} graphs of the batch of step {step}, or of its {real} real ones, \
             found {found}"
    )]
    Number { step: u64, graphs: usize, real: usize, found: usize },
    #[error("results of graphs: expected batches of the same data, found that of step {step} of other data")]
    OtherBatch { step: u64 },
    #[error("results of graphs: expected a batch of a loader, found that of step {step} of a collator")]
    NoPlaces { step: u64 },
    #[error("results of graphs: expected the data that the batches are of, found other data")]
    OtherData,
    #[error("results of graphs: graph {graph}, at place {place}, has two results; an epoch adds each once")]
    Twice { graph: u64, place: u32 },
    #[error(
        "results of graphs: {missing} of the {graphs} graphs of the data have no result, the first of them is graph \
         {first}; GraphResults::in_order_or gives them one"
    )]
    Missing { missing: usize, graphs: usize, first: u64 },
}

impl Cause for ResultsError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Missing { .. } => ErrorKind::Missing,
            _ => ErrorKind::Data,
        }
    }

    fn graph(&self) -> Option<u64> {
        match *self {
            Self::Twice { graph, .. } | Self::Missing { first: graph, .. } => Some(graph),
            _ => None,
        }
    }

    fn step(&self) -> Option<usize> {
        match *self {
            Self::Number { step, .. } | Self::OtherBatch { step } | Self::NoPlaces { step } => Some(step as usize),
            _ => None,
        }
    }
}
