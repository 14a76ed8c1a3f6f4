//! [`open`] and [`Convert`]: formats are recognised by what is in files, and several files become one store.

use crate::{file, gzip, left_out};
use graphpack_formats::{Change, Convert, DataFile, Fields, FileFormat, Opened, Pieces, ReadOptions, open, read};
use graphpack_loader::store::StoreWriter;
use graphpack_loader::{Column, Data, Edges, Level, Schema, Store, StoreFiles, molecules};
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

/// Two molecules, of which only the first has an energy, in extended XYZ.
fn xyz(energy: f64) -> String {
    format!(
        "2\nProperties=species:S:1:pos:R:3 energy={energy}\nH 0 0 0\nH 0 0 0.74\n\
         1\nProperties=species:S:1:pos:R:3\nHe 0 0 0\n"
    )
}

#[test]
fn formats_are_recognised_by_what_is_in_files() {
    let folder = TempDir::new().unwrap();
    let bytes = |name: &str, bytes: &[u8]| {
        let path = file(&folder, name, "");
        fs::write(&path, bytes).unwrap();
        path
    };
    let store = folder.path().join("store");
    molecules::generate(1, 3).save(&store).unwrap();
    let mut lmdb = [0; 64];
    lmdb[16..20].copy_from_slice(&0xbeef_c0de_u32.to_le_bytes());
    let sdf = "\n  writer\n\n  1  0  0  0  0  0  0  0  0  0999 V2000\n";
    let zip = |name: &str| [b"PK\x03\x04", &[0; 22][..], &[name.len() as u8, 0, 0, 0], name.as_bytes()].concat();
    let many = (0..1500).fold(PathBuf::new(), |_, number| file(&folder, &format!("many/{number}"), ""));
    file(&folder, "many/index.json", "{}");
    let cases = [
        (store, FileFormat::Store),
        (file(&folder, "xyz", &xyz(1.0)), FileFormat::Xyz),
        (file(&folder, "some.gz", &xyz(1.0)), FileFormat::Xyz),
        (bytes("csv_gz", &gzip("name,SMILES\na,C\n")), FileFormat::Smiles),
        (bytes("db", b"SQLite format 3\0and more"), FileFormat::AseDb),
        (bytes("lmdb", &lmdb), FileFormat::Aselmdb),
        (bytes("hdf5", b"\x89HDF\r\n\x1a\nand more"), FileFormat::Hdf5),
        (bytes("parquet", b"PAR1and more"), FileFormat::Parquet),
        (file(&folder, "csv", "id,smiles\n1,CCO\n"), FileFormat::Smiles),
        (file(&folder, "sdf", sdf), FileFormat::Sdf),
        (bytes("npz", &zip("pos.npy")), FileFormat::Npz),
        (bytes("zip", &zip("MUTAG/MUTAG_A.txt")), FileFormat::Tu),
        (file(&folder, "tu/MUTAG_A.txt", "1, 2\n").parent().unwrap().into(), FileFormat::Tu),
        (file(&folder, "of/raw/edge.csv", "1,2\n").parent().unwrap().parent().unwrap().into(), FileFormat::Ogb),
        (file(&folder, "lmdbs/data.0000.aselmdb", "").parent().unwrap().into(), FileFormat::Aselmdb),
        (file(&folder, "stores/index.json", "{}").parent().unwrap().into(), FileFormat::Store),
        (many.parent().unwrap().into(), FileFormat::Store),
        (file(&folder, "index.json", "{\"files\": []}"), FileFormat::Store),
        (file(&folder, "xyzs/a.xyz", &xyz(1.0)).parent().unwrap().into(), FileFormat::Xyz),
    ];
    for (path, expected) in &cases {
        assert_eq!(FileFormat::of(path).unwrap(), *expected, "{}", path.display());
    }
    for format in FileFormat::ALL {
        assert!(cases.iter().any(|(_, expected)| *expected == format), "no case of {format:?}");
        assert_eq!(format.name().parse(), Ok(format));
    }
    let error = FileFormat::of(file(&folder, "other", "hello")).unwrap_err().to_string();
    assert!(
        error.contains("other: expected one of: a store (safetensors, or a folder with index.json); XYZ"),
        "{error}"
    );
    assert!(error.ends_with("found a file that begins with \"hello\""), "{error}");
    let error = FileFormat::of(file(&folder, "mine/a.dat", "").parent().unwrap()).unwrap_err().to_string();
    assert!(error.ends_with("found a folder with a.dat"), "{error}");
    let (saved, other) = (zip("data/data.pkl"), zip("a.txt"));
    for (bytes, found) in [(saved, "Python's objects, as torch.save"), (b"\x80\x04\x95".to_vec(), "Python's objects")] {
        let path = file(&folder, "graphs.pt", "");
        fs::write(&path, bytes).unwrap();
        let error = FileFormat::of(path).unwrap_err().to_string();
        assert!(error.contains(&format!("found {found}")) && error.contains("graphpack_loader.from_pyg"), "{error}");
    }
    let path = file(&folder, "other.zip", "");
    fs::write(&path, other).unwrap();
    let error = FileFormat::of(path).unwrap_err().to_string();
    assert!(error.ends_with("found a zip archive that begins with \"a.txt\""), "{error}");
    // Two formats, one of which comes after many names of the other.
    let database = file(&folder, "two/a.db", "");
    let last = (0..3000).fold(database, |_, number| file(&folder, &format!("two/{number}.xyz"), ""));
    let error = FileFormat::of(last.parent().unwrap()).unwrap_err().to_string();
    assert!(error.ends_with("found a folder with 0.xyz, 1.xyz and 2999 others"), "{error}");
    // An index that no reader takes.
    assert!(FileFormat::of(file(&folder, "old.json", "{\"shards\": []}")).is_err());
    let error = FileFormat::of(file(&folder, "empty", "")).unwrap_err().to_string();
    assert!(error.ends_with("found an empty file"), "{error}");
}

#[test]
fn molecules_that_cannot_be_read_are_an_error_or_listed() {
    let folder = TempDir::new().unwrap();
    let path = file(&folder, "mols.csv", "smiles\nCC\nC1CC\nC\n");
    let data = DataFile { path: path.clone(), ..DataFile::default() };
    for error in [data.read().map(drop), read(&path, &Fields::default()).map(drop)] {
        let expected = "line 3: expected rings that are closed, found ring 1 opened at atom 0 only in \"C1CC\"";
        assert!(error.unwrap_err().to_string().ends_with(expected));
    }
    let options = ReadOptions { skips_errors: true, ..ReadOptions::default() };
    let (graphs, skipped) = DataFile { options, ..data.clone() }.read().unwrap();
    assert_eq!((graphs.len(), skipped.len()), (2, 1));
    assert!(skipped[0].starts_with("record 1: ") && skipped[0].contains("mols.csv, line 3: "), "{skipped:?}");
    let directed = ReadOptions { directed: true, ..ReadOptions::default() };
    let split = ReadOptions { split: Some("train".into()), ..ReadOptions::default() };
    for options in [directed, split] {
        let error = DataFile { options, ..data.clone() }.pieces().map(drop).unwrap_err().to_string();
        assert!(
            error.ends_with("expected a data set of OGB, which has splits and directions, found smiles"),
            "{error}"
        );
    }
    let none = file(&folder, "none.csv", "smiles,y\nC1CC,1\n");
    let error = left_out(&none).unwrap_err();
    assert!(error.contains("none.csv: expected graphs, found none; record 0: "), "{error}");
}

/// Converts files into one file.
fn converted(paths: &[PathBuf], convert: &Convert<'_>) -> Result<Store, String> {
    let path = TempDir::new().unwrap().keep().join("store");
    let mut writer = StoreWriter::create(&path).unwrap();
    let mut last = 0;
    let done = convert.run(paths, &mut writer, |progress| {
        assert!(progress.graphs > last && progress.share.is_none_or(|share| (0.0..=1.0).contains(&share)));
        last = progress.graphs;
    });
    let graphs = done.map_err(|error| error.to_string())?.graphs;
    writer.finish().unwrap();
    let store = Store::open(&path).unwrap();
    store.verify().unwrap();
    assert_eq!(store.len() as u64, graphs);
    Ok(store)
}

/// Lines about graphs of several files that become one store, and the store.
fn noted(paths: &[PathBuf]) -> Result<(Store, Vec<String>), String> {
    let path = TempDir::new().unwrap().keep().join("store");
    let mut writer = StoreWriter::create(&path).unwrap();
    let converted = Convert::default().run(paths, &mut writer, |_| ());
    let notes = converted.map_err(|error| error.to_string())?.skipped;
    writer.finish().unwrap();
    Ok((Store::open(&path).unwrap(), notes))
}

#[test]
fn labels_of_two_kinds_are_joined_or_both_files_are_named() {
    let folder = TempDir::new().unwrap();
    let csv = |name: &str, cells: &[&str]| {
        let rows: String = cells.iter().map(|cell| format!("C,{cell}\n")).collect();
        file(&folder, name, &format!("smiles,y\n{rows}"))
    };
    let [bools, integers] = [csv("a.csv", &["True", "False"]), csv("b.csv", &["0", "7", "-1"])];
    let (store, _) = noted(&[bools.clone(), integers.clone(), bools.clone()]).unwrap();
    assert_eq!(store.values::<i64>("y").unwrap(), [1, 0, 0, 7, -1, 1, 0]);
    let floats = csv("c.csv", &["0.5"]);
    // Integers between do not make bools floating point numbers, in whichever order.
    let error = noted(&[integers.clone(), bools.clone(), floats.clone()]).map(drop).unwrap_err();
    assert!(error.contains("c.csv: ") && error.contains("a.csv)") && error.contains("expected 1 bool"), "{error}");
    assert!(noted(&[floats.clone(), integers, bools]).is_err());
    for (files, told) in [
        ([csv("d.csv", &["True"]), floats.clone()], ["c.csv: ", "expected 1 bool", "found 1 float32", "d.csv)"]),
        ([csv("e.csv", &["16777217"]), floats], ["c.csv: ", "expected 1 int64", "16777217 would be rounded", "e.csv)"]),
    ] {
        let error = noted(&files).unwrap_err();
        assert!(told.iter().all(|told| error.contains(told)) && error.contains("\"y\""), "{error}");
    }
}

#[test]
fn files_of_two_units_become_one_store_in_the_unit_of_the_first() {
    let folder = TempDir::new().unwrap();
    let store = |name: &str, columns: Vec<Column>| {
        let schema = Schema::of(&["nodes"]);
        let schema = columns.iter().fold(schema, |schema, column| schema.with_field(column.field().clone()));
        let path = folder.path().join(name);
        Store::of_sets(schema, vec![vec![0, 1]], vec![], columns).unwrap().save(&path).unwrap();
        path
    };
    let energy = |energy: f64, unit: &str| Column::new("energy", Level::Graph, 1, vec![energy]).in_unit(unit);
    let stress =
        |stress: f32, unit: &str| Column::new("stress", Level::Graph, 1, vec![stress]).in_unit(unit).shaped(&[]);
    let first = store("a", vec![energy(-1.0, "eV"), stress(1.0, "eV/angstrom^3")]);
    let second = store("b", vec![energy(-1.0, "Hartree"), stress(160.21766, "GPa")]);
    let none = store("c", vec![Column::new("energy", Level::Graph, 1, vec![3.0_f64]), stress(2.0, "ev/Ang^3")]);
    let (joined, notes) = noted(&[first.clone(), second.clone()]).unwrap();
    assert_eq!(joined.values::<f64>("energy").unwrap(), [-1.0, -27.211386245988]);
    assert!((joined.values::<f32>("stress").unwrap()[1] - 1.0).abs() < 1e-6);
    let units = |store: &Store| store.schema().fields().iter().map(|field| field.unit.clone()).collect::<Vec<_>>();
    assert_eq!(units(&joined), [Some("eV".to_owned()), Some("eV/angstrom^3".to_owned())]);
    let energy_note = format!("{}: energy: Hartree to eV, times 27.211386245988", second.display());
    assert!(
        notes.len() == 2 && notes[0] == energy_note && notes[1].contains("stress: GPa to eV/angstrom^3"),
        "{notes:?}"
    );
    // Nobody says that numbers without a unit are in that of the others, which are in one all the same.
    let (joined, notes) = noted(&[first.clone(), none.clone(), second]).unwrap();
    assert_eq!(joined.values::<f64>("energy").unwrap(), [-1.0, 3.0, -27.211386245988]);
    assert_eq!(units(&joined), [None, Some("eV/angstrom^3".to_owned())]);
    let lost = format!("{}: energy have no unit in the store", none.display());
    assert!(notes.iter().any(|note| note.starts_with(&lost)), "{notes:?}");
    let error = noted(&[first, store("d", vec![energy(1.0, "counts")])]).unwrap_err();
    assert!(error.contains("/d: ") && error.contains("in eV") && error.contains("in counts (before: "), "{error}");
    assert!(error.ends_with("/a)"), "{error}");
}

#[test]
fn files_become_one_store_in_their_order_whatever_the_number_of_threads() {
    let folder = TempDir::new().unwrap();
    let paths: Vec<_> = (0..9).map(|number| file(&folder, &format!("{number}.xyz"), &xyz(f64::from(number)))).collect();
    for threads in [0, 1, 4] {
        let store = converted(&paths, &Convert { threads, ..Convert::default() }).unwrap();
        let expected: Vec<f64> = (0..9).flat_map(|number| [f64::from(number), 0.0]).collect();
        assert_eq!(store.values::<f64>("energy").unwrap(), expected);
        assert_eq!(store.values::<bool>("has_energy").unwrap(), [true, false].repeat(9));
        assert_eq!((store.size(0).unwrap()[0], store.size(17).unwrap()[0], store.schema().sets().len()), (2, 1, 1));
    }
    let one = read(&paths[3], &Fields::default()).unwrap();
    let same = converted(&paths[3..4], &Convert::default()).unwrap();
    assert_eq!((one.schema(), one.fingerprint()), (same.schema(), same.fingerprint()));
}

#[test]
fn atoms_are_connected_and_fields_chosen_on_the_way() {
    let folder = TempDir::new().unwrap();
    let paths = [file(&folder, "a.xyz", &xyz(1.0)), file(&folder, "b.xyz", &xyz(2.0))];
    let fields = Fields {
        select: Some(vec!["energy".into()]),
        rename: vec![("energy".into(), "y".into())],
        ..Fields::default()
    };
    let change: &Change = &|store| Ok(Store::collect(Data::from(store).connect(Edges::Radius(1.0))?)?);
    let convert = Convert { fields, change: Some(change), ..Convert::default() };
    let store = converted(&paths, &convert).unwrap();
    assert_eq!((store.edges(0).unwrap(), store.edges(1).unwrap()), ((vec![1, 0], vec![0, 1]), (vec![], vec![])));
    assert_eq!(store.values::<f64>("y").unwrap(), [1.0, 0.0, 2.0, 0.0]);
    let fields = Fields { select: Some(vec!["forces".into()]), ..Fields::default() };
    let error = converted(&paths, &Convert { fields, ..Convert::default() }).unwrap_err();
    assert!(error.contains("expected a field \"forces\", found the fields "), "{error}");
}

#[test]
fn a_store_is_converted_like_any_file() {
    let folder = TempDir::new().unwrap();
    let (path, all) = (folder.path().join("store"), molecules::generate(2, 9000));
    all.save(&path).unwrap();
    assert!(matches!(open(&path).unwrap(), Opened::Store(store) if store.len() == 9000));
    let twice = converted(&[path.clone(), path.clone()], &Convert { threads: 2, ..Convert::default() }).unwrap();
    assert_eq!((twice.len(), twice.part(0..9000).unwrap().fingerprint()), (18_000, all.fingerprint()));
    assert_eq!(StoreFiles::open(&path).unwrap().fingerprint(), all.fingerprint());
    let fields = Fields { select: Some(vec![]), ..Fields::default() };
    assert!(
        converted(&[path], &Convert { fields, ..Convert::default() })
            .unwrap()
            .schema()
            .fields()
            .iter()
            .all(|field| { ["z", "pos"].contains(&&*field.name) })
    );
}

#[test]
fn mistakes_are_those_of_the_first_file_that_has_one() {
    let folder = TempDir::new().unwrap();
    let mut paths: Vec<_> = (0..6).map(|number| file(&folder, &format!("{number}.xyz"), &xyz(1.0))).collect();
    paths[2] = file(&folder, "2.xyz", "2\n\nH 0 0 0\n");
    paths[4] = folder.path().join("nowhere");
    let error = converted(&paths, &Convert { threads: 3, ..Convert::default() }).unwrap_err();
    assert!(error.contains("2.xyz"), "{error}");
    let other = file(&folder, "other.csv", "smiles\nCCO\n");
    let error = converted(&[paths[0].clone(), other], &Convert::default()).unwrap_err();
    assert!(
        error.contains("other.csv: expected graphs like those before, found sets and indices: expected"),
        "{error}"
    );
}

#[test]
fn what_somebody_names_is_read_or_an_error() {
    let folder = TempDir::new().unwrap();
    let with = |gap: &str| format!("1\nProperties=species:S:1:pos:R:3 energy=1 gap={gap}\nH 0 0 0\n");
    let path = file(&folder, "a.xyz", &(with("1.5") + &with("\"<2\"") + &with("2.5")));
    let read_with = |fields: Fields| {
        let mut pieces = Pieces::open(&path, &fields).unwrap();
        pieces.read().map(|store| (store.values::<bool>("has_gap").ok(), pieces.skipped().to_vec()))
    };
    let (has, skipped) = read_with(Fields::default()).unwrap();
    assert_eq!((has, skipped.len()), (Some(vec![true, false, true]), 1), "{skipped:?}");
    assert!(skipped[0].starts_with("gap is passed over: text, \"<2\" ("), "{skipped:?}");
    let select = Some(vec!["energy".to_owned()]);
    assert!(read_with(Fields { select, ..Fields::default() }).is_ok());
    let select = Fields { select: Some(vec!["gap".into()]), ..Fields::default() };
    let rename = Fields { rename: vec![("gap".into(), "y".into())], ..Fields::default() };
    for fields in [select, rename] {
        let message = read_with(fields).unwrap_err().to_string();
        assert!(
            message.ends_with("a.xyz, line 5, gap: expected numbers, since the field is selected, found \"<2\""),
            "{message}"
        );
    }
}

#[test]
fn what_a_file_cannot_give_is_an_error_however_it_is_read() {
    let folder = TempDir::new().unwrap();
    let paths = [file(&folder, "a.xyz", &xyz(1.0)), file(&folder, "b.xyz", &xyz(2.0))];
    let select = Fields { select: Some(vec!["energie".into()]), ..Fields::default() };
    let found: Vec<_> = Pieces::open(&paths[0], &select).unwrap().take(9).filter_map(Result::err).collect();
    let error = found[0].to_string();
    assert!(found.len() == 1 && error.contains("expected a field \"energie\", found the fields "), "{found:?}");
    // The first graphs may be without a field that later ones have.
    assert!(Pieces::open(&paths[0], &select).unwrap().first(1).all(|piece| piece.is_ok()));

    let store = folder.path().join("store");
    molecules::generate(2, 9).save(&store).unwrap();
    let double = Fields { double: Some(true), ..Fields::default() };
    let error = Pieces::open(&store, &double).map(|_| ()).unwrap_err().to_string();
    assert!(
        error.ends_with("expected a file whose numbers can be read in another precision, found a store"),
        "{error}"
    );

    let targets = Some((folder.path().join("y.csv"), vec!["y".into()]));
    let error = converted(&paths, &Convert { targets, ..Convert::default() }).unwrap_err();
    assert!(error.contains("a.xyz, targets: expected one file for ") && error.ends_with("found 2 files"), "{error}");
}

#[test]
fn files_of_other_formats_in_a_folder_are_listed() {
    let folder = TempDir::new().unwrap();
    let path = file(&folder, "of/a.xyz", &xyz(1.0)).parent().unwrap().to_owned();
    for name in ["of/targets.csv", "of/README.md", "of/._b.h5", "of/.DS_Store", "of/notes.txt", "of/a.aselmdb-lock"] {
        file(&folder, name, "one, two\n1, 2\n");
    }
    for (name, bytes) in
        [("a.h5", &b"\x89HDF\r\n\x1a\n"[..]), ("b.parquet", b"PAR1"), ("old.dat", b"SQLite format 3\0")]
    {
        fs::write(path.join(name), bytes).unwrap();
    }
    molecules::generate(1, 3).save(path.join("c.safetensors")).unwrap();
    let mut pieces = Pieces::open(&path, &Fields::default()).unwrap();
    assert_eq!(pieces.read().unwrap().len(), 2);
    let told = [
        "a.h5: left out, hdf5",
        "b.parquet: left out, parquet",
        "c.safetensors: left out, store",
        "old.dat: left out, ase_db",
    ];
    let mut told: Vec<_> = told.map(|told| format!("{told} in a folder of other files")).into();
    told.push("targets.csv: left out, a table in a folder of other files".into());
    assert_eq!(pieces.skipped(), told);
}
