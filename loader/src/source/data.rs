//! [`Data`]: the graphs that a loader makes batches of.

use super::graphs::{DrawEpoch, Graphs};
use super::map::Map;
use super::mixture::{Mixture, MixtureError, weights_at, weights_of};
use super::own::{Failed, Own};
use super::subset::{Subset, SubsetError};
use super::{GraphError, Source, Store, StoreFiles, Weights};
use crate::error::{BoxError, Error, panic_message};
use crate::layout::{Schema, Size, Slot};
use std::convert::Infallible;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Graphs that a [`Loader`](crate::Loader) makes batches of: any [`Source`], and what its methods make of it. Clones
/// share all of it, and nothing is copied until a graph is written into a batch.
///
/// ```
/// use graphpack_loader::{Data, Edges, Loader, Options, Order, clusters};
///
/// let data = Data::from(clusters::generate(1, 100)).connect(Edges::Nearest(4))?.triplets()?;
/// assert_eq!(data.schema().sets()[..], ["nodes", "edges", "triplets"]);
/// let training = data.subset((0..80).collect::<Vec<u32>>())?;
/// let loader = Loader::new(training, Options::graphs(8).order(Order::Shuffled).seed(42))?;
/// # assert!(loader.epoch(0).all(|batch| batch.is_ok()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Data {
    /// The graphs, or those of epoch 0.
    graphs: Arc<dyn Graphs>,
    /// Draws those of an epoch, if each has its own.
    draw: Option<Arc<DrawEpoch>>,
}

impl<S: Source> From<S> for Data {
    fn from(source: S) -> Self {
        Arc::new(source).into()
    }
}

impl<S: Source + ?Sized> From<Arc<S>> for Data {
    fn from(source: Arc<S>) -> Self {
        Self::of(Own::new(source))
    }
}

impl From<Store> for Data {
    fn from(store: Store) -> Self {
        Self::of(store)
    }
}

impl From<Arc<Store>> for Data {
    fn from(store: Arc<Store>) -> Self {
        Self::shared(store)
    }
}

impl From<StoreFiles> for Data {
    fn from(files: StoreFiles) -> Self {
        Self::of(files)
    }
}

impl From<Arc<StoreFiles>> for Data {
    fn from(files: Arc<StoreFiles>) -> Self {
        Self::shared(files)
    }
}

impl From<&Self> for Data {
    fn from(data: &Self) -> Self {
        data.clone()
    }
}

impl Data {
    fn of(graphs: impl Graphs) -> Self {
        Self::shared(Arc::new(graphs))
    }

    fn shared(graphs: Arc<dyn Graphs>) -> Self {
        Self { graphs, draw: None }
    }

    /// The sets, fields and indices that each graph has.
    pub fn schema(&self) -> &Schema {
        self.graphs.schema()
    }

    /// Number of graphs.
    pub fn len(&self) -> usize {
        self.graphs.len()
    }

    /// Whether there are no graphs.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns how many rows of each set graph `graph` has. Errors if there is no such graph, or if the source could
    /// not say the size of a graph.
    pub fn size(&self, graph: usize) -> Result<Size, Error> {
        self.graphs.known().map_err(GraphError::first)?;
        self.expect(graph)?;
        Ok(self.graphs.size(graph))
    }

    /// Errors unless there is such a graph.
    fn expect(&self, graph: usize) -> Result<(), Error> {
        let graphs = self.len();
        if graph < graphs {
            return Ok(());
        }
        Err(GraphError { graph: graph as u64, source: format!("there are {graphs} graphs").into() }.into())
    }

    /// Returns the sizes of all graphs, in their order. Errors if the source could not say one.
    ///
    /// ```
    /// use graphpack_loader::graphpack_core::Histogram;
    /// use graphpack_loader::{Data, molecules};
    ///
    /// let data = Data::from(molecules::generate(7, 1000)).triplets()?;
    /// let histogram = Histogram::from_sizes(data.sizes()?)?;
    /// # assert!(histogram.entries().len() > 10);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn sizes(&self) -> Result<impl Iterator<Item = Size>, Error> {
        self.graphs.known().map_err(GraphError::first)?;
        Ok((0..self.len()).map(|graph| self.graphs.size(graph)))
    }

    /// Returns the number of graph `graph` in the data set, as `graph_ids` and messages show it. It differs from
    /// `graph` in a [subset](Self::subset). Errors if there is no such graph.
    pub fn number(&self, graph: usize) -> Result<u64, Error> {
        self.expect(graph)?;
        Ok(self.graphs.number(graph))
    }

    /// Returns a hash that tells data sets apart. A saved state resumes only on data with the same fingerprint.
    pub fn fingerprint(&self) -> u64 {
        self.graphs.fingerprint()
    }

    /// Returns the graphs at the places `graphs` of these data, counted from 0, in this order. A graph may occur
    /// several times; maps then draw other random numbers for it each time. Errors if there is no graph at one of the
    /// places, or if graphs are drawn again for each epoch.
    ///
    /// A split is a subset. Batches number its graphs as the data set does:
    ///
    /// ```
    /// use graphpack_loader::{Data, Loader, Options, Order, molecules};
    ///
    /// let data = Data::from(molecules::generate(7, 1000));
    /// let (test, training): (Vec<u32>, Vec<u32>) = (0..1000).partition(|graph| graph % 10 == 0);
    /// let training = Loader::new(data.subset(training)?, Options::graphs(64).order(Order::Shuffled).seed(42))?;
    /// let test = Loader::new(data.subset(test)?, Options::graphs(64))?;
    /// let mut tested: Vec<i64> = Vec::new();
    /// for batch in test.epoch(0) {
    ///     tested.extend(batch?.graph_ids());
    /// }
    /// tested.sort();
    /// assert_eq!(tested[..3], [0, 10, 20]);
    /// # assert!(training.epoch(0).all(|batch| batch.is_ok_and(|batch| batch.graph_ids().iter().all(|id| id % 10 != 0))));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn subset(&self, graphs: impl Into<Arc<[u32]>>) -> Result<Self, Error> {
        if self.draw.is_some() {
            return Err(SubsetError::Drawn.into());
        }
        Ok(Self::of(Subset::new(self.graphs.clone(), graphs.into())?))
    }

    /// Returns several data sets as one: their graphs one data set after the other, packed together. Messages and
    /// reports call each by its name. Errors if a field or index of one name differs between two data sets in its set,
    /// dtype, width or stated unit, if it has labels in one of two alone, or if a data set has rows of a set but not the
    /// index of that set that others have. A field has no unit if one data set states none. `graphpack convert` joins
    /// other dtypes and units.
    ///
    /// Graphs have all sets, fields and indices that any data set has. A field that one lacks is 0 there, and a bool of
    /// each graph, `has_NAME`, says whether it has it, for losses to take. A data set that has such a mask itself keeps
    /// it; one of each column makes those of graphs as wide. Where there is a mask, NaN is a value that the graph lacks,
    /// as [`Store::with_masks`](crate::Store::with_masks) says. A set that one lacks has no rows there. Labels are those
    /// of the first data set, then what others have besides, and codes are theirs: a code without a label is an error of
    /// its graph.
    ///
    /// An epoch has every graph once, unless [`rates`](Self::rates) draw them.
    ///
    /// ```
    /// use graphpack_loader::{Column, Data, Level, Loader, Options, Store};
    ///
    /// let graphs = |columns| Store::of_columns(vec![0, 2, 5], vec![0, 1, 2], [vec![0, 2], vec![1, 0]], columns);
    /// let energy = Column::new("energy", Level::Graph, 1, vec![-1.0_f32, -2.5]);
    /// let forces = Column::new("forces", Level::NODE, 3, vec![0.1_f32; 15]);
    /// let (relaxed, moved) = (graphs(vec![energy.clone()])?, graphs(vec![energy, forces])?);
    /// let data = Data::mix(&[("relaxed", &relaxed.into()), ("moved", &moved.into())])?;
    ///
    /// let loader = Loader::new(data, Options::graphs(4))?;
    /// for batch in loader.epoch(0) {
    ///     let batch = batch?;
    ///     let (dataset, has_forces) = (batch.get::<i64>("dataset")?, batch.get::<bool>("has_forces")?);
    ///     for graph in 0..batch.real().graphs() {
    ///         assert_eq!(has_forces[graph], dataset[graph] == 1);
    ///     }
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn mix(parts: &[(&str, &Self)]) -> Result<Self, Error> {
        if let Some((name, _)) = parts.iter().find(|(_, data)| data.draw.is_some()) {
            return Err(MixtureError::Drawn { name: (*name).to_owned() }.into());
        }
        let parts = parts.iter().map(|(name, data)| ((*name).to_owned(), data.graphs.clone()));
        Ok(Self::of(Mixture::new(parts.collect())?))
    }

    /// Returns the graphs changed by a function, for augmentation. Workers call it with each graph that was written
    /// into its batch; [`Slot::keep`] lets it have fewer rows.
    ///
    /// Maps and what derives sets, [`connect`](Self::connect), [`triplets`](Self::triplets) and
    /// [`line_graphs`](Self::line_graphs), come in the order of the calls. A set is made from what the maps before it
    /// left. A map after it finds its rows, and may keep fewer or change their fields, but not what they were made
    /// from: positions after `connect`, or `edge_index` after `triplets`, are an error. Edges of a store are not made.
    ///
    /// [`Slot::random`] gives random numbers that depend on the seed of the loader, the epoch, the graph and the name
    /// of the map, not on the worker; a graph that a subset has or weights draw several times gets others each time.
    /// Saved states belong to the names of the maps, so that another name tells of another change.
    ///
    /// ```
    /// use graphpack_loader::{Data, Loader, Options, Order, clusters};
    ///
    /// let noisy = Data::from(clusters::generate(1, 100)).map("noise", |graph| {
    ///     let mut random = graph.random();
    ///     graph.get::<f32>("pos")?.iter_mut().for_each(|x| *x += random.normal(0.01));
    ///     Ok(())
    /// });
    /// let loader = Loader::new(noisy, Options::graphs(16).order(Order::Shuffled).seed(7))?;
    /// # assert!(loader.epoch(0).all(|batch| batch.is_ok()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn map(
        &self,
        name: &str,
        change: impl Fn(&mut Slot<'_>) -> Result<(), BoxError> + Send + Sync + 'static,
    ) -> Self {
        let (name, change) = (name.to_owned(), Arc::new(change));
        let Ok(mapped) = self.made(move |graphs| -> Result<Arc<dyn Graphs>, Infallible> {
            Ok(Arc::new(Map::new(graphs, &name, change.clone())))
        });
        mapped
    }

    /// Returns what `make` makes of the graphs, or of those of each epoch.
    pub(super) fn made<E: Into<BoxError>>(
        &self,
        make: impl Fn(Arc<dyn Graphs>) -> Result<Arc<dyn Graphs>, E> + Send + Sync + 'static,
    ) -> Result<Self, E> {
        let graphs = make(self.graphs.clone())?;
        let draw = self
            .draw
            .clone()
            .map(|draw| -> Arc<DrawEpoch> { Arc::new(move |epoch| make(draw(epoch)?).map_err(Into::into)) });
        Ok(Self { graphs, draw })
    }

    /// Returns graphs that are drawn again for each epoch, such as sampled neighbourhoods: `draw` returns those of an
    /// epoch. Every call with the same epoch must return the same graphs, and their fingerprints must differ between
    /// epochs.
    ///
    /// ```
    /// use graphpack_loader::{Data, Loader, Options, Order, molecules};
    ///
    /// // A different third of the data set in each epoch.
    /// let all = Data::from(molecules::generate(1, 300));
    /// let thirds = Data::each_epoch(move |epoch| {
    ///     let third: Vec<u32> = (0..300).filter(|graph| u64::from(graph % 3) == epoch % 3).collect();
    ///     Ok(all.subset(third)?)
    /// });
    /// let loader = Loader::new(thirds, Options::graphs(20).order(Order::Shuffled).seed(1))?;
    /// for epoch in 0..2 {
    ///     let mut graphs = 0;
    ///     for batch in loader.epoch(epoch) {
    ///         let batch = batch?;
    ///         assert_eq!(Some(batch.shape()), loader.shape());
    ///         graphs += batch.real().graphs();
    ///     }
    ///     assert_eq!(graphs, 100);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// This draws epoch 0, and the schema, the number, the sizes and the fingerprint of graphs are those of epoch 0. If
    /// it cannot be drawn, a loader of the data is an error. Its graphs stay in memory with the data. [Maps](Self::map)
    /// and what is derived of these graphs are made of those of each epoch.
    ///
    /// All epochs of a loader share one shape and one pool of memory, and can be resumed. A
    /// [`Capacity`](crate::Capacity) that depends on the sizes of the graphs, such as the default, is computed from
    /// epoch 0 and kept for all epochs, and so is the shape, the padding rows included; with rounded and exact
    /// [`Shapes`](crate::Shapes), each epoch computes its own. If a graph of a later epoch
    /// exceeds it, or if `draw` errors or panics, the first item of that epoch is an error;
    /// [`Oversize`](crate::Oversize) may say otherwise of large graphs. Each epoch has its own plan: weights, [few
    /// shapes](crate::Shapes::Few) and a [given plan](crate::Grouping::Plan) are refused.
    ///
    /// Unless `workers` is 0, a thread draws and plans the next epoch while the current one is loaded. So after the
    /// last epoch of a training one more is drawn that is never used, and dropping the loader waits for that thread.
    pub fn each_epoch(draw: impl Fn(u64) -> Result<Self, BoxError> + Send + Sync + 'static) -> Self {
        let draw = move |epoch| {
            let drawn = draw(epoch)?;
            match drawn.draw {
                None => Ok(drawn.graphs),
                Some(_) => Err("expected graphs, found some that are drawn again for each epoch themselves".into()),
            }
        };
        let first = catch_unwind(AssertUnwindSafe(|| draw(0)));
        let first = first.unwrap_or_else(|panic| Err(panic_message(&*panic).into()));
        let graphs = first.unwrap_or_else(|error| Arc::new(Failed::new(error)));
        Self { graphs, draw: Some(Arc::new(draw)) }
    }

    /// Returns weights with which an epoch draws from each data set of a [mix](Self::mix) at a rate: rates of 3 and 1
    /// make three quarters of the graphs the first data set's, whatever the numbers of their graphs. Give them to
    /// [`Options::weights`](field@crate::Options::weights).
    ///
    /// Graphs are drawn with replacement, so that an epoch has some more than once and others not at all. It draws as
    /// many graphs as there are, or [as asked](Weights::with_draws). Of a data set some of whose graphs are skipped,
    /// because they exceed the limits, only the others' share of its rate is drawn.
    ///
    /// ```
    /// use graphpack_loader::{Data, Loader, Options, Order, molecules};
    ///
    /// let [large, small] = [(1, 3000), (2, 100)].map(|(seed, graphs)| molecules::generate(seed, graphs).into());
    /// let data = Data::mix(&[("large", &large), ("small", &small)])?;
    /// let weights = data.rates(&[3.0, 1.0])?.with_draws(2000);
    /// let loader = Loader::new(data, Options::default().weights(weights).order(Order::Shuffled).seed(7))?;
    /// let mut epoch = loader.epoch(0);
    /// for batch in &mut epoch {
    ///     batch?;
    /// }
    /// let graphs = epoch.report().graphs_per_data_set();
    /// assert_eq!((graphs[0].0.as_str(), graphs[0].1 + graphs[1].1), ("large", 2000));
    /// assert!((1400..1600).contains(&graphs[0].1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn rates(&self, rates: &[f64]) -> Result<Weights, Error> {
        weights_of(&*self.graphs, rates)
    }

    /// Returns weights with which an epoch draws from each data set of a [mix](Self::mix) at a rate proportional to
    /// n^(1/T), where n is the number of its graphs and T the `temperature`: at 1 all graphs are drawn alike, at
    /// infinity all data sets, between them small data sets more than at 1. Otherwise as [`rates`](Self::rates).
    pub fn rates_at_temperature(&self, temperature: f64) -> Result<Weights, Error> {
        weights_at(&*self.graphs, temperature)
    }

    /// The graphs, or those of epoch 0.
    pub(crate) fn graphs(&self) -> &Arc<dyn Graphs> {
        &self.graphs
    }

    /// Draws the graphs of an epoch, if each has its own.
    pub(crate) fn draw_epoch(&self) -> Option<&Arc<DrawEpoch>> {
        self.draw.as_ref()
    }
}

impl fmt::Debug for Data {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Data of {} graphs with {:?}", self.len(), self.schema().sets())
    }
}
