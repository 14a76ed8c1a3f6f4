//! [`Gather`]: fields that some graphs lack or have otherwise, names, precision; the same however often stores are
//! taken.

use graphpack_formats::Fields;
use graphpack_formats::records::{Gather, Record, Values};
use graphpack_loader::store::StoreWriter;
use graphpack_loader::{Level, Store};

fn record(nodes: usize, fields: &[(&'static str, Level, usize, Values)]) -> Record {
    let mut record = Record { name: format!("of {nodes}"), nodes, ..Record::default() };
    for (name, level, width, values) in fields.iter().cloned() {
        record.push(name, level, width, values);
    }
    record
}

fn floats(values: &[f64]) -> Values {
    Values::F64(values.to_vec())
}

/// Graphs of 1 to 3 nodes, which differ in their fields.
fn drawn() -> Vec<Record> {
    let forces = |nodes: usize| ("forces", Level::NODE, 3, floats(&vec![0.25; 3 * nodes]));
    let all: [&[_]; 6] = [
        &[("z", Level::NODE, 1, Values::I64(vec![1]))],
        &[("z", Level::NODE, 1, Values::I64(vec![1, 2])), ("charge", Level::Graph, 1, Values::I64(vec![-3]))],
        &[("z", Level::NODE, 1, Values::I64(vec![1, 2, 3])), forces(3)],
        &[("z", Level::NODE, 1, Values::I64(vec![8])), ("charge", Level::Graph, 1, floats(&[0.5])), forces(1)],
        &[("z", Level::NODE, 1, Values::I64(vec![8])), ("fixed", Level::NODE, 1, Values::Bool(vec![true]))],
        &[("z", Level::NODE, 1, Values::I64(vec![8, 9])), forces(2)],
    ];
    let nodes = [1, 2, 3, 1, 1, 2];
    nodes.into_iter().zip(all).map(|(nodes, fields)| record(nodes, fields)).collect()
}

fn gathered(records: &[Record], fields: &Fields) -> Store {
    let mut gather = Gather::new("file", fields.clone());
    records.iter().for_each(|record| gather.push(record).unwrap());
    gather.take().unwrap()
}

#[test]
fn a_field_that_graphs_lack_is_masked() {
    let store = gathered(&drawn(), &Fields::default());
    let names: Vec<&str> = store.schema().fields().iter().map(|field| &*field.name).collect();
    assert_eq!(names, ["z", "charge", "has_charge", "forces", "has_forces", "fixed", "has_fixed"]);
    assert_eq!(store.values::<f32>("charge").unwrap(), [0.0, -3.0, 0.0, 0.5, 0.0, 0.0]);
    assert_eq!(store.values::<bool>("has_charge").unwrap(), [false, true, false, true, false, false]);
    let (none, some) = ([0.0_f32; 9], [0.25_f32; 18]);
    let forces = [&none[..], &some[..12], &none[..3], &some[..6]].concat();
    assert_eq!(store.values::<f32>("forces").unwrap(), forces);
    assert_eq!(store.values::<bool>("fixed").unwrap().iter().filter(|fixed| **fixed).count(), 1);
    assert_eq!((store.schema().sets().len(), store.schema().indices().len()), (1, 0));
    let double = gathered(&drawn(), &Fields { double: Some(true), ..Fields::default() });
    assert_eq!(double.values::<f64>("charge").unwrap()[3], 0.5);
}

/// Numbers that are missing among others, wherever a piece ends.
#[test]
fn numbers_that_graphs_lack_are_masked_alike_wherever_a_piece_ends() {
    let folder = tempfile::tempdir().unwrap();
    let nan = f64::NAN;
    let graph = |shift: Option<&[f64]>| match shift {
        Some(shift) => record(shift.len(), &[("shift", Level::NODE, 1, floats(shift))]),
        None => record(2, &[]),
    };
    let records =
        [graph(Some(&[1.0, 2.0])), graph(None), graph(Some(&[nan, 3.0, nan])), graph(Some(&[4.0])), graph(None)];
    // Also where the pieces are of several files.
    for (each, is_one) in (1..=5).flat_map(|each| [(each, true), (each, false)]) {
        let path = folder.path().join(format!("{each}.safetensors"));
        let mut writer = StoreWriter::create(&path).unwrap();
        let mut gather = Gather::new("file", Fields::default());
        for piece in records.chunks(each) {
            piece.iter().for_each(|record| gather.push(record).unwrap());
            writer.push(&gather.take().unwrap()).unwrap();
            gather = if is_one { gather } else { Gather::new("other", Fields::default()) };
        }
        writer.finish().unwrap();
        let store = Store::open(&path).unwrap();
        let (t, f) = (true, false);
        assert_eq!(store.values::<f32>("shift").unwrap(), [1., 2., 0., 0., 0., 3., 0., 4., 0., 0.], "{each}");
        assert_eq!(store.values::<bool>("has_shift").unwrap(), [t, t, f, f, f, t, f, t, f, f], "{each}");
        assert!(store.schema().fields().iter().all(|field| !field.name.starts_with("has_has_")), "{each}");
    }
}

#[test]
fn a_label_of_several_numbers_has_a_mask_of_each() {
    let nan = f64::NAN;
    let records = [[1.0, 2.0], [nan, nan], [3.0, nan]].map(|y| record(1, &[("y", Level::Graph, 2, floats(&y))]));
    let store = gathered(&records, &Fields::default());
    assert_eq!(store.values::<f32>("y").unwrap(), [1.0, 2.0, 0.0, 0.0, 3.0, 0.0]);
    assert_eq!(store.values::<bool>("has_y").unwrap(), [true, true, false, false, true, false]);
    // Where all are there or none are, it is a mask of graphs; a graph that is refused decides nothing.
    let mut gather = Gather::new("file", Fields::default());
    records[..2].iter().for_each(|record| gather.push(record).unwrap());
    let wrong = record(1, &[("y", Level::Graph, 2, floats(&[nan, 0.5])), ("y", Level::Graph, 2, floats(&[0.5, 0.5]))]);
    assert!(gather.push(&wrong).is_err());
    assert_eq!(gather.take().unwrap().values::<bool>("has_y").unwrap(), [true, false]);
}

#[test]
fn a_mask_that_graphs_have_themselves_is_the_one_of_its_field() {
    let y = || ("y", Level::Graph, 2, floats(&[1.0, 2.0]));
    let has = |has: &[bool]| ("has_y", Level::Graph, has.len(), Values::Bool(has.to_vec()));
    let z = || ("z", Level::NODE, 1, Values::I64(vec![1]));
    for (width, with) in [(1, [vec![true], vec![false]]), (2, [vec![true, false], vec![false, true]])] {
        let [one, other] = &with;
        let all = [
            record(1, &[y(), has(one)]),
            record(1, &[has(one), z()]),
            record(1, &[z()]),
            record(1, &[y()]),
            record(1, &[y(), has(other)]),
        ];
        let expected = [one.clone(), vec![false; 2 * width], vec![true; width], other.clone()].concat();
        // Also where pieces have neither, or the mask alone.
        for each in 1..6 {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("store");
            let (mut writer, mut gather) =
                (StoreWriter::create(&path).unwrap(), Gather::new("file", Fields::default()));
            for order in [[0, 1, 2, 3, 4], [1, 2, 0, 3, 4]] {
                for records in order.chunks(each) {
                    records.iter().for_each(|&at| gather.push(&all[at]).unwrap());
                    writer.push(&gather.take().unwrap()).unwrap();
                }
            }
            writer.finish().unwrap();
            let store = Store::open(&path).unwrap();
            let found = store.values::<bool>("has_y").unwrap();
            assert_eq!(found[..5 * width], expected, "{each} at a time");
            assert_eq!(found[5 * width..7 * width], vec![false; 2 * width]);
            assert!(store.schema().position("has_has_y").is_none());
        }
    }
}

#[test]
fn two_fields_of_one_name_are_an_error_that_says_what_to_do() {
    let error = |rename: &[(&str, &str)], records: &[Record]| {
        let rename = rename.iter().map(|&(from, to)| (from.to_owned(), to.to_owned())).collect();
        let mut gather = Gather::new("file", Fields { rename, ..Fields::default() });
        records.iter().for_each(|record| gather.push(record).unwrap());
        gather.take().unwrap_err().to_string()
    };
    let y = || ("y", Level::Graph, 1, floats(&[1.0]));
    // Some graphs lack `y`, and integers are no mask.
    let has = |has| ("has_y", Level::Graph, 1, Values::I64(vec![has]));
    assert_eq!(
        error(&[], &[record(1, &[y(), has(1)]), record(1, &[has(0)])]),
        "file, field \"has_y\": expected true or false, which says of each graph whether it has y, as some lack it, or \
         another name (rename gives one), found int64"
    );
    let charge = ("charge", Level::Graph, 1, floats(&[1.0]));
    assert_eq!(
        error(&[("charge", "y")], &[record(1, &[y(), charge])]),
        "file, field \"y\": expected names that differ (rename gives another), found two fields \"y\""
    );
}

#[test]
fn integers_become_floating_point_alike_wherever_a_piece_ends() {
    let folder = tempfile::tempdir().unwrap();
    let written = |rows: &[Values], each: usize| {
        let path = folder.path().join("store");
        let mut writer = StoreWriter::create(&path).unwrap();
        let mut gather = Gather::new("file", Fields::default());
        for rows in rows.chunks(each) {
            for row in rows {
                let fields = ["y", "energy"].map(|name| (name, Level::Graph, 1, row.clone()));
                gather.push(&record(1, &fields)).map_err(|error| error.to_string())?;
            }
            writer.push(&gather.take().unwrap()).map_err(|error| error.to_string())?;
        }
        writer.finish().unwrap();
        let store = Store::open(&path).unwrap();
        Ok::<_, String>((store.values::<f32>("y").unwrap(), store.values::<f64>("energy").unwrap()))
    };
    let rows = [Values::I64(vec![1 << 24]), floats(&[0.1]), Values::I64(vec![-3]), Values::I64(vec![7])];
    for each in 1..5 {
        let expected = (vec![16_777_216.0, 0.1, -3.0, 7.0], vec![16_777_216.0, 0.1, -3.0, 7.0]);
        assert_eq!(written(&rows, each), Ok(expected), "{each} at a time");
    }
    for order in [[0, 1, 2], [1, 0, 2], [1, 2, 0]] {
        let rows = [Values::I64(vec![(1 << 24) + 1]), floats(&[0.5]), Values::I64(vec![2])];
        let rows = order.map(|at| rows[at].clone());
        for each in 1..4 {
            let error = written(&rows, each).unwrap_err();
            assert!(error.contains("16777217") && error.contains("float32"), "{each} at a time: {error}");
        }
    }
}

#[test]
fn a_graph_that_does_not_fit_leaves_no_trace() {
    let mut gather = Gather::new("file", Fields::default());
    let y = |values: Values| ("y", Level::Graph, 1, values);
    assert!(gather.push(&record(2, &[y(floats(&[1.0])), ("x", Level::NODE, 1, floats(&[1.0]))])).is_err());
    gather.push(&record(1, &[y(Values::I64(vec![1]))])).unwrap();
    let bad = [("x", Level::NODE, 1, floats(&[1.0, 2.0])), y(Values::Bool(vec![true]))];
    assert!(gather.push(&record(2, &bad)).is_err());
    // Nor do its floating point numbers change the type of those before, twice after a store was taken.
    let bad = [y(floats(&[0.5])), ("x", Level::NODE, 1, floats(&[1.0]))];
    for y_before in [1, 3] {
        assert!(gather.push(&record(2, &bad)).is_err());
        gather.push(&record(1, &[y(Values::I64(vec![y_before + 1]))])).unwrap();
        if y_before == 3 {
            gather.push(&record(1, &[y(Values::I64(vec![5]))])).unwrap();
            assert!(gather.push(&record(2, &bad)).is_err());
        }
        let store = gather.take().unwrap();
        let found = (store.values::<i64>("y").unwrap(), store.schema().fields().len());
        assert_eq!(found, (if y_before == 1 { vec![1, 2] } else { vec![4, 5] }, 1));
    }
    assert!(gather.seen().iter().eq(["y"]));
}

#[test]
fn it_does_not_matter_how_often_stores_are_taken() {
    let folder = tempfile::tempdir().unwrap();
    for fields in [Fields::default(), Fields { double: Some(true), ..Fields::default() }] {
        let whole = gathered(&drawn(), &fields);
        whole.save(folder.path().join("whole")).unwrap();
        for each in 1..6 {
            let path = folder.path().join("pieces");
            let mut writer = StoreWriter::create(&path).unwrap();
            let mut gather = Gather::new("file", fields.clone());
            for records in drawn().chunks(each) {
                records.iter().for_each(|record| gather.push(record).unwrap());
                writer.push(&gather.take().unwrap()).unwrap();
            }
            writer.finish().unwrap();
            let same = std::fs::read(&path).unwrap() == std::fs::read(folder.path().join("whole")).unwrap();
            assert!(same, "{each} at a time");
        }
    }
}

#[test]
fn fields_are_selected_and_renamed() {
    let fields = Fields {
        select: Some(vec!["forces".into()]),
        rename: vec![("forces".into(), "f".into())],
        ..Fields::default()
    };
    let mut gather = Gather::new("file", fields.clone());
    drawn().iter().for_each(|record| gather.push(record).unwrap());
    assert_eq!(gather.seen().iter().map(String::as_str).collect::<Vec<_>>(), ["charge", "fixed", "forces", "z"]);
    let store = gather.take().unwrap();
    let names: Vec<&str> = store.schema().fields().iter().map(|field| &*field.name).collect();
    assert_eq!(names, ["z", "f", "has_f"]);
    let seen = gather.seen().clone();
    fields.check("file".as_ref(), &seen).unwrap();
    let other = Fields { rename: vec![("stress".into(), "s".into())], ..fields };
    let rename = vec![("u0".into(), "energy".into()), ("energy".into(), "e".into())];
    let doubles = Fields { rename, ..Fields::default() };
    let is_double = |name| doubles.is_double(name, Level::Graph);
    assert_eq!(["u0", "energy", "Energy_2", "u298"].map(is_double), [true, true, true, false]);
    assert_eq!(["old_energies", "enthalpy"].map(is_double), [true, false]);
    let error = other.check("file".as_ref(), &seen).unwrap_err().to_string();
    assert_eq!(error, "file: expected a field \"stress\", found the fields charge, fixed, forces, z");
    let other = Fields { rename: vec![("charge".into(), "q".into())], ..other };
    let error = other.check("file".as_ref(), &seen).unwrap_err().to_string();
    let expected = "the field \"charge\", which is renamed, among those that are selected";
    assert_eq!(error, format!("file: expected {expected}, found forces"));
}

#[test]
fn edges_belong_to_all_graphs_or_none() {
    let connected = |edges: [Vec<i64>; 2]| Record { nodes: 3, edges: Some(edges), ..Record::default() };
    let mut gather = Gather::new("file", Fields::default());
    let mut pair = connected([vec![0, 1], vec![1, 2]]);
    pair.push("edge_attr", Level::EDGE, 1, Values::I64(vec![1, 2]));
    gather.push(&pair).unwrap();
    gather.push(&connected([vec![], vec![]])).unwrap();
    let store = gather.take().unwrap();
    assert_eq!((store.edges(0).unwrap(), store.edges(1).unwrap()), ((vec![0, 1], vec![1, 2]), (vec![], vec![])));
    let error = gather.push(&record(3, &[])).unwrap_err().to_string();
    assert_eq!(error, "file, graph 2 (of 3), edges: expected edges as in the graphs before, found none");
    let error = gather.push(&connected([vec![0], vec![3]])).unwrap_err().to_string();
    assert_eq!(error, "file, graph 2, edges: expected nodes below 3, found 3");
    let error = gather.push(&connected([vec![0], vec![]])).unwrap_err().to_string();
    assert!(error.ends_with("expected as many sources as targets, found 1 and 0"), "{error}");
}

#[test]
fn what_does_not_fit_is_named() {
    let error = |field: (&'static str, Level, usize, Values)| {
        let mut gather = Gather::new("file", Fields::default());
        let energy = ("energy", Level::Graph, 1, floats(&[1.0]));
        gather.push(&record(1, &[energy, ("fixed", Level::Graph, 1, Values::Bool(vec![true]))])).unwrap();
        gather.take().unwrap();
        gather.push(&record(2, &[field])).unwrap_err().to_string()
    };
    let cases = [
        (
            ("energy", Level::Graph, 2, floats(&[1.0, 2.0])),
            "file, graph 1 (of 2), energy: expected 1 for each graph as in the graphs before, found 2 for each graph",
        ),
        (
            ("energy", Level::NODE, 1, floats(&[1.0, 2.0])),
            "1 for each graph as in the graphs before, found 1 for each node",
        ),
        (("energy", Level::Graph, 1, floats(&[1.0, 2.0])), "expected 1 rows of 1 numbers, found 2 numbers"),
        (("charge", Level::Graph, 1, floats(&[1e39])), "numbers up to 3.4028235e38, or double precision, found 1e39"),
        (("charge", Level::Graph, 1, floats(&[1e-50])), "numbers of at least 1e-45, or double precision, found 1e-50"),
        (("energy", Level::Graph, 1, Values::Bool(vec![true])), "numbers as in the graphs before, found true or false"),
        (("fixed", Level::Graph, 1, floats(&[1.0])), "true or false as in the graphs before, found numbers"),
        (("length", Level::EDGE, 1, floats(&[])), "a field of nodes, edges or the graph, found one of another set"),
    ];
    for (field, expected) in cases {
        let found = error(field);
        assert!(found.ends_with(expected), "{found}");
    }
    // Noise beside other numbers, or of nodes, is as good as 0.
    let noise = [("dipole", Level::Graph, 2, floats(&[1e-50, 1.0])), ("q", Level::NODE, 1, floats(&[1e-50]))];
    Gather::new("file", Fields::default()).push(&record(1, &noise)).unwrap();
    let mut gather = Gather::new("file", Fields::default());
    gather.push(&record(1, &[("x", Level::NODE, 2, floats(&[1.0, 2.0]))])).unwrap();
    let error = gather.push(&record(u32::MAX as usize, &[])).unwrap_err().to_string();
    let expected = "x: expected at most 268435456 numbers where graphs lack it, found 4294967295 rows of 2";
    assert!(error.ends_with(expected), "{error}");
    let mut gather = Gather::new("file", Fields::default());
    gather.push(&record(u32::MAX as usize, &[])).unwrap();
    let error = gather.push(&record(1, &[("x", Level::NODE, 2, floats(&[1.0, 2.0]))])).unwrap_err().to_string();
    assert!(error.ends_with(expected), "{error}");
    let twice = ("energy", Level::Graph, 1, floats(&[1.0]));
    let twice = Gather::new("file", Fields::default()).push(&record(1, &[twice.clone(), twice])).unwrap_err();
    assert!(twice.to_string().ends_with("expected each field once, found it twice"), "{twice}");
    let mut gather = Gather::new("file", Fields::default());
    gather.push(&record(1, &[("num_nodes", Level::Graph, 1, floats(&[1.0]))])).unwrap();
    let error = gather.take();
    assert!(error.is_ok() || error.unwrap_err().to_string().contains("num_nodes"));
}

#[test]
fn a_name_that_batches_have_for_themselves_is_refused_with_all_of_them() {
    let mut gather = Gather::new("file", Fields::default());
    gather.push(&record(1, &[("batch", Level::Graph, 1, floats(&[1.0]))])).unwrap();
    let error = gather.take().unwrap_err().to_string();
    let expected = "file, field \"batch\": expected another name than a batch has for arrays of its own (rename \
        gives one): batch, ptr, graph_ids, node_mask, graph_mask, pool, ptr_node, ptr_edge, found a reserved name";
    assert_eq!(error, expected);
}
