//! Promise 7: at most prefetch + workers + 1 batches are in memory, and after warm-up an epoch allocates nothing per
//! batch. A binary of its own, since it counts every call of the allocator.

use graphpack_loader::memory::{Arena, Builtin, Heap, Memory};
use graphpack_loader::store::StoreFilesWriter;
use graphpack_loader::{
    BoxError, Column, Connect, Data, Dtype, Edges, Limits, LineGraphs, Loader, OnError, Options, Order, Oversize,
    Schema, Shapes, Store, StoreFiles, clusters, molecules,
};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use test_common::DataSet;

/// Counts calls of the allocator.
struct Counting;

static CALLS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        CALLS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The heap, counting batches.
#[derive(Clone, Default)]
struct CountedBatches(Arc<AtomicUsize>);

impl Memory for CountedBatches {
    fn allocate(&self, bytes: usize) -> Result<Box<dyn Arena>, BoxError> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Heap.allocate(bytes)
    }
}

/// One test, since the counter sees all threads of the process.
#[test]
fn an_epoch_allocates_nothing_per_batch() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = StoreFilesWriter::create(folder.path().join("files")).unwrap();
    for seed in 0..3 {
        writer.push(&molecules::generate(seed, 2000)).unwrap();
    }
    writer.finish().unwrap();
    let molecules = Data::from(molecules::generate(4, 6000));
    allocates_nothing_per_batch(&molecules, Options::graphs(16));
    allocates_nothing_per_batch(&molecules, Options::graphs(4).shapes(Shapes::Few(3)));
    let files = StoreFiles::open(folder.path().join("files")).unwrap().into();
    allocates_nothing_per_batch(&files, Options::graphs(16));
    allocates_nothing_per_batch(&files, Options::graphs(16).on_error(OnError::Skip));
    // A third of the graphs is trimmed, and all lose edges.
    let fewer = molecules.map("fewer", |graph| {
        let edges = graph.size()[1] as usize;
        Ok(graph.keep("edges", &EVERY_THIRD_GOES[..edges])?)
    });
    let trimmed = Options::default().capacity(Limits::new([25, 50]).graphs(2)).oversize(Oversize::Trim);
    allocates_nothing_per_batch(&fewer, trimmed);
    // Eight sets, and many copies of a few graphs.
    let eight = (0..).map(|number| DataSet::number(number).store()).find(|store| store.schema().sets().len() == 8);
    let eight = eight.unwrap();
    let graphs: Vec<u32> = (0..6000).map(|graph| graph % eight.len() as u32).collect();
    allocates_nothing_per_batch(&Data::from(eight).subset(graphs).unwrap(), Options::graphs(16));
    let derived = molecules.triplets().unwrap().line_graphs(LineGraphs::default()).unwrap();
    allocates_nothing_per_batch(&derived, Options::graphs(16));
    // Of molecules, and of crystals, which are searched in another way; a few kinds of each, so that none is the first
    // of its size after warm-up.
    let kinds = clusters::generate(1, 5);
    let clusters = Data::from(kinds).subset((0..1500).map(|graph| graph % 5).collect::<Vec<u32>>()).unwrap();
    let nearest = Edges::NearestWithin { radius: 3.0, most: 4 };
    allocates_nothing_per_batch(&clusters.connect(nearest).unwrap(), few());
    allocates_nothing_per_batch(&Data::from(crystals(1500)).connect(Edges::Nearest(5)).unwrap(), few());
    // Moved together, so that the longest edges are left out.
    let options = Connect::from(Edges::Radius(2.5)).margin(0.0);
    let nearer = clusters.map("nearer", |graph| {
        graph.get::<f32>("pos")?.iter_mut().for_each(|x| *x *= 0.9);
        Ok(())
    });
    allocates_nothing_per_batch(&nearer.connect(options).unwrap(), few());
}

fn few() -> Options {
    Options::graphs(4)
}

/// As many bools as the largest molecule has edges.
static EVERY_THIRD_GOES: [bool; 1000] = {
    let mut mask = [true; 1000];
    let mut edge = 0;
    while edge < 1000 {
        mask[edge] = false;
        edge += 3;
    }
    mask
};

/// Cubes of two atoms.
fn crystals(count: usize) -> Store {
    let schema =
        Schema::of(&["nodes"]).field("pos", "nodes", Dtype::F64, &[3]).field("cell", "graph", Dtype::F64, &[9]);
    let lengths = || (0..count).map(|graph| 2.5 + 0.1 * (graph % 5) as f64);
    let pos = lengths().flat_map(|length| [[0.0; 3], [0.5 * length; 3]]).flatten().collect();
    let cell = lengths().flat_map(|length| [length, 0.0, 0.0, 0.0, length, 0.0, 0.0, 0.0, length]).collect();
    let pos = Column::of(&schema, "pos", pos).unwrap();
    let cell = Column::of(&schema, "cell", cell).unwrap();
    let ptr = (0..=count as u64).map(|graph| 2 * graph).collect();
    Store::of_sets(schema, vec![ptr], vec![], vec![pos, cell]).unwrap()
}

fn allocates_nothing_per_batch(data: &Data, options: Options) {
    for (workers, prefetch) in [(0, 0), (1, 4), (2, 4), (3, 8)] {
        let memory = CountedBatches::default();
        let options = options.clone().order(Order::Shuffled).seed(1).workers(workers).prefetch(prefetch);
        let all = Builtin::all(data.schema().sets().len()).map(|builtin| data.schema().array_name(builtin));
        let loader = Loader::new(data, options.extra(all).memory(memory.clone())).unwrap();
        let mut graphs = 0;
        for epoch in 0..2 {
            let mut batches = loader.epoch(epoch);
            for _ in 0..40 {
                graphs += batches.next().unwrap().unwrap().real().graphs();
            }
            let before = [CALLS.load(Ordering::Relaxed), memory.0.load(Ordering::Relaxed)];
            graphs += batches.by_ref().take(200).map(|batch| batch.unwrap().real().graphs()).sum::<usize>();
            let calls = CALLS.load(Ordering::Relaxed) - before[0];
            let new = memory.0.load(Ordering::Relaxed) - before[1];
            assert!(batches.next().is_some(), "the epoch is longer than what was counted");
            // A new batch takes three allocations: two of the arena, one for the sizes of its graphs. A thread's first
            // wait on a channel takes some, too.
            let allowed = 3 * new + 4 * (workers + 1);
            assert!(
                calls <= allowed,
                "{calls} allocations in 200 batches of epoch {epoch}, {workers} workers, {new} new"
            );
        }
        assert!(graphs > 0);
        // Each worker and the consumer hold one more.
        let batches = memory.0.load(Ordering::Relaxed);
        assert!(
            batches <= prefetch + workers + 1,
            "{batches} batches in memory for {workers} workers, prefetch {prefetch}"
        );
        // Of an epoch whose batches were all kept, no more memory is left than the next one needs.
        drop(loader.epoch(2).take(60).collect::<Vec<_>>());
        let before = memory.0.load(Ordering::Relaxed);
        let kept = loader.epoch(3).take(60).collect::<Vec<_>>().len();
        let new = memory.0.load(Ordering::Relaxed) - before;
        assert_eq!(kept, 60);
        assert!(kept <= new + prefetch + workers + 2, "{kept} batches in {new} new ones: too many were kept for later");
    }
}
