//! What slow and obvious programs make of the edges of graphs.

use graphpack_loader::{
    Batch, BoxError, Capacity, Column, Data, Dtype, Element, Level, Loader, Options, Order, Slot, Store,
};
use proptest::prelude::*;

/// Source and target of each edge.
pub(crate) type Edges = Vec<(i64, i64)>;
/// First and second edge of each pair.
pub(crate) type Pairs = Vec<(i64, i64)>;

/// PyTorch Geometric's triplets, in time quadratic in the edges.
pub(crate) fn naive_triplets(edges: &Edges) -> Pairs {
    let mut rows = Vec::new();
    for (ji, &(j, i)) in edges.iter().enumerate() {
        let mut before: Vec<_> = (0..edges.len()).filter(|&kj| edges[kj].1 == j && edges[kj].0 != i).collect();
        before.sort_by_key(|&kj| (edges[kj].0, kj));
        rows.extend(before.iter().map(|&kj| (kj as i64, ji as i64)));
    }
    rows
}

/// DGL's line graph, in time quadratic in the edges.
pub(crate) fn naive_line_graph(edges: &Edges, backtracking: bool) -> Pairs {
    let number = 0..edges.len();
    let pairs = number.clone().flat_map(|first| number.clone().map(move |second| (first, second)));
    let kept = pairs.filter(|&(first, second)| {
        let ((u, v), (from, w)) = (edges[first], edges[second]);
        first != second && v == from && (backtracking || u != w)
    });
    kept.map(|(first, second)| (first as i64, second as i64)).collect()
}

pub(crate) fn store(graphs: &[(u64, Edges)]) -> Store {
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
    Store::of_columns(node_ptr, edge_ptr, edge_index, vec![x]).unwrap()
}

/// Data sets of small graphs with self-loops, parallel edges and no edges.
pub(crate) fn graphs() -> impl Strategy<Value = Vec<(u64, Edges)>> {
    let graph = (0..7_u64).prop_flat_map(|nodes| {
        let (node, most) = (0..nodes.max(1) as i64, if nodes == 0 { 0 } else { 20 });
        (Just(nodes), prop::collection::vec((node.clone(), node), 0..=most))
    });
    prop::collection::vec(graph, 1..20)
}

/// Columns of an index of each real graph, counted within the graph: `ptr` says where its rows begin, and `into` where
/// the rows begin that it points into.
pub(crate) fn pairs<I: Element + Into<i64>>(batch: &Batch, index: &str, ptr: &str, into: &str) -> Vec<Pairs> {
    let number = |name: &str, graph: usize| batch.get::<I>(name).unwrap()[graph].into();
    let columns = batch.index::<I>(index).unwrap();
    let of_graph = |graph| {
        let (rows, first) = (number(ptr, graph) as usize..number(ptr, graph + 1) as usize, number(into, graph));
        rows.map(|row| (columns[0][row].into() - first, columns[1][row].into() - first)).collect()
    };
    (0..batch.real().graphs()).map(of_graph).collect()
}

/// Compares the rows of `set` in all batches with the oracle's for the edges of the batch. Returns their number.
pub(crate) fn check<I: Element + Into<i64>>(
    data: Data,
    options: Options,
    (set, index): (&str, &str),
    oracle: impl Fn(&Edges) -> Pairs,
) -> usize {
    let options = options.capacity(Capacity::graphs(4)).extra(["edge_ptr".to_owned(), format!("{set}_ptr")]);
    let loader = Loader::new(data, options).unwrap();
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

pub(crate) const TRIPLETS: (&str, &str) = ("triplets", "triplet_index");

pub(crate) const LINE_GRAPHS: (&str, &str) = ("line_edges", "line_index");

/// Compares all rows that `derive` adds to graphs with the oracle's.
pub(crate) fn check_all(
    derive: impl Fn(Data) -> Data,
    graphs: &[(u64, Edges)],
    names: (&str, &str),
    oracle: impl Fn(&Edges) -> Pairs,
) -> Result<(), TestCaseError> {
    let data = derive(store(graphs).into());
    let set = data.schema().set(names.0).unwrap();
    let expected: usize = graphs.iter().map(|(_, edges)| oracle(edges).len()).sum();
    let planned: u32 = data.sizes().unwrap().map(|size| size[set]).sum();
    prop_assert_eq!(planned as usize, expected);
    let options = || Options::default().order(Order::Shuffled).seed(1);
    prop_assert_eq!(check::<i64>(data.clone(), options(), names, &oracle), expected);
    prop_assert_eq!(check::<i32>(data, options().index(Dtype::I32).workers(2), names, &oracle), expected);
    let mapped =
        |change: fn(&mut Slot<'_>) -> Result<(), BoxError>| derive(Data::from(store(graphs)).map("change", change));
    prop_assert_eq!(check::<i64>(mapped(reverse), options(), names, &oracle), expected);
    prop_assert!(check::<i64>(mapped(thin_out), options(), names, &oracle) <= expected);
    Ok(())
}

/// The example of DGL's documentation of line graphs.
pub(crate) fn example() -> Edges {
    vec![(0, 2), (1, 0), (1, 2), (2, 0), (2, 1)]
}

/// Turns all edges.
fn reverse(graph: &mut Slot<'_>) -> Result<(), BoxError> {
    let mut columns = Vec::new();
    graph.index("edge_index", &mut columns)?;
    columns.reverse();
    Ok(graph.set_index("edge_index", &[&columns[0], &columns[1]])?)
}

/// Drops every third node with its edges, and then every other edge.
fn thin_out(graph: &mut Slot<'_>) -> Result<(), BoxError> {
    let nodes: Vec<bool> = (0..graph.size()[0]).map(|node| node % 3 != 2).collect();
    graph.keep("nodes", &nodes)?;
    let edges: Vec<bool> = (0..graph.size()[1]).map(|edge| edge % 2 == 0).collect();
    Ok(graph.keep("edges", &edges)?)
}

/// Makes all edges self-loops of node 0.
pub(crate) fn collapse(graph: &mut Slot<'_>) -> Result<(), BoxError> {
    let edges = graph.size()[1] as usize;
    Ok(graph.set_index("edge_index", &[&vec![0_i64; edges], &vec![0; edges]])?)
}
