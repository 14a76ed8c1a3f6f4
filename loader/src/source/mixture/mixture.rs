//! [`Mixture`]: several data sets as one source.

use super::{Lacking, MixedGraphError, MixtureError, Union};
use crate::fingerprint::mix;
use crate::layout::{IndexBytes, MAX_COLUMNS, Schema, Size, Slot, Within};
use crate::options::Weights;
use crate::source::{DataSet, Graphs, Source, SourceError};
use std::sync::Arc;

/// Several data sets as one source: their graphs one data set after the other, packed together.
///
/// Graphs have all sets, fields and indices that any data set has. A field that one lacks is 0 there, and a bool of each
/// graph, `has_NAME`, says whether it has it, for losses to take. A data set that has such a mask itself keeps it. A set that
/// one lacks has no rows there. What two data sets have by one name must be of the same set, dtype and width. The int64
/// `dataset` of each graph is the number of its data set.
///
/// An epoch has every graph once, unless [`at_rates`](Self::at_rates) or [`at_temperature`](Self::at_temperature) draws
/// them.
///
/// ```
/// use graphpack_loader::{Column, Level, Loader, Mixture, Options, Store};
///
/// let graphs = |columns| Store::of_columns(vec![0, 2, 5], vec![0, 1, 2], [vec![0, 2], vec![1, 0]], columns);
/// let energy = Column::new("energy", Level::Graph, 1, vec![-1.0_f32, -2.5]);
/// let forces = Column::new("forces", Level::NODE, 3, vec![0.1_f32; 15]);
/// let data = Mixture::new("relaxed", graphs(vec![energy.clone()])?)?.and("moved", graphs(vec![energy, forces])?)?;
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
#[derive(Clone)]
pub struct Mixture {
    schema: Schema,
    parts: Vec<Part>,
    data_sets: Vec<DataSet>,
}

#[derive(Clone)]
struct Part {
    source: Arc<dyn Source>,
    within: Within,
    lacking: Lacking,
    /// The number of its first graph.
    start: usize,
}

impl Mixture {
    /// Begins a mixture with a data set, to which others are [added](Self::and). Messages and reports call it `name`.
    pub fn new(name: impl Into<String>, source: impl Source) -> Result<Self, MixtureError> {
        Self::of(vec![(name.into(), Arc::new(source))])
    }

    /// Adds a data set after the others. Errors if it means something else by a name, as another dtype or width, or if it
    /// has rows of a set without an index of them that others have.
    pub fn and(self, name: impl Into<String>, source: impl Source) -> Result<Self, MixtureError> {
        let names = self.data_sets.into_iter().map(|data_set| data_set.name);
        let mut parts: Vec<_> = names.zip(self.parts.into_iter().map(|part| part.source)).collect();
        parts.push((name.into(), Arc::new(source)));
        Self::of(parts)
    }

    fn of(sources: Vec<(String, Arc<dyn Source>)>) -> Result<Self, MixtureError> {
        if let Some((last, others)) = sources.split_last()
            && others.iter().any(|(name, _)| *name == last.0)
        {
            return Err(MixtureError::Name { name: last.0.clone() });
        }
        let schemas: Vec<_> = sources.iter().map(|(name, source)| (name.as_str(), source.schema())).collect();
        let Union { schema, within, lacking } = Union::new(&schemas)?;
        let (mut parts, mut data_sets, mut start) = (Vec::new(), Vec::new(), 0);
        for ((name, source), (within, lacking)) in sources.into_iter().zip(within.into_iter().zip(lacking)) {
            let end = start + source.len();
            data_sets.push(DataSet { name, graphs: start as u64..end as u64 });
            parts.push(Part { source, within, lacking, start });
            start = end;
        }
        Ok(Self { schema, parts, data_sets })
    }

    /// Returns weights with which an epoch draws from each data set at a rate: rates of 3 and 1 make three quarters of
    /// the graphs the first data set's, whatever the numbers of their graphs. Give them to
    /// [`Options::weights`](field@crate::Options::weights).
    ///
    /// Graphs are drawn with replacement, so that an epoch has some more than once and others not at all. It draws as
    /// many graphs as the mixture has, or [as asked](Weights::with_draws). Of a data set some of whose graphs are skipped,
    /// because they exceed the limits, only the others' share of its rate is drawn.
    ///
    /// ```
    /// use graphpack_loader::{Loader, Mixture, Options, Order, molecules};
    ///
    /// let data = Mixture::new("large", molecules::generate(1, 3000))?.and("small", molecules::generate(2, 100))?;
    /// let weights = data.at_rates(&[3.0, 1.0])?.with_draws(2000);
    /// let loader = Loader::new(data, Options::default().weights(weights).order(Order::Shuffled).seed(7))?;
    /// let mut epoch = loader.epoch(0);
    /// for batch in &mut epoch {
    ///     batch?;
    /// }
    /// let drawn = epoch.report().drawn();
    /// assert_eq!((drawn[0].0.as_str(), drawn[0].1 + drawn[1].1), ("large", 2000));
    /// assert!((1400..1600).contains(&drawn[0].1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn at_rates(&self, rates: &[f64]) -> Result<Weights, MixtureError> {
        if rates.len() != self.parts.len() {
            let names = self.data_sets.iter().map(|data_set| data_set.name.clone()).collect();
            return Err(MixtureError::Rates { names, found: rates.len() });
        }
        let sum = rates.iter().sum::<f64>();
        let mut weights = Vec::with_capacity(self.len());
        for (DataSet { name, graphs }, &rate) in self.data_sets.iter().zip(rates) {
            let (name, count) = (name.clone(), graphs.end - graphs.start);
            match rate {
                _ if !(rate >= 0.0 && rate.is_finite()) => return Err(MixtureError::Rate { name, rate }),
                _ if rate > 0.0 && count == 0 => return Err(MixtureError::Empty { name, rate }),
                // Of the sum, so that no rate is too small or too large to be divided.
                _ => weights.resize(graphs.end as usize, rate / sum / count.max(1) as f64),
            }
        }
        if !(sum > 0.0 && sum.is_finite()) {
            return Err(MixtureError::Sum { sum });
        }
        Weights::new(&weights).map_err(|_| MixtureError::Sum { sum })
    }

    /// Returns weights with which an epoch draws from each data set at a rate proportional to n^(1/T), where n is the
    /// number of its graphs and T the `temperature`: at 1 every graph is as likely, the higher it is the more the small data
    /// sets are drawn, and at infinity all data sets alike. As [`at_rates`](Self::at_rates) otherwise.
    pub fn at_temperature(&self, temperature: f64) -> Result<Weights, MixtureError> {
        if temperature.is_nan() || temperature <= 0.0 {
            return Err(MixtureError::Temperature { temperature });
        }
        let largest = self.parts.iter().map(|part| part.source.len()).max().unwrap_or(0).max(1);
        // Relative to the largest: no power of them is infinite.
        let share = |graphs: usize| (graphs as f64 / largest as f64).powf(temperature.recip());
        let rate = |part: &Part| if part.source.is_empty() { 0.0 } else { share(part.source.len()) };
        self.at_rates(&self.parts.iter().map(rate).collect::<Vec<_>>())
    }

    /// The number of the data set that a graph is of, and the graph's number there.
    #[inline]
    fn find(&self, graph: usize) -> (usize, usize) {
        let number = self.parts.partition_point(|part| part.start <= graph).saturating_sub(1);
        (number, graph - self.parts[number].start)
    }
}

impl Source for Mixture {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn len(&self) -> usize {
        self.data_sets.last().map_or(0, |last| last.graphs.end as usize)
    }

    fn size(&self, graph: usize) -> Size {
        let (number, graph) = self.find(graph);
        let Part { source, within, .. } = &self.parts[number];
        within.larger(self.schema.sets().len(), &source.size(graph))
    }

    fn write(&self, graph: usize, slot: &mut Slot<'_>) -> Result<(), SourceError> {
        let (number, graph) = self.find(graph);
        let Part { source, within, lacking, .. } = &self.parts[number];
        lacking.fields.iter().try_for_each(|&field| slot.write_zeros(field))?;
        for &(index, columns) in &lacking.indices {
            slot.set_index_at(index, &[IndexBytes::EMPTY; MAX_COLUMNS][..columns])?;
        }
        for &(mask, there) in &lacking.masks {
            slot.set_at(mask, &[u8::from(there)])?;
        }
        slot.set_at(self.schema.fields().len() - 1, &(number as i64).to_ne_bytes())?;
        slot.within(within, |slot| source.write(graph, slot)).map_err(|error| self.named(number, graph, error))
    }

    fn write_derived(&self, graph: usize, slot: &mut Slot<'_>) -> Result<(), SourceError> {
        let (number, graph) = self.find(graph);
        let Part { source, within, .. } = &self.parts[number];
        slot.within(within, |slot| source.write_derived(graph, slot)).map_err(|error| self.named(number, graph, error))
    }

    fn derived_from(&self) -> Vec<(&str, &str)> {
        self.parts.iter().flat_map(|part| part.source.derived_from()).collect()
    }

    fn will_write(&self, graph: usize) {
        let (number, graph) = self.find(graph);
        self.parts[number].source.will_write(graph);
    }

    fn will_write_all(&self, graphs: Graphs<'_>) {
        for (number, part) in self.parts.iter().enumerate() {
            part.source.will_write_all(&|each| self.each_of(number, graphs, each));
        }
    }

    fn check(&self, graphs: Graphs<'_>) -> Result<(), SourceError> {
        let check = |(number, part): (usize, &Part)| part.source.check(&|each| self.each_of(number, graphs, each));
        self.parts.iter().enumerate().try_for_each(check)
    }

    /// Returns a hash of the fingerprints of all data sets in their order. Their names do not matter.
    fn fingerprint(&self) -> u64 {
        let start = mix(self.schema.fingerprint(), self.parts.len() as u64);
        self.parts.iter().fold(start, |hash, part| mix(mix(hash, part.source.fingerprint()), part.start as u64))
    }

    fn contents_fingerprint(&self) -> u64 {
        self.parts.iter().fold(self.fingerprint(), |hash, part| mix(hash, part.source.contents_fingerprint()))
    }

    fn checksum(&self) -> Option<u64> {
        self.parts.iter().try_fold(0, |hash, part| Some(mix(hash, part.source.checksum()?)))
    }

    fn data_sets(&self) -> &[DataSet] {
        &self.data_sets
    }
}

impl Mixture {
    /// Calls `each` with those graphs that are of a data set, by their numbers there.
    fn each_of(&self, number: usize, graphs: Graphs<'_>, each: &mut dyn FnMut(usize)) {
        graphs(&mut |graph| {
            let (of, graph) = self.find(graph);
            if of == number {
                each(graph);
            }
        });
    }

    /// Says which graph of which data set cannot be written.
    #[cold]
    fn named(&self, number: usize, graph: usize, error: SourceError) -> SourceError {
        let (name, graph) = (self.data_sets[number].name.clone(), self.parts[number].source.number(graph));
        Box::new(MixedGraphError { name, graph, source: error })
    }
}
