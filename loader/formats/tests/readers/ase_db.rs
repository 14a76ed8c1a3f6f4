//! ASE's SQLite databases.

use super::{all, records_of};
use graphpack_formats::records::{Record, Values};
use graphpack_formats::{Fields, FileFormat, Pieces, ReadOptions, ase_db};
use graphpack_loader::{Error, ErrorKind, Level};
use rusqlite::Connection;
use rusqlite::types::Value::{self, Blob, Integer, Null, Real, Text};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The columns of version 9.
const COLUMNS: &str = "id, unique_id, ctime, mtime, username, numbers, positions, cell, pbc, initial_magmoms, \
    initial_charges, masses, tags, momenta, constraints, calculator, calculator_parameters, energy, free_energy, \
    forces, stress, dipole, magmoms, magmom, charges, key_value_pairs, data, natoms, fmax, smax, volume, mass, charge";

fn floats(numbers: &[f64]) -> Value {
    Blob(numbers.iter().flat_map(|number| number.to_le_bytes()).collect())
}

fn integers(numbers: &[i32]) -> Value {
    Blob(numbers.iter().flat_map(|number| number.to_le_bytes()).collect())
}

/// The data of a row: two numbers for the atoms and text, in binary.
fn data() -> Value {
    let json = "{\"q\": {\"__ndarray__\": [[2], \"float32\", 8]}, \"spin\": 3, \"text\": \"t\"}";
    let arrays = [1.5_f32, -2.5].map(f32::to_le_bytes).concat();
    Blob([&16_i64.to_le_bytes()[..], &arrays, json.as_bytes()].concat())
}

/// Writes rows of two atoms, with some columns as given, and deletes the second.
fn write(path: &Path, version: &str, rows: &[&[(&str, Value)]]) -> PathBuf {
    let _ = fs::remove_file(path);
    let database = Connection::open(path).unwrap();
    let names: Vec<&str> = COLUMNS.split(", ").collect();
    let table = format!("CREATE TABLE systems (id INTEGER PRIMARY KEY, {})", names[1..].join(", "));
    database.execute_batch(&format!("{table}; CREATE TABLE information (name TEXT, value TEXT);")).unwrap();
    database.execute("INSERT INTO information VALUES ('version', ?1)", [version]).unwrap();
    let places: Vec<String> = (1..=names.len()).map(|place| format!("?{place}")).collect();
    let insert = format!("INSERT INTO systems VALUES ({})", places.join(", "));
    for row in rows {
        let usual = |name: &str| match name {
            "numbers" => integers(&[6, 8]),
            "positions" => floats(&[0.0, 0.0, 0.0, 0.0, 0.0, 1.5]),
            "cell" => floats(&[2.0, 0.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0, 4.0]),
            "pbc" => Integer(5),
            "energy" => Real(-7.25),
            "key_value_pairs" => Text("{\"gap\": 1}".into()),
            "data" => data(),
            "charge" | "mass" | "volume" | "fmax" | "smax" => Real(99.0),
            _ => Null,
        };
        let value =
            |name: &&str| row.iter().find(|(given, _)| given == name).map_or(usual(name), |(_, value)| value.clone());
        database.execute(&insert, rusqlite::params_from_iter(names.iter().map(value))).unwrap();
    }
    database.execute("DELETE FROM systems WHERE id = 2", []).unwrap();
    path.to_owned()
}

fn read(path: &Path) -> Result<(Vec<Record>, Vec<String>), Error> {
    records_of(ase_db::records(path)?)
}

#[test]
fn rows_become_records() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a b?#%.db");
    let labels = [
        ("forces", floats(&[1., 2., 3., 4., 5., 6.])),
        ("stress", floats(&[1., 2., 3., 4., 5., 6.])),
        ("tags", integers(&[-1, 1])),
        ("magmoms", floats(&[0.5; 6])),
        ("dipole", floats(&[1., 2., 3.])),
        ("energy", Null),
        ("constraints", Text("[{\"name\": \"FixAtoms\", \"kwargs\": {\"indices\": [1]}}]".into())),
    ];
    let one_atom =
        [("numbers", integers(&[1])), ("positions", floats(&[0.0; 3])), ("data", Text("{\"q\": [4]}".into()))];
    let (records, skipped) = read(&write(&path, "9", &[&[], &[], &labels, &one_atom])).unwrap();
    let names = |record: usize| records[record].fields.iter().map(|field| &*field.name).collect::<Vec<_>>().join(" ");
    assert_eq!(names(0), "z pos cell pbc energy gap q spin");
    assert_eq!(names(1), "z pos cell pbc fixed tags forces stress dipole magmoms gap q spin");
    assert_eq!((names(2).as_str(), records[1].name.as_str()), ("z pos cell pbc energy gap q", "row 3"));
    let field = |record: usize, name: &str| {
        let field = records[record].field(name).unwrap();
        (field.level, field.width, field.values.clone())
    };
    assert_eq!(field(0, "pbc"), (Level::Graph, 3, Values::Bool(vec![true, false, true])));
    assert_eq!(field(0, "q"), (Level::NODE, 1, Values::F64(vec![1.5, -2.5])));
    assert_eq!(field(1, "stress").2, Values::F64(vec![1., 6., 5., 6., 2., 4., 5., 4., 3.]));
    assert_eq!(field(1, "fixed"), (Level::NODE, 1, Values::Bool(vec![false, true])));
    assert_eq!(field(1, "tags"), (Level::NODE, 1, Values::I64(vec![-1, 1])));
    assert_eq!((field(1, "magmoms").1, field(2, "q").0), (3, Level::NODE));
    assert_eq!(skipped.len(), 1, "{skipped:?}");
    assert!(skipped[0].starts_with("text is passed over: text"));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is written beside it");
}

#[test]
fn damaged_databases_are_errors() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("d.db");
    let message = || read(&path).unwrap_err().to_string().split_once("d.db").unwrap().1.to_owned();
    let wrong = |column: &'static str, value: Value, expected: &str| {
        write(&path, "9", &[&[], &[], &[(column, value)]]);
        assert_eq!(message(), format!(", row 3, {column}: {expected}"));
    };
    wrong("positions", Blob(vec![0; 47]), "expected 48 bytes, found 47");
    wrong("positions", Null, "expected 6 numbers, found none");
    wrong("positions", floats(&[f64::NAN; 6]), "expected finite numbers, found NaN at atom 0");
    wrong("forces", floats(&[1.0; 5]), "expected 48 bytes, found 40");
    wrong("magmoms", floats(&[1.0; 3]), "expected 16 or 48 bytes, found 24");
    wrong("stress", floats(&[1.0; 3]), "expected 48 or 72 bytes, found 24");
    wrong("tags", Text("1 2".into()), "expected a blob, found Text");
    wrong("numbers", integers(&[6, -8]), "expected atomic numbers from 1 to 118, found -8 at atom 1");
    wrong("pbc", Integer(8), "expected an integer from 0 to 7, found Integer(8)");
    wrong("data", Blob(vec![9]), "expected a number that says where JSON begins, found other at byte 0");
    wrong("data", Blob(vec![255; 8]), "expected a number that says where JSON begins, found other at byte 0");
    wrong("key_value_pairs", Text("{".into()), "expected a name in quotes, found other at byte 1");
    let flat = "expected independent cell vectors where the structure repeats (ac), found a flat cell, \
        [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]";
    wrong("cell", floats(&[1.0; 9]), flat);

    write(&path, "4", &[]);
    assert_eq!(message(), ": expected version 5 to 9 of ASE's database, found version 4");
    let sound = fs::read(write(&path, "9", &[&[], &[], &[]])).unwrap();
    fs::write(folder.path().join("d.db-journal"), "changes").unwrap();
    assert!(message().starts_with(": expected a database without unfinished changes, found "));
    fs::remove_file(folder.path().join("d.db-journal")).unwrap();
    fs::write(&path, &sound[..sound.len() / 2]).unwrap();
    assert!(message().contains("expected an SQLite database that ASE wrote"), "{}", message());
    fs::write(&path, "no database, but text").unwrap();
    assert!(message().contains("found file is not a database"), "{}", message());
    let missing = ase_db::records(folder.path().join("none.db"));
    assert!(missing.is_err_and(|error| error.kind() == ErrorKind::File));
}

#[test]
#[ignore = "needs the real data sets (GRAPHPACK_DATA)"]
fn on_real_data_alloys_are_those_of_the_lmdb_database() {
    let data = test_common::shared_data();
    let mut records = all(ase_db::records(data.join("atoms/alloys.db")).unwrap());
    crate::alloys::assert_truth(&data, &records, 2e-6);
    let mut others = all(graphpack_formats::aselmdb::records(data.join("atoms/alloys.aselmdb")).unwrap());
    for record in records.iter_mut().chain(&mut others) {
        record.fields.sort_by(|a, b| a.name.cmp(&b.name));
    }
    assert!(records == others, "equal in every bit");
}

#[test]
fn a_folder_is_one_data_set_in_the_order_of_names_and_bad_rows_are_left_out() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    write(&path("b.db"), "9", &[&[("energy", Real(2.0))], &[], &[("positions", Blob(vec![0; 47]))]]);
    write(&path("a.db"), "9", &[&[("energy", Real(1.0))], &[]]);
    assert_eq!(FileFormat::of(folder.path()).unwrap(), FileFormat::AseDb);
    let error = graphpack_formats::read(folder.path(), &Fields::default()).unwrap_err().to_string();
    assert!(error.ends_with("b.db, row 3, positions: expected 48 bytes, found 47"), "{error}");
    let skip = ReadOptions { skips_errors: true, ..ReadOptions::default() };
    let mut pieces = Pieces::with(folder.path(), FileFormat::AseDb, &Fields::default(), &skip).unwrap();
    assert_eq!(pieces.read().unwrap().values::<f64>("energy").unwrap(), [1.0, 2.0]);
    assert!(pieces.skipped()[0].contains("record 2: "), "{:?}", pieces.skipped());
    let (done, all) = pieces.progress();
    assert_eq!(Some(done), all);
    fs::write(path("c.xyz"), "1\n\nH 0 0 0\n").unwrap();
    let error = FileFormat::of(folder.path()).unwrap_err().to_string();
    assert!(error.ends_with("found a folder with a.db, b.db, c.xyz"), "files of two formats: {error}");
}

/// A database of one row of two atoms with these metadata, energy and forces in `data`.
fn with_metadata(path: &Path, metadata: &str) -> PathBuf {
    let data = Text("{\"energy\": [-76.0], \"forces\": [[0.1, 0, 0], [0, 0, 0]], \"mu\": 2.0}".into());
    let row: &[(&str, Value)] =
        &[("data", data), ("energy", Null), ("key_value_pairs", Text("{\"gap\": 2, \"dos\": 1}".into()))];
    write(path, "9", &[row]);
    let database = Connection::open(path).unwrap();
    database.execute("INSERT INTO information VALUES ('metadata', ?1)", [metadata]).unwrap();
    path.to_owned()
}

#[test]
fn units_that_the_metadata_state_are_converted_kept_or_refused() {
    let folder = TempDir::new().unwrap();
    let metadata = "{\"_distance_unit\": \"Bohr\", \"_property_unit_dict\": {\"energy\": \"Hartree\", \
        \"forces\": \"Hartree/Bohr\", \"mu\": \"Debye\", \"unused\": \"eV\"}, \"key_descriptions\": {\"gap\": \
        [\"Gap\", \"Band gap\", \"meV\"], \"dos\": [\"DOS\", \"\", \"\"]}, \"atomrefs\": {}, \"title\": \"t\"}";
    let path = with_metadata(&folder.path().join("a.db"), metadata);
    let mut pieces = Pieces::open(&path, &Fields { double: Some(true), ..Fields::default() }).unwrap();
    let store = pieces.read().unwrap();
    let field = |name: &str| {
        let unit = store.schema().fields()[store.schema().position(name).unwrap()].unit.clone();
        (store.values::<f64>(name).unwrap(), unit.unwrap_or_default())
    };
    let (bohr, hartree) = (0.529177210903, 27.211386245988);
    assert_eq!(field("pos"), (vec![0.0, 0.0, 0.0, 0.0, 0.0, 1.5 * bohr], "angstrom".into()));
    assert_eq!(field("cell").0[..1], [2.0 * bohr]);
    assert_eq!(field("energy"), (vec![-76.0 * hartree], "eV".into()));
    assert_eq!(field("forces").1, "eV/angstrom");
    assert!((field("forces").0[0] - 0.1 * hartree / bohr).abs() < 1e-12);
    assert_eq!((field("mu"), field("gap")), ((vec![2.0], "Debye".into()), (vec![0.002], "eV".into())));
    let notes = pieces.skipped();
    assert!(notes.contains(&"metadata: left out, atomrefs, title".to_owned()), "{notes:?}");
    let told = format!("unit of energy: Hartree in the metadata, to eV, times {hartree}");
    assert!(notes.contains(&told), "{notes:?}");

    let refused = |name: &str, metadata: &str| {
        let path = with_metadata(&folder.path().join(name), metadata);
        read(&path).unwrap_err().to_string()
    };
    let error = refused("b.db", "{\"_distance_unit\": \"eV\"}");
    assert!(error.ends_with("b.db, metadata, _distance_unit: expected a unit of length, found \"eV\""), "{error}");
    let error = refused("c.db", "{\"_distance_unit\": ");
    assert!(error.contains("c.db, metadata: expected"), "{error}");
    // What the calculator computed is in ASE's units.
    let path = write(&folder.path().join("d.db"), "9", &[&[]]);
    let metadata = "{\"_property_unit_dict\": {\"energy\": \"Hartree\"}}";
    let database = Connection::open(&path).unwrap();
    database.execute("INSERT INTO information VALUES ('metadata', ?1)", [metadata]).unwrap();
    drop(database);
    let (records, skipped) = read(&path).unwrap();
    assert_eq!(records[0].field("energy").unwrap().values, Values::F64(vec![-7.25]));
    assert!(skipped.iter().any(|line| line.starts_with("unit of energy: Hartree in the metadata, not taken")));
    // Of a folder, each file has its own.
    let several = folder.path().join("several");
    fs::create_dir(&several).unwrap();
    with_metadata(&several.join("a.db"), "{\"_distance_unit\": \"Bohr\"}");
    with_metadata(&several.join("b.db"), "{}");
    let (records, _) = read(&several).unwrap();
    let last = |record: &Record| match &record.field("pos").unwrap().values {
        Values::F64(pos) => pos[5],
        other => panic!("{other:?}"),
    };
    assert_eq!(records.iter().map(last).collect::<Vec<_>>(), [1.5 * bohr, 1.5]);
    with_metadata(&several.join("b.db"), "{\"_property_unit_dict\": {\"energy\": \"eV\"}}");
    let error = read(&several).unwrap_err().to_string();
    assert!(error.contains("b.db, row 1, energy: expected numbers in the unit of the rows before (none)"), "{error}");
}

#[test]
fn the_calculators_results_come_before_data_and_data_keep_their_names() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.db");
    let of_data = Text("{\"forces\": [[9, 9, 9], [9, 9, 9]], \"F\": [[1, 2, 3], [4, 5, 7]], \"E\": 2.5}".into());
    let row = [("forces", floats(&[1., 2., 3., 4., 5., 6.])), ("data", of_data)];
    let (all, skipped) = read(&write(&path, "9", &[&row])).unwrap();
    let values = |name: &str| all[0].field(name).unwrap().values.clone();
    assert_eq!(values("forces"), Values::F64(vec![1., 2., 3., 4., 5., 6.]));
    assert_eq!((values("energy"), values("E")), (Values::F64(vec![-7.25]), Values::F64(vec![2.5])));
    assert_eq!(values("F"), Values::I64(vec![1, 2, 3, 4, 5, 7]));
    let told = "forces is passed over: the structure has this name already";
    assert!(skipped.len() == 1 && skipped[0].starts_with(told), "{skipped:?}");
}

#[test]
fn texts_of_key_value_pairs_and_data_become_codes() {
    let folder = TempDir::new().unwrap();
    let pairs = |text: &str| [("key_value_pairs", Text(format!("{{\"kind\": {text}}}")))];
    let rows = [pairs("\"b\""), pairs("\"gone\""), pairs("\"a\""), pairs("\"b\"")];
    let path = write(&folder.path().join("a.db"), "9", &rows.each_ref().map(|row| &row[..]));
    let fields = Fields { labels: vec!["kind".into(), "text".into()], ..Fields::default() };
    let graphs = graphpack_formats::read(path, &fields).unwrap();
    let labels = |name: &str| graphs.schema().fields()[graphs.schema().position(name).unwrap()].labels.to_vec();
    assert_eq!((graphs.values::<i64>("kind").unwrap(), labels("kind")), (vec![0, 1, 0], vec!["b".into(), "a".into()]));
    assert_eq!((graphs.values::<i64>("text").unwrap(), labels("text")), (vec![0; 3], vec!["t".into()]));
    let wrong = write(&folder.path().join("b.db"), "9", &[&pairs("\"b\""), &pairs("\"b\""), &pairs("2.5")]);
    let error = graphpack_formats::read(wrong, &fields).unwrap_err().to_string();
    assert!(error.contains("kind: expected one text of the structure"), "{error}");
}
