//! [`LoaderPlan`]: everything that is decided about the batches of a loader before the first epoch.

use super::contradictions::{check, refuse};
use super::divided::{Divided, Measured, check_plan, division};
use super::limits::warning;
use super::order::{Division, Picking, PlanPlaces, Schedule};
use super::{Balance, EpochPlan, ResumeKey, ShapeLimits, ShapeRule, Sizes, Spread, State};
use crate::error::{BuildError, Error, LoadError};
use crate::layout::{Carried, Dtype, Field, MAX_SETS, Schema, SetNames, Shape, Size};
use crate::options::{FromEpoch0, Limits, Options, Order, Oversize, Padding};
use crate::random::{Random, Use};
use crate::source::{Graphs, repeats};
use graphpack_core::{LeastPadding, Plan};
use std::collections::HashMap;
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
    by_shape: Arc<ShapeLimits>,
    schedule: Schedule,
    shapes: ShapeRule,
    plan: Option<Arc<Plan>>,
    /// Number of graphs that exceed the limits.
    over: usize,
    /// The most rows that batches take of a graph and that one has, if larger graphs are trimmed.
    trim: Option<[Size; 2]>,
    /// For each graph the first with the same number, if graphs are drawn with replacement.
    firsts: Option<Vec<u32>>,
    /// The state before the first batch of epoch 0.
    start: State,
    /// Why batches have far more graphs than were asked for, if they do.
    warning: Option<String>,
}

impl LoaderPlan {
    /// Checks the options and plans batches for the graphs of `data`.
    pub(crate) fn new(options: Options, data: &dyn Graphs) -> Result<Self, Error> {
        #[cfg(feature = "tracing")]
        let _span = tracing::info_span!("plan", graphs = data.len(), grouping = %options.grouping).entered();
        if data.len() == 0 {
            data.known().map_err(BuildError::Data)?;
            return Err(BuildError::Empty.into());
        }
        if u32::try_from(data.len()).is_err() {
            return Err(BuildError::TooManyGraphs { graphs: data.len() }.into());
        }
        if options.packs == 0 {
            return Err(BuildError::Zero { option: "packs" }.into());
        }
        check(&options)?;
        let (schema, sets) = (data.schema(), data.schema().sets().clone());
        if options.equal_cost.is_some() && sets.len() == MAX_SETS {
            return refuse(
                "equal_cost".into(),
                format!("data of {MAX_SETS} sets"),
                "plans count the cost as one more set",
            );
        }
        let derived = data.derived_from();
        let mut fields = options.fields.clone();
        if let Some(fields) = fields.as_mut().filter(|_| !data.maps().is_empty() || options.oversize == Oversize::Trim)
        {
            // How many derived rows are left is known from what they follow from.
            fields.extend(derived.iter().map(|(_, input)| (*input).to_owned()));
        }
        if let Some(fields) = fields.as_mut().filter(|_| options.oversize == Oversize::Trim) {
            // The nearest neighbours stay.
            let edges = schema.index_arrays().iter().filter_map(|array| Some(array.matrix()?.edges));
            let lengths = edges.filter_map(|edges| Some(schema.fields()[schema.length(edges)?].name.clone()));
            fields.extend(lengths);
        }
        let carried = carried(&options, fields, schema, &derived)?;
        let sizes = data.sizes().map_err(BuildError::Data)?;
        let deciding = match &options.sized_for {
            Some(other) if *other.schema().sets() != sets => {
                let [one, other] = [&*sets, &**other.schema().sets()].map(|sets| format!("{sets:?}"));
                let other = format!("sized_for data of the sets {other}");
                return refuse(format!("data of the sets {one}"), other, "one shape has the same sets");
            }
            Some(other) => Some(other.graphs().sizes().map_err(BuildError::Data)?),
            None => None,
        };
        if options.order == Order::Blocks(0) {
            return Err(BuildError::Zero { option: "graphs per block" }.into());
        }
        if let Some(weights) = options.weights.as_ref().filter(|weights| weights.weights().len() != sizes.graphs()) {
            return Err(BuildError::Weights { graphs: sizes.graphs(), found: weights.weights().len() }.into());
        }
        check_plan(&options, &sets)?;
        let measured = Measured { own: &sizes, deciding: deciding.as_ref().unwrap_or(&sizes) };
        let divided = Divided::new(&options, data, measured)?;
        let Divided { by_shape, spread, bases, shapes, graphs, alone, over, trimmed, draws, division, plan } = divided;
        let (trim, sizes) = match trimmed {
            Some((most, left)) => (Some([most, sizes.largest()]), Arc::new(left)),
            None => (None, sizes),
        };
        let maps = data.maps();
        if let Some(name) = twice(&maps) {
            return Err(BuildError::Maps { name }.into());
        }
        if options.drop_last
            && let Division::Planned(plans) = &division
            && plans.iter().map(PlanPlaces::packs).any(|packs| (1..options.packs).contains(&packs))
        {
            let why = "all graphs of one shape are fewer packs than a batch, and would be left out";
            return refuse("drop_last".into(), format!("packs {}", options.packs), why);
        }
        let sized_for = deciding.as_ref().map(|sizes| sizes.fingerprint());
        let maps = maps.into_iter().map(|(part, name)| part + &name).collect();
        let key = ResumeKey::new(
            &options,
            spread.padding(),
            maps,
            by_shape.largest(),
            bases.largest(),
            division.plan(),
            sized_for,
        );
        let start = State::start(data.fingerprint(), data.checksum(), key);
        let picking = Picking { graphs, order: options.order, draws };
        let (per_batch, drop_last) = (options.packs, options.drop_last);
        let firsts = (options.weights.is_some() || repeats(data)).then(|| firsts(data));
        let schedule = Schedule { picking, sizes, division, per_batch, drop_last, alone };
        let mut this = Self {
            options,
            sets,
            bases,
            spread,
            carried,
            by_shape,
            schedule,
            shapes,
            plan,
            over,
            trim,
            firsts,
            start,
            warning: None,
        };
        let decides = this.options.sized_for.as_ref().map_or(data, |other| &**other.graphs());
        let sizes = deciding.as_deref().unwrap_or(this.sizes());
        let warnings = [
            warning(&this.options, decides, sizes, || this.graphs_per_batch()),
            not_missing(&this.options, data.schema()),
        ];
        this.warning = warnings.into_iter().flatten().reduce(|all, more| all + "; " + &more);
        #[cfg(feature = "tracing")]
        if let Some(warning) = &this.warning {
            tracing::warn!("{warning}");
        }
        Ok(this)
    }

    /// The mean number of graphs of the batches of epoch 0; `None` if it cannot be planned or has none.
    fn graphs_per_batch(&self) -> Option<f64> {
        let plan = self.own_epoch(0).ok().filter(|plan| plan.len() > 0)?;
        let graphs: usize = (0..plan.len()).map(|batch| plan.graphs(batch).len()).sum();
        Some(graphs as f64 / plan.len() as f64)
    }

    /// Why batches have far more graphs than were asked for, if they do.
    pub(crate) fn warning(&self) -> Option<&str> {
        self.warning.as_deref()
    }

    /// The options of the loader.
    pub(crate) fn options(&self) -> &Options {
        &self.options
    }

    /// The state before the first batch of epoch 0.
    pub(crate) fn start(&self) -> &State {
        &self.start
    }

    /// The rule that gives each batch its shape.
    pub(crate) fn shapes(&self) -> &ShapeRule {
        &self.shapes
    }

    /// What epoch 0 gives all epochs where each draws its graphs; `None` if batches are rounded up one by one.
    pub(crate) fn for_all_epochs(&self) -> Option<FromEpoch0> {
        let (shape, base) = self.shapes.largest().zip(self.bases.largest())?;
        Some(FromEpoch0 { limits: self.by_shape.largest(), shape, base, exactly: self.options.capacity.exact_graphs() })
    }

    /// The error of batches that have more bytes than memory can address.
    pub(crate) fn too_large(&self) -> Error {
        BuildError::TooLarge { limits: self.by_shape.largest(), packs: self.options.packs }.into()
    }

    /// The names of the sets.
    pub(crate) fn sets(&self) -> &SetNames {
        &self.sets
    }

    /// Which rows padding entries point to, and what every batch keeps free.
    pub(crate) fn padding(&self) -> (Padding, &LeastPadding) {
        (self.spread.padding(), self.spread.least())
    }

    /// The arrays that batches carry.
    pub(crate) fn carried(&self) -> &Carried {
        &self.carried
    }

    /// The plan, if there is one and it is the same in every epoch.
    pub(crate) fn plan(&self) -> Option<&Arc<Plan>> {
        self.plan.as_ref()
    }

    /// The size of every graph of the source.
    pub(crate) fn sizes(&self) -> &Sizes {
        &self.schedule.sizes
    }

    /// Whether two graphs of the distinct sizes `one` and `other` may share a batch.
    pub(crate) fn may_meet(&self, one: usize, other: usize) -> bool {
        let both = [one, other].map(|number| &self.sizes().distinct()[number]);
        let fit_one_pack = |limits: &Limits| {
            let [own, more] = both.map(Size::as_slice);
            let mut rows = own.iter().zip(more).zip(limits.size.as_slice());
            limits.graphs > 1 && rows.all(|((&own, &more), &room)| u64::from(own) + u64::from(more) <= room.into())
        };
        let fit = |limits: &Limits| match self.options.packs {
            1 => fit_one_pack(limits),
            _ => both.iter().all(|size| size.fits(&limits.size)),
        };
        self.by_shape.of_both(both[0], both[1]).is_some_and(fit)
    }

    /// Number of graphs that exceed the limits, if this is what happens to them.
    pub(crate) fn over(&self, oversize: Oversize) -> usize {
        if self.options.oversize == oversize { self.over } else { 0 }
    }

    /// The most rows that batches take of a graph and that one has, if larger graphs are trimmed.
    pub(crate) fn trim(&self) -> Option<[Size; 2]> {
        self.trim
    }

    /// Returns the number of batches of epoch `epoch` on all ranks together.
    pub(crate) fn batches(&self, epoch: u64) -> Result<usize, Error> {
        self.schedule.batches().map_or_else(|| Ok(self.own_epoch(epoch)?.len()), Ok)
    }

    /// Whether each epoch is packed by itself, which takes long.
    pub(crate) fn plans_each_epoch(&self) -> bool {
        matches!(self.schedule.division, Division::Replanned { .. })
    }

    /// Returns the batches of epoch `epoch` of a run that begins with this loader.
    pub(crate) fn own_epoch(&self, epoch: u64) -> Result<EpochPlan, Error> {
        self.epoch(epoch, self.start.key())
    }

    /// Returns the batches of epoch `epoch` of a run with `key`, each of which fits its shape. If shapes differ and
    /// graphs are shuffled, batches are reordered so that consecutive ones, one for each rank, have similar costs or
    /// shapes: ranks then have equal work in each step. Costs are equal on the ranks that the run had at the beginning
    /// of the epoch, so that a plan is made again if these were others.
    pub(crate) fn epoch(&self, epoch: u64, key: &ResumeKey) -> Result<EpochPlan, Error> {
        let mut plan = self.arranged(epoch, key)?;
        if let Some(firsts) = &self.firsts {
            plan.count_copies(firsts);
        }
        Ok(plan)
    }

    fn arranged(&self, epoch: u64, key: &ResumeKey) -> Result<EpochPlan, Error> {
        #[cfg(feature = "tracing")]
        let _span = tracing::debug_span!("order", epoch).entered();
        let (seed, alike, speeds) = (self.options.seed, key.alike(), key.speeds());
        let of_other_ranks = match self.options.equal_cost {
            Some(cost) if (alike, speeds) != (self.options.shard.world(), &self.options.speeds[..]) => {
                let balance = Balance { cost, ranks: alike, speeds: speeds.to_vec() };
                let graphs = &self.schedule.picking.graphs;
                Some(division(&self.options, Some(balance), self.sizes(), graphs, &self.by_shape, &self.sets)?.0)
            }
            _ => None,
        };
        let division = of_other_ranks.as_ref().unwrap_or(&self.schedule.division);
        let order = self.schedule.epoch(seed, epoch, division).map_err(|source| LoadError::Plan { epoch, source })?;
        if let Some(shape) = self.shapes.only() {
            return Ok(EpochPlan::of_one_shape(order, shape, self.schedule.sizes.clone()));
        }
        // The order of batches follows from their shapes with the least padding.
        let shuffled = self.options.order.is_shuffled();
        let reorders = shuffled && alike > 1 || !speeds.is_empty();
        let to_one = Spread::to_one(self.spread.padding(), *self.spread.least());
        let (rule, spread) = if reorders { (&self.bases, &to_one) } else { (&self.shapes, &self.spread) };
        let shapes = (0..order.len()).map(|batch| self.shape(order.batch(batch), batch, rule, spread));
        let shapes = shapes.collect::<Result<Vec<_>, _>>()?;
        let mut plan = EpochPlan::of_shapes(order, shapes, self.schedule.sizes.clone());
        if reorders {
            let mut random = Random::of(seed, Use::Alike { epoch });
            match self.options.equal_cost {
                Some(cost) if !speeds.is_empty() => plan.share_steps(speeds, &cost, shuffled.then_some(&mut random)),
                cost => plan.bring_alike_together(alike as usize, &mut random, cost),
            }
            plan.reshape(|graphs, batch| self.shape(graphs, batch, &self.shapes, &self.spread))?;
        }
        Ok(plan)
    }

    /// Gives each step of `plan` one shape for all ranks, if that was asked for or there are several shapes to choose
    /// from.
    pub(crate) fn equal_shapes(&self, plan: &mut EpochPlan, world: u32, done: usize) {
        if self.options.equal_shapes || matches!(self.shapes, ShapeRule::Several(_)) {
            let shape = |step: &[Shape], rows: &[Shape]| self.shapes.common(step, rows, &self.spread);
            plan.equal_shapes(world as usize, done, shape);
        }
    }

    /// Returns the shape of batch `batch` of all ranks, or an error if its numbers overflow.
    fn shape(&self, graphs: &[u32], batch: usize, rule: &ShapeRule, spread: &Spread) -> Result<Shape, Error> {
        let found = self.sizes().rows(graphs);
        let shape = rule.shape(&found, self.bases.largest(), spread);
        shape.ok_or_else(|| {
            Error::from(LoadError::Uncountable { batch, found: Box::new(found), sets: self.sets.clone() })
        })
    }
}

/// Returns what batches carry: the `fields` that are chosen, with the masks of those that may be missing, and what
/// `derived` sets follow from. Errors with the first name that there is not, or if indices cannot have this type.
pub(crate) fn carried(
    options: &Options,
    mut fields: Option<Vec<String>>,
    schema: &Schema,
    derived: &[(&str, &str)],
) -> Result<Carried, BuildError> {
    if let Some(fields) = fields.as_mut().filter(|_| options.missing != 0.0) {
        let is_chosen = |of: &&Field| fields.contains(&of.name);
        let masks = |mask: &&Field| schema.fields().iter().filter(is_chosen).any(|of| mask.masks(of));
        let masks: Vec<String> = schema.fields().iter().filter(masks).map(|mask| mask.name.clone()).collect();
        fields.extend(masks);
    }
    if ![Dtype::I64, Dtype::I32].contains(&options.index) {
        return Err(BuildError::Index { dtype: options.index });
    }
    Carried::new(schema, fields.as_deref(), derived, &options.extra)
        .map_err(|(name, available)| BuildError::NoArray { name, available })
}

/// What a loader warns of where batches have a value for what graphs lack: fields that cannot have it, since they are
/// no floating point numbers.
fn not_missing(options: &Options, schema: &Schema) -> Option<String> {
    let is_masked = |field: &&Field| !field.dtype.is_float() && schema.fields().iter().any(|mask| mask.masks(field));
    let is_carried = |field: &&Field| options.fields.as_ref().is_none_or(|names| names.contains(&field.name));
    let fields = schema.fields().iter().filter(is_masked).filter(is_carried);
    let names: Vec<String> = fields.map(|field| format!("{} {:?}", field.dtype, field.name)).collect();
    (options.missing != 0.0 && !names.is_empty()).then(|| {
        let (value, names) = (options.missing, names.join(", "));
        format!("missing is {value}, which {names} cannot hold: graphs that lack it have 0, and has_NAME says which do")
    })
}

/// A name that two maps of the same graphs have, whose random numbers would be equal. Maps of a part of a mix are after
/// its name: those of `crystals/` and those of the mix both change the crystals.
fn twice(maps: &[(String, String)]) -> Option<String> {
    for (place, (part, name)) in maps.iter().enumerate() {
        let meets = |(other, of): &(String, String)| of == name && (part.starts_with(other) || other.starts_with(part));
        if maps[..place].iter().any(meets) {
            return Some(name.clone());
        }
    }
    None
}

/// For each graph the first with the same number: a subset may have a graph several times.
fn firsts(data: &dyn Graphs) -> Vec<u32> {
    let mut firsts = HashMap::new();
    (0..data.len()).map(|graph| *firsts.entry(data.number(graph)).or_insert(graph as u32)).collect()
}
