//! The channels and threads that [`Prefetch`](super::Prefetch) is made of: crossbeam's and std's. Under `--cfg shuttle` those of the
//! model checker, which decides when each thread goes on and so tries orders that a machine may never show; `cargo xtask model` does that.

#[cfg(not(shuttle))]
pub(crate) use crossbeam_channel::{Receiver, Sender, TrySendError, bounded};
#[cfg(shuttle)]
pub(crate) use shuttle::sync::mpsc::{Receiver, SyncSender as Sender, TrySendError, sync_channel as bounded};
#[cfg(shuttle)]
pub(crate) use shuttle::thread::{Builder, JoinHandle};
#[cfg(not(shuttle))]
pub(crate) use std::thread::{Builder, JoinHandle};
