//! No damaged byte of a store reaches a batch, a copy or a person, however the store is read; nor do other contents
//! pass for those of a saved state.

use graphpack_loader::store::{StoreFilesWriter, StoreWriter};
use graphpack_loader::{
    Batch, BatchGraph, Column, Data, Error, ErrorKind, Level, Loader, OnError, Options, Order, Schema, Shapes, State,
    Store, StoreFiles, molecules,
};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Maps a store, which these tests alone know of.
fn mapped(path: &Path) -> Result<StoreFiles, Error> {
    // SAFETY: the file is not written to while this is in use.
    unsafe { StoreFiles::map(path) }
}

/// All batches, in an order that takes graphs from everywhere.
fn batches(data: impl Into<Data>) -> Result<Vec<Vec<u8>>, Error> {
    let loader = Loader::new(data, Options::graphs(7).order(Order::Shuffled).seed(3).workers(0)).unwrap();
    loader.epoch(0).map(|batch| batch.map(|batch| batch.bytes().to_vec())).collect()
}

/// What a file has by each way of reading it.
fn read(path: &Path) -> Vec<Option<(Schema, Vec<Vec<u8>>)>> {
    let opened = || StoreFiles::open(path).ok();
    let all_ways: [Option<Data>; 5] = [
        Store::open(path).ok().map(Data::from),
        opened().map(Data::from),
        mapped(path).ok().map(Data::from),
        opened().and_then(|files| Some(files.part(0..files.len()).ok()?.into())),
        opened().and_then(|files| Some(copied(&files, path).ok()?.into())),
    ];
    let all = |data: Data| Some((data.schema().clone(), batches(&data).ok()?));
    all_ways.into_iter().map(|data| data.and_then(all)).collect()
}

/// Written again piece by piece, as `convert` does.
fn copied(files: &StoreFiles, path: &Path) -> Result<Store, Error> {
    let copy = path.with_extension("copy");
    let mut writer = StoreWriter::create(&copy)?;
    for first in (0..files.len()).step_by(5) {
        writer.push(&files.part(first..files.len().min(first + 5))?)?;
    }
    writer.finish()?;
    Store::open(&copy)
}

fn small(folder: &TempDir, graphs: usize) -> PathBuf {
    let path = folder.path().join("store");
    molecules::generate(3, graphs).padded("edge_attr", 2.0).unwrap().save(&path).unwrap();
    path
}

#[test]
fn a_flipped_bit_is_an_error_or_changes_nothing() {
    let folder = TempDir::new().unwrap();
    let path = small(&folder, 4);
    let whole = fs::read(&path).unwrap();
    let expected = read(&path).remove(0).unwrap();
    assert!(read(&path).iter().all(|found| found.as_ref() == Some(&expected)));
    let header = header_of(&whole);
    for bit in (0..8 * header).step_by(61).chain((8 * header..8 * whole.len()).step_by(403)) {
        let mut flipped = whole.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        fs::write(&path, flipped).unwrap();
        for (way, found) in read(&path).into_iter().enumerate() {
            // Bits of blanks, and of what is the same in capitals, may change nothing.
            let same = || bit < 8 * header && found.as_ref() == Some(&expected);
            assert!(found.is_none() || same(), "bit {} of byte {}, way {way}", bit % 8, bit / 8);
        }
    }
}

#[test]
fn only_graphs_near_a_damaged_byte_are_left_out_and_always_the_same() {
    let folder = TempDir::new().unwrap();
    let path = small(&folder, 2000);
    let expected: HashMap<i64, Vec<i64>> = {
        let store = Store::open(&path).unwrap();
        let loader = Loader::new(store, Options::graphs(50)).unwrap();
        loader.epoch(0).flat_map(|batch| contents(&batch.unwrap())).collect()
    };
    let mut file = fs::read(&path).unwrap();
    let middle = header_of(&file) + (file.len() - header_of(&file)) / 2;
    file[middle] ^= 1;
    fs::write(&path, &file).unwrap();
    let mut all_lost = Vec::new();
    for read in [StoreFiles::open, mapped] {
        for (order, workers) in [(Order::Shuffled, 0), (Order::Shuffled, 3), (Order::Blocks(100), 2)] {
            let options = Options::graphs(50).order(order).seed(1).workers(workers).on_error(OnError::Skip);
            let loader = Loader::new(read(&path).unwrap(), options).unwrap();
            for epoch in 0..2 {
                let mut found = HashMap::new();
                loader.epoch(epoch).for_each(|batch| found.extend(contents(&batch.unwrap())));
                let mut lost: Vec<i64> = (0..2000).filter(|graph| !found.contains_key(graph)).collect();
                assert!(found.iter().all(|(graph, x)| expected[graph] == *x), "no damaged byte is in a batch");
                lost.sort_unstable();
                all_lost.push(lost);
            }
        }
    }
    assert!((1..200).contains(&all_lost[0].len()), "{} of 2,000 graphs", all_lost[0].len());
    all_lost.dedup();
    assert_eq!(all_lost.len(), 1, "{all_lost:?}");
}

/// The rows of `edge_attr` of each graph of a batch.
fn contents(batch: &Batch) -> Vec<(i64, Vec<i64>)> {
    let rows = |graph: BatchGraph<'_>| (graph.number(), graph.rows::<i64>("edge_attr").unwrap().to_vec());
    batch.graphs().map(rows).collect()
}

#[test]
fn checksums_without_those_of_pages_are_an_error() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("store.safetensors");
    molecules::generate(5, 20).save(&path).unwrap();
    let whole = fs::read(&path).unwrap();
    let key = b"graphpack_checksums";
    let at = whole.windows(key.len()).position(|window| window == key).unwrap();
    for byte in at..at + key.len() {
        let mut flipped = whole.clone();
        flipped[byte] ^= 2;
        fs::write(&path, flipped).unwrap();
        for error in [Store::open(&path).unwrap_err(), StoreFiles::open(&path).unwrap_err()] {
            let expected = "expected the key \"graphpack_checksums\" beside checksums in \"graphpack\", found none";
            assert!(error.to_string().contains(expected), "{error}");
        }
    }
}

/// Bytes before those of the tensors.
fn header_of(file: &[u8]) -> usize {
    8 + u64::from_le_bytes(*file.first_chunk().unwrap()) as usize
}

#[test]
fn a_file_is_not_read_from_any_shorter_one() {
    let folder = TempDir::new().unwrap();
    let path = small(&folder, 1);
    let whole = fs::read(&path).unwrap();
    for length in 0..whole.len() {
        fs::write(&path, &whole[..length]).unwrap();
        assert!(Store::open(&path).is_err() && StoreFiles::open(&path).is_err(), "{length}");
    }
}

#[test]
fn damage_ends_the_epoch_at_the_batch_that_needs_the_page() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("store");
    // 80 bytes for each graph, so that 65,536 are those of about 819 graphs.
    let values: Vec<i64> = (0..30_000).collect();
    let ptr: Vec<u64> = (0..=3000).collect();
    let none = || vec![0; 3001];
    let column = Column::new("x", Level::NODE, 10, values);
    Store::of_columns(ptr, none(), [vec![], vec![]], vec![column]).unwrap().save(&path).unwrap();
    let mut bytes = fs::read(&path).unwrap();
    let last = bytes.len() - 5;
    bytes[last] ^= 1;
    fs::write(&path, bytes).unwrap();
    for source in [StoreFiles::open(&path).unwrap(), mapped(&path).unwrap()] {
        let options = Options::exactly(101).shapes(Shapes::Multiple(64));
        let loader = Loader::new(source.clone(), options.workers(0)).unwrap();
        let mut epoch = loader.epoch(0);
        // Neighbours are read together.
        assert!(epoch.by_ref().take(20).all(|batch| batch.is_ok()), "the first 2,020 graphs");
        let error = epoch.find_map(Result::err).unwrap().to_string();
        let damage = "store: tensor \"x\" is damaged: its checksum is";
        assert!(error.contains("cannot be loaded") && error.contains(damage), "{error}");
        // Copies of other pages are sound.
        assert!(source.part(0..2000).is_ok());
        let error = source.part(2999..3000).unwrap_err().to_string();
        assert!(error.contains(damage), "{error}");
    }
}

#[test]
fn checksums_of_a_later_version_are_named() {
    let folder = TempDir::new().unwrap();
    let path = small(&folder, 1);
    let bytes = fs::read(&path).unwrap();
    let version = br#"{\"version\":1,"#;
    let place = bytes.windows(version.len()).position(|found| found == version).unwrap() + version.len() - 2;
    fs::write(&path, [&bytes[..place], b"2", &bytes[place + 1..]].concat()).unwrap();
    let error = Store::open(&path).unwrap_err().to_string();
    assert!(error.ends_with("checksums of version 2, this library reads version 1"), "{error}");
}

/// 3,000 graphs, of which a fingerprint has every third.
fn many(change: impl Fn(&mut Vec<f32>, &mut Vec<i64>)) -> Store {
    let ptr = |rows: u64| (0..=3000).map(|graph| rows * graph).collect::<Vec<u64>>();
    let (mut y, mut targets) = (vec![0.5; 3000], vec![1; 3000]);
    change(&mut y, &mut targets);
    let y = Column::new("y", Level::Graph, 1, y);
    Store::of_columns(ptr(2), ptr(1), [vec![0; 3000], targets], vec![y]).unwrap()
}

#[test]
fn a_state_of_other_contents_is_refused_whichever_graph_differs() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    let saved = |name: &str, store: &Store| {
        store.save(path(name)).unwrap();
        path(name)
    };
    let data = many(|_, _| ());
    let others = [saved("y", &many(|y, _| y[1] = 0.25)), saved("edge", &many(|_, targets| targets[1] = 0))];
    let file = saved("data", &data);
    let mut writer = StoreFilesWriter::create(path("folder")).unwrap();
    [0..700, 700..700, 700..3000].into_iter().for_each(|part| writer.push(&data.part(part).unwrap()).unwrap());
    writer.finish().unwrap();

    fn loader(data: impl Into<Data>) -> Loader {
        Loader::new(data, Options::graphs(10).order(Order::Shuffled).seed(1).workers(0)).unwrap()
    }
    fn state(data: impl Into<Data>) -> State {
        loader(data).epoch(0).nth(2).unwrap().unwrap().state()
    }
    // The same contents in any form.
    let open = |path: &Path| StoreFiles::open(path).unwrap();
    let in_files: [Data; 4] = [
        open(&file).into(),
        open(&path("folder")).into(),
        mapped(&path("folder")).unwrap().into(),
        Store::open(&file).unwrap().into(),
    ];
    let of_state = state(open(&file));
    for data in in_files {
        loader(&data).batches_after(&of_state).unwrap();
        loader(open(&file)).batches_after(&state(data)).unwrap();
    }
    // A store that a program makes has no checksum: a third of the graphs is compared.
    loader(data.clone()).batches_after(&of_state).unwrap();
    loader(open(&file)).batches_after(&state(data)).unwrap();

    for other in others {
        let refused = |expected: Loader, state: State| {
            let error = expected.batches_after(&state).unwrap_err();
            assert!(error.kind() == ErrorKind::Resume && error.to_string().contains("with other values"), "{error}");
        };
        refused(loader(open(&other)), of_state.clone());
        refused(loader(Store::open(&other).unwrap()), of_state.clone());
        let subset = |path: &Path| Data::from(open(path)).subset((0..2000).collect::<Vec<_>>()).unwrap();
        refused(loader(subset(&other)), state(subset(&file)));
        let mixture =
            |path: &Path| Data::mix(&[("first", &open(&file).into()), ("second", &open(path).into())]).unwrap();
        loader(mixture(&file)).batches_after(&state(mixture(&file))).unwrap();
        refused(loader(mixture(&other)), state(mixture(&file)));
    }
    assert!(serde_json::to_string(&state(molecules::generate(1, 50))).unwrap().contains("\"contents\":null"));
}

#[test]
fn a_folder_has_the_files_that_were_written_with_its_index() {
    let folder = TempDir::new().unwrap();
    let written = |name: &str, y: f32| {
        let mut writer = StoreFilesWriter::create(folder.path().join(name)).unwrap();
        let data = many(|values, _| values[1] = y);
        [0..1000, 1000..2000].into_iter().for_each(|part| writer.push(&data.part(part).unwrap()).unwrap());
        writer.finish().unwrap();
        folder.path().join(name)
    };
    let [own, other] = [("own", 1.0), ("other", 2.0)].map(|(name, y)| written(name, y));
    let error = || StoreFiles::open(&own).unwrap_err().to_string();
    let (index, file) = (own.join("index.json"), "graphs-00000.safetensors");
    let text = fs::read_to_string(&index).unwrap();
    fs::write(&index, text.replace("graphs-00001", "graphs-00000")).unwrap();
    assert!(error().ends_with(&format!("index.json: it lists {file} twice")), "{}", error());
    fs::write(&index, &text).unwrap();
    fs::copy(other.join(file), own.join(file)).unwrap();
    let expected = format!("index.json: {file} is another file than the one that was written with it");
    assert!(error().ends_with(&expected), "{}", error());
    // As an index of before.
    let lines = text.lines().filter(|line| !line.contains("header")).map(|line| line.replace("1000,", "1000"));
    fs::write(&index, lines.collect::<String>()).unwrap();
    assert_eq!(StoreFiles::open(&own).unwrap().len(), 2000);
}
