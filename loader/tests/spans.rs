//! Spans of planning, ordering and collating reach a subscriber.

use graphpack_loader::{Loader, molecules};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Counts spans by name.
#[derive(Clone, Default)]
struct Counting(Arc<Mutex<BTreeMap<&'static str, u64>>>);

impl Subscriber for Counting {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("graphpack_loader")
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        *self.0.lock().unwrap().entry(span.metadata().name()).or_default() += 1;
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, _: &Event<'_>) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

#[test]
fn planning_and_each_batch_have_their_spans() {
    let counting = Counting::default();
    tracing::subscriber::set_global_default(counting.clone()).unwrap();
    let loader = Loader::new(molecules::generate(1, 300)).batch_graphs(16).workers(2).build().unwrap();
    let batches = loader.epoch(0).map(Result::unwrap).count() as u64;
    let expected = BTreeMap::from([("collate", batches), ("order", 1), ("plan", 1)]);
    assert_eq!(*counting.0.lock().unwrap(), expected);
}
