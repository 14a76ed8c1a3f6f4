//! `Data::each_epoch`, graphs that each epoch draws: batches equal those of a loader for the epoch's graphs, in one
//! shape.

use graphpack_core::{Budget, Limits, Packer};
use graphpack_loader::{
    Batch, Capacity, Column, Data, ErrorKind, Estimate, Grouping, Level, Loader, Options, Order, Oversize, Random,
    Shapes, State, Store,
};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use test_common::{batches, store_of};

/// Sixty graphs of random sizes in each epoch, of at most `largest(epoch)` nodes.
#[derive(Clone)]
struct Sixty {
    largest: fn(u64) -> u32,
    drawn: Arc<AtomicUsize>,
    /// Draws that run now.
    drawing: Arc<AtomicUsize>,
}

impl Sixty {
    fn new() -> Self {
        Self { largest: |_| 12, drawn: Arc::default(), drawing: Arc::default() }
    }
}

impl From<Sixty> for Data {
    fn from(sixty: Sixty) -> Self {
        Self::each_epoch(move |epoch| match epoch {
            17 => Err("no graphs left".into()),
            _ => Ok(sixty.draw(epoch).into()),
        })
    }
}

impl Sixty {
    fn draw(&self, epoch: u64) -> Store {
        assert_ne!(epoch, 13, "no luck");
        self.drawn.fetch_add(1, Ordering::Relaxed);
        assert!(
            self.drawing.fetch_add(1, Ordering::Relaxed) < 2,
            "only the consumer draws, and one thread ahead of it"
        );
        let mut random = Random::new(epoch, 0);
        let nodes = (0..60).map(|_| 1 + random.below((self.largest)(epoch)));
        let sizes: Vec<[u32; 2]> = nodes.map(|nodes| [nodes, 2 * nodes]).collect();
        let store = store_of(&sizes);
        self.drawing.fetch_sub(1, Ordering::Relaxed);
        store
    }
}

fn limits() -> Limits {
    Limits::new([40, 80]).graphs(10)
}

fn options(workers: usize) -> Options {
    Options::default().capacity(limits()).order(Order::Shuffled).seed(5).workers(workers).prefetch(2)
}

/// Returns the arrays of batches, without the gaps between them.
fn bytes(batches: &[Batch]) -> Vec<Vec<&[u8]>> {
    let arrays = |batch: &'_ Batch| batch.layout().arrays().iter().map(|array| array.range()).collect::<Vec<_>>();
    batches.iter().map(|batch| arrays(batch).into_iter().map(|range| &batch.bytes()[range]).collect()).collect()
}

#[test]
fn batches_are_those_of_the_epochs_own_loader() {
    for workers in [0, 1, 3] {
        let packed = options(workers).grouping(Packer::Auto(Budget::default()));
        let dynamic = options(workers).grouping(Grouping::InOrder);
        let static_64 = dynamic.clone().capacity(Capacity::exactly(7)).shapes(Shapes::Multiple(64));
        for options in [packed, dynamic, static_64] {
            let loader = Loader::new(Sixty::new(), options.clone()).unwrap();
            // Out of order, so that the epoch that was drawn ahead is not always the next one.
            for epoch in [0, 1, 4, 2, 3, 3, 0] {
                let own = Loader::new(Sixty::new().draw(epoch), options.clone()).unwrap();
                let (expected, found) = (batches(own.epoch(epoch)), batches(loader.epoch(epoch)));
                assert!(!found.is_empty() && bytes(&expected) == bytes(&found));
                let rest = loader.epoch_from(&loader.state(epoch).unwrap(), 2).unwrap();
                assert_eq!(bytes(&batches(rest)), bytes(&expected)[2..]);
                assert_eq!(loader.batches(epoch).unwrap(), expected.len());
                assert_eq!(found[1].state(), expected[1].state());
            }
        }
    }
}

#[test]
fn capacities_are_found_for_epoch_0_and_hold_for_all() {
    let tight = Capacity::estimate(Estimate::Tight, 5);
    for capacity in [Capacity::graphs(8), Capacity::estimate(Estimate::Jraph, 8), tight.clone()] {
        let draws = || Sixty { largest: |epoch| 12 - (epoch % 5) as u32, ..Sixty::new() };
        let loader =
            Loader::new(draws(), Options::default().capacity(capacity.clone()).order(Order::Shuffled).seed(1)).unwrap();
        let mut shapes = BTreeSet::new();
        for epoch in 0..10 {
            for batch in batches(loader.epoch(epoch)) {
                shapes.insert([batch.shape().nodes(), batch.shape().edges(), batch.shape().graphs()]);
                assert_eq!((Some(batch.shape()), Some(batch.layout())), (loader.shape(), loader.layout()));
            }
        }
        assert_eq!(shapes.len(), 1);
        let own =
            |epoch| Loader::new(draws().draw(epoch), Options::default().capacity(capacity.clone())).unwrap().shape();
        assert_eq!(own(0), loader.shape());
        if capacity == tight {
            assert_ne!(own(4), own(0), "a loader of epoch 4 alone has another shape");
        }
    }
}

#[test]
fn graphs_that_exceed_the_limits_are_named_with_their_epoch() {
    let growing = || Sixty { largest: |epoch| if epoch < 3 { 12 } else { 60 }, ..Sixty::new() };
    for workers in [0, 2] {
        let loader = Loader::new(growing(), options(workers)).unwrap();
        assert!((0..3).all(|epoch| loader.epoch(epoch).all(|batch| batch.is_ok())));
        let mut epoch = loader.epoch(3);
        let error = epoch.next().unwrap().unwrap_err();
        assert!(error.kind() == ErrorKind::Load && error.to_string().starts_with("epoch 3: "), "{error}");
        let message = error.to_string();
        assert!(message.starts_with("epoch 3: graph ") && message.contains("the limits are 40 nodes"), "{message}");
        assert!(epoch.next().is_none(), "an error ends the epoch");
        let loader = Loader::new(growing(), options(workers).oversize(Oversize::Skip)).unwrap();
        let graphs: usize = batches(loader.epoch(3)).iter().map(|batch| batch.real().graphs()).sum();
        let skipped = loader.skipped();
        assert!(skipped > 0 && graphs + skipped == 60);
    }
    let error = Loader::new(Sixty::new(), Options::default().capacity(Limits::new([5, 80]))).err().unwrap().to_string();
    assert!(error.contains("the limits are 5 nodes"), "{error}");
}

/// The shape is that of epoch 0, whose graphs may be smaller, or that of other data.
#[test]
fn exactly_so_many_graphs_or_an_error() {
    let options = || Options::exactly(10).workers(0);
    let epochs = |largest| Loader::new(Sixty { largest, ..Sixty::new() }, options()).unwrap();
    let counts = |loader: &Loader, epoch| -> Result<Vec<usize>, String> {
        let graphs = |batch: Result<Batch, _>| batch.map(|batch| batch.real().graphs());
        loader
            .epoch(epoch)
            .map(graphs)
            .collect::<Result<_, graphpack_loader::Error>>()
            .map_err(|error| error.to_string())
    };
    let loader = epochs(|epoch| if epoch == 3 { 60 } else { 12 });
    assert_eq!([0, 1, 2].map(|epoch| counts(&loader, epoch)), [const { Ok(()) }; 3].map(|ok| ok.map(|()| vec![10; 6])));
    let message = counts(&loader, 3).unwrap_err();
    assert!(message.starts_with("the graphs of epoch 3 cannot be packed: batch 0 holds "), "{message}");
    assert!(message.contains("expected exactly 10: the shape follows from the sizes of other graphs"), "{message}");
    let small = store_of(&[[10, 20]; 20]);
    let large = store_of(&[[30, 60]; 20]);
    let loader = Loader::new(Arc::new(large), options().sized_for(Arc::new(small))).unwrap();
    assert!(counts(&loader, 0).unwrap_err().contains("expected exactly 10"));
}

#[test]
fn a_panic_while_drawing_is_an_error_of_its_epoch() {
    for (workers, before) in [(1, 12), (1, 3), (0, 12)] {
        let loader = Loader::new(Sixty::new(), options(workers)).unwrap();
        assert!(batches(loader.epoch(before)).len() > 3);
        let mut epoch = loader.epoch(13);
        let message = epoch.next().unwrap().unwrap_err().to_string();
        let expected = "epoch 13: its graphs cannot be drawn: it panicked: ";
        assert!(message.starts_with(expected) && message.contains("no luck"), "{message}");
        assert!(epoch.next().is_none());
        let errors: Vec<_> = loader.epoch(17).map(|batch| batch.map(drop).unwrap_err().to_string()).collect();
        assert_eq!(errors, ["epoch 17: its graphs cannot be drawn: no graphs left"]);
        assert!(loader.batches(17).is_err() && loader.state(17).is_err());
        assert!(batches(loader.epoch(14)).len() > 3);
    }
}

#[test]
fn outliers_in_later_epochs_leave_no_one_shape() {
    let growing = Sixty { largest: |epoch| if epoch < 3 { 12 } else { 60 }, ..Sixty::new() };
    let loader = Loader::new(growing, options(1).oversize(Oversize::Alone)).unwrap();
    assert_eq!((loader.shape(), loader.layout().is_none()), (None, true));
    assert_eq!([0, 3].map(|epoch| loader.shapes(epoch).unwrap().len()), [1, 2]);
    assert!(loader.alone() > 0);
}

#[test]
fn a_state_goes_on_in_its_epoch() {
    let unbroken = Loader::new(Sixty::new(), options(1)).unwrap();
    for (epoch, step) in [(0, 0), (2, 3), (2, 0)] {
        let expected = batches(unbroken.epoch(epoch));
        let state = serde_json::to_string(&expected[step].state()).unwrap();
        let state: State = serde_json::from_str(&state).unwrap();
        let again = Loader::new(Sixty::new(), options(3)).unwrap();
        assert_eq!(bytes(&batches(again.resume(&state).unwrap())), bytes(&expected)[step + 1..]);
        assert_eq!(bytes(&batches(again.epoch(epoch + 1))), bytes(&batches(unbroken.epoch(epoch + 1))));
        // Other draws are other data.
        let other = Sixty { largest: |_| 11, ..Sixty::new() };
        let refused = Loader::new(other, options(1)).unwrap().resume(&state).err().unwrap().to_string();
        assert!(refused.contains("other data"), "{refused}");
    }
}

#[test]
fn epochs_share_memory_and_each_is_drawn_once() {
    for workers in [0, 2] {
        let draws = Sixty::new();
        let drawn = draws.drawn.clone();
        let loader = Loader::new(draws, options(workers)).unwrap();
        let mut addresses = BTreeSet::new();
        for epoch in 0..6 {
            for batch in loader.epoch(epoch) {
                addresses.insert(batch.unwrap().bytes().as_ptr() as usize);
            }
        }
        assert!(addresses.len() <= 2 + workers + 1, "{} buffers", addresses.len());
        drop(loader);
        assert_eq!(
            drawn.load(Ordering::Relaxed),
            if workers == 0 { 6 } else { 7 },
            "one ahead where there are threads"
        );
    }
}

#[test]
fn graphs_of_other_fields_are_an_error_of_their_epoch() {
    let data = Data::each_epoch(|epoch| {
        let store = store_of(&[[3, 2]; 9]);
        let other = Column::new("other", Level::Graph, 1, vec![0_i64; 9]);
        Ok(if epoch == 1 { store.with_column(other)? } else { store }.into())
    });
    let loader = Loader::new(data, options(0)).unwrap();
    assert!(loader.epoch(0).all(|batch| batch.is_ok()));
    let error = loader.epoch(1).next().unwrap().unwrap_err().to_string();
    assert_eq!(error, "epoch 1: expected graphs of the sets, fields and indices of epoch 0, found others");
}

#[test]
fn an_epoch_that_is_asked_for_again_is_not_drawn_ahead_again() {
    let draws = Sixty::new();
    let drawn = draws.drawn.clone();
    let loader = Loader::new(draws, options(2)).unwrap();
    for _ in 0..5 {
        assert_eq!(loader.batches(0).unwrap(), batches(loader.epoch(0)).len());
    }
    drop(loader);
    assert_eq!(drawn.load(Ordering::Relaxed), 2, "epoch 0, and epoch 1 ahead of it");
}

#[test]
fn a_run_goes_on_over_epochs_that_are_drawn() {
    let loader = Loader::new(Sixty::new(), options(2)).unwrap();
    let expected: Vec<Batch> = (0..3).flat_map(|epoch| batches(loader.epoch(epoch))).collect();
    let run = |from: Option<&State>| {
        let epochs = loader.epochs(from).unwrap().take_while(|epoch| epoch.number() < 3);
        epochs.flat_map(batches).collect::<Vec<_>>()
    };
    assert_eq!(bytes(&run(None)), bytes(&expected));
    for done in [0, 7, expected.len() / 2] {
        assert_eq!(bytes(&run(Some(&expected[done].state()))), bytes(&expected)[done + 1..]);
    }
    let before = loader.state(2).unwrap();
    assert_eq!(bytes(&batches(loader.resume(&before).unwrap())), bytes(&batches(loader.epoch(2))));
}

#[test]
fn what_is_made_of_drawn_graphs_is_made_in_each_epoch() {
    let change = |data: &Data| {
        let noisy = data.map("sign", |graph| {
            let sign = if graph.random().below(2) == 0 { -1.0 } else { 1.0 };
            graph.get::<f32>("x")?.iter_mut().for_each(|x| *x *= sign);
            Ok(())
        });
        noisy.triplets().unwrap()
    };
    let limits = Limits::new([40, 80, 4000]).graphs(10);
    let options = || options(2).capacity(limits);
    let loader = Loader::new(change(&Sixty::new().into()), options()).unwrap();
    for epoch in [0, 2, 1] {
        let own = Loader::new(change(&Sixty::new().draw(epoch).into()), options()).unwrap();
        let (expected, found) = (batches(own.epoch(epoch)), batches(loader.epoch(epoch)));
        assert!(found[0].real().sets()[2] > 0 && found.len() == expected.len());
        for (expected, found) in expected.iter().zip(&found) {
            // Shapes are those of epoch 0, whose padding another epoch alone would not have.
            let real = |batch: &Batch| (batch.real(), batch.graph_ids().to_vec());
            assert_eq!(real(found), real(expected));
            let x = |batch: &Batch| batch.get::<f32>("x").unwrap()[..2 * batch.real().nodes()].to_vec();
            assert_eq!(x(found), x(expected));
        }
    }
}

#[test]
fn an_epoch_0_that_cannot_be_drawn_is_an_error_of_the_loader() {
    let data = Data::each_epoch(|_| Err("no graphs left".into()));
    let derived = data.triplets().map(drop).unwrap_err().to_string();
    let loader = Loader::new(data.map("nothing", |_| Ok(())), options(0)).map(drop).unwrap_err().to_string();
    assert_eq!([derived, loader], ["the graphs of epoch 0 cannot be drawn: no graphs left"; 2]);
    assert!(data.size(0).is_err() && Store::collect(&data).is_err());
    let twice = Data::each_epoch(|_| Ok(Sixty::new().into()));
    let error = Loader::new(twice, options(0)).map(drop).unwrap_err().to_string();
    assert!(error.contains("drawn again for each epoch themselves"), "{error}");
}
