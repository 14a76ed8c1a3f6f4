//! [`State`]: where in an epoch a training is; [`ResumeKey`]: everything besides the data that the epoch order depends
//! on, plans included; [`ResumeError`]: why a loader cannot resume.

use crate::error::{Cause, Error, ErrorKind};
use crate::fingerprint::mix;
use crate::layout::Shape;
use crate::options::{Grouping, Limits, Options, Order, Oversize, Padding, Shapes};
use crate::source::Weights;
use graphpack_core::{Cost, Packer, Plan};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;
use std::ops::Range;

/// The version of what a seed gives: the epoch order, and the random numbers of maps. The changelog says when it
/// changes.
const VERSION: u32 = 1;

/// Where in an epoch a training is: right after one batch. [`BatchInfo::state`](crate::BatchInfo::state) returns it,
/// and [`Loader::resume`](crate::Loader::resume) continues with the next batch, also with another number of workers,
/// prefetch depth or world size.
///
/// It is saved and loaded with serde:
///
/// ```
/// use graphpack_loader::{Loader, State, Options, Order, molecules};
///
/// let options = Options::graphs(32).order(Order::Shuffled).seed(42);
/// let loader = Loader::new(molecules::generate(7, 1000), options)?;
/// let mut epoch = loader.epoch(3);
/// let batch = epoch.nth(9).expect("there are more than ten batches")?;
/// let saved = serde_json::to_string(&batch.state())?; // beside the weights after this batch
///
/// // In another process: a loader with the same data and options continues with the eleventh batch.
/// let state: State = serde_json::from_str(&saved)?;
/// for (expected, batch) in epoch.zip(loader.resume(&state)?) {
///     assert_eq!(batch?.bytes(), expected?.bytes());
/// }
/// for epoch in state.epoch() + 1..5 {
///     for batch in loader.epoch(epoch) {
///         batch?;
///     }
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    // The first field that is read: another version may have fields and values that are not known here.
    #[serde(deserialize_with = "this_version")]
    version: u32,
    /// Fingerprint of the source.
    data: u64,
    /// Checksum of its contents, if it has one.
    contents: Option<u64>,
    key: ResumeKey,
    epoch: u64,
    /// Batches of the epoch that all ranks together have consumed.
    done: u64,
    /// Steps of the epoch that the run has made, on whatever numbers of ranks.
    steps: u64,
}

impl State {
    /// Returns the state before the first batch of epoch 0.
    pub(super) fn start(data: u64, contents: Option<u64>, key: ResumeKey) -> Self {
        Self { version: VERSION, data, contents, key, epoch: 0, done: 0, steps: 0 }
    }

    /// Returns the state of this run before the first batch of epoch `epoch`.
    pub(crate) fn before(&self, epoch: u64) -> Self {
        Self { epoch, done: 0, steps: 0, ..self.clone() }
    }

    /// Returns this state, for an epoch that follows `plan`.
    pub(crate) fn with_plan(self, plan: Option<PlanFingerprint>) -> Self {
        Self { key: ResumeKey { plan, ..self.key }, ..self }
    }

    /// The epoch that the state was taken in.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Number of batches of the epoch that all ranks together have consumed.
    pub fn batches_done(&self) -> u64 {
        self.done
    }

    /// Number of steps of the epoch that the run has made. In a step, every rank consumes one batch.
    pub fn steps_done(&self) -> u64 {
        self.steps
    }

    /// The [fingerprint](crate::Data::fingerprint) of the data.
    pub fn data_fingerprint(&self) -> u64 {
        self.data
    }

    /// Everything besides the data that the epoch order depends on.
    pub(crate) fn key(&self) -> &ResumeKey {
        &self.key
    }

    /// Errors if `saved` belongs to other data or to another epoch order.
    pub(crate) fn check(&self, saved: &Self) -> Result<(), Error> {
        if saved.data != self.data {
            return Err(ResumeError::Data { expected: self.data, found: saved.data }.into());
        }
        // Sources without a checksum resume by their fingerprint alone.
        if let (Some(expected), Some(found)) = (self.contents, saved.contents)
            && expected != found
        {
            return Err(ResumeError::Contents { expected, found }.into());
        }
        self.key.check(&saved.key)
    }
}

/// What a number of ranks does in an epoch of `batches` batches, from a state on: the states after each of their steps.
pub(crate) struct Run {
    from: State,
    world: u32,
    batches: usize,
}

impl Run {
    pub(crate) fn new(from: State, world: u32, batches: usize) -> Self {
        Self { from, world, batches }
    }

    /// Returns the run of batches that no epoch has: no data have this fingerprint, so that no loader resumes.
    pub(crate) fn without_epoch(options: &Options, padding: Padding, limits: Limits) -> Self {
        let key = ResumeKey::new(options, padding, Vec::new(), limits, None, None, None);
        Self::new(State::start(0, None, key), 1, usize::MAX)
    }

    /// The seed of its options.
    pub(crate) fn seed(&self) -> u64 {
        self.from.key.seed
    }

    /// The state that the ranks go on from.
    pub(crate) fn from(&self) -> &State {
        &self.from
    }

    /// Number of ranks.
    pub(crate) fn world(&self) -> u32 {
        self.world
    }

    /// The batches of all ranks in the step after `steps` steps.
    pub(crate) fn step(&self, steps: usize) -> Range<usize> {
        let first = self.from.done as usize + steps * self.world as usize;
        first..self.batches.min(first + self.world as usize)
    }

    /// Returns the state after `steps` steps. The last step may have no batch for some ranks.
    pub(crate) fn after(&self, steps: usize) -> State {
        // Batches and steps are counted apart: their ratio is the world size, which may change from run to run.
        let consumed = self.from.done as usize + steps * self.world as usize;
        State { done: consumed.min(self.batches) as u64, steps: self.from.steps + steps as u64, ..self.from.clone() }
    }
}

fn this_version<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let found = u32::deserialize(deserializer)?;
    if found == VERSION {
        return Ok(found);
    }
    Err(D::Error::custom(format_args!(
        "the state has version {found} of the epoch order, this library writes version {VERSION}: resume with the release \
         that saved it, or begin its epoch again with Loader::epoch"
    )))
}

/// Everything besides the data that the epoch order depends on: the options, and the limits, the shape and the plan
/// that they give. A saved key is compared with the loader's before a run resumes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ResumeKey {
    /// The limits of a pack.
    limits: Limits,
    grouping: SavedGrouping,
    /// The version of the packers, whose packs decide the order of graphs; `None` where no packer plans.
    packing: Option<u32>,
    shapes: Shapes,
    packs: usize,
    padding: Padding,
    /// The shape of all batches with the least padding, if they have one.
    shape: Option<Shape>,
    oversize: Oversize,
    order: Order,
    seed: u64,
    /// Fingerprint of the weights, if graphs are drawn.
    weights: Option<u64>,
    /// The world size for which the batches of one step got equal costs or similar shapes, if batches have several
    /// shapes.
    alike: u32,
    /// Whether an incomplete last batch is left out.
    drop_last: bool,
    /// What batches of all ranks have equally much of, if that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    equal_cost: Option<Cost>,
    /// How fast each rank was for which batches got equal costs; none if all were equally fast.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    speeds: Vec<u32>,
    /// The plan that the epoch follows; `None` without one, and before the first batch if each epoch has its own.
    plan: Option<PlanFingerprint>,
    /// The names of the maps that change graphs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    maps: Vec<String>,
    /// Fingerprint of the sizes of other data that decide the shapes, if there are any: how far padding is spread
    /// follows from them, and so which packs have room.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sized_for: Option<u64>,
}

/// A [`Grouping`] without the packs of its plan, whose fingerprint the key has.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
enum SavedGrouping {
    Packed(Packer),
    Plan,
    Window(u8),
    InOrder,
}

/// Writes the option as errors name it: `packed(auto(2800000000 steps))`, `window(32)`.
impl fmt::Display for SavedGrouping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Packed(packer) => write!(f, "packed({packer})"),
            Self::Plan => f.write_str("plan"),
            Self::Window(open) => write!(f, "window({open})"),
            Self::InOrder => f.write_str("in_order"),
        }
    }
}

/// An option by its name, whether it is the same, and what it is in words.
type Comparison = (&'static str, bool, fn(&ResumeKey) -> String);

impl ResumeKey {
    /// Returns the key of `options`, which give batches this padding, these limits, this shape and this plan, for graphs
    /// that these
    /// `maps` change. `sized_for` is the fingerprint of the sizes of that option.
    pub(super) fn new(
        options: &Options,
        padding: Padding,
        maps: Vec<String>,
        limits: Limits,
        shape: Option<Shape>,
        plan: Option<PlanFingerprint>,
        sized_for: Option<u64>,
    ) -> Self {
        // All fields by name: a new option does not compile until somebody has decided whether the order follows from
        // it.
        let &Options {
            ref grouping,
            shapes,
            packs,
            oversize,
            order,
            seed,
            ref weights,
            shard,
            equal_cost,
            ref speeds,
            drop_last,
            // Data may decide it.
            padding: _,
            // Limits and shape stand for it.
            capacity: _,
            // Its sizes do.
            sized_for: _,
            // All ranks resume together, with batches of any shape.
            equal_shapes: _,
            // Contents and speed follow from these, the order does not.
            on_error: _,
            workers: _,
            prefetch: _,
            memory: _,
            index: _,
            fields: _,
            missing: _,
            extra: _,
        } = options;
        let grouping = match grouping {
            // With a weight for every set that the data have.
            Grouping::Packed(packer) => SavedGrouping::Packed(packer.resized(limits.size.sets())),
            Grouping::Plan(_) => SavedGrouping::Plan,
            Grouping::Window(open) => SavedGrouping::Window(*open),
            Grouping::InOrder => SavedGrouping::InOrder,
        };
        let packing = matches!(grouping, SavedGrouping::Packed(_)).then_some(Packer::VERSION);
        let (weights, alike) = (weights.as_ref().map(Weights::fingerprint), shard.world());
        Self {
            limits,
            grouping,
            packing,
            shapes,
            packs,
            padding,
            shape,
            oversize,
            order,
            seed,
            weights,
            alike,
            drop_last,
            equal_cost,
            speeds: speeds.clone(),
            plan,
            maps,
            sized_for,
        }
    }

    /// The world size for which the batches of one step got equal costs or similar shapes.
    pub(crate) fn alike(&self) -> u32 {
        self.alike
    }

    /// How fast each of these ranks was; none if all were equally fast.
    pub(crate) fn speeds(&self) -> &[u32] {
        &self.speeds
    }

    /// The options that must be the same when a run resumes: the name of each, whether those of `saved` are the
    /// same, and what both are in words.
    fn options(&self, saved: &Self) -> [Comparison; 15] {
        // Batches follow from the plan, whichever packer made it; plans are compared for each epoch.
        let given = [self, saved].iter().any(|key| key.grouping == SavedGrouping::Plan);
        let planned = given && self.plan.is_some() && saved.plan.is_some();
        let same_plan = planned || self.plan.is_some() && self.plan == saved.plan;
        let repacked = self.packing.zip(saved.packing).is_some_and(|(own, saved)| own != saved);
        let shape = |key: &Self| key.shape.map_or_else(|| "several".into(), |shape| shape.to_string());
        [
            ("version of the packers", same_plan || !repacked, |key| {
                key.packing.map_or_else(|| "none".into(), |version| version.to_string())
            }),
            ("capacity", self.limits == saved.limits, |key| key.limits.to_string()),
            ("packs", self.packs == saved.packs, |key| key.packs.to_string()),
            ("padding", self.padding == saved.padding, |key| key.padding.to_string()),
            ("shapes", self.shapes == saved.shapes, |key| key.shapes.to_string()),
            ("shape of batches", self.shape == saved.shape, shape),
            ("grouping", same_plan || self.grouping == saved.grouping, |key| key.grouping.to_string()),
            ("oversize", self.oversize == saved.oversize, |key| key.oversize.to_string()),
            ("order", self.order == saved.order, |key| key.order.to_string()),
            ("seed", self.seed == saved.seed, |key| key.seed.to_string()),
            ("drop_last", self.drop_last == saved.drop_last, |key| key.drop_last.to_string()),
            ("equal_cost", self.equal_cost == saved.equal_cost, |key| {
                key.equal_cost.map_or_else(|| "none".into(), |cost| cost.to_string())
            }),
            ("weights", self.weights == saved.weights, |key| {
                key.weights.map_or_else(|| "none".into(), |hash| format!("fingerprint {hash:016x}"))
            }),
            ("list of maps", self.maps == saved.maps, |key| {
                if key.maps.is_empty() { "none".into() } else { key.maps.join(", ") }
            }),
            ("sized_for", self.sized_for == saved.sized_for, |key| {
                key.sized_for.map_or_else(|| "none".into(), |hash| format!("fingerprint {hash:016x}"))
            }),
        ]
    }

    /// Errors if `saved` gives another epoch order than this key. The world size and the speeds of ranks may differ.
    pub(super) fn check(&self, saved: &Self) -> Result<(), Error> {
        for (name, same, words) in self.options(saved) {
            if !same {
                return Err(ResumeError::Option { name, expected: words(self), found: words(saved) }.into());
            }
        }
        let is_sound = saved.speeds.len() == saved.alike as usize && !saved.speeds.contains(&0);
        if saved.speeds.is_empty() || is_sound {
            return Ok(());
        }
        let (expected, found) = (format!("{} numbers of at least 1", saved.alike), format!("{:?}", saved.speeds));
        Err(ResumeError::Option { name: "list of speeds", expected, found }.into())
    }

    /// Errors if this key belongs to another plan than `expected`, that of the epoch.
    pub(crate) fn check_plan(&self, expected: Option<PlanFingerprint>) -> Result<(), Error> {
        match (expected, self.plan) {
            (Some(expected), Some(found)) if expected != found => Err(ResumeError::Plan { expected, found }.into()),
            _ => Ok(()),
        }
    }
}

/// A loader cannot resume from a saved state.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ResumeError {
    #[error(
        "the state belongs to other data: its fingerprint is {found:016x}, this loader's data have {expected:016x}"
    )]
    Data { expected: u64, found: u64 },
    #[error(
        "the state belongs to data with other values: the checksum of their contents is {found:016x}, that of this \
         loader's data {expected:016x}"
    )]
    Contents { expected: u64, found: u64 },
    #[error("the state was saved with another {name}: expected {expected}, found {found}")]
    Option { name: &'static str, expected: String, found: String },
    #[error(
        "the state belongs to a plan of {found}, this loader's has {expected}: build the loader with the plan of that \
         run, or begin the epoch again with Loader::epoch"
    )]
    Plan { expected: PlanFingerprint, found: PlanFingerprint },
    #[error("the state was taken after batch {done}, but epoch {epoch} has only {batches} batches")]
    Step { epoch: u64, done: u64, batches: usize },
    #[error("the state was taken after batch {done} and {steps} steps, expected at most one step for each batch")]
    Steps { done: u64, steps: u64 },
}

impl Cause for ResumeError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Resume
    }
}

/// Tells plans apart. A plan that was read from a file, or that another release of the packer made, may have other
/// packs than one with the same packer and limits; a saved state belongs to exactly one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlanFingerprint {
    /// Number of packs.
    pub packs: u64,
    /// Hash of the packs in their order, each with its sizes in their order: the epoch order follows from both.
    pub hash: u64,
}

impl PlanFingerprint {
    /// Returns the fingerprint of `plan`.
    pub(crate) fn new(plan: &Plan) -> Self {
        let hash = plan.iter().fold(mix(0, plan.limits().size.sets() as u64), |hash, pack| {
            let contents = pack.contents();
            let hash = mix(mix(hash, pack.repeat), contents.len() as u64);
            contents.fold(hash, |hash, (size, times)| {
                size.as_slice().iter().fold(mix(hash, u64::from(times)), |hash, &rows| mix(hash, u64::from(rows)))
            })
        });
        Self { packs: plan.packs(), hash }
    }

    /// Returns the fingerprint of this plan and another.
    pub(super) fn and(self, other: Self) -> Self {
        Self { packs: self.packs + other.packs, hash: mix(self.hash, other.hash) }
    }
}

impl fmt::Display for PlanFingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} packs with the fingerprint {:016x}", self.packs, self.hash)
    }
}
