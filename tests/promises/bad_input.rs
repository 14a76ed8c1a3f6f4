//! Promise 8: bad input gives an error that names file, line or graph, what was expected and what was found.
//!
//! Here: columns and options. Readers' files are in `loader/formats/tests/readers/`, stores in `tests/sources/`.

use graphpack_loader::schema::{Field, PaddingValue};
use graphpack_loader::{
    BoxError, Capacity, Column, Dtype, Error, ErrorKind, Estimate, Grouping, Level, Limits, Loader, Options, Schema,
    Shapes, Size, Slot, Source, Store, Worker, molecules,
};
use proptest::prelude::*;
use proptest::sample;
use test_common::{Faulty, data_sets};

/// Two proteins of 3 and 2 atoms, ligands of 2 and 2 atoms, and 2 and 1 contacts between them.
fn contacts(columns: Vec<Vec<i64>>) -> Result<Store, Error> {
    let schema =
        Schema::of(&["protein", "ligand", "contacts"]).index("contact_index", "contacts", &["protein", "ligand"]);
    let ptr = vec![vec![0, 3, 5], vec![0, 2, 4], vec![0, 2, 3]];
    Store::of_sets(schema, ptr, vec![columns], vec![])
}

#[test]
fn schemas_that_cannot_be_collated_are_refused() {
    let error = |schema: Schema| schema.check().unwrap_err().to_string();
    assert_eq!(error(Schema::of(&["nodes", "edges", "nodes"])), "set name \"nodes\" is used twice");
    assert_eq!(error(Schema::of(&["graph"])), "set name \"graph\" is empty or reserved");
    assert_eq!(error(Schema::of(&["node"])), "set name \"node\" is empty or reserved");
    assert_eq!(error(Schema::of(&[])), "a graph has 1 to 16 sets, found 0: []");
    let many = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q"];
    let message = r#"a graph has 1 to 16 sets, found 17: ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q"]"#;
    assert_eq!(error(Schema::of(&many)), message);
    let two = || Schema::of(&["protein", "contacts"]);
    assert_eq!(
        error(two().index("contact_index", "contacts", &["protein", "ligand"])),
        r#""contact_index" names the set "ligand", but the sets are ["protein", "contacts"]"#
    );
    assert_eq!(
        error(two().index("of", "contacts", &["graph"])),
        r#""of" names the set "graph", but the sets are ["protein", "contacts"]"#
    );
    assert_eq!(
        error(two().field("water.x", "water", Dtype::F32, &[3])),
        r#""water.x" names the set "water", but the sets are ["protein", "contacts"]"#
    );
    assert_eq!(error(two().index("i", "protein", &[])), "index \"i\" has 0 columns, expected 1 to 8");
    assert_eq!(error(two().index("i", "protein", &["protein"; 9])), "index \"i\" has 9 columns, expected 1 to 8");
    let reserved = |name: &str| error(two().field(name, "protein", Dtype::F32, &[1]));
    for name in ["protein_mask", "contacts_ptr", "protein_batch", "ptr_protein", "graph_ids", ""] {
        assert_eq!(reserved(name), format!("name {name:?} is reserved for the batch itself or its file"));
    }
    let twice = two().field("i", "protein", Dtype::F32, &[1]).index("i", "contacts", &["protein"]);
    assert_eq!(error(twice), "name \"i\" is used twice");
    let many = (0..129).fold(two(), |schema, number| schema.field(&format!("f{number}"), "graph", Dtype::U8, &[1]));
    assert_eq!(error(many), "the data set has 129 fields and indices, at most 128 are supported");
    let number = two().with_field(Field::new("x", Level::Set(2), Dtype::U8, 1));
    assert_eq!(error(number), r#""x" names the set number 2, but the sets are ["protein", "contacts"]"#);
    let cell = Field::new("cell", Level::Graph, Dtype::F32, 9).shaped(&[3, 4]);
    let rows = "field \"cell\" has rows of [3, 4]; expected up to 7 axes of 9 elements in all";
    assert_eq!(error(two().with_field(cell)), rows);
    let axes = "field \"x\" has rows of [1, 1, 1, 1, 1, 1, 1, 1]; expected up to 7 axes of 1 elements in all";
    assert_eq!(error(two().field("x", "graph", Dtype::F32, &[1; 8])), axes);
    assert!(error(two().field("x", "graph", Dtype::F32, &[usize::MAX, 2])).ends_with("may have at most 1 GiB"));
    let first = two().field("x", "water", Dtype::F32, &[]).index("i", "contacts", &[]);
    assert_eq!(error(first.clone()), error(two().field("x", "water", Dtype::F32, &[])));
    // Wherever data are made.
    let of_store = Store::of_sets(first.clone(), vec![], vec![], vec![]).unwrap_err().to_string();
    let of_column = Column::of(&first, "x", vec![1.0_f32]).unwrap_err().to_string();
    assert_eq!([of_store, of_column], [(); 2].map(|()| error(first.clone())));
}

#[test]
fn padding_values_that_a_field_cannot_hold_are_refused() {
    let padded = |dtype, value| Schema::of(&["nodes"]).field("n", "nodes", dtype, &[1]).padded("n", value).check();
    for (dtype, value) in [
        (Dtype::I32, 0.5),
        (Dtype::I32, 2_147_483_648.0),
        (Dtype::I64, 1e300),
        (Dtype::U8, 256.0),
        (Dtype::U8, -1.0),
        (Dtype::Bool, 2.0),
        (Dtype::F16, 65520.0),
        (Dtype::F32, 1e300),
        (Dtype::F64, f64::INFINITY),
        (Dtype::I64, f64::NAN),
    ] {
        let message = format!("the padding value {value} of field \"n\" is not a finite value of {dtype}");
        assert_eq!(padded(dtype, value).unwrap_err().to_string(), message);
    }
    assert!(padded(Dtype::U8, 255.0).is_ok() && padded(Dtype::F32, -1e30).is_ok());
    let of = |set: &str, dtype, width: usize, padding| {
        Schema::default().field("n", set, dtype, &[width]).padded("n", padding).check()
    };
    for (set, dtype, width, padding, expected) in [
        ("graph", Dtype::F32, 3, PaddingValue::Positions, "expects numbers of a set, found 3 of float32 per graph"),
        ("edges", Dtype::Bool, 1, PaddingValue::Length, "expects numbers of a set, found 1 of bool per row of edges"),
        ("graph", Dtype::F64, 3, PaddingValue::Cell, "expects 9 numbers per graph, found 3 of float64 per graph"),
        (
            "nodes",
            Dtype::F64,
            9,
            PaddingValue::Cell,
            "expects 9 numbers per graph, found 9 of float64 per row of nodes",
        ),
    ] {
        let message = format!("the padding value {padding} of field \"n\" {expected}");
        assert_eq!(of(set, dtype, width, padding).unwrap_err().to_string(), message);
    }
    assert!(of("graph", Dtype::F32, 9, PaddingValue::Cell).is_ok());
    let unknown = Schema::of(&["nodes"]).padded("distance", 1.0).check().unwrap_err();
    assert!(unknown.to_string().starts_with("there is no field \"distance\"; there are "), "{unknown}");
}

#[test]
fn columns_of_any_sets_that_do_not_belong_together_are_refused() {
    let error = |columns| contacts(columns).unwrap_err().to_string();
    assert_eq!(
        error(vec![vec![2, 0, 1], vec![0, 1, 2]]),
        "entry 0 in column 1 of \"contact_index\" of graph 1 is 2, but the graph has 2 ligand"
    );
    assert_eq!(
        error(vec![vec![0, -1, 1], vec![0, 1, 1]]),
        "entry 1 in column 0 of \"contact_index\" of graph 0 is -1, but the graph has 3 protein"
    );
    assert_eq!(
        error(vec![vec![0, 1, 1], vec![0, 1]]),
        "index \"contact_index\" has columns of [3, 2] rows, expected 3 of contacts in each"
    );
    assert_eq!(error(vec![vec![0, 1, 1]]), "index \"contact_index\" has 1 columns, expected 2");
    let schema = contacts(vec![vec![0; 3]; 2]).unwrap().schema().clone();
    let of = |ptr: &[&[u64]], indices: Vec<Vec<Vec<i64>>>| {
        let ptr = ptr.iter().map(|ptr| ptr.to_vec()).collect();
        Store::of_sets(schema.clone(), ptr, indices, vec![]).unwrap_err().to_string()
    };
    let [protein, ligand, contacts] = [&[0, 3, 5][..], &[0, 2, 4], &[0, 2, 3]];
    assert_eq!(of(&[protein, ligand, contacts], vec![]), r#"found 0 indices, expected ["contact_index"]"#);
    assert_eq!(
        of(&[protein, ligand], vec![]),
        r#"found 2 lists of offsets, expected one for each of ["protein", "ligand", "contacts"]"#
    );
    assert_eq!(of(&[protein, ligand, &[0, 2]], vec![]), "the offsets of protein have 3 entries, those of contacts 2");
    assert_eq!(of(&[protein, ligand, &[0, 4, 3]], vec![]), "the offsets of contacts go from 4 to 3 at graph 1");
    assert_eq!(of(&[protein, ligand, &[1, 2, 3]], vec![]), "the offsets of contacts must start with 0, found 1");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn an_entry_beyond_its_set_is_named(
        drawn in data_sets(), which in any::<sample::Index>(), beyond in 0..70_000_i64, negative in any::<bool>(),
    ) {
        let store = drawn.store();
        let indices = store.schema().indices().to_vec();
        let entries = (0..store.len()).flat_map(|graph| {
            let columns = indices.iter().enumerate().flat_map(|(i, index)| (0..index.width()).map(move |c| (i, c)));
            let rows = |(i, c): (usize, usize)| {
                (0..store.index(&indices[i].name, graph).unwrap()[c].len()).map(move |entry| (graph, i, c, entry))
            };
            columns.collect::<Vec<_>>().into_iter().flat_map(rows).collect::<Vec<_>>()
        });
        let entries: Vec<_> = entries.collect();
        prop_assume!(!entries.is_empty());
        let (at, i, column, entry) = *which.get(&entries);
        let target = usize::from(indices[i].targets[column]);
        let (rows, set) = (store.size(at).unwrap()[target], store.schema().sets()[target].clone());
        let row = if negative { -1 - beyond } else { i64::from(rows) + beyond };
        let source = Faulty::new(store, move |store: &Store, graph, slot: &mut Slot<'_>| -> Result<(), BoxError> {
            store.write(graph, slot)?;
            let mut columns = store.index(&store.schema().indices()[i].name, graph).unwrap();
            if graph == at {
                columns[column][entry] = row;
            }
            let columns: Vec<_> = columns.iter().map(Vec::as_slice).collect();
            Ok(slot.set_index(&store.schema().indices()[i].name, &columns)?)
        });
        let loader = Loader::new(source, Options::graphs(4)).unwrap();
        let error = loader.epoch(0).find_map(Result::err).unwrap().to_string();
        let name = &indices[i].name;
        let message = format!("entry {entry} in column {column} of {name:?} is {row}, but the graph has {rows} {set}");
        prop_assert!(error.ends_with(&format!("graph {at} cannot be loaded: {message}")), "{error}");
    }
}

#[test]
fn columns_that_do_not_belong_together_are_refused() {
    let x = |rows: usize| vec![Column::new("x", Level::NODE, 2, vec![0.0_f32; 2 * rows])];
    let message = |store: Result<Store, Error>| store.map(|_| ()).unwrap_err().to_string();
    let edges = || [vec![0_i64], vec![1]];
    let error = message(Store::of_columns(vec![0, 2], vec![0, 1], edges(), x(3)));
    assert_eq!(error, "column \"x\" has 6 values, expected 2 rows x 2");
    assert_eq!(
        message(Store::of_columns(vec![0, 2, 1], vec![0, 1, 1], edges(), x(1))),
        "the offsets of nodes go from 2 to 1 at graph 1"
    );
    assert_eq!(
        message(Store::of_columns(vec![0, 2], vec![0, 1, 1], edges(), x(2))),
        "the offsets of nodes have 2 entries, those of edges 3"
    );
    assert_eq!(
        message(Store::of_columns(vec![], vec![], edges(), x(2))),
        "the offsets of nodes must start with 0, found none"
    );
    let error = message(Store::of_columns(vec![0, 1], vec![0, 1], edges(), x(1)));
    assert_eq!(error, "entry 0 in column 1 of \"edge_index\" of graph 0 is 1, but the graph has 1 nodes");
    let own = vec![Column::new("batch", Level::Graph, 1, vec![1_i64])];
    assert_eq!(
        message(Store::of_columns(vec![0, 2], vec![0, 1], edges(), own)),
        "name \"batch\" is reserved for the batch itself or its file"
    );
}

#[test]
fn options_of_zero_are_refused() {
    let data = std::sync::Arc::new(molecules::generate(1, 3));
    let error = Loader::new(data.clone(), Options::default().packs(0)).map(|_| ()).unwrap_err();
    assert_eq!(error.to_string(), "packs must be at least 1");
    let error = Loader::new(data.clone(), Options::graphs(0)).map(|_| ()).unwrap_err();
    assert_eq!(error.to_string(), "graphs per batch must be at least 1");
    let error = Loader::new(data.clone(), Options::default().capacity(Limits::new([0, 9]))).map(|_| ()).unwrap_err();
    assert!(error.to_string().starts_with("limits must be at least 1 each"), "{error}");
    let huge =
        Loader::new(data, Options::default().capacity(Limits::new([u32::MAX - 1, u32::MAX - 1])).packs(usize::MAX));
    assert!(huge.is_err_and(|error| error.to_string().ends_with("are more than can be addressed")));
    let none = Store::of_columns(vec![0], vec![0], [vec![], vec![]], vec![]).unwrap();
    let empty = Loader::new(none, Options::default()).map(|_| ()).unwrap_err();
    assert_eq!((empty.kind(), empty.to_string().as_str()), (ErrorKind::Data, "the data set has no graphs"));
}

#[test]
fn options_for_other_sets_are_refused() {
    let data = std::sync::Arc::new(contacts(vec![vec![0; 3]; 2]).unwrap());
    let error = |options: Options| Loader::new(data.clone(), options).map(|_| ()).unwrap_err().to_string();
    let options = Options::default;
    assert_eq!(
        error(options().capacity(Limits::new([9, 9]))),
        r#"limits must be at least 1 each, one for each of ["protein", "ligand", "contacts"], found (9, 9) with at most 256 graphs"#
    );
    assert_eq!(
        error(options().capacity(Limits::new([9, 0, 9]).graphs(3))),
        r#"limits must be at least 1 each, one for each of ["protein", "ligand", "contacts"], found (9, 0, 9) with at most 3 graphs"#
    );
    assert_eq!(
        error(options().capacity(Limits::new([3, 2, 1]))),
        "graph 0 has 3 protein, 2 ligand and 2 contacts, the limits are 3 protein, 2 ligand and 1 contacts; raise the limits, or use Oversize::Skip, Oversize::Alone or Oversize::Trim"
    );
    assert_eq!(
        error(Options::rows(&[("atoms", 9)], 5)),
        r#"there is no set "atoms"; there are ["protein", "ligand", "contacts"]"#
    );
    let message = r#"there is no "nope" to carry in batches; there are contact_index"#;
    assert_eq!(error(options().fields(["contact_index", "nope"])), message);
    let message = r#"there is no "nope_mask" to carry in batches; there are protein_batch, protein_ptr, ligand_batch, ligand_ptr, contacts_batch, contacts_ptr, graph_ids, protein_mask, ligand_mask, contacts_mask, graph_mask, protein_pool, ligand_pool, contacts_pool"#;
    assert_eq!(error(options().extra(["protein_mask", "nope_mask"])), message);
}

#[test]
fn a_size_of_other_sets_is_refused() {
    struct Two(Schema);
    impl Source for Two {
        fn schema(&self) -> &Schema {
            &self.0
        }
        fn len(&self) -> usize {
            2
        }
        fn size(&self, graph: usize) -> Result<Size, BoxError> {
            Ok(if graph == 0 { Size::new([3, 4, 5]) } else { Size::new([3, 4]) })
        }
        fn write(&self, _graph: usize, _slot: &mut Slot<'_>, _: &mut Worker) -> Result<(), BoxError> {
            Ok(())
        }
    }
    let source = Two(contacts(vec![vec![0; 3]; 2]).unwrap().schema().clone());
    let error = Loader::new(source, Options::default()).map(|_| ()).unwrap_err().to_string();
    assert_eq!(error, r#"graph 1: its size is (3, 4), expected the rows of ["protein", "ligand", "contacts"]"#);
}

#[test]
fn a_set_without_rows_has_a_limit_of_at_least_one() {
    let schema = Schema::of(&["nodes", "edges", "water"]).index("edge_index", "edges", &["nodes", "nodes"]);
    let schema = schema.field("water.x", "water", Dtype::F32, &[3]);
    let x = Column::of(&schema, "water.x", Vec::<f32>::new()).unwrap();
    let ptr = vec![vec![0, 2, 5], vec![0, 1, 1], vec![0; 3]];
    let data = std::sync::Arc::new(Store::of_sets(schema, ptr, vec![vec![vec![0], vec![1]]], vec![x]).unwrap());
    for capacity in [
        Capacity::graphs(4),
        Capacity::fullest(4),
        Capacity::estimate(Estimate::Jraph, 4),
        Capacity::estimate(Estimate::Constant, 4),
        Capacity::estimate(Estimate::Tight, 4),
        Capacity::estimate(Estimate::Percentile(0.9), 4),
    ] {
        let loader = Loader::new(data.clone(), Options::default().capacity(capacity.clone())).unwrap();
        assert!(loader.plan().unwrap().limits().size[2] >= 1, "{capacity:?}");
        for batch in loader.epoch(0) {
            let batch = batch.unwrap();
            assert_eq!(batch.get::<f32>("water.x").unwrap(), vec![0.0; 3 * batch.shape().sets()[2]]);
            assert_eq!(batch.real().sets()[2], 0);
        }
    }
}

#[test]
fn options_that_do_not_go_together_are_refused() {
    let data = std::sync::Arc::new(molecules::generate(1, 3));
    let error = |options: Options| Loader::new(data.clone(), options).map(|_| ()).unwrap_err().to_string();
    assert_eq!(error(Options::exactly(0)), "graphs per batch must be at least 1");
    let dynamic = |capacity| error(Options::default().grouping(Grouping::InOrder).capacity(capacity));
    assert_eq!(
        dynamic(Capacity::estimate(Estimate::Percentile(1.5), 4)),
        "the share of batches that fit must be above 0 and at most 1, found 1.5"
    );
    assert_eq!(
        dynamic(Capacity::estimate(Estimate::Jraph, u32::MAX)),
        "expected a shape of at most 4294967295 rows of each set, found more in capacity estimate(jraph, 4294967295)"
    );
    let of_nodes = Options::rows(&[("nodes", 2)], u32::MAX).grouping(Grouping::InOrder).shapes(Shapes::Exact);
    let message = error(of_nodes);
    assert!(message.contains("the limits are 2 nodes"), "{message}");
}
