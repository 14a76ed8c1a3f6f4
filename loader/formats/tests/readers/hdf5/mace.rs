//! MACE's layout: a group per structure.

use super::{CELL, HARTREE, floats, mace, read, written};
use graphpack_formats::hdf5;
use graphpack_formats::records::{Record, Values};
use graphpack_loader::Level;
use hdf5_pure::{AttrValue, FileBuilder};
use tempfile::TempDir;
use test_common::shared_data;

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
