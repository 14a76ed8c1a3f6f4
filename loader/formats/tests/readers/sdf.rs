//! SDF: the graphs of molbbbp drawn as V2000 and V3000 are OGB's own; damaged tables are errors of a line.

use crate::ogb_features::OgbFeatures;
use crate::{file, records_of, refused};
use graphpack_formats::records::{Record, Records, Values};
use graphpack_formats::sdf::{self, SdfOptions};
use tempfile::TempDir;
use test_common::shared_data;

/// Bonds that are wedges begin at the centre that they are drawn for, which turns some around.
#[test]
#[ignore = "needs the real data sets (GRAPHPACK_DATA)"]
fn on_real_data_graphs_of_molbbbp_are_equal_in_every_feature() {
    let data = shared_data();
    for (name, molecules) in [("molbbbp_v2000.sdf.gz", 2039), ("molbbbp_v3000.sdf.gz", 400)] {
        let mut expected = OgbFeatures::open(&data.join("ogb_raw/ogbg_molbbbp"));
        let mut records = sdf::records(data.join("sdf").join(name), &SdfOptions::default()).unwrap();
        let (mut record, mut graphs, mut different) = (Record::default(), 0, Vec::new());
        while records.next(&mut record).unwrap() {
            assert_eq!(record.field("index").unwrap().values, Values::I64(vec![graphs]), "all are read, in order");
            assert_eq!(record.field("pos").unwrap().values.len(), 3 * record.nodes);
            if !expected.next_is(&record, false) {
                different.push((graphs, record.name.clone()));
            }
            graphs += 1;
        }
        assert!(records.skipped()[0].starts_with("data item smiles: left out"), "{:?}", records.skipped());
        println!("{name}: {} of {graphs} graphs equal", graphs as usize - different.len());
        assert_eq!((graphs, different, records.skipped().len()), (molecules, Vec::new(), 1));
    }
}

const ETHENE: &str = "difluoroethene


  4  3  0  0  0  0  0  0  0  0999 V2000
    0.0000    1.0000    0.0000 F   0  0
    0.5000    0.0000    0.0000 C   0  0
    1.5000    0.0000    0.0000 C   0  0
    2.0000    1.0000    0.0000 F   0  0
  1  2  1  0
  2  3  2  0
  3  4  1  0
M  END
> <energy>
-1.5

> <note>
two
lines

$$$$
";

fn read(text: &str, options: &SdfOptions) -> Result<(Vec<Record>, Vec<String>), String> {
    let folder = TempDir::new().unwrap();
    let records = sdf::records(file(&folder, "set.sdf.gz", text), options);
    records.and_then(records_of).map_err(|error| error.to_string())
}

fn integers(record: &Record, name: &str) -> Vec<i64> {
    match &record.field(name).unwrap().values {
        Values::I64(values) => values.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn coordinates_say_on_which_sides_of_a_double_bond_atoms_are() {
    let one = |text: &str| read(text, &SdfOptions::default()).unwrap().0.remove(0);
    let stereo = |record: &Record| integers(record, "edge_attr")[7];
    let trans = ETHENE.replace("2.0000    1.0000", "2.0000   -1.0000");
    assert_eq!((stereo(&one(ETHENE)), stereo(&one(&trans))), (1, 2), "Z and E");
    let marked = SdfOptions { marks_either: true, ..SdfOptions::default() };
    for (line, either) in [("  2  3  2  0", "  2  3  2  3"), ("  1  2  1  0", "  2  1  1  4")] {
        let text = ETHENE.replace(line, either);
        let any = read(&text, &marked).unwrap().0.remove(0);
        assert_eq!((stereo(&one(&text)), stereo(&any)), (0, 5), "crossed and wavy bonds say neither");
    }
    assert_eq!(one(&ETHENE.replace('\n', "\r\n")), one(ETHENE));
    assert_eq!(one(ETHENE).field("energy").unwrap().values, Values::F64(vec![-1.5]));
    assert_eq!(one(ETHENE).fields.len(), 4, "text is no target");
}

#[test]
fn charges_radicals_and_isotopes_are_in_properties() {
    let text = ETHENE.replace("M  END", "M  CHG  1   1   1\nM  RAD  1   2   2\nM  ISO  1   3  13\nM  END");
    let x = integers(&read(&text, &SdfOptions::default()).unwrap().0[0], "x");
    assert_eq!((x[3], x[9 + 5]), (6, 1));
}

#[test]
fn a_valence_is_one_that_atoms_have() {
    let read_with = |property: &str| {
        let head = "ion\n\n\n  0  0  0  0  0  0  0  0  0  0999 V3000\nM  V30 BEGIN CTAB\nM  V30 COUNTS 1 0 0 0 0";
        let atom = format!("M  V30 BEGIN ATOM\nM  V30 1 N 0 0 0 0 {property}\nM  V30 END ATOM");
        read(&format!("{head}\n{atom}\nM  V30 END CTAB\nM  END\n$$$$\n"), &SdfOptions::default())
    };
    let read = |valence: &str| read_with(&format!("VAL={valence}"));
    // Names of properties may be in lower case.
    let charge = |property: &str| integers(&read_with(property).unwrap().0[0], "x")[3];
    assert_eq!((charge("chg=1"), charge("CHG=1")), (6, 6));
    for (valence, hydrogens) in [("0", 3), ("2", 2), ("3", 3), ("-1", 0)] {
        assert_eq!(integers(&read(valence).unwrap().0[0], "x")[4], hydrogens, "{valence}");
    }
    for valence in ["-2", "15", "2147483647", "-2147483648"] {
        let expected = format!("expected a valence from -1 to 14, found VAL={valence}");
        let error = read(valence).unwrap_err();
        assert!(error.contains(&expected), "{error}");
    }
}

#[test]
fn hydrogens_become_numbers_unless_they_are_kept() {
    let water = "water


  3  2  0  0  0  0  0  0  0  0999 V2000
    0.0000    0.0000    0.0000 O   0  0
    0.7000    0.5000    0.0000 H   0  0
   -0.7000    0.5000    0.0000 H   0  0
  1  2  1  0
  1  3  1  0
M  END
$$$$
";
    let (all, _) = read(water, &SdfOptions::default()).unwrap();
    assert_eq!((all[0].nodes, integers(&all[0], "x")[4]), (1, 2));
    let options = SdfOptions { keeps_hydrogens: true, ..SdfOptions::default() };
    let (all, _) = read(water, &options).unwrap();
    assert_eq!((all[0].nodes, integers(&all[0], "x")[4]), (3, 0));
}

#[test]
fn damaged_tables_are_errors_of_a_line_and_the_next_molecule_is_read() {
    let cases = [
        (ETHENE.replace("  4  3  0", "  5  3  0"), "line 9: expected an atom: coordinates"),
        (ETHENE.replace("  4  3  0", "  3  3  0"), "line 8: expected a number in columns 1 to 3"),
        (ETHENE.replace("  4  3  0", "  x  3  0"), "line 4: expected a number in columns 1 to 3"),
        (ETHENE.replace("  3  4  1", "  3  9  1"), "line 11: expected a bond between two atoms, found"),
        (ETHENE.replace("  3  4  1", "  1  2  1"), "line 11: expected one bond between two atoms"),
        (ETHENE.replace("  3  4  1", "  3  4  0"), "line 11: expected a bond of type"),
        (ETHENE.replace("  3  4  1", "  3  4  5"), "line 11: expected a bond of type"),
        (ETHENE.replace("  3  4  1", "  3  4  8"), "line 11: expected a bond of type"),
        (ETHENE.replacen(" F ", " * ", 1), "line 5: expected the symbol of an element, found \"*\""),
        (ETHENE.replacen(" F ", " A ", 1), "line 5: expected the symbol of an element, found \"A\""),
        (ETHENE.replace(" F ", " Q "), "line 5: expected the symbol of an element, found \"Q\""),
        (ETHENE.replace("  1  2  1  0", "  1  2  3  0"), "line 12: expected a valence of at most 1 for"),
        (ETHENE.replacen(" F   0", " H  -2", 1), "line 5: expected an isotope, found -1"),
        (ETHENE.replace("0.5000", "   nan"), "line 6: expected finite coordinates"),
        (ETHENE.replace("V2000", "V4000"), "line 4: expected a table V2000 or V3000"),
        (ETHENE.replace("M  END", "M  ZCH  1   1   1\nM  END"), "line 12: expected charges and bonds of V2000, found"),
        (ETHENE.replace("M  END\n", ""), "line 12: expected a property or M  END"),
    ];
    let folder = TempDir::new().unwrap();
    for (text, message) in cases {
        let path = file(&folder, "set.sdf.gz", &format!("{text}{ETHENE}"));
        let (all, errors) = refused(sdf::records(&path, &SdfOptions::default()).unwrap());
        assert_eq!((all.len(), errors.len()), (1, 1), "{message}");
        let [start, end] = [format!("set.sdf.gz, {message}"), " in \"difluoroethene\"".to_owned()];
        assert!(errors[0].contains(&start) && errors[0].ends_with(&end), "{errors:?} {message}");
    }
    for end in [10, 30, 120, 230, 250] {
        let error = read(&ETHENE[..end], &SdfOptions::default()).unwrap_err();
        assert!(error.contains("the end of the file") || error.contains("the file ends"), "{end} {error}");
    }
}
