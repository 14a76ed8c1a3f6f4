//! [`Derived`]: graphs with one more set; [`Rule`]: what its rows follow from, and which they are.

use crate::error::{BoxError, Cause, Error, ErrorKind, own};
use crate::fingerprint::mix;
use crate::layout::{Carried, Field, Index, Schema, Size, Slot};
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
    /// Counts the rows of every graph.
    pub(in crate::source) fn new(graphs: Arc<dyn Graphs>, rule: R) -> Result<Self, Error> {
        let schema = rule.schema(graphs.schema())?;
        let check = || graphs.check(&|each| (0..graphs.len()).for_each(each)).map_err(DerivedError::Data);
        check()?;
        let counts = count(&*graphs, &rule)?;
        check()?;
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
        let mut start = mix(mix(self.graphs.fingerprint(), self.rule.number()), self.schema.fingerprint());
        // The same maps make other rows before them than after them.
        self.graphs.maps().iter().for_each(|_| start = mix(start, 1));
        self.counts.iter().fold(start, |hash, &rows| mix(hash, rows.into()))
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
    let counts = each_graph(graphs, &carried, true, Vec::new, |counts, slot| {
        let rows = rule.count(slot)?;
        counts.push(u32::try_from(rows).map_err(|_| format!("it has {rows}, at most {} are supported", u32::MAX))?);
        Ok(())
    });
    counts.map(|counts| counts.concat()).map_err(|error| {
        let GraphError { graph, source } = error;
        Error::from(DerivedError::Graph { graph, set: rule.set(), source })
    })
}

/// A rule by which the rows of one more set follow from the rest of a graph. The memory that it needs belongs to the
/// thread, so that nothing is allocated per graph.
pub(in crate::source) trait Rule: Send + Sync + 'static {
    /// The set that has the rows.
    fn set(&self) -> &'static str;

    /// Returns the schema of the source with the set, its fields and its index after all others. Errors if the source
    /// does not have what the rows follow from.
    fn schema(&self, source: &Schema) -> Result<Schema, Error>;

    /// The fields and indices that the rows follow from.
    fn inputs(&self) -> Vec<&str>;

    /// Stands for the rule in fingerprints. A rule that gives other rows or another order needs another number.
    fn number(&self) -> u64;

    /// Returns the number of rows of a graph of the source.
    fn count(&self, slot: &Slot<'_>) -> Result<u64, BoxError>;

    /// Writes the rows of a graph into the last set of the schema, and shrinks it to their number.
    fn write(&self, slot: &mut Slot<'_>) -> Result<(), BoxError>;
}

/// Returns the schema of a source with one more set after all others, which has these fields and this index.
pub(in crate::source) fn extended(
    source: &Schema,
    set: &'static str,
    fields: impl IntoIterator<Item = Field>,
    index: Index,
) -> Result<Schema, Error> {
    let sets: Vec<_> = source.sets().iter().map(String::as_str).chain([set]).collect();
    let fields = source.fields().iter().cloned().chain(fields).collect();
    let indices = source.indices().iter().cloned().chain([index]).collect();
    { source.check() }
        .and_then(|()| Schema::from_parts(&sets, fields, indices))
        // Sets, fields and indices are where they were.
        .and_then(|mut schema| schema.add_index_arrays(source.index_arrays().to_vec()).map(|()| schema))
        .map_err(|source| Error::from(DerivedError::Schema { set, source }))
}

/// A set cannot be derived from the others.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DerivedError {
    #[error("{set:?} follow from an index \"edge_index\" of two columns into one set; the schema has {found}")]
    EdgeIndex { set: &'static str, found: String },
    #[error("{set:?} cannot be added: {source}")]
    Schema { set: &'static str, source: Error },
    #[error("graph {graph}: its {set} cannot be counted: {source}")]
    Graph { graph: u64, set: &'static str, source: BoxError },
    #[error(transparent)]
    Data(BoxError),
}

impl Cause for DerivedError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Graph { source, .. } | Self::Data(source) => own(source).map_or(ErrorKind::Data, Error::kind),
            _ => ErrorKind::Data,
        }
    }

    fn graph(&self) -> Option<u64> {
        match self {
            Self::Graph { graph, .. } => Some(*graph),
            Self::Data(source) => own(source)?.graph(),
            _ => None,
        }
    }

    fn path(&self) -> Option<&Path> {
        match self {
            Self::Graph { source, .. } | Self::Data(source) => own(source)?.path(),
            _ => None,
        }
    }
}
