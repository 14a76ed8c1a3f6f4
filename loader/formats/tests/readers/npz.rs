//! npz files of structures.

use super::{damaged, left_out, records_of};
use graphpack_core::Histogram;
use graphpack_formats::records::{Record, Records, Values};
use graphpack_formats::{ArrayType, Fields, Pieces, npy, npz};
use graphpack_loader::{Data, Edges, Level, Store};
use std::fs;
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use test_common::shared_data;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

#[test]
#[ignore = "needs the real data sets (GRAPHPACK_DATA)"]
fn on_real_data_qm9_is_read_from_both_files() {
    let data = shared_data();
    let read = |name: &str, target: &[&str]| {
        let pieces = Pieces::open(data.join("qm9").join(name), &Fields::default()).unwrap();
        let csv = data.join("qm9/qm9_10k_targets.csv.gz");
        if target.is_empty() { pieces } else { pieces.with_targets(&csv, target).unwrap() }.read().unwrap()
    };
    let few = read("qm9_10k.xyz.gz", &["binding_energy"]);
    assert_eq!((few.len(), few.values::<f64>("binding_energy").unwrap().len()), (10_000, 10_000));
    let all = read("qm9_128k_positions.npz", &[]);
    assert_eq!((all.len(), all.values::<i64>("z").unwrap().len()), (128_744, 2_330_532));
    // The same molecules, the first of them by QM9's number; the second file is rounded to 0.001 angstrom.
    let mut records = npz::records(data.join("qm9/qm9_128k_positions.npz")).unwrap();
    let mut record = Record::default();
    while records.next(&mut record).unwrap() && record.name != "3" {}
    let (z, Values::F64(pos)) = (field(&record, "z").2, field(&record, "pos").2) else { panic!("positions") };
    assert_eq!(z, Values::I64(few.values::<i64>("z").unwrap()[..record.nodes].to_vec()));
    for (a, b) in pos.iter().zip(few.values::<f32>("pos").unwrap()) {
        assert!((a - f64::from(b)).abs() < 6e-4, "{a} {b}");
    }
    let data = Data::from(few).connect(Edges::Nearest(24)).unwrap();
    let histogram = Histogram::from_sizes(data.sizes().unwrap()).unwrap();
    assert!(histogram.entries().iter().all(|(size, _)| size[1] == size[0] * (size[0] - 1).min(24)));
    assert!(npz::records(Path::new("none.npz")).is_err());
}

pub(crate) type Member<'a> = (&'a str, ArrayType, &'a [usize], Vec<u8>);

pub(crate) fn f64s(numbers: &[f64]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// An archive of arrays.
fn archive(members: &[Member<'_>]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, element, shape, bytes) in members {
        zip.start_file(format!("{name}.npy"), SimpleFileOptions::default()).unwrap();
        npy::Header::write(&mut zip, *element, shape).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn read_bytes(folder: &TempDir, bytes: &[u8]) -> Result<Vec<Record>, String> {
    let path = folder.path().join("a.npz");
    fs::write(&path, bytes).unwrap();
    npz::records(&path).and_then(records_of).map(|(all, _)| all).map_err(|error| error.to_string())
}

fn read(members: &[Member<'_>]) -> Result<Vec<Record>, String> {
    read_bytes(&TempDir::new().unwrap(), &archive(members))
}

pub(crate) fn field(record: &Record, name: &str) -> (Level, usize, Values) {
    let field = record.field(name).unwrap_or_else(|| panic!("{name} is missing"));
    (field.level, field.width, field.values.clone())
}

/// rMD17's arrays: two structures of the same two atoms.
pub(crate) fn md17() -> [Member<'static>; 5] {
    let numbers: Vec<f64> = (0..12).map(f64::from).collect();
    [
        ("nuclear_charges", ArrayType::U8, &[2], vec![8, 1]),
        ("coords", ArrayType::F64, &[2, 2, 3], f64s(&numbers)),
        ("energies", ArrayType::F64, &[2, 1], f64s(&[-1.0, f64::NAN])),
        ("forces", ArrayType::F64, &[2, 2, 3], f64s(&numbers)),
        ("old_indices", ArrayType::U16, &[2], vec![7, 0, 9, 0]),
    ]
}

#[test]
fn structures_of_the_same_atoms() {
    let all = read(&md17()).unwrap();
    assert_eq!((all.len(), field(&all[1], "z")), (2, (Level::NODE, 1, Values::I64(vec![8, 1]))));
    assert_eq!(field(&all[1], "forces").2, Values::F64(vec![6.0, 7.0, 8.0, 9.0, 10.0, 11.0]));
    assert_eq!(field(&all[0], "energy"), (Level::Graph, 1, Values::F64(vec![-1.0])));
    assert!(all[1].field("energy").is_none());
    assert_eq!(field(&all[1], "old_indices"), (Level::Graph, 1, Values::I64(vec![9])));
}

#[test]
fn structures_in_rows_that_are_filled_up_or_one_after_the_other() {
    let numbers: Vec<f64> = (0..12).map(f64::from).collect();
    let filled = read(&[
        ("z", ArrayType::I32, &[2, 2], [8, 1, 2, 0_i32].iter().flat_map(|z| z.to_le_bytes()).collect()),
        ("R", ArrayType::F64, &[2, 2, 3], f64s(&numbers)),
        ("charges", ArrayType::F64, &[2, 2], f64s(&[1.0, 2.0, 3.0, 0.0])),
    ]);
    let filled = filled.unwrap();
    assert_eq!((filled[0].nodes, filled[1].nodes), (2, 1));
    assert_eq!(field(&filled[1], "pos").2, Values::F64(vec![6.0, 7.0, 8.0]));
    assert_eq!(field(&filled[1], "charges"), (Level::NODE, 1, Values::F64(vec![3.0])));

    let joined = |counts: Member<'static>| {
        read(&[
            ("z", ArrayType::U8, &[3], vec![8, 1, 2]),
            ("pos", ArrayType::F64, &[3, 3], f64s(&numbers[..9])),
            counts,
            ("stress", ArrayType::F64, &[2, 6], f64s(&numbers)),
            ("tags", ArrayType::Bool, &[3], vec![0, 1, 1]),
        ])
    };
    let all = joined(("n_atoms", ArrayType::U8, &[2], vec![2, 1])).unwrap();
    assert_eq!(joined(("ptr", ArrayType::I8, &[3], vec![0, 2, 3])).unwrap(), all);
    assert_eq!(field(&all[1], "tags"), (Level::NODE, 1, Values::Bool(vec![true])));
    let stress = vec![0.0, 5.0, 4.0, 5.0, 1.0, 3.0, 4.0, 3.0, 2.0];
    assert_eq!(field(&all[0], "stress"), (Level::Graph, 9, Values::F64(stress)));
}

#[test]
fn three_numbers_beside_three_atoms_are_of_the_atoms_and_that_is_said() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("water.npz");
    let vector = |name| (name, ArrayType::F64, &[2, 3][..], f64s(&[1.0; 6]));
    let water = [
        ("nuclear_charges", ArrayType::U8, &[3][..], vec![8, 1, 1]),
        ("coords", ArrayType::F64, &[2, 3, 3], f64s(&[1.0; 18])),
        vector("partial"),
        vector("dipole"),
        ("cell", ArrayType::F64, &[2, 3, 3], f64s(&[2., 0., 0., 0., 2., 0., 0., 0., 2.].repeat(2))),
        ("pbc", ArrayType::Bool, &[2, 3], vec![1; 6]),
    ];
    fs::write(&path, archive(&water)).unwrap();
    let mut records = npz::records(&path).unwrap();
    let mut record = Record::default();
    assert!(records.next(&mut record).unwrap());
    let levels = ["partial", "dipole", "cell", "pbc"].map(|name| field(&record, name).0);
    assert_eq!(levels, [Level::NODE, Level::Graph, Level::Graph, Level::Graph]);
    let said = "partial: read as a number per atom of three, not as a vector of the structure";
    assert_eq!(records.skipped(), [said]);
}

#[test]
fn fields_have_the_axes_of_their_arrays() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("two.npz");
    let numbers =
        |name, shape: &'static [usize]| (name, ArrayType::F64, shape, f64s(&vec![1.0; shape.iter().product()]));
    let two = [
        ("nuclear_charges", ArrayType::U8, &[4][..], vec![8, 1, 1, 1]),
        numbers("coords", &[2, 4, 3]),
        numbers("energy", &[2, 1]),
        numbers("charges", &[2, 4, 1]),
        numbers("hirshfeld", &[2, 4, 1]),
        numbers("moments", &[2, 4, 2, 3]),
        numbers("gap", &[2]),
        numbers("polarizability", &[2, 3, 3]),
        numbers("virial", &[2, 9]),
    ];
    fs::write(&path, archive(&two)).unwrap();
    let store = Pieces::open(&path, &Fields::default()).unwrap().read().unwrap();
    let found = store.schema().fields().iter().map(|field| (&*field.name, &field.row[..]));
    let expected: [(&str, &[usize]); 9] = [
        ("z", &[]),
        ("pos", &[3]),
        ("energy", &[]),
        ("charges", &[]),
        ("hirshfeld", &[1]),
        ("moments", &[2, 3]),
        ("gap", &[]),
        ("polarizability", &[3, 3]),
        ("virial", &[3, 3]),
    ];
    let found: std::collections::BTreeMap<_, _> = found.collect();
    assert_eq!(expected.map(|(name, _)| (name, found[name])), expected);
}

/// An array with a header as NumPy writes it.
fn raw(dtype: &str, fortran: &str, shape: &str, bytes: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{dtype}', 'fortran_order': {fortran}, 'shape': ({shape}), }}\n");
    [b"\x93NUMPY\x01\x00", &(header.len() as u16).to_le_bytes()[..], header.as_bytes(), bytes].concat()
}

#[test]
fn every_order_of_bytes_and_elements_is_read_and_other_arrays_are_listed() {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let big: Vec<u8> = [8_i16, 1].iter().flat_map(|z| z.to_be_bytes()).collect();
    // What np.asfortranarray(np.arange(12.).reshape(2, 2, 3)) has: the structure runs fastest.
    let columns = f64s(&[0., 6., 3., 9., 1., 7., 4., 10., 2., 8., 5., 11.]);
    let energies: Vec<u8> = [-1.5_f32, 2.5].iter().flat_map(|energy| energy.to_be_bytes()).collect();
    for (name, array) in [
        ("z", raw(">i2", "False", "2,", &big)),
        ("R", raw("<f8", "True", "2, 2, 3", &columns)),
        ("E", raw(">f4", "False", "2,", &energies)),
        ("meta", raw("<i8", "False", "1,", &[7, 0, 0, 0, 0, 0, 0, 0])),
        ("names", raw("|O", "False", "2,", b"\x80\x04")),
        ("phases", raw("<c16", "False", "2,", &[0; 32])),
    ] {
        zip.start_file(format!("{name}.npy"), SimpleFileOptions::default()).unwrap();
        zip.write_all(&array).unwrap();
    }
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.npz");
    fs::write(&path, zip.finish().unwrap().into_inner()).unwrap();
    let mut records = npz::records(&path).unwrap();
    let mut record = Record::default();
    for (pos, energy) in [([0., 1., 2., 3., 4., 5.], -1.5), ([6., 7., 8., 9., 10., 11.], 2.5)] {
        assert!(records.next(&mut record).unwrap());
        assert_eq!(field(&record, "z").2, Values::I64(vec![8, 1]));
        assert_eq!(field(&record, "pos").2, Values::F64(pos.to_vec()));
        assert_eq!(field(&record, "energy").2, Values::F64(vec![energy]));
    }
    assert!(!records.next(&mut record).unwrap());
    let listed = [
        "meta: left out, shape [1] for 2 structures",
        "names: left out, objects of Python, which only Python can read: save them as numbers or texts",
        "phases: left out, dtype <c16, which is neither numbers nor true and false",
    ];
    let skipped = records.skipped();
    assert!(listed.iter().all(|line| skipped.iter().any(|skipped| skipped == line)), "{skipped:?}");
    let mut records = npz::records(&path).unwrap();
    records.select(&["phases".into()]);
    let message = records.next(&mut record).unwrap_err().to_string();
    let expected = "phases: expected numbers, since the field is selected, found dtype <c16, which is neither numbers nor true and false";
    assert!(message.ends_with(expected), "{message}");
}

#[test]
fn what_is_not_understood_is_named() {
    let wrong = |at: usize, member: Member<'static>, expected: &str| {
        let mut members = md17();
        members[at] = member;
        let message = read(&members).unwrap_err();
        assert!(message.ends_with(expected), "{message:?} does not end with {expected:?}");
    };
    wrong(
        0,
        ("nuclear_charges", ArrayType::U8, &[2], vec![8, 0]),
        "structure 0, numbers: expected atomic numbers from 1 to 118, found 0 at atom 1",
    );
    wrong(0, ("charge", ArrayType::U8, &[2], vec![8, 1]), "old_indices [2]");
    wrong(0, ("z", ArrayType::U8, &[3], vec![8, 1, 1]), "found positions [2, 2, 3], elements [3]");
    wrong(
        4,
        ("cell", ArrayType::F64, &[3, 3], f64s(&[1.0; 9])),
        "array cell: expected a row for each of 2 structures or for each atom, found float64 of shape [3, 3]",
    );
    wrong(4, ("numbers", ArrayType::U8, &[2], vec![1; 2]), "found nuclear_charges and numbers");
    wrong(
        4,
        ("E", ArrayType::U8, &[2], vec![1; 2]),
        "array E: expected each name once, or a renaming, found a second energy beside energies",
    );
    wrong(
        3,
        ("F", ArrayType::F64, &[2, 3], f64s(&[1.0; 6])),
        "arrays, forces: expected a row for each of 2 atoms, found shape [3]",
    );
    wrong(
        4,
        ("old", ArrayType::U8, &[2, 1 << 40], vec![1; 2]),
        "array old: expected 1099511627776 bytes more, found 2",
    );
    wrong(
        4,
        ("old", ArrayType::U8, &[2], vec![1; 3]),
        "array old: expected as many numbers as its shape says, found more",
    );
}

/// The arrays of PhysNet and SpookyNet: two structures of up to two atoms.
pub(crate) fn physnet() -> [Member<'static>; 5] {
    let numbers: Vec<f64> = (0..12).map(f64::from).collect();
    [
        ("Z", ArrayType::U8, &[2, 2], vec![8, 1, 2, 0]),
        ("N", ArrayType::U8, &[2], vec![2, 1]),
        ("R", ArrayType::F64, &[2, 2, 3], f64s(&numbers)),
        ("E", ArrayType::F64, &[2], f64s(&[-1.0, -2.0])),
        ("F", ArrayType::F64, &[2, 2, 3], f64s(&numbers)),
    ]
}

#[test]
fn letters_are_names_and_a_renaming_says_what_an_array_is() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.npz");
    let read = |members: &[Member<'_>], select: Option<&[&str]>, rename: &[(&str, &str)]| {
        fs::write(&path, archive(members)).unwrap();
        let texts = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let rename = rename.iter().map(|(from, to)| ((*from).into(), (*to).into())).collect();
        let fields = Fields { select: select.map(texts), rename, ..Fields::default() };
        graphpack_formats::read(&path, &fields).map_err(|error| error.to_string())
    };
    let names = |store: &Store| store.schema().fields().iter().map(|field| field.name.clone()).collect::<Vec<_>>();
    let store = read(&physnet(), None, &[]).unwrap();
    assert_eq!(names(&store), ["z", "pos", "energy", "forces"]);
    assert_eq!(store.values::<i64>("z").unwrap(), [8, 1, 2]);
    assert_eq!(store.values::<f32>("forces").unwrap(), [0., 1., 2., 3., 4., 5., 6., 7., 8.]);
    // Names of the file and of records are as good, and what is no field may be renamed, too.
    for name in ["E", "energy"] {
        let store = read(&physnet(), Some(&[name]), &[(name, "y")]).unwrap();
        assert_eq!(
            (names(&store), store.values::<f64>("y").unwrap()),
            (vec!["z".into(), "pos".into(), "y".into()], vec![-1.0, -2.0])
        );
    }
    let mut unnamed = physnet();
    for (member, name) in unnamed.iter_mut().zip(["charges", "sizes", "xyz", "U", "dft"]) {
        member.0 = name;
    }
    assert!(read(&unnamed, None, &[]).unwrap_err().contains("expected one of the arrays z, numbers"));
    let rename = [("charges", "z"), ("sizes", "num_atoms"), ("xyz", "pos"), ("U", "energy"), ("dft", "forces")];
    let renamed = read(&unnamed, None, &rename).unwrap();
    assert_eq!((renamed.schema(), renamed.fingerprint()), (store.schema(), store.fingerprint()));
    let message = read(&unnamed, None, &[("chargess", "z"), ("charges", "z"), ("xyz", "pos")]).unwrap_err();
    assert!(message.contains("expected a field \"chargess\", found the fields "), "{message}");
}

#[test]
fn single_numbers_may_be_missing() {
    let (nan, folder) = (f64::NAN, TempDir::new().unwrap());
    let path = folder.path().join("a.npz");
    let mut members = physnet().to_vec();
    members.extend([
        ("levels", ArrayType::F64, &[2, 3][..], f64s(&[0.5, nan, 1.5, 2.5, 3.5, 4.5])),
        ("shift", ArrayType::F64, &[2, 2], f64s(&[1.0, 2.0, nan, 0.0])),
        ("nmr", ArrayType::F64, &[2, 2], f64s(&[nan, 2.0, 3.0, 0.0])),
    ]);
    fs::write(&path, archive(&members)).unwrap();
    let store = graphpack_formats::read(&path, &Fields::default()).unwrap();
    assert_eq!(store.values::<f32>("levels").unwrap(), [0.5, 0.0, 1.5, 2.5, 3.5, 4.5]);
    assert_eq!(store.values::<bool>("has_levels").unwrap(), [true, false, true, true, true, true]);
    // A structure that lacks all is one of graphs, one that lacks some is one of atoms.
    assert_eq!(store.values::<bool>("has_shift").unwrap(), [true, false]);
    assert_eq!(store.values::<f32>("nmr").unwrap(), [0.0, 2.0, 3.0]);
    assert_eq!(store.values::<bool>("has_nmr").unwrap(), [false, true, true]);
}

#[test]
fn files_of_macos_in_an_archive_are_no_arrays() {
    let mut zip = ZipWriter::new_append(Cursor::new(archive(&md17()))).unwrap();
    for name in ["__MACOSX/._coords.npy", "._forces.npy"] {
        zip.start_file(name, SimpleFileOptions::default()).unwrap();
        zip.write_all(b"\0\x05\x16\x07").unwrap();
    }
    let bytes = zip.finish().unwrap().into_inner();
    assert_eq!(read_bytes(&TempDir::new().unwrap(), &bytes), read(&md17()));
}

#[test]
fn damaged_files_end_in_messages() {
    let whole = archive(&md17());
    let folder = TempDir::new().unwrap();
    damaged(&whole, "a.npz", [1, 1], |bytes| read_bytes(&folder, bytes).map(drop));
}

#[test]
fn structures_that_cannot_be_read_are_left_out() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.npz");
    let energies = ("energy", ArrayType::F64, &[4_usize][..], f64s(&[1.0, 2.0, f64::INFINITY, 4.0]));
    let filled = [
        ("z", ArrayType::U8, &[4, 2][..], vec![1, 0, 0, 1, 8, 1, 2, 0]),
        ("pos", ArrayType::F64, &[4, 2, 3], f64s(&[0.5; 24])),
        ("num_atoms", ArrayType::U8, &[4], vec![1, 1, 2, 1]),
        energies.clone(),
    ];
    let joined = [
        ("z", ArrayType::U8, &[5][..], vec![1, 0, 8, 1, 2]),
        ("pos", ArrayType::F64, &[5, 3], f64s(&[0.5; 15])),
        ("num_atoms", ArrayType::U8, &[4], vec![1, 1, 2, 1]),
        energies,
    ];
    for members in [filled, joined] {
        fs::write(&path, archive(&members)).unwrap();
        let (store, lines) = left_out(&path).unwrap();
        assert_eq!(store.values::<f64>("energy").unwrap(), [1.0, 4.0]);
        assert_eq!(store.values::<i64>("z").unwrap(), [1, 2]);
        assert!(lines[0].starts_with("record 1: ") && lines[1].starts_with("record 2: "), "{lines:?}");
        assert!(lines[1].contains("a.npz, structure 2, energy: expected finite numbers"), "{lines:?}");
    }
    // Where the structures after it are, nobody knows.
    let counts = ("num_atoms", ArrayType::I8, &[2_usize][..], vec![1, 0xff]);
    let z = ("z", ArrayType::U8, &[2][..], vec![1, 1]);
    fs::write(&path, archive(&[z, ("pos", ArrayType::F64, &[2, 3], f64s(&[0.5; 6])), counts])).unwrap();
    let message = left_out(&path).unwrap_err();
    assert!(message.ends_with("array num_atoms: expected a number of atoms, found -1"), "{message}");
}

/// The records of a file of arrays, some of which are single texts.
pub(crate) fn with_texts(folder: &TempDir, members: &[Member<'_>], texts: &[(&str, &str)]) -> npz::NpzRecords {
    npz::records(written(folder, members, texts)).unwrap()
}

/// Such a file.
pub(crate) fn written(folder: &TempDir, members: &[Member<'_>], texts: &[(&str, &str)]) -> PathBuf {
    let mut zip = ZipWriter::new_append(Cursor::new(archive(members))).unwrap();
    for (name, text) in texts {
        zip.start_file(format!("{name}.npy"), SimpleFileOptions::default()).unwrap();
        let bytes: Vec<u8> = text.chars().flat_map(|letter| u32::from(letter).to_le_bytes()).collect();
        zip.write_all(&raw(&format!("<U{}", text.len()), "False", "", &bytes)).unwrap();
    }
    let path = folder.path().join("u.npz");
    fs::write(&path, zip.finish().unwrap().into_inner()).unwrap();
    path
}

#[test]
fn units_that_arrays_say_are_those_of_the_fields() {
    let folder = TempDir::new().unwrap();
    let units = |texts: &[(&str, &str)]| {
        let records = with_texts(&folder, &md17(), texts);
        ["pos", "energy", "forces", "z"].map(|field| records.unit(field).map(str::to_owned))
    };
    assert_eq!(units(&[]), [None, None, None, None]);
    let of_both = [Some("angstrom"), Some("eV"), Some("eV/angstrom"), None].map(|unit| unit.map(str::to_owned));
    assert_eq!(units(&[("r_unit", "Ang"), ("e_unit", "kcal/mol")]), of_both);
}

#[test]
fn stress_and_all_energies_are_converted_with_the_others() {
    let folder = TempDir::new().unwrap();
    let numbers = f64s(&[1.0; 18]);
    let mut members = md17().to_vec();
    members.extend([
        ("stress", ArrayType::F64, &[2, 3, 3][..], numbers.clone()),
        ("virials", ArrayType::F64, &[2, 3, 3], numbers),
        ("free_energy", ArrayType::F64, &[2], f64s(&[1.0; 2])),
        ("old_energies", ArrayType::F64, &[2], f64s(&[1.0; 2])),
    ]);
    let mut records = with_texts(&folder, &members, &[("r_unit", "nm"), ("e_unit", "meV")]);
    let mut record = Record::default();
    assert!(records.next(&mut record).unwrap());
    for (name, factor, unit) in [
        ("stress", 1e-3 / 1000.0, "eV/angstrom^3"),
        ("virials", 1e-3, "eV"),
        ("free_energy", 1e-3, "eV"),
        ("old_energies", 1e-3, "eV"),
    ] {
        let (_, width, values) = field(&record, name);
        assert_eq!((values, records.unit(name)), (Values::F64(vec![factor; width]), Some(unit)), "{name}");
    }
}
