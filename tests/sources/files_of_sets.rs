//! Files of stores of any sets: what scripts may write, and errors that name the contradiction.

use crate::tensors::{Tensor, i64s, written};
use graphpack_loader::schema::PaddingValue;
use graphpack_loader::store::{StoreFilesWriter, StoreWriter};
use graphpack_loader::{Dtype as Type, Level, Loader, Options, Schema, Store, StoreFiles};
use safetensors::{Dtype, SafeTensors};
use std::fs;
use tempfile::TempDir;
use test_common::{assert_naive, batches};

const METADATA: &str = r#"{"sets": ["protein", "ligand", "contacts"],
    "fields": [["protein.x", "protein"], ["distance", "contacts"], ["y", "graph"]],
    "indices": [["contact_index", "contacts", ["protein", "ligand"]]],
    "padding": {"distance": 1.5}}"#;

/// Proteins of 3 and 2 atoms, ligands of 2 and 2 atoms, 2 and 1 contacts.
fn contacts() -> Vec<Tensor> {
    let f32s = |numbers: &[f32]| numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    vec![
        ("ptr_protein", Dtype::I64, vec![3], i64s(&[0, 3, 5])),
        ("ptr_ligand", Dtype::I64, vec![3], i64s(&[0, 2, 4])),
        ("ptr_contacts", Dtype::I64, vec![3], i64s(&[0, 2, 3])),
        ("contact_index", Dtype::U8, vec![2, 3], vec![2, 0, 1, 0, 1, 1]),
        ("protein.x", Dtype::F32, vec![5], f32s(&[0.1, 0.2, 0.3, 0.4, 0.5])),
        ("distance", Dtype::F32, vec![3], f32s(&[2.0, 3.0, 4.0])),
        ("y", Dtype::I64, vec![2], i64s(&[7, 8])),
    ]
}

#[test]
fn a_file_of_any_sets_is_understood() {
    let folder = TempDir::new().unwrap();
    let store = Store::open(written(&folder, Some(METADATA), &contacts())).unwrap();
    let fields: Vec<_> = store.schema().fields().iter().map(|field| (field.name.as_str(), field.padding)).collect();
    assert_eq!(fields, [("protein.x", 0.0.into()), ("distance", 1.5.into()), ("y", 0.0.into())]);
    assert_eq!(store.index("contact_index", 0).unwrap(), [[2, 0], [0, 1]]);
    assert_eq!((store.size(1).unwrap().as_slice(), store.verify().unwrap()), (&[2, 2, 1][..], 0));
    for batch in batches(Loader::new(store.clone(), Options::default()).unwrap().epoch(0)) {
        assert_naive(&batch, &store, Default::default());
    }
    // Offsets alone declare a set of a file without metadata; a field belongs to the set that its name begins with.
    let mut list: Vec<Tensor> = vec![
        ("ptr_node", Dtype::I64, vec![3], i64s(&[0, 1, 3])),
        ("ptr_edge", Dtype::I64, vec![3], i64s(&[0, 0, 1])),
        ("ptr_tokens", Dtype::I64, vec![3], i64s(&[0, 3, 3])),
        ("edge_index", Dtype::U16, vec![2, 1], vec![0, 0, 1, 0]),
        ("tokens.id", Dtype::U8, vec![3], vec![5, 6, 7]),
    ];
    let store = Store::open(written(&folder, None, &list)).unwrap();
    assert_eq!(**store.schema().sets(), ["nodes", "edges", "tokens"]);
    assert_eq!((store.schema().fields()[0].level, store.size(0).unwrap().as_slice()), (Level::Set(2), &[1, 0, 3][..]));
    // In memory, indices take as few bytes as their graphs allow.
    let (files, again) = (StoreFiles::open(written(&folder, None, &list)).unwrap(), folder.path().join("again"));
    files.part(0..2).unwrap().save(&again).unwrap();
    let again = fs::read(again).unwrap();
    assert_eq!(SafeTensors::deserialize(&again).unwrap().tensor("edge_index").unwrap().dtype(), Dtype::U8);
    list[4].0 = "id";
    let error = Store::open(written(&folder, None, &list)).unwrap_err().to_string();
    let expected = "tensor \"id\" is U8 [3], expected a level in the metadata: it has rows for more than one";
    assert!(error.ends_with(expected), "{error}");
}

#[test]
fn names_decide_what_padding_rows_hold_where_metadata_do_not_list_a_field() {
    let folder = TempDir::new().unwrap();
    let of = |metadata: Option<&str>, name: &'static str| -> Result<PaddingValue, String> {
        let mut list = contacts();
        list.push((name, Dtype::F32, vec![5, 3], vec![0; 60]));
        let store = Store::open(written(&folder, metadata, &list)).map_err(|error| error.to_string())?;
        // The same after it was written again.
        let again = folder.path().join("again.safetensors");
        store.save(&again).unwrap();
        let again = Store::open(again).unwrap();
        assert_eq!(again.schema(), store.schema());
        Ok(again.schema().fields().iter().find(|field| field.name == name).unwrap().padding)
    };
    assert_eq!(of(Some(METADATA), "protein.pos"), Ok(PaddingValue::Positions));
    assert_eq!(of(Some(METADATA), "protein.at"), Ok(0.0.into()));
    let listed = |padding: &str| {
        METADATA
            .replace(r#"["y", "graph"]"#, r#"["y", "graph"], ["protein.pos", "protein"]"#)
            .replace(r#""distance": 1.5"#, padding)
    };
    assert_eq!(of(Some(&listed(r#""distance": 1.5"#)), "protein.pos"), Ok(0.0.into()));
    assert_eq!(of(Some(&listed(r#""protein.pos": "length""#)), "protein.pos"), Ok(PaddingValue::Length));
    let error = of(Some(&listed(r#""protein.pos": "cell""#)), "protein.pos").unwrap_err();
    let expected = "expects 9 numbers per graph, found 3 of float32 per row of protein";
    assert!(error.ends_with(&format!("the padding value cell of field \"protein.pos\" {expected}")), "{error}");
    let error = of(Some(&listed(r#""protein.pos": "far""#)), "protein.pos").unwrap_err();
    assert!(error.contains("expected a number, positions, length or cell for padding rows at line"), "{error}");
}

#[test]
fn offsets_and_indices_that_lie_are_named() {
    let folder = TempDir::new().unwrap();
    let error = |change: &dyn Fn(&mut Vec<Tensor>)| {
        let mut list = contacts();
        change(&mut list);
        Store::open(written(&folder, Some(METADATA), &list)).unwrap_err().to_string()
    };
    let ends = |message: String, expected: &str| assert!(message.ends_with(expected), "{message:?}: {expected:?}");
    ends(error(&|list| drop(list.remove(2))), "foreign.safetensors has no tensor \"ptr_contacts\"");
    ends(error(&|list| list[2].3 = i64s(&[0, 2, 9])), "column \"contact_index\" has 3 rows, expected 9");
    ends(error(&|list| list[0].3 = i64s(&[0, 3, 9])), "column \"protein.x\" has 5 values, expected 9 rows x 1");
    ends(error(&|list| list[2].3 = i64s(&[0, 4, 3])), "the offsets of contacts go from 4 to 3 at graph 1");
    ends(
        error(&|list| list[2].3 = i64s(&[0, -1, 3])),
        "the offsets of contacts go from 0 to 18446744073709551615 at graph 0",
    );
    ends(error(&|list| list[1].3 = i64s(&[2, 2, 4])), "the offsets of ligand must start with 0, found 2");
    let three = |list: &mut Vec<Tensor>| list[2] = ("ptr_contacts", Dtype::I64, vec![4], i64s(&[0, 2, 3, 3]));
    ends(error(&three), "the offsets of protein have 3 entries, those of contacts 4");
    let narrow = |list: &mut Vec<Tensor>| list[2] = ("ptr_contacts", Dtype::I32, vec![3], vec![0; 12]);
    ends(error(&narrow), "tensor \"ptr_contacts\" is I32 [3], expected int64 [graphs + 1]");
    let none = |list: &mut Vec<Tensor>| list[2] = ("ptr_contacts", Dtype::I64, vec![0], vec![]);
    ends(error(&none), "tensor \"ptr_contacts\" is I64 [0], expected int64 [graphs + 1]");
    let index = |dtype, shape: &[usize], bytes| {
        error(&|list| list[3] = ("contact_index", dtype, shape.to_vec(), vec![0; bytes]))
    };
    let expected = "expected uint8, uint16, int32 or int64 [2, contacts]";
    ends(index(Dtype::F32, &[2, 3], 24), &format!("tensor \"contact_index\" is F32 [2, 3], {expected}"));
    ends(index(Dtype::I64, &[3, 2], 48), &format!("tensor \"contact_index\" is I64 [3, 2], {expected}"));
    ends(index(Dtype::I64, &[6], 48), &format!("tensor \"contact_index\" is I64 [6], {expected}"));
    ends(error(&|list| drop(list.remove(3))), "foreign.safetensors has no tensor \"contact_index\"");
    ends(error(&|list| drop(list.remove(5))), "foreign.safetensors has no tensor \"distance\"");

    // Entries are checked when they are read.
    let mut list = contacts();
    list[3].3[4] = 2;
    let store = Store::open(written(&folder, Some(METADATA), &list)).unwrap();
    let message = "entry 1 in column 1 of \"contact_index\" of graph 0 is 2, but the graph has 2 ligand";
    ends(store.verify().unwrap_err().to_string(), message);
    ends(store.to_memory().unwrap_err().to_string(), message);
    let error = Loader::new(store, Options::default()).unwrap().epoch(0).next().unwrap().unwrap_err();
    assert_eq!(
        error.to_string(),
        "step 0: graph 0 cannot be loaded: entry 1 in column 1 of \"contact_index\" is 2, but the graph has 2 ligand"
    );
}

#[test]
fn metadata_that_contradict_themselves_are_refused() {
    let folder = TempDir::new().unwrap();
    let error = |from: &str, to: &str| {
        assert!(METADATA.contains(from), "{from}");
        let metadata = METADATA.replacen(from, to, 1);
        Store::open(written(&folder, Some(&metadata), &contacts())).unwrap_err().to_string()
    };
    let ends = |message: String, expected: &str| assert!(message.ends_with(expected), "{message:?}: {expected:?}");
    let sets = r#"but the sets are ["protein", "ligand", "contacts"]"#;
    let named = |name: &str, set: &str| format!("{name:?} names the set {set:?}, {sets}");
    ends(error(r#"x", "protein"]"#, r#"x", "water"]"#), &named("protein.x", "water"));
    ends(error(r#"x", "contacts", ["#, r#"x", "node", ["#), &named("contact_index", "node"));
    ends(error(r#"["protein", "ligand"]]]"#, r#"["protein", "water"]]]"#), &named("contact_index", "water"));
    ends(error(r#"["protein", "ligand"]]]"#, r#"["protein", "graph"]]]"#), &named("contact_index", "graph"));
    ends(error(r#""ligand", "contacts"],"#, r#""ligand", "ligand"],"#), "set name \"ligand\" is used twice");
    ends(error(r#"["protein", "ligand", "contacts"],"#, "[],"), "a graph has 1 to 16 sets, found 0: []");
    ends(
        error(
            r#"["protein", "ligand", "contacts"],"#,
            r#"["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q"],"#,
        ),
        r#"a graph has 1 to 16 sets, found 17: ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q"]"#,
    );
    ends(
        error("\"distance\": 1.5", "\"distanc\": 1.5"),
        "there is no field \"distanc\"; there are distance, protein.x, y",
    );
    ends(
        error("\"distance\": 1.5", "\"y\": 1.5"),
        "the padding value 1.5 of field \"y\" is not a finite value of int64",
    );
    let message = error("\"padding\"", "\"paddings\"");
    assert!(message.contains("metadata \"graphpack\": unknown field `paddings`"), "{message}");
}

#[test]
fn files_of_one_data_set_have_the_same_sets() {
    let folder = TempDir::new().unwrap();
    let empty = |sets: [&str; 2]| {
        let schema = Schema::of(&sets);
        Store::of_sets(schema, vec![vec![0, 1]; 2], vec![], vec![]).unwrap()
    };
    let mut writer = StoreFilesWriter::create(folder.path().join("files")).unwrap();
    [["a", "b"]; 2].iter().for_each(|&sets| writer.push(&empty(sets)).unwrap());
    writer.finish().unwrap();
    empty(["a", "c"]).save(folder.path().join("files/graphs-00001.safetensors")).unwrap();
    let error = StoreFiles::open(folder.path().join("files")).unwrap_err().to_string();
    let expected =
        r#"graphs-00001.safetensors has sets ["a", "c"], fields [] and indices [], the first file sets ["a", "b"], "#;
    assert!(error.contains(expected), "{error}");
}

#[test]
fn what_no_batch_takes_is_neither_verified_nor_copied() {
    let folder = TempDir::new().unwrap();
    let mut list = contacts();
    list[6] = ("y", Dtype::BOOL, vec![2], vec![1, 2]);
    let files = StoreFiles::open(written(&folder, Some(METADATA), &list)).unwrap();
    for error in [files.verify().unwrap_err(), files.part(1..2).unwrap_err()] {
        assert!(error.to_string().contains("\"y\""), "{error}");
    }
    assert!(files.part(0..1).is_ok());
}

/// Names in which those of files, batches and sets are put together in all ways.
fn names() -> Vec<String> {
    let parts =
        ["", "ptr_", "ptr", "has_", "node", "nodes", "edge", "graph", "graphs", "pindex", "_index", "_batch", "_mask"];
    let others = ["__metadata__", "graphpack", "graph_ids", "a.b", "\u{1}\"\\", "\u{1F4A5}", "header", "x\u{0}"];
    let pairs = parts.iter().flat_map(|first| parts.iter().map(move |second| format!("{first}{second}")));
    pairs.chain(others.map(String::from)).collect()
}

#[test]
fn every_schema_that_can_be_declared_can_be_read_again() {
    let (folder, mut accepted) = (TempDir::new().unwrap(), 0);
    let path = folder.path().join("store");
    for name in names() {
        let usual = || Schema::of(&["nodes", "edges"]);
        let of_name = || Schema::of(&["nodes", &*name]);
        let all = [
            usual().index("edge_index", "edges", &["nodes", "nodes"]).field(&name, "nodes", Type::F32, &[2]),
            usual().index("edge_index", "edges", &["nodes", "nodes"]).field(&name, "graph", Type::Bool, &[1]),
            usual().index(&name, "edges", &["nodes", "nodes"]),
            usual().index("edge_index", "edges", &["nodes", "nodes"]).index(&name, "graph", &["edges"]),
            of_name().field("y", &name, Type::I64, &[1]).index("of", &name, &["nodes"]),
            of_name().field("ptr_y", "graph", Type::I32, &[0]).index("ptr_of", "nodes", &[&*name]),
        ];
        for schema in all.into_iter().filter(|schema| schema.check().is_ok()) {
            accepted += 1;
            let store = Store::new(schema.clone());
            store.save(&path).unwrap();
            let opened = Store::open(&path).unwrap_or_else(|error| panic!("{schema:?}: {error}"));
            assert_eq!(opened.schema(), &schema, "{name:?}");
            // Writing waits for the disk.
            if accepted % 8 == 0 {
                let mut writer = StoreWriter::create(&path).unwrap();
                writer.push(&store).unwrap();
                writer.finish().unwrap();
                assert_eq!(StoreFiles::open(&path).unwrap().schema(), &schema, "{name:?}");
            }
        }
    }
    assert!(accepted > 500, "{accepted}");
    // Padding values to the last bit.
    for number in 1..100_u64 {
        let padding = f64::from_bits(number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 2);
        let schema = Schema::of(&["nodes"]).field("x", "nodes", Type::F64, &[1]).padded("x", padding);
        Store::new(schema.clone()).save(&path).unwrap();
        assert_eq!(Store::open(&path).unwrap().schema(), &schema, "{padding:e}");
    }
    // A header that could not be read is not written.
    let name = "n".repeat(60_000_000);
    let store = Store::new(usual_with(&name));
    let error = store.save(&path).unwrap_err().to_string();
    assert!(error.contains("can be read: use shorter names"), "{}", error.len());
}

fn usual_with(name: &str) -> Schema {
    Schema::of(&["nodes"]).field(name, "nodes", Type::U8, &[1])
}
