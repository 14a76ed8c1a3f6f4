//! `Data::sorted_by`: batches are those of the same data without an order, sorted by a naive stable sort, whatever they
//! are made of; sums between row pointers are those by scatter.

use graphpack_loader::{
    Batch, Capacity, Collator, Column, Data, Dtype, Level, Loader, NeighbourMatrix, Options, Order, Oversize, Padding,
    Schema, Shape, Store, molecules,
};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use test_common::{PADDINGS, batches, batchings, sizes, store_of};

/// An index of a batch, column by column, whatever its type.
fn index(batch: &Batch, name: &str) -> Vec<Vec<i64>> {
    let narrow = || {
        batch
            .index::<i32>(name)
            .map(|columns| columns.iter().map(|of| of.iter().map(|&row| row.into()).collect()).collect())
    };
    let wide = batch.index::<i64>(name).map(|columns| columns.iter().map(|of| of.to_vec()).collect());
    wide.or_else(|_| narrow()).unwrap()
}

fn numbers(batch: &Batch, name: &str) -> Vec<i64> {
    let narrow = || batch.get::<i32>(name).map(|of| of.iter().map(|&row| row.into()).collect());
    batch.get::<i64>(name).map(<[i64]>::to_vec).or_else(|_| narrow()).unwrap()
}

/// Where each row of a stable sort comes from.
fn sorted(keys: &[i64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by_key(|&row| keys[row]);
    order
}

/// The number of entries below each row, and of all.
fn counted(keys: &[i64], rows: usize) -> Vec<i64> {
    (0..=rows as i64).map(|row| keys.iter().filter(|&&key| key < row).count() as i64).collect()
}

/// Asserts that a batch of edges and triplets is `plain` in the order of a column of `edge_index`.
fn assert_sorted(plain: &Batch, batch: &Batch, column: usize) {
    assert_eq!((plain.shape(), plain.real(), plain.graph_ids()), (batch.shape(), batch.real(), batch.graph_ids()));
    let edges = index(plain, "edge_index");
    let order = sorted(&edges[column]);
    let moved: Vec<Vec<i64>> = edges.iter().map(|of| order.iter().map(|&row| of[row]).collect()).collect();
    assert_eq!(index(batch, "edge_index"), moved);
    let attributes = plain.get::<i32>("edge_attr").unwrap();
    let moved: Vec<i32> = order.iter().map(|&row| attributes[row]).collect();
    assert_eq!(batch.get::<i32>("edge_attr").unwrap(), moved);
    let renumbered = |&edge: &i64| order.iter().position(|&from| from as i64 == edge).unwrap() as i64;
    let triplets = index(plain, "triplet_index");
    let triplets: Vec<Vec<i64>> = triplets.iter().map(|of| of.iter().map(renumbered).collect()).collect();
    assert_eq!(index(batch, "triplet_index"), triplets);
    assert_eq!(numbers(batch, "edge_index_ptr"), counted(&edges[column], batch.shape().nodes()));
    for name in ["batch", "ptr"] {
        assert_eq!(numbers(plain, name), numbers(batch, name));
    }
    assert_eq!(plain.get::<f32>("x").unwrap(), batch.get::<f32>("x").unwrap());
    let sums = sums(batch, column);
    assert_eq!(sums[0], sums[1]);
}

/// The sums of `edge_attr` over the edges of each node, by scatter and between row pointers.
fn sums(batch: &Batch, column: usize) -> [Vec<i32>; 2] {
    let attributes = batch.get::<i32>("edge_attr").unwrap();
    let mut scattered = vec![0; batch.shape().nodes()];
    for (&target, attribute) in index(batch, "edge_index")[column].iter().zip(attributes) {
        scattered[target as usize] += attribute;
    }
    let ptr = numbers(batch, "edge_index_ptr");
    let segments = ptr.windows(2).map(|of| attributes[of[0] as usize..of[1] as usize].iter().sum());
    [scattered, segments.collect()]
}

/// Leaves out every second edge, and turns the others around.
fn turn(data: &Data) -> Data {
    data.map("turn", |graph| {
        let mask: Vec<bool> = (0..graph.size()[1]).map(|edge| edge % 2 == 1).collect();
        graph.keep("edges", &mask)?;
        let mut columns = Vec::new();
        graph.index("edge_index", &mut columns)?;
        Ok(graph.set_index("edge_index", &[&columns[1], &columns[0]])?)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn batches_are_those_of_a_naive_sort(
        sizes in sizes(), way in any::<Index>(), padding in select(&PADDINGS[..]), chosen in any::<Option<u64>>(),
        mapped in 0..3, column in 0..2_usize, narrow in any::<bool>(), workers in 0..3_usize, triplets_first in any::<bool>(),
        trim in any::<bool>(), saved in any::<bool>(),
    ) {
        let store = store_of(&sizes);
        let whole = Store::collect(Data::from(store.clone()).triplets().unwrap()).unwrap();
        let mut options = way.get(&batchings(&whole)).clone().padding(padding).workers(workers);
        options = options.order(Order::Shuffled).seed(3).index(if narrow { Dtype::I32 } else { Dtype::I64 });
        if trim {
            options = options.oversize(Oversize::Trim);
        }
        // The same data without and with an order, which comes before or after maps, triplets and a subset.
        let made = |sort: &dyn Fn(&Data) -> Data, first: bool| {
            let ordered = |data: Data, now: bool| if now { sort(&data) } else { data };
            let mut data = ordered(Data::from(store.clone()), first);
            if mapped == 1 {
                data = turn(&data);
            }
            data = data.triplets().unwrap();
            if mapped == 2 {
                data = data.map("odd", |graph| {
                    let mask: Vec<bool> = (0..graph.size()[1]).map(|edge| edge % 3 > 0).collect();
                    Ok(graph.keep("edges", &mask)?)
                });
            }
            if let Some(chosen) = chosen {
                let graphs = (0..data.len() as u32).filter(|graph| *graph == 0 || chosen >> (graph % 64) & 1 == 1);
                data = data.subset(graphs.collect::<Vec<u32>>()).unwrap();
            }
            ordered(data, !first)
        };
        let sort = |data: &Data| data.sorted_by("edge_index", column).unwrap();
        let plain = Loader::new(made(&Data::clone, false), options.clone());
        let data = made(&sort, false);
        let (Ok(plain), Ok(loader)) = (plain, Loader::new(&data, options.clone())) else {
            // Trimming is refused with some ways of batching.
            prop_assert!(trim);
            return Ok(());
        };
        for epoch in 0..2 {
            let pairs = [&plain, &loader].map(|loader| batches(loader.epoch(epoch)));
            prop_assert_eq!(pairs[0].len(), pairs[1].len());
            // What is trimmed at random is drawn of other rows.
            if !trim {
                pairs[0].iter().zip(&pairs[1]).for_each(|(plain, batch)| assert_sorted(plain, batch, column));
            }
        }
        // Sorted first: a map may drop other edges, but pointers hold, and so they do of a store in this order.
        let mut of_sorted = vec![if triplets_first { data } else { made(&sort, true) }];
        if saved && mapped == 0 {
            let store = Store::collect(&of_sorted[0]).unwrap();
            for graph in 0..store.len() {
                prop_assert!(store.index("edge_index", graph).unwrap()[column].is_sorted());
            }
            of_sorted.push(Data::from(store).sorted_by("edge_index", column).unwrap());
        }
        for data in of_sorted {
            for batch in batches(Loader::new(data, options.clone()).unwrap().epoch(0)) {
                let (edges, triplets) = (index(&batch, "edge_index"), index(&batch, "triplet_index"));
                prop_assert!(edges[column].is_sorted());
                prop_assert_eq!(numbers(&batch, "edge_index_ptr"), counted(&edges[column], batch.shape().nodes()));
                let sums = sums(&batch, column);
                prop_assert_eq!(&sums[0], &sums[1]);
                // Triplets connect edges that follow each other.
                let real = batch.real_rows("triplets").unwrap();
                for (&first, &second) in triplets[0].iter().zip(&triplets[1]).take(real) {
                    prop_assert_eq!(edges[1][first as usize], edges[0][second as usize]);
                }
            }
        }
    }
}

/// Triplets follow sorted edges, and may be sorted themselves, in whichever order of calls.
#[test]
fn several_sets_are_sorted() {
    let data = Data::from(molecules::generate(1, 60));
    let first = data.sorted_by("edge_index", 1).unwrap().triplets().unwrap();
    let both = [
        first.sorted_by("triplet_index", 1).unwrap(),
        data.triplets().unwrap().sorted_by("triplet_index", 1).unwrap().sorted_by("edge_index", 1).unwrap(),
    ];
    for data in both {
        for batch in batches(Loader::new(data, Options::graphs(8).padding(Padding::Beyond)).unwrap().epoch(0)) {
            let (edges, triplets) = (index(&batch, "edge_index"), index(&batch, "triplet_index"));
            assert!(edges[1].is_sorted() && triplets[1].is_sorted());
            assert_eq!(numbers(&batch, "triplet_index_ptr"), counted(&triplets[1], batch.shape().edges()));
            for (&first, &second) in triplets[0].iter().zip(&triplets[1]) {
                assert_eq!(edges[1][first as usize], edges[0][second as usize]);
            }
        }
    }
    let batch = &batches(Loader::new(&first, Options::graphs(8)).unwrap().epoch(0))[0];
    assert!(index(batch, "triplet_index")[1][..batch.real_rows("triplets").unwrap()].is_sorted());
    assert!(batch.layout().array("triplet_index_ptr").is_none());
    // Another order replaces the first.
    let by_source = first.sorted_by("edge_index", 0).unwrap();
    let batch = &batches(Loader::new(by_source, Options::graphs(8).fields(["x"])).unwrap().epoch(0))[0];
    assert!(index(batch, "edge_index")[0].is_sorted() && !index(batch, "edge_index")[1].is_sorted());
}

/// Rows of a matrix have edges in their order, and graphs that a collator gets are sorted as a loader sorts them.
#[test]
fn neighbours_and_collators_have_sorted_edges() {
    let data = Data::from(store_of(&[[5, 9], [3, 7], [4, 0]])).sorted_by("edge_index", 1).unwrap();
    let data = data.neighbours(NeighbourMatrix::of("edge_index").fields(["edge_attr"])).unwrap();
    let shape = Shape::new([16, 24], 4);
    let loader = Loader::new(&data, Options::default().capacity(Capacity::shape(shape))).unwrap();
    let mut collator = Collator::new(data.schema(), loader.shape().unwrap()).unwrap();
    for batch in batches(loader.epoch(0)) {
        for &graph in batch.places() {
            collator.push_graph(&data, graph as usize).unwrap();
        }
        assert_eq!(collator.finish().unwrap().bytes(), batch.bytes());
        let (ptr, mask) = (numbers(&batch, "edge_index_ptr"), batch.get::<bool>("neighbour_mask").unwrap());
        let edges = numbers(&batch, "neighbour_edges");
        let most = edges.len() / batch.shape().nodes();
        for node in 0..batch.real().nodes() {
            let row = node * most..(node + 1) * most;
            let of_row = edges[row.clone()].iter().zip(&mask[row]).filter(|(_, is)| **is).map(|(edge, _)| *edge);
            assert_eq!(of_row.collect::<Vec<_>>(), (ptr[node]..ptr[node + 1]).collect::<Vec<_>>());
        }
    }
}

/// Graphs that are drawn for each epoch are sorted as others are.
#[test]
fn graphs_of_each_epoch_are_sorted() {
    let drawn = Data::each_epoch(|epoch| Ok(store_of(&[[5, 9 - epoch as u32], [7, 19]]).into()));
    let loader = Loader::new(drawn.sorted_by("edge_index", 1).unwrap(), Options::graphs(4)).unwrap();
    for epoch in 0..2 {
        for batch in batches(loader.epoch(epoch)) {
            let sums = sums(&batch, 1);
            assert_eq!(sums[0], sums[1]);
        }
    }
}

/// Other fields, padding and parts leave the arrays of indices, which a field of neighbours follows to its new place.
#[test]
fn a_store_of_sorted_graphs_with_other_fields_has_their_order() {
    let data = Data::from(store_of(&[[5, 9], [3, 7]])).sorted_by("edge_index", 1).unwrap();
    let data = data.neighbours(NeighbourMatrix::of("edge_index").fields(["edge_attr"])).unwrap();
    let store = Store::collect(&data).unwrap();
    let other = Column::new("a", Level::Graph, 1, vec![0_i64; 2]);
    let named = |name: &str| (name != "x").then(|| if name == "edge_attr" { "bond".into() } else { name.into() });
    let stores = [
        (store.clone().with_column(other).unwrap(), "edge_attr"),
        (store.clone().padded("edge_attr", 7.0).unwrap(), "edge_attr"),
        (Store::concat(&[store.clone(), store.clone()]).unwrap(), "edge_attr"),
        (store.clone().with_names(named).unwrap(), "bond"),
    ];
    for (store, field) in stores {
        let loader = Loader::new(store.clone(), Options::graphs(4)).unwrap();
        for batch in batches(loader.epoch(0)) {
            let targets = &index(&batch, "edge_index")[1];
            assert_eq!(numbers(&batch, "edge_index_ptr"), counted(targets, batch.shape().nodes()));
            let (bonds, of) = (batch.get::<i32>(field).unwrap(), numbers(&batch, "neighbour_edges"));
            let expected: Vec<i32> = of.iter().map(|&edge| bonds[edge as usize]).collect();
            assert_eq!(batch.get::<i32>(&format!("neighbour_{field}")).unwrap(), expected);
        }
        let without = store.with_names(|name| (name != field).then(|| name.to_owned())).unwrap();
        let batch = batches(Loader::new(without, Options::graphs(4)).unwrap().epoch(0)).remove(0);
        assert!(batch.layout().array(&format!("neighbour_{field}")).is_none());
        assert!(batch.layout().array("neighbours").is_some());
    }
}

#[test]
fn what_cannot_be_sorted_is_an_error() {
    let schema = Schema::of(&["nodes", "edges", "parts"])
        .index("edge_index", "edges", &["nodes", "nodes"])
        .index("reverse", "edges", &["edges"])
        .index("part_of", "nodes", &["parts"])
        .index("longest_edge", "parts", &["edges"])
        .index("root", "graph", &["nodes"])
        .index("twin", "parts", &["nodes"])
        .field("twin_ptr", "parts", Dtype::F32, &[]);
    let data = Data::from(Store::new(schema));
    let error = |data: &Data, index, column| data.sorted_by(index, column).unwrap_err().to_string();
    let message = "expected an index of a set with a column 1, found ";
    for index in ["root", "reverse", "none"] {
        assert_eq!(error(&data, index, 1), format!("{message}{index:?}; there are edge_index"));
    }
    let own = error(&data, "reverse", 0);
    assert_eq!(own, "\"edges\" cannot have the order of \"reverse\", which follows from their own order");
    let taken = error(&data, "twin", 0);
    assert_eq!(
        taken,
        "expected no array \"twin_ptr\", which is to be added: a field, an index or another array has this name"
    );
    let edges = data.sorted_by("edge_index", 1).unwrap().sorted_by("longest_edge", 0).unwrap();
    assert_eq!(
        edges.schema(),
        &data.sorted_by("longest_edge", 0).unwrap().sorted_by("edge_index", 1).unwrap().schema().clone()
    );
    // Parts are in the order of edges, which are in that of nodes.
    let circle = error(&edges, "part_of", 0);
    assert_eq!(circle, "\"nodes\" cannot have the order of \"part_of\", which follows from their own order");
    let mixed = Data::mix(&[("a", &data), ("b", &edges)]).unwrap_err().to_string();
    assert_eq!(mixed, "mix and the neighbours or sorted rows of \"b\" contradict each other: ask the mix for them");
}
