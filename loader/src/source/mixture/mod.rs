//! [`Mixture`]: several data sets as one, and the weights that draw from each at a rate. `union` has the schema of what
//! any of them has, what each of them lacks, and why they cannot be one.

mod union;

use super::graphs::{DataSet, Each, Graphs};
use super::{GraphError, Weights, Worker};
use crate::error::{BoxError, Cause, Error, ErrorKind, own};
use crate::fingerprint::mix;
use crate::layout::{IndexBytes, MAX_COLUMNS, Schema, Size, Slot, Within};
use std::path::Path;
use std::sync::Arc;
pub(crate) use union::MixtureError;
use union::{Lacking, Union};

/// Several data sets as one: [`Data::mix`](crate::Data::mix).
pub(super) struct Mixture {
    schema: Schema,
    parts: Vec<Part>,
    data_sets: Vec<DataSet>,
}

struct Part {
    graphs: Arc<dyn Graphs>,
    within: Within,
    lacking: Lacking,
    /// The number of its first graph.
    start: usize,
    /// Whether maps of it may come after what is derived.
    derives: bool,
}

impl Mixture {
    /// Unites data sets, each with its name.
    pub(super) fn new(all: Vec<(String, Arc<dyn Graphs>)>) -> Result<Self, Error> {
        for (place, (name, _)) in all.iter().enumerate() {
            if all[..place].iter().any(|(other, _)| other == name) {
                return Err(MixtureError::Name { name: name.clone() }.into());
            }
        }
        let schemas: Vec<_> = all.iter().map(|(name, graphs)| (name.as_str(), graphs.schema())).collect();
        if let Some((name, _)) = schemas.iter().find(|(_, schema)| !schema.index_arrays().is_empty()) {
            return Err(MixtureError::IndexArrays { name: (*name).to_owned() }.into());
        }
        let Union { schema, within, lacking } = Union::new(&schemas)?;
        let (mut parts, mut data_sets, mut start) = (Vec::new(), Vec::new(), 0);
        for ((name, graphs), (within, lacking)) in all.into_iter().zip(within.into_iter().zip(lacking)) {
            let end = start + graphs.len();
            data_sets.push(DataSet { name, graphs: start as u64..end as u64 });
            let derives = !graphs.derived_from().is_empty();
            parts.push(Part { graphs, within, lacking, start, derives });
            start = end;
        }
        Ok(Self { schema, parts, data_sets })
    }

    /// The number of the data set that a graph is of, and the graph's number there.
    #[inline]
    fn find(&self, graph: usize) -> (usize, usize) {
        let number = self.parts.partition_point(|part| part.start <= graph).saturating_sub(1);
        (number, graph - self.parts[number].start)
    }
}

impl Graphs for Mixture {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn len(&self) -> usize {
        self.data_sets.last().map_or(0, |last| last.graphs.end as usize)
    }

    fn known(&self) -> Result<(), BoxError> {
        self.parts.iter().enumerate().try_for_each(|(number, Part { graphs, start, .. })| {
            graphs.known().map_err(|error| {
                let GraphError { graph, source } = GraphError::first(error);
                let place = (0..graphs.len()).find(|&place| graphs.number(place) == graph);
                let source = MixedError { name: self.data_sets[number].name.clone(), graph: Some(graph), source };
                // A subset may lack the graph, which then has only the number of its own data set.
                let graph = place.map_or(graph, |place| (start + place) as u64);
                Error::from(GraphError { graph, source: Error::from(source).into() }).into()
            })
        })
    }

    fn size(&self, graph: usize) -> Size {
        let (number, graph) = self.find(graph);
        let Part { graphs, within, .. } = &self.parts[number];
        within.larger(self.schema.sets().len(), &graphs.size(graph))
    }

    fn write(&self, graph: usize, slot: &mut Slot<'_>, worker: &mut Worker) -> Result<(), BoxError> {
        let (number, graph) = self.find(graph);
        let Part { graphs, within, lacking, derives, .. } = &self.parts[number];
        lacking.fields.iter().try_for_each(|&field| slot.fill(field, 0))?;
        for &(index, columns) in &lacking.indices {
            slot.set_index_at(index, &[IndexBytes::EMPTY; MAX_COLUMNS][..columns])?;
        }
        for &(mask, there) in &lacking.masks {
            slot.fill(mask, there.into())?;
        }
        slot.set_at(self.schema.fields().len() - 1, &(number as i64).to_ne_bytes())?;
        let own = graphs.number(graph);
        let written =
            worker.in_part(number, |worker| slot.within(within, own, |slot| graphs.write(graph, slot, worker)));
        written.map_err(|error| self.named(number, graph, error))?;
        lacking.denied.iter().try_for_each(|&mask| slot.fill(mask, 0))?;
        lacking.narrow.iter().try_for_each(|&mask| slot.spread(mask))?;
        let masked = lacking.masked.iter().try_for_each(|&(field, mask)| slot.mask_nan(field, mask));
        masked.map_err(|error| self.named(number, graph, error.into()))?;
        if *derives {
            return Ok(());
        }
        lacking.recode(slot).map_err(|error| self.named(number, graph, error))
    }

    fn write_derived(&self, graph: usize, slot: &mut Slot<'_>) -> Result<(), BoxError> {
        let (number, graph) = self.find(graph);
        let Part { graphs, within, lacking, derives, .. } = &self.parts[number];
        let derived = slot.within(within, graphs.number(graph), |slot| graphs.write_derived(graph, slot));
        derived.map_err(|error| self.named(number, graph, error))?;
        if !*derives {
            return Ok(());
        }
        lacking.recode(slot).map_err(|error| self.named(number, graph, error))
    }

    fn derived_from(&self) -> Vec<(&str, &str)> {
        self.parts.iter().flat_map(|part| part.graphs.derived_from()).collect()
    }

    fn will_write(&self, graph: usize) {
        let (number, graph) = self.find(graph);
        self.parts[number].graphs.will_write(graph);
    }

    fn prepare(&self, graphs: Each<'_>, worker: &mut Worker) -> Result<(), BoxError> {
        self.parts.iter().enumerate().try_for_each(|(number, part)| {
            let own: Each<'_> = &|each| self.each_of(number, graphs, each);
            let prepared = worker.in_part(number, |worker| part.graphs.prepare(own, worker));
            let name = || self.data_sets[number].name.clone();
            prepared.map_err(|source| Error::from(MixedError { name: name(), graph: None, source }).into())
        })
    }

    fn check(&self, graphs: Each<'_>) -> Result<(), BoxError> {
        let check = |(number, part): (usize, &Part)| part.graphs.check(&|each| self.each_of(number, graphs, each));
        self.parts.iter().enumerate().try_for_each(check)
    }

    /// Returns a hash of the fingerprints of all data sets in their order. Their names do not matter.
    fn fingerprint(&self) -> u64 {
        let start = mix(self.schema.fingerprint(), self.parts.len() as u64);
        self.parts.iter().fold(start, |hash, part| mix(mix(hash, part.graphs.fingerprint()), part.start as u64))
    }

    fn checksum(&self) -> Option<u64> {
        self.parts.iter().try_fold(0, |hash, part| Some(mix(hash, part.graphs.checksum()?)))
    }

    fn data_sets(&self) -> &[DataSet] {
        &self.data_sets
    }

    /// Those of all data sets, each after the name of its data set.
    fn maps(&self) -> Vec<(String, String)> {
        let of_all = self.data_sets.iter().zip(&self.parts);
        let maps = of_all.flat_map(|(of, part)| {
            let maps = part.graphs.maps().into_iter();
            maps.map(|(part, map)| (format!("{}/{part}", of.name), map))
        });
        maps.collect()
    }
}

impl Mixture {
    /// Calls `each` with those graphs that are of a data set, by their numbers there.
    fn each_of(&self, number: usize, graphs: Each<'_>, each: &mut dyn FnMut(usize)) {
        graphs(&mut |graph| {
            let (of, graph) = self.find(graph);
            if of == number {
                each(graph);
            }
        });
    }

    /// Says which graph of which data set cannot be written.
    #[cold]
    fn named(&self, number: usize, graph: usize, error: BoxError) -> BoxError {
        let (name, graph) = (self.data_sets[number].name.clone(), self.parts[number].graphs.number(graph));
        Error::from(MixedError { name, graph: Some(graph), source: error }).into()
    }
}

impl Lacking {
    /// Makes the codes of a graph's own labels those of the mixture, after its own maps.
    fn recode(&self, slot: &mut Slot<'_>) -> Result<(), BoxError> {
        Ok(self.codes.iter().try_for_each(|(field, mask, codes)| slot.recode(*field, *mask, codes))?)
    }
}

/// For each graph of data that are mixed, the number of its data set.
fn parts_of(graphs: &dyn Graphs) -> impl Iterator<Item = usize> {
    let data_sets = graphs.data_sets();
    let part = |number: u64| data_sets.partition_point(|of| of.graphs.end <= number);
    (0..graphs.len()).map(move |graph| part(graphs.number(graph)))
}

/// Returns how many graphs of each data set there are.
fn counts_of(graphs: &dyn Graphs) -> Vec<u64> {
    let mut counts = vec![0; graphs.data_sets().len()];
    parts_of(graphs).for_each(|part| counts[part] += 1);
    counts
}

/// Returns weights that draw from each data set of a mixture at a rate.
pub(super) fn weights_of(graphs: &dyn Graphs, rates: &[f64]) -> Result<Weights, Error> {
    let data_sets = graphs.data_sets();
    if data_sets.is_empty() {
        return Err(MixtureError::NoMix.into());
    }
    if rates.len() != data_sets.len() {
        let names = data_sets.iter().map(|data_set| data_set.name.clone()).collect();
        return Err(MixtureError::Rates { names, found: rates.len() }.into());
    }
    let (sum, counts) = (rates.iter().sum::<f64>(), counts_of(graphs));
    let mut of_each = Vec::with_capacity(rates.len());
    for ((DataSet { name, .. }, &count), &rate) in data_sets.iter().zip(&counts).zip(rates) {
        match rate {
            _ if !(rate >= 0.0 && rate.is_finite()) => {
                return Err(MixtureError::Rate { name: name.clone(), rate }.into());
            }
            _ if rate > 0.0 && count == 0 => return Err(MixtureError::Empty { name: name.clone(), rate }.into()),
            // Of the sum, so that no rate is too small or too large to be divided.
            _ => of_each.push(rate / sum / count.max(1) as f64),
        }
    }
    if !(sum > 0.0 && sum.is_finite()) {
        return Err(MixtureError::Sum { sum }.into());
    }
    let weights: Vec<f64> = parts_of(graphs).map(|part| of_each[part]).collect();
    Weights::new(&weights).map_err(|_| Error::from(MixtureError::Sum { sum }))
}

/// Returns weights that draw from each data set of a mixture at a rate proportional to n^(1/T).
pub(super) fn weights_at(graphs: &dyn Graphs, temperature: f64) -> Result<Weights, Error> {
    if temperature.is_nan() || temperature <= 0.0 {
        return Err(MixtureError::Temperature { temperature }.into());
    }
    let counts = counts_of(graphs);
    if counts.is_empty() {
        return Err(MixtureError::NoMix.into());
    }
    let largest = counts.iter().copied().max().unwrap_or(0).max(1);
    // Relative to the largest: no power of them is infinite. That of std may differ in its last bit between systems,
    // and draws would.
    let share = |graphs: u64| libm::pow(graphs as f64 / largest as f64, temperature.recip());
    let rates: Vec<f64> = counts.iter().map(|&graphs| if graphs == 0 { 0.0 } else { share(graphs) }).collect();
    weights_of(graphs, &rates)
}

/// A data set of a mixture, or one graph of it, cannot be loaded.
#[derive(Debug, thiserror::Error)]
#[error("{}{name:?}: {source}", .graph.map(|graph| format!("graph {graph} of ")).unwrap_or_default())]
struct MixedError {
    name: String,
    /// Its number in that data set.
    graph: Option<u64>,
    source: BoxError,
}

impl Cause for MixedError {
    fn kind(&self) -> ErrorKind {
        own(&self.source).map_or(ErrorKind::Data, Error::kind)
    }

    fn graph(&self) -> Option<u64> {
        self.graph.or_else(|| own(&self.source)?.graph())
    }

    fn path(&self) -> Option<&Path> {
        own(&self.source)?.path()
    }
}
