//! XYZ files.

use super::{all, file, records_of};
use graphpack_formats::records::{Record, Records, Values};
use graphpack_formats::{Fields, FileFormat, xyz};
use graphpack_loader::schema::PaddingValue::{Cell, Positions};
use graphpack_loader::{Data, Edges, Error, ErrorKind, Level, Size, Store};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

pub(crate) const WATER: &str = "3\nwater\nO 0 0 0.1\nH 0.75 0 -0.45 extra\n1 -0.75 0 -0.45\n\n1\nhelium\nhe 0 0 0\n";

/// The first file of QM9 in its layout, and a molecule with a number as Mathematica writes it.
const QM9: &str = "5\ngdb 1\t157.7118\t157.70997\t157.70699\t0.\t13.21\t-0.3877\t0.1171\t0.5048\t35.3641\t0.044749\t\
    -40.47893\t-40.476062\t-40.475117\t-40.498597\t6.469\t\n\
    C\t-0.0126981359\t 1.0858041578\t 0.0080009958\t-0.535689\n\
    H\t 0.002150416\t-0.0060313176\t 0.0019761204\t 0.133921\n\
    H\t 1.0117308433\t 1.4637511618\t 0.0002765748\t 0.133922\n\
    H\t-0.540815069\t 1.4475266138\t-0.8766437152\t 0.133923\n\
    H\t-0.5238136345\t 1.4379326443\t 0.9063972942\t 0.133923\n\
    1341.307\t1341.3284\t1341.365\t1562.6731\t1562.7453\t3038.3205\t3151.6034\t3151.6788\t3151.7078\n\
    C\tC\t\nInChI=1S/CH4/h1H4\tInChI=1S/CH4/h1H4\n\
    2\ngdb 9\t0.\t1.5*^1\t15.\t0.\t1.\t1.\t1.\t1.\t1.\t1.\t1.\t1.\t1.\t1.\t1.\t\n\
    C\t0.\t 0.\t-1.2*^-6\t0.1\nN\t0.\t0.\t1.1\t-0.1\n100.\nC#N\tC#N\t\nInChI=1S/CHN/c1-2/h1H\tInChI=1S/CHN/c1-2/h1H\n";

fn read(text: &str) -> Result<Vec<Record>, Error> {
    let folder = TempDir::new().unwrap();
    records_of(xyz::records(file(&folder, "a.xyz", text)).unwrap()).map(|(records, _)| records)
}

fn skipped(text: &str) -> Vec<String> {
    let folder = TempDir::new().unwrap();
    records_of(xyz::records(file(&folder, "a.xyz", text)).unwrap()).unwrap().1
}

fn floats<'a>(record: &'a Record, name: &str) -> &'a [f64] {
    match record.field(name) {
        Some(field) => match &field.values {
            Values::F64(values) => values,
            other => panic!("{name}: {other:?}"),
        },
        None => panic!("no {name} in {record:?}"),
    }
}

#[test]
fn padding_rows_suit_positions_and_cells() {
    let folder = TempDir::new().unwrap();
    let crystal = "1\nLattice=\"3 0 0 0 3 0 0 0 3\" Properties=species:S:1:pos:R:3\nCu 0 0 0\n";
    let read = |fields: &Fields| graphpack_formats::read(file(&folder, "a.xyz", crystal), fields).unwrap();
    let padding = |store: &Store, name: &str| store.schema().fields()[store.schema().position(name).unwrap()].padding;
    let store = read(&Fields::default());
    assert_eq!(["z", "pos", "cell"].map(|name| padding(&store, name)), [0.0.into(), Positions, Cell]);
    // The name in the file says what the field is.
    let renamed = read(&Fields { rename: vec![("pos".into(), "x".into())], ..Fields::default() });
    assert_eq!(padding(&renamed, "x"), Positions);
}

#[test]
fn structures_become_graphs() {
    let folder = TempDir::new().unwrap();
    for name in ["a.xyz", "a.xyz.gz", "B.XYZ"] {
        let path = file(&folder, name, WATER);
        let records = all(xyz::records(&path).unwrap());
        assert_eq!((records.len(), &*records[1].name), (2, "helium"));
        assert_eq!(records[0].field("z").unwrap().values, Values::I64(vec![8, 1, 1]));
        let data = Data::from(graphpack_formats::read(path, &Fields::default()).unwrap())
            .connect(Edges::FullyConnected)
            .unwrap();
        assert_eq!(data.sizes().unwrap().collect::<Vec<_>>(), [[3, 6], [1, 0]].map(Size::from));
    }
    assert_eq!(all(xyz::records(folder.path()).unwrap()).len(), 6, "all files of a folder");
    assert_eq!(FileFormat::of(folder.path()).unwrap(), FileFormat::Xyz);
    // What macOS writes beside a file, and a folder.
    file(&folder, "._a.xyz", "\0\u{5}\u{16}\u{7}");
    file(&folder, "more/c.xyz", WATER);
    let (records, skipped) = records_of(xyz::records(folder.path()).unwrap()).unwrap();
    assert_eq!(records.len(), 6);
    assert!(skipped.contains(&"more/: left out, a folder in a folder of files".to_owned()), "{skipped:?}");
    file(&folder, "D.DB", "");
    assert!(FileFormat::of(folder.path()).is_err(), "files of two formats");
}

#[test]
fn columns_are_found_by_name() {
    let orders = [
        ("species:S:1:pos:R:3:forces:R:3:tags:I:1:fixed:L:1", "H 1 2 3 -1 -2 -3 7 T"),
        ("forces:R:3:fixed:L:1:pos:R:3:tags:I:1:Z:I:1", "-1 -2 -3 T 1 2 3 7 1"),
        ("Z:I:1:tags:I:1:force:R:3:symbols:S:1:fixed:L:1:positions:R:3", "1\t7 -1 -2 -3 h True 1 2 3"),
    ];
    let mut found: Vec<Record> = orders
        .map(|(properties, atom)| read(&format!("1\r\nProperties={properties}\r\n{atom} \r\n")).unwrap().remove(0))
        .into();
    for record in &mut found {
        record.fields.sort_by(|a, b| a.name.cmp(&b.name));
    }
    let record = &found[0];
    assert_eq!((&found[1], &found[2]), (record, record));
    assert_eq!(record.field("z").unwrap().values, Values::I64(vec![1]));
    assert_eq!(record.field("fixed").unwrap().values, Values::Bool(vec![true]));
    assert_eq!(record.field("tags").unwrap().values, Values::I64(vec![7]));
    assert_eq!((floats(record, "pos"), floats(record, "forces")), (&[1., 2., 3.][..], &[-1., -2., -3.][..]));
    assert!(record.fields.iter().all(|field| field.level == Level::NODE || ["cell", "pbc"].contains(&&*field.name)));
}

#[test]
fn comments_become_fields_of_graphs() {
    let text = "1\nLattice=\"2 0 0 0 3 0 0 0 4\" Properties=species:S:1:pos:R:3:label:S:1 energy=-1 free_energy=-1.5 \
                stress=\"1 2 3 4 5 6\" virial=\"1 2 3 4 5 6 7 8 9\" charge=-1 spin=2 pbc=\"T F T\" dipole={1 2 3.5} \
                relaxed flags=\"T F\" name=\"a b\" method='PBE D3' table=\"_JSON [[1, 2], [3, 4]]\" missing=nan\n\
                Si 0 0 0 x\n";
    let record = &read(text).unwrap()[0];
    let is = |name: &str, width: usize, values: Values| {
        let field = record.field(name).unwrap_or_else(|| panic!("no {name}"));
        assert_eq!((field.level, field.width, &field.values), (Level::Graph, width, &values), "{name}");
    };
    is("cell", 9, Values::F64(vec![2., 0., 0., 0., 3., 0., 0., 0., 4.]));
    is("pbc", 3, Values::Bool(vec![true, false, true]));
    is("energy", 1, Values::F64(vec![-1.0]));
    is("free_energy", 1, Values::F64(vec![-1.5]));
    is("stress", 9, Values::F64(vec![1., 6., 5., 6., 2., 4., 5., 4., 3.]));
    // Nine numbers are column by column, as ASE reads them.
    is("virial", 9, Values::F64(vec![1., 4., 7., 2., 5., 8., 3., 6., 9.]));
    is("charge", 1, Values::I64(vec![-1]));
    is("spin", 1, Values::I64(vec![2]));
    is("dipole", 3, Values::F64(vec![1., 2., 3.5]));
    is("relaxed", 1, Values::Bool(vec![true]));
    is("flags", 2, Values::Bool(vec![true, false]));
    is("table", 4, Values::I64(vec![1, 2, 3, 4]));
    assert_eq!((record.name.as_str(), record.fields.len()), ("a b", 14));
    let skipped = skipped(text);
    assert_eq!(skipped.len(), 3, "{skipped:?}");
    assert!(skipped[0].starts_with("name: text, which names structures in messages"));
    assert!(skipped[1].starts_with("label is passed over: text (") && skipped[2].starts_with("method is passed over"));

    let cell = |comment: &str| {
        let record = read(&format!("1\n{comment}\nH 0 0 0\n")).unwrap().remove(0);
        (floats(&record, "cell")[0], record.field("pbc").unwrap().values.clone(), record.name, record.fields.len())
    };
    let pbc = |all| Values::Bool(vec![all; 3]);
    assert_eq!(cell("Lattice=\"1 0 0 0 1 0 0 0 1\""), (1.0, pbc(true), String::new(), 4));
    assert_eq!(cell("Lattice=\"1 0 0 0 1 0 0 0 1\" pbc=F"), (1.0, pbc(false), String::new(), 4));
    assert_eq!(
        cell("pbc=\"F F F\" energy=2.5 of methane"),
        (0.0, pbc(false), "pbc=\"F F F\" energy=2.5 of methane".into(), 5)
    );
    assert_eq!(cell("C1=CC=C(C)C=C1 benzene"), (0.0, pbc(false), "C1=CC=C(C)C=C1 benzene".into(), 4));
}

#[test]
fn original_files_of_qm9_are_read() {
    let records = read(QM9).unwrap();
    let [methane, acid] = &records[..] else { panic!("two molecules") };
    assert_eq!((methane.nodes, methane.name.as_str(), acid.name.as_str()), (5, "gdb 1", "gdb 9"));
    assert_eq!(floats(methane, "charges"), [-0.535689, 0.133921, 0.133922, 0.133923, 0.133923]);
    assert_eq!(floats(methane, "pos")[..3], [-0.0126981359, 1.0858041578, 0.0080009958]);
    for (name, value) in [("A", 157.7118), ("C", 157.70699), ("homo", -0.3877), ("u0", -40.47893), ("cv", 6.469)] {
        assert_eq!(floats(methane, name), [value]);
    }
    let skipped = skipped(QM9);
    assert!(skipped.len() == 1 && skipped[0].starts_with("the end of a molecule of QM9 is passed over"), "{skipped:?}");
    assert_eq!((floats(acid, "pos")[2], floats(acid, "B")), (-1.2e-6, &[15.0][..]));
    assert_eq!(read("1\ngdb 2\nN 0 0 0\n").unwrap()[0].name, "gdb 2", "a plain file");
    let folder = TempDir::new().unwrap();
    for (text, units) in [
        (QM9.to_owned(), [Some("angstrom"), Some("GHz"), Some("cal/(mol K)"), None]),
        (format!("{QM9}1\nA=1\nN 0 0 0\n"), [None; 4]),
    ] {
        let mut records = xyz::records(file(&folder, "u.xyz", &text)).unwrap();
        while records.next(&mut Record::default()).unwrap() {}
        assert_eq!(["pos", "A", "cv", "charges"].map(|field| records.unit(field)), units);
    }
    let wrong = |from: &str, to: &str, expected: &str| {
        let message = read(&QM9.replace(from, to)).unwrap_err().to_string();
        assert!(message.contains(expected), "{message}");
    };
    wrong("\t6.469", "", "a.xyz, line 2: expected gdb, a number and 15 properties, found \"gdb 1\\t157.7118");
    wrong("C\tC\t\n", "", "line 10: expected QM9's line of two InChI, found \"2\"");
    wrong("\t 0.133921", "", "line 4: expected 5 columns, found 4 columns");
}

#[test]
fn damaged_files_are_named_with_their_line() {
    let ends_with = |text: &str, expected: &str| {
        let message = read(text).unwrap_err().to_string();
        assert!(message.ends_with(&format!("a.xyz, {expected}")), "{message:?} does not end with {expected:?}");
    };
    ends_with("three\n", "line 1: expected a number of atoms, found \"three\"");
    ends_with("2\n", "line 2: expected the comment of a structure of 2 atoms, found the end of the file");
    ends_with("2\nx\nC 0 0 0\n", "line 4: expected atom 2 of 2, found the end of the file");
    ends_with("1\nx\nC 0 zero 0\n", "line 3, pos: expected a finite number, found \"zero\"");
    ends_with("1\nx\nC 0 0 nan\n", "line 3, pos: expected a finite number, found \"nan\"");
    ends_with("1\nx\nQq 0 0 0\n", "line 3, species: expected a chemical element, found \"Qq\"");
    ends_with("1\nx\nC 0 0\n", "line 3: expected 4 columns, found 3 columns");
    let of = |properties: &str, atom: &str| format!("1\nProperties={properties}\n{atom}\n");
    let all = "species:S:1:pos:R:3:forces:R:3";
    ends_with(&of(all, "C 0 0 0 1 1"), "line 3: expected 7 columns, found 6 columns");
    ends_with(&of(all, "C 0 0 0 1 1 1 1"), "line 3: expected 7 columns, found 8 columns");
    ends_with(&of(all, "C 0 0 0 1 1 inf"), "line 2, forces: expected finite numbers, found inf at atom 0, column 2");
    ends_with(&of("species:S:1:pos:R:3:x:I:1", "C 0 0 0 1.5"), "line 3, x: expected an integer, found \"1.5\"");
    ends_with(
        &of("species:S:1:pos:R:3:Z:I:1", "C 0 0 0 7"),
        "line 3, species: expected the same element as in the column before, found \"7\"",
    );
    let wrong = |properties: &str, expected: &str| {
        ends_with(
            &of(properties, "C 0 0 0"),
            &format!("line 2, Properties: expected {expected}, found {properties:?}"),
        );
    };
    wrong("species:S:1:forces:R:3", "pos:R:3 once among the columns");
    wrong("species:S:1:pos:R:3:positions:R:3", "pos:R:3 once among the columns");
    wrong("pos:R:3", "species:S:1 or Z:I:1 among the columns");
    wrong("species:S:1:pos:R:2", "pos:R:3");
    wrong("species:S:1:pos:R", "name:type:columns, repeated");
    wrong("species:S:1:pos:R:3:x:Q:1", "types S, R, I, L");
    wrong("species:S:1:pos:R:99999999999999999999", "from 1 to 10000 columns of a name");
    wrong("species:S:1:pos:R:3:forces:R:0", "from 1 to 10000 columns of a name");
    ends_with(
        &of("species:S:1:pos:R:3:forces:R:1", "C 0 0 0 1"),
        "line 2, forces: expected 3 numbers per atom, found 1 per atom",
    );
    ends_with(
        "1\nLattice=\"1 0 0 0 1 0 0 0\"\nC 0 0 0\n",
        "line 2, Lattice: expected nine numbers, found \"1 0 0 0 1 0 0 0\"",
    );
    ends_with(
        "1\nLattice=\"1 0 0 0 1 0 0 0 1\" pbc=\"T T\"\nC 0 0 0\n",
        "line 2, pbc: expected three times T or F, found \"T T\"",
    );
    ends_with(
        "1\nLattice=\"1 0 0 0 1 0 1 1 0\"\nC 0 0 0\n",
        "found a flat cell, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]]"
            .replacen("", "line 2, cell: expected independent cell vectors where the structure repeats (abc), ", 1)
            .as_str(),
    );
    for (key, value) in [("Lattice", "1 0 0 0 1 0 0 0 1"), ("pbc", "T T T"), ("Properties", "species:S:1:pos:R:3")] {
        let twice = format!("{key}=\"{value}\" energy=1 {}=\"{value}\"", key.to_lowercase());
        let expected = format!("line 2: expected each name once, found a second {key}");
        ends_with(&format!("1\n{twice}\nC 0 0 0\n"), &expected);
    }
    let dipole = |list: &str| format!("1\nLattice=\"1 0 0 0 1 0 0 0 1\" dipole=\"{list}\"\nC 0 0 0\n");
    ends_with(
        &(dipole("1 2 3") + &dipole("1")),
        "line 5, dipole: expected 3 numbers per structure as in the structures before, found 1 per structure",
    );

    let folder = TempDir::new().unwrap();
    let Err(missing) = xyz::records(folder.path().join("none.xyz")) else { panic!("there is no such file") };
    assert_eq!((missing.kind(), missing.path()), (ErrorKind::File, Some(&*folder.path().join("none.xyz"))));
    assert!(xyz::records(folder.path()).is_err_and(|error| { error.to_string().ends_with(".extxyz.zst, found none") }));
    let packed = file(&folder, "c.xyz.gz", &WATER.repeat(200));
    fs::write(&packed, &fs::read(&packed).unwrap()[..60]).unwrap();
    assert!(records_of(xyz::records(&packed).unwrap()).is_err());
}

#[test]
#[ignore = "needs the real data sets (GRAPHPACK_DATA)"]
fn on_real_data_alloys_are_what_ase_wrote() {
    let data = test_common::shared_data();
    let records = all(xyz::records(data.join("atoms/alloys.extxyz.gz")).unwrap());
    crate::alloys::assert_truth(&data, &records, 1e-5);
}

#[test]
fn what_plain_files_say_without_a_name_is_listed() {
    let folder = TempDir::new().unwrap();
    let path = file(&folder, "a.xyz", "2\n-1.5\nH 0 0 0 0.1 0.2 0.3\nH 0 0 1 0.1 0.2 0.3\n1\nE = -1.5 eV\nH 0 0 0\n");
    let (records, skipped) = records_of(xyz::records(&path).unwrap()).unwrap();
    assert_eq!((records[0].fields.len(), floats(&records[1], "E")), (4, &[-1.5][..]));
    let at = |line: u64| format!("({}, line {line})", path.display());
    let text = "text of the comment is passed over: without Properties only NAME=NUMBER is read, found \"-1.5\"";
    let columns = "what follows x, y, z is passed over: nothing says what these columns are";
    assert_eq!(skipped, [format!("{text} {}", at(2)), format!("{columns} {}", at(2))]);
    let unit = self::skipped("1\nE = -1.5 eV\nH 0 0 0\n");
    assert!(unit.len() == 1 && unit[0].contains("found \"E = -1.5 eV\""), "{unit:?}");
    assert_eq!(self::skipped("1\nE=-1.5\nH 0 0 0\n1\n\nH 0 0 0\n"), [""; 0]);
}

#[test]
fn what_programs_write_is_read() {
    // Fortran's numbers, which ASE takes for text.
    let fortran = "1\nProperties=species:S:1:pos:R:3 energy=-1.5D+02 key=\"D3\"\nH 0.0D+00 0 1.5d0\n";
    let record = &read(fortran).unwrap()[0];
    assert_eq!((floats(record, "energy"), floats(record, "pos")), (&[-150.0][..], &[0.0, 0.0, 1.5][..]));
    let skipped = skipped(fortran);
    assert!(skipped.len() == 1 && skipped[0].starts_with("key is passed over: text, \"D3\" ("), "{skipped:?}");

    // As ASE writes constraints; atoms have dipoles as structures have.
    let of = |columns: &str, atom: &str| read(&format!("1\nProperties=species:S:1:pos:R:3:{columns}\n{atom}\n"));
    let record = &of("move_mask:L:1:dipoles:R:3", "H 0 0 0 F 1 2 3").unwrap()[0];
    assert_eq!(record.field("fixed").unwrap().values, Values::Bool(vec![true]));
    assert_eq!((record.field("dipoles").unwrap().level, record.field("move_mask")), (Level::NODE, None));
    let record = &of("move_mask:L:3", "H 0 0 0 F T T").unwrap()[0];
    assert_eq!(record.field("move_mask").unwrap().values, Values::Bool(vec![false, true, true]));

    // ASE's molecules whose pbc was set.
    let text = "1\nProperties=species:S:1:pos:R:3 pbc=\"T T T\"\nH 0 0 0\n";
    assert_eq!(read(text).unwrap()[0].field("pbc").unwrap().values, Values::Bool(vec![false; 3]));
    assert!(self::skipped(text)[0].starts_with("pbc is passed over: there is no cell vector a to repeat along"));
}

#[test]
fn a_label_of_the_format_that_is_text_is_an_error_and_none_is_a_mask() {
    let with = |comment: &str| format!("1\nProperties=species:S:1:pos:R:3 {comment}\nH 0 0 0\n");
    let message = read(&(with("energy=1") + &with("energy=\"-1.5 eV\""))).unwrap_err().to_string();
    assert!(message.ends_with("line 5, energy: expected numbers, found \"-1.5 eV\""), "{message}");
    let text = with("energy=1 gap=2") + &with("energy=None gap=n/a");
    assert_eq!((read(&text).unwrap()[1].fields.len(), skipped(&text)), (4, vec![]));
}

#[test]
fn numbers_that_atoms_lack_are_masked() {
    let folder = TempDir::new().unwrap();
    let text = "2\nProperties=species:S:1:pos:R:3:shift:R:1 dipole=\"1 nan 3\"\nH 0 0 0 nan\nH 0 0 1 0.5\n\
        1\nProperties=species:S:1:pos:R:3\nH 0 0 0\n";
    let store = graphpack_formats::read(file(&folder, "a.xyz", text), &Fields::default()).unwrap();
    assert_eq!(store.values::<f32>("shift").unwrap(), [0.0, 0.5, 0.0]);
    assert_eq!(store.values::<bool>("has_shift").unwrap(), [false, true, false]);
    assert_eq!(store.values::<f32>("dipole").unwrap(), [1.0, 0.0, 3.0, 0.0, 0.0, 0.0]);
    assert_eq!(store.values::<bool>("has_dipole").unwrap(), [true, false, true, false, false, false]);
    let message = read(&text.replace("0.5", "inf")).unwrap_err().to_string();
    assert!(message.ends_with("line 2, shift: expected finite numbers, found inf at atom 1, column 0"), "{message}");
}

#[test]
fn two_names_of_one_thing_are_an_error_that_a_renaming_resolves() {
    let folder = TempDir::new().unwrap();
    let text = "1\nProperties=species:S:1:pos:R:3:atomic_forces:R:3:forces:R:3:charge:R:1\nH 0 0 0 1 2 3 4 5 6 7\n";
    let path = file(&folder, "a.xyz", text);
    let read = |path: &Path, rename: &[(&str, &str)]| {
        let rename = rename.iter().map(|(from, to)| ((*from).into(), (*to).into())).collect();
        let fields = Fields { rename, ..Fields::default() };
        graphpack_formats::read(path, &fields).map_err(|error| error.to_string())
    };
    let message = read(&path, &[]).unwrap_err();
    let expected = "line 2, Properties: expected one forces, and other names for the others, as a renaming gives them, \
        found atomic_forces and forces";
    assert!(message.ends_with(expected), "{message}");
    let forces = |store: &Store, name: &str| store.values::<f32>(name).unwrap();
    let store = read(&path, &[("atomic_forces", "f2")]).unwrap();
    assert_eq!((forces(&store, "forces"), forces(&store, "f2")), (vec![4., 5., 6.], vec![1., 2., 3.]));
    let store = read(&path, &[("forces", "f2")]).unwrap();
    assert_eq!((forces(&store, "f2"), forces(&store, "atomic_forces")), (vec![4., 5., 6.], vec![1., 2., 3.]));
    let store = read(&path, &[("forces", "f2"), ("atomic_forces", "forces")]).unwrap();
    assert_eq!((forces(&store, "f2"), forces(&store, "forces")), (vec![4., 5., 6.], vec![1., 2., 3.]));
    // Where there is one it has the name of records, too.
    let path = file(&folder, "b.xyz", &text.replace("atomic_forces:R:3:forces:R:3", "atomic_forces:R:3:other:R:3"));
    assert_eq!(forces(&read(&path, &[("forces", "y")]).unwrap(), "y"), [1., 2., 3.]);
    assert_eq!(forces(&read(&path, &[("atomic_forces", "y")]).unwrap(), "y"), [1., 2., 3.]);
    assert_eq!(forces(&read(&path, &[("charges", "y")]).unwrap(), "y"), [7.0]);
    let message = read(&path, &[("atomic_forces", "y"), ("forces", "z2")]).unwrap_err();
    assert!(message.contains("expected a field \"forces\""), "{message}");
}
