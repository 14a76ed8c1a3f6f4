//! What a source of the user is asked: the size of each graph once, and states that each worker keeps for it.

use graphpack_loader::{
    BoxError, Capacity, Data, Grouping, Limits, Loader, Options, Order, Schema, Size, Slot, Source, Store, Worker,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Forty graphs of one node and no edges.
#[derive(Default)]
struct Watched {
    schema: Schema,
    /// The graph without a size.
    sizeless: Option<usize>,
    /// The graph whose writing panics, once.
    panics: Option<usize>,
    panicked: AtomicUsize,
    /// How often the source was asked for a size, and how many states it made.
    sizes: AtomicUsize,
    made: AtomicUsize,
}

impl Watched {
    fn made(&self) -> usize {
        self.made.load(Ordering::Relaxed)
    }
}

/// The graphs that a worker is to write next.
struct Next(Vec<usize>);

impl Source for Watched {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn len(&self) -> usize {
        40
    }

    fn size(&self, graph: usize) -> Result<Size, BoxError> {
        self.sizes.fetch_add(1, Ordering::Relaxed);
        if self.sizeless == Some(graph) { Err("no answer".into()) } else { Ok(Size::new([1, 0])) }
    }

    fn prepare(&self, graphs: &[usize], worker: &mut Worker) -> Result<(), BoxError> {
        let make = || {
            self.made.fetch_add(1, Ordering::Relaxed);
            Ok(Next(Vec::new()))
        };
        worker.state(make)?.0 = graphs.iter().rev().copied().collect();
        Ok(())
    }

    fn write(&self, graph: usize, slot: &mut Slot<'_>, worker: &mut Worker) -> Result<(), BoxError> {
        if self.panics == Some(graph) && self.panicked.fetch_add(1, Ordering::Relaxed) == 0 {
            panic!("no luck");
        }
        let next = worker.state(|| Err::<Next, _>("it was not prepared".into()))?.0.pop();
        if next != Some(graph) {
            return Err(format!("{next:?} was prepared").into());
        }
        Ok(slot.set_index::<u32>("edge_index", &[&[], &[]])?)
    }
}

fn options() -> Options {
    Options::default().capacity(Limits::new([4, 1])).order(Order::Shuffled).seed(1)
}

#[test]
fn a_worker_makes_a_state_once_for_each_source_and_keeps_it_over_epochs() {
    for workers in [0, 1, 3] {
        let sources = [Arc::new(Watched::default()), Arc::default()];
        let [one, other] = [0, 1].map(|at| Data::from(sources[at].clone()));
        // The first source is there twice, and prepares in each place for the graphs there.
        let half = one.map("nothing", |_| Ok(())).subset((0..20).collect::<Vec<_>>()).unwrap();
        let triplets = other.triplets().unwrap();
        let mix = Data::mix(&[("half", &half), ("other", &triplets), ("one", &one)]).unwrap();
        let before = sources.each_ref().map(|source| source.made());
        let loader =
            Loader::new(mix, options().grouping(Grouping::InOrder).capacity(Capacity::exactly(4)).workers(workers))
                .unwrap();
        for epoch in 0..5 {
            let graphs: usize = loader.epoch(epoch).map(|batch| batch.unwrap().real().graphs()).sum();
            assert_eq!(graphs, 100);
        }
        for ((source, before), places) in sources.iter().zip(before).zip([2, 1]) {
            let (made, most) = (source.made() - before, places * workers.max(1));
            assert!((places..=most).contains(&made), "{made} states of {workers} workers");
            assert_eq!(source.sizes.load(Ordering::Relaxed), 40);
        }
    }
}

#[test]
fn a_panic_drops_the_states_of_its_worker() {
    let source = Arc::new(Watched { panics: Some(7), ..Watched::default() });
    let loader = Loader::new(source.clone(), options().workers(0)).unwrap();
    assert_eq!(loader.epoch(0).find_map(Result::err).and_then(|error| error.graph()), Some(7));
    assert_eq!(loader.epoch(0).map(|batch| batch.unwrap().real().graphs()).sum::<usize>(), 40);
    assert_eq!(source.made(), 2);
}

#[test]
fn a_graph_without_a_size_is_named() {
    let source = Data::from(Watched { sizeless: Some(9), ..Watched::default() });
    let other = Data::from(Watched::default());
    let mix = Data::mix(&[("other", &other), ("lost", &source.subset((5..15).collect::<Vec<_>>()).unwrap())]).unwrap();
    let of_loader = |data: &Data| Loader::new(data, options()).map(drop).unwrap_err().to_string();
    let alone = "graph 9: its size cannot be read: no answer";
    let expected = [alone, "graph 44: graph 9 of \"lost\": its size cannot be read: no answer"];
    assert_eq!([of_loader(&source), of_loader(&mix)], expected);
    assert_eq!([source.size(0), mix.size(0)].map(|size| size.unwrap_err().to_string()), expected);
    assert_eq!(source.triplets().map(drop).unwrap_err().to_string(), alone);
    let lacking = Data::mix(&[("other", &other), ("lost", &source.subset(vec![5, 6]).unwrap())]).unwrap();
    assert_eq!(Loader::new(&lacking, options()).err().and_then(|error| error.graph()), Some(9), "of its data set");
    assert_eq!(Store::collect(&source).map(drop).unwrap_err().to_string(), alone);
    assert_eq!(other.size(40).unwrap_err().to_string(), "graph 40: there are 40 graphs");
}

#[test]
fn what_cannot_be_prepared_ends_the_epoch() {
    struct Broken(Schema);
    impl Source for Broken {
        fn schema(&self) -> &Schema {
            &self.0
        }
        fn len(&self) -> usize {
            3
        }
        fn size(&self, _: usize) -> Result<Size, BoxError> {
            Ok(Size::new([1, 0]))
        }
        fn write(&self, _: usize, _: &mut Slot<'_>, _: &mut Worker) -> Result<(), BoxError> {
            Ok(())
        }
        fn prepare(&self, graphs: &[usize], _: &mut Worker) -> Result<(), BoxError> {
            if graphs.contains(&2) { Err("no connection".into()) } else { Ok(()) }
        }
    }
    let options = Options::default().capacity(Limits::new([1, 1]));
    let broken = Data::from(Broken(Schema::default()));
    let mix = Data::mix(&[("broken", &broken)]).unwrap();
    for (data, expected) in [
        (broken, "step 2: the batch cannot be prepared: no connection"),
        (mix, "step 2: the batch cannot be prepared: \"broken\": no connection"),
    ] {
        let items: Vec<_> = Loader::new(data, options.clone()).unwrap().epoch(0).collect();
        assert_eq!(items[2].as_ref().map(drop).unwrap_err().to_string(), expected);
    }
}
