//! Targets of structures from csv files.

use super::file;
use crate::xyz::WATER;
use graphpack_formats::{FormatError, Record, Records, Values, targets, xyz};
use graphpack_loader::Edges;
use tempfile::TempDir;

const TARGETS: &str = "name,num_atoms,energy,dipole\nwater,3,-0.36,0.83\nhelium,1,0,1e-3\n";

#[test]
fn chosen_columns_become_y() {
    let folder = TempDir::new().unwrap();
    let water = xyz::read(file(&folder, "a.xyz", WATER)).unwrap();
    for name in ["a.csv", "a.csv.gz"] {
        let structures = targets::add(water.clone(), file(&folder, name, TARGETS), &["dipole", "energy"]).unwrap();
        let store = structures.connect(Edges::FullyConnected).unwrap();
        assert_eq!(store.values::<f32>("y").unwrap(), [0.83, -0.36, 0.001, 0.0]);
    }
}

#[test]
fn damaged_files_are_named_with_their_line() {
    let folder = TempDir::new().unwrap();
    let water = xyz::read(file(&folder, "d.xyz", WATER)).unwrap();
    let target = |text: &str, column: &str| {
        targets::add(water.clone(), file(&folder, "d.csv", text), &[column]).unwrap_err().to_string()
    };
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
        (&TARGETS.replace("0.83", "?"), "dipole", "d.csv, line 2, column dipole: expected a number, found \"?\""),
        (&TARGETS[..48], "energy", "d.csv: expected a row for each graph, found 1 rows"),
    ] {
        let message = target(text, column);
        assert!(message.ends_with(expected), "{message:?} does not end with {expected:?}");
    }
}

/// Two graphs, `water` and `helium`.
struct Two(usize);

impl Records for Two {
    fn next(&mut self, record: &mut Record) -> Result<bool, FormatError> {
        record.clear();
        let Some((name, nodes)) = [("water", 3), ("helium", 1)].get(self.0) else { return Ok(false) };
        self.0 += 1;
        (record.name, record.nodes) = ((*name).into(), *nodes);
        Ok(true)
    }
}

#[test]
fn an_empty_cell_is_a_missing_label() {
    let folder = TempDir::new().unwrap();
    let path = file(&folder, "a.csv", "name,energy,dipole\nwater,,0.83\nhelium,0.5,\n");
    let read = |as_y: bool| {
        let mut records = targets::join(Two(0), &path, &["energy", "dipole"], as_y).unwrap();
        let (mut all, mut record) = (Vec::new(), Record::default());
        while records.next(&mut record).unwrap() {
            let fields = record.fields.iter().map(|field| (field.name.to_string(), field.values.clone()));
            all.push(fields.collect::<Vec<_>>());
        }
        all
    };
    let number = |name: &str, number| vec![(name.to_owned(), Values::F64(vec![number]))];
    assert_eq!(read(false), [number("dipole", 0.83), number("energy", 0.5)]);
    let masked = |y: [f64; 2], has: [bool; 2]| {
        vec![("y".to_owned(), Values::F64(y.to_vec())), ("has_y".to_owned(), Values::Bool(has.to_vec()))]
    };
    assert_eq!(read(true), [masked([0.0, 0.83], [false, true]), masked([0.5, 0.0], [true, false])]);
    let longer = file(&folder, "b.csv", "energy\n1\n2\n3\n");
    let mut records = targets::join(Two(0), &longer, &["energy"], false).unwrap();
    let mut record = Record::default();
    assert!(records.next(&mut record).unwrap() && records.next(&mut record).unwrap());
    let message = records.next(&mut record).unwrap_err().to_string();
    assert!(message.ends_with("b.csv: expected a row for each of 2 graphs, found more"), "{message}");
}
