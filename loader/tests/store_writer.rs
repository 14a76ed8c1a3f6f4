//! [`StoreWriter`]: fields that some graphs lack or have otherwise, folders, what is left where writing fails.

use graphpack_loader::store::{StoreFilesWriter, StoreWriter, WholeFile};
use graphpack_loader::{Column, Dtype, Element, Error, ErrorKind, Level, Schema, Store, StoreFiles, f16, molecules};
use std::fs;
use std::io::Write;
use tempfile::TempDir;

/// Two graphs, of 2 and `nodes` nodes, with an edge each.
fn two(nodes: u64, columns: Vec<Column>) -> Store {
    Store::of_columns(vec![0, 2, 2 + nodes], vec![0, 1, 2], [vec![0, 0], vec![1, nodes as i64 - 1]], columns).unwrap()
}

fn of_graphs<T: Element>(name: &str, values: [T; 2]) -> Column {
    Column::new(name, Level::Graph, 1, values.to_vec())
}

/// Writes pieces into one file.
fn written(pieces: &[Store]) -> Result<Store, Error> {
    let path = TempDir::new().unwrap().keep().join("store");
    let mut writer = StoreWriter::create(&path)?;
    pieces.iter().try_for_each(|piece| writer.push(piece))?;
    assert_eq!(writer.len(), pieces.iter().map(Store::len).sum::<usize>());
    writer.finish()?;
    assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "nothing beside it");
    let store = Store::open(&path)?;
    store.verify()?;
    Ok(store)
}

#[test]
fn fields_that_graphs_lack_are_zero_and_masked() {
    let bare = two(3, vec![]);
    let energy = two(3, vec![of_graphs("energy", [1.0_f32, 2.0])]);
    let pos = Column::new("pos", Level::NODE, 1, vec![1_i64, 2, 3, 4, 5]);
    let mask = of_graphs("has_energy", [true, false]);
    let all = two(3, vec![pos, of_graphs("energy", [3.0_f32, 0.0]), mask]);
    let store = written(&[bare.clone(), energy.clone(), all.clone(), bare.clone()]).unwrap();
    assert_eq!(store.values::<f32>("energy").unwrap(), [0.0, 0.0, 1.0, 2.0, 3.0, 0.0, 0.0, 0.0]);
    assert_eq!(store.values::<bool>("has_energy").unwrap(), [false, false, true, true, true, false, false, false]);
    let zeros = [0; 10];
    assert_eq!(store.values::<i64>("pos").unwrap(), [&zeros[..], &[1, 2, 3, 4, 5], &zeros[..5]].concat());
    let names: Vec<&str> = store.schema().fields().iter().map(|field| &*field.name).collect();
    assert_eq!(names, ["energy", "has_energy", "pos", "has_pos"]);
    // A field that all graphs have has no mask, nor has one that was first missing from no graphs.
    let store = written(&[bare.part(0..0).unwrap(), energy.clone(), energy]).unwrap();
    assert_eq!(store.schema().fields().len(), 1);
}

#[test]
fn a_field_that_is_named_as_a_mask_keeps_what_a_mask_has_not() {
    let column = || of_graphs("has_energy", [true, true]).shaped(&[]);
    let all = two(3, vec![of_graphs("energy", [3.0_f32, 0.0]), column()]);
    assert_eq!(written(&[all.clone(), all.clone()]).unwrap().schema(), all.schema());
    let padded = two(3, vec![of_graphs("energy", [3.0_f32, 0.0]), column().padded(1.0)]);
    assert_eq!(written(std::slice::from_ref(&padded)).unwrap().schema(), padded.schema());
}

#[test]
fn what_is_written_twice_is_the_same() {
    let mask = of_graphs("has_energy", [true, false]);
    let masked = two(3, vec![of_graphs("energy", [3.0_f32, 0.0]), mask]);
    let once = written(&[two(300, vec![]), masked]).unwrap();
    let again = written(&[once.part(0..1).unwrap(), once.part(1..4).unwrap()]).unwrap();
    assert_eq!((once.schema(), once.fingerprint()), (again.schema(), again.fingerprint()));
}

#[test]
fn integers_become_floating_point_and_indices_wider() {
    let many: Vec<Store> = [3, 300, 70_000, 5]
        .into_iter()
        .zip(0_i32..)
        .map(|(nodes, piece)| {
            let charge = if piece == 2 {
                of_graphs("charge", [0.5_f32, 1.0])
            } else {
                of_graphs("charge", [i64::from(piece), -1])
            };
            two(nodes, vec![charge])
        })
        .collect();
    let store = written(&many).unwrap();
    assert_eq!(store.values::<f32>("charge").unwrap(), [0.0, -1.0, 1.0, -1.0, 0.5, 1.0, 3.0, -1.0]);
    assert_eq!(store.edges(1).unwrap(), (vec![0], vec![2]));
    assert_eq!(store.edges(5).unwrap(), (vec![0], vec![69_999]));
}

#[test]
fn integers_are_not_rounded() {
    let integers = |second| two(3, vec![of_graphs("id", [1 << 40, second])]);
    let floats = two(3, vec![of_graphs("id", [0.5_f32, 1.0])]);
    let store = written(&[integers(1), floats.clone(), integers(1 << 24)]).unwrap();
    assert_eq!(store.values::<f32>("id").unwrap()[4..], [(1_i64 << 40) as f32, (1 << 24) as f32]);
    let rounded = integers((1 << 24) + 1);
    for pieces in [[rounded.clone(), floats.clone()], [floats, rounded]] {
        let error = written(&pieces).unwrap_err().to_string();
        assert!(error.ends_with("; 16777217 would be rounded in float32"), "{error}");
    }
    let doubles = two(3, vec![of_graphs("id", [0.5_f64, 1.0])]);
    assert!(written(&[doubles.clone(), integers((1 << 24) + 1)]).is_ok());
    assert!(written(&[doubles, integers(i64::MAX)]).is_err());
}

/// The numbers of the column `a` of graphs, and its dtype.
fn numbers(store: &Store) -> (Dtype, Vec<f64>) {
    let dtype = store.schema().fields()[store.schema().position("a").unwrap()].dtype;
    let numbers = match dtype {
        Dtype::Bool => store.values::<bool>("a").unwrap().into_iter().map(|a| f64::from(u8::from(a))).collect(),
        Dtype::U8 => store.values::<u8>("a").unwrap().into_iter().map(f64::from).collect(),
        Dtype::I32 => store.values::<i32>("a").unwrap().into_iter().map(f64::from).collect(),
        Dtype::I64 => store.values::<i64>("a").unwrap().into_iter().map(|a| a as f64).collect(),
        Dtype::F16 => store.values::<f16>("a").unwrap().into_iter().map(f64::from).collect(),
        Dtype::F32 => store.values::<f32>("a").unwrap().into_iter().map(f64::from).collect(),
        Dtype::F64 => store.values::<f64>("a").unwrap(),
    };
    (dtype, numbers)
}

#[test]
fn fields_of_any_two_dtypes_keep_their_numbers_or_are_refused() {
    // From the narrowest to the widest.
    let a = |dtype| {
        let column = match dtype {
            Dtype::Bool => of_graphs("a", [true, false]),
            Dtype::U8 => of_graphs("a", [255_u8, 0]),
            Dtype::I32 => of_graphs("a", [-2048_i32, 7]),
            Dtype::I64 => of_graphs("a", [2048_i64, -9]),
            Dtype::F16 => of_graphs("a", [f16::from_f32(0.5), f16::from_f32(-65504.0)]),
            Dtype::F32 => of_graphs("a", [0.1_f32, f32::MIN_POSITIVE]),
            Dtype::F64 => of_graphs("a", [0.1_f64, 1e-300]),
        };
        two(3, vec![column])
    };
    let order = [Dtype::Bool, Dtype::U8, Dtype::I32, Dtype::I64, Dtype::F16, Dtype::F32, Dtype::F64];
    for (first, second) in (0..7).flat_map(|first| (0..7).map(move |second| (first, second))) {
        // Some lack the field, and a third piece is as the first.
        let pieces = [a(order[first]), two(3, vec![]), a(order[second]), a(order[first])];
        let united = written(&pieces);
        if first.min(second) == 0 && first.max(second) > 3 {
            let error = united.unwrap_err();
            let told = error.to_string();
            let [expected, found] = [first, second].map(|at| format!("1 {} per graph", order[at]));
            assert!(told.contains(&expected) && told.contains(&found) && told.contains("\"a\""), "{told}");
            assert_eq!((error.kind(), error.graph()), (ErrorKind::Data, Some(0)));
            continue;
        }
        let of = |at: usize| numbers(&a(order[at])).1;
        let expected = [of(first), vec![0.0; 2], of(second), of(first)].concat();
        assert_eq!(numbers(&united.unwrap()), (order[first.max(second)], expected), "{first} {second}");
    }
    for (wide, integer, refused) in [
        (Dtype::F16, 2049_i64, "2049 would be rounded in float16"),
        (Dtype::F32, (1 << 24) + 1, "16777217 would be rounded in float32"),
        (Dtype::F64, (1 << 53) + 1, "9007199254740993 would be rounded in float64"),
    ] {
        let integers = two(3, vec![of_graphs("a", [0, integer])]);
        for pieces in [[integers.clone(), a(wide)], [a(wide), integers.clone()]] {
            let error = written(&pieces).unwrap_err().to_string();
            assert!(error.contains(refused) && error.contains("1 int64 per graph"), "{error}");
        }
    }
    // Integers that were joined stay so: the graph since which they are is named.
    let fractions = two(3, vec![of_graphs("a", [0.1_f32; 2])]);
    let wide = two(3, vec![of_graphs("a", [1_i64 << 40, (1 << 24) + 1])]);
    assert_eq!(written(&[a(Dtype::U8), wide, fractions]).unwrap_err().graph(), Some(2));
}

#[test]
fn nan_is_a_value_that_a_graph_lacks() {
    let y = Column::new("y", Level::Graph, 2, vec![1.0_f32, f32::NAN, f32::NAN, f32::NAN]);
    let forces = Column::new("forces", Level::NODE, 1, vec![f32::NAN, f32::NAN, 3.0, f32::NAN, 5.0]);
    let energy = of_graphs("energy", [f64::NAN, 2.0]).shaped(&[]);
    let store = written(&[two(3, vec![y, forces, energy])]).unwrap();
    assert_eq!(store.values::<f32>("y").unwrap(), [1.0, 0.0, 0.0, 0.0]);
    assert_eq!(store.values::<bool>("has_y").unwrap(), [true, false, false, false]);
    assert_eq!(store.values::<f32>("forces").unwrap(), [0.0, 0.0, 3.0, 0.0, 5.0]);
    // A graph has some, so that there is one bool for each.
    assert_eq!(store.values::<bool>("has_forces").unwrap(), [false, false, true, false, true]);
    assert_eq!(store.values::<f64>("energy").unwrap(), [0.0, 2.0]);
    assert_eq!(store.values::<bool>("has_energy").unwrap(), [false, true]);
    assert!(store.schema().fields()[store.schema().position("has_energy").unwrap()].row.is_empty());
    // What a mask says is missing stays so.
    let y = of_graphs("y", [f32::NAN, 2.0]);
    let store = two(3, vec![y, of_graphs("has_y", [true, false])]);
    let masked = store.with_masks().unwrap().into_owned();
    assert_eq!(masked.values::<f32>("y").unwrap(), [0.0, 2.0]);
    assert_eq!(masked.values::<bool>("has_y").unwrap(), [false, false]);
}

#[test]
fn a_field_that_is_no_mask_is_not_written_over() {
    let labels = two(3, vec![of_graphs("y", [1.0_f32, f32::NAN]), of_graphs("has_y", [7_i64, 8])]);
    let error = written(std::slice::from_ref(&labels)).unwrap_err();
    assert!(error.to_string().contains("field \"y\" has NaN"), "{error}");
    assert_eq!(labels.with_masks().unwrap_err().kind(), ErrorKind::Data);
}

#[test]
fn masks_of_columns_and_of_graphs_are_one() {
    let y = |has: Option<Column>| {
        let y = Column::new("y", Level::Graph, 2, vec![1.0_f32, 2.0, 3.0, 4.0]);
        two(3, [y].into_iter().chain(has).collect())
    };
    let of_columns = y(Some(Column::new("has_y", Level::Graph, 2, vec![true, false, true, true])));
    let of_graphs = y(Some(of_graphs("has_y", [true, false])));
    let (all, none) = (y(None), two(3, vec![]));
    let (columns, graphs) = ([true, false, true, true], [true, true, false, false]);
    for (pieces, expected) in [
        ([&of_columns, &none, &of_graphs, &all], [columns, [false; 4], graphs, [true; 4]]),
        ([&none, &of_columns, &all, &of_graphs], [[false; 4], columns, [true; 4], graphs]),
        ([&of_graphs, &all, &none, &of_columns], [graphs, [true; 4], [false; 4], columns]),
    ] {
        let store = written(&pieces.map(Store::clone)).unwrap();
        assert_eq!(store.values::<bool>("has_y").unwrap(), expected.concat());
        assert_eq!(store.schema().fields().len(), 2);
    }
}

#[test]
fn a_folder_holds_the_same_graphs() {
    let folder = TempDir::new().unwrap();
    let all = molecules::generate(3, 250);
    let mut writer = StoreWriter::create_folder(folder.path().join("files"), 60).unwrap();
    for from in (0..250).step_by(50) {
        writer.push(&all.part(from..from + 50).unwrap()).unwrap();
    }
    // Elsewhere temporary files have names.
    let before = if cfg!(unix) { folder.path().to_owned() } else { folder.path().join("files") };
    assert_eq!(fs::read_dir(before).map_or(0, Iterator::count), 0, "nothing before the end");
    writer.finish().unwrap();
    let files = StoreFiles::open(folder.path().join("files")).unwrap();
    assert_eq!(files.verify().unwrap(), 5 * (2 + 1 + all.schema().fields().len()));
    assert_eq!((files.len(), files.fingerprint()), (250, all.fingerprint()));
    assert_eq!(fs::read_dir(folder.path().join("files")).unwrap().count(), 6);
    let error = StoreWriter::create_folder(folder.path().join("files"), 60).unwrap_err().to_string();
    assert!(error.ends_with("the folder is not empty"), "{error}");
    let error = StoreWriter::create_folder(folder.path().join("none"), 0).unwrap_err().to_string();
    assert!(error.ends_with("none: expected at least 1 graph per file, found 0"), "{error}");
}

#[test]
fn a_name_may_end_with_a_slash() {
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join("empty")).unwrap();
    let all = molecules::generate(3, 10);
    for name in ["absent/", "empty/", "file/"] {
        let path = folder.path().join(name);
        let writer = if name == "file/" { StoreWriter::create(&path) } else { StoreWriter::create_folder(&path, 5) };
        let mut writer = writer.unwrap();
        writer.push(&all).unwrap();
        writer.finish().unwrap();
        let path = folder.path().join(&name[..name.len() - 1]);
        assert_eq!(StoreFiles::open(path).unwrap().fingerprint(), all.fingerprint(), "{name}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3, "nothing beside them");
}

#[test]
fn what_has_another_name_is_left_alone() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    let all = molecules::generate(3, 10);
    fs::write(path("file.part"), "own").unwrap();
    fs::create_dir(path("files.part")).unwrap();
    fs::write(path("files.part/own"), "own").unwrap();
    all.save(path("file")).unwrap();
    StoreWriter::create_folder(path("files"), 5).unwrap().finish().unwrap();
    assert_eq!(fs::read(path("file.part")).unwrap(), b"own");
    assert_eq!(fs::read(path("files.part/own")).unwrap(), b"own");
}

#[test]
fn without_a_push_a_folder_can_be_opened() {
    let folder = TempDir::new().unwrap();
    StoreFilesWriter::create(folder.path()).unwrap().finish().unwrap();
    assert_eq!(StoreFiles::open(folder.path()).unwrap().len(), 0);
}

#[test]
fn an_index_has_no_other_keys() {
    let folder = TempDir::new().unwrap();
    let mut writer = StoreFilesWriter::create(folder.path()).unwrap();
    writer.push(&molecules::generate(3, 10)).unwrap();
    writer.finish().unwrap();
    let beyond = StoreFiles::open(folder.path()).unwrap().part(5..11).unwrap_err();
    assert_eq!((beyond.kind(), beyond.graph()), (ErrorKind::Data, Some(10)));
    // One bit of the key, without which the file would be any that has as many graphs.
    let index = folder.path().join("index.json");
    fs::write(&index, fs::read_to_string(&index).unwrap().replace("\"header\"", "\"hdader\"")).unwrap();
    let error = StoreFiles::open(folder.path()).unwrap_err();
    assert!(error.kind() == ErrorKind::Format && error.to_string().contains("unknown field `hdader`"), "{error}");
}

#[test]
fn what_cannot_get_its_name_is_kept() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("files");
    let mut writer = StoreWriter::create_folder(&path, 5).unwrap();
    writer.push(&molecules::generate(3, 10)).unwrap();
    // Somebody else was faster.
    fs::create_dir(&path).unwrap();
    fs::write(path.join("own"), "own").unwrap();
    let error = writer.finish().unwrap_err().to_string();
    let part = error.split_once("; all is in ").unwrap().1;
    assert_eq!(StoreFiles::open(part).unwrap().len(), 10);
    assert_eq!(fs::read(path.join("own")).unwrap(), b"own");
}

#[cfg(unix)]
#[test]
fn links_are_followed_and_devices_left_alone() {
    use std::os::unix::fs::symlink;
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::create_dir_all(path("disk/files")).unwrap();
    fs::write(path("disk/there"), "before").unwrap();
    for name in ["files", "there", "absent"] {
        symlink(format!("disk/{name}"), path(name)).unwrap();
    }
    let mut writer = StoreWriter::create_folder(path("files"), 5).unwrap();
    writer.push(&molecules::generate(3, 10)).unwrap();
    writer.finish().unwrap();
    assert_eq!(StoreFiles::open(path("disk/files")).unwrap().len(), 10);
    for name in ["there", "absent"] {
        WholeFile::write(path(name), b"after").unwrap();
        assert_eq!(fs::read(path("disk").join(name)).unwrap(), b"after");
    }
    assert!(["files", "there", "absent"].iter().all(|name| path(name).is_symlink()));
    assert_eq!(fs::read_dir(path("disk")).unwrap().count(), 3, "nothing beside them");
    symlink("/dev/null", path("null")).unwrap();
    for device in [path("null"), "/dev/null".into()] {
        let errors = [
            WholeFile::create(&device).unwrap_err().to_string(),
            StoreWriter::create(&device).unwrap_err().to_string(),
        ];
        let expected = "expected a file, or nothing, to be replaced, found a device or a pipe";
        assert!(errors.iter().all(|error| error.ends_with(expected)), "{errors:?}");
    }
}

#[test]
fn a_file_of_too_many_fields_is_refused() {
    let folder = TempDir::new().unwrap();
    let fields: Vec<_> = (0..129).map(|number| (number.to_string(), "node")).collect();
    let description = serde_json::json!({ "fields": fields }).to_string();
    let header = serde_json::json!({ "__metadata__": { "graphpack": description } }).to_string();
    let path = folder.path().join("file");
    fs::write(&path, [&(header.len() as u64).to_le_bytes()[..], header.as_bytes()].concat()).unwrap();
    let error = Store::open(&path).unwrap_err().to_string();
    assert!(error.ends_with("the data set has 129 fields and indices, at most 128 are supported"), "{error}");
}

#[test]
fn two_may_write_one_file() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("file");
    let [first, second] = [(); 2].map(|()| WholeFile::create(&path).unwrap());
    first.file().write_all(b"first").unwrap();
    second.file().write_all(b"second").unwrap();
    second.finish().unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"second");
    first.finish().unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"first");
    let half = WholeFile::create(&path).unwrap();
    half.file().write_all(b"half").unwrap();
    drop(half);
    assert_eq!(fs::read(&path).unwrap(), b"first");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing beside it");
    assert!(WholeFile::create(folder.path().join("..")).is_err());
}

#[test]
fn files_of_a_folder_have_one_schema() {
    let folder = TempDir::new().unwrap();
    let mut writer = StoreFilesWriter::create(folder.path()).unwrap();
    writer.push(&two(3, vec![])).unwrap();
    let error = writer.push(&two(3, vec![of_graphs("energy", [1.0_f32, 2.0])])).unwrap_err().to_string();
    assert!(error.contains("graphs-00001.safetensors has sets [\"nodes\", \"edges\"], fields [\"energy\"]"), "{error}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "not written");
}

#[test]
fn a_file_is_that_of_the_whole_store() {
    let folder = TempDir::new().unwrap();
    let all = molecules::generate(3, 250);
    let path = |name: &str| folder.path().join(name);
    all.save(path("saved")).unwrap();
    let mut writer = StoreWriter::create(path("written")).unwrap();
    [0..7, 7..7, 7..250].into_iter().for_each(|range| writer.push(&all.part(range).unwrap()).unwrap());
    writer.finish().unwrap();
    assert!(fs::read(path("saved")).unwrap() == fs::read(path("written")).unwrap());
}

#[test]
fn what_does_not_fit_is_named() {
    let error = |first, second| written(&[first, second]).unwrap_err().to_string();
    let number = |width| two(3, vec![Column::new("a", Level::Graph, width, vec![1.0_f32; 2 * width])]);
    let found = error(number(1), number(2));
    assert!(
        found.ends_with(
            "field \"a\": expected 1 float32 per graph, 0 in padding as in the graphs before, found 2 float32 per \
             graph, 0 in padding"
        ),
        "{found}"
    );
    assert_eq!(written(&[number(1), number(2)]).unwrap_err().kind(), ErrorKind::Data);
    let of_set = |width| {
        let schema = Schema::of(&["atoms"]).field("a", "atoms", Dtype::F32, &[width]);
        let a = Column::of(&schema, "a", vec![1.0_f32; width]).unwrap();
        Store::of_sets(schema, vec![vec![0, 1]], vec![], vec![a]).unwrap()
    };
    let found = error(of_set(1), of_set(2));
    assert!(found.contains("expected 1 float32 per atoms, 0 in padding"), "{found}");
    let found = error(number(1), two(3, vec![of_graphs("a", [true, false])]));
    assert!(found.contains("found 1 bool per graph"), "{found}");
    let nodes = Schema::of(&["nodes"]);
    let nodes = Store::of_sets(nodes, vec![vec![0, 1]], vec![], vec![]).unwrap();
    let found = error(nodes, number(1));
    assert!(found.contains("expected [\"nodes\"] with [] as in the graphs before, found"), "{found}");
    let folder = TempDir::new().unwrap();
    let mut writer = StoreWriter::create(folder.path().join("half")).unwrap();
    writer.push(&number(1)).unwrap();
    writer.push(&number(2)).unwrap_err();
    let error = writer.push(&number(1)).unwrap_err().to_string();
    assert!(error.ends_with("an earlier piece could not be written: the writer can only be dropped"), "{error}");
    assert_eq!(writer.finish().unwrap_err().to_string(), error);
    assert!(StoreWriter::create(folder.path()).is_err());
    assert!(StoreWriter::create(folder.path().join("nowhere/store")).is_err());
    StoreWriter::create(folder.path().join("none")).unwrap().finish().unwrap();
    assert_eq!(Store::open(folder.path().join("none")).unwrap().len(), 0);
}

fn unit<'a>(schema: &'a Schema, field: &str) -> Option<&'a str> {
    schema.fields()[schema.position(field).unwrap()].unit.as_deref()
}

#[test]
fn units_stay_with_their_fields_and_two_are_refused() {
    let energy = |unit: &str| of_graphs("energy", [1.0_f32, 2.0]).in_unit(unit);
    let in_ev = two(3, vec![energy("eV"), of_graphs("dipole", [0.5_f32; 2]).in_unit("debye")]);
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("store");
    in_ev.save(&path).unwrap();
    let opened = Store::open(&path).unwrap();
    let files = StoreFiles::open(&path).unwrap();
    // SAFETY: the file is not written to while this is in use.
    let mapped = unsafe { Store::map(&path) }.unwrap();
    let renamed = opened.clone().with_names(|name| Some(name.replace("energy", "y"))).unwrap();
    assert_eq!((unit(renamed.schema(), "y"), unit(renamed.schema(), "dipole")), (Some("eV"), Some("debye")));
    let copies = [
        opened.part(0..1).unwrap(),
        files.part(1..2).unwrap(),
        Store::collect(mapped.clone()).unwrap(),
        Store::concat(&[opened.clone(), mapped]).unwrap(),
        written(std::slice::from_ref(&opened)).unwrap(),
    ];
    for copy in &copies {
        assert_eq!((unit(copy.schema(), "energy"), unit(copy.schema(), "dipole")), (Some("eV"), Some("debye")));
    }

    let no_unit = two(3, vec![of_graphs("energy", [1.0_f32, 2.0]), of_graphs("dipole", [0.5_f32; 2])]);
    let in_hartree = two(3, vec![energy("hartree"), of_graphs("dipole", [0.5_f32; 2]).in_unit("debye")]);
    for pieces in [[in_ev.clone(), no_unit.clone()], [no_unit.clone(), in_ev.clone()]] {
        let several = folder.path().join("several");
        let mut writer = StoreFilesWriter::create(&several).unwrap();
        pieces.iter().for_each(|piece| writer.push(piece).unwrap());
        writer.finish().unwrap();
        let several_files = StoreFiles::open(&several).unwrap();
        let united = [Store::concat(&pieces).unwrap(), written(&pieces).unwrap(), several_files.part(0..4).unwrap()];
        for schema in united.iter().map(Store::schema).chain([several_files.schema()]) {
            assert_eq!((unit(schema, "energy"), unit(schema, "dipole")), (None, None));
        }
        drop(several_files);
        fs::remove_dir_all(several).unwrap();
    }
    // Two units are no unit of both, also where graphs between state none.
    for (pieces, since) in [
        (vec![in_ev.clone(), in_hartree.clone()], 0),
        (vec![in_ev.clone(), no_unit.clone(), in_hartree.clone()], 0),
        (vec![no_unit.clone(), in_ev.clone(), in_hartree.clone()], 2),
    ] {
        let error = written(&pieces).unwrap_err();
        let expected = "field \"energy\": expected numbers in eV as in the graphs before, found numbers in hartree";
        assert!(error.to_string().ends_with(expected), "{error}");
        assert_eq!((error.kind(), error.graph()), (ErrorKind::Data, Some(since)));
        let error = Store::concat(&pieces).unwrap_err().to_string();
        let last = pieces.len() - 1;
        let expected = format!("field \"energy\" is in eV in part {}, but in hartree in part {last}:", since / 2);
        assert!(error.starts_with(&expected), "{error}");
        let several = folder.path().join("several");
        let mut writer = StoreFilesWriter::create(&several).unwrap();
        let error = pieces.iter().try_for_each(|piece| writer.push(piece)).unwrap_err().to_string();
        assert!(error.contains("is in eV in part"), "{error}");
        fs::remove_dir_all(several).unwrap();
    }

    // A unit that is damaged is an error, too.
    let whole = fs::read(&path).unwrap();
    let text = String::from_utf8_lossy(&whole).into_owned();
    for part in ["graphpack_units", "debye", "eV", "\\\"units\\\""] {
        let at = text.find(part).unwrap_or_else(|| panic!("{part} in {text}"));
        let mut flipped = whole.clone();
        flipped[at + part.len() / 2] ^= 1;
        fs::write(&path, flipped).unwrap();
        assert!(Store::open(&path).is_err(), "{part}");
    }
}
