//! HDF5: order of groups, links, attributes, and files of other layouts; `mace` and `conformers` have the layouts.

mod conformers;
mod mace;

use super::{damaged, records_of};
use graphpack_formats::hdf5;
use graphpack_formats::records::{Record, Records, Values};
use hdf5_pure::{AttrValue, FileBuilder, GroupBuilder};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const HARTREE: f64 = 27.211386245988;
const BOHR: f64 = 0.529177210903;

/// All records of a file and what is said of it, or the message.
fn read(path: &Path) -> Result<(Vec<Record>, Vec<String>), String> {
    hdf5::records(path).and_then(records_of).map_err(|error| error.to_string())
}

fn written(folder: &TempDir, builder: FileBuilder) -> std::path::PathBuf {
    let path = folder.path().join("a.h5");
    fs::write(&path, builder.finish().unwrap()).unwrap();
    path
}

fn floats<'a>(record: &'a Record, name: &str) -> &'a [f64] {
    match &record.field(name).unwrap_or_else(|| panic!("{name} is missing")).values {
        Values::F64(numbers) => numbers,
        other => panic!("{name} is {other:?}"),
    }
}

const CELL: [f64; 9] = [5.0, 0.0, 0.0, 0.0, 6.0, 0.0, 0.0, 0.0, 7.0];

/// MACE's layout: a batch with two configurations, of one atom and of three.
fn mace() -> FileBuilder {
    let mut file = FileBuilder::new();
    // In alphabetical order the tenth comes before the ninth.
    for batch in [9, 10] {
        let mut group = file.create_group(&format!("config_batch_{batch}"));
        for config in [2, 10] {
            let atoms = if config == 2 { 1 } else { 3 };
            let mut inner = group.create_group(&format!("config_{config}"));
            inner.create_dataset("atomic_numbers").with_i64_data(&vec![8; atoms]);
            inner.create_dataset("positions").with_f64_data(&vec![0.5; 3 * atoms]).with_shape(&[atoms as u64, 3]);
            if config == 2 {
                inner.create_dataset("cell").with_vlen_strings(&["None"]);
                inner.create_dataset("pbc").with_vlen_strings(&["None"]);
            } else {
                inner.create_dataset("cell").with_f64_data(&CELL).with_shape(&[3, 3]);
                inner.create_dataset("pbc").with_u8_data(&[1, 0, 1]);
            }
            let mut properties = inner.create_group("properties");
            properties.create_dataset("energy").with_f64_data(&[-1.5]);
            properties.create_dataset("dipole").with_f64_data(&[1.0, 2.0, 3.0]);
            properties.create_dataset("charges").with_f64_data(&vec![0.25; atoms]);
            properties.create_dataset("stress").with_f64_data(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
            properties.create_dataset("forces").with_vlen_strings(&["None"]);
            inner.add_group(properties.finish());
            let mut weights = inner.create_group("property_weights");
            weights.create_dataset("energy").with_f64_data(&[2.0]);
            inner.add_group(weights.finish());
            group.add_group(inner.finish());
        }
        file.add_group(group.finish());
    }
    file
}

/// A molecule of two atoms with three conformations.
fn water_like(group: &mut GroupBuilder, positions: &str, scale: f64) {
    let numbers: Vec<f64> = (0..18).map(|i| f64::from(i) * scale).collect();
    group
        .create_dataset(positions)
        .with_f64_data(&numbers)
        .with_shape(&[3, 2, 3])
        .with_chunks(&[2, 2, 3])
        .with_deflate(4);
}

/// `data/fixtures.py` wrote these with h5py 3.16.
#[test]
fn groups_come_as_h5py_has_them() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let (all, notes) = read(&data.join("order.h5")).unwrap();
    let names: Vec<_> = all.iter().map(|record| record.name.trim_end_matches("/0")).collect();
    let (created, last) = (["zinc", "m10", "m2", "ammonia", "Bismuth"], ["k", "oxygen", "e", "b9", "a"]);
    let by_name = ["Bismuth", "a", "ammonia", "b9", "e", "k", "m10", "m2", "oxygen", "zinc"];
    let by_name = by_name.map(|name| format!("by_name/{name}"));
    let few = ["few/c", "few/a", "few/b"];
    let expected: Vec<_> =
        created.into_iter().chain(by_name.iter().map(|name| &**name)).chain(few).chain(last).collect();
    assert_eq!(names, expected);
    assert!(notes.contains(&"soft: left out, a link to elsewhere in /".to_owned()), "{notes:?}");

    let message = read(&data.join("layout5.h5")).unwrap_err();
    assert!(
        message.contains("layout5.h5, /water/conformations: expected a layout of HDF5 1.14 or before"),
        "{message}"
    );
    assert!(message.ends_with("(libver of h5py), found version 5, of HDF5 2.0"), "{message}");

    // Below groups of the older kind, too, which themselves come by name.
    let (all, _) = read(&data.join("nested.h5")).unwrap();
    let names: Vec<_> = all.iter().map(|record| record.name.trim_end_matches("/0")).collect();
    let plain = ["plain/a", "plain/inner/y", "plain/inner/b", "plain/z"];
    assert_eq!(names, [&plain[..], &["tracked/zinc", "tracked/ammonia", "tracked/m2"]].concat());

    for name in ["order.h5", "nested.h5"] {
        let whole = fs::read(data.join(name)).unwrap();
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("a.h5");
        damaged(&whole, "a.h5", [whole.len() / 50, whole.len() / 400], |bytes| {
            fs::write(&path, bytes).unwrap();
            read(&path).map(drop)
        });
    }
}

/// `data/fixtures.py` wrote these with h5py 3.16, too.
#[test]
fn a_label_behind_a_link_is_listed_or_the_file_refused() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let (all, notes) = read(&data.join("links_new.h5")).unwrap();
    assert!(all.len() == 1 && all[0].field("charges").is_none());
    assert!(notes.contains(&"charges: left out, a link to elsewhere in /zinc/".to_owned()), "{notes:?}");
    let message = read(&data.join("links_old.h5")).unwrap_err();
    let expected = "links_old.h5, /zinc: expected groups without links to elsewhere, or of the kind that \
        `h5repack -L FILE NEW` writes, whose links are left out, found a link charges";
    assert!(message.ends_with(expected), "{message}");
}

#[test]
fn attributes_of_groups_are_listed_and_refused_where_they_are_selected() {
    let folder = TempDir::new().unwrap();
    let mut file = FileBuilder::new();
    file.set_attr("drop_last", AttrValue::I64(1));
    let mut group = file.create_group("a");
    group.set_attr("charge", AttrValue::I64(-1));
    group.set_attr("energy", AttrValue::F64(7.0));
    group.create_dataset("species").with_u8_data(&[2]);
    group.create_dataset("conformations").with_f64_data(&[0.0; 3]).with_shape(&[1, 1, 3]);
    group.create_dataset("energy").with_f64_data(&[1.0]);
    file.add_group(group.finish());
    let path = written(&folder, file);
    let (all, notes) = read(&path).unwrap();
    assert_eq!(floats(&all[0], "energy"), [HARTREE]);
    let notes: Vec<_> = notes.iter().filter(|note| note.contains("attribute")).collect();
    assert_eq!(notes, ["charge: left out, an attribute of the group /a/"]);
    let mut selected = hdf5::records(&path).unwrap();
    selected.select(&["charge".into()]);
    let message = selected.next(&mut Record::default()).unwrap_err().to_string();
    assert!(
        message.ends_with("charge: expected numbers, since the field is selected, found an attribute of a group"),
        "{message}"
    );
}

#[test]
fn other_layouts_are_refused_with_what_was_found() {
    let folder = TempDir::new().unwrap();
    let mut file = FileBuilder::new();
    file.create_dataset("R").with_f64_data(&[1.0; 6]).with_shape(&[1, 2, 3]);
    file.create_dataset("E").with_f64_data(&[1.0]);
    let message = read(&written(&folder, file)).unwrap_err();
    assert!(message.contains("a.h5, /: expected config_batch_B/config_C (MACE), groups "), "{message}");
    assert!(
        message.ends_with("found R [1, 2, 3], E [1]") || message.ends_with("found E [1], R [1, 2, 3]"),
        "{message}"
    );

    for (z, positions, expected) in [
        (vec![8, 0], 1.0, "expected atomic numbers from 1 to 118, found 0 at atom 1"),
        (vec![8], 1.0, "/water/atomic_numbers: expected an element for each of 2 atoms, found integers of shape [1]"),
        (vec![8, 1], f64::INFINITY, "/water, row 0, positions: expected finite numbers, found NaN at atom 0"),
    ] {
        let mut file = FileBuilder::new();
        let mut group = file.create_group("water");
        group.create_dataset("atomic_numbers").with_i16_data(&z);
        water_like(&mut group, "conformations", positions);
        file.add_group(group.finish());
        let message = read(&written(&folder, file)).unwrap_err();
        assert!(message.ends_with(expected), "{message}");
    }
}

#[test]
fn damaged_files_end_in_messages() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.h5");
    let mut spice = FileBuilder::new();
    let mut group = spice.create_group("water");
    group.create_dataset("atomic_numbers").with_i16_data(&[8, 1]);
    water_like(&mut group, "conformations", 1.0);
    group.create_dataset("formation_energy").with_f64_data(&[1.0, 2.0, 3.0]);
    spice.add_group(group.finish());
    for whole in [mace().finish().unwrap(), spice.finish().unwrap()] {
        damaged(&whole, "a.h5", [150, 500].map(|times| whole.len() / times), |bytes| {
            fs::write(&path, bytes).unwrap();
            read(&path).map(drop)
        });
    }
}
