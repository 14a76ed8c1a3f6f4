//! Promises 1, 4 and 6 under load: in random combinations of workers, prefetch, faults, early ends and resumption
//! nothing hangs or leaks, and no graph is lost or doubled. `GRAPHPACK_SOAK` is the number of combinations. A binary
//! of its own, since it counts threads and open files of the process.

use graphpack_loader::{
    Batch, Epoch, Error, Grouping, Heuristic, Loader, OnError, Order, Packer, Random, Shard, Source, Store,
};
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};
use std::{env, fs, process, thread};
use test_common::{DataSet, Faulty, batchings, store_of};

const COMBINATIONS: u64 = 2_500;
/// A combination takes milliseconds; after this time it hangs.
const PATIENCE: Duration = Duration::from_secs(20);

#[derive(Clone, Copy, Debug)]
enum Fault {
    Error,
    Panic,
    PanicWithoutText,
}

/// What one run does; the watchdog prints it when it hangs.
#[derive(Debug)]
struct Combination {
    data: usize,
    from_file: bool,
    grouping: Grouping,
    epoch: u64,
    workers: usize,
    prefetch: usize,
    ranks: (u32, u32),
    /// Microseconds that every seventh graph waits.
    slow: Option<u64>,
    /// The batch, counted over all ranks, whose first graph cannot be loaded; an epoch may be too short for it.
    fault: Option<(usize, Fault)>,
    /// Whether its batch is made without it.
    skips: bool,
    /// Batches taken from this epoch before it is dropped, and from the next epoch, which runs at the same time.
    taken: [usize; 2],
    end: End,
    /// Workers, prefetch and world size of the run that resumes.
    resumed: (usize, usize, u32),
}

/// Where the epoch is dropped.
#[derive(Clone, Copy, Debug)]
enum End {
    Here,
    AfterTheLoader,
    AnotherThread,
}

impl Combination {
    fn any(number: u64) -> Self {
        let mut random = Random::new(number, 0);
        let mut below = |bound: u32| random.below(bound) as usize;
        let groupings = [Grouping::Packed(Packer::BestFit(Heuristic::Product)), Grouping::Window(3), Grouping::InOrder];
        let faults = [Fault::Error, Fault::Panic, Fault::PanicWithoutText];
        let world = 1 + below(2) as u32 * below(3) as u32;
        let several = below(4) == 0;
        Self {
            data: below(16),
            from_file: below(8) == 0,
            grouping: groupings[below(3)].clone(),
            epoch: below(3) as u64,
            workers: below(9),
            prefetch: if below(20) == 0 { 0 } else { 1 + below(16) },
            ranks: (below(world) as u32, world),
            slow: (below(16) == 0).then(|| 1 + below(400) as u64),
            fault: (below(2) == 0).then(|| (below(24), faults[below(3)])),
            skips: below(3) == 0,
            taken: [below(30), if several { 1 + below(30) } else { 0 }],
            end: [End::Here, End::AfterTheLoader, End::AnotherThread][below(3)],
            resumed: (below(9), below(17), 1 + below(3) as u32),
        }
    }
}

/// Graphs of which one may fail, and every seventh may wait some microseconds.
fn unreliable(store: Store, fault: Option<(i64, Fault)>, slow: Option<u64>) -> impl Source {
    Faulty::new(store, move |store, graph, slot| {
        if let Some(micros) = slow.filter(|_| graph.is_multiple_of(7)) {
            thread::sleep(Duration::from_micros(micros));
        }
        match fault {
            // `resume_unwind` skips the hook that would print the panic.
            Some((at, fault)) if at == graph as i64 => match fault {
                Fault::Error => Err("out of order".into()),
                Fault::Panic => resume_unwind(Box::new("out of order")),
                Fault::PanicWithoutText => resume_unwind(Box::new(7)),
            },
            _ => store.write(graph, slot),
        }
    })
}

/// Graph numbers and bytes of a batch.
type Contents = (Vec<i64>, Vec<u8>);

fn contents(batch: &Batch) -> Contents {
    (batch.graph_ids().to_vec(), batch.bytes().to_vec())
}

/// An epoch and what it must give.
struct Run {
    epoch: Epoch,
    expected: Vec<Contents>,
    fails_at: Option<(usize, String)>,
    kept: Vec<Batch>,
}

impl Run {
    /// Takes the next item and compares it with the expected one.
    fn step(&mut self) {
        let step = self.kept.len();
        let item = self.epoch.next();
        match (&self.fails_at, item) {
            (Some((at, message)), Some(Err(error))) if *at == step => {
                assert_eq!(error.to_string(), *message);
                assert!(self.epoch.next().is_none() && self.epoch.next().is_none(), "nothing comes after an error");
                // From here on `step` expects the end.
                self.fails_at = None;
                self.expected.truncate(step);
            }
            (None, None) if step == self.expected.len() => {}
            (_, Some(Ok(batch))) if step < self.expected.len() => {
                assert!(self.fails_at.as_ref().is_none_or(|(at, _)| *at > step), "batch {step} has an error");
                assert_eq!(batch.step(), step as u64);
                assert!(contents(&batch) == self.expected[step], "batch {step} differs");
                self.kept.push(batch);
            }
            (_, item) => panic!("step {step} of {}: {item:?}", self.expected.len()),
        }
    }
}

/// Returns the batches of one rank, from batch `done` of all ranks on; `empty` fills the last step.
fn share(all: &[Contents], done: usize, (rank, world): (u32, u32), empty: impl Fn() -> Contents) -> Vec<Contents> {
    let steps = (all.len() - done).div_ceil(world as usize);
    let batch = |step: usize| done + step * world as usize + rank as usize;
    (0..steps).map(|step| all.get(batch(step)).cloned().unwrap_or_else(&empty)).collect()
}

struct Soak {
    stores: Vec<(Store, PathBuf)>,
}

impl Soak {
    fn run(&self, combination: &Combination) {
        let &Combination { epoch, ranks, taken, end, .. } = combination;
        let store = match &self.stores[combination.data] {
            (_, path) if combination.from_file => Store::open(path).unwrap(),
            (store, _) => store.clone(),
        };
        let options = batchings(&store)[0].clone().grouping(combination.grouping.clone());
        let options = options.order(Order::Shuffled).seed(5);
        let sound = |options| Loader::new(unreliable(store.clone(), None, None), options).unwrap();
        let reference = sound(options.clone().workers(0));
        let all = |epoch| -> Vec<Contents> {
            reference.epoch(epoch).map(|batch| contents(&batch.unwrap())).collect::<Vec<_>>()
        };
        let empty = || {
            let last =
                Shard::new(reference.batches(0).unwrap() as u32, reference.batches(0).unwrap() as u32 + 1).unwrap();
            let batch = sound(options.clone().workers(0).shard(last)).epoch(0).next();
            contents(&batch.unwrap().unwrap())
        };
        let whole = all(epoch);
        let ids: Vec<i64> = whole.iter().flat_map(|(ids, _)| ids.clone()).collect();
        let mut sorted = ids.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..store.len() as i64).collect::<Vec<_>>(), "each graph once");

        let fault = combination.fault.and_then(|(at, fault)| Some((whole.get(at)?.0[0], fault)));
        let shard = Shard::new(ranks.0, ranks.1).unwrap();
        let on_error = if combination.skips { OnError::Skip } else { OnError::Stop };
        let policed = options.clone().on_error(on_error);
        let without = Loader::new(unreliable(store.clone(), fault, None), policed.clone().workers(0)).unwrap();
        let source = unreliable(store.clone(), fault, combination.slow);
        let loaded = policed.workers(combination.workers).prefetch(combination.prefetch).shard(shard);
        let loader = Loader::new(source, loaded).unwrap();
        let run = |epoch: u64, all: &[Contents]| {
            let expected = match combination.skips {
                true => share(
                    &without.epoch(epoch).map(|batch| contents(&batch.unwrap())).collect::<Vec<_>>(),
                    0,
                    ranks,
                    empty,
                ),
                false => share(all, 0, ranks, empty),
            };
            let fails_at = fault.filter(|_| !combination.skips).and_then(|(graph, fault)| {
                let step = expected.iter().position(|(ids, _)| ids.contains(&graph))?;
                let message = match fault {
                    Fault::Error => format!("step {step}: graph {graph} cannot be loaded: out of order"),
                    Fault::Panic => format!("step {step}: graph {graph} cannot be loaded: panic: out of order"),
                    Fault::PanicWithoutText => {
                        format!("step {step}: graph {graph} cannot be loaded: panic: the panic has no text")
                    }
                };
                Some((step, message))
            });
            Run { epoch: loader.epoch(epoch), expected, fails_at, kept: Vec::new() }
        };
        let mut first = run(epoch, &whole);
        let mut second = (taken[1] > 0).then(|| run(epoch + 1, &all(epoch + 1)));
        for step in 0..taken[0].max(taken[1]) {
            if step < taken[0] {
                first.step();
            }
            if let Some(second) = second.as_mut().filter(|_| step < taken[1]) {
                second.step();
            }
            if combination.slow.is_some_and(|slow| (slow as usize + step).is_multiple_of(11)) {
                thread::sleep(Duration::from_micros(100));
            }
        }
        let state = first.kept.last().map_or_else(|| loader.state(epoch).unwrap(), |batch| batch.state());
        let Run { epoch: batches, kept, expected, .. } = first;
        match end {
            End::Here => drop((batches, second, loader)),
            End::AfterTheLoader => {
                drop(loader);
                drop(second);
                drop(batches);
            }
            End::AnotherThread => thread::scope(|scope| {
                scope.spawn(move || drop(batches));
                scope.spawn(move || drop(second));
            }),
        }
        // Batches outlive their epoch, and may be dropped by another thread.
        let kept = thread::scope(|scope| {
            let thread = scope.spawn(move || kept.iter().map(contents).collect::<Vec<_>>());
            thread.join().unwrap()
        });
        assert!(kept == expected[..kept.len()], "a batch was overwritten");

        let done = state.batches_done() as usize;
        assert_eq!(done, (kept.len() * ranks.1 as usize).min(whole.len()));
        let (workers, prefetch, world) = combination.resumed;
        for rank in 0..world {
            let shard = Shard::new(rank, world).unwrap();
            let loader = sound(options.clone().workers(workers).prefetch(prefetch).shard(shard));
            let rest: Result<Vec<Batch>, Error> = loader.resume(&state).unwrap().collect();
            let rest: Vec<Contents> = rest.unwrap().iter().map(contents).collect();
            assert!(rest == share(&whole, done, (rank, world), empty), "rank {rank} resumes with other batches");
        }
    }
}

/// Ends the process when a combination takes too long: a test that hangs would print nothing.
fn watch(at: Arc<Mutex<(Instant, u64)>>, stopped: &mpsc::Receiver<()>) {
    while stopped.recv_timeout(Duration::from_millis(500)) == Err(mpsc::RecvTimeoutError::Timeout) {
        let (begun, number) = *at.lock().unwrap();
        if begun.elapsed() > PATIENCE {
            // Captured output would be lost when the process ends.
            let _ = fs::write("/dev/stderr", format!("hangs: {number}, {:?}\n", Combination::any(number)));
            process::abort();
        }
    }
}

/// Returns the threads and open files of this process, where Linux says so.
fn held() -> Option<(String, usize)> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let threads = status.lines().find(|line| line.starts_with("Threads:"))?.to_owned();
    Some((threads, fs::read_dir("/proc/self/fd").ok()?.count()))
}

#[test]
fn random_combinations() {
    let combinations = env::var("GRAPHPACK_SOAK").map_or(COMBINATIONS, |number| number.parse().unwrap());
    let before = held();
    let at = Arc::new(Mutex::new((Instant::now(), 0)));
    let (stop, stopped) = mpsc::channel();
    let watchdog = thread::spawn({
        let at = at.clone();
        move || watch(at, &stopped)
    });
    let folder = tempfile::tempdir().unwrap();
    let stores = (0..16).map(|data| {
        // Half of them have nodes and edges, the others any sets.
        let mut random = Random::new(u64::from(data), 1);
        let size = |_| [1 + random.below(12), random.below(20)];
        let store = match data {
            0..8 => store_of(&(0..1 + 9 * data).map(size).collect::<Vec<_>>()),
            _ => DataSet::number(data).store(),
        };
        let path = folder.path().join(format!("{data}.safetensors"));
        store.save(&path).unwrap();
        (store, path)
    });
    let soak = Soak { stores: stores.collect() };
    for number in 0..combinations {
        let combination = Combination::any(number);
        *at.lock().unwrap() = (Instant::now(), number);
        if thread::scope(|scope| scope.spawn(|| soak.run(&combination)).join()).is_err() {
            panic!("{number}, {combination:?}");
        }
    }
    drop((soak, stop));
    watchdog.join().unwrap();
    // Linux may list a joined thread for a moment.
    let begun = Instant::now();
    while held() != before && begun.elapsed() < Duration::from_secs(5) {
        thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(held(), before, "threads or files are left");
}
