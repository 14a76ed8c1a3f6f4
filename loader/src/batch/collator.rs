//! [`Collator`]: makes batches of graphs that are in hand, without a loader.

use super::collate::Form;
use super::info::Collated;
use super::{Batch, BatchInfo, BatchMemory, BatchPosition};
use crate::error::{BoxError, BuildError, Cause, Error, ErrorKind, LoadError};
use crate::layout::{ArrayInfo, Builtin, GraphDraw, GraphSpan, Layout, Pool, Schema, Shape, Size, Slot};
use crate::options::{Limits, Options};
use crate::plan::{EpochPlan, Run, carried};
use crate::source::{Data, Graphs, Worker};
use std::sync::Arc;
use std::time::Duration;

/// Makes batches of one shape of graphs that are in hand, as requests bring them to a server. A batch has the bytes of
/// that of a [`Loader`](crate::Loader) with the same shape and graphs; its memory is recycled once it is dropped. A
/// loader adds padding rows so that the degrees of padding rows stay [small](field@Options::padding). A collator does
/// not: take the shape of a loader of such graphs. Its batches have no [places](BatchInfo::places).
///
/// ```
/// use graphpack_loader::{Collator, Dtype, Level, Schema, Shape, Size};
///
/// let schema = Schema::of(&["nodes", "edges"])
///     .field("x", "nodes", Dtype::F32, &[2])
///     .index("edge_index", "edges", &["nodes", "nodes"]);
/// let mut collator = Collator::new(&schema, Shape::new([16, 32], 4))?; // 15 nodes and 3 graphs beside padding
/// let requests = [(70, 8), (71, 6), (72, 5)]; // tickets, each with a path of this number of nodes
/// let mut answers = Vec::new();
/// for batch in requests.chunks(2) {
///     for &(ticket, nodes) in batch {
///         let (x, edges) = (vec![0.5_f32; 2 * nodes as usize], nodes - 1);
///         let [sources, targets]: [Vec<u32>; 2] = [(0..edges).collect(), (1..nodes).collect()];
///         collator.push(Size::new([nodes, edges]), ticket, |slot| {
///             slot.set("x", &x)?;
///             Ok(slot.set_index("edge_index", &[&sources, &targets])?)
///         })?;
///     }
///     let batch = collator.finish()?;
///     let results = batch.get::<f32>("x")?; // what a network returns: two values of each node
///     for graph in batch.graphs() {
///         let nodes = graph.range(Level::NODE);
///         answers.push((graph.number(), results[2 * nodes.start..2 * nodes.end].len()));
///     }
/// }
/// assert_eq!(answers, [(70, 16), (71, 12), (72, 10)]);
/// # Ok::<(), graphpack_loader::Error>(())
/// ```
pub struct Collator {
    form: Form,
    ids: Option<ArrayInfo>,
    pool: Arc<Pool>,
    /// The rows that a batch has for graphs.
    room: Shape,
    /// Memory of the batch that is being made, from its first graph on.
    memory: Option<BatchMemory>,
    /// Rows of the graphs in it.
    real: Shape,
    left_out: u64,
    run: Arc<Run>,
    /// Of no epoch: the graphs have no places.
    plan: Arc<EpochPlan>,
    batches: usize,
    /// The data that the last graph came from, and what they keep from one graph to the next.
    source: Option<(Arc<dyn Graphs>, Worker)>,
}

impl Collator {
    /// Makes batches of `shape`, padding included, as a loader does with the default [`Options`]. Errors if the schema
    /// has a mistake or other sets than the shape, or if there is no room for a graph beside
    /// [padding](Schema::least_padding).
    pub fn new(schema: &Schema, shape: Shape) -> Result<Self, Error> {
        Self::with_options(schema, shape, &Options::default())
    }

    /// Makes batches with what `options` say of [`padding`](field@Options::padding), [`fields`](field@Options::fields),
    /// [`extra`](field@Options::extra), [`index`](field@Options::index), [`missing`](field@Options::missing),
    /// [`seed`](field@Options::seed) and [`memory`](field@Options::memory); the others do not matter. Otherwise as
    /// [`new`](Self::new).
    pub fn with_options(schema: &Schema, shape: Shape, options: &Options) -> Result<Self, Error> {
        schema.check()?;
        let padding = options.padding_of(schema);
        let (sets, least) = (schema.sets(), schema.least_padding(padding));
        let rows = |rows: usize| u32::try_from(rows).ok();
        let size: Option<Vec<u32>> = shape.sets().iter().map(|&of| rows(of)).collect();
        let Some((size, graphs)) = size.zip(rows(shape.graphs())).filter(|(size, _)| size.len() == sets.len()) else {
            return Err(CollatorError::Sets { shape, expected: sets.to_vec() }.into());
        };
        let limits = Limits { size: Size::of(sets.len(), |set| size[set]), graphs };
        let empty = Shape::of(sets.len(), 0, |_| 0);
        let one = Shape::of(sets.len(), 1, |_| 0);
        if !one.fits_padded(&least, &shape) {
            let least = one.padded(&least).unwrap_or(one);
            return Err(CollatorError::Padding {
                shape: sets.shape(&shape).to_string(),
                least: sets.shape(&least).to_string(),
            }
            .into());
        }
        let carried = carried(options, options.fields.clone(), schema, &[])?;
        let layout = Layout::new(Arc::new(schema.clone()), &carried, shape, options.index);
        let layout = Arc::new(layout.ok_or(BuildError::TooLarge { limits, packs: 1 })?);
        let pool = options.pool();
        pool.at_least(layout.bytes(), shape.graphs());
        let ids = layout.builtin(Builtin::GraphIds).cloned();
        let form = Form { layout, padding, least, missing: options.missing, keeps_nearest: false };
        Ok(Self {
            room: form.room(),
            form,
            ids,
            pool,
            memory: None,
            real: empty,
            left_out: 0,
            run: Arc::new(Run::without_epoch(options, padding, limits)),
            plan: Arc::new(EpochPlan::without_graphs(shape)),
            batches: 0,
            source: None,
        })
    }

    /// The arrays of each batch.
    pub fn layout(&self) -> &Arc<Layout> {
        &self.form.layout
    }

    /// Rows of each set and graphs that are in the batch so far, without padding.
    pub fn real(&self) -> Shape {
        self.real.named(self.form.layout.schema().sets())
    }

    /// Whether a graph of this size fits beside the graphs that are in the batch and padding.
    pub fn fits(&self, size: &Size) -> bool {
        size.sets() == self.room.sets().len() && GraphSpan::new(&self.real, size).fits(&self.room)
    }

    /// Adds a graph with `size` rows of each set, which the caller knows as `id`, at least 0; graphs may share one.
    /// `write` writes each of its fields and indices, as [`Source::write`](crate::Source::write) does. Errors before
    /// anything is written if the graph does not fit or `id` is negative, or with what is wrong. After an error the
    /// batch is without the graph.
    pub fn push(
        &mut self,
        size: Size,
        id: i64,
        write: impl FnOnce(&mut Slot<'_>) -> Result<(), BoxError>,
    ) -> Result<(), Error> {
        let number = u64::try_from(id).map_err(|_| CollatorError::Id { id })?;
        self.write(&size, GraphDraw { seed: self.run.seed(), number, ..GraphDraw::default() }, write)
    }

    /// Adds a graph of `data`, which must have this schema, under its [number](Data::number): as maps make its first
    /// copy in epoch 0. Errors also if batches lack what [derived](Data::triplets) rows of these data follow from,
    /// which [`fields`](field@Options::fields) then has to name. Otherwise as [`push`](Self::push).
    pub fn push_graph(&mut self, data: &Data, graph: usize) -> Result<(), Error> {
        let (number, size) = (data.number(graph)?, data.size(graph)?);
        let graphs = data.graphs();
        let (graphs, mut worker) = match self.source.take() {
            Some((last, worker)) if Arc::ptr_eq(&last, graphs) => (last, worker),
            _ if graphs.schema() != self.form.layout.schema() => {
                return Err(CollatorError::Schema { graph: number }.into());
            }
            _ => {
                self.expect_inputs(&**graphs, number)?;
                (graphs.clone(), Worker::default())
            }
        };
        let draw = GraphDraw { seed: self.run.seed(), number, ..GraphDraw::default() };
        self.write(&size, draw, |slot| {
            graphs.check(&|each| each(graph))?;
            graphs.prepare(&|each| each(graph), &mut worker)?;
            graphs.write(graph, slot, &mut worker)?;
            graphs.write_derived(graph, slot)?;
            graphs.check(&|each| each(graph))
        })?;
        self.source = Some((graphs, worker));
        Ok(())
    }

    /// Errors unless batches carry what derived rows of `graphs` follow from, as those of a loader do: where batches
    /// have fields of such rows, and where maps may leave some out.
    fn expect_inputs(&self, graphs: &dyn Graphs, graph: u64) -> Result<(), CollatorError> {
        let (layout, mapped) = (&self.form.layout, !graphs.maps().is_empty());
        let carries = |name: &str| layout.array(name).is_some();
        let schema = layout.schema();
        let fields = schema.fields().iter().map(|of| (&*of.name, of.level));
        let arrays = fields.chain(schema.indices().iter().map(|of| (&*of.name, of.level)));
        let has = |set: &str| arrays.clone().any(|(name, level)| schema.level_name(level) == set && carries(name));
        match graphs.derived_from().into_iter().find(|&(set, input)| !carries(input) && (mapped || has(set))) {
            Some((set, input)) => Err(CollatorError::Input { graph, set: set.to_owned(), input: input.to_owned() }),
            None => Ok(()),
        }
    }

    fn write(
        &mut self,
        size: &Size,
        draw: GraphDraw,
        write: impl FnOnce(&mut Slot<'_>) -> Result<(), BoxError>,
    ) -> Result<(), Error> {
        if !self.fits(size) {
            return Err(self.full(size, draw.number).into());
        }
        let memory = match &mut self.memory {
            Some(memory) => memory,
            None => {
                let memory = self.new_memory()?;
                self.memory.insert(memory)
            }
        };
        let (bytes, sizes) = memory.parts();
        let written = self.form.write(bytes, size, &self.real, &draw, write);
        let failed = |source| LoadError::Source { step: self.batches, graph: draw.number, source };
        let (size, left_out) = written.map_err(failed)?;
        if let Some(ids) = &self.ids {
            bytemuck::cast_slice_mut(&mut bytes[ids.bytes_of(sizes.len()..sizes.len() + 1)])[0] = draw.number as i64;
        }
        sizes.push(size);
        self.real.push(&size);
        self.left_out += left_out;
        Ok(())
    }

    /// Pads the batch and returns it; the next graph begins another. Errors if there is no memory for a batch without
    /// graphs.
    pub fn finish(&mut self) -> Result<Batch, Error> {
        let mut memory = self.memory.take().map_or_else(|| self.new_memory(), Ok)?;
        let (bytes, sizes) = memory.parts();
        let real = std::mem::replace(&mut self.real, Shape::of(self.room.sets().len(), 0, |_| 0));
        self.form.finish(sizes, &real, bytes);
        let position = BatchPosition::new(&self.run, self.batches, &self.plan, 0);
        self.batches += 1;
        let collated = Collated { real, left_out: std::mem::take(&mut self.left_out), failed: Vec::new() };
        Ok(Batch::new(memory, BatchInfo::new(self.form.layout.clone(), collated, Duration::ZERO, position)))
    }

    /// Memory for a batch without graphs.
    fn new_memory(&self) -> Result<BatchMemory, Error> {
        let memory = BatchMemory::take(&self.pool, self.form.layout.bytes(), self.room.graphs());
        let mut memory = memory.map_err(|source| LoadError::Memory { step: self.batches, source })?;
        memory.parts().1.clear();
        Ok(memory)
    }

    /// The error that the batch has no room for a graph.
    #[cold]
    fn full(&self, size: &Size, graph: u64) -> CollatorError {
        let sets = self.form.layout.schema().sets();
        if size.sets() != sets.len() {
            return CollatorError::Size { graph, expected: sets.to_vec(), found: *size };
        }
        let left = |set: usize| self.room.sets()[set] - self.real.sets()[set];
        let short = (0..sets.len()).find(|&set| size[set] as usize > left(set));
        let (of, left, wanted) = match short {
            Some(set) => (sets[set].clone(), left(set), size[set]),
            None => ("graphs".to_owned(), self.room.graphs() - self.real.graphs(), 1),
        };
        CollatorError::Full { graph, of, left, wanted }
    }
}

/// A [`Collator`] cannot be made, or take a graph.
#[derive(Debug, thiserror::Error)]
enum CollatorError {
    #[error("expected a shape with the rows of {expected:?}, each at most {}, found {shape}", u32::MAX)]
    Sets { shape: Shape, expected: Vec<String> },
    #[error("expected a shape of at least {least}, for a graph beside padding, found {shape}")]
    Padding { shape: String, least: String },
    #[error("graph {graph}: expected the sets, fields and indices of the collator, found data with others")]
    Schema { graph: u64 },
    #[error("graph {graph}: {set} follow from {input:?}: expected it in Options::fields, found fields without it")]
    Input { graph: u64, set: String, input: String },
    #[error("expected a graph id of at least 0, found {id}")]
    Id { id: i64 },
    #[error("graph {graph}: expected the rows of {expected:?}, found {found}")]
    Size { graph: u64, expected: Vec<String>, found: Size },
    #[error("graph {graph}: the batch has room for {left} more {of} beside padding, found {wanted}")]
    Full { graph: u64, of: String, left: usize, wanted: u32 },
}

impl Cause for CollatorError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Sets { .. } | Self::Padding { .. } | Self::Input { .. } => ErrorKind::Options,
            Self::Schema { .. } | Self::Size { .. } | Self::Id { .. } => ErrorKind::Data,
            Self::Full { .. } => ErrorKind::TooLarge,
        }
    }

    fn graph(&self) -> Option<u64> {
        match *self {
            Self::Schema { graph }
            | Self::Input { graph, .. }
            | Self::Size { graph, .. }
            | Self::Full { graph, .. } => Some(graph),
            Self::Sets { .. } | Self::Padding { .. } | Self::Id { .. } => None,
        }
    }
}
