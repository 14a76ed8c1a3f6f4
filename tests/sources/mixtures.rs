//! Mixtures: every graph of every data set with what it has, 0 and a mask for what it lacks, drawn at rates if asked.

use graphpack_loader::schema::Field;
use graphpack_loader::store::StoreWriter;
use graphpack_loader::{
    Batch, BatchGraph, BoxError, Column, Data, Dtype, Edges, Error, ErrorKind, Level, Limits, LineGraphs, Loader,
    Options, Order, Oversize, Schema, Shard, Size, Slot, Source, State, Store, Weights, Worker,
};
use std::collections::BTreeMap;
use test_common::{assert_naive, batches, graph_ids, ptr};

/// The sizes of `graphs` graphs, and numbers that differ between data sets, fields and rows.
struct Values {
    sizes: Vec<[u64; 2]>,
    salt: u64,
}

impl Values {
    fn new(graphs: u64, salt: u64) -> Self {
        Self { sizes: (0..graphs).map(|graph| [1 + (graph * 7 + salt) % 9, (graph * 5 + salt) % 12]).collect(), salt }
    }

    fn rows(&self, level: Level) -> u64 {
        match level {
            Level::Graph => self.sizes.len() as u64,
            Level::Set(set) => self.sizes.iter().map(|size| size[usize::from(set)]).sum(),
        }
    }

    fn column(&self, field: &Field) -> Column {
        let (name, level, width) = (&field.name, field.level, field.width);
        let salt = name.bytes().fold(self.salt, |salt, byte| salt * 31 % 997 + u64::from(byte));
        let numbers = (0..self.rows(level) * width as u64).map(|place| 1 + (place * 13 + salt) % 100);
        let column = match field.dtype {
            Dtype::F32 => Column::new(name, level, width, numbers.map(|number| number as f32).collect()),
            Dtype::I64 => Column::new(name, level, width, numbers.map(|number| number as i64).collect()),
            _ => Column::new(name, level, width, numbers.map(|number| number % 2 == 0).collect()),
        };
        column.shaped(&field.row)
    }

    /// A store of these fields; the sets are the first of nodes and edges, which `edge_index` connects.
    fn store(&self, schema: Schema) -> Store {
        let ptr = (0..schema.sets().len()).map(|set| ptr(self.sizes.iter().map(|size| size[set]))).collect();
        let end = |by: u64| {
            let ends = self.sizes.iter().flat_map(move |&[nodes, edges]| (0..edges).map(move |edge| edge * by % nodes));
            ends.map(|node| node as i64).collect()
        };
        let indices = schema.indices().iter().map(|_| vec![end(3), end(5)]).collect();
        let columns = schema.fields().iter().map(|field| self.column(field)).collect();
        Store::of_sets(schema, ptr, indices, columns).unwrap()
    }
}

fn graph_and_edges(fields: &[(&str, &str, Dtype, usize)]) -> Schema {
    let schema = Schema::of(&["nodes", "edges"]).index("edge_index", "edges", &["nodes", "nodes"]);
    fields.iter().fold(schema, |schema, &(name, set, dtype, width)| schema.field(name, set, dtype, &[width]))
}

/// Stress is measured for some, which the data set itself says.
fn alloys() -> Store {
    Values::new(40, 1).store(graph_and_edges(&[
        ("z", "nodes", Dtype::I64, 1),
        ("pos", "nodes", Dtype::F32, 3),
        ("energy", "graph", Dtype::F32, 1),
        ("forces", "nodes", Dtype::F32, 3),
        ("stress", "graph", Dtype::F32, 9),
        ("has_stress", "graph", Dtype::Bool, 1),
        ("edge_attr", "edges", Dtype::F32, 2),
    ]))
}

/// No forces, no stress, no `edge_attr`; other order, other fields.
fn molecules() -> Store {
    Values::new(25, 2).store(graph_and_edges(&[
        ("energy", "graph", Dtype::F32, 1),
        ("charge", "graph", Dtype::I64, 1),
        ("z", "nodes", Dtype::I64, 1),
        ("pos", "nodes", Dtype::F32, 3),
    ]))
}

/// Has triplets, and all the stress there is.
fn angles() -> Data {
    let fields =
        [("stress", "graph", Dtype::F32, 9), ("z", "nodes", Dtype::I64, 1), ("edge_attr", "edges", Dtype::F32, 2)];
    Data::from(Values::new(30, 3).store(graph_and_edges(&fields))).triplets().unwrap()
}

/// Nodes without edges.
fn points() -> Store {
    Values::new(11, 4).store(Schema::of(&["nodes"]).field("z", "nodes", Dtype::I64, &[1]))
}

fn parts() -> Vec<(&'static str, Data)> {
    let [alloys, molecules, points] = [alloys(), molecules(), points()].map(Data::from);
    vec![("alloys", alloys), ("molecules", molecules), ("angles", angles()), ("points", points)]
}

fn mix(parts: &[(&str, Data)]) -> Result<Data, Error> {
    Data::mix(&parts.iter().map(|(name, data)| (*name, data)).collect::<Vec<_>>())
}

fn mixture() -> Data {
    mix(&parts()).unwrap()
}

/// All fields and indices of a graph by name.
fn contents(graph: &BatchGraph<'_>) -> BTreeMap<String, Vec<f64>> {
    let schema = graph.layout().schema();
    let fields = schema.fields().iter().map(|Field { name, dtype, .. }| {
        let numbers: Vec<f64> = match dtype {
            Dtype::F32 => graph.rows::<f32>(name).unwrap().iter().map(|&value| value.into()).collect(),
            Dtype::I64 => graph.rows::<i64>(name).unwrap().iter().map(|&value| value as f64).collect(),
            _ => graph.rows::<bool>(name).unwrap().iter().map(|&value| u8::from(value).into()).collect(),
        };
        (name.clone(), numbers)
    });
    let indices = schema.indices().iter().map(|index| {
        let columns = graph.index(&index.name).unwrap();
        (index.name.clone(), columns.concat().into_iter().map(|row| row as f64).collect())
    });
    fields.chain(indices).collect()
}

fn all_contents(data: impl Into<Data>) -> Vec<(Size, BTreeMap<String, Vec<f64>>)> {
    let batches = batches(Loader::new(data, Options::graphs(8)).unwrap().epoch(0));
    let graphs = batches.iter().flat_map(Batch::graphs).map(|graph| (graph.number(), graph.size(), contents(&graph)));
    let mut graphs: Vec<_> = graphs.collect();
    graphs.sort_by_key(|(number, ..)| *number);
    graphs.into_iter().map(|(_, size, contents)| (size, contents)).collect()
}

#[test]
fn every_graph_of_every_data_set_has_what_it_had() {
    let data = mixture();
    assert_eq!(data.schema().sets()[..], ["nodes", "edges", "triplets"]);
    let names: Vec<_> = data.schema().fields().iter().map(|field| field.name.as_str()).collect();
    let of_data = ["z", "pos", "energy", "forces", "stress", "has_stress", "edge_attr", "charge"];
    let made = ["has_pos", "has_energy", "has_forces", "has_edge_attr", "has_charge", "dataset"];
    assert_eq!(names, [&of_data[..], &made].concat());
    let parts = [all_contents(alloys()), all_contents(molecules()), all_contents(angles()), all_contents(points())];
    let expected =
        parts.iter().enumerate().flat_map(|(number, graphs)| graphs.iter().map(move |graph| (number, graph)));
    let found = all_contents(data);
    assert_eq!(found.len(), 40 + 25 + 30 + 11);
    for ((number, (size, expected)), (found_size, found)) in expected.zip(&found) {
        assert_eq!(found_size.as_slice()[..size.sets()], *size.as_slice());
        assert!(found_size.as_slice()[size.sets()..].iter().all(|&rows| rows == 0));
        assert_eq!(found["dataset"], [number as f64]);
        for (name, numbers) in found {
            let has = |name: &str| f64::from(u8::from(expected.contains_key(name)));
            match (expected.get(name), name.strip_prefix("has_")) {
                (Some(expected), _) => assert_eq!(numbers, expected, "{name}"),
                (None, Some(of)) => assert_eq!(*numbers, [has(of)], "{name}"),
                (None, None) => assert!(name == "dataset" || numbers.iter().all(|&number| number == 0.0), "{name}"),
            }
        }
    }
}

#[test]
fn the_promises_hold() {
    let data = mixture();
    let store = Store::collect(&data).unwrap();
    let options = Options::graphs(12).order(Order::Shuffled).seed(3);
    let (none, two) = (
        Loader::new(data.clone(), options.clone().workers(0)).unwrap(),
        Loader::new(data.clone(), options.clone().workers(2)).unwrap(),
    );
    let shape = none.shape().unwrap();
    for epoch in 0..3 {
        let (found, again) = (batches(none.epoch(epoch)), batches(two.epoch(epoch)));
        assert_eq!(found.len(), again.len());
        let mut ids = Vec::new();
        for (batch, same) in found.iter().zip(&again) {
            assert_eq!((batch.shape(), batch.bytes()), (shape, same.bytes()));
            assert_naive(batch, &store, store.schema().usual_padding());
            ids.extend_from_slice(batch.graph_ids());
        }
        ids.sort_unstable();
        assert_eq!(ids, (0..data.len() as i64).collect::<Vec<_>>());
    }
    let mut drawn = two.epoch(0);
    assert!(drawn.by_ref().all(|batch| batch.is_ok()));
    let expected = [("alloys", 40), ("molecules", 25), ("angles", 30), ("points", 11)];
    assert_eq!(drawn.report().graphs_per_data_set(), expected.map(|(name, graphs)| (String::from(name), graphs)));
    let lines = drawn.report().to_string();
    assert!(
        lines.ends_with("graphs: 40 of \"alloys\", 25 of \"molecules\", 30 of \"angles\", 11 of \"points\""),
        "{lines}"
    );
    // Subsets and derived sets of mixtures, trimmed graphs, and a mixture of subsets.
    let lines = two_with_edges().line_graphs(LineGraphs::default()).unwrap();
    let few: Vec<u32> = (0..65).step_by(3).collect();
    let some = lines.subset(few.clone()).unwrap();
    let mut epoch = Loader::new(some, Options::graphs(4)).unwrap().epoch(0);
    assert!(epoch.by_ref().all(|batch| batch.is_ok()));
    assert_eq!(epoch.report().graphs_per_data_set(), [("alloys".to_owned(), 14), ("molecules".to_owned(), 8)]);
    let trimmed = Loader::new(
        data.clone(),
        Options::default().capacity(Limits::new(Size::new([10, 9, 4]))).oversize(Oversize::Trim),
    )
    .unwrap();
    assert!(trimmed.trimmed() > 0);
    assert_eq!(graph_ids(trimmed.epoch(0)).len(), data.len());
}

fn two_with_edges() -> Data {
    mix(&parts()[..2]).unwrap()
}

#[test]
fn a_run_resumes_on_other_ranks_and_only_with_its_rates() {
    let data = mixture();
    let rates = data.rates(&[4.0, 1.0, 1.0, 2.0]).unwrap().with_draws(300);
    let build = |weights: &Weights, rank: u32, world: u32| {
        let shard = Shard::new(rank, world).unwrap();
        let options = Options::graphs(10).order(Order::Shuffled).seed(9).weights(weights.clone());
        Loader::new(data.clone(), options.shard(shard).workers(1)).unwrap()
    };
    let ids = |batch: &Batch| batch.graph_ids().to_vec();
    let whole: Vec<_> = batches(build(&rates, 0, 1).epoch(2)).iter().map(ids).collect();
    assert_eq!(whole.iter().map(Vec::len).sum::<usize>(), 300);
    let saved = batches(build(&rates, 1, 2).epoch(2))[4].state();
    let state: State = serde_json::from_str(&serde_json::to_string(&saved).unwrap()).unwrap();
    assert_eq!(state.batches_done(), 10);
    let mut rest = BTreeMap::new();
    for rank in 0..3 {
        let batches = batches(build(&rates, rank, 3).resume(&state).unwrap());
        rest.extend(batches.iter().enumerate().map(|(step, batch)| (10 + 3 * step + rank as usize, ids(batch))));
    }
    rest.retain(|_, ids| !ids.is_empty());
    assert_eq!(rest.into_values().collect::<Vec<_>>(), whole[10..]);
    let other = data.rates(&[4.0, 1.0, 2.0, 1.0]).unwrap().with_draws(300);
    let refused = build(&other, 0, 3).resume(&state).map(|_| ()).unwrap_err().to_string();
    assert!(refused.contains("another weights: expected fingerprint "), "{refused}");
    let smaller = two_with_edges();
    let loader = Loader::new(smaller, Options::graphs(10).order(Order::Shuffled).seed(9)).unwrap();
    let refused = loader.resume(&state).map(|_| ()).unwrap_err().to_string();
    assert!(refused.contains("other data"), "{refused}");
}

/// The share of each data set among `draws` graphs.
fn shares(data: &Data, weights: Weights, draws: usize) -> Vec<f64> {
    let options = Options::graphs(50).order(Order::Shuffled).seed(1).weights(weights.with_draws(draws));
    let mut epoch = Loader::new(data.clone(), options).unwrap().epoch(0);
    assert!(epoch.by_ref().all(|batch| batch.is_ok()));
    epoch.report().graphs_per_data_set().iter().map(|(_, drawn)| *drawn as f64 / draws as f64).collect()
}

#[test]
fn rates_decide_the_share_of_each_data_set() {
    let data = mixture();
    let expect = |weights: Weights, rates: [f64; 4]| {
        let sum: f64 = rates.iter().sum();
        for (found, rate) in shares(&data, weights, 20_000).into_iter().zip(rates) {
            // Four standard deviations.
            assert!((found - rate / sum).abs() < 4.0 * (0.25_f64 / 20_000.0).sqrt(), "{found} for {rate} of {sum}");
        }
    };
    expect(data.rates(&[1.0, 2.0, 0.0, 5.0]).unwrap(), [1.0, 2.0, 0.0, 5.0]);
    expect(data.rates(&[1e-300, 2e-300, 0.0, 5e-300]).unwrap(), [1.0, 2.0, 0.0, 5.0]);
    expect(data.rates_at_temperature(1.0).unwrap(), [40.0, 25.0, 30.0, 11.0]);
    expect(data.rates_at_temperature(2.0).unwrap(), [40.0, 25.0, 30.0, 11.0].map(f64::sqrt));
    expect(data.rates_at_temperature(f64::INFINITY).unwrap(), [1.0; 4]);
    let cold = data.rates_at_temperature(0.01).unwrap();
    expect(cold, [1.0, 0.0, 0.0, 0.0]);
}

#[test]
fn rates_that_do_not_fit_are_refused() {
    let mut with_none = parts();
    with_none.push(("none", Store::new(points().schema().clone()).into()));
    let data = mix(&with_none).unwrap();
    let error = |rates: &[f64]| data.rates(rates).unwrap_err().to_string();
    let names = "[\"alloys\", \"molecules\", \"angles\", \"points\", \"none\"]";
    assert_eq!(error(&[1.0]), format!("expected a rate for each of {names}, found 1"));
    assert_eq!(error(&[1.0, f64::NAN, 0.0, 0.0, 0.0]), "expected a rate of at least 0 for \"molecules\", found NaN");
    assert_eq!(error(&[1.0, 1.0, -1.0, 0.0, 0.0]), "expected a rate of at least 0 for \"angles\", found -1");
    assert_eq!(
        error(&[1.0, 1.0, 0.0, 0.0, 0.5]),
        "expected graphs in \"none\", which is to be drawn at a rate of 0.5, found none"
    );
    assert_eq!(error(&[0.0; 5]), "expected rates with a finite sum above 0, found 0");
    assert_eq!(error(&[f64::MAX, f64::MAX, 0.0, 0.0, 0.0]), "expected rates with a finite sum above 0, found inf");
    for temperature in [0.0, -1.0, f64::NAN] {
        let refused = data.rates_at_temperature(temperature).unwrap_err().to_string();
        assert_eq!(refused, format!("expected a temperature above 0, found {temperature}"));
    }
    assert!(data.rates_at_temperature(f64::INFINITY).is_ok());
}

#[test]
fn data_sets_that_contradict_each_other_are_refused() {
    let third = |name, store: Store| {
        let mut all = parts();
        all.truncate(2);
        all.push((name, store.into()));
        mix(&all).map(drop).unwrap_err()
    };
    let and = |store: Store| third("other", store).to_string();
    let store = |fields: &[_]| Values::new(5, 1).store(graph_and_edges(fields));
    assert_eq!(
        and(store(&[("energy", "graph", Dtype::I64, 1)])),
        "\"energy\" is a field of graph with 1 of float32 per row in \"alloys\", but a field of graph with 1 of int64 per \
         row in \"other\"; rename one, convert it, or set its padding"
    );
    assert_eq!(
        and(store(&[("charge", "nodes", Dtype::I64, 1)])),
        "\"charge\" is a field of graph with 1 of int64 per row in \"molecules\", but a field of nodes with 1 of int64 per \
         row in \"other\"; rename one, convert it, or set its padding"
    );
    assert!(and(store(&[("forces", "nodes", Dtype::F32, 1)])).contains("3 of float32 per row"));
    let padded = store(&[("charge", "graph", Dtype::I64, 1)]).padded("charge", 1.0).unwrap();
    assert!(and(padded).contains("but a field of graph with 1 of int64 per row, 1 in padding in \"other\""));
    let vector = Schema::of(&["nodes"]).field("charge", "graph", Dtype::I64, &[]);
    assert!(and(Values::new(5, 1).store(vector)).contains("per row of shape [] in \"other\""));
    assert!(and(store(&[("dataset", "graph", Dtype::I64, 1)])).contains("\"dataset\" is used twice"));
    assert!(and(store(&[("has_forces", "nodes", Dtype::Bool, 1)])).contains("\"has_forces\" is used twice"));
    let unconnected = Schema::of(&["nodes", "edges"]);
    assert_eq!(
        and(Values::new(5, 1).store(unconnected)),
        "\"edge_index\" is an index of edges, which \"other\" has without it; \"alloys\" has the index"
    );
    assert_eq!(third("alloys", points()).to_string(), "two data sets are named \"alloys\", expected different names");
}

/// Graphs of a node each with these fields.
fn labelled(fields: Vec<Column>) -> Data {
    let schema = fields.iter().fold(Schema::of(&["nodes"]), |schema, of| schema.with_field(of.field().clone()));
    Store::of_sets(schema, vec![vec![0, 1, 2]], vec![], fields).unwrap().into()
}

fn y(values: [f32; 4]) -> Column {
    Column::new("y", Level::Graph, 2, values.to_vec())
}

#[test]
fn nan_is_missing_where_there_is_a_mask_and_masks_of_graphs_fit_those_of_columns() {
    const NAN: f32 = f32::NAN;
    let of_graphs = || Column::new("has_y", Level::Graph, 1, vec![true, false]).shaped(&[]);
    let of_columns = || Column::new("has_y", Level::Graph, 2, vec![true, false, true, true]);
    let parts = [
        ("graphs", labelled(vec![y([1.0, 2.0, 0.0, 0.0]), of_graphs()])),
        ("columns", labelled(vec![y([3.0, 0.0, 4.0, NAN]), of_columns()])),
        ("nan", labelled(vec![y([NAN, 5.0, NAN, NAN])])),
        ("none", labelled(vec![of_graphs()])),
    ];
    let expected = [
        ([1.0, 2.0], [1.0, 1.0]),
        ([0.0, 0.0], [0.0, 0.0]),
        ([3.0, 0.0], [1.0, 0.0]),
        ([4.0, 0.0], [1.0, 0.0]),
        ([0.0, 5.0], [0.0, 1.0]),
        ([0.0, 0.0], [0.0, 0.0]),
        ([0.0, 0.0], [0.0, 0.0]),
        ([0.0, 0.0], [0.0, 0.0]),
    ];
    let of = |order: [usize; 4]| order.map(|at| parts[at].clone());
    let found = |data: Data| -> Vec<_> {
        let of =
            |(_, contents): &(Size, BTreeMap<String, Vec<f64>>)| (contents["y"].clone(), contents["has_y"].clone());
        all_contents(data).iter().map(of).collect()
    };
    for order in [[0, 1, 2, 3], [3, 2, 1, 0], [1, 0, 3, 2]] {
        let rows = order.into_iter().flat_map(|part| &expected[2 * part..2 * part + 2]);
        let rows: Vec<_> = rows.map(|(y, has)| (y.to_vec(), has.to_vec())).collect();
        assert_eq!(found(mix(&of(order)).unwrap()), rows);
    }
    // A mask of graphs cannot say which column is missing.
    let some = mix(&[parts[0].clone(), parts[2].clone()]).unwrap();
    let error = Loader::new(some, Options::graphs(8)).unwrap().epoch(0).find_map(Result::err).unwrap().to_string();
    assert!(error.contains("graph 0 of \"nan\": field \"y\" has NaN for some numbers of the graph"), "{error}");
    // Without a mask, NaN is a value as any other.
    let alone = mix(&[parts[2].clone(), ("again", parts[2].1.clone())]).unwrap();
    assert!(alone.schema().position("has_y").is_none() && all_contents(alone)[0].1["y"][0].is_nan());
}

#[test]
fn a_mask_of_rows_is_true_where_a_data_set_has_the_field_whole_and_false_where_it_lacks_it() {
    let charges = || Column::new("charge", Level::NODE, 1, vec![1_f32, 2.0]);
    let of_rows = || Column::new("has_charge", Level::NODE, 1, vec![false, true]);
    let parts = [
        ("rows", labelled(vec![charges(), of_rows()])),
        ("whole", labelled(vec![charges()])),
        ("none", labelled(vec![])),
    ];
    let data = mix(&parts).unwrap();
    assert!(data.schema().position("has_has_charge").is_none());
    let has: Vec<_> = all_contents(data).iter().map(|(_, contents)| contents["has_charge"].clone()).collect();
    assert_eq!(has.concat(), [0.0, 1.0, 1.0, 1.0, 0.0, 0.0]);
    // NaN is missing there, too, and a mask of graphs cannot say which number is.
    let nan = |rows: Vec<f32>| {
        let schema = Schema::of(&["nodes"]).field("charge", "nodes", Dtype::F32, &[]);
        let column = Column::of(&schema, "charge", rows).unwrap();
        Data::from(Store::of_sets(schema, vec![vec![0, 2, 3]], vec![], vec![column]).unwrap())
    };
    let some = ("some", nan(vec![1.0, f32::NAN, 3.0]));
    let rows = ("rows", Store::collect(&some.1).unwrap().with_masks().unwrap().into_owned().into());
    let read = |data: Data| -> Vec<Vec<f64>> {
        let of = |(_, contents): &(Size, BTreeMap<String, Vec<f64>>)| {
            [contents["charge"].clone(), contents["has_charge"].clone()].concat()
        };
        all_contents(data).iter().map(of).collect()
    };
    let expected = [vec![1.0, 0.0, 1.0, 0.0], vec![3.0, 1.0]];
    assert_eq!(read(mix(&[rows.clone(), some.clone()]).unwrap()), [&expected[..], &expected[..]].concat());
    let error = Loader::new(mix(&[some, parts[2].clone()]).unwrap(), Options::graphs(8)).unwrap();
    let error = error.epoch(0).find_map(Result::err).unwrap().to_string();
    assert!(error.contains("graph 0 of \"some\": field \"charge\" has NaN for some numbers of the graph"), "{error}");
    let of_graphs = Column::new("has_charge", Level::Graph, 1, vec![true, false]);
    let other = ("graphs", labelled(vec![charges(), of_graphs]));
    let error = mix(&[parts[0].clone(), other]).map(drop).unwrap_err().to_string();
    let expected = "\"has_charge\" is a mask of rows in \"rows\", but a mask in \"graphs\"; rename \
                    one, convert it, or set its padding";
    assert_eq!(error, expected);
}

#[test]
fn a_code_without_a_label_is_an_error_and_no_other_label() {
    let part = |codes: [i64; 2], labels: &[&str]| {
        let labels: Vec<String> = labels.iter().map(|label| (*label).to_owned()).collect();
        labelled(vec![Column::new("kind", Level::Graph, 1, codes.to_vec()).labelled(labels)])
    };
    let (known, more) = (part([0, 1], &["bulk", "slab"]), part([2, 0], &["bulk", "slab", "dimer"]));
    for wrong in [[0, 2], [0, -1]] {
        let found = format!("found {}", wrong[1]);
        let (wrong, other) = (part(wrong, &["bulk", "slab"]), part([0, 2], &["dimer", "slab", "bulk"]));
        let [stored, known] = [&wrong, &known].map(|data| Store::collect(data).unwrap());
        // The labels of `more` begin with those of `wrong`.
        for next in [&more, &other] {
            let parts = [("wrong", wrong.clone()), ("next", next.clone())];
            let error = Store::collect(mix(&parts).unwrap()).unwrap_err().to_string();
            let expected = "graph 1 of \"wrong\": \"kind\" has 2 labels: expected a code below 2, ";
            assert!(error.contains(&format!("{expected}{found}")), "{error}");
            let next = Store::collect(next).unwrap();
            let error = Store::concat(&[known.clone(), stored.clone(), next.clone()]).unwrap_err().to_string();
            let expected = "\"kind\" of graph 3: expected a code below 2, its number of labels, ";
            assert_eq!(error, format!("{expected}{found}"));
            let folder = tempfile::tempdir().unwrap();
            let mut writer = StoreWriter::create(folder.path().join("store")).unwrap();
            writer.push(&known).unwrap();
            let error = writer.push(&stored).unwrap_err().to_string();
            assert!(error.ends_with(&format!("{expected}{found}")), "{error}");
        }
    }
}

#[test]
fn two_units_of_a_field_are_refused_and_one_is_not_claimed_for_all() {
    let part = |unit: Option<&str>| {
        let energy = Column::new("energy", Level::Graph, 1, vec![1.0_f32, 2.0]);
        labelled(vec![unit.into_iter().fold(energy, Column::in_unit)])
    };
    let [electronvolt, none, hartree] = [Some("eV"), None, Some("hartree")].map(part);
    let all = [("a", electronvolt.clone()), ("b", none), ("c", hartree)];
    for parts in [vec![all[0].clone(), all[2].clone()], all.to_vec()] {
        let error = mix(&parts).map(drop).unwrap_err();
        let expected =
            "\"energy\" is in eV in \"a\", but in hartree in \"c\": graphpack convert joins units that it knows";
        assert_eq!((error.to_string().as_str(), error.kind()), (expected, ErrorKind::Data));
    }
    let unit = |data: &Data| data.schema().fields()[0].unit.clone();
    assert_eq!(unit(&mix(&all[..2]).unwrap()), None);
    assert_eq!(unit(&mix(&[("a", electronvolt.clone()), ("d", electronvolt)]).unwrap()).as_deref(), Some("eV"));
}

#[test]
fn edges_are_made_of_mixtures_and_in_mixtures() {
    let atoms = |graphs, salt, with: &[(&str, &str, Dtype, usize)]| {
        let fields = [("pos", "nodes", Dtype::F32, 3)];
        let schema = with.iter().chain(&fields).fold(Schema::of(&["nodes"]), |schema, &(name, set, dtype, width)| {
            schema.field(name, set, dtype, &[width])
        });
        Values::new(graphs, salt).store(schema)
    };
    let [a, b] = [atoms(9, 1, &[("energy", "graph", Dtype::F32, 1)]), atoms(7, 2, &[("z", "nodes", Dtype::I64, 1)])];
    let connected = |atoms: &Store| Data::from(atoms.clone()).connect(Edges::Nearest(2)).unwrap();
    let of_connected = mix(&[("a", connected(&a)), ("b", connected(&b))]).unwrap();
    let of_mixture = mix(&[("a", a.into()), ("b", b.into())]).unwrap().connect(Edges::Nearest(2)).unwrap();
    assert_eq!(of_connected.triplets().unwrap().len(), 16);
    for ((size, found), (same_size, expected)) in all_contents(of_connected).into_iter().zip(all_contents(of_mixture)) {
        assert_eq!((size, found), (same_size, expected));
    }
}

/// A source whose last graph fails.
struct Failing(Store);

impl Source for Failing {
    fn schema(&self) -> &Schema {
        self.0.schema()
    }
    fn len(&self) -> usize {
        self.0.len()
    }
    fn size(&self, graph: usize) -> Result<Size, BoxError> {
        Ok(self.0.size(graph)?)
    }
    fn write(&self, graph: usize, slot: &mut Slot<'_>, _: &mut Worker) -> Result<(), BoxError> {
        assert_eq!((slot.size(), slot.schema()), (self.0.size(graph)?, self.schema()));
        if graph + 1 == self.len() { Err("it is torn".into()) } else { self.0.write(graph, slot) }
    }
}

#[test]
fn an_error_names_the_data_set() {
    let data = mix(&[("alloys", alloys().into()), ("points", Failing(points()).into())]).unwrap();
    let mut epoch = Loader::new(data, Options::graphs(8)).unwrap().epoch(0);
    let error = epoch.find_map(Result::err).unwrap();
    assert!(error.to_string().ends_with("graph 50 cannot be loaded: graph 10 of \"points\": it is torn"), "{error}");
    assert_eq!((error.kind(), error.graph()), (ErrorKind::Load, Some(50)));
}
