//! Targets of structures from csv files.

use super::{file, records_of};
use graphpack_formats::records::{Record, Records, Values};
use graphpack_formats::{Fields, FileFormat, Pieces, ReadOptions, targets};
use graphpack_loader::Error;
use std::path::PathBuf;
use tempfile::TempDir;

const TARGETS: &str = "name,num_atoms,energy,dipole\nwater,3,-0.36,0.83\nhelium,1,0,1e-3\n";

/// Two graphs, `water` and `helium`.
struct Two(usize);

impl Records for Two {
    fn next(&mut self, record: &mut Record) -> Result<bool, Error> {
        record.clear();
        let Some((name, nodes)) = [("water", 3), ("helium", 1)].get(self.0) else { return Ok(false) };
        self.0 += 1;
        (record.name, record.nodes) = ((*name).into(), *nodes);
        Ok(true)
    }
}

/// The fields of both graphs with columns of a file.
fn joined(path: PathBuf, columns: &[&str]) -> Result<[Vec<(String, Values)>; 2], String> {
    let records = targets::join(Two(0), path, columns).and_then(records_of).map_err(|error| error.to_string())?.0;
    let fields =
        |record: &Record| record.fields.iter().map(|field| (field.name.to_string(), field.values.clone())).collect();
    Ok([0, 1].map(|graph| fields(&records[graph])))
}

fn number(name: &str, number: f64) -> (String, Values) {
    (name.to_owned(), Values::F64(vec![number]))
}

#[test]
fn chosen_columns_become_fields() {
    let folder = TempDir::new().unwrap();
    for name in ["a.csv", "a.csv.gz"] {
        let found = joined(file(&folder, name, TARGETS), &["dipole", "energy"]).unwrap();
        let zero = ("energy".to_owned(), Values::I64(vec![0]));
        let expected = [vec![number("dipole", 0.83), number("energy", -0.36)], vec![number("dipole", 1e-3), zero]];
        assert_eq!(found, expected);
    }
}

#[test]
fn an_empty_cell_is_a_missing_label() {
    let folder = TempDir::new().unwrap();
    let path = file(&folder, "a.csv", "name,energy,dipole\nwater,,0.83\nhelium,0.5,\n");
    let found = joined(path, &["energy", "dipole"]).unwrap();
    assert_eq!(found, [vec![number("dipole", 0.83)], vec![number("energy", 0.5)]]);
    let path = file(&folder, "b.csv", "name,energy,dipole\nwater,1,\nhelium,0.5,nan\n");
    let error = joined(path, &["energy", "dipole"]).unwrap_err();
    assert!(error.ends_with("b.csv, column dipole: expected numbers, found only empty cells"), "{error}");
}

#[test]
fn damaged_files_are_named_with_their_line() {
    let folder = TempDir::new().unwrap();
    for (text, column, expected) in [
        (TARGETS, "homo", "d.csv, line 1: expected a column homo, found name, num_atoms, energy, dipole"),
        (
            &TARGETS.replace("helium", "neon"),
            "energy",
            "d.csv, line 3, column name: expected \"helium\", as the graph has, found \"neon\"",
        ),
        (
            &TARGETS.replace(",3,", ",4,"),
            "energy",
            "d.csv, line 2, column num_atoms: expected \"3\", as the graph has, found \"4\"",
        ),
        (
            &TARGETS.replace("\nhe", "\n\nHe"),
            "energy",
            "line 4, column name: expected \"helium\", as the graph has, found \"Helium\"",
        ),
        (
            &TARGETS.replace("0.83", "?"),
            "dipole",
            "d.csv, line 2, column dipole: expected a number, true, false or nothing, found \"?\"",
        ),
        (&TARGETS[..48], "energy", "d.csv: expected a row for each graph, found 1 rows"),
        ("energy,name\n1\n", "energy", "d.csv, line 2: expected 2 cells as in the header, found 1"),
        (
            &TARGETS.replace("0.83", "inf"),
            "dipole",
            "d.csv, line 2, column dipole: expected a number, true, false or nothing, found \"inf\"",
        ),
        ("y,name,y\n1,water,2\n", "y", "d.csv, line 1: expected one column y, found two, columns 1 and 3"),
        ("y\nTrue\n1\n", "y", "d.csv, line 3, column y: expected true, false or nothing, found \"1\""),
        ("y;z\n1,5;2\n", "y", "d.csv, line 2, column y: expected a number, true, false or nothing, found \"1,5\""),
        ("energy\n1\n2\n3\n", "energy", "d.csv: expected a row for each of 2 graphs, found more"),
    ] {
        let message = joined(file(&folder, "d.csv", text), &[column]).unwrap_err();
        assert!(message.ends_with(expected), "{message:?} does not end with {expected:?}");
    }
}

#[test]
fn a_cell_that_cannot_be_read_leaves_out_its_graph_but_rows_of_other_graphs_are_an_error() {
    let folder = TempDir::new().unwrap();
    let xyz = file(&folder, "a.xyz", "1\n\nH 0 0 0\n2\n\nH 0 0 0\nH 0 0 1\n1\n\nHe 0 0 0\n");
    let read = |text: &str| {
        let csv = file(&folder, "t.csv", &format!("num_atoms,y\n{text}"));
        let skip = ReadOptions { skips_errors: true, ..ReadOptions::default() };
        let pieces = Pieces::with(&xyz, FileFormat::Xyz, &Fields::default(), &skip).unwrap();
        let mut pieces = pieces.with_targets(csv, &["y"]).unwrap();
        let store = pieces.read().map_err(|error| error.to_string())?;
        Ok::<_, String>((store.values::<i64>("y").unwrap().to_vec(), pieces.failed()))
    };
    assert_eq!(read("1,1\n2,x\n1,3\n"), Ok((vec![1, 3], 1)));
    let error = read("1,1\n1,3\n2,2\n").unwrap_err();
    assert!(error.ends_with("line 3, column num_atoms: expected \"2\", as the graph has, found \"1\""), "{error}");
}

/// What SMILES have for a name is their text.
#[test]
fn rows_of_other_molecules_are_an_error_and_their_names_none() {
    let folder = TempDir::new().unwrap();
    let smiles = [file(&folder, "a.csv", "smiles\nC\nCC\n"), file(&folder, "a.smi", "C methane\nCC ethane\n")];
    let read_of = |at: usize, rows: &str| {
        let csv = file(&folder, "t.csv", rows);
        let pieces = Pieces::open(&smiles[at], &Default::default()).unwrap();
        pieces.with_targets(&csv, &["t"]).unwrap().read().map_err(|error| error.to_string())
    };
    for rows in ["name,t\nmethane,1\nethane,2\n", "SMILES,t\nC,1\nCC,2\n"] {
        for at in [0, 1] {
            assert_eq!(read_of(at, rows).unwrap().values::<i64>("t").unwrap(), [1, 2], "{rows:?}");
        }
    }
    for at in [0, 1] {
        let error = read_of(at, "smiles,t\nCC,2\nC,1\n").unwrap_err();
        assert!(error.ends_with("line 2, column smiles: expected \"C\", as the graph has, found \"CC\""), "{error}");
    }
    let error = read_of(1, "name,t\nethane,2\nmethane,1\n").unwrap_err();
    assert!(
        error.ends_with("line 2, column name: expected \"methane\", as the graph has, found \"ethane\""),
        "{error}"
    );
}

#[test]
fn an_empty_line_of_a_single_column_is_a_graph_without_a_label() {
    let folder = TempDir::new().unwrap();
    let smiles = file(&folder, "a.smi", "C\nCC\nCCC\n");
    let read = |rows: &str| {
        let csv = file(&folder, "t.csv", &format!("t\n{rows}"));
        let pieces = Pieces::open(&smiles, &Default::default()).unwrap();
        pieces.with_targets(&csv, &["t"]).unwrap().read()
    };
    for rows in ["1\n\n3\n", "1\n\n3", "1\n \n3\n", "1\n\r\n3\n\n\n", "1\n\"\"\n3\n"] {
        let store = read(rows).unwrap();
        assert_eq!(store.values::<i64>("t").unwrap(), [1, 0, 3], "{rows:?}");
        assert_eq!(store.values::<bool>("has_t").unwrap(), [true, false, true]);
    }
    for rows in ["\n2\n\n", "\n2\n\n\n"] {
        assert_eq!(read(rows).unwrap().values::<bool>("has_t").unwrap(), [false, true, false], "{rows:?}");
    }
    assert!(read("1\n\n").unwrap_err().to_string().contains("expected a row for each graph, found 2 rows"));
    assert!(read("1\n\n3\n4\n").unwrap_err().to_string().contains("a row for each of 3 graphs, found more"));
}
