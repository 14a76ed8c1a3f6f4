//! SMILES: the graphs of OGB's data sets are OGB's own; what is no molecule is an error of its line.

use crate::ogb_features::OgbFeatures;
use crate::{all, file, refused};
use graphpack_formats::records::{Record, Records, Values};
use graphpack_formats::smiles::{self, SmilesOptions};
use graphpack_formats::{Fields, FileFormat};
use std::path::Path;
use tempfile::TempDir;
use test_common::shared_data;

#[test]
#[ignore = "needs the real data sets (GRAPHPACK_DATA)"]
fn on_real_data_graphs_of_ogb_are_equal_in_every_feature() {
    let data = shared_data();
    for name in ["ogbg_molhiv", "ogbg_molbbbp", "ogbg_molfreesolv"] {
        let folder = data.join("ogb_raw").join(name);
        let mut expected = OgbFeatures::open(&folder);
        let mut records = smiles::records(folder.join("mapping/mol.csv.gz"), &SmilesOptions::default()).unwrap();
        let (mut record, mut graphs, mut different) = (Record::default(), 0, Vec::new());
        while records.next(&mut record).unwrap() {
            if !expected.next_is(&record, true) {
                different.push(record.name.clone());
            }
            graphs += 1;
        }
        // Names of some, numbers of others.
        let notes = records.skipped();
        assert!(notes.iter().all(|note| note.starts_with("column mol_id: left out")), "{notes:?}");
        println!("{name}: {} of {} graphs equal", graphs - different.len(), expected.graphs());
        assert_eq!((graphs, different), (expected.graphs(), Vec::new()));
    }
}

#[test]
fn columns_of_numbers_become_targets_and_empty_cells_none() {
    let folder = TempDir::new().unwrap();
    let text = "mol_id,Smiles,active,gap,note\n1,CCO,1,-0.5,a\r\n2,c1ccccc1,,1e3,b\n\n3,\"[Na+].[Cl-]\",0,nan,c\n";
    let path = file(&folder, "set.csv.gz", text);
    let all = read(&path, &SmilesOptions::default());
    assert_eq!(all.iter().map(|record| record.nodes).collect::<Vec<_>>(), [3, 6, 2]);
    assert_eq!(all[2].edges, Some([vec![], vec![]]));
    let target = |record: &Record, name: &str| record.field(name).map(|field| field.values.clone());
    assert_eq!(target(&all[0], "active"), Some(Values::I64(vec![1])));
    assert_eq!((target(&all[1], "active"), target(&all[1], "gap")), (None, Some(Values::F64(vec![1000.0]))));
    assert_eq!((target(&all[2], "gap"), target(&all[2], "note")), (None, None));

    let options = SmilesOptions { targets: Some(vec!["gap".into()]), ..SmilesOptions::default() };
    let fields = |record: &Record| record.fields.iter().map(|field| field.name.to_string()).collect::<Vec<_>>();
    assert_eq!(fields(&read(&path, &options)[0]), ["x", "edge_attr", "gap"]);
    let error = |options: &SmilesOptions| smiles::records(&path, options).err().unwrap().to_string();
    let error_of = |name: &str| error(&SmilesOptions { targets: Some(vec![name.into()]), ..SmilesOptions::default() });
    assert!(error_of("note").ends_with("line 2, column note: expected a number, true, false or nothing, found \"a\""));
    assert!(error_of("homo").contains("line 1: expected a column homo, found mol_id, Smiles"), "{}", error_of("homo"));
    let other = SmilesOptions { column: Some("smile".into()), ..SmilesOptions::default() };
    assert!(error(&other).contains("expected a column smile, found mol_id"), "{}", error(&other));
}

#[test]
fn what_is_no_molecule_is_an_error_of_its_line() {
    let cases = [
        ("C1CC", "rings that are closed, found ring 1 opened at atom 0 only"),
        ("C(C", "as many ) as (, found 1 too few"),
        ("CC)C", "as many ( as ), found a ) too many at character 3"),
        ("C[Xx]C", "the symbol of an element, found 'X' at character 3"),
        ("C[CH2", "], found the end"),
        ("CC(C)(C)(C)C", "a valence of at most 4 for atom 1 (C), found 5"),
        ("c1cccc1", "aromatic atoms that double bonds can pair, found none for atoms 0 1 2 3 4"),
        ("cc", "aromatic atoms in rings only, found atom 0 in none"),
        ("C11", "rings of several atoms, found ring 1 from atom 0 to itself"),
        ("C12CC12", "one bond between two atoms, found ring 2 between atoms 0 and 2, which have one"),
        ("C==C", "an atom, found a bond at character 3"),
        ("=C", "an atom, found a bond at character 1"),
        ("CC.", "an atom, found the end"),
        ("C~C", "an atom, a bond or a ring, found '~' at character 2"),
        ("CC |^1:0|", "SMILES without CXSMILES extensions, found |^1:0|"),
        ("[C+999]", "a charge below 128, found ']' at character 7"),
        ("[C+-]", "], found '-' at character 4"),
        ("", "an atom, found the end"),
        ("C%1C", "two digits or a number in parentheses, found '1' at character 3"),
        ("Cé", "an atom, a bond or a ring, found 'é' at character 2"),
    ];
    let folder = TempDir::new().unwrap();
    let lines: Vec<String> = cases.iter().map(|(text, _)| format!("\"{text}\",C")).collect();
    let path = file(&folder, "bad.csv", &format!("smiles,other\n{}\nCC,C\n", lines.join("\n")));
    let (all, errors) = refused(smiles::records(&path, &SmilesOptions::default()).unwrap());
    assert_eq!((all.len(), &*all[0].name, errors.len()), (1, "CC", cases.len()));
    for (at, ((text, message), error)) in cases.iter().zip(&errors).enumerate() {
        assert_eq!(*error, format!("{}, line {}: expected {message} in {text:?}", path.display(), at + 2));
    }
}

#[test]
fn writing_a_molecule_otherwise_changes_no_feature() {
    // Kekulé's form, explicit hydrogens, nitro groups, turns around the other way, sides of a double bond.
    let pairs = [
        ("C1=CC=CC=C1", "c1ccccc1"),
        ("[H]C([H])([H])O[H]", "CO"),
        ("CN(=O)=O", "C[N+]([O-])=O"),
        ("C1=CNC=C1", "c1c[nH]cc1"),
        ("F/C=C/F", "F\\C=C\\F"),
        ("C[C@H](O)F", "C[C@@](O)([H])F"),
        ("C[C@@](C)(O)F", "CC(C)(O)F"),
    ];
    let features = |text: &str| {
        let mut record = Record::default();
        smiles::record(text, &mut record).unwrap();
        record.name.clear();
        record
    };
    for (one, other) in pairs {
        assert_eq!(features(one), features(other), "{one} and {other}");
    }
    // Ring 12, then nine rings of one digit.
    let ten = features("[U]%12123456789.C%12.C1.C2.C3.C4.C5.C6.C7.C8.C9");
    assert_eq!((ten.nodes, ten.edges.unwrap()[0].len()), (11, 20));
    assert_ne!(features("F/C=C/F"), features("F/C=C\\F"));
    assert_ne!(features("C[C@H](O)F"), features("C[C@@H](O)F"));
}

fn read(path: &Path, options: &SmilesOptions) -> Vec<Record> {
    all(smiles::records(path, options).unwrap())
}

#[test]
fn the_column_of_smiles_is_found_where_a_cell_goes_on_after_the_lines_that_are_looked_at() {
    let folder = TempDir::new().unwrap();
    // Ends of lines in quotes all over the place where the first 64 KiB end, and letters of several bytes before it.
    let row = |number: usize| format!("\"{}\n{}\",{}O\n", "\u{e4}".repeat(400), "b\n".repeat(300), "C".repeat(number));
    let text = "note,what\n".to_owned() + &(1..90).map(row).collect::<String>();
    assert!(text.len() > 100_000);
    let path = file(&folder, "notes.csv", &text);
    assert_eq!(FileFormat::of(&path).unwrap(), FileFormat::Smiles);
    assert_eq!(graphpack_formats::read(&path, &Fields::default()).unwrap().len(), 89);
}

#[test]
fn a_line_that_is_no_molecule_is_no_header() {
    let folder = TempDir::new().unwrap();
    let first_error = |name: &str, text: &str| {
        let path = file(&folder, name, text);
        assert_eq!(FileFormat::of(&path).unwrap(), FileFormat::Smiles);
        let records = smiles::records(&path, &SmilesOptions::default());
        let (_, errors) = records.map_or_else(|error| (vec![], vec![error.to_string()]), refused);
        errors.join("; ").replace(&path.display().to_string(), name)
    };
    let closed = "line 1: expected rings that are closed, found ring 1 opened at atom 0 only in \"C1CC\"";
    assert_eq!(first_error("a.smi", "C1CC\nCCO\nCCN\n"), format!("a.smi, {closed}"));
    assert_eq!(
        first_error("a.smi", "C1CC mol 1\nCCO mol 2\n"),
        format!("a.smi, {closed}").replace("CC\"", "CC mol 1\"")
    );
    assert!(
        first_error("a.smi", "C1CC\tmol\nCCO\tmol\n").starts_with(&format!("a.smi, {}", &closed[..closed.len() - 1]))
    );
    let header = "line 1: expected a header, or the name of the column of SMILES, found a row with \"C1CC\"";
    assert_eq!(first_error("a.csv", "C1CC,1\nCCO,2\nCCN,3\n"), format!("a.csv, {header}"));
    let lines = "CCO\nC(C\n".to_owned() + &"CCN\n".repeat(30);
    let second = "line 2: expected as many ) as (, found 1 too few in \"C(C\"";
    assert_eq!(first_error("b.smi", "CCO\nC(C\n"), format!("b.smi, {second}"));
    assert_eq!(first_error("b.txt", &lines), format!("b.txt, {second}"));
    assert_eq!(read(&file(&folder, "c.smi", "smiles name\nCCO a\n"), &SmilesOptions::default()).len(), 1);
    // What cannot be told from a header is said to be one.
    let guessed = smiles::records(file(&folder, "d.csv", "C1CC\nCCO\nCCN\n"), &SmilesOptions::default()).unwrap();
    assert_eq!(guessed.skipped(), ["line 1: taken for the header, SMILES are in the column \"C1CC\""]);
}
