//! Spans of planning, ordering and collating reach a subscriber.

use graphpack_loader::{Batch, Error, Loader, Options, Order, Weights, molecules};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::thread;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Counts spans by their names and those of their threads.
#[derive(Clone, Default)]
struct Counting(Arc<Mutex<BTreeMap<(&'static str, String), u64>>>);

impl Subscriber for Counting {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("graphpack_loader")
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let thread = thread::current().name().unwrap_or_default().to_owned();
        *self.0.lock().unwrap().entry((span.metadata().name(), thread)).or_default() += 1;
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, _: &Event<'_>) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

impl Counting {
    /// The number of spans since the last call, by name and thread.
    fn take(&self) -> BTreeMap<(&'static str, String), u64> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

/// One test, since there is one subscriber for all threads.
#[test]
fn planning_and_each_batch_have_their_spans() {
    let counting = Counting::default();
    tracing::subscriber::set_global_default(counting.clone()).unwrap();
    let options = || Options::graphs(16).order(Order::Shuffled).seed(1);
    let (here, ahead) = (thread::current().name().unwrap().to_owned(), "graphpack-plan".to_owned());
    let loader = Loader::new(molecules::generate(1, 300), options().workers(2)).unwrap();
    let batches = loader.epoch(0).map(Result::unwrap).count() as u64;
    let mut found = counting.take();
    let collated: u64 = [0, 1].iter().filter_map(|at| found.remove(&("collate", format!("graphpack-{at}")))).sum();
    assert_eq!(collated, batches);
    assert_eq!(found, BTreeMap::from([(("order", here.clone()), 1), (("plan", here.clone()), 1)]));
    // With a plan for each epoch, all but the first are made ahead, and one more.
    let epochs = |workers| {
        let loader = Loader::new(
            molecules::generate(1, 300),
            options().workers(workers).weights(Weights::new(&[1.0; 300]).unwrap()),
        )
        .unwrap();
        let ids = |batch: Result<Batch, Error>| batch.unwrap().graph_ids().to_vec();
        let mut epochs: Vec<Vec<Vec<i64>>> = (5..9).map(|epoch| loader.epoch(epoch).map(ids).collect()).collect();
        let state = loader.epoch(9).nth(3).unwrap().unwrap().state();
        epochs.push(loader.resume(&state).unwrap().map(ids).collect());
        drop(loader);
        let orders = counting.take().into_iter().filter(|((name, _), _)| *name == "order");
        (epochs, orders.map(|((_, thread), count)| (thread, count)).collect::<Vec<_>>())
    };
    let (alone, orders) = epochs(0);
    assert_eq!(orders, [(here.clone(), 6)]);
    // Those of 6 to 10 are made ahead, each when the one before it is taken; 5 begins at once, and 9 is resumed.
    let (with_workers, orders) = epochs(2);
    assert_eq!(orders, [(ahead, 5), (here, 2)]);
    assert!(with_workers == alone, "the same batches");
}
