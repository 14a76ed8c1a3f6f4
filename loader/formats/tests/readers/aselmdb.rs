//! ASE's LMDB databases.

use super::{all, records_of};
use flate2::{Compression, write::ZlibEncoder};
use graphpack_formats::records::{Record, Records, Values};
use graphpack_formats::{Fields, aselmdb};
use graphpack_loader::{Error, Level};
use std::io::Write;
use std::path::PathBuf;
use std::{fs, iter};
use tempfile::TempDir;
use test_common::lmdb;

fn zlib(text: &str) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

/// The bytes of a database of these rows, of which some are deleted.
fn database(rows: &[&str], deleted: &[usize]) -> Vec<u8> {
    with_metadata(rows, deleted, "{}")
}

fn with_metadata(rows: &[&str], deleted: &[usize], metadata: &str) -> Vec<u8> {
    let ids = (1..).zip(rows).filter(|(id, _)| !deleted.contains(id));
    let rows = ids.map(|(id, row)| (id.to_string(), zlib(row)));
    let own =
        [("nextid", (rows.clone().count() + deleted.len() + 1).to_string()), ("deleted_ids", format!("{deleted:?}"))];
    let own = own.map(|(key, value)| (key.to_owned(), zlib(&value)));
    let pairs: Vec<_> = rows.chain(own).chain(iter::once(("metadata".into(), zlib(metadata)))).collect();
    lmdb(4096, &pairs.iter().map(|(key, value)| (key.as_str(), &value[..])).collect::<Vec<_>>())
}

fn write(folder: &TempDir, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    path
}

fn read(rows: &[&str]) -> Result<(Vec<Record>, Vec<String>), Error> {
    let folder = TempDir::new().unwrap();
    records_of(aselmdb::records(write(&folder, "a.aselmdb", &database(rows, &[])))?)
}

/// A hydrogen atom with further entries.
fn atom(entries: &str) -> String {
    format!("{{\"numbers\": [1], \"positions\": [[0, 0, 0.5]]{entries}}}")
}

#[test]
fn rows_become_records() {
    let text = "{\"numbers\": {\"__ndarray__\": [[2], \"int64\", [6, 8]]}, \"unique_id\": \"a\", \
        \"positions\": {\"__ndarray__\": [[2, 3], \"float64\", [0.0, 0, 0, 1e-1, 2, NaN]]}, \
        \"pbc\": [true, false, true], \
        \"cell\": {\"array\": {\"__ndarray__\": [[3, 3], \"float64\", [1.0, 0, 0, 0, 1, 0, 0, 0, 1]]}, \
        \"__ase_objtype__\": \"cell\"}, \"energy\": -3, \"forces\": [[1, 2, 3], [4, 5, 6.5]], \"tags\": [1, 0], \
        \"stress\": [1, 2, 3, 4, 5, 6], \"magmoms\": [NaN, NaN], \"user\": null, \"calculator_parameters\": {}, \
        \"key_value_pairs\": {\"gap\": 0.5, \"name\": \"CO\", \"relaxed\": true}, \
        \"data\": {\"charge\": -1, \"spin\": 1, \"gap\": 7, \"nested\": {\"a\": 1}, \"pair\": [1, 2], \
        \"sid\": \"\\u00e9\\ud83d\\ude00\"}}";
    let (records, skipped) = read(&[&text.replacen("NaN", "3", 1)]).unwrap();
    let record = &records[0];
    let names: Vec<_> = record.fields.iter().map(|field| (&*field.name, field.level, field.width)).collect();
    let (node, graph) = (Level::NODE, Level::Graph);
    let expected = [
        ("z", node, 1),
        ("pos", node, 3),
        ("cell", graph, 9),
        ("pbc", graph, 3),
        ("energy", graph, 1),
        ("forces", node, 3),
        ("tags", node, 1),
        ("stress", graph, 9),
        ("gap", graph, 1),
        ("relaxed", graph, 1),
        ("charge", graph, 1),
        ("spin", graph, 1),
    ];
    assert_eq!((names.as_slice(), record.name.as_str(), record.nodes), (&expected[..], "row 1", 2));
    let values = |name: &str| record.field(name).unwrap().values.clone();
    assert_eq!(values("z"), Values::I64(vec![6, 8]));
    assert_eq!(values("pos"), Values::F64(vec![0.0, 0.0, 0.0, 0.1, 2.0, 3.0]));
    assert_eq!(values("pbc"), Values::Bool(vec![true, false, true]));
    assert_eq!((values("energy"), values("gap")), (Values::F64(vec![-3.0]), Values::F64(vec![0.5])));
    assert_eq!(values("stress"), Values::F64(vec![1., 6., 5., 6., 2., 4., 5., 4., 3.]));
    assert_eq!((values("charge"), values("relaxed")), (Values::I64(vec![-1]), Values::Bool(vec![true])));
    let begins: Vec<_> = skipped.iter().map(|line| line.split(" (").next().unwrap()).collect();
    assert_eq!(
        begins,
        [
            "name is passed over: text, \"CO\"",
            "gap is passed over: the structure has this name already",
            "nested is passed over: an object",
            "pair is passed over: it may be numbers of atoms or of the structure, which renaming it to node_NAME or \
             graph_NAME says",
            "sid is passed over: text, \"\u{e9}\u{1f600}\"",
        ]
    );
    let message = read(&[text]).unwrap_err().to_string();
    assert!(
        message.ends_with("a.aselmdb, row 1, positions: expected finite numbers, found NaN at atom 1"),
        "{message}"
    );
}

/// A database of one molecule, as those of MD17 are.
#[test]
fn three_numbers_for_each_of_few_atoms_are_of_the_atoms_and_others_can_be_renamed() {
    let two = "{\"numbers\": [1, 1], \"positions\": [[0, 0, 0], [0, 0, 1]], \
        \"data\": {\"dft_forces\": [[1, 2, 3], [4, 5, 6]], \"q\": [5, 6], \"pair\": [7, 8]}}";
    let (records, skipped) = read(&[two, two]).unwrap();
    assert_eq!(records[0].field("dft_forces").map(|field| (field.level, field.width)), Some((Level::NODE, 3)));
    assert!(records[0].field("q").is_none() && skipped.len() == 2, "{skipped:?}");
    let folder = TempDir::new().unwrap();
    let path = write(&folder, "a.aselmdb", &database(&[two, two], &[]));
    let rename = [("dft_forces", "forces"), ("q", "node_q"), ("pair", "graph_pair")];
    let rename = rename.map(|(from, to)| (from.to_owned(), to.to_owned())).to_vec();
    let store = graphpack_formats::read(path, &Fields { rename, ..Fields::default() }).unwrap();
    assert_eq!(store.values::<f32>("forces").unwrap(), [1., 2., 3., 4., 5., 6.].repeat(2));
    assert_eq!(store.values::<i64>("node_q").unwrap(), [5, 6, 5, 6]);
    let pair = store.schema().fields().iter().find(|field| field.name == "graph_pair").unwrap();
    assert_eq!((pair.level, pair.width), (Level::Graph, 2));
}

#[test]
fn arrays_of_data_have_the_level_that_all_rows_agree_on() {
    let two = "{\"numbers\": [1, 1], \"positions\": [[0, 0, 0], [0, 0, 1]], \
        \"data\": {\"q\": [5, 6], \"v\": [[1, 2], [3, 4]], \"gaps\": [1.5]}}";
    let one = atom(", \"data\": {\"q\": [7], \"v\": [[1, 2], [3, 4]], \"gaps\": [1.5, 2.5]}");
    let (records, skipped) = read(&[two, &one]).unwrap();
    let shape = |record: usize, name: &str| records[record].field(name).map(|field| (field.level, field.width));
    assert_eq!([shape(0, "q"), shape(1, "q")], [Some((Level::NODE, 1)); 2]);
    assert_eq!([shape(0, "v"), shape(1, "v")], [Some((Level::Graph, 4)); 2]);
    assert_eq!([shape(0, "gaps"), shape(1, "gaps")], [Some((Level::Graph, 1)), None]);
    assert_eq!(skipped.len(), 1, "{skipped:?}");
    assert!(
        skipped[0].starts_with("gaps is passed over: expected 1 numbers per structure as in the structures before")
    );
}

#[test]
fn a_folder_is_one_data_set_without_what_was_deleted() {
    let folder = TempDir::new().unwrap();
    let row =
        |energy: usize| atom(&format!(", \"energy\": {energy}, \"data\": {{\"text\": \"{}\"}}", "x".repeat(energy)));
    let rows: Vec<String> = (1..3000).map(row).collect();
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    write(&folder, "b.aselmdb", &database(&rows[..5], &[1, 4]));
    write(&folder, "a.aselmdb", &database(&rows, &[]));
    write(&folder, "metadata.npz", b"something else");
    let found = all(aselmdb::records(folder.path()).unwrap());
    let energies = found.iter().map(|record| record.field("energy").unwrap().values.clone());
    let expected = (1..3000).chain([2, 3, 5]).map(|energy| Values::F64(vec![f64::from(energy)]));
    assert!(energies.eq(expected), "keys of all lengths, on many pages");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3, "nothing is written beside them");
}

#[test]
fn damaged_files_are_errors() {
    let folder = TempDir::new().unwrap();
    let message = |bytes: &[u8]| {
        let records = aselmdb::records(write(&folder, "d.aselmdb", bytes)).and_then(records_of);
        records.map(|_| ()).unwrap_err().to_string().split_once("d.aselmdb").unwrap().1.to_owned()
    };
    let row = atom(", \"energy\": 1");
    let large: String =
        (0..20_000).map(|i| ((i * 7919) % 95 + 32) as u8 as char).filter(|c| !"\"\\".contains(*c)).collect();
    let large = atom(&format!(", \"data\": {{\"text\": \"{large}\"}}"));
    let sound = database(&[&row, &large, &row], &[]);
    let pages = sound.len() / 4096;
    let truncated = message(&sound[..sound.len() - 1]);
    assert_eq!(truncated, format!(": expected {pages} pages of 4096 bytes, found {} bytes", sound.len() - 1));
    assert_eq!(message(b"SQLite format 3"), ": expected an LMDB database, found other bytes");
    assert_eq!(
        message(&lmdb(4096, &[])),
        ", key nextid: expected the number of the next row, as ASE writes it, found no such key"
    );
    let with = |key: &str, value: &[u8]| lmdb(4096, &[("nextid", &zlib("3")), ("1", &zlib(&row)), (key, value)]);
    assert_eq!(message(&with("3", b"")), ", row 2: expected a row, or its number among deleted_ids, found neither");
    for ids in ["true", "[true, false]", "[-1]", "[1, 2.5]"] {
        let expected = ", key deleted_ids: expected a list of integers, none negative, found other numbers";
        assert_eq!(message(&with("deleted_ids", &zlib(ids))), expected, "{ids}");
    }
    assert!(message(&with("2", b"pickled")).starts_with(", key 2: expected JSON compressed with zlib, found "));
    assert_eq!(
        message(&with("2", &zlib(&row)[..20])),
        ", key 2: expected JSON compressed with zlib, found its beginning"
    );
    assert_eq!(message(&with("2", &zlib("{\"a\" 1}"))), ", key 2: expected a colon, found other JSON at byte 5");
    assert_eq!(message(&with("2", &zlib("7"))), ", row 2: expected an object of JSON, found numbers");
    assert_eq!(
        message(&with("2", &zlib(&"[".repeat(1000)))),
        ", key 2: expected at most 64 lists and objects in each other, found other JSON at byte 65"
    );
    let wrong = |from: &str, to: &str, expected: &str| {
        assert_eq!(message(&with("2", &zlib(&row.replace(from, to)))), format!(", row 2, {expected}"));
    };
    wrong(
        "\"numbers\": [1]",
        "\"numbers\": [119]",
        "numbers: expected atomic numbers from 1 to 118, found 119 at atom 0",
    );
    wrong("\"numbers\": [1]", "\"numbers\": \"H\"", "numbers: expected atomic numbers, found text");
    wrong("[[0, 0, 0.5]]", "[[0, 0]]", "positions: expected 3 numbers, found 2");
    wrong("\"energy\": 1", "\"energy\": Infinity", "energy: expected finite numbers, found inf");
    wrong("\"energy\": 1", "\"forces\": [[1, 2]]", "forces: expected 3 numbers per atom, found 2 per atom");
    wrong("\"energy\": 1", "\"cell\": [1, 2]", "cell: expected 9 numbers, found 2");
    let flat = "cell: expected independent cell vectors where the structure repeats (ab), found a flat cell, \
        [[1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, 0.0]]";
    let cell = "\"cell\": [[1, 0, 0], [2, 0, 0], [0, 0, 0]], \"pbc\": [true, true, false]";
    wrong("\"energy\": 1", cell, flat);
    // Any one byte may be wrong: what comes of it is an error or a record, never a panic.
    for at in (0..sound.len()).filter(|at| at % 4096 < 200 || at % 61 == 0) {
        let mut bytes = sound.clone();
        bytes[at] ^= 0x41;
        let _ = aselmdb::records(write(&folder, "e.aselmdb", &bytes)).and_then(records_of);
    }
}

#[test]
#[ignore = "needs the real data sets (GRAPHPACK_DATA)"]
fn on_real_data_alloys_are_what_ase_wrote() {
    let data = test_common::shared_data();
    let records = all(aselmdb::records(data.join("atoms/alloys.aselmdb")).unwrap());
    crate::alloys::assert_truth(&data, &records, 2e-6);
}

#[test]
fn atoms_that_constraints_hold_are_a_mask() {
    let row = |constraints: &str| {
        let two = "{\"numbers\": [1, 8], \"positions\": [[0, 0, 0], [0, 0, 1]], \"constraints\": ";
        format!("{two}{constraints}}}")
    };
    let fix = |indices: &str| format!("{{\"name\": \"FixAtoms\", \"kwargs\": {{\"indices\": {indices}}}}}");
    let bond = "{\"name\": \"FixBondLengths\", \"kwargs\": {\"pairs\": [[0, 1]], \"tolerance\": 1e-13}}";
    let rows = [
        row(&format!("[{}]", fix("[0]"))),
        row(&format!("[{}, {bond}, {}]", fix("[-1]"), fix("[]"))),
        row("[]"),
        row(&format!("[{bond}]")),
    ];
    let (records, skipped) = read(&rows.each_ref().map(|row| &**row)).unwrap();
    let fixed = |record: &Record| record.field("fixed").map(|field| field.values.clone());
    let of = |mask: [bool; 2]| Some(Values::Bool(mask.to_vec()));
    assert_eq!(records.iter().map(fixed).collect::<Vec<_>>(), [of([true, false]), of([false, true]), None, None]);
    assert_eq!(skipped.len(), 1, "{skipped:?}");
    assert!(
        skipped[0].starts_with("constraint FixBondLengths is passed over: only FixAtoms with its indices is read (")
    );
    let message = read(&[&row(&format!("[{}]", fix("[2]")))]).unwrap_err().to_string();
    assert!(message.ends_with("row 1, constraint FixAtoms: expected indices of 2 atoms, found 2"), "{message}");
}

#[test]
fn files_of_pickled_objects_are_refused_with_what_they_are() {
    let folder = TempDir::new().unwrap();
    let bytes = lmdb(4096, &[("0", b"\x80\x04}."), ("length", b"\x80\x04K\x01.")]);
    let Err(error) = aselmdb::records(write(&folder, "data.lmdb", &bytes)) else { panic!("it has no rows") };
    let message = error.to_string();
    assert!(message.contains("data.lmdb: expected rows of JSON as ASE writes them (read these objects in Python"));
    assert!(message.ends_with("found objects pickled by Python, as the LMDB files of OC20 and OC22 have them"));
}

#[test]
fn a_name_is_of_one_part_of_the_rows() {
    let rows = [", \"energy\": 1", ", \"data\": {\"energy\": -70.0}", ", \"energy\": 2"].map(atom);
    let (records, skipped) = read(&rows.each_ref().map(|row| &**row)).unwrap();
    let has: Vec<_> = records.iter().map(|record| record.field("energy").is_some()).collect();
    assert_eq!((has, skipped.len()), (vec![true, false, true], 1), "{skipped:?}");
    let expected = "energy is passed over: in data, while rows before have it in the calculator's results (";
    assert!(skipped[0].starts_with(expected), "{skipped:?}");
}

#[test]
fn only_what_ase_defines_has_its_units() {
    let folder = TempDir::new().unwrap();
    let units = |row: &str| {
        let mut records = aselmdb::records(write(&folder, "u.aselmdb", &database(&[&atom(row)], &[]))).unwrap();
        let mut record = Record::default();
        assert!(records.next(&mut record).unwrap() && record.field("energy").is_some());
        ["pos", "cell", "energy", "forces", "gap"].map(|name| records.unit(name).map(str::to_owned))
    };
    let [length, energy, force] = ["angstrom", "eV", "eV/angstrom"].map(|unit| Some(unit.to_owned()));
    let results = ", \"energy\": -70, \"forces\": [[0, 0, 1]], \"key_value_pairs\": {\"gap\": 0.5}";
    assert_eq!(units(results), [length.clone(), length.clone(), energy, force, None]);
    assert_eq!(units(", \"data\": {\"energy\": -70.5}"), [length.clone(), length, None, None, None]);
}

#[test]
fn units_that_the_metadata_state_are_those_of_the_rows() {
    let folder = TempDir::new().unwrap();
    let metadata =
        "{\"_distance_unit\": \"nm\", \"_property_unit_dict\": {\"energy\": \"kcal/mol\", \"mu\": \"Debye\"}}";
    let row = atom(", \"data\": {\"energy\": 2, \"mu\": 1}");
    let path = write(&folder, "a.aselmdb", &with_metadata(&[&row], &[], metadata));
    let mut records = aselmdb::records(&path).unwrap();
    let mut record = Record::default();
    assert!(records.next(&mut record).unwrap());
    let values = |name: &str| record.field(name).unwrap().values.clone();
    assert_eq!(values("pos"), Values::F64(vec![0.0, 0.0, 5.0]));
    assert_eq!(values("energy"), Values::F64(vec![2.0 * 0.04336410390059322]));
    let units = ["pos", "energy", "mu"].map(|name| records.unit(name).map(str::to_owned));
    assert_eq!(units, ["angstrom", "eV", "Debye"].map(|unit| Some(unit.to_owned())));
}
