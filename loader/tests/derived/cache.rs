//! Fingerprints, resumed runs, and counts that are kept in a file.

use crate::oracle::{example, store};
use graphpack_loader::{
    Batch, BoxError, Data, LineGraphs, Loader, Options, Order, Schema, Size, Slot, Source, Store, StoreFiles, Worker,
};
use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

#[test]
fn fingerprints_tell_rules_and_data_apart() {
    let graphs = [(3, example()), (4, vec![(2, 1), (0, 1), (1, 3)])];
    let data = Arc::new(store(&graphs));
    let all = [
        data.fingerprint(),
        Data::from(data.clone()).triplets().unwrap().fingerprint(),
        Data::from(data.clone()).subset(vec![1, 0]).unwrap().triplets().unwrap().fingerprint(),
        Data::from(store(&graphs[..1])).triplets().unwrap().fingerprint(),
        Data::from(data.clone()).line_graphs(LineGraphs::default()).unwrap().fingerprint(),
        Data::from(data.clone()).line_graphs(LineGraphs::default().backtracking(false)).unwrap().fingerprint(),
    ];
    (0..all.len()).for_each(|at| assert!(!all[..at].contains(&all[at]), "{at}"));
    assert_eq!(Data::from(store(&graphs)).triplets().unwrap().fingerprint(), all[1]);
}

#[test]
fn a_run_is_resumed() {
    let graphs: Vec<_> = (0..50).map(|at| (3 + at % 4, example())).collect();
    let load = |data| Loader::new(data, Options::graphs(4).order(Order::Shuffled).seed(3)).unwrap();
    let triplets = || Data::from(store(&graphs)).triplets().unwrap();
    let loader = load(triplets());
    let whole: Vec<Batch> = loader.epoch(2).map(Result::unwrap).collect();
    let resumed: Vec<Batch> = load(triplets()).resume(&whole[3].state()).unwrap().map(Result::unwrap).collect();
    assert_eq!(resumed.len(), whole.len() - 4);
    resumed.iter().zip(&whole[4..]).for_each(|(resumed, whole)| assert_eq!(resumed.bytes(), whole.bytes()));
    let fewer = Data::from(store(&graphs[..49])).triplets().unwrap();
    assert!(load(fewer).resume(&whole[3].state()).is_err());
}

/// A store that counts how often a graph is written.
struct Watched {
    store: Store,
    written: Arc<AtomicUsize>,
    /// Whether its fingerprint follows from the contents.
    knows_contents: bool,
}

impl Source for Watched {
    fn schema(&self) -> &Schema {
        self.store.schema()
    }

    fn len(&self) -> usize {
        self.store.len()
    }

    fn size(&self, graph: usize) -> Result<Size, BoxError> {
        Ok(self.store.size(graph)?)
    }

    fn write(&self, graph: usize, slot: &mut Slot<'_>, _: &mut Worker) -> Result<(), BoxError> {
        self.written.fetch_add(1, Ordering::Relaxed);
        self.store.write(graph, slot)
    }

    fn fingerprint(&self, sizes: u64) -> u64 {
        if self.knows_contents { self.store.fingerprint() } else { sizes }
    }
}

/// Sizes alone do not tell whose counts a cache has.
#[test]
fn a_source_without_a_fingerprint_of_contents_has_no_cache() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("counts");
    let data =
        || Data::from(Watched { store: store(&[(3, example())]), written: Arc::default(), knows_contents: false });
    let error = data().cache_counts(&path).triplets().map(drop).unwrap_err().to_string();
    assert!(error.contains("counts: the source has no fingerprint of its contents"), "{error}");
    assert!(data().triplets().is_ok() && !path.exists());
}

#[test]
fn counts_are_cached_by_fingerprint_and_rule() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("counts");
    let graphs = [(3, example()), (3, vec![]), (4, vec![(2, 1), (0, 1), (1, 3)])];
    let written = Arc::new(AtomicUsize::new(0));
    let data = |graphs| Watched { store: store(graphs), written: written.clone(), knows_contents: true };
    // The sizes of all graphs, and how many graphs had to be written.
    let sizes = |data: Result<Data, _>| {
        let data = data.map_err(|error: graphpack_loader::Error| error.to_string()).unwrap();
        let sizes: Vec<Size> = data.sizes().unwrap().collect();
        (sizes, data.fingerprint(), written.swap(0, Ordering::Relaxed))
    };
    let triplets = || sizes(Data::from(data(&graphs)).cache_counts(&path).triplets());
    let (expected, fingerprint, _) = sizes(Data::from(data(&graphs)).triplets());
    let [counted, cached] = [3, 0].map(|written| (expected.clone(), fingerprint, written));
    assert_eq!((triplets(), triplets()), (counted.clone(), cached.clone()));

    // Another rule, then other data, in the same file.
    for backtracking in [true, false] {
        let cache = || {
            Data::from(data(&graphs))
                .cache_counts(&path)
                .line_graphs(LineGraphs::default().backtracking(backtracking))
                .unwrap()
                .size(0)
                .unwrap()
        };
        let rows = if backtracking { 8 } else { 4 };
        assert_eq!((cache(), written.swap(0, Ordering::Relaxed)), (Size::new([3, 5, rows]), 3));
        assert_eq!((cache(), written.swap(0, Ordering::Relaxed)), (Size::new([3, 5, rows]), 0));
    }
    assert_eq!((triplets(), triplets()), (counted.clone(), cached.clone()));
    assert_eq!(sizes(Data::from(data(&graphs[..2])).cache_counts(&path).triplets()).0, expected[..2]);
    assert_eq!((triplets(), triplets()), (counted.clone(), cached.clone()));

    // Every truncation, every wrong byte after the first eight, and a longer file.
    let whole = std::fs::read(&path).unwrap();
    let truncated = (0..whole.len()).map(|length| whole[..length].to_vec());
    let damaged = (8..whole.len()).map(|at| {
        let mut bytes = whole.clone();
        bytes[at] ^= 16;
        bytes
    });
    for bytes in truncated.chain(damaged).chain([[&whole[..], &[0]].concat()]) {
        std::fs::write(&path, bytes).unwrap();
        assert_eq!(triplets(), counted);
    }
    assert_eq!(std::fs::read(&path).unwrap(), whole);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "temporary files are left");
}

#[test]
fn counts_of_other_contents_are_not_taken_whichever_graph_differs() {
    let folder = tempfile::tempdir().unwrap();
    let [file, cache] = ["store", "counts"].map(|name| folder.path().join(name));
    // A fingerprint has every third graph.
    let mut graphs = vec![(3, example()); 3000];
    for rows in [8, 0] {
        let data = store(&graphs);
        data.save(&file).unwrap();
        let changed = SystemTime::UNIX_EPOCH + Duration::from_secs(rows.into());
        File::options().write(true).open(&file).unwrap().set_modified(changed).unwrap();
        // SAFETY: a file of this test, which changes after the last use of this.
        let files = [StoreFiles::open(&file).unwrap(), unsafe { StoreFiles::map(&file) }.unwrap()];
        for source in files.map(Data::from).into_iter().chain([data.into()]) {
            for _ in 0..2 {
                let made = source.cache_counts(&cache).line_graphs(LineGraphs::default()).unwrap();
                assert_eq!(made.size(1).unwrap()[2], rows);
            }
        }
        graphs[1].1 = vec![(0, 1); 5];
    }
}

#[test]
fn a_file_that_is_no_cache_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("thesis.tex");
    std::fs::write(&path, "\\section{Packing}").unwrap();
    let refused = |path: &std::path::Path| {
        let error = Data::from(store(&[(3, example())])).cache_counts(path).triplets().unwrap_err().to_string();
        error.strip_prefix(&format!("{}: the cache of counts cannot be used: ", path.display())).unwrap().to_owned()
    };
    assert_eq!(refused(&path), "the file is there, but is no cache of counts");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "\\section{Packing}");
    let missing = folder.path().join("missing/counts");
    assert_eq!(refused(&missing), File::create(&missing).unwrap_err().to_string());
}
