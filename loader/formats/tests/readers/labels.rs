//! Labels of texts: what a cell is, what becomes of those that cannot be read, and tables as people have them.

use super::{all, file, left_out, records_of};
use graphpack_formats::records::{Records, Values};
use graphpack_formats::sdf::{self, SdfOptions};
use graphpack_formats::smiles::{self, SmilesOptions};
use graphpack_formats::{Change, Convert, DataFile, Fields, FileFormat, Pieces, ReadOptions, histogram_csv, read};
use graphpack_loader::store::StoreWriter;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Molecules with these cells `y`, as csv and as SDF.
fn files(folder: &TempDir, cells: &[&str]) -> [PathBuf; 2] {
    let rows: String = cells.iter().map(|cell| format!("C,{cell}\n")).collect();
    let carbon =
        "carbon\n\n\n  1  0  0  0  0  0  0  0  0  0999 V2000\n    0.0       0.0       0.0    C   0  0\nM  END\n";
    let molecules: String = cells.iter().map(|cell| format!("{carbon}> <y>\n{cell}\n\n$$$$\n")).collect();
    [file(folder, "mols.csv", &format!("smiles,y\n{rows}")), file(folder, "mols.sdf", &molecules)]
}

fn selected(names: &[&str]) -> Fields {
    Fields { select: Some(names.iter().map(|name| (*name).to_owned()).collect()), ..Fields::default() }
}

#[test]
fn a_label_with_a_cell_that_cannot_be_read_is_named_or_an_error() {
    let folder = TempDir::new().unwrap();
    for (cells, expected) in [
        (["1", "0.5", "<5"], "expected a number or nothing, found \"<5\""),
        (["1", "", "inf"], "expected a number or nothing, found \"inf\""),
        (["1", "2", "1e999"], "expected a number or nothing, found \"1e999\""),
        (["1", "2", "9223372036854775808"], "expected a number or nothing, found \"9223372036854775808\""),
        (["1", "2", "True"], "expected a number or nothing, found \"True\""),
        (["True", "nan", "1"], "expected true, false or nothing, found \"1\""),
        (["", "NA", "yes"], "expected a number, true, false or nothing, found \"yes\""),
    ] {
        for (path, place, what) in files(&folder, &cells).iter().zip(["line 4", "line 29"]).map(|(path, place)| {
            let what = if place == "line 4" { "column" } else { "data item" };
            (path, place, what)
        }) {
            let mut pieces = Pieces::open(path, &Fields::default()).unwrap();
            assert!(pieces.read().unwrap().schema().position("y").is_none());
            assert_eq!(pieces.skipped(), [format!("{what} y: left out, {place}: {expected}")]);
            let renamed = Fields { rename: vec![("y".into(), "z".into())], ..Fields::default() };
            for fields in [selected(&["y"]), renamed] {
                let error = Pieces::open(path, &fields).err().unwrap().to_string();
                assert_eq!(error, format!("{}, {place}, {what} y: {expected}", path.display()));
            }
        }
    }
}

#[test]
fn true_and_false_are_labels_and_empty_cells_are_masked() {
    let folder = TempDir::new().unwrap();
    for path in files(&folder, &["True", "", "FALSE"]) {
        let store = read(&path, &selected(&["y"])).unwrap();
        assert_eq!(store.values::<bool>("y").unwrap(), [true, false, false]);
        assert_eq!(store.values::<bool>("has_y").unwrap(), [true, false, true]);
    }
    for path in [["", "nan", "none"], ["-nan", "<NA>", "N/A"]].iter().flat_map(|cells| files(&folder, cells)) {
        let mut pieces = Pieces::open(&path, &Fields::default()).unwrap();
        pieces.read().unwrap();
        assert!(pieces.skipped()[0].ends_with("y: left out, all cells are empty"));
        let error = Pieces::open(&path, &selected(&["y"])).err().unwrap().to_string();
        assert!(error.ends_with("y: expected numbers, found only empty cells"), "{error}");
    }
}

#[test]
fn columns_without_a_name_are_no_targets() {
    let folder = TempDir::new().unwrap();
    let text = ",Unnamed: 0,smiles,y\n0,0,CCO,1\n1,1,CC,2\n";
    let mut pieces = Pieces::open(file(&folder, "pandas.csv", text), &Fields::default()).unwrap();
    let store = pieces.read().unwrap();
    let names: Vec<_> = store.schema().fields().iter().map(|field| &*field.name).collect();
    assert_eq!(names, ["x", "edge_attr", "y"]);
    assert_eq!(pieces.skipped(), [1, 2].map(|column| format!("column {column}: left out, it has no name")));
}

#[test]
fn smiles_are_found_by_what_they_are() {
    let folder = TempDir::new().unwrap();
    for (name, text) in [
        ("named.csv", "id,drug,y\na1,CCO,1\nb2,c1ccccc1O,2\nc3,CC(=O)N,3\n"),
        ("tabs.tsv", "drug\ty, in eV\nCCO\t1\nCCC\t2\nC\t3\n"),
        ("semicolons.csv", "\u{feff}\"drug\";\"y\"\r\nCCO;1\r\nCC;2\r\nC ; 3\r\n"),
        ("lines.smi", "CCO ethanol\nc1ccccc1\tbenzene\nC\n"),
        ("header.smi", "SMILES Name\nCCO ethanol\nCC ethane\nC methane\n"),
    ] {
        let path = file(&folder, name, text);
        assert_eq!(FileFormat::of(&path).unwrap(), FileFormat::Smiles, "{name}");
        let molecules = all(smiles::records(&path, &SmilesOptions::default()).unwrap());
        assert_eq!((molecules.len(), molecules[0].nodes), (3, 3), "{name}");
    }
    let lines = smiles::records(folder.path().join("lines.smi"), &SmilesOptions::default()).unwrap();
    assert_eq!(lines.skipped(), ["what follows the SMILES: left out, line 1 has \"ethanol\""]);

    let error = |path: &Path| smiles::records(path, &SmilesOptions::default()).err().unwrap().to_string();
    let two = file(&folder, "two.csv", "drug,target\nCCO,CC\nCCC,C\n");
    assert!(error(&two).ends_with("line 1: expected one column of SMILES, or its name, found several, drug, target"));
    let options = ReadOptions { smiles_column: Some("target".into()), ..ReadOptions::default() };
    let mut pieces = Pieces::with(&two, FileFormat::Smiles, &Fields::default(), &options).unwrap();
    assert_eq!(pieces.read().unwrap().size(0).unwrap()[0], 2);
    let none = file(&folder, "none.csv", "a,b\n1,2\n");
    assert!(error(&none).ends_with("found the columns a, b"), "{}", error(&none));
    let headless = file(&folder, "headless.csv", "CCO,1\nCC,2\n");
    let expected = "line 1: expected a header, or the name of the column of SMILES, found a row with \"CCO\"";
    assert!(error(&headless).ends_with(expected), "{}", error(&headless));
    let twice = file(&folder, "twice.csv", "smiles,SMILES\nC,CC\n");
    assert!(error(&twice).ends_with("expected one column smiles, found two, columns 1 and 2"), "{}", error(&twice));
}

#[test]
fn an_option_without_effect_is_an_error() {
    let folder = TempDir::new().unwrap();
    let [csv, sdf] = files(&folder, &["1"]);
    let options = ReadOptions { smiles_column: Some("smiles".into()), ..ReadOptions::default() };
    let error = DataFile { path: sdf.clone(), options, ..DataFile::default() }.read().err().unwrap().to_string();
    assert!(error.ends_with("mols.sdf: expected a table, of which a column has SMILES, found sdf"), "{error}");
    let options = ReadOptions { keeps_hydrogens: true, ..ReadOptions::default() };
    let file = |path: &PathBuf| DataFile { path: path.clone(), options: options.clone(), ..DataFile::default() };
    let error = file(&csv).read().err().unwrap().to_string();
    assert!(error.ends_with("mols.csv: expected SDF, of which hydrogen atoms are kept, found smiles"), "{error}");
    assert!(file(&sdf).read().is_ok());
}

#[test]
fn text_without_end_is_an_error_of_a_line() {
    let folder = TempDir::new().unwrap();
    let long = "a,".repeat(5 << 19);
    for (name, text, line) in [
        ("header.csv", long.clone(), "line 1"),
        ("row.csv", format!("smiles,y\nC,1\nC,{long}\n"), "line 3"),
        ("quote.csv", format!("smiles,y\nC,1\nC,\"{}", "1\n".repeat(5 << 19)), "line 3"),
    ] {
        let path = file(&folder, name, &text);
        let error = smiles::records(&path, &SmilesOptions::default()).err().unwrap().to_string();
        let expected = format!("{name}, {line}: expected lines of at most 4 MiB, found a longer one");
        assert!(error.contains(&expected), "{error}");
    }
    let path = file(&folder, "open.csv", "smiles,note\nC,\"two\nlines\"\nC,\"a\nC,b\nC,c\n");
    let error = smiles::records(&path, &SmilesOptions::default()).err().unwrap().to_string();
    assert!(error.ends_with("open.csv, line 4: expected quotes that are closed, found the end of the file"), "{error}");
    let numbers = "1, ".repeat(5 << 19);
    file(&folder, "tu/DS_A.txt", &numbers);
    let tu = file(&folder, "tu/DS_graph_indicator.txt", &numbers);
    let error = graphpack_formats::tu::records(tu.parent().unwrap()).err().unwrap().to_string();
    assert!(error.contains("DS_graph_indicator.txt, line 1: expected lines of at most 4 MiB"), "{error}");
    let error = sdf::records(file(&folder, "long.sdf", &numbers), &SdfOptions::default()).err().unwrap().to_string();
    assert!(error.contains("line 1: expected lines of less than 1048576 bytes"), "{error}");
}

#[test]
fn no_graphs_are_an_error() {
    let folder = TempDir::new().unwrap();
    for (name, text, found) in [("empty.csv", "smiles,y\n", "found none"), ("tu/DS_A.txt", "", "found none")] {
        file(&folder, "tu/DS_graph_indicator.txt", "");
        let path = file(&folder, name, text);
        let path = if name.starts_with("tu") { path.parent().unwrap().to_owned() } else { path };
        let mut writer = StoreWriter::create(folder.path().join("out")).unwrap();
        let converted = Convert::default().run(std::slice::from_ref(&path), &mut writer, |_| {}).map(drop);
        let file = DataFile { path: path.clone(), ..DataFile::default() }.read().map(drop);
        for result in [converted, file, Pieces::open(&path, &Fields::default()).unwrap().read().map(drop)] {
            let error = result.unwrap_err().to_string();
            assert!(error.contains(&format!("{}: expected graphs, {found}", path.display())), "{error}");
        }
    }
}

#[test]
fn records_that_cannot_be_read_are_left_out_where_that_is_asked_for() {
    let folder = TempDir::new().unwrap();
    let [csv, sdf] = files(&folder, &["1", "<5", "3"]);
    let damaged = file(&folder, "more.csv", "smiles,y\nC,1\nC1CC,2\nC,3,4\nCC,5\n");
    let skip = ReadOptions { skips_errors: true, ..ReadOptions::default() };
    let named = [
        (csv, vec!["record 1: ", "mols.csv, line 3, column y: expected a number or nothing, found \"<5\""]),
        (sdf, vec!["record 1: ", "mols.sdf, line 19, data item y: expected a number or nothing, found \"<5\""]),
        (
            damaged,
            vec!["record 1: ", "line 3: expected rings that are closed", "record 2: ", "line 4: expected 2 cells as"],
        ),
    ];
    for (path, expected) in named {
        let fields = selected(&["y"]);
        let mut pieces = Pieces::with(&path, FileFormat::of(&path).unwrap(), &fields, &skip).unwrap();
        let store = pieces.read().unwrap();
        assert_eq!((store.len(), pieces.failed()), (2, expected.len() as u64 / 2));
        assert_eq!(store.values::<i64>("y").unwrap()[0], 1);
        let lines = pieces.skipped().join("\n");
        assert!(expected.iter().all(|text| lines.contains(text)), "{lines}");
    }
    // A row with another number of cells does not say what its column is.
    let ragged = file(&folder, "ragged.csv", "smiles,y\nC,1\nC,x,4\nCC,5\n");
    let mut pieces = Pieces::with(&ragged, FileFormat::Smiles, &Fields::default(), &skip).unwrap();
    assert_eq!(pieces.read().unwrap().values::<i64>("y").unwrap(), [1, 5]);
}

#[test]
fn a_structure_that_cannot_be_read_is_left_out_of_xyz() {
    let folder = TempDir::new().unwrap();
    let good = "1\nenergy=1\nH 0 0 0\n";
    let bad = [
        ("2\nenergy=2\nH 0 0 0\n", "line 7"),
        ("1\nenergy=2\nH 0 x 0\n", "line 6"),
        ("one\nenergy=2\nH 0 0 0\n", "line 4"),
        ("1\n2\nQq 0 0 0\n", "line 6"),
        ("1\nProperties=pos:R:3 energy=2\n0 0 0\n", "line 5"),
        ("1\nProperties=species:S:1:pos:R:3 energy=\"1 2\"\nH 0 0 0\n", "line 5, energy"),
    ];
    for (bad, place) in bad {
        let path = file(&folder, "a.xyz", &[good, bad, good, bad, good].concat());
        assert!(read(&path, &Fields::default()).is_err(), "{bad}");
        let skip = ReadOptions { skips_errors: true, ..ReadOptions::default() };
        let mut pieces = Pieces::with(&path, FileFormat::Xyz, &Fields::default(), &skip).unwrap();
        let store = pieces.read().unwrap();
        let lines = pieces.skipped();
        assert_eq!((store.len(), pieces.failed()), (3, 2), "{bad} {lines:?}");
        assert!(lines[0].starts_with("record 1: ") && lines[0].contains(place), "{place} in {lines:?}");
        assert!(lines[1].starts_with("record 3: "), "{lines:?}");
        assert_eq!(store.values::<f64>("energy").unwrap_or_default(), [1.0; 3]);
    }
    // A structure with more atoms than it says is not cut.
    for more in ["H 0 0 1\n", "H 0 0 1\nH 0 0 2\n", "\n\nH 0 0 1\n"] {
        let path = file(&folder, "a.xyz", &[good, good, more, good].concat());
        let expected = "expected the number of atoms of another frame, after the 1 of frame 1, found \"H 0 0 1\"";
        let line = 7 + more.find('H').unwrap();
        let error = read(&path, &Fields::default()).unwrap_err().to_string();
        assert_eq!(error, format!("{}, line {line}: {expected}", path.display()));
        let (store, lines) = left_out(&path).unwrap();
        assert_eq!((store.len(), lines.len()), (2, 1), "{lines:?}");
        assert!(lines[0].starts_with("record 1: ") && lines[0].ends_with(expected), "{lines:?}");
    }
    let path = file(&folder, "a.xyz", &[good, "2\n\nH 0 0 0\n"].concat());
    let skip = ReadOptions { skips_errors: true, ..ReadOptions::default() };
    let mut pieces = Pieces::with(&path, FileFormat::Xyz, &Fields::default(), &skip).unwrap();
    assert_eq!((pieces.read().unwrap().len(), pieces.failed()), (1, 1), "the last is cut");
}

#[test]
fn a_structure_that_cannot_be_connected_is_left_out() {
    let folder = TempDir::new().unwrap();
    let path = file(&folder, "a.xyz", "1\n\nH 0 0 0\n1\n\nHe 0 0 0\n1\n\nLi 0 0 0\n");
    let both = file(&folder, "b.xyz", "1\n\nH 0 0 0\n1\n\nQq 0 0 0\n1\n\nHe 0 0 0\n1\n\nLi 0 0 0\n");
    let change: &Change = &|store| match store.values::<i64>("z")?.contains(&2) {
        true => Err("helium has no bonds".into()),
        false => Ok(store),
    };
    let convert = |path: &PathBuf, skips_errors| {
        let options = ReadOptions { skips_errors, ..ReadOptions::default() };
        let mut writer = StoreWriter::create(folder.path().join("out")).unwrap();
        let convert = Convert { options, change: Some(change), ..Convert::default() };
        convert.run(std::slice::from_ref(path), &mut writer, |_| {})
    };
    assert!(convert(&path, false).unwrap_err().to_string().contains("helium has no bonds"));
    let converted = convert(&path, true).unwrap();
    assert_eq!((converted.graphs, converted.failed), (2, 1));
    let listed = &converted.skipped;
    assert!(listed[0].contains("a.xyz: record 1: ") && listed[0].ends_with("helium has no bonds"), "{listed:?}");
    // With one number for each record of the file, whatever is wrong with it.
    let converted = convert(&both, true).unwrap();
    assert_eq!((converted.graphs, converted.failed), (2, 2));
    let listed = &converted.skipped;
    assert!(listed[0].contains("b.xyz: record 1: ") && listed[1].contains("b.xyz: record 2: "), "{listed:?}");
    let skip = ReadOptions { skips_errors: true, ..ReadOptions::default() };
    let mut pieces = Pieces::with(&both, FileFormat::Xyz, &Fields::default(), &skip).unwrap();
    assert_eq!(pieces.read_changed(change).unwrap().values::<i64>("z").unwrap(), [1, 3]);
    assert_eq!(pieces.failed(), 2);
}

#[test]
fn targets_stay_with_their_graphs_where_one_is_left_out() {
    let folder = TempDir::new().unwrap();
    let path = file(&folder, "mols.csv", "smiles\nC\nC1CC\nCCC\n");
    let targets = file(&folder, "y.csv", "y\n0.5\n1.5\n2.5\n");
    let skip = ReadOptions { skips_errors: true, ..ReadOptions::default() };
    let pieces = Pieces::with(&path, FileFormat::Smiles, &Fields::default(), &skip).unwrap();
    let store = pieces.with_targets(targets, &["y"]).unwrap().read().unwrap();
    assert_eq!((store.values::<f32>("y").unwrap(), store.size(1).unwrap()[0]), (vec![0.5, 2.5], 3));
    let few = file(&folder, "few.csv", "y\n0.5\n1.5\n");
    let pieces = Pieces::with(&path, FileFormat::Smiles, &Fields::default(), &skip).unwrap();
    let error = pieces.with_targets(few, &["y"]).unwrap().read().unwrap_err().to_string();
    assert!(error.ends_with("few.csv: expected a row for each graph, found 2 rows"), "{error}");
}

#[test]
fn integers_stay_integers_in_one_column_of_numbers() {
    let folder = TempDir::new().unwrap();
    let path = file(&folder, "a.csv", "smiles,y\nC,16777217\nC,2\n");
    assert_eq!(read(&path, &Fields::default()).unwrap().values::<i64>("y").unwrap(), [16_777_217, 2]);
    let path = file(&folder, "b.csv", "smiles,y\nC,16777217\nC,0.5\n");
    let error = read(&path, &Fields::default()).unwrap_err().to_string();
    assert!(error.ends_with("found 16777217, which float32 rounds"), "{error}");
    let double = Fields { double: Some(true), ..Fields::default() };
    assert_eq!(read(&path, &double).unwrap().values::<f64>("y").unwrap(), [16_777_217.0, 0.5]);
    let values = records_of(smiles::records(&path, &SmilesOptions::default()).unwrap()).unwrap().0;
    assert_eq!(values[0].field("y").unwrap().values, Values::I64(vec![16_777_217]));
}

#[test]
#[cfg(unix)]
fn a_pipe_is_not_waited_for() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    let errors = [
        FileFormat::of(&path).map(drop).unwrap_err().to_string(),
        FileFormat::Xyz.open(&path).map(drop).unwrap_err().to_string(),
        smiles::records(&path, &SmilesOptions::default()).map(drop).unwrap_err().to_string(),
        sdf::records(&path, &SdfOptions::default()).map(drop).unwrap_err().to_string(),
    ];
    let expected = "pipe: expected a file or a folder, which can be read more than once, found a pipe or a device";
    assert!(errors.iter().all(|error| error.ends_with(expected)), "{errors:?}");
}

#[test]
fn a_record_that_is_left_out_decides_nothing_for_the_others() {
    let folder = TempDir::new().unwrap();
    let skip = ReadOptions { skips_errors: true, ..ReadOptions::default() };
    let good = "1\nProperties=species:S:1:pos:R:3 dipole=\"1 2\" energy=1\nH 0 0 0\n";
    let bad = "1\nProperties=species:S:1:pos:R:3 dipole=\"1 2 3\" energy=x\nH 0 0 0\n";
    let path = file(&folder, "a.xyz", &[bad, good, good].concat());
    let mut pieces = Pieces::with(&path, FileFormat::Xyz, &Fields::default(), &skip).unwrap();
    let store = pieces.read().unwrap();
    assert_eq!((store.len(), pieces.failed()), (2, 1), "{:?}", pieces.skipped());
    // A row whose first column would be true or false, and whose second is no number.
    let path = file(&folder, "b.xyz", &"1\n\nH 0 0 0\n".repeat(3));
    let csv = file(&folder, "b.csv", "a,b\ntrue,?\n1,2\n3,4\n");
    let pieces = Pieces::with(&path, FileFormat::Xyz, &Fields::default(), &skip).unwrap();
    let mut pieces = pieces.with_targets(csv, &["a", "b"]).unwrap();
    assert_eq!(pieces.read().unwrap().values::<i64>("a").unwrap(), [1, 3]);
    assert_eq!(pieces.failed(), 1);
    let path = file(&folder, "c.csv", "smiles,a,b\nC,true,?\nC,1,2\nC,3,4\n");
    let mut pieces = Pieces::with(&path, FileFormat::Smiles, &selected(&["a", "b"]), &skip).unwrap();
    assert_eq!(pieces.read().unwrap().values::<i64>("a").unwrap(), [1, 3]);
    // Molecules that cannot be read, whose labels are true or no number.
    for fields in [Fields::default(), selected(&["y"])] {
        for mut path in files(&folder, &["True", "1", "<5", "2"]) {
            let text = std::fs::read_to_string(&path).unwrap();
            let (at, bad) = if text.contains("smiles") { ("C,", "C1CC,") } else { ("C   0", "Qq  0") };
            let parts: Vec<&str> = text.split(at).collect();
            let text = [parts[0], bad, parts[1], at, parts[2], bad, parts[3], at, parts[4]].concat();
            path = file(&folder, path.file_name().unwrap().to_str().unwrap(), &text);
            let mut pieces = Pieces::with(&path, FileFormat::of(&path).unwrap(), &fields, &skip).unwrap();
            assert_eq!(pieces.read().unwrap().values::<i64>("y").unwrap(), [1, 2], "{:?}", pieces.skipped());
            assert_eq!((pieces.failed(), pieces.skipped().len()), (2, 2));
        }
    }
}

#[test]
fn labels_that_no_graph_has_are_listed() {
    let folder = TempDir::new().unwrap();
    let xyz = "1\nProperties=species:S:1:pos:R:3 energy=nan free=none other=1 dipole=\nH 0 0 0\n";
    let path = file(&folder, "a.xyz", &xyz.repeat(2));
    let (store, notes) = left_out(&path).unwrap();
    assert!(["energy", "dipole", "free"].iter().all(|name| store.schema().position(name).is_none()));
    let note = |name: &str| format!("{name}: left out, it is empty, null or NaN in all graphs");
    assert_eq!(notes, ["dipole", "energy", "free"].map(note));
    let path = file(&folder, "c.xyz", "1\nProperties=species:S:1:pos:R:3 edge_index=5\nH 0 0 0\n");
    let (store, notes) = left_out(&path).unwrap();
    assert!(store.schema().position("edge_index").is_none());
    assert!(notes[0].starts_with("edge_index is passed over: batches have this name for edges"), "{notes:?}");
    assert!(read(&path, &selected(&["edge_index"])).is_err());
    // One graph that has it is enough.
    let path = file(&folder, "b.xyz", &format!("{xyz}{}", xyz.replace("energy=nan", "energy=2")));
    let (store, notes) = left_out(&path).unwrap();
    assert_eq!(store.values::<bool>("has_energy").unwrap(), [false, true]);
    assert_eq!(notes, ["dipole", "free"].map(note));
}

#[test]
fn data_items_twice_or_without_a_name_and_files_that_are_cut_are_found() {
    let folder = TempDir::new().unwrap();
    let carbon =
        "carbon\n\n\n  1  0  0  0  0  0  0  0  0  0999 V2000\n    0.0       0.0       0.0    C   0  0\nM  END\n";
    let path = file(&folder, "twice.sdf", &format!("{carbon}> <y>\n1\n\n> <y>\n2\n\n$$$$\n"));
    let error = left_out(&path).unwrap_err();
    let expected = "line 12 (carbon), data item y: expected it once in a molecule, found it twice";
    assert!(error.contains(expected), "{error}");
    let path = file(&folder, "text.sdf", &format!("{carbon}> <t>\na\n\n> <t>\nb\n\n$$$$\n"));
    let notes = left_out(&path).unwrap().1;
    assert!(notes.iter().any(|note| note.contains("data item t: twice")), "{notes:?}");
    for (items, expected) in [
        ("> y\n1\n\n", "data items without > <NAME>: left out, line 7 has \"> y\""),
        ("> <y\n1\n\n", "data items without > <NAME>: left out, line 7 has \"> <y\""),
        (">  DT12\n1\n\n", "data items without > <NAME>: left out, line 7 has \">  DT12\""),
        ("y 1\n", "lines outside of data items: left out, line 7 has \"y 1\""),
        ("> <z>\n1\n\n2\n", "lines outside of data items: left out, line 10 has \"2\""),
    ] {
        let path = file(&folder, "stray.sdf", &format!("{carbon}{items}$$$$\n"));
        assert_eq!(left_out(&path).unwrap().1, [expected], "{items:?}");
    }
    // As RDKit has it, the last molecule needs no end; half a number is none.
    for end in ["", "> <y>\n12\n\n", "> <y>\n12\n"] {
        let path = file(&folder, "open.sdf", &format!("{carbon}{end}"));
        assert_eq!(left_out(&path).unwrap().0.len(), 1, "{end:?}");
    }
    for end in ["> <y>\n1", "> <y>"] {
        let path = file(&folder, "cut.sdf", &format!("{carbon}{end}"));
        let error = left_out(&path).unwrap_err();
        assert!(error.contains("expected the end of a data item: a blank line or $$$$, found the end"), "{error}");
    }
    let skip = ReadOptions { skips_errors: true, ..ReadOptions::default() };
    let last = &carbon[..carbon.len() - 7];
    for cut in [last, &last[..60], "carbon\n\n", &format!("{carbon}> <y>\n1")] {
        let path = file(&folder, "last.sdf", &format!("{carbon}$$$$\n{cut}"));
        let mut pieces = Pieces::with(&path, FileFormat::Sdf, &Fields::default(), &skip).unwrap();
        assert_eq!((pieces.read().unwrap().len(), pieces.failed()), (1, 1), "{cut:?}");
    }
}

#[test]
fn quotes_that_are_not_closed_are_found_in_the_last_line_too() {
    let folder = TempDir::new().unwrap();
    for rows in ["CC,\"2", "CC,\"2\n", "CC,\"2\nC,3\n"] {
        let path = file(&folder, "open.csv", &format!("smiles,y\nC,1\n{rows}"));
        let error = left_out(&path).unwrap_err();
        assert!(error.contains("line 3: expected quotes that are closed, found the end of the file"), "{error}");
        let path = file(&folder, "h.csv", &format!("num_nodes,num_edges\n1,1\n{}", rows.replace('C', "1")));
        assert!(histogram_csv::read(&path).is_err());
    }
    for rows in ["CC,\"2\"", "CC,\"2\"\n", "CC,2\n\n"] {
        let path = file(&folder, "closed.csv", &format!("smiles,y\nC,1\n{rows}"));
        assert_eq!(left_out(&path).unwrap().0.len(), 2, "{rows:?}");
    }
}
