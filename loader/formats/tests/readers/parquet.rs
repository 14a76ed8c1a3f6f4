//! Parquet files with columns of lists.

use super::{damaged, left_out, records_of};
use ::parquet::basic::Compression;
use ::parquet::data_type::{BoolType, ByteArrayType, DoubleType, FloatType, Int32Type, Int64Type};
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use ::parquet::schema::parser::parse_message_type;
use graphpack_formats::records::{Record, Values};
use graphpack_formats::{Fields, parquet};
use graphpack_loader::{Level, Store};
use std::fs;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

/// As the Hugging Face hub's `OGB/ogbg-molhiv` has them, with other columns.
const SCHEMA: &str = "message schema {
    optional group edge_index (LIST) { repeated group list { optional group element (LIST) {
        repeated group list { optional int64 element; } } } }
    optional group node_feat (LIST) { repeated group list { optional group element (LIST) {
        repeated group list { optional int64 element; } } } }
    optional group y (LIST) { repeated group list { optional double element; } }
    optional int64 num_nodes;
    optional float energy;
    required boolean even;
    optional binary smiles (STRING);
    optional group node_charge (LIST) { repeated group list { optional int32 element (INTEGER(8, true)); } }
}";

macro_rules! column {
    ($group:expr, $type:ty, $values:expr, $definition:expr, $repetition:expr) => {{
        let mut column = $group.next_column().unwrap().unwrap();
        column.typed::<$type>().write_batch($values, $definition, $repetition).unwrap();
        column.close().unwrap();
    }};
}

/// Three graphs: of 2 nodes and 2 edges, without nodes, of 1 node without edges.
fn graphs(group: &mut SerializedRowGroupWriter<'_, Vec<u8>>) {
    // The second graph's outer list is empty, the third one's lists are.
    column!(group, Int64Type, &[0, 1, 1, 0], Some(&[5, 5, 5, 5, 1, 3, 3]), Some(&[0, 2, 1, 2, 0, 0, 1]));
    column!(group, Int64Type, &[6, 7, 8, 9, 4, 5], Some(&[5, 5, 5, 5, 1, 5, 5]), Some(&[0, 2, 1, 2, 0, 0, 2]));
    // A null in the first, a null list in the second.
    column!(group, DoubleType, &[0.5, 1.0, 2.0], Some(&[3, 2, 0, 3, 3]), Some(&[0, 1, 0, 0, 1]));
    column!(group, Int64Type, &[2, 0, 1], Some(&[1, 1, 1]), None);
    column!(group, FloatType, &[-1.5, 2.5], Some(&[1, 0, 1]), None);
    column!(group, BoolType, &[true, false, true], None, None);
    column!(group, ByteArrayType, &["CC".into(), "".into(), "C".into()], Some(&[1, 1, 1]), None);
    column!(group, Int32Type, &[-1, 1, 0], Some(&[3, 3, 1, 3]), Some(&[0, 1, 0, 0]));
}

fn written(schema: &str, write: impl Fn(&mut SerializedRowGroupWriter<'_, Vec<u8>>), groups: usize) -> Vec<u8> {
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::new(WriterProperties::new())).unwrap();
    for _ in 0..groups {
        let mut group = writer.next_row_group().unwrap();
        write(&mut group);
        group.close().unwrap();
    }
    writer.into_inner().unwrap()
}

fn read(bytes: &[u8], select: Option<&[&str]>) -> Result<(Vec<Record>, Vec<String>), String> {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.parquet");
    fs::write(&path, bytes).unwrap();
    let select: Option<Vec<String>> = select.map(|names| names.iter().map(|name| (*name).into()).collect());
    parquet::records(&path, select.as_deref()).and_then(records_of).map_err(|error| error.to_string())
}

#[test]
fn lists_become_edges_and_fields() {
    let (all, notes) = read(&written(SCHEMA, graphs, 2), None).unwrap();
    assert_eq!((all.len(), notes), (6, vec!["smiles: left out, text".to_owned()]));
    assert_eq!(all[..3].iter().map(|record| record.nodes).collect::<Vec<_>>(), [2, 0, 1]);
    let edges = [[vec![0, 1], vec![1, 0]], [vec![], vec![]], [vec![], vec![]]];
    assert!(all[3..].iter().map(|record| record.edges.clone().unwrap()).eq(edges));
    let field = |record: &Record, name: &str| {
        let field = record.field(name).unwrap_or_else(|| panic!("{name} is missing in {}", record.name));
        (field.level, field.width, field.values.clone())
    };
    assert_eq!(field(&all[0], "x"), (Level::NODE, 2, Values::I64(vec![6, 7, 8, 9])));
    assert_eq!(field(&all[1], "x"), (Level::NODE, 2, Values::I64(vec![])));
    assert_eq!(field(&all[5], "x"), (Level::NODE, 2, Values::I64(vec![4, 5])));
    assert_eq!(field(&all[0], "y"), (Level::Graph, 2, Values::F64(vec![0.5, 0.0])));
    assert_eq!(field(&all[0], "has_y"), (Level::Graph, 2, Values::Bool(vec![true, false])));
    assert_eq!(field(&all[1], "has_y"), (Level::Graph, 2, Values::Bool(vec![false; 2])));
    assert_eq!(field(&all[1], "y"), (Level::Graph, 2, Values::F64(vec![0.0; 2])));
    assert!(all[4].field("energy").is_none());
    assert_eq!(field(&all[2], "energy"), (Level::Graph, 1, Values::F64(vec![2.5])));
    assert_eq!(field(&all[1], "even"), (Level::Graph, 1, Values::Bool(vec![false])));
    assert_eq!(field(&all[0], "node_charge"), (Level::NODE, 1, Values::I64(vec![-1, 1])));
    let (all, _) = read(&written(SCHEMA, graphs, 1), Some(&["energy"])).unwrap();
    let names: Vec<_> = all[0].fields.iter().map(|field| &*field.name).collect();
    assert_eq!((names, all[0].nodes), (vec!["energy"], 2));
}

#[test]
fn columns_that_are_not_understood_are_named() {
    let schema = |column: &str| format!("message schema {{ required int64 num_nodes; {column} }}");
    let list = "required group walks (LIST) { repeated group list { required int64 element; } }";
    let write = |group: &mut SerializedRowGroupWriter<'_, Vec<u8>>| {
        column!(group, Int64Type, &[2], None, None);
        column!(group, Int64Type, &[2, 3], Some(&[1, 1]), Some(&[0, 1]));
    };
    let bytes = written(&schema(list), write, 1);
    let message = read(&bytes, Some(&["walks"])).unwrap_err();
    let expected =
        "column walks: expected numbers, or a name that says what its lists belong to, found lists of an unknown set";
    assert!(message.ends_with(expected), "{message}");
    let listed = |bytes: &[u8]| read(bytes, None).unwrap();
    assert_eq!(listed(&bytes).1, ["walks: left out, lists of an unknown set"]);
    assert_eq!(read(&bytes, Some(&[])).unwrap().0.len(), 1);

    let with = |name: &str, numbers: [i64; 3]| {
        let write = |group: &mut SerializedRowGroupWriter<'_, Vec<u8>>| {
            column!(group, Int64Type, &[2], None, None);
            column!(group, Int64Type, &numbers, Some(&[1, 1, 1]), Some(&[0, 1, 1]));
        };
        written(&schema(&list.replace("walks", name)), write, 1)
    };
    let message = read(&with("node_walks", [2, 3, 4]), None).unwrap_err();
    let expected = "row 0, column node_walks: expected 2 rows, one for each of the nodes, found 3";
    assert!(message.ends_with(expected), "{message}");
    assert_eq!(listed(&with("src", [0, 1, 1])).1, ["src: left out, lists of an unknown set"]);
    let date = "required int32 day (DATE);";
    let write = |group: &mut SerializedRowGroupWriter<'_, Vec<u8>>| {
        column!(group, Int64Type, &[2], None, None);
        column!(group, Int32Type, &[2], None, None);
    };
    let bytes = written(&schema(date), write, 1);
    assert_eq!(listed(&bytes).1, ["day: left out, Date"]);
    let message = read(&bytes, Some(&["day"])).unwrap_err();
    assert!(message.contains("column day: expected numbers") && message.ends_with("found Date"), "{message}");
}

#[test]
fn fields_are_what_they_are_in_other_formats() {
    let list =
        |name: &str| format!("optional group {name} (LIST) {{ repeated group list {{ optional double element; }} }}");
    let schema = format!("message schema {{ required int64 num_nodes; {} {} }}", list("stress"), list("node_q"));
    let of = |stress: &[f64], q: &[f64]| {
        let write = |group: &mut SerializedRowGroupWriter<'_, Vec<u8>>| {
            column!(group, Int64Type, &[2], None, None);
            for numbers in [stress, q] {
                let repetition: Vec<i16> = (0..numbers.len()).map(|at| i16::from(at > 0)).collect();
                column!(group, DoubleType, numbers, Some(&vec![3; numbers.len()]), Some(&repetition));
            }
        };
        read(&written(&schema, write, 1), None).map(|(all, _)| all[0].clone())
    };
    let (nan, voigt) = (f64::NAN, [1., 2., 3., 4., 5., 6.]);
    let record = of(&voigt, &[nan, nan]).unwrap();
    let stress = record.field("stress").unwrap();
    assert_eq!((stress.width, &stress.values), (9, &Values::F64(vec![1., 6., 5., 6., 2., 4., 5., 4., 3.])));
    assert!(record.field("node_q").is_none());
    // Numbers that are missing stay NaN until records become a store.
    let Values::F64(q) = &of(&voigt, &[0.5, nan]).unwrap().field("node_q").unwrap().values.clone() else { panic!() };
    assert!(q[0] == 0.5 && q[1].is_nan());
    let message = of(&voigt, &[0.5, f64::INFINITY]).unwrap_err();
    let expected = "row 0, column node_q: expected finite numbers, found inf at node 1, column 0";
    assert!(message.ends_with(expected), "{message}");
    let message = of(&[1., 2., f64::INFINITY, 4., 5., 6.], &[0.5, 1.0]).unwrap_err();
    assert!(message.ends_with("row 0, column stress: expected finite numbers, found inf at column 2"), "{message}");
}

#[test]
fn graphs_may_lack_some_or_all_of_several_targets() {
    let schema = "message schema { required int64 num_nodes;
        optional group y (LIST) { repeated group list { optional double element; } } }";
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.parquet");
    // Null, two nulls, a number and a null, none, two times NaN.
    let write = |group: &mut SerializedRowGroupWriter<'_, Vec<u8>>| {
        column!(group, Int64Type, &[1; 5], None, None);
        let (definition, repetition) = ([0, 2, 2, 3, 2, 1, 3, 3], [0, 0, 1, 0, 1, 0, 0, 1]);
        column!(group, DoubleType, &[0.5, f64::NAN, f64::NAN], Some(&definition), Some(&repetition));
    };
    fs::write(&path, written(schema, write, 1)).unwrap();
    let store = graphpack_formats::read(&path, &Fields::default()).unwrap();
    let mut expected = ([0.0_f32; 10], [false; 10]);
    (expected.0[4], expected.1[4]) = (0.5, true);
    assert_eq!(store.values::<f32>("y").unwrap(), expected.0);
    assert_eq!(store.values::<bool>("has_y").unwrap(), expected.1);
    // Where no graph has any it is no label.
    let write = |group: &mut SerializedRowGroupWriter<'_, Vec<u8>>| {
        column!(group, Int64Type, &[1; 2], None, None);
        column!(group, DoubleType, &[], Some(&[0, 2, 2]), Some(&[0, 0, 1]));
    };
    let (all, _) = read(&written(schema, write, 1), None).unwrap();
    assert!(all.iter().all(|record| record.fields.is_empty() && record.missing == ["y"]));
}

#[test]
fn texts_are_listed_whatever_their_names() {
    let list = "optional group node_names (LIST) { repeated group list { optional binary element (STRING); } }";
    let schema = format!("message schema {{ required int64 num_nodes; optional binary graph_id (STRING); {list} }}");
    let write = |group: &mut SerializedRowGroupWriter<'_, Vec<u8>>| {
        column!(group, Int64Type, &[2], None, None);
        column!(group, ByteArrayType, &["a".into()], Some(&[1]), None);
        column!(group, ByteArrayType, &["b".into(), "c".into()], Some(&[3, 3]), Some(&[0, 1]));
    };
    let bytes = written(&schema, write, 1);
    let (all, notes) = read(&bytes, None).unwrap();
    assert_eq!((all.len(), notes), (1, vec!["graph_id: left out, text".into(), "node_names: left out, text".into()]));
    let message = read(&bytes, Some(&["graph_id"])).unwrap_err();
    assert!(message.contains("column graph_id: expected numbers") && message.ends_with("found text"), "{message}");
}

/// `data/fixtures.py` wrote these with pyarrow 26.
#[test]
fn columns_of_every_type_are_read_or_listed() {
    let file = |name: &str| fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)).unwrap();
    let (all, notes) = read(&file("types.parquet"), None).unwrap();
    let names = |record: &Record| record.fields.iter().map(|field| field.name.clone()).collect::<Vec<_>>();
    assert_eq!(
        (names(&all[0]), names(&all[1])),
        (vec!["small".into(), "has_y".into(), "y".into()], vec!["small".into(), "has_y".into(), "y".into()])
    );
    let listed = ["half", "time", "decimal", "word", "pair", "map", "deep", "none", "bytes"];
    let found: Vec<_> = notes.iter().filter_map(|note| note.split_once(": left out, ")).map(|(name, _)| name).collect();
    assert_eq!(found, listed);
    assert_eq!(read(&file("zstd.parquet"), None).unwrap().0.iter().map(|record| record.nodes).sum::<usize>(), 3);
}

#[test]
fn every_compression_is_read() {
    let schema = Arc::new(parse_message_type("message schema { required int64 num_nodes; }").unwrap());
    let level = (Default::default(), Default::default());
    for codec in [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(Default::default()),
        Compression::ZSTD(level.0),
        Compression::BROTLI(level.1),
        Compression::LZ4,
        Compression::LZ4_RAW,
    ] {
        let properties = Arc::new(WriterProperties::builder().set_compression(codec).build());
        let mut writer = SerializedFileWriter::new(Vec::new(), schema.clone(), properties).unwrap();
        let mut group = writer.next_row_group().unwrap();
        column!(group, Int64Type, &[3; 1000], None, None);
        group.close().unwrap();
        let (all, _) = read(&writer.into_inner().unwrap(), None).unwrap();
        assert!(all.len() == 1000 && all.iter().all(|record| record.nodes == 3), "{codec:?}");
    }
}

/// Two structures, with their columns of elements and positions called so, and the store that they become.
fn structures(z: &str, pos: &str, rename: &[(&str, &str)]) -> Result<Store, String> {
    let list = |name: &str, element: &str| {
        format!("required group {name} (LIST) {{ repeated group list {{ required {element} element; }} }}")
    };
    let lists = |name: &str| {
        let inner = "required group element (LIST) { repeated group list { required double element; } }";
        format!("required group {name} (LIST) {{ repeated group list {{ {inner} }} }}")
    };
    let schema =
        [list(z, "int64"), lists(pos), lists("atomic_forces"), lists("lattice_vectors"), list("partial", "double")];
    let schema = format!("message schema {{ {} required double energy; }}", schema.join(" "));
    let write = |group: &mut SerializedRowGroupWriter<'_, Vec<u8>>| {
        let (numbers, cell): (Vec<f64>, _) = ((0..9).map(f64::from).collect(), [9., 0., 0., 0., 9., 0., 0., 0., 9.]);
        column!(group, Int64Type, &[8, 1, 2], Some(&[1; 3]), Some(&[0, 1, 0]));
        for _ in 0..2 {
            column!(group, DoubleType, &numbers, Some(&[2; 9]), Some(&[0, 2, 2, 1, 2, 2, 0, 2, 2]));
        }
        column!(
            group,
            DoubleType,
            &[cell, cell].concat(),
            Some(&[2; 18]),
            Some(&[0, 2, 2, 1, 2, 2, 1, 2, 2].repeat(2))
        );
        column!(group, DoubleType, &[0.5, f64::NAN, 1.5], Some(&[1; 3]), Some(&[0, 1, 0]));
        column!(group, DoubleType, &[-1.0, -2.0], None, None);
    };
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.parquet");
    fs::write(&path, written(&schema, write, 1)).unwrap();
    let rename = rename.iter().map(|(from, to)| ((*from).into(), (*to).into())).collect();
    graphpack_formats::read(&path, &Fields { rename, ..Fields::default() }).map_err(|error| error.to_string())
}

#[test]
fn atoms_have_the_names_of_other_formats() {
    let ours = structures("z", "pos", &[("partial", "node_partial")]).unwrap();
    let names: Vec<_> = ours.schema().fields().iter().map(|field| field.name.clone()).collect();
    assert_eq!(names, ["z", "pos", "forces", "node_partial", "has_node_partial", "energy", "cell", "pbc"]);
    assert_eq!(ours.values::<bool>("has_node_partial").unwrap(), [true, false, true]);
    assert_eq!(ours.values::<bool>("pbc").unwrap(), [true; 6]);
    for (z, pos) in [("numbers", "positions"), ("atomic_numbers", "positions"), ("Z", "R"), ("species", "coords")] {
        let store = structures(z, pos, &[("partial", "node_partial")]).unwrap();
        assert_eq!((store.schema(), store.fingerprint()), (ours.schema(), ours.fingerprint()), "{z}");
    }
    let own = [("kinds", "z"), ("places", "pos"), ("partial", "node_partial")];
    assert_eq!(structures("kinds", "places", &own).unwrap().fingerprint(), ours.fingerprint());
    let message = structures("kinds", "places", &[]).unwrap_err();
    assert!(
        message.contains("or SMILES; a column that is one of these can be renamed to it, found the columns kinds, ")
    );
}

#[test]
fn molecules_of_a_column_of_smiles_become_graphs() {
    let schema = "message schema { required int64 id; optional binary SMILES (STRING); required double gap; }";
    let write = |group: &mut SerializedRowGroupWriter<'_, Vec<u8>>| {
        column!(group, Int64Type, &[7, 8, 9], None, None);
        column!(group, ByteArrayType, &["CCO".into(), "C1CC".into(), "C".into()], Some(&[1; 3]), None);
        column!(group, DoubleType, &[0.5, 1.5, 2.5], None, None);
    };
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.parquet");
    fs::write(&path, written(schema, write, 1)).unwrap();
    let (store, lines) = left_out(&path).unwrap();
    assert_eq!((store.size(0).unwrap(), store.size(1).unwrap()), ([3, 4].into(), [1, 0].into()));
    assert_eq!(store.values::<f32>("gap").unwrap(), [0.5, 2.5]);
    assert!(lines[0].contains("a.parquet, row 1, column SMILES: expected rings that are closed"), "{lines:?}");
    let mut ethanol = Record::default();
    graphpack_formats::smiles::record("CCO", &mut ethanol).unwrap();
    let x = ethanol.field("x").unwrap().values.clone();
    assert_eq!(Values::I64(store.values::<i64>("x").unwrap()[..27].to_vec()), x);
}

/// `data/fixtures.py` wrote this with pyarrow 26.
#[test]
fn checksums_of_pages_are_compared() {
    let whole = fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/checksums.parquet")).unwrap();
    let (all, _) = read(&whole, None).unwrap();
    assert_eq!((all.len(), &all[7].field("energy").unwrap().values), (12, &Values::F64(vec![1.0])));
    let one = whole.windows(8).position(|bytes| bytes == 1.0_f64.to_le_bytes()).unwrap();
    for bit in 0..64 {
        let mut changed = whole.clone();
        changed[one + bit / 8] ^= 1 << (bit % 8);
        let message = read(&changed, None).unwrap_err();
        assert!(message.contains("column energy") && message.contains("checksum"), "{message}");
    }
}

#[test]
fn damaged_files_end_in_messages() {
    let whole = written(SCHEMA, graphs, 1);
    damaged(&whole, "a.parquet", [11, 1], |bytes| read(bytes, None).map(drop));
}

#[test]
fn rows_that_cannot_be_read_are_left_out() {
    let schema = "message schema {
        optional group z (LIST) { repeated group list { optional int64 element; } }
        optional int64 num_nodes;
        optional double energy;
    }";
    // A null in the list of the second, fewer rows than nodes in the third, a fourth with an infinite number.
    let write = |group: &mut SerializedRowGroupWriter<'_, Vec<u8>>| {
        let (definition, repetition) = ([3, 3, 2, 3, 3, 3], [0, 0, 1, 0, 0, 0]);
        column!(group, Int64Type, &[1, 1, 2, 3, 8], Some(&definition), Some(&repetition));
        column!(group, Int64Type, &[1, 2, 2, 1, 1], Some(&[1; 5]), None);
        column!(group, DoubleType, &[1.0, 2.0, 3.0, f64::INFINITY, 5.0], Some(&[1; 5]), None);
    };
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.parquet");
    fs::write(&path, written(schema, write, 1)).unwrap();
    let (store, lines) = left_out(&path).unwrap();
    assert_eq!(
        (store.values::<i64>("z").unwrap(), store.values::<f64>("energy").unwrap()),
        (vec![1, 8], vec![1.0, 5.0])
    );
    for (line, place) in lines.iter().zip(["row 1, column z", "row 2, column z", "row 3, column energy"]) {
        assert!(line.contains(&format!("a.parquet, {place}: expected ")), "{place} in {lines:?}");
    }
    assert!(lines.len() == 3 && lines[2].starts_with("record 3: "), "{lines:?}");
}

#[test]
fn a_structure_without_elements_or_positions_is_an_error() {
    let schema = "message schema {
        optional group z (LIST) { repeated group list { optional int64 element; } }
        optional group pos (LIST) { repeated group list { optional group element (LIST) {
            repeated group list { optional double element; } } } }
    }";
    // An atom with both, one without positions, one of NaN, positions without an element, again one with both.
    let write = |group: &mut SerializedRowGroupWriter<'_, Vec<u8>>| {
        column!(group, Int64Type, &[1, 2, 3, 5], Some(&[3, 3, 3, 0, 3]), Some(&[0; 5]));
        let definition = [5, 5, 5, 0, 5, 5, 5, 5, 5, 5, 5, 5, 5];
        let repetition = [0, 2, 2, 0, 0, 2, 2, 0, 2, 2, 0, 2, 2];
        let (one, nan) = ([0.0, 1.0, 2.0], [f64::NAN; 3]);
        column!(group, DoubleType, &[one, nan, one, one].concat(), Some(&definition), Some(&repetition));
    };
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.parquet");
    fs::write(&path, written(schema, write, 1)).unwrap();
    let (store, lines) = left_out(&path).unwrap();
    assert_eq!((store.values::<i64>("z").unwrap(), store.values::<f32>("pos").unwrap().len()), (vec![1, 5], 6));
    for (line, told) in lines.iter().zip([
        "row 1, column pos: expected a row for each node, found null",
        "row 2, column pos: expected finite numbers, found null or NaN at node 0, column 0",
        "row 3, column z: expected a row for each node, found null",
    ]) {
        assert!(line.ends_with(told), "{told} in {lines:?}");
    }
    // Where no row has positions they are a label that is empty.
    let write = |group: &mut SerializedRowGroupWriter<'_, Vec<u8>>| {
        column!(group, Int64Type, &[1, 2], Some(&[3, 3]), Some(&[0, 0]));
        column!(group, DoubleType, &[], Some(&[0, 0]), Some(&[0, 0]));
    };
    let (all, _) = read(&written(schema, write, 1), None).unwrap();
    assert!(all.iter().all(|record| record.nodes == 1 && record.field("pos").is_none()));
}

#[test]
fn a_renaming_of_either_tells_two_names_of_one_thing_apart() {
    let list = |name: &str, element: &str| {
        format!("required group {name} (LIST) {{ repeated group list {{ required {element} element; }} }}")
    };
    let inner = "required group element (LIST) { repeated group list { required double element; } }";
    let lists = |name: &str| format!("required group {name} (LIST) {{ repeated group list {{ {inner} }} }}");
    let schema = format!(
        "message schema {{ {} {} {} {} {} {} {} {} required double E; required double energy; }}",
        list("z", "int64"),
        list("numbers", "int64"),
        lists("pos"),
        lists("force"),
        lists("forces"),
        lists("positions"),
        list("x", "double"),
        list("node_feat", "double"),
    );
    let write = |group: &mut SerializedRowGroupWriter<'_, Vec<u8>>| {
        for z in [8, 1] {
            column!(group, Int64Type, &[z], Some(&[1]), Some(&[0]));
        }
        for at in [0.0, 1.0, 2.0, 3.0] {
            column!(group, DoubleType, &[at; 3], Some(&[2; 3]), Some(&[0, 2, 2]));
        }
        for x in [0.5, 1.5] {
            column!(group, DoubleType, &[x], Some(&[1]), Some(&[0]));
        }
        column!(group, DoubleType, &[-1.0], None, None);
        column!(group, DoubleType, &[-2.0], None, None);
    };
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.parquet");
    fs::write(&path, written(&schema, write, 1)).unwrap();
    let read = |rename: &[(&str, &str)]| {
        let rename = rename.iter().map(|(from, to)| ((*from).into(), (*to).into())).collect();
        graphpack_formats::read(&path, &Fields { rename, ..Fields::default() }).map_err(|error| error.to_string())
    };
    assert!(read(&[]).unwrap_err().ends_with("found z and numbers"));
    let one = [("z", "n2"), ("pos", "p2"), ("force", "f2"), ("energy", "e2"), ("x", "x2")];
    let store = read(&one).unwrap();
    assert_eq!((store.values::<i64>("z").unwrap(), store.values::<i64>("n2").unwrap()), (vec![1], vec![8]));
    assert_eq!((store.values::<f32>("pos").unwrap()[0], store.values::<f32>("p2").unwrap()[0]), (3.0, 0.0));
    assert_eq!((store.values::<f32>("forces").unwrap()[0], store.values::<f32>("f2").unwrap()[0]), (2.0, 1.0));
    assert_eq!((store.values::<f64>("energy").unwrap(), store.values::<f64>("e2").unwrap()), (vec![-1.0], vec![-2.0]));
    assert_eq!((store.values::<f32>("x").unwrap(), store.values::<f32>("x2").unwrap()), (vec![1.5], vec![0.5]));
    let own = ("node_feat", "node_f2");
    let store = read(&[("numbers", "n2"), ("positions", "p2"), ("forces", "f2"), ("E", "e2"), own]).unwrap();
    assert_eq!((store.values::<i64>("z").unwrap(), store.values::<i64>("n2").unwrap()), (vec![8], vec![1]));
    assert_eq!((store.values::<f32>("forces").unwrap()[0], store.values::<f32>("f2").unwrap()[0]), (1.0, 2.0));
    assert_eq!((store.values::<f64>("energy").unwrap(), store.values::<f64>("e2").unwrap()), (vec![-2.0], vec![-1.0]));
    assert_eq!((store.values::<f32>("x").unwrap(), store.values::<f32>("node_f2").unwrap()), (vec![0.5], vec![1.5]));
    let both = [("numbers", "n2"), ("positions", "p2"), ("forces", "f2"), ("force", "f3"), ("E", "e2"), own];
    assert_eq!(read(&both).unwrap().values::<f32>("f3").unwrap()[0], 1.0);
}
