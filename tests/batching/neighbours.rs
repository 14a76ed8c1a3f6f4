//! `Data::neighbours`: the edges into each node as a matrix are those of a naive list, whatever batches are made of; a
//! batch in fixed memory has the same bytes.

use graphpack_core::collate::{
    Builtin, CollateError, Dtype, FixedBatch, FixedField, FixedIndex, FixedLayout, FixedMemory, FixedSchema, Level,
    Neighbours, Padding,
};
use graphpack_core::{Shape as FixedShape, Size};
use graphpack_loader::{
    Batch, Capacity, Column, Data, Loader, OnError, Options, Order, Oversize, Schema, Shape, Store,
};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use test_common::{PADDINGS, batches, batchings, sizes, store_of};

/// The three arrays of a batch, row by row: each entry of a real edge as its source and its number, or `None`.
fn matrix(batch: &Batch) -> Vec<Vec<Option<(i64, i64)>>> {
    let [neighbours, edges] = ["neighbours", "neighbour_edges"].map(|name| batch.get::<i64>(name).unwrap());
    let mask = batch.get::<bool>("neighbour_mask").unwrap();
    let array = batch.layout().array("neighbours").unwrap();
    assert_eq!(array.rows, batch.shape().nodes());
    let most = array.width.unwrap();
    let padding = (batch.real().nodes() as i64, batch.real().edges() as i64);
    assert!(padding.0 < batch.shape().nodes() as i64 && padding.1 < batch.shape().edges() as i64);
    let entry = |at: usize| {
        let found = (neighbours[at], edges[at]);
        assert!(mask[at] || found == padding, "{found:?} is not the first padding, {padding:?}");
        mask[at].then_some(found)
    };
    (0..array.rows).map(|row| (row * most..(row + 1) * most).map(entry).collect()).collect()
}

/// The same from a list, with the first `most` edges into each node.
fn listed(batch: &Batch, most: usize) -> Vec<Vec<Option<(i64, i64)>>> {
    let mut rows = vec![Vec::new(); batch.shape().nodes()];
    let (sources, targets) = batch.edge_index::<i64>().unwrap();
    for edge in 0..batch.real().edges() {
        rows[targets[edge] as usize].push(Some((sources[edge], edge as i64)));
    }
    rows.iter_mut().for_each(|row| row.resize(most, None));
    rows
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn neighbours_are_those_of_a_naive_list(
        sizes in sizes(), way in any::<Index>(), padding in select(&PADDINGS[..]), chosen in any::<Option<u64>>(),
        mapped in any::<bool>(), first in any::<bool>(), workers in 0..3_usize,
    ) {
        let store = store_of(&sizes);
        let mut options = way.get(&batchings(&store)).clone().padding(padding).workers(workers);
        // They need `edge_index`, whether it is asked for or not.
        options = options.order(Order::Shuffled).seed(3).fields(["edge_attr"]);
        let most = (0..store.len()).flat_map(|graph| {
            let targets = store.index("edge_index", graph).unwrap()[1].clone();
            (0..12).map(move |node| targets.iter().filter(|&&target| target == node).count())
        });
        let most = most.max().unwrap_or(0).max(1);
        let mut data = Data::from(store);
        if first {
            data = data.neighbours(None).unwrap();
        }
        if mapped {
            data = data.map("odd", |graph| {
                let mask: Vec<bool> = (0..graph.size()[1]).map(|edge| edge % 2 == 1).collect();
                Ok(graph.keep("edges", &mask)?)
            });
        }
        if !first {
            data = data.neighbours(None).unwrap();
        }
        if let Some(chosen) = chosen {
            let graphs: Vec<u32> = (0..data.len() as u32).filter(|graph| *graph == 0 || chosen >> (graph % 64) & 1 == 1).collect();
            data = data.subset(graphs).unwrap();
        }
        let loader = Loader::new(data, options).unwrap();
        // Two epochs, so that batches are also made in memory that an earlier batch has filled.
        for batch in batches(loader.epoch(0)).into_iter().chain(batches(loader.epoch(1))) {
            let matrix = matrix(&batch);
            prop_assert_eq!(&matrix, &listed(&batch, most));
            // What a network needs it for: sums by gather are those by scatter.
            let (attributes, (_, targets)) = (batch.get::<i32>("edge_attr").unwrap(), batch.edge_index::<i64>().unwrap());
            let mut sums = vec![0; batch.shape().nodes()];
            for (&target, attribute) in targets.iter().zip(attributes).take(batch.real().edges()) {
                sums[target as usize] += attribute;
            }
            let gathered = matrix.iter().map(|row| row.iter().flatten().map(|(_, edge)| attributes[*edge as usize]).sum());
            prop_assert_eq!(sums, gathered.collect::<Vec<i32>>());
        }
    }
}

/// Graph 1 has a node, its last, with four edges into it.
fn crowded() -> Store {
    let edges = [vec![1, 0, 0, 1, 1, 2, 0], vec![0, 1, 2, 2, 2, 2, 1]];
    Store::of_columns(vec![0, 2, 5, 7], vec![0, 1, 6, 7], edges, vec![]).unwrap()
}

#[test]
fn a_node_with_more_neighbours_is_an_error_of_its_graph() {
    let data = Data::from(crowded()).neighbours(3).unwrap();
    let loader = |options| Loader::new(data.clone(), options).unwrap();
    let error = loader(Options::graphs(4)).epoch(0).find_map(Result::err).unwrap();
    let message = "step 0: graph 1 cannot be loaded: node 2 has 4 neighbours, expected at most 3";
    assert_eq!((error.to_string().as_str(), error.graph()), (message, Some(1)));

    let skipping = batches(loader(Options::graphs(4).on_error(OnError::Skip)).epoch(0));
    assert_eq!(skipping[0].graph_ids(), [0, 2]);
    assert_eq!(matrix(&skipping[0]), listed(&skipping[0], 3));

    // Trimmed, it has the first ones.
    for batch in batches(loader(Options::graphs(4).oversize(Oversize::Trim)).epoch(0)) {
        let mut first = listed(&batch, 4);
        first.iter_mut().for_each(|row| row.truncate(3));
        assert_eq!((matrix(&batch), batch.real().edges()), (first, 7));
    }
}

#[test]
fn a_state_does_not_depend_on_their_number() {
    let loader =
        |most: Option<u32>| Loader::new(Data::from(crowded()).neighbours(most).unwrap(), Options::graphs(1)).unwrap();
    let whole = batches(loader(None).epoch(0));
    let rest = batches(loader(Some(9)).resume(&whole[0].state()).unwrap());
    let ids = |batches: &[Batch]| batches.iter().map(|batch| batch.graph_ids().to_vec()).collect::<Vec<_>>();
    assert_eq!(ids(&rest), ids(&whole[1..]));
    assert_eq!(rest[0].layout().array("neighbours").unwrap().width, Some(9));
}

/// Sets that follow later come beside them; graphs that are drawn for each epoch have the number of epoch 0.
#[test]
fn neighbours_stay_with_what_is_made_of_the_graphs() {
    let all = Data::from(crowded());
    let triplets = all.neighbours(None).unwrap().triplets().unwrap();
    for batch in batches(Loader::new(triplets, Options::graphs(4)).unwrap().epoch(0)) {
        assert_eq!(matrix(&batch), listed(&batch, 4));
    }
    let drawn = Data::each_epoch(move |epoch| Ok(all.subset([[1, 0], [2, 0]][epoch as usize % 2])?));
    let loader = Loader::new(drawn.neighbours(None).unwrap(), Options::graphs(2)).unwrap();
    for batch in batches(loader.epoch(0)).into_iter().chain(batches(loader.epoch(1))) {
        assert_eq!(matrix(&batch), listed(&batch, 4));
    }
}

#[test]
fn data_that_cannot_have_neighbours_say_why() {
    let error = |data: &Data, most| data.neighbours(most).unwrap_err().to_string();
    let data = Data::from(crowded());
    assert_eq!(error(&data, Some(0)), "expected at least 1 neighbour of each row, found 0");
    let atoms = Schema::of(&["nodes"]);
    let atoms = Data::from(Store::of_sets(atoms, vec![vec![0, 1]], vec![], vec![]).unwrap());
    let message = "neighbours follow from an index \"edge_index\" of a set with two columns, found none";
    assert_eq!((error(&atoms, None), error(&atoms, Some(4))), (message.into(), message.into()));
    let named = crowded().with_column(Column::new("neighbour_mask", Level::NODE, 1, vec![true; 7])).unwrap();
    assert_eq!(error(&named.into(), None), "name \"neighbour_mask\" is reserved for the batch itself or its file");
    let mixed = Data::mix(&[("a", &data), ("b", &data.neighbours(4).unwrap())]).unwrap_err().to_string();
    assert_eq!(mixed, "mix and the neighbours of \"b\" contradict each other: ask the mix for neighbours");
}

const SCHEMA: FixedSchema = {
    const OF: Neighbours = Neighbours { index: 0, set: 0, most: 4 };
    FixedSchema {
        sets: &["nodes", "edges"],
        fields: &[FixedField::new("weight", Level::EDGE, Dtype::F32, 1)],
        indices: &[FixedIndex::new("edge_index", Level::EDGE, &[0, 0])],
        builtins: &[
            Builtin::Batch(0),
            Builtin::Ptr(0),
            Builtin::GraphIds,
            Builtin::Mask(Level::NODE),
            Builtin::Mask(Level::EDGE),
            Builtin::Mask(Level::Graph),
            Builtin::Neighbours(OF),
            Builtin::NeighbourEdges(OF),
            Builtin::NeighbourMask(OF),
        ],
    }
};
const SHAPE: FixedShape = FixedShape { size: Size::new([9, 10]), graphs: 3 };
const LAYOUT: FixedLayout = FixedLayout::new(SCHEMA, Padding::Apart, SHAPE, Dtype::I64);

#[test]
fn bytes_in_fixed_memory_are_those_of_the_loader() {
    let weights = Column::new("weight", Level::EDGE, 1, (0..7).map(|edge| edge as f32).collect());
    let data = Data::from(crowded().with_column(weights).unwrap()).neighbours(None).unwrap();
    let options = Options::default().capacity(Capacity::shape(Shape::new([9, 10], 3))).padding(Padding::Apart);
    let mut memory = FixedMemory::<{ LAYOUT.bytes() }>::new();
    let mut fixed = FixedBatch::new(&LAYOUT, &mut memory.0).unwrap();
    let batches = batches(Loader::new(data, options).unwrap().epoch(0));
    assert!(batches.len() > 1);
    for batch in batches {
        fixed.restart();
        for graph in batch.graphs() {
            let mut slot = fixed.open(graph.size(), graph.number()).unwrap();
            slot.field(0, graph.rows::<f32>("weight").unwrap()).unwrap();
            let columns = graph.index("edge_index").unwrap();
            slot.index(0, &[&columns[0], &columns[1]]).unwrap();
            slot.finish().unwrap();
        }
        assert_eq!(fixed.pad().bytes(), &batch.bytes()[..batch.layout().bytes()]);
    }

    fixed.restart();
    let mut slot = fixed.open(Size::new([2, 5]), 0).unwrap();
    slot.field(0, &[0.0_f32; 5]).unwrap();
    slot.index(0, &[&[0_u8; 5], &[1; 5]]).unwrap();
    let crowded = CollateError::Neighbours { name: "edge_index", row: 1, most: 4, found: 5 };
    assert_eq!((slot.finish(), fixed.real().graphs), (Err(crowded), 0));
}

#[test]
fn a_fixed_layout_has_all_of_its_neighbours_or_none() {
    let layout = |builtins: Vec<Builtin>| {
        let schema = FixedSchema { builtins: builtins.leak(), ..SCHEMA };
        FixedLayout::try_new(schema, Padding::Apart, SHAPE, Dtype::I64).map(drop)
    };
    let of = Neighbours { index: 0, set: 0, most: 4 };
    assert_eq!(layout(Builtin::neighbours(of).to_vec()), Ok(()));
    for some in [vec![0], vec![1, 2], vec![0, 2]] {
        let error = layout(some.into_iter().map(|array| Builtin::neighbours(of)[array]).collect()).unwrap_err();
        assert_eq!(error.to_string(), "expected Neighbours, NeighbourEdges and NeighbourMask together");
    }
    for wrong in [Neighbours { index: 1, ..of }, Neighbours { set: 1, ..of }, Neighbours { most: 0, ..of }] {
        let error = layout(Builtin::neighbours(wrong).to_vec()).unwrap_err();
        assert!(error.to_string().starts_with("expected at least one neighbour"), "{wrong:?}: {error}");
    }
}
