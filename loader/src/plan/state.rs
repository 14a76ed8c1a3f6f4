//! [`State`]: where in an epoch a training is, to resume from there later.

use super::{PlanFingerprint, ResumeError, ResumeKey};
use crate::error::Error;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

/// The version of what a seed gives: the epoch order, and the random numbers of maps. The changelog says when it changes.
const VERSION: u32 = 3;

/// Where in an epoch a training is: right after one batch. [`BatchInfo::state`](crate::BatchInfo::state) returns it, and
/// [`Loader::resume`](crate::Loader::resume) continues with the next batch. Number of workers, prefetch depth and world
/// size may differ then.
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
    order: ResumeKey,
    epoch: u64,
    /// Batches of the epoch that all ranks together have consumed.
    done: u64,
}

impl State {
    /// Returns the state before the first batch of epoch 0.
    pub(super) fn start(data: u64, contents: Option<u64>, order: ResumeKey) -> Self {
        Self { version: VERSION, data, contents, order, epoch: 0, done: 0 }
    }

    /// Returns the state of the same run after all ranks together consumed `done` batches of epoch `epoch`.
    pub(crate) fn at(&self, epoch: u64, done: u64) -> Self {
        Self { epoch, done, ..self.clone() }
    }

    /// Returns the same state of an epoch that follows `plan`.
    pub(crate) fn with_plan(self, plan: Option<PlanFingerprint>) -> Self {
        Self { order: self.order.with_plan(plan), ..self }
    }

    /// The epoch that the state was taken in.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Batches of the epoch that all ranks together have consumed.
    pub fn batches_done(&self) -> u64 {
        self.done
    }

    /// The [fingerprint](crate::Data::fingerprint) of the data.
    pub fn data_fingerprint(&self) -> u64 {
        self.data
    }

    /// Everything besides the data that the epoch order depends on.
    pub(crate) fn key(&self) -> &ResumeKey {
        &self.order
    }

    /// Errors if `saved` belongs to other data or to another epoch order.
    pub(crate) fn check(&self, saved: &Self) -> Result<(), Error> {
        if saved.data != self.data {
            return Err(ResumeError::Data { expected: self.data, found: saved.data }.into());
        }
        if let (Some(expected), Some(found)) = (self.contents, saved.contents)
            && expected != found
        {
            return Err(ResumeError::Contents { expected, found }.into());
        }
        self.order.check(&saved.order)
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
