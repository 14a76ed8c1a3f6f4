//! [`Divided`]: which graphs are taken, how they are divided into packs, and the shapes that batches then need.

use super::contradictions::takes_alone_in_order;
use super::limits::without_cost;
use super::order::{Difference, Division, Draws, PlanPlaces};
use super::resolved::Resolved;
use super::spread::Batches;
use super::{Balance, ShapeLimits, ShapeRule, Sizes, Spread};
use crate::error::{BuildError, Error};
use crate::layout::{SetNames, Shape, Size};
use crate::options::{Grouping, Holds, Limits, Options, Oversize, Shapes};
use crate::source::Graphs;
use graphpack_core::{LeastPadding, Plan};
use std::sync::Arc;

/// How often graphs are divided again, at most, so that a given shape or budget has room for padding: by what the packs
/// of a plan take, and the last time by what any batches take. Most shapes take one or two; fully connected graphs of
/// QM9, 8 to a shape of their mean size, made 22,900 batches with seven and 38,800 with three.
const AGAIN: usize = 7;

/// What plans name the set whose rows are the cost of a graph.
const COST: &str = "cost";

/// Which graphs are taken, how they are divided into packs, and the shapes that batches then need.
pub(super) struct Divided {
    pub(super) by_shape: Arc<ShapeLimits>,
    /// How many padding rows batches have.
    pub(super) spread: Spread,
    /// The shapes of batches with the least padding.
    pub(super) bases: ShapeRule,
    pub(super) shapes: ShapeRule,
    /// The graphs that fit the limits, are trimmed to them, or come in their place all the same.
    pub(super) graphs: Vec<u32>,
    /// Graphs that exceed the limits and are batches of their own after the others.
    pub(super) alone: Vec<u32>,
    /// Number of graphs that exceed the limits.
    pub(super) over: usize,
    /// The most rows of a graph, and the sizes that graphs have then, if larger graphs are trimmed.
    pub(super) trimmed: Option<(Size, Sizes)>,
    pub(super) draws: Option<Draws>,
    pub(super) division: Division,
    pub(super) plan: Option<Arc<Plan>>,
}

/// The sizes of a loader's graphs, and those that decide its shapes.
#[derive(Clone, Copy)]
pub(super) struct Measured<'a> {
    pub(super) own: &'a Sizes,
    /// Those of the data that the loader is sized for; otherwise its own.
    pub(super) deciding: &'a Sizes,
}

impl Divided {
    /// Divides the graphs of `data`, which have these sizes, and gives shapes the padding rows that batches need.
    pub(super) fn new(options: &Options, data: &dyn Graphs, sizes: Measured<'_>) -> Result<Self, Error> {
        let mut reserved = data.schema().least_padding(options.padding_of(data.schema()));
        let mut first: Option<Self> = None;
        for round in 0..=AGAIN {
            let mut divided = match Self::within(options, data, sizes, &reserved) {
                // Rows for padding may leave no graph, or not every graph, its room.
                Err(_) if first.is_some() => break,
                Ok(divided) if first.as_ref().is_some_and(|first| divided.over > first.over) => break,
                divided => divided?,
            };
            let surely = round + 1 >= AGAIN;
            // A shape or a budget that was given does not grow: the limits shrink, and graphs are divided again.
            let Some(reserve) = divided.pad(options, sizes.deciding, &reserved, surely)? else { return Ok(divided) };
            reserved.size = reserved.size.max_each(&reserve);
            first.get_or_insert(divided);
        }
        match (first, &options.capacity.0) {
            // What was asked for: padding is spread as far as it goes.
            (Some(divided), Holds::Shape(_)) => Ok(divided),
            _ => Err(BuildError::Padding { capacity: Box::new(options.capacity.clone()) }.into()),
        }
    }

    /// Divides graphs under limits that keep `reserved` free of a given shape or budget.
    fn within(
        options: &Options,
        data: &dyn Graphs,
        Measured { own, deciding }: Measured<'_>,
        reserved: &LeastPadding,
    ) -> Result<Self, Error> {
        let (schema, sets) = (data.schema(), data.schema().sets());
        let Resolved { by_shape, shapes: mut bases } = Resolved::new(options, schema, deciding, reserved)?;
        if let (Holds::FromEpoch0(given), ShapeRule::Fixed { shape, .. }) = (&options.capacity.0, &mut bases) {
            *shape = given.base;
        }
        let (limits, by_shape) = (by_shape.largest(), Arc::new(by_shape));
        // The number of graphs fits into 32 bits.
        let all = || (0..own.graphs() as u32).collect();
        let (mut graphs, mut alone) = fitting(options, data, own, &limits)?;
        let over = alone.len();
        let mut trimmed = None;
        if options.oversize == Oversize::Trim {
            trimmed = Some((limits.size, own.trimmed(&limits.size)));
            graphs = all();
        }
        if takes_alone_in_order(options) {
            graphs = all();
        }
        if options.oversize != Oversize::Alone || takes_alone_in_order(options) {
            alone.clear();
        }
        let left = trimmed.as_ref().map_or(own, |(_, sizes)| sizes);
        let has_matrix = schema.index_arrays().iter().any(|array| array.matrix().is_some());
        let is_free = options.shapes == Shapes::Exact && !options.equal_shapes && !has_matrix;
        let padding = options.padding_of(schema);
        let spread = match &trimmed {
            _ if is_free => Spread::to_one(padding, LeastPadding::NONE),
            Some((most, _)) => Spread::new(schema, &deciding.trimmed(most), padding),
            None => Spread::new(schema, deciding, padding),
        };
        let mut shapes = bases.clone();
        if let (ShapeRule::Fixed { alone: base, .. }, ShapeRule::Fixed { alone: shape, .. }) = (&mut bases, &mut shapes)
            && !alone.is_empty()
        {
            let exceeding = deciding.distinct().iter().filter(|size| !size.fits(&limits.size));
            let exceeding: Vec<&Size> = alone.iter().map(|&graph| own.of(graph)).chain(exceeding).collect();
            let least = Size::of(sets.len(), |_| 1);
            let largest = exceeding.iter().fold(least, |most, size| most.max_each(size));
            let room = schema.padded_shape(padding, &Limits { size: largest, graphs: 1 }, 1);
            let real: Vec<Shape> = exceeding.iter().map(|size| Shape::default().with_graph(size)).collect();
            let room = room.ok_or(BuildError::TooLarge { limits, packs: options.packs })?;
            (*base, *shape) = (Some(room), spread.grow(room, |shape| Some(*shape), &spread.taken(&real)));
        }
        let skipped = if options.oversize == Oversize::Skip { over } else { 0 };
        let draws = draws(options, &graphs, skipped)?;
        let (division, plan) = division(options, own_balance(options), left, &graphs, &by_shape, sets)?;
        Ok(Self { by_shape, spread, bases, shapes, graphs, alone, over, trimmed, draws, division, plan })
    }

    /// Gives shapes the padding rows that batches need, and sees to it that packs which are composed again need no
    /// more. In a given shape, and in a budget that pays for the `reserved` rows, packs first deal graphs to each
    /// other. Returns the rows to reserve if there is no room all the same: those that any batches need if `surely`,
    /// otherwise those that the packs of a plan are likely to need.
    fn pad(
        &mut self,
        options: &Options,
        deciding: &Sizes,
        reserved: &LeastPadding,
        surely: bool,
    ) -> Result<Option<Size>, Error> {
        let is_planned = matches!(self.division, Division::Planned(_));
        let of_epoch_0 = if let Holds::FromEpoch0(given) = &options.capacity.0 { Some(given.shape) } else { None };
        if let (ShapeRule::Fixed { shape, .. }, Some(given)) = (&mut self.shapes, of_epoch_0) {
            *shape = given;
        }
        if matches!(self.shapes, ShapeRule::Rounded { .. }) || of_epoch_0.is_some() && !is_planned {
            return Ok(None);
        }
        let limits = self.by_shape.largest();
        let too_large = || Error::from(BuildError::TooLarge { limits, packs: options.packs });
        // The limits and what is reserved: a given shape, or what a budget pays for.
        let given = self.bases.largest().filter(|_| options.capacity.has_padding()).map(|base| {
            let rows = |set: usize| {
                (limits.size[set] as usize).saturating_mul(options.packs).saturating_add(reserved.size[set] as usize)
            };
            Shape::of(base.sets().len(), base.graphs(), |set| base.sets()[set].max(rows(set)))
        });
        if let (Division::Planned(plans), Some(given)) = (&mut self.division, given)
            && let Some(fits) = self.spread.fits_pack(&self.spread.room(&given), options.packs)
        {
            plans.iter_mut().for_each(|places| places.recomposer.fit(&fits));
        }
        let mut batches = self.batches(options, deciding);
        let taken: Vec<Vec<i128>> = batches.iter().map(|batches| self.spread.taken_by(batches)).collect();
        let mut shapes = self.shapes.clone();
        let own = match of_epoch_0 {
            Some(given) => vec![given],
            None => shapes.grow(&self.spread, &taken).ok_or_else(too_large)?,
        };
        if let Division::Planned(plans) = &mut self.division {
            for (places, (shape, taken)) in plans.iter_mut().zip(own.iter().zip(&taken)) {
                let room = self.spread.room(shape).into_iter().zip(taken).map(|(room, &taken)| room.max(taken));
                places.fits = self.spread.fits_pack(&room.collect::<Vec<_>>(), options.packs);
            }
        }
        let Some(given) = given.filter(|given| !own[0].fits(given)) else {
            self.shapes = shapes;
            return Ok(None);
        };
        if surely {
            batches[0].planned = None;
        }
        self.spread.reserve(&batches[0], &given).ok_or_else(too_large).map(Some)
    }

    /// Returns the batches of each shape: those of the plan, or any of graphs of these sizes.
    fn batches(&self, options: &Options, deciding: &Sizes) -> Vec<Batches> {
        let trimmed = self.trimmed.as_ref().map(|(most, _)| deciding.trimmed(most));
        let sizes = trimmed.as_ref().unwrap_or(deciding);
        let shared = options.sized_for.is_some();
        let counts = match shared {
            true => sizes.counts_that_fit(&self.by_shape.largest().size),
            false => sizes.counts(&self.graphs),
        };
        let of_shape = |(number, (limits, counts)): (usize, (&Limits, Vec<u64>))| {
            let found = sizes.distinct().iter().zip(counts).filter(|&(_, count)| count > 0);
            // Any graph may be drawn each time.
            let times = |count| options.weights.as_ref().map_or(count, |weights| weights.draws() as u64);
            let all = |limit: u32| (limit as usize).saturating_mul(options.packs);
            let planned = match &self.division {
                Division::Planned(plans) if !shared => Some(plans[number].recomposer.packs().collect()),
                _ => None,
            };
            Batches {
                most: Shape::of(limits.size.sets(), all(limits.graphs), |set| all(limits.size[set])),
                counts: found.map(|(size, count)| (*size, times(count))).collect(),
                planned,
                packs: options.packs,
            }
        };
        self.by_shape.counts(sizes, &counts).enumerate().map(of_shape).collect()
    }
}

/// Returns what draws graphs by weight; `None` without weights.
fn draws(options: &Options, graphs: &[u32], skipped: usize) -> Result<Option<Draws>, Error> {
    match &options.weights {
        None => Ok(None),
        Some(weights) if weights.draws() == 0 => Err(BuildError::Zero { option: "draws" }.into()),
        Some(weights) if u32::try_from(weights.draws()).is_err() => {
            Err(BuildError::TooManyGraphs { graphs: weights.draws() }.into())
        }
        Some(weights) => Draws::among(weights, graphs).ok_or_else(|| BuildError::NoWeight { skipped }.into()).map(Some),
    }
}

/// Refuses a plan of other sets than the data have, with the cost where batches have equal cost.
pub(super) fn check_plan(options: &Options, sets: &SetNames) -> Result<(), Error> {
    let Grouping::Plan(plan) = &options.grouping else { return Ok(()) };
    let (count, expected) = (plan.limits().size.sets(), names_in_plans(options, sets).to_vec());
    let planned = match plan.sets() {
        Some(names) if *names != expected => format!("{names:?}"),
        None if count != expected.len() => format!("{count} sets"),
        _ => return Ok(()),
    };
    Err(BuildError::PlanSets { planned, expected }.into())
}

/// Returns the names that plans have for the sets of the data and, where batches have equal cost, for the cost.
fn names_in_plans(options: &Options, sets: &SetNames) -> SetNames {
    SetNames::new(sets.iter().cloned().chain(options.equal_cost.map(|_| COST.to_owned())))
}

/// What the batches of the loader's own ranks have equally much of, if that was asked for.
fn own_balance(options: &Options) -> Option<Balance> {
    let (ranks, speeds) = (options.shard.world(), options.speeds.clone());
    options.equal_cost.map(|cost| Balance { cost, ranks, speeds })
}

/// Returns how graphs are divided into packs, and the plan if there is one for all graphs of every epoch.
pub(super) fn division(
    options: &Options,
    balance: Option<Balance>,
    sizes: &Sizes,
    graphs: &[u32],
    by_shape: &Arc<ShapeLimits>,
    sets: &SetNames,
) -> Result<(Division, Option<Arc<Plan>>), Error> {
    let limits = by_shape.largest();
    if balance.as_ref().is_some_and(|balance| balance.is_free(sizes)) {
        return Err(BuildError::Free.into());
    }
    Ok(match &options.grouping {
        Grouping::Plan(saved) => {
            let planned = without_cost(saved.limits(), sets);
            if planned != limits {
                return Err(BuildError::PlanLimits { planned, limits }.into());
            }
            let places = PlanPlaces::saved(sizes, graphs, saved.plan(), balance.as_ref());
            let places = places.map_err(|Difference { size, planned, found }| BuildError::PlanSize {
                size,
                planned,
                found,
                sets: names_in_plans(options, sets),
                costed: balance.is_some(),
            })?;
            (Division::Planned(vec![places]), Some(saved.plan().clone()))
        }
        Grouping::Packed(packer) if options.weights.is_some() => {
            (Division::Replanned { packer: *packer, by_shape: by_shape.clone(), balance }, None)
        }
        Grouping::Packed(packer) => {
            let plans =
                PlanPlaces::plan(sizes, graphs, packer, by_shape, balance.as_ref()).map_err(BuildError::Pack)?;
            let (places, mut plans): (Vec<_>, Vec<_>) = plans.into_iter().unzip();
            (Division::Planned(places), plans.pop().filter(|_| plans.is_empty()))
        }
        Grouping::Window(open) => (Division::Window { limits, open: *open }, None),
        Grouping::InOrder => (Division::InOrder { limits, exactly: options.capacity.exact_graphs() }, None),
    })
}

/// Returns the graphs that fit the limits and those that exceed them. Errors if some exceed them and
/// [`Oversize::Error`] is set, or if none are left.
fn fitting(
    options: &Options,
    data: &dyn Graphs,
    sizes: &Sizes,
    limits: &Limits,
) -> Result<(Vec<u32>, Vec<u32>), Error> {
    // The number of graphs fits into 32 bits.
    let all = 0..sizes.graphs() as u32;
    let (graphs, over): (Vec<u32>, Vec<u32>) = all.partition(|&graph| sizes.of(graph).fits(&limits.size));
    if let (Some(&first), Oversize::Error) = (over.first(), options.oversize) {
        return Err(BuildError::Oversize {
            graph: data.number(first as usize),
            size: *sizes.of(first),
            sets: data.schema().sets().clone(),
            limits: *limits,
            others: over.len() - 1,
        }
        .into());
    }
    if graphs.is_empty() && (over.is_empty() || !matches!(options.oversize, Oversize::Alone | Oversize::Trim)) {
        return Err(BuildError::NoneFits { skipped: over.len(), limits: *limits }.into());
    }
    Ok((graphs, over))
}
