//! The layouts of SPICE and ANI: a group per molecule.

use super::super::left_out;
use super::{BOHR, HARTREE, floats, read, water_like, written};
use graphpack_formats::hdf5;
use graphpack_formats::records::{Record, Values};
use graphpack_loader::Level;
use hdf5_pure::{AttrValue, FileBuilder};
use tempfile::TempDir;
use test_common::shared_data;

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
    let note = "dft_total_energy beside formation_energy: a field of its own, formation_energy is the energy";
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
