//! [`Derived`]: a source with one more set, whose rows follow from the others.

use super::DerivedError;
use super::cache::Cache;
use super::count::count;
use super::rule::Rule;
use crate::fingerprint::mix;
use crate::layout::{Schema, Size, Slot};
use crate::source::{DataSet, Graphs, Source, SourceError};
use std::path::Path;

/// A source with one more set, after all others of the source, whose rows follow from these by a rule.
#[derive(Clone, Debug)]
pub(in crate::source) struct Derived<S, R> {
    source: S,
    rule: R,
    schema: Schema,
    /// Rows of each graph in the new set.
    counts: Vec<u32>,
}

impl<S: Source, R: Rule> Derived<S, R> {
    /// Counts the rows of every graph of `source`, or reads the counts from the file `cache` if it has them.
    pub(in crate::source) fn new(source: S, rule: R, cache: Option<&Path>) -> Result<Self, DerivedError> {
        let schema = rule.schema(source.schema())?;
        let check = || source.check(&|each| (0..source.len()).for_each(each)).map_err(DerivedError::Changed);
        check()?;
        let cache = cache.map(|path| Cache::new(path, source.contents_fingerprint(), rule.number(), source.len()));
        let cached = cache.as_ref().map_or(Ok(None), Cache::read)?;
        let counts = match cached {
            Some(counts) => counts,
            None => {
                let counts = count(&source, &rule)?;
                check()?;
                cache.as_ref().map_or(Ok(()), |cache| cache.write(&counts))?;
                counts
            }
        };
        Ok(Self { source, rule, schema, counts })
    }
}

impl<S: Source, R: Rule> Source for Derived<S, R> {
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
}
