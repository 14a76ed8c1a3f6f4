//! HDF5 in the layouts of MACE, SPICE and ANI.

use super::{damaged, left_out, records_of};
use graphpack_formats::hdf5;
use graphpack_formats::records::{Record, Records, Values};
use graphpack_loader::Level;
use hdf5_pure::{AttrValue, FileBuilder, GroupBuilder};
use std::fs;
use std::path::Path;
use tempfile::TempDir;
use test_common::shared_data;

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

#[test]
#[ignore = "needs the real data sets (GRAPHPACK_DATA)"]
fn on_real_data_maces_structures_are_those_that_were_written() {
    let data = shared_data();
    let (all, notes) = read(&data.join("atoms/alloys_mace.h5")).unwrap();
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(notes[0].starts_with("config_type is passed over: text, \"Default\" ("), "{notes:?}");
    assert_eq!(all.len(), 1000);
    crate::alloys::assert_truth(&data, &all, 1e-5);
    assert_eq!(
        (&*all[107].name, all.iter().filter(|record| record.field("stress").is_some()).count()),
        ("config_batch_1/config_7", 670)
    );
    let names: Vec<_> = all[0].fields.iter().map(|field| &*field.name).collect();
    assert_eq!(names, ["z", "pos", "cell", "pbc", "weight", "charge", "energy", "forces", "spin", "stress"]);
    assert_eq!(all[0].field("pbc").unwrap().values, Values::Bool(vec![true; 3]));
    assert!(matches!(all[0].field("charge").unwrap().values, Values::I64(_)));
}

#[test]
#[ignore = "needs the real data sets (GRAPHPACK_DATA)"]
fn on_real_data_spices_conformations_have_the_values_that_h5py_reads() {
    let data = shared_data();
    let (all, notes) = read(&data.join("atoms/conformers_spice.h5")).unwrap();
    let sum = |name: &str, of: fn(f64) -> f64| -> f64 {
        all.iter().flat_map(|record| floats(record, name)).map(|&number| of(number)).sum()
    };
    assert_eq!((all.len(), all.iter().map(|record| record.nodes).sum::<usize>()), (402, 2714));
    // h5py's sums of float64, multiplied by the factors.
    for (found, expected) in [
        (sum("energy", |x| x), 1380.5216207008662),
        (sum("pos", |x| x), -312.32640889220556),
        (sum("forces", f64::abs), 17010.149986408876),
    ] {
        assert!((found - expected).abs() < 1e-9 * expected.abs(), "{found}, expected {expected}");
    }
    assert_eq!(all[1].name, "2-butyne/1");
    let near = |found: &[f64], expected: [f64; 3]| found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-7);
    assert!(near(&floats(&all[1], "pos")[6..9], [-0.12940532, 0.11095574, -0.682595]));
    assert!(near(&floats(&all[1], "forces")[6..9], [0.27360487, -0.42502886, 0.6170099]));
    assert_eq!(
        notes,
        [
            "conformations: bohr to angstrom, times 0.529177210903",
            "dft_total_gradient: hartree/bohr, the layout's unit, to eV/angstrom, times -51.422067476325886",
            "formation_energy: hartree, the layout's unit, to eV, times 27.211386245988",
            "smiles: left out, not numeric",
        ]
    );
}

/// A molecule of one atom with two conformations and these labels.
fn labelled(file: &mut FileBuilder, name: &str, labels: &[(&str, [f64; 2])]) {
    let mut group = file.create_group(name);
    group.create_dataset("atomic_numbers").with_u8_data(&[2]);
    group.create_dataset("conformations").with_f64_data(&[0.0; 6]).with_shape(&[2, 1, 3]);
    for (label, numbers) in labels {
        group.create_dataset(label).with_f64_data(numbers);
    }
    file.add_group(group.finish());
}

/// A group of molecules with the names of other formats, which say nothing of units.
#[test]
fn molecules_have_the_names_of_other_formats() {
    let folder = TempDir::new().unwrap();
    for [z, pos, energy, forces] in [
        ["numbers", "positions", "energy", "atomic_forces"],
        ["Z", "R", "E", "F"],
        ["nuclear_charges", "coords", "energies", "forces"],
    ] {
        let mut file = FileBuilder::new();
        let mut group = file.create_group("water");
        group.create_dataset(z).with_u8_data(&[8, 1]);
        for name in [pos, forces] {
            group.create_dataset(name).with_f64_data(&[0., 1., 2., 3., 4., 5.]).with_shape(&[1, 2, 3]);
        }
        group.create_dataset(energy).with_f64_data(&[-1.5]);
        file.add_group(group.finish());
        let path = written(&folder, file);
        let (all, _) = read(&path).unwrap();
        assert_eq!(all[0].field("z").unwrap().values, Values::I64(vec![8, 1]));
        assert_eq!(floats(&all[0], "pos"), floats(&all[0], "forces"));
        assert_eq!((floats(&all[0], "energy"), floats(&all[0], "pos")[5]), (&[-1.5][..], 5.0));
        let records = hdf5::records(&path).unwrap();
        assert_eq!(["pos", "energy", "forces"].map(|name| records.unit(name)), [None; 3]);
    }
    let mut file = FileBuilder::new();
    let mut group = file.create_group("water");
    for name in ["numbers", "species"] {
        group.create_dataset(name).with_u8_data(&[8, 1]);
    }
    group.create_dataset("positions").with_f64_data(&[0.; 6]).with_shape(&[1, 2, 3]);
    file.add_group(group.finish());
    let message = read(&written(&folder, file)).unwrap_err().to_string();
    assert!(
        message.ends_with("/water: expected atomic numbers in one data set, found numbers and species"),
        "{message}"
    );
}

/// Whatever energies and forces are called, they are in the layout's unit.
#[test]
fn all_names_of_energies_and_forces_have_the_units_of_the_layout() {
    let folder = TempDir::new().unwrap();
    for (layout, length) in [("conformations", BOHR), ("coordinates", 1.0)] {
        for [energy, forces] in [["energy", "forces"], ["energies", "atomic_forces"], ["E", "F"]] {
            let mut file = FileBuilder::new();
            let mut group = file.create_group("helium");
            group.create_dataset("atomic_numbers").with_u8_data(&[2]);
            for name in [layout, forces] {
                group.create_dataset(name).with_f64_data(&[1.0; 3]).with_shape(&[1, 1, 3]);
            }
            group.create_dataset(energy).with_f64_data(&[1.0]);
            file.add_group(group.finish());
            let (all, notes) = read(&written(&folder, file)).unwrap();
            assert_eq!(floats(&all[0], "energy"), [HARTREE], "{energy}");
            assert!((floats(&all[0], "forces")[0] - HARTREE / length).abs() < 1e-9, "{forces}");
            assert!(
                notes.iter().any(|note| note.starts_with(&format!("{energy}: hartree, the layout's"))),
                "{notes:?}"
            );
        }
    }
}

#[test]
fn a_target_is_one_quantity_of_the_file() {
    let folder = TempDir::new().unwrap();
    let (formation, total) = (("formation_energy", [1.0, 2.0]), ("dft_total_energy", [-70.0, -71.0]));
    let read_of = |labels: [&[(&str, [f64; 2])]; 3]| {
        let mut file = FileBuilder::new();
        for (name, labels) in ["a", "b", "c"].iter().zip(labels) {
            labelled(&mut file, name, labels);
        }
        read(&written(&folder, file)).unwrap()
    };
    let energies = |all: &[Record], name: &str| -> Vec<Option<f64>> {
        let of = |record: &Record| record.field(name).map(|_| (floats(record, name)[0] / HARTREE * 1e6).round() / 1e6);
        all.iter().map(of).collect()
    };
    let (all, notes) = read_of([&[formation, total], &[total], &[formation]]);
    let [none, of] = [[None; 2], [Some(1.0), Some(2.0)]];
    assert_eq!(energies(&all, "energy"), [of, none, of].concat());
    let of = [Some(-70.0), Some(-71.0)];
    assert_eq!(energies(&all, "dft_total_energy"), [of, of, none].concat());
    let note =
        "energy: formation_energy as in the molecules before; /b lacks it, and dft_total_energy is a field of its own";
    assert!(notes.contains(&note.to_owned()), "{notes:?}");
    // The first molecule says which.
    let (all, _) = read_of([&[total], &[total, formation], &[formation]]);
    assert_eq!(energies(&all, "energy"), [of, of, none].concat());
    assert_eq!(energies(&all, "formation_energy")[2..], [Some(1.0), Some(2.0), Some(1.0), Some(2.0)]);
    // A data set beside the molecules is no molecule.
    let mut file = FileBuilder::new();
    file.create_dataset("version").with_f64_data(&[2.0]);
    labelled(&mut file, "a", &[formation]);
    let (all, notes) = read(&written(&folder, file)).unwrap();
    assert_eq!((all.len(), notes.contains(&"version: left out, a data set beside groups in /".to_owned())), (2, true));
    // A name may not mean two quantities.
    let mut file = FileBuilder::new();
    labelled(&mut file, "a", &[formation]);
    labelled(&mut file, "b", &[("energy", [1.0; 2])]);
    let message = read(&written(&folder, file)).unwrap_err();
    let expected = "/b: expected formation_energy, which is the energy of this file, found energy of another kind";
    assert!(message.ends_with(expected), "{message}");
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
        message.ends_with("charge: expected numbers, as it is selected, found an attribute of a group"),
        "{message}"
    );
}

#[test]
fn molecules_and_conformations_that_cannot_be_read_are_left_out() {
    let folder = TempDir::new().unwrap();
    let mut file = FileBuilder::new();
    labelled(&mut file, "a", &[("energy", [1.0, f64::INFINITY])]);
    let mut group = file.create_group("b");
    group.create_dataset("species").with_u8_data(&[2, 2]);
    group.create_dataset("conformations").with_f64_data(&[0.0; 6]).with_shape(&[2, 1, 3]);
    file.add_group(group.finish());
    labelled(&mut file, "c", &[("energy", [3.0, 4.0])]);
    let (store, lines) = left_out(&written(&folder, file)).unwrap();
    assert_eq!(store.values::<f64>("energy").unwrap(), [HARTREE, 3.0 * HARTREE, 4.0 * HARTREE]);
    for (line, place) in lines.iter().zip(["record 1: ", "record 2: ", "record 3: "]) {
        assert!(line.starts_with(place), "{lines:?}");
    }
    assert!(lines[0].contains("a.h5, /a, row 1, energy: expected finite numbers"), "{lines:?}");
    assert!(lines[2].contains("a.h5, /b/species: expected an element for each of 1 atoms"), "{lines:?}");
    // How many conformations this is, nobody knows.
    let mut file = FileBuilder::new();
    labelled(&mut file, "a", &[]);
    let mut group = file.create_group("b");
    group.create_dataset("species").with_u8_data(&[2]);
    file.add_group(group.finish());
    let message = left_out(&written(&folder, file)).unwrap_err();
    assert!(message.contains("/b: expected data sets of atomic numbers and positions"), "{message}");

    let mut file = FileBuilder::new();
    let mut batch = file.create_group("config_batch_0");
    for (config, elements) in [[1_i64, 1], [1, 0], [8, 1]].iter().enumerate() {
        let mut inner = batch.create_group(&format!("config_{config}"));
        inner.create_dataset("atomic_numbers").with_i64_data(elements);
        let atoms = if config == 1 { 1 } else { 2 };
        inner.create_dataset("positions").with_f64_data(&vec![0.5; 3 * atoms]).with_shape(&[atoms as u64, 3]);
        batch.add_group(inner.finish());
    }
    file.add_group(batch.finish());
    let (store, lines) = left_out(&written(&folder, file)).unwrap();
    assert_eq!((store.values::<i64>("z").unwrap(), lines.len()), (vec![1, 1, 8, 1], 1));
    assert!(lines[0].starts_with("record 1: ") && lines[0].contains("/config_batch_0/config_1/positions"), "{lines:?}");
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

#[test]
fn maces_groups_are_in_numeric_order_and_none_is_missing() {
    let folder = TempDir::new().unwrap();
    let (all, notes) = read(&written(&folder, mace())).unwrap();
    let names: Vec<_> = all.iter().map(|record| &*record.name).collect();
    let [nine, ten] = ["config_batch_9", "config_batch_10"];
    let expected = [nine, ten].map(|batch| [2, 10].map(|config| format!("{batch}/config_{config}")));
    assert_eq!((names, notes), (expected.as_flattened().iter().map(|name| &**name).collect(), vec![]));
    let last = &all[3];
    assert!(last.field("forces").is_none());
    let levels: Vec<_> = last.fields.iter().map(|field| (&*field.name, field.level, field.width)).collect();
    assert!(levels.contains(&("dipole", Level::Graph, 3)) && levels.contains(&("charges", Level::NODE, 1)));
    assert!(levels.contains(&("energy_weight", Level::Graph, 1)));
    assert_eq!(floats(last, "stress"), [1.0, 6.0, 5.0, 6.0, 2.0, 4.0, 5.0, 4.0, 3.0]);
    assert_eq!((floats(last, "cell"), floats(&all[0], "cell")), (&CELL[..], &[0.0; 9][..]));
    assert_eq!(all[0].field("pbc").unwrap().values, Values::Bool(vec![false; 3]));
    assert_eq!(last.field("pbc").unwrap().values, Values::Bool(vec![true, false, true]));
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

#[test]
fn ani_1x_lacks_the_labels_that_are_nan() {
    let folder = TempDir::new().unwrap();
    let mut file = FileBuilder::new();
    let mut group = file.create_group("H1O1");
    group.create_dataset("atomic_numbers").with_u8_data(&[8, 1]);
    water_like(&mut group, "coordinates", 1.0);
    group.create_dataset("wb97x_dz.energy").with_f64_data(&[1.0, f64::NAN, 3.0]);
    group.create_dataset("wb97x_dz.forces").with_f32_data(&[0.5; 18]).with_shape(&[3, 2, 3]);
    group.create_dataset("ccsd(t)_cbs.energy").with_f64_data(&[f64::NAN, 2.0, f64::NAN]);
    group.create_dataset("wb97x_dz.cm5_charges").with_f32_data(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]).with_shape(&[3, 2]);
    group.create_dataset("mayer_indices").with_f32_data(&[0.0; 12]).with_shape(&[3, 2, 2]);
    file.add_group(group.finish());
    let (all, notes) = read(&written(&folder, file)).unwrap();
    let has = |name: &str| all.iter().map(|record| record.field(name).is_some()).collect::<Vec<_>>();
    assert_eq!((has("energy"), has("ccsd(t)_cbs.energy")), (vec![true, false, true], vec![false, true, false]));
    assert_eq!(
        (floats(&all[2], "energy"), floats(&all[1], "pos")),
        (&[3.0 * HARTREE][..], &[6.0, 7.0, 8.0, 9.0, 10.0, 11.0][..])
    );
    assert_eq!(floats(&all[1], "forces"), [0.5 * HARTREE; 6]);
    let charges = all[2].field("wb97x_dz.cm5_charges").unwrap();
    assert_eq!(
        (charges.level, charges.width, floats(&all[2], "wb97x_dz.cm5_charges")),
        (Level::NODE, 1, &[4.0, 5.0][..])
    );
    assert!(notes.contains(&"mayer_indices: left out, numbers per pair of atoms".to_owned()), "{notes:?}");
}

#[test]
fn ani_1_has_symbols_and_groups_in_groups() {
    let folder = TempDir::new().unwrap();
    let mut file = FileBuilder::new();
    let mut outer = file.create_group("gdb11_s01");
    let mut group = outer.create_group("gdb11_s01-0");
    group.create_dataset("species").with_vlen_strings(&["O", "H"]);
    water_like(&mut group, "coordinates", 1.0);
    group.create_dataset("energies").with_f64_data(&[1.0, 2.0, 3.0]);
    group.create_dataset("energiesHE").with_f64_data(&[4.0]);
    outer.add_group(group.finish());
    file.add_group(outer.finish());
    let (all, notes) = read(&written(&folder, file)).unwrap();
    assert_eq!((all.len(), &*all[2].name), (3, "gdb11_s01/gdb11_s01-0/2"));
    assert_eq!(all[0].field("z").unwrap().values, Values::I64(vec![8, 1]));
    assert_eq!(floats(&all[1], "energy"), [2.0 * HARTREE]);
    assert!(notes.contains(&"energiesHE: left out, conformations of high energy".to_owned()), "{notes:?}");
}

/// ANI-2x's groups are by number of atoms: each conformation has elements of its own.
#[test]
fn ani_2x_has_elements_for_each_conformation() {
    let folder = TempDir::new().unwrap();
    let mut file = FileBuilder::new();
    for atoms in [2, 3] {
        let (mut group, numbers) = (file.create_group(&atoms.to_string()), vec![0.5; 2 * 3 * atoms as usize]);
        let species: Vec<i64> = (0..2 * atoms).map(|atom| [16, 17, 9, 1, 6, 7][atom as usize]).collect();
        group.create_dataset("species").with_i64_data(&species).with_shape(&[2, atoms]);
        group.create_dataset("coordinates").with_f64_data(&numbers).with_shape(&[2, atoms, 3]);
        group.create_dataset("energies").with_f64_data(&[-1.0, -2.0]);
        group.create_dataset("forces").with_f64_data(&numbers).with_shape(&[2, atoms, 3]);
        file.add_group(group.finish());
    }
    let (all, notes) = read(&written(&folder, file)).unwrap();
    let z: Vec<_> = all.iter().map(|record| record.field("z").unwrap().values.clone()).collect();
    assert_eq!(z, [vec![16, 17], vec![9, 1], vec![16, 17, 9], vec![1, 6, 7]].map(Values::I64));
    let last = &all[3];
    assert_eq!((&*last.name, floats(last, "energy")[0], floats(last, "pos")), ("3/1", -2.0 * HARTREE, &[0.5; 9][..]));
    assert_eq!(floats(last, "forces"), [0.5 * HARTREE; 9]);
    assert_eq!(notes.len(), 2, "{notes:?}");
}

#[test]
fn units_in_attributes_come_before_those_of_the_layout() {
    let folder = TempDir::new().unwrap();
    let file = |unit: &str| {
        let mut file = FileBuilder::new();
        let mut group = file.create_group("water");
        group.create_dataset("atomic_numbers").with_i16_data(&[8, 1]);
        water_like(&mut group, "conformations", 2.0);
        let energy = group.create_dataset("dft_total_energy").with_f64_data(&[1.0, 2.0, 3.0]);
        energy.set_attr("units", AttrValue::String(unit.into()));
        let dipoles = group.create_dataset("mbis_dipoles").with_f64_data(&[1.0; 18]).with_shape(&[3, 2, 3]);
        dipoles.set_attr("units", AttrValue::VarLenString("e bohr".into()));
        file.add_group(group.finish());
        read(&written(&folder, file))
    };
    let (all, notes) = file("kcal/mol").unwrap();
    assert!((floats(&all[1], "energy")[0] - 0.0867282).abs() < 1e-6);
    assert_eq!((floats(&all[0], "pos")[1], floats(&all[0], "mbis_dipoles")), (2.0 * BOHR, &[1.0; 6][..]));
    assert!(notes.contains(&"mbis_dipoles: stays in e bohr".to_owned()), "{notes:?}");
    // One field has one unit.
    let mut mixed = FileBuilder::new();
    for (name, unit) in [("a", "debye"), ("b", "e bohr")] {
        let mut group = mixed.create_group(name);
        group.create_dataset("atomic_numbers").with_i16_data(&[8, 1]);
        water_like(&mut group, "conformations", 2.0);
        let dipole = group.create_dataset("dipole").with_f64_data(&[1.0; 9]).with_shape(&[3, 3]);
        dipole.set_attr("units", AttrValue::String(unit.into()));
        mixed.add_group(group.finish());
    }
    let message = read(&written(&folder, mixed)).unwrap_err();
    let expected = "/b/dipole: expected numbers in the unit of the molecules before (debye), found e bohr";
    assert!(message.ends_with(expected), "{message}");
    let message = file("furlongs").unwrap_err();
    assert!(
        message.ends_with("/water/dft_total_energy: expected a unit of length, energy or force, found furlongs"),
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

#[test]
fn maces_units_are_converted_or_refused() {
    let folder = TempDir::new().unwrap();
    let file = |unit: &str| {
        let mut file = FileBuilder::new();
        let mut batch = file.create_group("config_batch_0");
        let mut group = batch.create_group("config_0");
        group.create_dataset("atomic_numbers").with_i64_data(&[1]);
        group.create_dataset("positions").with_f64_data(&[0.0; 3]).with_shape(&[1, 3]);
        let mut labels = group.create_group("properties");
        labels.create_dataset("energy").with_f64_data(&[2.0]).set_attr("units", AttrValue::String(unit.into()));
        labels.create_dataset("gap").with_f64_data(&[1.0]).set_attr("units", AttrValue::String("hartree".into()));
        group.add_group(labels.finish());
        batch.add_group(group.finish());
        file.add_group(batch.finish());
        written(&folder, file)
    };
    let (all, notes) = read(&file("hartree")).unwrap();
    assert_eq!((floats(&all[0], "energy"), floats(&all[0], "gap")), (&[2.0 * HARTREE][..], &[1.0][..]));
    assert_eq!(notes, ["energy: hartree to eV, times 27.211386245988"]);
    let (all, notes) = read(&file("eV")).unwrap();
    assert!(floats(&all[0], "energy") == [2.0] && notes.is_empty(), "{notes:?}");
    let mut records = hdf5::records(file("eV")).unwrap();
    assert!(records.next(&mut Record::default()).unwrap());
    assert_eq!((records.unit("energy"), records.unit("gap")), (Some("eV"), Some("hartree")));
    for unit in ["furlongs", "angstrom"] {
        let message = read(&file(unit)).unwrap_err();
        let expected = format!("/properties/energy: expected a unit that leads to eV, found {unit}");
        assert!(message.ends_with(&expected), "{message}");
    }
}

#[test]
fn a_label_of_the_layout_of_another_type_or_shape_is_an_error() {
    let folder = TempDir::new().unwrap();
    for (name, of_text, expected) in [
        ("formation_energy", true, "texts of shape [3]"),
        ("dft_total_gradient", false, "floating point numbers of shape [2]"),
    ] {
        let mut file = FileBuilder::new();
        let mut group = file.create_group("water");
        group.create_dataset("atomic_numbers").with_i16_data(&[8, 1]);
        water_like(&mut group, "conformations", 1.0);
        match of_text {
            true => drop(group.create_dataset(name).with_vlen_strings(&["1", "2", "3"])),
            false => drop(group.create_dataset(name).with_f64_data(&[1.0, 2.0])),
        }
        file.add_group(group.finish());
        let message = read(&written(&folder, file)).unwrap_err();
        let found = format!("/water/{name}: expected numbers of each of 3 conformations, found {expected}");
        assert!(message.ends_with(&found), "{message}");
    }
}

#[test]
fn conformations_may_be_of_crystals() {
    let folder = TempDir::new().unwrap();
    let read_with = |positions: &str, cell: Option<(&[u64], &[f64])>, pbc: Option<(&[u64], &[i64])>| {
        let mut file = FileBuilder::new();
        let mut group = file.create_group("salt");
        group.create_dataset("atomic_numbers").with_u8_data(&[11, 17]);
        water_like(&mut group, positions, 1.0);
        if let Some((shape, numbers)) = cell {
            group.create_dataset("cell").with_f64_data(numbers).with_shape(shape);
        }
        if let Some((shape, numbers)) = pbc {
            group.create_dataset("pbc").with_i64_data(numbers).with_shape(shape);
        }
        group.create_dataset("force").with_f64_data(&[0.5; 18]).with_shape(&[3, 2, 3]);
        file.add_group(group.finish());
        read(&written(&folder, file))
    };
    let cells: Vec<f64> = (0..27).map(|at| if at % 9 % 4 == 0 { f64::from(1 + at / 9) } else { 0.0 }).collect();
    let pbc = [1, 1, 0, 1, 1, 1, 0, 0, 0];
    let (all, notes) = read_with("coordinates", Some((&[3, 3, 3], &cells)), Some((&[3, 3], &pbc))).unwrap();
    let of = |record: &Record| (floats(record, "cell")[0], record.field("pbc").unwrap().values.clone());
    let of_axes = |axes: [bool; 3]| Values::Bool(axes.to_vec());
    assert_eq!(of(&all[0]), (1.0, of_axes([true, true, false])));
    assert_eq!((of(&all[1]), of(&all[2])), ((2.0, of_axes([true; 3])), (3.0, of_axes([false; 3]))));
    assert_eq!(floats(&all[1], "forces"), [0.5 * HARTREE; 6]);
    assert!(!notes.iter().any(|note| note.contains("passed over")), "{notes:?}");
    // Without pbc all directions repeat; lengths are those of the positions.
    let (all, _) = read_with("conformations", Some((&[3, 9], &cells)), None).unwrap();
    assert_eq!(of(&all[2]), (3.0 * BOHR, of_axes([true; 3])));
    for (cell, pbc, expected) in [
        (Some((&[3, 3][..], &cells[..9])), None, "/salt/cell: expected numbers of shape [3, 3, 3]"),
        (Some((&[1, 3, 3][..], &cells[..9])), None, "/salt/cell: expected numbers of shape [3, 3, 3]"),
        (None, Some((&[3][..], &pbc[..3])), "/salt/pbc: expected numbers of shape [3, 3]"),
    ] {
        let message = read_with("coordinates", cell, pbc).unwrap_err();
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn all_energies_of_a_layout_are_in_one_unit() {
    let folder = TempDir::new().unwrap();
    let mut file = FileBuilder::new();
    let names = ["wb97x_dz.energy", "mp2_dz.corr_energy", "free_energy"];
    labelled(&mut file, "he", &names.map(|name| (name, [1.0, 2.0])));
    let (all, _) = read(&written(&folder, file)).unwrap();
    for name in ["energy", "mp2_dz.corr_energy", "free_energy"] {
        assert_eq!(floats(&all[1], name), [2.0 * HARTREE], "{name}");
    }
}
