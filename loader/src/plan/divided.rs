//! [`Divided`]: which graphs are taken, how they are divided into packs, and the shapes that batches then need.

use super::division::{draws, fitting, grouping};
use super::order::{Draws, Grouping};
use super::resolved::Resolved;
use super::{Buckets, ShapeRule, Sizes, Spread};
use crate::error::BuildError;
use crate::layout::{Shape, Size};
use crate::options::{Batching, Capacity, Limits, Options, Oversize};
use crate::source::Source;
use graphpack_core::{LeastPadding, Plan};
use std::sync::Arc;

/// How often graphs are planned until a shape or a budget has room for padding, and how often without a plan.
const ROUNDS: [u32; 2] = [10, 160];

/// Which graphs are taken, how they are divided into packs, and the shapes that batches then need.
pub(super) struct Divided {
    pub(super) buckets: Arc<Buckets>,
    /// The configured limits of a pack.
    pub(super) declared: Limits,
    /// How many padding rows batches have.
    pub(super) spread: Spread,
    /// The shapes of batches with the least padding.
    pub(super) bases: ShapeRule,
    pub(super) shapes: ShapeRule,
    /// Whether graphs of any size are accepted.
    pub(super) any: bool,
    /// The graphs that fit the limits, or are trimmed to them.
    pub(super) kept: Vec<u32>,
    /// Graphs that exceed the limits and are batches of their own.
    pub(super) alone: Vec<u32>,
    /// Number of graphs that are left out.
    pub(super) skipped: usize,
    /// The most rows of a graph, and the sizes that graphs have then, if larger graphs are trimmed.
    pub(super) trimmed: Option<(Size, Sizes)>,
    pub(super) draws: Option<Draws>,
    pub(super) grouping: Grouping,
    pub(super) plan: Option<Arc<Plan>>,
}

impl Divided {
    /// Divides the graphs of `source`, which have these sizes, and gives shapes the padding rows that batches need.
    pub(super) fn new<S: Source + ?Sized>(options: &Options, source: &S, sizes: &Sizes) -> Result<Self, BuildError> {
        // A shape or a budget that was given does not grow: the limits shrink, and graphs are divided again.
        let given = matches!(options.capacity, Capacity::Shape(_) | Capacity::Cheapest { .. });
        let no_room = || BuildError::Padding { capacity: Box::new(options.capacity) };
        let mut reserved = options.padding.least(source.schema());
        let planned = matches!(options.batching, Batching::Packed(_)) && options.weights.is_none();
        let [rounds, faster] = if planned { [ROUNDS[0], 1] } else { [ROUNDS[1], ROUNDS[0]] };
        let mut first: Option<(Self, Vec<Shape>)> = None;
        for round in 0..rounds {
            let mut divided = match Self::within(options, source, sizes, &reserved) {
                // Rows for padding may leave no graph, or not every graph, its room.
                Err(_) if first.is_some() => break,
                Ok(divided) if first.as_ref().is_some_and(|(first, _)| divided.skipped > first.skipped) => break,
                divided => divided?,
            };
            let own = divided.grow(options, sizes)?;
            let mut lacks = false;
            if let (true, Some(shape)) = (given && !divided.any, own.first()) {
                for set in 0..shape.sets().len() {
                    let rows = reserved.size[set];
                    let limit = divided.declared.size[set] as usize;
                    let needed = shape.sets()[set].saturating_sub(limit.saturating_mul(options.packs));
                    let needed = u32::try_from(needed).map_err(|_| no_room())?;
                    if needed > rows {
                        // Longer and longer steps, since the next batches may need a little more.
                        let longer = needed.saturating_add((needed - rows).saturating_mul(round / faster));
                        reserved.size.set(set, longer);
                        lacks = true;
                    }
                }
            }
            if !lacks {
                divided.keep(options, &own);
                return Ok(divided);
            }
            first.get_or_insert((divided, own));
        }
        match (first, options.capacity) {
            // What was asked for: padding is spread as far as it goes.
            (Some((mut divided, own)), Capacity::Shape(_)) => {
                divided.keep(options, &own);
                Ok(divided)
            }
            _ => Err(no_room()),
        }
    }

    /// Divides graphs under limits that keep `reserved` free of a given shape or budget.
    fn within<S: Source + ?Sized>(
        options: &Options,
        source: &S,
        sizes: &Sizes,
        reserved: &LeastPadding,
    ) -> Result<Self, BuildError> {
        let (schema, sets) = (source.schema(), source.schema().sets());
        let Resolved { limits, buckets, declared, shapes: mut bases, any } =
            Resolved::new(options, schema, sizes, reserved)?;
        if let (Some((_, base)), ShapeRule::Fixed { shape, .. }) = (options.shape, &mut bases) {
            *shape = base;
        }
        let buckets = Arc::new(buckets);
        // The number of graphs fits into 32 bits.
        let all = || (0..sizes.graphs() as u32).collect();
        let (mut kept, over) = if any { (all(), Vec::new()) } else { fitting(options, source, sizes, &limits)? };
        let mut skipped = over.len();
        let mut trimmed = None;
        if options.oversize == Oversize::Trim && !any {
            trimmed = Some((limits.size, sizes.trimmed(&limits.size)));
            kept = all();
        }
        let left = trimmed.as_ref().map_or(sizes, |(_, sizes)| sizes);
        let spread = Spread::new(schema, left, options.padding);
        let mut alone = Vec::new();
        let mut shapes = bases.clone();
        if let (Oversize::Alone, ShapeRule::Fixed { alone: base, .. }, ShapeRule::Fixed { alone: shape, .. }) =
            (options.oversize, &mut bases, &mut shapes)
            && !over.is_empty()
        {
            let least = Size::of(sets.len(), |_| 1);
            let largest = over.iter().fold(least, |most, &graph| most.max_each(sizes.of(graph)));
            let own = options.padding.shape(schema, &Limits { size: largest, graphs: 1 }, 1);
            let most =
                |pair: usize| over.iter().map(|&graph| spread.taken(pair, &sizes.rows(&[graph]))).max().unwrap_or(0);
            let own = own.ok_or(BuildError::TooLarge { limits, packs: options.packs })?;
            (*base, *shape) = (Some(own), spread.grown(&own, most));
            (skipped, alone) = (0, over);
        }
        let draws = draws(options, &kept, &alone, if trimmed.is_some() { 0 } else { skipped })?;
        let (grouping, plan) = grouping(options, left, &kept, &buckets, sets)?;
        Ok(Self { buckets, declared, spread, bases, shapes, any, kept, alone, skipped, trimmed, draws, grouping, plan })
    }

    /// Gives shapes the padding rows that batches need, and returns the shape of each bucket.
    fn grow(&mut self, options: &Options, sizes: &Sizes) -> Result<Vec<Shape>, BuildError> {
        let kept = options.shape.map(|(shape, _)| shape);
        let given = kept.or(self.bases.fixed().filter(|_| {
            // Graphs are taken in whatever number: a batch that exceeds the shape is an error in its epoch.
            self.any && matches!(options.capacity, Capacity::Shape(_))
        }));
        if let (Some(given), ShapeRule::Fixed { shape, .. }) = (given, &mut self.shapes) {
            *shape = given;
            return Ok(vec![given]);
        }
        if let ShapeRule::Rounded { .. } = self.shapes {
            return Ok(Vec::new());
        }
        let taken = self.taken(options, sizes);
        let spread = &self.spread;
        let too_large = || BuildError::TooLarge { limits: self.declared, packs: options.packs };
        if let (Capacity::Shape(_), Some(shape)) = (options.capacity, self.bases.fixed()) {
            // Each set makes room by itself; none of them grows.
            return Ok(vec![spread.needed(&shape, |pair| taken[0][pair]).ok_or_else(too_large)?]);
        }
        let grown = self.shapes.clone().grown(spread, &taken);
        let (shapes, own) = grown.ok_or_else(too_large)?;
        self.shapes = shapes;
        Ok(own)
    }

    /// Returns what the batches of each bucket take of each pair of `spread`, at most.
    fn taken(&self, options: &Options, sizes: &Sizes) -> Vec<Vec<i128>> {
        let spread = &self.spread;
        let sizes = self.trimmed.as_ref().map_or(sizes, |(_, sizes)| sizes);
        let counts = sizes.counts(&self.kept);
        let of_bucket = |(bucket, (limits, counts)): (usize, (&Limits, Vec<u64>))| {
            let limits = if self.any { &self.declared } else { limits };
            let found = sizes.distinct().iter().zip(counts).filter(|&(_, count)| count > 0);
            // Any graph may be drawn each time.
            let times = |count| options.weights.as_ref().map_or(count, |weights| weights.draws() as u64);
            let counts: Vec<(Size, u64)> = found.map(|(size, count)| (*size, times(count))).collect();
            let most = |pair: usize| match (&self.grouping, spread.weights(pair)) {
                (Grouping::Planned(plans), Some(weights)) => {
                    plans[bucket].most(&weights).max(0) * options.packs as i128
                }
                _ => spread.of_any(pair, limits, options.packs, &counts),
            };
            (0..spread.pairs()).map(most).collect()
        };
        self.buckets.counts(&counts).enumerate().map(of_bucket).collect()
    }

    /// Sees to it that packs which are composed again for each epoch need no more padding rows than shapes have.
    fn keep(&mut self, options: &Options, own: &[Shape]) {
        let Self { grouping: Grouping::Planned(plans), spread, .. } = self else { return };
        for (places, shape) in plans.iter_mut().zip(own) {
            for pair in 0..spread.pairs() {
                if let Some(weights) = spread.weights(pair) {
                    places.keep(weights, spread.room(pair, shape) / options.packs as i128);
                }
            }
        }
    }
}
