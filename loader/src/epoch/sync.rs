//! The channels and threads that [`Prefetch`](super::Prefetch) uses: crossbeam's and std's, or under `--cfg shuttle`
//! (`cargo xtask model`) those of a model checker. It decides when each thread continues, and so tries orders that a
//! machine may never show.

#[cfg(not(shuttle))]
pub(crate) use crossbeam_channel::{Receiver, Sender, TrySendError, bounded};
#[cfg(shuttle)]
pub(crate) use shuttle::sync::mpsc::{Receiver, SyncSender as Sender, TrySendError, sync_channel as bounded};
#[cfg(shuttle)]
pub(crate) use shuttle::thread::{Builder, JoinHandle};
#[cfg(not(shuttle))]
pub(crate) use std::thread::{Builder, JoinHandle};
