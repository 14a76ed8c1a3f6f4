//! [`Store`] in files: the same graphs as in memory, errors that name the damage, no file that is half written.

use crate::tensors::{Tensor, i64s, written};
use graphpack_loader::store::StoreFilesWriter;
use graphpack_loader::{
    Batch, Column, Data, ErrorKind, Level, Loader, Options, Order, Shapes, Slot, Store, StoreFiles, molecules,
};
use proptest::prelude::*;
use proptest::sample::Index;
use safetensors::Dtype;
use std::env;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;
use test_common::{batches, data_sets};

fn same_batches(a: impl Into<Data>, b: impl Into<Data>) {
    fn run(data: Data) -> Vec<Batch> {
        let options = Options::exactly(9).shapes(Shapes::Multiple(64)).order(Order::Shuffled).seed(3).workers(2);
        batches(Loader::new(data, options).unwrap().epoch(1))
    }
    let (a, b) = (a.into(), b.into());
    assert_eq!((a.len(), a.fingerprint()), (b.len(), b.fingerprint()));
    let (a, b) = (run(a), run(b));
    assert_eq!(a.len(), b.len());
    for (a, b) in a.iter().zip(&b) {
        assert_eq!(a.layout().arrays(), b.layout().arrays());
        for array in a.layout().arrays() {
            assert_eq!(a.bytes()[array.range()], b.bytes()[array.range()], "{}", array.name);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(30))]

    #[test]
    fn a_file_holds_the_same_graphs(drawn in data_sets(), cuts in any::<[Index; 2]>()) {
        let folder = TempDir::new().unwrap();
        let store = drawn.store();
        let path = folder.path().join("store.safetensors");
        store.save(&path).unwrap();
        let opened = Store::open(&path).unwrap();
        prop_assert_eq!(opened.schema(), store.schema());
        let schema = store.schema();
        let (sets, columns) = (schema.sets().len(), schema.fields().len() + schema.indices().len());
        prop_assert_eq!(opened.verify().unwrap(), sets + columns);
        same_batches(opened.clone(), store.clone());
        // SAFETY: nobody else knows of this file, nor of the folder below.
        same_batches(unsafe { Store::map(&path) }.unwrap(), store.clone());
        same_batches(StoreFiles::open(&path).unwrap(), store.clone());
        same_batches(opened.to_memory().unwrap(), store.clone());
        for name in schema.indices().iter().map(|index| &index.name) {
            prop_assert!((0..store.len()).all(|graph| opened.index(name, graph).ok() == store.index(name, graph).ok()));
        }
        prop_assert!((0..store.len()).all(|graph| opened.edges(graph).ok() == store.edges(graph).ok()));

        // In up to three files, one of which may be empty.
        let mut cuts = cuts.map(|cut| cut.index(store.len() + 1));
        cuts.sort_unstable();
        let mut writer = StoreFilesWriter::create(folder.path().join("files")).unwrap();
        let ranges = [0..cuts[0], cuts[0]..cuts[1], cuts[1]..store.len()];
        let parts = ranges.clone().map(|range| opened.part(range).unwrap());
        parts.iter().for_each(|part| writer.push(part).unwrap());
        writer.finish().unwrap();
        let files = StoreFiles::open(folder.path().join("files")).unwrap();
        prop_assert_eq!(files.schema(), store.schema());
        prop_assert_eq!(files.verify().unwrap(), 3 * (sets + columns));
        same_batches(files.clone(), store.clone());
        // SAFETY: as above.
        same_batches(unsafe { StoreFiles::map(folder.path().join("files")) }.unwrap(), store.clone());
        same_batches(Store::concat(&parts).unwrap(), store.clone());
        for range in ranges {
            let part = files.part(range.clone()).unwrap();
            prop_assert_eq!((part.schema(), part.len()), (store.schema(), range.len()));
            if !range.is_empty() {
                same_batches(part, store.part(range).unwrap());
            }
        }
    }
}

/// Two graphs of (2 nodes, 2 edges) and (1, 0) as a script would write them, without metadata.
fn foreign() -> Vec<Tensor> {
    vec![
        ("ptr_node", Dtype::I64, vec![3], i64s(&[0, 2, 3])),
        ("ptr_edge", Dtype::I64, vec![3], i64s(&[0, 2, 2])),
        ("edge_index", Dtype::I64, vec![2, 2], i64s(&[0, 1, 1, 0])),
        ("x", Dtype::U8, vec![3, 2], vec![1, 2, 3, 4, 5, 6]),
        ("y", Dtype::I64, vec![2], i64s(&[7, 8])),
    ]
}

#[test]
fn files_of_scripts_are_understood_or_refused() {
    let folder = TempDir::new().unwrap();
    let store = Store::open(written(&folder, None, &foreign())).unwrap();
    let levels: Vec<_> = store.schema().fields().iter().map(|field| (field.name.as_str(), field.level)).collect();
    // y has 2 rows, and there are 2 graphs and 2 edges; the name decides.
    assert_eq!(levels, [("x", Level::NODE), ("y", Level::Graph)]);
    assert_eq!(store.edges(0).unwrap(), (vec![0, 1], vec![1, 0]));

    let error = |change: &dyn Fn(&mut Vec<Tensor>)| {
        let mut list = foreign();
        change(&mut list);
        Store::open(written(&folder, None, &list)).unwrap_err().to_string()
    };
    let ends = |message: String, expected: &str| assert!(message.ends_with(expected), "{message:?}: {expected:?}");
    ends(error(&|list| drop(list.remove(0))), "foreign.safetensors has no tensor \"ptr_node\"");
    ends(error(&|list| list[0].3 = i64s(&[0, 3, 2])), "the offsets of nodes go from 3 to 2 at graph 1");
    ends(error(&|list| list[1].3 = i64s(&[1, 2, 2])), "the offsets of edges must start with 0, found 1");
    ends(error(&|list| list[1].3 = i64s(&[0, 2, 3])), "column \"edge_index\" has 2 rows, expected 3");
    ends(
        error(&|list| list[4].0 = "z_score"),
        "tensor \"z_score\" is I64 [2], expected a level in the metadata: it has rows for more than one",
    );
    ends(
        error(&|list| list[3] = ("x", Dtype::BF16, vec![3], vec![0; 6])),
        "tensor \"x\" is BF16 [3], expected float16, float32, float64, int64, int32, uint8 or bool",
    );
    ends(
        error(&|list| list[3] = ("x", Dtype::U8, vec![5], vec![0; 5])),
        "tensor \"x\" is U8 [5], expected as many rows as there are nodes, edges or graphs",
    );
    // Edges are checked when they are read.
    let mut list = foreign();
    list[2].3 = i64s(&[0, 1, 1, 2]);
    let loader = Loader::new(Store::open(written(&folder, None, &list)).unwrap(), Options::default()).unwrap();
    let error = loader.epoch(0).next().unwrap().unwrap_err();
    assert_eq!(
        error.to_string(),
        "step 0: graph 0 cannot be loaded: entry 1 in column 1 of \"edge_index\" is 2, but the graph has 2 nodes"
    );
}

fn saved(folder: &TempDir) -> PathBuf {
    let path = folder.path().join("molecules.safetensors");
    molecules::generate(1, 400).save(&path).unwrap();
    path
}

#[test]
fn truncated_and_damaged_files_are_named() {
    let folder = TempDir::new().unwrap();
    let path = saved(&folder);
    let whole = fs::read(&path).unwrap();
    for length in [0, 5, 100, whole.len() / 2, whole.len() - 1] {
        fs::write(&path, &whole[..length]).unwrap();
        let error = Store::open(&path).unwrap_err();
        assert!([ErrorKind::Format, ErrorKind::File].contains(&error.kind()), "{length}: {error}");
        assert_eq!(error.path(), Some(&*path));
        assert!(error.to_string().contains("molecules.safetensors"), "{error}");
    }
    let mut flipped = whole.clone();
    let last = flipped.len() - 3;
    flipped[last] ^= 16;
    fs::write(&path, flipped).unwrap();
    for error in [Store::open(&path).unwrap_err(), StoreFiles::open(&path).unwrap().verify().unwrap_err()] {
        assert!(error.kind() == ErrorKind::Format && error.to_string().contains(" is damaged"), "{error}");
    }
    assert!(Store::open(folder.path()).is_err());
    let missing = StoreFiles::open(folder.path()).unwrap_err();
    assert!(missing.to_string().contains("index.json"), "{missing}");
    for outside in ["/dev/zero", "../other.safetensors"] {
        fs::write(folder.path().join("index.json"), format!(r#"{{"files":[{{"file":"{outside}","graphs":1}}]}}"#))
            .unwrap();
        let error = StoreFiles::open(folder.path()).unwrap_err().to_string();
        assert!(error.ends_with(&format!("index.json: {outside} is not in the folder of the index")), "{error}");
    }
}

/// One byte overwritten, then the end cut off.
const CHANGES: [fn(&Path); 2] = [
    |path| drop(OpenOptions::new().write(true).open(path).unwrap().write_at(&[1], 5000)),
    |path| OpenOptions::new().write(true).open(path).unwrap().set_len(4096 * 20).unwrap(),
];

#[test]
fn a_mapped_file_that_changes_under_the_loader_ends_the_epoch() {
    let folder = TempDir::new().unwrap();
    let path = saved(&folder);
    for change in CHANGES {
        saved(&folder);
        // SAFETY: not kept, to see what can be seen: the change is found before any byte that it is about is read.
        let mapped = unsafe { Store::map(&path) }.unwrap();
        let loader = Loader::new(mapped, Options::graphs(8).workers(0)).unwrap();
        let mut epoch = loader.epoch(0);
        assert!(epoch.next().unwrap().is_ok());
        std::thread::sleep(std::time::Duration::from_millis(20));
        change(&path);
        let error = epoch.next().unwrap().unwrap_err();
        assert_eq!((error.step(), error.path(), error.graph()), (Some(1), Some(&*path), None));
        assert!(error.to_string().contains("molecules.safetensors was changed while it was in use"), "{error}");
        assert!(epoch.next().is_none());
    }
}

#[test]
fn a_file_that_changes_while_it_is_read_by_position_ends_the_epoch_in_order() {
    let folder = TempDir::new().unwrap();
    let path = saved(&folder);
    for (change, workers) in CHANGES.into_iter().flat_map(|change| [(change, 0), (change, 2)]) {
        saved(&folder);
        let options = Options::graphs(8).order(Order::Shuffled).seed(1);
        let loader = Loader::new(StoreFiles::open(&path).unwrap(), options.workers(workers).prefetch(2)).unwrap();
        let whole = batches(loader.epoch(0));
        saved(&folder);
        let options = Options::graphs(8).order(Order::Shuffled).seed(1);
        let loader = Loader::new(StoreFiles::open(&path).unwrap(), options.workers(workers).prefetch(2)).unwrap();
        let mut epoch = loader.epoch(0);
        let mut done = vec![epoch.next().unwrap().unwrap()];
        std::thread::sleep(std::time::Duration::from_millis(20));
        change(&path);
        let error = epoch.by_ref().find_map(|batch| batch.map(|batch| done.push(batch)).err()).unwrap();
        assert_eq!((error.step(), error.path()), (Some(done.len()), Some(&*path)), "{error}");
        assert!(error.graph().is_some(), "{error}");
        assert!(error.to_string().contains("molecules.safetensors"), "{error}");
        assert!(epoch.next().is_none());
        for (batch, expected) in done.iter().zip(&whole) {
            assert_eq!(batch.graph_ids(), expected.graph_ids());
            assert_eq!(batch.get::<i64>("x").unwrap(), expected.get::<i64>("x").unwrap());
        }
    }
}

/// How a file is read by the process that [`a_file_truncated_within_a_batch`] starts, and the file.
const WAY: &str = "GRAPHPACK_TEST_WAY";
const FILE: &str = "GRAPHPACK_TEST_FILE";

/// Reads a file that is truncated while the first graph of a batch is written. Only as a process of its own.
#[test]
#[ignore = "run by the test below"]
fn reads_a_truncated_file() {
    let [way, path] = [WAY, FILE].map(|name| env::var_os(name).unwrap());
    let path = PathBuf::from(path);
    let truncated = path.clone();
    // SAFETY: not kept; the system ends this process.
    let data = if way == "map" { unsafe { StoreFiles::map(&path) } } else { StoreFiles::open(&path) }.unwrap();
    let truncate = move |_: &mut Slot<'_>| Ok(OpenOptions::new().write(true).open(&truncated)?.set_len(4096)?);
    let loader =
        Loader::new(Data::from(data).map("truncate", truncate), Options::graphs(8).order(Order::Shuffled).seed(1))
            .unwrap();
    let error = loader.epoch(0).find_map(Result::err).unwrap();
    eprintln!("ended with: {error}");
}

#[test]
fn a_file_truncated_within_a_batch() {
    for way in ["open", "map"] {
        let folder = TempDir::new().unwrap();
        let path = saved(&folder);
        let test = ["--exact", "stores_on_disk::reads_a_truncated_file", "--ignored", "--nocapture"];
        let child = Command::new(env::current_exe().unwrap()).args(test).env(WAY, way).env(FILE, &path).output();
        let child = child.unwrap();
        let printed = String::from_utf8_lossy(&child.stderr);
        match way {
            "open" => {
                assert!(child.status.success(), "{:?}: {printed}", child.status);
                assert!(printed.contains("ended with: step") && printed.contains("molecules.safetensors"), "{printed}");
            }
            // A mapped file cannot be read with an error: the system ends the process with SIGBUS.
            _ => assert!(child.status.signal().is_some(), "{:?}: {printed}", child.status),
        }
    }
}

#[test]
fn of_many_files_few_are_open_and_only_those_of_a_batch_are_asked_for() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("files");
    let mut writer = StoreFilesWriter::create(&path).unwrap();
    (0..600).for_each(|seed| writer.push(&molecules::generate(seed, 1)).unwrap());
    writer.finish().unwrap();
    let open = || fs::read_dir("/proc/self/fd").map_or(0, Iterator::count);
    let loader =
        || Loader::new(StoreFiles::open(&path).unwrap(), Options::graphs(30).order(Order::Shuffled).seed(1)).unwrap();
    let both = [loader(), loader()];
    for loader in &both {
        assert_eq!(batches(loader.epoch(0)).iter().map(|batch| batch.real().graphs()).sum::<usize>(), 600);
    }
    // Of both together; some are of other tests.
    assert!(open() < 580, "{} files are open", open());
    // SAFETY: not kept; the change below is found before any byte that it is about is read.
    let mapped = unsafe { StoreFiles::map(&path) }.unwrap();
    let loader = Loader::new(mapped, Options::graphs(30).workers(0)).unwrap();
    drop(OpenOptions::new().append(true).open(path.join("graphs-00599.safetensors")).unwrap().write_all(b"more"));
    let mut batches = loader.epoch(0);
    let whole = batches.by_ref().take_while(|batch| batch.is_ok()).count();
    assert_eq!(whole, 19, "the last batch alone has a graph of the file that changed");
}

#[test]
fn nothing_half_written_stands_under_the_final_name() {
    let folder = TempDir::new().unwrap();
    let store = molecules::generate(1, 50);
    let error = store.save(folder.path().join("none/store.safetensors")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::File, "{error}");
    // A directory in the way of the final name.
    let path = folder.path().join("taken.safetensors");
    fs::create_dir(&path).unwrap();
    store.save(&path).unwrap_err();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "the temporary file is gone");
    assert!(StoreFilesWriter::create(folder.path()).unwrap_err().to_string().ends_with("the folder is not empty"));
}

#[test]
fn narrow_edges_take_the_width_that_the_largest_graph_needs() {
    let folder = TempDir::new().unwrap();
    for (nodes, bytes) in [(200_i64, 1), (300, 2), (70_000, 4)] {
        let edges = [vec![0, nodes - 1], vec![nodes - 1, 0]];
        let x = Column::new("x", Level::NODE, 1, vec![1_u8; nodes as usize]);
        let store = Store::of_columns(vec![0, nodes as u64], vec![0, 2], edges, vec![x]).unwrap();
        let path = folder.path().join(format!("{nodes}.safetensors"));
        store.save(&path).unwrap();
        let file = fs::read(&path).unwrap();
        let tensors = safetensors::SafeTensors::deserialize(&file).unwrap();
        assert_eq!(tensors.tensor("edge_index").unwrap().data().len(), 4 * bytes);
        for narrow in [false, true] {
            let options = Options::default();
            let options = if narrow { options.index(graphpack_loader::Dtype::I32) } else { options };
            let loader = Loader::new(Store::open(&path).unwrap(), options).unwrap();
            let batch = loader.epoch(0).next().unwrap().unwrap();
            let last = if narrow {
                i64::from(batch.edge_index::<i32>().unwrap().0[1])
            } else {
                batch.edge_index::<i64>().unwrap().0[1]
            };
            assert_eq!(last, nodes - 1);
            assert_eq!(batch.ptr::<i64>().is_err(), narrow);
        }
    }
}
