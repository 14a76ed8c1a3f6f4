//! Triplets and line graphs are those of slow and obvious programs, whatever a transform does, and errors say what is
//! wrong.

use graphpack_loader::{
    Batch, Column, Dtype, Element, Field, GraphRows, Index, Level, Limits, LineGraphs, Loader, LoaderBuilder, Oversize,
    Schema, Size, Slot, Source, SourceError, Store, Subset, Triplets,
};
use proptest::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Source and target of each edge.
type Edges = Vec<(i64, i64)>;
/// First and second edge of each pair.
type Pairs = Vec<(i64, i64)>;

/// PyTorch Geometric's triplets, in time quadratic in the edges.
fn naive_triplets(edges: &Edges) -> Pairs {
    let mut rows = Vec::new();
    for (ji, &(j, i)) in edges.iter().enumerate() {
        let mut before: Vec<_> = (0..edges.len()).filter(|&kj| edges[kj].1 == j && edges[kj].0 != i).collect();
        before.sort_by_key(|&kj| (edges[kj].0, kj));
        rows.extend(before.iter().map(|&kj| (kj as i64, ji as i64)));
    }
    rows
}

/// DGL's line graph, in time quadratic in the edges.
fn naive_line_graph(edges: &Edges, backtracking: bool) -> Pairs {
    let number = 0..edges.len();
    let pairs = number.clone().flat_map(|first| number.clone().map(move |second| (first, second)));
    let kept = pairs.filter(|&(first, second)| {
        let ((u, v), (from, w)) = (edges[first], edges[second]);
        first != second && v == from && (backtracking || u != w)
    });
    kept.map(|(first, second)| (first as i64, second as i64)).collect()
}

fn store(graphs: &[(u64, Edges)]) -> Store {
    let sums = |rows: &mut dyn Iterator<Item = u64>| {
        let mut ptr = vec![0];
        rows.for_each(|rows| ptr.push(ptr[ptr.len() - 1] + rows));
        ptr
    };
    let node_ptr = sums(&mut graphs.iter().map(|graph| graph.0));
    let edge_ptr = sums(&mut graphs.iter().map(|graph| graph.1.len() as u64));
    let all = || graphs.iter().flat_map(|graph| &graph.1);
    let x = Column::new("x", Level::NODE, 1, (0..node_ptr[graphs.len()]).map(|node| node as f32).collect());
    let edge_index = [all().map(|edge| edge.0).collect(), all().map(|edge| edge.1).collect()];
    Store::new(node_ptr, edge_ptr, edge_index, vec![x]).unwrap()
}

/// Data sets of small graphs with self-loops, parallel edges and no edges.
fn graphs() -> impl Strategy<Value = Vec<(u64, Edges)>> {
    let graph = (0..7_u64).prop_flat_map(|nodes| {
        let (node, most) = (0..nodes.max(1) as i64, if nodes == 0 { 0 } else { 20 });
        (Just(nodes), prop::collection::vec((node.clone(), node), 0..=most))
    });
    prop::collection::vec(graph, 1..20)
}

/// Columns of an index of each real graph, counted within the graph: `ptr` says where its rows begin, and `into` where
/// the rows begin that it points into.
fn pairs<I: Element + Into<i64>>(batch: &Batch, index: &str, ptr: &str, into: &str) -> Vec<Pairs> {
    let number = |name: &str, graph: usize| batch.get::<I>(name).unwrap()[graph].into();
    let columns = batch.index::<I>(index).unwrap();
    let of_graph = |graph| {
        let (rows, first) = (number(ptr, graph) as usize..number(ptr, graph + 1) as usize, number(into, graph));
        rows.map(|row| (columns[0][row].into() - first, columns[1][row].into() - first)).collect()
    };
    (0..batch.real().graphs()).map(of_graph).collect()
}

/// Compares the rows of `set` in all batches with the oracle's for the edges of the batch. Returns their number.
fn check<S: Source + 'static, I: Element + Into<i64>>(
    loader: LoaderBuilder<S>,
    (set, index): (&str, &str),
    oracle: impl Fn(&Edges) -> Pairs,
) -> usize {
    let loader = loader.batch_graphs(4).with_arrays(["edge_ptr".to_owned(), format!("{set}_ptr")]).build().unwrap();
    let mut rows = 0;
    for batch in loader.epoch(0) {
        let batch = batch.unwrap();
        let edges = pairs::<I>(&batch, "edge_index", "edge_ptr", "ptr");
        let found = pairs::<I>(&batch, index, &format!("{set}_ptr"), "edge_ptr");
        rows += found.iter().map(Vec::len).sum::<usize>();
        for (edges, found) in edges.iter().zip(found) {
            assert_eq!(found, oracle(edges), "of {edges:?}");
        }
    }
    rows
}

const TRIPLETS: (&str, &str) = ("triplets", "triplet_index");

const LINE_GRAPHS: (&str, &str) = ("line_edges", "line_index");

/// Turns all edges.
fn reverse(graph: &mut GraphRows<'_>) -> Result<(), SourceError> {
    let mut columns = graph.index("edge_index")?;
    columns.reverse();
    Ok(graph.set_index("edge_index", &columns)?)
}

/// Drops every third node with its edges, and then every other edge.
fn thin_out(graph: &mut GraphRows<'_>) -> Result<(), SourceError> {
    let nodes: Vec<bool> = (0..graph.size()[0]).map(|node| node % 3 != 2).collect();
    graph.keep("nodes", &nodes)?;
    let edges: Vec<bool> = (0..graph.size()[1]).map(|edge| edge % 2 == 0).collect();
    Ok(graph.keep("edges", &edges)?)
}

/// Makes all edges self-loops of node 0.
fn collapse(graph: &mut GraphRows<'_>) -> Result<(), SourceError> {
    let edges = graph.size()[1] as usize;
    Ok(graph.set_index("edge_index", &[vec![0; edges], vec![0; edges]])?)
}

/// Compares all rows of a data set with the oracle's.
fn check_all<S: Source + 'static>(
    data: S,
    graphs: &[(u64, Edges)],
    names: (&str, &str),
    oracle: impl Fn(&Edges) -> Pairs,
) -> Result<(), TestCaseError> {
    let data = Arc::new(data);
    let set = data.schema().set(names.0).unwrap();
    let expected: usize = graphs.iter().map(|(_, edges)| oracle(edges).len()).sum();
    let planned: u32 = (0..graphs.len()).map(|graph| data.size(graph)[set]).sum();
    prop_assert_eq!(planned as usize, expected);
    let loader = || Loader::new(data.clone()).shuffle(1);
    prop_assert_eq!(check::<_, i64>(loader(), names, &oracle), expected);
    prop_assert_eq!(check::<_, i32>(loader().narrow_indices().workers(2), names, &oracle), expected);
    prop_assert_eq!(check::<_, i64>(loader().transform(reverse), names, &oracle), expected);
    prop_assert!(check::<_, i64>(loader().transform(thin_out), names, &oracle) <= expected);
    Ok(())
}

proptest! {
    #[test]
    fn triplets_are_those_of_the_naive_program(graphs in graphs()) {
        let data = Triplets::new(store(&graphs)).unwrap();
        check_all(data.clone(), &graphs, TRIPLETS, naive_triplets)?;
        prop_assert_eq!(check::<_, i64>(Loader::new(data).transform(collapse), TRIPLETS, naive_triplets), 0);
    }

    #[test]
    fn line_graphs_are_those_of_the_naive_program(graphs in graphs()) {
        let all = |edges: &Edges| naive_line_graph(edges, true);
        check_all(LineGraphs::new(store(&graphs)).unwrap(), &graphs, LINE_GRAPHS, all)?;
        let without = |edges: &Edges| naive_line_graph(edges, false);
        let data = LineGraphs::without_backtracking(store(&graphs)).unwrap();
        check_all(data, &graphs, LINE_GRAPHS, without)?;
    }

    #[test]
    fn one_can_be_around_the_other(graphs in graphs()) {
        let all = |edges: &Edges| naive_line_graph(edges, true);
        let data = LineGraphs::new(Triplets::new(store(&graphs)).unwrap()).unwrap();
        check_all(data.clone(), &graphs, LINE_GRAPHS, all)?;
        check_all(data, &graphs, TRIPLETS, naive_triplets)?;
        let data = Triplets::new(LineGraphs::new(store(&graphs)).unwrap()).unwrap();
        check_all(data.clone(), &graphs, LINE_GRAPHS, all)?;
        check_all(data, &graphs, TRIPLETS, naive_triplets)?;
    }
}

/// The example of DGL's documentation of line graphs.
fn example() -> Edges {
    vec![(0, 2), (1, 0), (1, 2), (2, 0), (2, 1)]
}

/// Returns the rows of a data set of one graph.
fn rows_of<S: Source + 'static>(data: S, index: &str) -> Vec<Vec<i64>> {
    let batch = Loader::new(data).batch_graphs(1).build().unwrap().epoch(0).next().unwrap().unwrap();
    let rows = batch.real().sets()[2];
    batch.index::<i64>(index).unwrap().iter().map(|column| column[..rows].to_vec()).collect()
}

#[test]
fn triplets_are_in_the_order_of_pytorch_geometric() {
    let data = Triplets::new(store(&[(3, example())])).unwrap();
    assert_eq!(rows_of(data, "triplet_index"), [[1, 4, 2, 0], [0, 1, 3, 4]]);
    // By the node that the first edge comes from, not by its number.
    let data = Triplets::new(store(&[(4, vec![(2, 1), (0, 1), (1, 3)])])).unwrap();
    assert_eq!(rows_of(data, "triplet_index"), [[1, 0], [2, 2]]);
}

#[test]
fn line_graphs_are_those_of_dgl() {
    let data = LineGraphs::new(store(&[(3, example())])).unwrap();
    assert_eq!(rows_of(data, "line_index"), [[0, 0, 1, 2, 2, 3, 4, 4], [3, 4, 0, 3, 4, 0, 1, 2]]);
    let data = LineGraphs::without_backtracking(store(&[(3, example())])).unwrap();
    assert_eq!(rows_of(data, "line_index"), [[0, 1, 2, 4], [4, 0, 3, 1]]);
}

#[test]
fn the_schema_is_that_of_the_source_with_one_more_set() {
    let data = Triplets::new(store(&[(3, example())])).unwrap();
    let schema = data.schema();
    assert_eq!(schema.sets()[..], ["nodes", "edges", "triplets"]);
    assert_eq!(schema.indices()[1..], [Index::new("triplet_index", Level::Set(2), [1, 1])]);
    assert_eq!((schema.fields()[0].name.as_str(), data.size(0)), ("x", Size::new([3, 5, 4])));
}

/// A message of the first batch.
fn failure<S: Source + 'static>(loader: LoaderBuilder<S>) -> String {
    loader.build().unwrap().epoch(0).next().unwrap().unwrap_err().to_string()
}

#[test]
fn more_rows_than_were_planned_are_an_error() {
    let data = Triplets::new(store(&[(3, vec![(0, 1), (1, 0)])])).unwrap();
    let loader = Loader::new(data).transform(|graph| Ok(graph.set_index("edge_index", &[[0, 1], [1, 2]])?));
    let message = failure(loader);
    assert!(message.ends_with("the graph has 1 triplets, more than the 0 that were planned"), "{message}");
}

#[test]
fn a_graph_is_trimmed_with_its_triplets() {
    let complete = (0..6).flat_map(|from| (0..6).map(move |to| (from, to))).filter(|(from, to)| from != to);
    let data = Arc::new(Triplets::new(store(&[(6, complete.collect())])).unwrap());
    for (limits, expected) in [([6, 30, 50], [6, 30, 50]), ([4, 30, 200], [4, 12, 24]), ([4, 30, 20], [4, 12, 20])] {
        let loader = Loader::new(data.clone()).limits(Limits::new(limits).graphs(1)).oversize(Oversize::Trim);
        let loader = loader.with_arrays(["edge_ptr", "triplets_ptr"]).build().unwrap();
        let batch = loader.epoch(0).next().unwrap().unwrap();
        assert_eq!(batch.real().sets()[..], expected);
        let edges = pairs::<i64>(&batch, "edge_index", "edge_ptr", "ptr").remove(0);
        let found = pairs::<i64>(&batch, "triplet_index", "triplets_ptr", "edge_ptr").remove(0);
        let mut all = naive_triplets(&edges).into_iter();
        assert!(found.iter().all(|row| all.any(|other| other == *row)), "{found:?} of {edges:?}");
    }
}

#[test]
fn what_a_transform_spoils_without_saying_so_is_an_error() {
    let data = Triplets::new(store(&[(3, example())])).unwrap();
    let spoil = |graph: &mut GraphRows<'_>| {
        let _ = graph.set_index("edge_index", &[[0, 1, 7, 0, 1], [1; 5]]);
        Ok(())
    };
    let message = failure(Loader::new(data).transform(spoil));
    assert!(message.ends_with("entry 2 in column 0 of \"edge_index\" is 7, but the graph has 3 nodes"), "{message}");
}

#[test]
fn a_transform_cannot_read_what_is_derived() {
    let data = Triplets::new(store(&[(3, example())])).unwrap();
    let message = failure(Loader::new(data).transform(|graph| Ok(graph.index("triplet_index").map(drop)?)));
    assert!(message.ends_with("field \"triplet_index\" of the graph was not written"), "{message}");
}

#[test]
fn batches_carry_what_was_chosen() {
    let data = Arc::new(Triplets::new(store(&[(3, example()), (2, vec![])])).unwrap());
    let loader = |fields: &[&str]| Loader::new(data.clone()).batch_graphs(2).fields(fields.iter().copied());
    let message = failure(loader(&["triplet_index"]));
    let expected =
        "batches do not carry \"edge_index\", which \"triplet_index\" follows from; choose both fields or neither";
    assert!(message.ends_with(expected), "{message}");
    let ptr = |loader: LoaderBuilder<Arc<Triplets<Store>>>| {
        let loader = loader.with_arrays(["triplets_ptr"]).build().unwrap();
        let batch = loader.epoch(0).next().unwrap().unwrap();
        assert!(batch.index::<i64>("triplet_index").is_err());
        batch.get::<i64>("triplets_ptr").unwrap()[2]
    };
    assert_eq!(ptr(loader(&["x", "edge_index"])), 4);
    assert_eq!(ptr(loader(&["x"])), 4);
    // Without the rows, their number follows the transform all the same.
    assert_eq!(
        ptr(loader(&["edge_index"]).transform(|graph| if graph.number() == 0 { collapse(graph) } else { Ok(()) })),
        0
    );
}

#[test]
fn a_source_without_such_an_index_is_refused() {
    let refused = |schema: Schema| {
        let sets = schema.sets().len();
        let indices = schema.indices().iter().map(|index| vec![vec![]; index.width()]).collect();
        let columns =
            schema.fields().iter().map(|field| Column::new(&field.name, field.level, field.width, Vec::<f32>::new()));
        let store = Store::of_sets(schema.clone(), vec![vec![0]; sets], indices, columns.collect()).unwrap();
        Triplets::new(store).unwrap_err().to_string()
    };
    let follow = "\"triplets\" follow from an index \"edge_index\" of two columns into one set; the schema has ";
    let of = |sets: &[&str]| Schema::of(sets.iter().copied());
    assert_eq!(refused(of(&["nodes"]).build().unwrap()), format!("{follow}none"));
    let typed = of(&["drugs", "genes", "edges"]).index("edge_index", "edges", ["drugs", "genes"]).build().unwrap();
    assert_eq!(refused(typed), format!("{follow}\"edge_index\" of edges into drugs, genes"));
    let of_graphs = of(&["nodes"]).index("edge_index", "graph", ["nodes", "nodes"]).build().unwrap();
    assert_eq!(refused(of_graphs), format!("{follow}\"edge_index\" of graph into nodes, nodes"));
    let taken = of(&["nodes", "edges", "triplets"]).index("edge_index", "edges", ["nodes", "nodes"]).build().unwrap();
    assert_eq!(refused(taken), "\"triplets\" cannot be added: set name \"triplets\" is used twice");
    let full = ["nodes", "edges", "a", "b", "c", "d", "e", "f"];
    let full = of(&full).index("edge_index", "edges", ["nodes", "nodes"]).build().unwrap();
    assert!(refused(full).starts_with("\"triplets\" cannot be added: a graph has 1 to 8 sets, found 9"));
}

/// Paths of 3 nodes; graph 700 and those after it are what `write` makes of them.
struct Paths(Schema, fn(&mut Slot<'_>) -> Result<(), SourceError>);

impl Source for Paths {
    fn schema(&self) -> &Schema {
        &self.0
    }

    fn len(&self) -> usize {
        1000
    }

    fn size(&self, _graph: usize) -> Size {
        Size::new([3, 2])
    }

    fn write(&self, graph: usize, slot: &mut Slot<'_>) -> Result<(), SourceError> {
        if graph >= 700 { self.1(slot) } else { Ok(slot.write_edges(&[0, 1], &[1, 2])?) }
    }
}

#[test]
fn a_graph_that_cannot_be_counted_is_named() {
    let schema = || Schema::new(vec![Field::new("x", Level::NODE, Dtype::F32, 1)]).unwrap();
    let refused = |write| Triplets::new(Paths(schema(), write)).map(drop).unwrap_err().to_string();
    let all = [
        refused(|_| Err("the disk is gone".into())),
        refused(|_| panic!("the disk is gone")),
        refused(|_| Ok(())),
        refused(|slot| Ok(slot.write_edges(&[0, 3], &[1, 2])?)),
        refused(|slot| Ok(slot.write_edges(&[0], &[1])?)),
    ];
    let expected = [
        "the disk is gone",
        "the disk is gone",
        "field \"edge_index\" of the graph was not written",
        "entry 1 in column 0 of \"edge_index\" is 3, but the graph has 3 nodes",
        "field \"edge_index\" has 2 x 2 values for this graph, found 2",
    ];
    assert_eq!(all, expected.map(|text| format!("graph 700: its triplets cannot be counted: {text}")));
}

#[test]
fn fingerprints_tell_rules_and_data_apart() {
    let graphs = [(3, example()), (4, vec![(2, 1), (0, 1), (1, 3)])];
    let data = Arc::new(store(&graphs));
    let all = [
        data.fingerprint(),
        Triplets::new(data.clone()).unwrap().fingerprint(),
        Triplets::new(Subset::new(data.clone(), vec![1, 0]).unwrap()).unwrap().fingerprint(),
        Triplets::new(store(&graphs[..1])).unwrap().fingerprint(),
        LineGraphs::new(data.clone()).unwrap().fingerprint(),
        LineGraphs::without_backtracking(data.clone()).unwrap().fingerprint(),
    ];
    (0..all.len()).for_each(|at| assert!(!all[..at].contains(&all[at]), "{at}"));
    assert_eq!(Triplets::new(store(&graphs)).unwrap().fingerprint(), all[1]);
}

#[test]
fn a_run_is_resumed() {
    let graphs: Vec<_> = (0..50).map(|at| (3 + at % 4, example())).collect();
    let load = |data| Loader::new(data).batch_graphs(4).shuffle(3).build().unwrap();
    let triplets = || Triplets::new(store(&graphs)).unwrap();
    let loader = load(triplets());
    let whole: Vec<Batch> = loader.epoch(2).map(Result::unwrap).collect();
    let resumed: Vec<Batch> = load(triplets()).resume(&whole[3].state()).unwrap().map(Result::unwrap).collect();
    assert_eq!(resumed.len(), whole.len() - 4);
    resumed.iter().zip(&whole[4..]).for_each(|(resumed, whole)| assert_eq!(resumed.bytes(), whole.bytes()));
    let fewer = Triplets::new(store(&graphs[..49])).unwrap();
    assert!(load(fewer).resume(&whole[3].state()).is_err());
}

/// A store that counts how often a graph is written.
struct Watched(Store, Arc<AtomicUsize>);

impl Source for Watched {
    fn schema(&self) -> &Schema {
        self.0.schema()
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    fn size(&self, graph: usize) -> Size {
        self.0.size(graph)
    }

    fn write(&self, graph: usize, slot: &mut Slot<'_>) -> Result<(), SourceError> {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.write(graph, slot)
    }

    fn fingerprint(&self) -> u64 {
        self.0.fingerprint()
    }
}

#[test]
fn counts_are_cached_by_fingerprint_and_rule() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("counts");
    let graphs = [(3, example()), (3, vec![]), (4, vec![(2, 1), (0, 1), (1, 3)])];
    let written = Arc::new(AtomicUsize::new(0));
    let data = |graphs| Watched(store(graphs), written.clone());
    // The sizes of all graphs, and how many graphs had to be written.
    let sizes = |data: Result<Triplets<Watched>, _>| {
        let data = data.map_err(|error: graphpack_loader::DerivedError| error.to_string()).unwrap();
        let sizes: Vec<Size> = (0..data.len()).map(|graph| data.size(graph)).collect();
        (sizes, data.fingerprint(), written.swap(0, Ordering::Relaxed))
    };
    let triplets = || sizes(Triplets::with_cache(data(&graphs), &path));
    let (expected, fingerprint, _) = sizes(Triplets::new(data(&graphs)));
    let [counted, cached] = [3, 0].map(|written| (expected.clone(), fingerprint, written));
    assert_eq!((triplets(), triplets()), (counted.clone(), cached.clone()));

    // Another rule, then other data, in the same file.
    for backtracking in [true, false] {
        let cache = || LineGraphs::with_cache(data(&graphs), backtracking, &path).unwrap().size(0);
        let rows = if backtracking { 8 } else { 4 };
        assert_eq!((cache(), written.swap(0, Ordering::Relaxed)), (Size::new([3, 5, rows]), 3));
        assert_eq!((cache(), written.swap(0, Ordering::Relaxed)), (Size::new([3, 5, rows]), 0));
    }
    assert_eq!((triplets(), triplets()), (counted.clone(), cached.clone()));
    assert_eq!(sizes(Triplets::with_cache(data(&graphs[..2]), &path)).0, expected[..2]);
    assert_eq!((triplets(), triplets()), (counted.clone(), cached.clone()));

    // Every truncation, every wrong byte after the first eight, and a longer file.
    let whole = std::fs::read(&path).unwrap();
    let truncated = (0..whole.len()).map(|length| whole[..length].to_vec());
    let damaged = (8..whole.len()).map(|at| {
        let mut bytes = whole.clone();
        bytes[at] ^= 16;
        bytes
    });
    for bytes in truncated.chain(damaged).chain([[&whole[..], &[0]].concat()]) {
        std::fs::write(&path, bytes).unwrap();
        assert_eq!(triplets(), counted);
    }
    assert_eq!(std::fs::read(&path).unwrap(), whole);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "temporary files are left");
}

#[test]
fn a_file_that_is_no_cache_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("thesis.tex");
    std::fs::write(&path, "\\section{Packing}").unwrap();
    let refused = |path: &std::path::Path| {
        let error = Triplets::with_cache(store(&[(3, example())]), path).unwrap_err().to_string();
        error.strip_prefix(&format!("{}: the cache of counts cannot be used: ", path.display())).unwrap().to_owned()
    };
    assert_eq!(refused(&path), "the file is there, but is no cache of counts");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "\\section{Packing}");
    assert!(refused(&folder.path().join("missing/counts")).starts_with("No such file"));
}
