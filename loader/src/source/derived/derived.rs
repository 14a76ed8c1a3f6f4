//! [`Derived`]: a source with one more set, whose rows follow from `edge_index`.

use super::DerivedError;
use super::adjacency::Adjacency;
use super::cache::Cache;
use super::count::count;
use super::rule::Rule;
use crate::fingerprint::mix;
use crate::layout::{Index, Level, Schema, Size, Slot};
use crate::source::{Source, SourceError};
use std::cell::RefCell;
use std::path::Path;

thread_local! {
    /// Serves all graphs that a worker writes, so that nothing is allocated per graph.
    static ADJACENCY: RefCell<Adjacency> = RefCell::new(Adjacency::new());
}

/// A source with one more set and its index, after all others of the source, whose rows follow from `edge_index`.
#[derive(Clone, Debug)]
pub(super) struct Derived<S> {
    source: S,
    rule: Rule,
    schema: Schema,
    /// The set that `edge_index` points into.
    nodes: usize,
    /// Rows of each graph in the new set.
    counts: Vec<u32>,
}

impl<S: Source> Derived<S> {
    /// Counts the rows of every graph of `source`, or reads the counts from the file `cache` if it has them.
    pub(super) fn new(source: S, rule: Rule, cache: Option<&Path>) -> Result<Self, DerivedError> {
        let schema = source.schema();
        let edge_index = schema.index(Index::EDGE_INDEX).map(|index| &schema.indices()[index]);
        let Some(&Index { level: Level::Set(edges), ref targets, .. }) = edge_index else {
            return Err(no_edge_index(schema, rule));
        };
        let [nodes, other] = targets[..] else { return Err(no_edge_index(schema, rule)) };
        if nodes != other {
            return Err(no_edge_index(schema, rule));
        }
        let sets = schema.sets().iter().map(String::as_str).chain([rule.set()]);
        let index = Index::new(rule.index(), Level::Set(schema.sets().len() as u8), [edges; 2]);
        let indices = schema.indices().iter().cloned().chain([index]).collect();
        let schema = Schema::from_parts(sets, schema.fields().to_vec(), indices)
            .map_err(|source| DerivedError::Schema { set: rule.set(), source })?;
        let nodes = usize::from(nodes);
        source.check().map_err(DerivedError::Changed)?;
        let cache = cache.map(|path| Cache::new(path, source.fingerprint(), rule, source.len()));
        let cached = cache.as_ref().map_or(Ok(None), Cache::read)?;
        let counts = match cached {
            Some(counts) => counts,
            None => {
                let counts = count(&source, rule, (nodes, edges.into()))?;
                source.check().map_err(DerivedError::Changed)?;
                cache.as_ref().map_or(Ok(()), |cache| cache.write(&counts))?;
                counts
            }
        };
        Ok(Self { source, rule, schema, nodes, counts })
    }
}

fn no_edge_index(schema: &Schema, rule: Rule) -> DerivedError {
    let described = schema.indices().iter().map(|index| {
        let targets: Vec<_> = index.targets.iter().map(|&set| schema.level_name(Level::Set(set))).collect();
        format!("{:?} of {} into {}", index.name, schema.level_name(index.level), targets.join(", "))
    });
    let found: Vec<_> = described.collect();
    let found = if found.is_empty() { "none".into() } else { found.join("; ") };
    DerivedError::EdgeIndex { set: rule.set(), found }
}

impl<S: Source> Source for Derived<S> {
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
        let Self { rule, nodes, .. } = *self;
        let set = self.schema.sets().len() - 1;
        let carried = slot.carries_index(rule.index());
        match slot.carries_index(Index::EDGE_INDEX) {
            false if carried => return Err(DerivedError::NotCarried { index: rule.index() }.into()),
            false => slot.write_index(rule.index(), &[])?,
            true => ADJACENCY.with_borrow_mut(|adjacency| {
                adjacency.read(slot, nodes)?;
                if carried {
                    let rows = adjacency.rows(rule, slot.size()[set] as usize);
                    slot.shrink(set, rows[0].len())?;
                    return slot.write_index(rule.index(), &rows);
                }
                slot.shrink(set, adjacency.count(rule) as usize)?;
                slot.write_index(rule.index(), &[])
            })?,
        }
        Ok(())
    }

    fn will_write(&self, graph: usize) {
        self.source.will_write(graph);
    }

    fn check(&self) -> Result<(), SourceError> {
        self.source.check()
    }

    fn fingerprint(&self) -> u64 {
        let start = mix(self.source.fingerprint(), self.rule.number());
        self.counts.iter().fold(start, |hash, &rows| mix(hash, rows.into()))
    }

    fn number(&self, graph: usize) -> u64 {
        self.source.number(graph)
    }
}
