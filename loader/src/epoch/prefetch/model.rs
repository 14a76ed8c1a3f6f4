//! Tests [`Prefetch`] under a model checker, which runs workers and consumer in thousands of orders: random ones, and
//! ones with few preemptions. A deadlock fails the test.

use super::Prefetch;
use crate::error::{Error, LoadError};
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const ITEMS: usize = 5;

/// Runs `test` for numbers of workers and depths that give some channels no room, and some more than they need.
fn check(test: fn(workers: usize, depth: usize)) {
    for workers in 0..=3 {
        for depth in [0, 1, 2, 7] {
            shuttle::check_random(move || test(workers, depth), 400);
            if workers > 0 {
                shuttle::check_pct(move || test(workers, depth), 400, 3);
            }
        }
    }
}

/// Counts the threads that use it; there must be none after the workers were joined.
struct Uses(Arc<AtomicUsize>);

impl Uses {
    fn of(counter: &Arc<AtomicUsize>) -> Self {
        counter.fetch_add(1, Ordering::SeqCst);
        Self(counter.clone())
    }
}

impl Drop for Uses {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Returns a prefetch of the items `0..ITEMS`, some of which `fault` replaces, and the number of its threads that still
/// run.
fn prefetch(
    (workers, depth): (usize, usize),
    fault: impl Fn(usize) -> Result<usize, Error> + Send + Sync + 'static,
) -> (Prefetch<usize>, Arc<AtomicUsize>) {
    let running = Arc::new(AtomicUsize::new(0));
    let counter = running.clone();
    let produce = move |step, _: &_| {
        let _running = Uses::of(&counter);
        shuttle::thread::yield_now();
        fault(step)
    };
    (Prefetch::new(Arc::new(produce), 0..ITEMS, workers, depth), running)
}

#[test]
fn items_come_in_order_and_all() {
    check(|workers, depth| {
        let (items, running) = prefetch((workers, depth), Ok);
        assert!(items.map(Result::unwrap).eq(0..ITEMS));
        assert_eq!(running.load(Ordering::SeqCst), 0);
    });
}

#[test]
fn an_error_or_a_panic_comes_in_order_and_ends_it() {
    check(|workers, depth| {
        for at in [0, 3] {
            let fails = move |step| match step == at {
                true if at == 0 => Err(LoadError::Skip { steps: step, left: 0 }.into()),
                true => resume_unwind(Box::new("out of order")),
                false => Ok(step),
            };
            let (mut items, running) = prefetch((workers, depth), fails);
            assert!(items.by_ref().take(at).map(Result::unwrap).eq(0..at));
            let error = items.next().unwrap().unwrap_err();
            match (at, error.cause()) {
                (0, Some(LoadError::Skip { steps: 0, .. })) | (3, Some(LoadError::Panic { step: 3, .. })) => {}
                _ => panic!("{error}"),
            }
            assert_eq!(running.load(Ordering::SeqCst), 0, "an error joins the workers");
            assert!(items.next().is_none() && items.remaining() == 0);
        }
    });
}

#[test]
fn dropped_at_any_moment_it_joins_its_workers() {
    check(|workers, depth| {
        for taken in 0..=ITEMS {
            let (mut items, running) = prefetch((workers, depth), Ok);
            assert!(items.by_ref().take(taken).map(Result::unwrap).eq(0..taken));
            drop(items);
            assert_eq!(running.load(Ordering::SeqCst), 0, "a worker outlived its consumer");
        }
    });
}

#[test]
fn dropped_by_another_thread_it_joins_its_workers() {
    check(|workers, depth| {
        let (mut items, running) = prefetch((workers, depth), Ok);
        let _ = items.next();
        shuttle::thread::spawn(move || drop(items)).join().unwrap();
        assert_eq!(running.load(Ordering::SeqCst), 0);
    });
}
