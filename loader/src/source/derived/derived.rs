//! [`Derived`]: graphs with one more set, whose rows follow from the others.

use super::cache::Cache;
use super::rule::{DerivedError, Rule};
use crate::error::{BoxError, Error};
use crate::fingerprint::mix;
use crate::layout::{Carried, Schema, Size, Slot};
use crate::source::each_graph::each_graph;
use crate::source::graphs::Graphs;
use crate::source::{GraphError, Worker};
use std::path::Path;
use std::sync::Arc;

/// Graphs with one more set, after all others, whose rows follow from these by a rule.
pub(in crate::source) struct Derived<R> {
    graphs: Arc<dyn Graphs>,
    rule: R,
    schema: Schema,
    /// Rows of each graph in the new set.
    counts: Vec<u32>,
}

impl<R: Rule> Derived<R> {
    /// Counts the rows of every graph, or reads the counts from the file `cache` if it has them.
    pub(in crate::source) fn new(graphs: Arc<dyn Graphs>, rule: R, cache: Option<&Path>) -> Result<Self, Error> {
        let schema = rule.schema(graphs.schema())?;
        let check = || graphs.check(&|each| (0..graphs.len()).for_each(each)).map_err(DerivedError::Data);
        check()?;
        let cache = cache.map(|path| Cache::new(path, graphs.contents_fingerprint(), rule.number(), graphs.len()));
        let cached = cache.as_ref().map_or(Ok(None), Cache::read)?;
        let counts = match cached {
            Some(counts) => counts,
            None => {
                let counts = count(&*graphs, &rule)?;
                check()?;
                cache.as_ref().map_or(Ok(()), |cache| cache.write(&counts))?;
                counts
            }
        };
        Ok(Self { graphs, rule, schema, counts })
    }
}

impl<R: Rule> Graphs for Derived<R> {
    fn of(&self) -> Option<&dyn Graphs> {
        Some(&*self.graphs)
    }

    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn len(&self) -> usize {
        self.graphs.len()
    }

    fn size(&self, graph: usize) -> Size {
        let (before, last) = (self.graphs.size(graph), self.schema.sets().len() - 1);
        Size::of(last + 1, |set| if set == last { self.counts[graph] } else { before[set] })
    }

    fn write(&self, graph: usize, slot: &mut Slot<'_>, worker: &mut Worker) -> Result<(), BoxError> {
        self.graphs.write(graph, slot, worker)
    }

    fn write_derived(&self, graph: usize, slot: &mut Slot<'_>) -> Result<(), BoxError> {
        self.graphs.write_derived(graph, slot)?;
        self.rule.write(slot)
    }

    fn derived_from(&self) -> Vec<(&str, &str)> {
        let mut inputs = self.graphs.derived_from();
        inputs.extend(self.rule.inputs().into_iter().map(|input| (self.rule.set(), input)));
        inputs
    }

    fn fingerprint(&self) -> u64 {
        let mut start = mix(self.graphs.fingerprint(), self.rule.number());
        // The same maps make other rows before them than after them.
        self.graphs.maps().iter().for_each(|_| start = mix(start, 1));
        self.counts.iter().fold(start, |hash, &rows| mix(hash, rows.into()))
    }

    fn contents_fingerprint(&self) -> u64 {
        mix(self.fingerprint(), self.graphs.contents_fingerprint())
    }
}

/// Counts the rows that each graph has by `rule` before maps change it, on all cores. Errors at the first graph that
/// cannot be counted.
fn count<R: Rule>(graphs: &dyn Graphs, rule: &R) -> Result<Vec<u32>, Error> {
    let schema = graphs.schema();
    let inputs: Vec<String> = rule.inputs().into_iter().map(String::from).collect();
    // The rule has found them in the schema. Rows of other sets may be derived themselves.
    let carried = Carried::new(schema, Some(&inputs), &graphs.derived_from(), &[]);
    let carried = carried.unwrap_or_else(|_| Carried::all(schema));
    let counts = each_graph(graphs, (&carried, true), Vec::new, |counts, slot| {
        let rows = rule.count(slot)?;
        counts.push(u32::try_from(rows).map_err(|_| format!("it has {rows}, at most {} are supported", u32::MAX))?);
        Ok(())
    });
    counts.map(|counts| counts.concat()).map_err(|error| {
        let GraphError { graph, source } = error;
        Error::from(DerivedError::Graph { graph, set: rule.set(), source })
    })
}
