//! [`Derived`]: graphs with one more set; [`Rule`]: what its rows follow from, and which they are; [`Cache`]: a file
//! with the number of rows of every graph.

use crate::error::{BoxError, Cause, Error, ErrorKind, own};
use crate::fingerprint::mix;
use crate::layout::{Carried, Field, Index, Schema, Size, Slot};
use crate::source::each_graph::each_graph;
use crate::source::graphs::Graphs;
use crate::source::{GraphError, WholeFile, Worker};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
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
        let cache = match (cache, graphs.contents_fingerprint()) {
            (Some(path), Some(contents)) => Some(Cache::new(path, contents, rule.number(), graphs.len())),
            (Some(path), None) => return Err(DerivedError::NoContents { path: path.to_owned() }.into()),
            (None, _) => None,
        };
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
        let mut start = mix(mix(self.graphs.fingerprint(), self.rule.number()), self.schema.fingerprint());
        // The same maps make other rows before them than after them.
        self.graphs.maps().iter().for_each(|_| start = mix(start, 1));
        self.counts.iter().fold(start, |hash, &rows| mix(hash, rows.into()))
    }

    fn contents_fingerprint(&self) -> Option<u64> {
        Some(mix(self.fingerprint(), self.graphs.contents_fingerprint()?))
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
    #[error(
        "{}: the source has no fingerprint of its contents, and other contents may have as many rows: expected one \
         (Source::fingerprint), or no cache",
        .path.display()
    )]
    NoContents { path: PathBuf },
    #[error("{}: the cache of counts cannot be used: {source}", .path.display())]
    Cache { path: PathBuf, source: io::Error },
}

impl Cause for DerivedError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Cache { .. } => ErrorKind::File,
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
            Self::Cache { path, .. } | Self::NoContents { path } => Some(path),
            Self::Graph { source, .. } | Self::Data(source) => own(source)?.path(),
            _ => None,
        }
    }
}

/// The first bytes of such a file.
const MAGIC: [u8; 8] = *b"gp-count";

/// Stands for how rows are counted, which is more than the rule: edges within a radius also follow from a tolerance.
/// Another number makes all counts be made again.
const COUNTING: u64 = 1;

/// A file with the number of rows that each graph of a data set has by a rule. After [`MAGIC`], the fingerprint of the
/// data, the number of the rule and the number of graphs in 8 bytes each come the counts in 4 bytes each, and at the
/// end the CRC-32 of all that; numbers are little-endian.
pub(super) struct Cache<'a> {
    path: &'a Path,
    head: [[u8; 8]; 4],
    graphs: usize,
}

impl<'a> Cache<'a> {
    /// Returns the file at `path`, which need not exist, for data with this fingerprint and number of graphs.
    pub(super) fn new(path: &'a Path, fingerprint: u64, rule: u64, graphs: usize) -> Self {
        let [fingerprint, rule, number] = [fingerprint, mix(rule, COUNTING), graphs as u64].map(u64::to_le_bytes);
        Self { path, head: [MAGIC, fingerprint, rule, number], graphs }
    }

    /// Reads the counts; `None` if there is no file, or if it is damaged or of other data or another rule. Errors if it
    /// is anything else, which must not be replaced.
    pub(super) fn read(&self) -> Result<Option<Vec<u32>>, Error> {
        self.try_read().map_err(|source| Error::from(DerivedError::Cache { path: self.path.to_owned(), source }))
    }

    /// Writes the counts. The file has a temporary name until it is complete.
    pub(super) fn write(&self, counts: &[u32]) -> Result<(), Error> {
        self.try_write(counts).map_err(|source| Error::from(DerivedError::Cache { path: self.path.to_owned(), source }))
    }

    fn try_read(&self) -> io::Result<Option<Vec<u32>>> {
        let file = match File::open(self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file?,
        };
        let (head, mut bytes) = (self.head.as_flattened(), Vec::new());
        let length = head.len() + 4 * (self.graphs + 1);
        // One byte more, to see whether the file is longer.
        file.take(length as u64 + 1).read_to_end(&mut bytes)?;
        if !bytes.starts_with(&MAGIC[..bytes.len().min(MAGIC.len())]) {
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, "the file is there, but is no cache of counts"));
        }
        let Some((rest, crc)) = bytes.split_last_chunk() else { return Ok(None) };
        if bytes.len() != length || !rest.starts_with(head) || *crc != crc32fast::hash(rest).to_le_bytes() {
            return Ok(None);
        }
        Ok(Some(rest[head.len()..].as_chunks().0.iter().map(|count| u32::from_le_bytes(*count)).collect()))
    }

    fn try_write(&self, counts: &[u32]) -> io::Result<()> {
        let mut bytes = self.head.concat();
        counts.iter().for_each(|count| bytes.extend(count.to_le_bytes()));
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        // Several ranks, or several loaders of one, may do this at the same time.
        WholeFile::write(self.path, &bytes)
    }
}
