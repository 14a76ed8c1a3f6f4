//! Tests of the laboratory: each tool runs for a moment, the networks of the batching study, and what was recorded.

mod learning;
mod models;
mod smoke;
mod study;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Seeds libtorch's random numbers, which belong to the whole process: they are drawn only while the guard is held.
fn seeded(seed: i64) -> MutexGuard<'static, ()> {
    static DRAWING: Mutex<()> = Mutex::new(());
    let guard = DRAWING.lock().unwrap_or_else(PoisonError::into_inner);
    // Several threads of libtorch on cores that other tests use wait for each other most of the time.
    tch::set_num_threads(1);
    tch::manual_seed(seed);
    guard
}
