//! [`LoaderPlan`]: everything that is decided about the batches of a loader before the first epoch.

use super::divided::Divided;
use super::division::check_plan;
use super::order::{Grouping, Picking, Schedule};
use super::{Buckets, EpochPlan, LoaderState, ResumeKey, ShapeRule, Sizes, Spread};
use crate::Random;
use crate::error::{BuildError, LoadError};
use crate::fingerprint::mix;
use crate::layout::{Carried, SetNames, Shape, Size};
use crate::options::{Limits, Options, Padding};
use crate::source::Source;
use graphpack_core::{LeastPadding, Plan};
use std::sync::Arc;

/// Everything that is decided about the batches of a loader before the first epoch.
pub(crate) struct LoaderPlan {
    options: Options,
    sets: SetNames,
    /// The shapes of batches with the least padding.
    bases: ShapeRule,
    /// How many padding rows batches have.
    spread: Spread,
    carried: Carried,
    /// The configured limits of a pack.
    limits: Limits,
    buckets: Arc<Buckets>,
    schedule: Schedule,
    shapes: ShapeRule,
    plan: Option<Arc<Plan>>,
    skipped: usize,
    /// Whether graphs of any size are accepted, so that a batch may exceed its shape.
    any: bool,
    /// The most rows that batches take of a graph and that one has, if larger graphs are trimmed.
    trim: Option<[Size; 2]>,
    trimmed: usize,
    /// The state before the first batch of epoch 0.
    start: LoaderState,
}

impl LoaderPlan {
    /// Checks the options and plans batches for the graphs of `source`.
    pub(crate) fn new<S: Source + ?Sized>(options: Options, source: &S) -> Result<Self, BuildError> {
        #[cfg(feature = "tracing")]
        let _span = tracing::info_span!("plan", graphs = source.len(), batching = %options.batching).entered();
        if source.is_empty() {
            return Err(BuildError::Empty);
        }
        if u32::try_from(source.len()).is_err() {
            return Err(BuildError::TooManyGraphs { graphs: source.len() });
        }
        if options.packs == 0 {
            return Err(BuildError::Zero { option: "packs_per_batch" });
        }
        let (schema, sets) = (source.schema(), source.schema().sets().clone());
        let carried = Carried::new(schema, options.fields.as_deref(), &source.derived_from(), &options.arrays)
            .map_err(|(name, available)| BuildError::NoArray { name, available })?;
        let sizes = Sizes::read(source)?;
        if options.block == Some(0) {
            return Err(BuildError::Zero { option: "block of shuffle_blocks" });
        }
        if let Some(weights) = options.weights.as_ref().filter(|weights| weights.weights().len() != sizes.graphs()) {
            return Err(BuildError::Weights { graphs: sizes.graphs(), found: weights.weights().len() });
        }
        check_plan(&options, &sets)?;
        let divided = Divided::new(&options, source, &sizes)?;
        let Divided { buckets, declared, spread, bases, shapes, any, .. } = divided;
        let Divided { kept, alone, skipped, trimmed, draws, grouping, plan, .. } = divided;
        let (trim, sizes) = match trimmed {
            Some((most, left)) => (Some([most, sizes.largest()]), left),
            None => (None, sizes),
        };
        let (skipped, trimmed) = if trim.is_some() { (0, skipped) } else { (skipped, 0) };
        let key = ResumeKey::new(&options, declared, bases.fixed(), &grouping);
        let start = LoaderState::start(source.fingerprint(), source.checksum(), key);
        let picking = Picking { graphs: kept, block: options.block, draws };
        let (per_batch, drop_last) = (options.packs, options.drop_last);
        let schedule = Schedule { picking, sizes, grouping, per_batch, drop_last, alone };
        Ok(Self {
            options,
            sets,
            bases,
            spread,
            carried,
            limits: declared,
            buckets,
            schedule,
            shapes,
            plan,
            skipped,
            any,
            trim,
            trimmed,
            start,
        })
    }

    /// The options of the loader.
    pub(crate) fn options(&self) -> &Options {
        &self.options
    }

    /// The state before the first batch of epoch 0.
    pub(crate) fn start(&self) -> &LoaderState {
        &self.start
    }

    /// The rule that gives each batch its shape.
    pub(crate) fn shapes(&self) -> &ShapeRule {
        &self.shapes
    }

    /// The shape of all batches and the same with the least padding; `None` if batches are rounded up one by one.
    pub(crate) fn kept(&self) -> Option<(Shape, Shape)> {
        self.shapes.fixed().zip(self.bases.fixed())
    }

    /// The configured limits of a pack; `None` if batches do not get their shape from limits.
    pub(crate) fn limits(&self) -> Option<Limits> {
        self.shapes.fixed().map(|_| self.limits)
    }

    /// The error of batches that have more bytes than memory can address.
    pub(crate) fn too_large(&self) -> BuildError {
        BuildError::TooLarge { limits: self.limits, packs: self.options.packs }
    }

    /// The names of the sets.
    pub(crate) fn sets(&self) -> &SetNames {
        &self.sets
    }

    /// Which rows padding entries point to, and what every batch keeps free.
    pub(crate) fn padding(&self) -> (Padding, &LeastPadding) {
        (self.options.padding, self.spread.least())
    }

    /// The arrays that batches carry.
    pub(crate) fn carried(&self) -> &Carried {
        &self.carried
    }

    /// The plan, if there is one and it is the same in every epoch.
    pub(crate) fn packs(&self) -> Option<&Arc<Plan>> {
        self.plan.as_ref()
    }

    /// The size of every graph of the source.
    pub(crate) fn sizes(&self) -> &Sizes {
        &self.schedule.sizes
    }

    /// Whether two graphs of the distinct sizes `one` and `other` may share a batch.
    pub(crate) fn may_meet(&self, one: usize, other: usize) -> bool {
        let both = [one, other].map(|class| &self.sizes().distinct()[class]);
        let fit_one_pack = |limits: &Limits| {
            let [own, more] = both.map(Size::as_slice);
            let mut rows = own.iter().zip(more).zip(limits.size.as_slice());
            limits.graphs > 1 && rows.all(|((&own, &more), &room)| u64::from(own) + u64::from(more) <= room.into())
        };
        let fit = |limits: &Limits| match self.options.packs {
            1 => fit_one_pack(limits),
            _ => both.iter().all(|size| size.fits(&limits.size)),
        };
        self.any || self.buckets.of_both(one, other).is_some_and(fit)
    }

    /// Number of graphs that are left out because they exceed the limits.
    pub(crate) fn skipped(&self) -> usize {
        self.skipped
    }

    /// The most rows that batches take of a graph and that one has, if larger graphs are trimmed.
    pub(crate) fn trim(&self) -> Option<[Size; 2]> {
        self.trim
    }

    /// Number of graphs that are trimmed because they exceed the limits.
    pub(crate) fn trimmed(&self) -> usize {
        self.trimmed
    }

    /// Number of graphs that are batches of their own because they exceed the limits.
    pub(crate) fn alone(&self) -> usize {
        self.schedule.alone()
    }

    /// Returns the number of batches of epoch `epoch` on all ranks together.
    pub(crate) fn batches(&self, epoch: u64) -> Result<usize, LoadError> {
        self.schedule.batches().map_or_else(|| Ok(self.own_epoch(epoch)?.len()), Ok)
    }

    /// Whether each epoch is packed by itself, which takes long.
    pub(crate) fn plans_each_epoch(&self) -> bool {
        matches!(self.schedule.grouping, Grouping::Replanned { .. })
    }

    /// Returns the batches of epoch `epoch` of a run that begins with this loader.
    pub(crate) fn own_epoch(&self, epoch: u64) -> Result<EpochPlan, LoadError> {
        self.epoch(epoch, self.start.key())
    }

    /// Returns the batches of epoch `epoch` of a run with `key`, each of which fits its shape. If shapes differ and graphs
    /// are shuffled, batches are reordered so that consecutive ones, one for each rank, have similar shapes: ranks then
    /// have equal work in each step.
    pub(crate) fn epoch(&self, epoch: u64, key: &ResumeKey) -> Result<EpochPlan, LoadError> {
        #[cfg(feature = "tracing")]
        let _span = tracing::debug_span!("order", epoch).entered();
        let seed = self.options.seed;
        let (alike, spread) = (key.alike(), key.spread());
        let order = self.schedule.epoch(seed, epoch, spread).map_err(|source| LoadError::Plan { epoch, source })?;
        let only = self.shapes.only();
        if let Some(shape) = only.filter(|_| !self.any) {
            return Ok(EpochPlan::of_one_shape(order, shape));
        }
        // The order of batches follows from their shapes with the least padding, as in earlier releases.
        let reorders = only.is_none() && seed.is_some() && alike > 1;
        let to_one = Spread::to_one(*self.spread.least());
        let rule = if reorders { (&self.bases, &to_one) } else { (&self.shapes, &self.spread) };
        let shapes = (0..order.len()).map(|step| self.shape(order.batch(step), step, rule));
        let shapes = shapes.collect::<Result<Vec<_>, _>>()?;
        if let Some(shape) = only {
            return Ok(EpochPlan::of_one_shape(order, shape));
        }
        let mut plan = EpochPlan::of_shapes(order, shapes);
        if let (Some(seed), true) = (seed, reorders) {
            plan.bring_alike_together(alike as usize, &mut Random::new(mix(seed, 1), epoch));
            plan.reshape(|graphs, step| self.shape(graphs, step, (&self.shapes, &self.spread)))?;
        }
        Ok(plan)
    }

    /// Gives each step of `plan` one shape for all ranks, if that was asked for or there are several shapes to choose from.
    pub(crate) fn equal_shapes(&self, plan: &mut EpochPlan, world: u32, done: usize) {
        if self.options.equal_shapes || matches!(self.shapes, ShapeRule::Several(_)) {
            let shape = |step: &[Shape], rows: &[Shape]| self.shapes.common(step, rows, &self.spread);
            plan.equal_shapes(world as usize, done, |graphs| self.schedule.rows(graphs), shape);
        }
    }

    /// Returns the shape of batch `step`, or an error if its graphs exceed the shape. That can happen with a fixed
    /// number of graphs per batch.
    fn shape(&self, graphs: &[u32], step: usize, (rule, spread): (&ShapeRule, &Spread)) -> Result<Shape, LoadError> {
        let (found, sets, base) = (self.schedule.rows(graphs), || self.sets.clone(), self.bases.fixed());
        let shape = rule.shape(&found, base, spread);
        let shape = shape.ok_or_else(|| LoadError::Unaddressable { step, found: Box::new(found), sets: sets() })?;
        // A shape that has grown for padding takes no more graphs than before.
        let most = base.filter(|_| self.any).unwrap_or(shape);
        if found.fits_padded(spread.least(), &most) {
            Ok(shape)
        } else {
            Err(LoadError::Exceeds { step, found: Box::new(found), shape: Box::new(most), sets: sets() })
        }
    }
}
