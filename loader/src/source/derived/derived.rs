//! [`Derived`]: a source with one more set, whose rows follow from the others.

use super::cache::Cache;
use super::rule::{DerivedError, Rule};
use crate::fingerprint::mix;
use crate::layout::{Carried, Schema, Size, Slot};
use crate::source::each_graph::each_graph;
use crate::source::{DataSet, GraphError, Graphs, Source, SourceError};
use std::path::Path;
use std::sync::Arc;

/// A source with one more set, after all others of the source, whose rows follow from these by a rule.
pub(in crate::source) struct Derived<R> {
    source: Arc<dyn Source>,
    rule: R,
    schema: Schema,
    /// Rows of each graph in the new set.
    counts: Vec<u32>,
}

impl<R: Rule> Derived<R> {
    /// Counts the rows of every graph of `source`, or reads the counts from the file `cache` if it has them.
    pub(in crate::source) fn new(source: Arc<dyn Source>, rule: R, cache: Option<&Path>) -> Result<Self, DerivedError> {
        let schema = rule.schema(source.schema())?;
        let check = || source.check(&|each| (0..source.len()).for_each(each)).map_err(DerivedError::Changed);
        check()?;
        let cache = cache.map(|path| Cache::new(path, source.contents_fingerprint(), rule.number(), source.len()));
        let cached = cache.as_ref().map_or(Ok(None), Cache::read)?;
        let counts = match cached {
            Some(counts) => counts,
            None => {
                let counts = count(&*source, &rule)?;
                check()?;
                cache.as_ref().map_or(Ok(()), |cache| cache.write(&counts))?;
                counts
            }
        };
        Ok(Self { source, rule, schema, counts })
    }
}

impl<R: Rule> Source for Derived<R> {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn len(&self) -> usize {
        self.source.len()
    }

    fn size(&self, graph: usize) -> Size {
        let (of_source, last) = (self.source.size(graph), self.schema.sets().len() - 1);
        Size::of(last + 1, |set| if set == last { self.counts[graph] } else { of_source[set] })
    }

    fn write(&self, graph: usize, slot: &mut Slot<'_>) -> Result<(), SourceError> {
        self.source.write(graph, slot)
    }

    fn write_derived(&self, graph: usize, slot: &mut Slot<'_>) -> Result<(), SourceError> {
        self.source.write_derived(graph, slot)?;
        self.rule.write(slot)
    }

    fn derived_from(&self) -> Vec<(&str, &str)> {
        let mut inputs = self.source.derived_from();
        inputs.extend(self.rule.inputs().into_iter().map(|input| (self.rule.set(), input)));
        inputs
    }

    fn will_write(&self, graph: usize) {
        self.source.will_write(graph);
    }

    fn will_write_all(&self, graphs: Graphs<'_>) {
        self.source.will_write_all(graphs);
    }

    fn check(&self, graphs: Graphs<'_>) -> Result<(), SourceError> {
        self.source.check(graphs)
    }

    fn fingerprint(&self) -> u64 {
        let start = mix(self.source.fingerprint(), self.rule.number());
        self.counts.iter().fold(start, |hash, &rows| mix(hash, rows.into()))
    }

    fn contents_fingerprint(&self) -> u64 {
        mix(self.fingerprint(), self.source.contents_fingerprint())
    }

    fn checksum(&self) -> Option<u64> {
        self.source.checksum()
    }

    fn number(&self, graph: usize) -> u64 {
        self.source.number(graph)
    }

    fn data_sets(&self) -> &[DataSet] {
        self.source.data_sets()
    }

    fn maps(&self) -> Vec<String> {
        self.source.maps()
    }
}

/// Counts the rows that each graph of `source` has by `rule` before maps change it, on all cores. Errors at the first graph that cannot be
/// counted.
fn count<R: Rule>(source: &dyn Source, rule: &R) -> Result<Vec<u32>, DerivedError> {
    let schema = source.schema();
    let inputs: Vec<String> = rule.inputs().into_iter().map(String::from).collect();
    // The rule has found them in the schema. Rows of the source may be derived themselves.
    let carried = Carried::new(schema, Some(&inputs), &source.derived_from(), &[]);
    let carried = carried.unwrap_or_else(|_| Carried::all(schema));
    let counts = each_graph(source, (&carried, true), Vec::new, |counts, slot| {
        let rows = rule.count(slot)?;
        counts.push(u32::try_from(rows).map_err(|_| format!("it has {rows}, at most {} are supported", u32::MAX))?);
        Ok(())
    });
    counts.map(|counts| counts.concat()).map_err(|error| {
        let GraphError { graph, source } = error;
        DerivedError::Graph { graph, set: rule.set(), source }
    })
}
