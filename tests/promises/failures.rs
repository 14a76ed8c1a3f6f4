//! Promise 6: an error or a panic of a worker reaches the consumer in order and ends the epoch, unless the options say
//! to try again or to leave the graph out; nothing hangs.

use graphpack_loader::extend::Cause;
use graphpack_loader::{
    Batch, BoxError, Column, Data, Epoch, Error, ErrorKind, Level, Limits, Loader, OnError, Options, Order, Schema,
    Shapes, Shard, Size, Slot, Source, Store, Worker, molecules,
};
use proptest::prelude::*;
use proptest::sample::Index;
use std::collections::HashMap;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};
use test_common::{Faulty, Shaped, assert_naive, assert_naive_in, batches, batchings, data_sets, graph_ids, store_of};

/// Fails the test if `work` has not ended after 30 s.
fn in_time<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = mpsc::channel();
    let thread = thread::spawn(move || sender.send(work()));
    let result = receiver.recv_timeout(Duration::from_secs(30));
    if result.is_ok() || thread.is_finished() {
        thread.join().expect("the work panicked").expect("the receiver is there");
    }
    result.expect("the work did not end")
}

/// A source of `graphs` graphs of one size; `fault` runs before graph `at` is written.
fn faulty(graphs: usize, at: usize, fault: fn() -> Result<(), BoxError>) -> impl Source {
    Faulty::new(store_of(&vec![[4, 4]; graphs]), move |store, graph, slot| {
        if graph == at {
            fault()?;
        }
        store.write(graph, slot)
    })
}

/// Returns the number of good batches, the error, and whether nothing came after it. Graph n is alone in batch n.
fn epoch_of(fault: fn() -> Result<(), BoxError>, workers: usize) -> (usize, Option<Error>, bool) {
    in_time(move || {
        let source = faulty(40, 17, fault);
        let loader =
            Loader::new(source, Options::default().capacity(Limits::new([4, 4])).workers(workers).prefetch(5)).unwrap();
        let mut epoch = loader.epoch(0);
        let good = epoch.by_ref().take_while(Result::is_ok).count();
        let ended = epoch.next().is_none();
        // `take_while` dropped the error; another epoch gives it again.
        (good, loader.epoch(0).find_map(Result::err), ended)
    })
}

#[test]
fn an_error_reaches_the_consumer() {
    for workers in [0, 1, 2, 5] {
        let (good, error, ended) = epoch_of(|| Err("disk on fire".into()), workers);
        assert_eq!((good, ended), (17, true), "{workers} workers");
        assert_eq!(error.unwrap().to_string(), "step 17: graph 17 cannot be loaded: disk on fire");
    }
}

#[test]
fn a_panic_reaches_the_consumer() {
    for workers in [0, 1, 2, 5] {
        let (good, error, ended) = epoch_of(|| panic!("index {} out of bounds", 3), workers);
        assert_eq!((good, ended), (17, true), "{workers} workers");
        assert_eq!(error.unwrap().to_string(), "step 17: graph 17 cannot be loaded: panic: index 3 out of bounds");
    }
}

#[test]
fn a_run_goes_on_before_or_after_the_batch_that_failed() {
    let ranks = [0, 1].map(|rank| {
        let options = Options::default().capacity(Limits::new([4, 4])).shard(Shard::new(rank, 2).unwrap());
        Loader::new(faulty(40, 17, || Err("disk on fire".into())), options).unwrap()
    });
    let error = ranks[1].epoch(0).find_map(Result::err).unwrap();
    let [before, after] = [error.before(), error.after()].map(|state| state.unwrap().clone());
    assert_eq!((before.steps_done(), before.batches_done()), (8, 16));
    assert_eq!((after.steps_done(), after.batches_done()), (9, 18));
    assert!(ranks[1].resume(&before).unwrap().next().unwrap().is_err(), "the batch is made again");
    for (rank, loader) in ranks.iter().enumerate() {
        let rest = (18..40).filter(|graph| graph % 2 == rank as i64).collect::<Vec<_>>();
        assert_eq!(graph_ids(loader.resume(&after).unwrap()), rest);
    }
}

/// The graphs of `store`; one graph fails, or is written without a field or index.
fn any_source(store: Store, fault: Option<(usize, Option<String>)>) -> Arc<dyn Source> {
    Arc::new(Faulty::new(store, move |store, graph, slot| match &fault {
        Some((at, None)) if *at == graph => Err("disk on fire".into()),
        Some((at, Some(name))) if *at == graph => write_without(store, graph, slot, name),
        _ => store.write(graph, slot),
    }))
}

/// Writes a graph, with zeros in its fields, but not the field or index `left_out`.
fn write_without(store: &Store, graph: usize, slot: &mut Slot<'_>, left_out: &str) -> Result<(), BoxError> {
    for field in store.schema().fields().iter().filter(|field| field.name != left_out) {
        slot.bytes(&field.name)?.fill(0);
    }
    for index in store.schema().indices().iter().filter(|index| index.name != left_out) {
        let columns = store.index(&index.name, graph).unwrap_or_default();
        let columns: Vec<_> = columns.iter().map(Vec::as_slice).collect();
        slot.set_index(&index.name, &columns)?;
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// A graph that cannot be written, or of which one field or index is left out, ends the epoch at its batch.
    #[test]
    fn of_any_graph_in_any_data(
        drawn in data_sets(), way in any::<Index>(), at in any::<Index>(), left_out in any::<Option<Index>>(),
        workers in 0..4_usize,
    ) {
        let store = drawn.store();
        let options = way.get(&batchings(&store)).clone();
        let at = at.index(store.len());
        let names = store.schema().fields().iter().map(|field| (field.name.clone(), field.level));
        let names = names.chain(store.schema().indices().iter().map(|index| (index.name.clone(), index.level)));
        let written = |level| match level {
            Level::Set(set) => store.size(at).unwrap()[usize::from(set)] > 0,
            Level::Graph => true,
        };
        let names: Vec<_> = names.filter(|&(_, level)| written(level)).collect();
        let left_out = left_out.filter(|_| !names.is_empty()).map(|name| name.get(&names).0.clone());
        let expected = match &left_out {
            None => "disk on fire".to_owned(),
            Some(name) => format!("field {name:?} of the graph was not written"),
        };
        let options = options.order(Order::Shuffled).seed(1).workers(workers);
        let sound = batches(Loader::new(any_source(store.clone(), None), options.clone()).unwrap().epoch(0));
        let step = sound.iter().position(|batch| batch.graph_ids().contains(&(at as i64))).unwrap();
        let loader = Loader::new(any_source(store, Some((at, left_out))), options).unwrap();
        let mut epoch = loader.epoch(0);
        for before in 0..step {
            prop_assert!(epoch.next().unwrap().is_ok(), "batch {}", before);
        }
        let error = epoch.next().unwrap().unwrap_err();
        prop_assert_eq!(error.to_string(), format!("step {step}: graph {at} cannot be loaded: {expected}"));
        prop_assert!(epoch.next().is_none());
    }
}

#[test]
fn dropping_an_epoch_anywhere_joins_its_workers() {
    static RUNNING: AtomicUsize = AtomicUsize::new(0);
    let slow = || -> Result<(), BoxError> {
        RUNNING.fetch_add(1, Ordering::SeqCst);
        thread::sleep(Duration::from_micros(300));
        RUNNING.fetch_sub(1, Ordering::SeqCst);
        Ok(())
    };
    in_time(move || {
        let source = Arc::new(faulty(60, 30, slow));
        for round in 0..200_usize {
            let (workers, prefetch, taken) = (round % 7, round % 5, (round * 31) % 61);
            let options = Options::default().capacity(Limits::new([4, 4])).workers(workers).prefetch(prefetch);
            let loader = Loader::new(source.clone(), options.order(Order::Shuffled).seed(round as u64)).unwrap();
            let mut epoch = loader.epoch(0);
            for _ in 0..taken {
                epoch.next();
            }
            if round % 2 == 0 {
                drop(loader);
            }
            drop(epoch);
            assert_eq!(RUNNING.load(Ordering::SeqCst), 0, "a worker outlived its epoch");
        }
    });
}

#[test]
fn batches_outlive_epoch_and_loader() {
    let loader =
        Loader::new(store_of(&[[4, 4]; 10]), Options::default().capacity(Limits::new([4, 4])).workers(2)).unwrap();
    let batch = loader.epoch(0).nth(3).unwrap().unwrap();
    drop(loader);
    assert_eq!(batch.graph_ids(), [3]);
}

#[test]
fn a_graph_that_is_not_written_whole_is_an_error() {
    for (field, edges, expected) in
        [(false, true, Some("\"x\"")), (true, false, Some("\"edge_index\"")), (true, true, None)]
    {
        let x = Column::new("x", Level::NODE, 1, vec![0.0_f32]);
        let store = Store::of_columns(vec![0, 1], vec![0, 1], [vec![0], vec![0]], vec![x]).unwrap();
        let source = Faulty::new(store, move |store, graph, slot| {
            if field {
                slot.set("x", &[1.0_f32])?;
            }
            if edges {
                let (sources, targets) = store.edges(graph).unwrap();
                slot.set_index("edge_index", &[&sources, &targets])?;
            }
            Ok(())
        });
        let result = Loader::new(source, Options::default()).unwrap().epoch(0).next().unwrap();
        match (result, expected) {
            (Ok(_), None) => {}
            (Err(error), Some(name)) => {
                assert!(error.to_string().ends_with(&format!("field {name} of the graph was not written")));
            }
            other => panic!("{other:?}"),
        }
    }
}

/// What a map does with an epoch that it is handed.
type Handed = Mutex<mpsc::Receiver<Epoch>>;

#[test]
fn an_epoch_may_be_dropped_on_its_own_worker() {
    in_time(|| {
        let (give, take) = mpsc::channel();
        let (say, hear) = mpsc::channel();
        let handed: Handed = Mutex::new(take);
        let data = Data::from(molecules::generate(1, 20)).map("drop", move |graph| {
            if graph.epoch() == 0 {
                drop(handed.lock().unwrap().recv()?);
                say.send(())?;
            }
            Ok(())
        });
        let loader = Loader::new(data, Options::graphs(2).workers(1)).unwrap();
        give.send(loader.epoch(0)).unwrap();
        hear.recv().expect("no panic");
        assert_eq!(batches(loader.epoch(1)).iter().map(|batch| batch.real().graphs()).sum::<usize>(), 20);
    });
}

#[test]
fn a_worker_stops_in_the_middle_of_a_batch() {
    let (say, hear) = mpsc::channel();
    let written = Arc::new(AtomicUsize::new(0));
    let count = written.clone();
    let slow = Data::from(molecules::generate(1, 400)).map("slow", move |_| {
        count.fetch_add(1, Ordering::Relaxed);
        let _ = say.send(());
        thread::sleep(Duration::from_millis(10));
        Ok(())
    });
    let loader = Loader::new(slow, Options::graphs(400).workers(1)).unwrap();
    let epoch = loader.epoch(0);
    hear.recv().unwrap();
    drop(epoch);
    let written = written.load(Ordering::Relaxed);
    assert!(written < 400, "{written} graphs");
}

/// Forty graphs of different sizes, of which every third fails: its first `fails` tries, by an error or by a panic.
fn failing(fails: usize) -> (Store, impl Source) {
    let store = store_of(&(0..40).map(|graph| [2 + graph % 5, graph % 7]).collect::<Vec<_>>());
    let tries = Mutex::new(HashMap::new());
    let source = Faulty::new(store.clone(), move |store, graph, slot| {
        store.write(graph, slot)?;
        let tried = {
            let mut tries = tries.lock().unwrap();
            let tried = tries.entry((slot.epoch(), graph)).or_insert(0);
            *tried += 1;
            *tried
        };
        match graph % 6 {
            0 if tried <= fails => Err("disk on fire".into()),
            // This skips the hook that would print the panic.
            3 if tried <= fails => resume_unwind(Box::new("disk on fire")),
            _ => Ok(()),
        }
    });
    (store, source)
}

fn of_a_few(on_error: OnError, workers: usize) -> Options {
    let options = Options::default().capacity(Limits::new([16, 16])).order(Order::Shuffled).seed(3);
    options.on_error(on_error).workers(workers)
}

const SOON: Duration = Duration::from_millis(1);

#[test]
fn what_fails_now_and_then_is_tried_again() {
    for workers in [0, 1, 2, 5] {
        let (store, source) = failing(2);
        let sound = batches(Loader::new(store, of_a_few(OnError::Stop, workers)).unwrap().epoch(0));
        let loader = Loader::new(source, of_a_few(OnError::Retry { times: 2, wait: SOON }, workers)).unwrap();
        let found = batches(loader.epoch(0));
        assert!(found.iter().map(Batch::bytes).eq(sound.iter().map(Batch::bytes)), "{workers} workers");
        assert!(found.iter().all(|batch| batch.failed().is_empty()));
        // Once is not enough, and ends the epoch at its first batch with such a graph.
        let loader = Loader::new(failing(2).1, of_a_few(OnError::Retry { times: 1, wait: SOON }, workers)).unwrap();
        let first = sound.iter().position(|batch| batch.graph_ids().iter().any(|id| id % 3 == 0));
        let error = loader.epoch(0).find_map(Result::err).unwrap();
        assert_eq!((error.step(), error.graph().map(|graph| graph % 3)), (first, Some(0)));
    }
}

#[test]
fn what_always_fails_is_left_out_by_name_and_nothing_else_changes() {
    for on_error in [OnError::Skip, OnError::RetryOrSkip { times: 1, wait: SOON }] {
        for workers in [0, 1, 2, 5] {
            let (store, source) = failing(usize::MAX);
            let sound = batches(Loader::new(store.clone(), of_a_few(OnError::Stop, workers)).unwrap().epoch(0));
            let loader = Loader::new(source, of_a_few(on_error, workers)).unwrap();
            let mut epoch = loader.epoch(0);
            let found: Vec<Batch> = epoch.by_ref().collect::<Result<_, _>>().unwrap();
            assert_eq!(found.len(), sound.len());
            for (batch, sound) in found.iter().zip(&sound) {
                let (failed, left): (Vec<i64>, Vec<i64>) = sound.graph_ids().iter().partition(|id| *id % 3 == 0);
                assert_eq!((batch.graph_ids(), batch.shape()), (&left[..], sound.shape()));
                assert!(batch.places().iter().map(|&place| i64::from(place)).eq(left));
                assert!(batch.failed().iter().map(|error| error.graph().unwrap() as i64).eq(failed));
                assert_naive(batch, &store, store.schema().usual_padding());
            }
            let report = epoch.report();
            assert_eq!((report.failed(), report.failures().len(), report.stats().real.graphs()), (14, 14, 26));
            let text = report.to_string();
            let expected =
                format!("left out: 14 graphs that could not be loaded (the first: {})", report.failures()[0]);
            assert!(text.ends_with(&expected), "{text}");
            for at in [0, found.len() / 2] {
                let rest = batches(loader.resume(&found[at].state()).unwrap());
                assert!(rest.iter().map(Batch::bytes).eq(found[at + 1..].iter().map(Batch::bytes)), "after {at}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// However graphs are batched: a batch without some is that of the others, padded to the same shape.
    #[test]
    fn batches_without_a_graph_are_those_of_the_others(
        drawn in data_sets(), way in any::<Index>(), lost in prop::collection::vec(any::<Index>(), 1..4),
        workers in 0..3_usize,
    ) {
        let store = drawn.store();
        let options = way.get(&batchings(&store)).clone().order(Order::Shuffled).seed(1).workers(workers);
        let lost: Vec<usize> = lost.iter().map(|at| at.index(store.len())).collect();
        let is_given = options.capacity.to_string().starts_with("shape");
        let is_exact = options.shapes == Shapes::Exact;
        let shaped = if is_given { Shaped::Given(options.packs) } else { Shaped::Own };
        let sound = batches(Loader::new(store.clone(), options.clone()).unwrap().epoch(0));
        let source = Faulty::new(store.clone(), move |store, graph, slot| {
            store.write(graph, slot)?;
            if lost.contains(&graph) { Err("disk on fire".into()) } else { Ok(()) }
        });
        let found = batches(Loader::new(source, options.on_error(OnError::Skip)).unwrap().epoch(0));
        prop_assert_eq!(found.len(), sound.len());
        for (batch, sound) in found.iter().zip(&sound) {
            prop_assert_eq!(batch.shape(), if is_exact { batch.real() } else { sound.shape() });
            prop_assert_eq!(batch.graph_ids().len() + batch.failed().len(), sound.graph_ids().len());
            assert_naive_in(shaped, batch, &store, store.schema().usual_padding());
        }
    }
}

/// Twenty graphs that are read all together, with a connection that breaks.
#[derive(Default)]
struct Together {
    schema: Schema,
    /// A batch of more graphs than this one fails if it has this one.
    bad: Option<usize>,
    /// Connections that were opened; the first breaks after three graphs.
    opened: AtomicUsize,
}

struct Connection {
    number: usize,
    written: usize,
}

impl Source for Together {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn len(&self) -> usize {
        20
    }

    fn size(&self, _: usize) -> Result<Size, BoxError> {
        Ok(Size::new([1, 0]))
    }

    fn prepare(&self, graphs: &[usize], worker: &mut Worker) -> Result<(), BoxError> {
        let open = || Ok(Connection { number: self.opened.fetch_add(1, Ordering::Relaxed), written: 0 });
        worker.state(open)?;
        if self.bad.is_some_and(|bad| graphs.contains(&bad)) { Err("one of them is damaged".into()) } else { Ok(()) }
    }

    fn write(&self, _: usize, slot: &mut Slot<'_>, worker: &mut Worker) -> Result<(), BoxError> {
        let connection: &mut Connection = worker.state(|| Err("it was not prepared".into()))?;
        connection.written += 1;
        if connection.number == 0 && connection.written > 3 {
            return Err("the connection is lost".into());
        }
        Ok(slot.set_index::<u32>("edge_index", &[&[], &[]])?)
    }
}

#[test]
fn a_source_prepares_for_each_graph_alone_once_it_failed() {
    for workers in [0, 2] {
        let loader = |bad, on_error| {
            let source = Arc::new(Together { bad, ..Together::default() });
            let options = Options::exactly(5).on_error(on_error).workers(workers);
            (source.clone(), Loader::new(source, options).unwrap())
        };
        let (source, retrying) = loader(None, OnError::Retry { times: 1, wait: SOON });
        assert_eq!(batches(retrying.epoch(0)).len(), 4);
        assert!(source.opened.load(Ordering::Relaxed) > 1, "it was opened anew");
        let (_, skipping) = loader(Some(12), OnError::RetryOrSkip { times: 1, wait: SOON });
        let found = batches(skipping.epoch(0));
        let failed: Vec<_> = found.iter().flat_map(|batch| batch.failed()).map(ToString::to_string).collect();
        assert_eq!(failed, ["step 2: graph 12 cannot be loaded: one of them is damaged"]);
        assert_eq!(found.iter().map(|batch| batch.real().graphs()).collect::<Vec<_>>(), [5, 5, 4, 5]);
        let (_, stopping) = loader(Some(12), OnError::Stop);
        let error = stopping.epoch(0).filter_map(Result::err).last().unwrap().to_string();
        let lost = "step 0: graph 3 cannot be loaded: the connection is lost";
        assert!([lost, "step 1: graph 8 cannot be loaded: the connection is lost"].contains(&&*error), "{error}");
        // A run that goes on from the state before opens another connection.
        let (source, stopping) = loader(None, OnError::Stop);
        let error = stopping.epoch(0).find_map(Result::err).unwrap();
        let rest = batches(stopping.resume(error.before().unwrap()).unwrap());
        assert_eq!(rest.len(), 4 - error.step().unwrap());
        assert!(source.opened.load(Ordering::Relaxed) > 1, "it was opened anew");
    }
}

#[test]
fn an_epoch_that_waits_to_try_again_can_be_dropped() {
    for workers in [1, 3] {
        let begun = Instant::now();
        in_time(move || {
            let wait = Duration::from_secs(3600);
            let loader = Loader::new(failing(9).1, of_a_few(OnError::Retry { times: 9, wait }, workers)).unwrap();
            let mut epoch = loader.epoch(0);
            assert!(!epoch.wait(Duration::from_millis(30)) || epoch.next().is_some_and(|batch| batch.is_ok()));
            drop(epoch);
        });
        assert!(begun.elapsed() < Duration::from_secs(30));
    }
}

#[derive(Debug)]
struct Asked;

impl std::fmt::Display for Asked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the user asked to end")
    }
}

impl std::error::Error for Asked {}

impl Cause for Asked {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Stopped
    }
}

#[test]
fn who_asks_to_end_is_not_passed_over() {
    for workers in [0, 2] {
        let source = faulty(40, 17, || Err(Error::from(Asked).into()));
        let options = Options::default().capacity(Limits::new([4, 4])).workers(workers);
        let options = options.on_error(OnError::RetryOrSkip { times: 3, wait: SOON });
        let mixed = Data::mix(&[("one", &Data::from(source))]).unwrap();
        let error = Loader::new(mixed, options).unwrap().epoch(0).find_map(Result::err).expect("it ends");
        assert_eq!((error.kind(), error.step()), (ErrorKind::Stopped, Some(17)), "{error}");
    }
}
