//! Names and units of the arrays of npz files.

use crate::npz::{Member, f64s, field, md17, physnet, with_texts, written};
use graphpack_formats::records::{Record, Records, Values};
use graphpack_formats::{ArrayType, Fields};
use graphpack_loader::Store;
use std::path::Path;
use tempfile::TempDir;

/// Fields that are renamed.
fn renamed(rename: &[(&str, &str)]) -> Fields {
    let rename = rename.iter().map(|(from, to)| ((*from).into(), (*to).into())).collect();
    Fields { rename, ..Fields::default() }
}

#[test]
fn a_renaming_of_either_tells_two_names_of_one_thing_apart() {
    let folder = TempDir::new().unwrap();
    let names = |store: &Store| {
        let mut names: Vec<_> = store.schema().fields().iter().map(|field| field.name.clone()).collect();
        names.sort();
        names.join(" ")
    };
    let base = physnet();
    let [z, _, pos, energy, forces] = &base;
    let two = |second: &Member<'static>, name: &'static str| {
        let mut members = base.to_vec();
        members.push((name, second.1, second.2, second.3.clone()));
        written(&folder, &members, &[("r_unit", "Ang"), ("e_unit", "meV")])
    };
    let stored = |path: &Path, rename: &[(&str, &str)]| {
        graphpack_formats::read(path, &renamed(rename)).map_err(|error| error.to_string())
    };
    for (first, second, name, ours) in [
        ("F", forces, "forces", "forces"),
        ("F", forces, "force", "forces"),
        ("E", energy, "energy", "energy"),
        ("Z", z, "z", "z"),
        ("R", pos, "pos", "pos"),
    ] {
        let path = two(second, name);
        let message = stored(&path, &[]).unwrap_err();
        assert!(message.contains(name) && message.contains(first), "{message}");
        for rename in [&[(first, "other")][..], &[(name, "other")]] {
            let store = stored(&path, rename).unwrap();
            assert_eq!(names(&store), "energy forces other pos z", "{rename:?}");
            if ours == "energy" {
                assert_eq!(store.values::<f64>("other").unwrap(), store.values::<f64>(ours).unwrap());
                assert_eq!(
                    store.schema().fields().iter().filter(|field| field.unit.as_deref() == Some("eV")).count(),
                    2
                );
            }
        }
        if !["z", "pos"].contains(&ours) {
            let store = stored(&path, &[(first, "a"), (name, "b")]).unwrap();
            assert!(names(&store).starts_with("a b "), "{}", names(&store));
        }
        let swapped = stored(&path, &[(name, "other"), (first, ours)]).unwrap();
        assert_eq!(names(&swapped), "energy forces other pos z");
    }
    // A new name of which something is known is held to it.
    let path = two(energy, "energy");
    let message = stored(&path, &[("E", "momenta")]).unwrap_err();
    assert!(message.contains("expected a row for each of 2 atoms"), "{message}");
}

#[test]
fn what_is_renamed_to_has_its_unit() {
    let folder = TempDir::new().unwrap();
    let mut members = physnet().to_vec();
    members.extend([
        ("U0", ArrayType::F64, &[2][..], f64s(&[1.0, 2.0])),
        ("box", ArrayType::F64, &[2, 3, 3], f64s(&[1., 0., 0., 0., 1., 0., 0., 0., 1.].repeat(2))),
    ]);
    members[2].0 = "xyz";
    members[3].0 = "dft";
    let path = written(&folder, &members, &[("r_unit", "nm"), ("e_unit", "meV")]);
    let rename = [("xyz", "pos"), ("U0", "energy"), ("dft", "free_energy"), ("F", "forces"), ("box", "cell")];
    let store = graphpack_formats::read(&path, &renamed(&rename)).unwrap();
    for (name, unit) in
        [("pos", "angstrom"), ("cell", "angstrom"), ("energy", "eV"), ("free_energy", "eV"), ("forces", "eV/angstrom")]
    {
        let field = store.schema().fields().iter().find(|field| field.name == name).unwrap();
        assert_eq!(field.unit.as_deref(), Some(unit), "{name}");
    }
    assert_eq!(store.values::<f64>("energy").unwrap(), [1e-3, 2e-3]);
    assert_eq!(store.values::<f32>("forces").unwrap()[1], 1e-4);
}

#[test]
fn forces_are_converted_where_both_units_are_stated() {
    let folder = TempDir::new().unwrap();
    let mut members = md17().to_vec();
    members.push(("stress", ArrayType::F64, &[2, 3, 3][..], f64s(&[1.0; 18])));
    for (stated, unit, pos, energy) in [("r_unit", "nm", Some("angstrom"), None), ("e_unit", "meV", None, Some("eV"))] {
        let mut records = with_texts(&folder, &members, &[(stated, unit)]);
        let mut record = Record::default();
        assert!(records.next(&mut record).unwrap());
        assert_eq!(field(&record, "forces").2, Values::F64(vec![0., 1., 2., 3., 4., 5.]));
        assert_eq!(field(&record, "stress").2, Values::F64(vec![1.0; 9]));
        let units = ["pos", "energy", "forces", "stress"].map(|field| records.unit(field));
        assert_eq!(units, [pos, energy, None, None]);
        for name in ["forces", "stress"] {
            let told = format!("{name}: stays as it is, without a unit, since only {stated} is stated");
            assert!(records.skipped().contains(&told), "{:?}", records.skipped());
        }
    }
}

#[test]
fn two_renamings_of_one_array_are_not_both_its_own() {
    let folder = TempDir::new().unwrap();
    let path = written(&folder, &physnet(), &[]);
    let message = graphpack_formats::read(&path, &renamed(&[("E", "foo"), ("energy", "bar")])).unwrap_err().to_string();
    assert!(message.contains("expected a field \"energy\", found the fields E, "), "{message}");
}
