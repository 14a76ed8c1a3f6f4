//! Targets of structures from csv files.

use super::file;
use crate::xyz::WATER;
use graphpack_formats::{targets, xyz};
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
        (TARGETS, "homo", "d.csv has no column \"homo\", only name, num_atoms, energy, dipole"),
        (&TARGETS.replace("helium", "neon"), "energy", "d.csv, line 3: name \"neon\", the structure has \"helium\""),
        (&TARGETS.replace(",3,", ",4,"), "energy", "d.csv, line 2: num_atoms \"4\", the structure has \"3\""),
        (&TARGETS.replace("\nhe", "\n\nHe"), "energy", "line 4: name \"Helium\", the structure has \"helium\""),
        (&TARGETS.replace("0.83", "?"), "dipole", "d.csv, line 2: \"?\" is not a number"),
        (&TARGETS[..48], "energy", "d.csv has 1 rows, expected one for each of 2 structures"),
    ] {
        let message = target(text, column);
        assert!(message.ends_with(expected), "{message:?} does not end with {expected:?}");
    }
}
