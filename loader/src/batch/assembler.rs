//! [`Assembler`]: makes batches; all workers share it. [`Layouts`]: keeps the layout of each shape that occurs.

use super::collate::{Collation, Form, Trimming, Writer};
use super::{Batch, BatchInfo, BatchMemory, BatchPosition};
use crate::error::{Error, ErrorKind, LoadError};
use crate::layout::{Carried, Dtype, Layout, Pool, Schema, Shape};
use crate::options::{OnError, Oversize};
use crate::plan::LoaderPlan;
use crate::source::{Each, Graphs, Worker};
use std::cell::Cell;
use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Makes batches from the graphs of a source, as planned. All workers share it.
pub(crate) struct Assembler {
    data: Arc<dyn Graphs>,
    plan: LoaderPlan,
    layouts: Layouts,
    pool: Arc<Pool>,
    trim: Option<Trimming>,
    /// Of the threads that make no batch now: each takes one for its batch, so that what a worker keeps outlives an
    /// epoch.
    idle: Mutex<Vec<Worker>>,
}

impl Assembler {
    /// Returns an assembler whose batches lie in memory of `pool`. Errors if a batch would have more bytes than memory
    /// can address.
    pub(crate) fn new(data: Arc<dyn Graphs>, plan: LoaderPlan, pool: Arc<Pool>) -> Result<Self, Error> {
        let (schema, options) = (data.schema().clone(), plan.options());
        let layouts = Layouts::new(schema, plan.carried().clone(), options.index, plan.shapes().largest());
        let layouts = layouts.ok_or_else(|| plan.too_large())?;
        if let Some(largest) = plan.shapes().largest().and_then(|shape| layouts.usual(shape)) {
            pool.at_least(largest.bytes(), largest.shape().graphs());
        }
        let trim =
            plan.trim().map(|[most, largest]| Trimming::new(data.schema(), most, largest, plan.options().workers));
        let trim = trim.map(|trim| trim.ok_or_else(|| plan.too_large())).transpose()?;
        Ok(Self { data, plan, layouts, pool, trim, idle: Mutex::default() })
    }

    /// Makes the batch of this position. Once it is `stopped`, it ends with an error before the next graph.
    pub(crate) fn make(&self, position: BatchPosition, stopped: &AtomicBool) -> Result<Batch, Error> {
        let begun = Instant::now();
        let (step, epoch) = (position.step() as usize, position.epoch());
        #[cfg(feature = "tracing")]
        let _span = tracing::trace_span!("collate", epoch, step).entered();
        let graphs = position.graphs();
        let each: Each<'_> = &|each| graphs.iter().for_each(|&graph| each(graph as usize));
        let data = &*self.data;
        let check = || data.check(each).map_err(|source| Error::from(LoadError::Changed { step, source }));
        check()?;
        let shape = position.shape();
        let layout = self.layouts.of(shape).ok_or_else(|| LoadError::Unaddressable {
            step,
            found: Box::new(shape),
            sets: self.plan.sets().clone(),
        })?;
        let memory = BatchMemory::take(&self.pool, layout.bytes(), graphs.len());
        let mut memory = memory.map_err(|source| LoadError::Memory { step, source })?;
        let options = self.plan.options();
        let writing = Cell::new(None);
        let (padding, least) = self.plan.padding();
        let mut collation = Collation {
            data,
            graphs,
            copies: position.copies(),
            form: Form {
                layout,
                padding,
                least: *least,
                missing: options.missing,
                keeps_nearest: options.oversize == Oversize::Trim,
            },
            trim: self.trim.as_ref(),
            seed: options.seed,
            epoch,
            step,
            on_error: options.on_error,
            stopped,
            writing: &writing,
        };
        let idle = self.idle().pop();
        let mut worker = idle.unwrap_or_default();
        let collate = || {
            let prepare =
                || Ok(data.prepare(each, &mut worker).map_err(|source| LoadError::Prepare { step, source })?);
            let prepared = LoadError::guard(step, &writing, prepare);
            let alone = prepared.is_err();
            if let Err(error) = prepared {
                if options.on_error == OnError::Stop || error.kind() == ErrorKind::Stopped {
                    return Err(error);
                }
                // Those of its graphs that cannot be loaded will say so, each by itself.
                worker = Worker::default();
            }
            let (bytes, sizes) = memory.parts();
            let collated = collation.collate(Writer { worker: &mut worker, alone, bytes, sizes })?;
            if least.graphs == 0 && collated.real != shape {
                // Without padding there is nothing that rows could become which a map left out.
                let smaller = self.layouts.of(collated.real).ok_or_else(|| self.plan.too_large())?;
                collation.form.layout.shrink(&smaller, bytes);
                collation.form.layout = smaller;
            }
            let bytes = &mut bytes[..collation.form.layout.bytes()];
            collation.form.finish(sizes, &collated.real, bytes);
            Ok(collated)
        };
        // After an error or a panic the worker is dropped: what it keeps may be half changed, or be what failed.
        let collated = LoadError::guard(step, &writing, collate)?;
        let layout = collation.form.layout;
        memory.shrink(layout.bytes());
        self.idle().push(worker);
        check()?;
        Ok(Batch::new(memory, BatchInfo::new(layout, collated, begun.elapsed(), position)))
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Worker>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The graphs.
    pub(crate) fn data(&self) -> &Arc<dyn Graphs> {
        &self.data
    }

    /// The plan of all epochs.
    pub(crate) fn plan(&self) -> &LoaderPlan {
        &self.plan
    }

    /// The layout that all batches have; `None` if there are several.
    pub(crate) fn only_layout(&self) -> Option<&Arc<Layout>> {
        self.layouts.usual(self.plan.shapes().only()?)
    }
}

/// The most layouts that are kept: if batches have only the least padding, nearly every batch has a shape of its own.
const MOST_LAYOUTS: usize = 4096;

/// Keeps the layout of each shape that occurs, so that batches of one shape share it.
struct Layouts {
    schema: Arc<Schema>,
    carried: Carried,
    /// Type of the indices.
    index: Dtype,
    /// The layout of the shape that all or nearly all batches have.
    usual: Option<Arc<Layout>>,
    others: Mutex<HashMap<Shape, Arc<Layout>>>,
}

impl Layouts {
    /// Returns the layouts of a data set with `schema`, where all or nearly all batches have the shape `usual`. `None`
    /// if such a batch has more bytes than memory can address, or more rows than its indices can count.
    fn new(schema: Schema, carried: Carried, index: Dtype, usual: Option<Shape>) -> Option<Self> {
        let schema = Arc::new(schema);
        let usual = match usual {
            Some(shape) => Some(Arc::new(Layout::new(schema.clone(), &carried, shape, index)?)),
            None => None,
        };
        Some(Self { schema, carried, index, usual, others: Mutex::default() })
    }

    /// Returns the layout of `shape`; `None` if such a batch has more bytes than memory can address, or more rows than
    /// its indices can count.
    fn of(&self, shape: Shape) -> Option<Arc<Layout>> {
        if let Some(layout) = self.usual(shape) {
            return Some(layout.clone());
        }
        let mut others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(layout) = others.get(&shape) {
            return Some(layout.clone());
        }
        let layout = Arc::new(Layout::new(self.schema.clone(), &self.carried, shape, self.index)?);
        if others.len() < MOST_LAYOUTS {
            others.insert(shape, layout.clone());
        }
        Some(layout)
    }

    /// The layout of `shape`, if it is the one that all or nearly all batches have.
    fn usual(&self, shape: Shape) -> Option<&Arc<Layout>> {
        self.usual.as_ref().filter(|layout| layout.shape() == shape)
    }
}
