//! [`ResumeError`]: why a loader cannot resume from a saved state.

use super::{BatchSize, PlanFingerprint};

/// A loader cannot resume from a saved state.
#[derive(Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ResumeError {
    /// The library has changed the epoch order since the state was saved.
    #[error(
        "the state has version {found} of the epoch order, this library writes version {expected}: resume with the \
         release that saved it, or begin its epoch again with Loader::epoch"
    )]
    Version {
        /// The version of this library.
        expected: u32,
        /// The version in the state.
        found: u32,
    },
    /// The state belongs to other data.
    #[error(
        "the state belongs to other data: its fingerprint is {found:016x}, this loader's data have {expected:016x}"
    )]
    Data {
        /// Fingerprint of the loader's data.
        expected: u64,
        /// Fingerprint in the state.
        found: u64,
    },
    /// The state belongs to data of the same sizes, but with other values.
    #[error(
        "the state belongs to data with other values: the checksum of their contents is {found:016x}, that of this \
         loader's data {expected:016x}"
    )]
    Contents {
        /// Checksum of the loader's data.
        expected: u64,
        /// Checksum in the state.
        found: u64,
    },
    /// The batches of the state have other limits, packs or padding.
    #[error("the state belongs to {found}; this loader has {expected}")]
    Limits {
        /// What the loader has.
        expected: Box<BatchSize>,
        /// What the state has.
        found: Box<BatchSize>,
    },
    /// The state belongs to a loader with another option.
    #[error("the state belongs to another {name}: expected {expected}, found {found}")]
    Option {
        /// What the option decides.
        name: &'static str,
        /// What the loader has, in words.
        expected: String,
        /// What the state has, in words.
        found: String,
    },
    /// The state belongs to another plan of the same packer and limits.
    #[error(
        "the state belongs to a plan of {found}, this loader's has {expected}: build the loader with the plan of that \
         run, or begin the epoch again with Loader::epoch"
    )]
    Plan {
        /// What the loader has.
        expected: PlanFingerprint,
        /// What the state has.
        found: PlanFingerprint,
    },
    /// The state was taken after more batches than its epoch has.
    #[error("the state was taken after batch {done}, but epoch {epoch} has only {batches} batches")]
    Step {
        /// Number of the epoch.
        epoch: u64,
        /// Batches that all ranks had consumed, according to the state.
        done: u64,
        /// Number of batches of the epoch.
        batches: usize,
    },
}

graphpack_core::debug_is_display!(ResumeError);
