//! [`Graphs`]: what the crate asks of data: of a store, of a [`Source`](crate::Source) of the user, or of what is made
//! of either.

use super::{Sizes, Worker};
use crate::error::BoxError;
use crate::fingerprint::mix;
use crate::layout::{Schema, Size, Slot};
use std::convert::Infallible;
use std::ops::Range;
use std::sync::Arc;

/// Graphs that batches are made of.
///
/// Where graphs are [made of others](Self::of), one of one, most methods answer as the others do: about all graphs, or
/// about the one that a graph is [made of](Self::place).
pub(crate) trait Graphs: Send + Sync + 'static {
    /// The graphs that these are made of, one of one.
    fn of(&self) -> Option<&dyn Graphs> {
        None
    }

    /// Where the graph that a graph is made of is among those that these are [made of](Self::of).
    fn place(&self, graph: usize) -> usize {
        graph
    }

    /// The sets, fields and indices that each graph has.
    fn schema(&self) -> &Schema;

    /// Number of graphs.
    fn len(&self) -> usize;

    /// Errors if the size of a graph could not be read, or no graphs drawn: sizes are 0 then, and nothing may be made
    /// of these graphs.
    fn known(&self) -> Result<(), BoxError> {
        self.of().map_or(Ok(()), Graphs::known)
    }

    /// Returns how many rows of each set a graph has, always the same.
    fn size(&self, graph: usize) -> Size;

    /// Returns the sizes of all graphs. Errors as [`known`](Self::known).
    fn sizes(&self) -> Result<Arc<Sizes>, BoxError> {
        self.known()?;
        let Ok(sizes) = Sizes::read(self.len(), |graph| Ok::<_, Infallible>(self.size(graph)));
        Ok(Arc::new(sizes))
    }

    /// Writes every field and index of a graph, except those of sets that [`write_derived`](Self::write_derived)
    /// writes.
    fn write(&self, graph: usize, slot: &mut Slot<'_>, worker: &mut Worker) -> Result<(), BoxError>;

    /// Writes what follows from the rest of a graph, after maps changed it. [`Slot::index`] reads what is there, and
    /// [`Slot::shrink`] lets a set have fewer rows than `size` said.
    fn write_derived(&self, graph: usize, slot: &mut Slot<'_>) -> Result<(), BoxError> {
        self.of().map_or(Ok(()), |of| of.write_derived(self.place(graph), slot))
    }

    /// The sets that [`write_derived`](Self::write_derived) writes, each with a field or an index that it reads for
    /// them, so that batches with rows of the set carry what it needs.
    fn derived_from(&self) -> Vec<(&str, &str)> {
        self.of().map_or_else(Vec::new, Graphs::derived_from)
    }

    /// A prefetch hint that a graph will be written soon.
    fn will_write(&self, graph: usize) {
        if let Some(of) = self.of() {
            of.will_write(self.place(graph));
        }
    }

    /// Prepares for the graphs that the worker writes next. [`write`](Self::write) also gets others.
    fn prepare(&self, graphs: Each<'_>, worker: &mut Worker) -> Result<(), BoxError> {
        let places: Each<'_> = &|each| graphs(&mut |graph| each(self.place(graph)));
        self.of().map_or(Ok(()), |of| of.prepare(places, worker))
    }

    /// Errors if the data of `graphs` changed after they were opened, as mapped files may. Called before and after each
    /// batch.
    fn check(&self, graphs: Each<'_>) -> Result<(), BoxError> {
        let places: Each<'_> = &|each| graphs(&mut |graph| each(self.place(graph)));
        self.of().map_or(Ok(()), |of| of.check(places))
    }

    /// Returns a hash that tells data sets apart; a saved state only resumes on data with the same.
    fn fingerprint(&self) -> u64 {
        self.of().map_or_else(|| self.sizes_fingerprint(), Graphs::fingerprint)
    }

    /// Returns a checksum of all contents of all graphs, if there is one without reading them: a saved state that has
    /// one, too, only resumes on data with the same.
    fn checksum(&self) -> Option<u64> {
        self.of()?.checksum()
    }

    /// Returns a hash of the fields and of the number and size of every graph.
    fn sizes_fingerprint(&self) -> u64 {
        let start = mix(self.schema().fingerprint(), self.len() as u64);
        (0..self.len()).fold(start, |hash, graph| {
            let size = self.size(graph);
            // Two sets at a time: saved states have this hash.
            let pairs = (0..size.sets())
                .step_by(2)
                .map(|set| (size[set], if set + 1 < size.sets() { size[set + 1] } else { 0 }));
            pairs.fold(mix(hash, self.number(graph)), |hash, (a, b)| mix(hash, u64::from(a) << 32 | u64::from(b)))
        })
    }

    /// Returns the number of a graph in its data set, as `graph_ids` and messages show it.
    fn number(&self, graph: usize) -> u64 {
        self.of().map_or(graph as u64, |of| of.number(self.place(graph)))
    }

    /// The data sets that these are a mix of, whose graphs a [`Report`](crate::report::Report) counts by their
    /// [`number`](Self::number).
    fn data_sets(&self) -> &[DataSet] {
        self.of().map_or(&[], Graphs::data_sets)
    }

    /// The names of the maps that change graphs, in their order, each after the part of a mix that it is of, `PART/`.
    fn maps(&self) -> Vec<(String, String)> {
        self.of().map_or_else(Vec::new, Graphs::maps)
    }
}

/// Whether two graphs have the same number.
pub(crate) fn repeats(data: &dyn Graphs) -> bool {
    let numbers = || (0..data.len()).map(|graph| data.number(graph));
    if numbers().is_sorted_by(|one, next| one < next) {
        return false;
    }
    let mut numbers: Vec<u64> = numbers().collect();
    numbers.sort_unstable();
    numbers.windows(2).any(|pair| pair[0] == pair[1])
}

/// Calls a function with each of some graphs, such as those of a batch. Graphs made of others pass on one that changes
/// the numbers, without a list of them.
pub(crate) type Each<'a> = &'a dyn Fn(&mut dyn FnMut(usize));

/// Draws the graphs of an epoch.
pub(crate) type DrawEpoch = dyn Fn(u64) -> Result<Arc<dyn Graphs>, BoxError> + Send + Sync;

/// One data set of a [mix](crate::Data::mix).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DataSet {
    /// Its name.
    pub(crate) name: String,
    /// The numbers of its graphs in the mix.
    pub(crate) graphs: Range<u64>,
}
