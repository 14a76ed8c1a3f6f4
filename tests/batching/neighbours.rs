//! `Data::neighbours`: the edges into each node as a matrix are those of a naive list, whatever batches are made of,
//! and so are sums by `pool`; a batch in fixed memory has the same bytes.

use graphpack_core::collate::{
    Builtin, CollateError, Dtype, FixedBatch, FixedField, FixedIndex, FixedLayout, FixedMemory, FixedSchema, Level,
    NeighbourField, Neighbours, Padding, PaddingValue,
};
use graphpack_core::{Shape as FixedShape, Size};
use graphpack_loader::{
    Batch, Capacity, Column, Connect, Data, Edges, Grouping, Loader, NeighbourMatrix, OnError, Options, Order,
    Oversize, Schema, Shape, Store, clusters,
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
        let fields = NeighbourMatrix::of("edge_index").fields(["edge_attr"]);
        let mut options = way.get(&batchings(&store)).clone().padding(padding).workers(workers);
        // They need `edge_index`, whether it is asked for or not.
        options = options.order(Order::Shuffled).seed(3).fields(["x"]).extra(["pool", "edge_pool"]);
        let most = (0..store.len()).flat_map(|graph| {
            let targets = store.index("edge_index", graph).unwrap()[1].clone();
            (0..12).map(move |node| targets.iter().filter(|&&target| target == node).count())
        });
        let most = most.max().unwrap_or(0).max(1);
        let mut data = Data::from(store);
        if first {
            data = data.neighbours(fields.clone()).unwrap();
        }
        if mapped {
            data = data.map("odd", |graph| {
                let mask: Vec<bool> = (0..graph.size()[1]).map(|edge| edge % 2 == 1).collect();
                Ok(graph.keep("edges", &mask)?)
            });
        }
        if !first {
            data = data.neighbours(fields).unwrap();
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
            let entries = batch.get::<i64>("neighbour_edges").unwrap().iter().map(|&edge| attributes[edge as usize]);
            let array = batch.layout().array("neighbour_edge_attr").unwrap();
            let nodes = batch.shape().nodes();
            prop_assert_eq!(array.shape().collect::<Vec<_>>(), [nodes, most].into_iter().chain([1]).collect::<Vec<_>>());
            prop_assert_eq!(batch.get::<i32>("neighbour_edge_attr").unwrap(), entries.collect::<Vec<_>>());
            for (pool, ptr) in [("pool", 0), ("edge_pool", 1)] {
                prop_assert_eq!(pooled(&batch, pool), counted(&batch, ptr));
            }
        }
    }
}

/// The sum of row numbers over each graph, by a product with `pool`.
fn pooled(batch: &Batch, pool: &str) -> Vec<f32> {
    let (array, pool) = (batch.layout().array(pool).unwrap(), batch.get::<f32>(pool).unwrap());
    assert_eq!(array.rows, batch.shape().graphs());
    let product = |row: &[f32]| row.iter().zip(0..).map(|(one, number)| one * number as f32).sum();
    pool.chunks(array.width.unwrap()).map(product).collect()
}

/// The same from the sizes of the graphs; 0 in padding.
fn counted(batch: &Batch, set: usize) -> Vec<f32> {
    let mut first = 0;
    let sums = batch.graphs().map(|graph| {
        let rows = first..first + graph.size()[set];
        first = rows.end;
        rows.sum::<u32>() as f32
    });
    sums.chain(std::iter::repeat(0.0)).take(batch.shape().graphs()).collect()
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
    let message = "step 0: graph 1 cannot be loaded: node 2 has 4 neighbours in \"edge_index\", expected at most 3: \
                   ask for more columns, or for Oversize::Trim, which keeps the nearest";
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

proptest! {
    #[test]
    fn a_trimmed_node_keeps_the_nearest(
        sizes in sizes(), lengths in prop::collection::vec(0..9_u8, 1..9), most in 1..5_u32, narrow in any::<bool>(),
    ) {
        let store = store_of(&sizes);
        let edges: u32 = store.sizes().map(|size| size[1]).sum();
        let lengths: Vec<f32> = lengths.iter().cycle().take(edges as usize).map(|&length| length.into()).collect();
        let field = Column::new("length", Level::EDGE, 1, lengths);
        let store = store.with_column(field).unwrap().padded("length", PaddingValue::Length).unwrap();
        let data = Data::from(store).neighbours(NeighbourMatrix::of("edge_index").most(most)).unwrap();
        let index = if narrow { Dtype::I32 } else { Dtype::I64 };
        let options = Options::graphs(4).oversize(Oversize::Trim).index(index).fields(["x"]);
        for batch in batches(Loader::new(data, options).unwrap().epoch(0)) {
            let (mask, lengths) = (batch.get::<bool>("neighbour_mask").unwrap(), batch.get::<f32>("length").unwrap());
            let numbers = |name| -> Vec<i64> {
                match narrow {
                    true => batch.get::<i32>(name).unwrap().iter().map(|&number| number.into()).collect(),
                    false => batch.get::<i64>(name).unwrap().to_vec(),
                }
            };
            let (edges, index) = (numbers("neighbour_edges"), numbers("edge_index"));
            let targets = &index[batch.shape().edges()..][..batch.real().edges()];
            for node in 0..batch.shape().nodes() {
                let mut nearest: Vec<usize> = (0..targets.len()).filter(|&edge| targets[edge] == node as i64).collect();
                nearest.sort_by(|&a, &b| lengths[a].total_cmp(&lengths[b])); // stable
                nearest.truncate(most as usize);
                nearest.sort_unstable();
                let row = node * most as usize..(node + 1) * most as usize;
                let found: Vec<usize> = row.filter(|&at| mask[at]).map(|at| edges[at] as usize).collect();
                prop_assert_eq!(found, nearest);
            }
        }
    }
}

/// Two complexes: 2 and 3 rows of protein, 2 and 1 of ligand, 3 contacts of each.
fn complexes() -> Store {
    let schema = Schema::of(&["protein", "ligand", "contacts"])
        .field("contacts.length", "contacts", Dtype::F32, &[2])
        .field("contacts.kind", "contacts", Dtype::U8, &[])
        .index("contact_index", "contacts", &["protein", "ligand"])
        .index("back_index", "contacts", &["ligand", "protein"])
        .padded("contacts.kind", 7.0);
    let ptr = vec![vec![0, 2, 5], vec![0, 2, 3], vec![0, 3, 6]];
    let contacts = vec![vec![0, 1, 1, 2, 0, 1], vec![1, 1, 0, 0, 0, 0]];
    let back = contacts.iter().rev().cloned().collect();
    let length = (0..12).map(|number| number as f32).collect();
    let columns = vec![Column::of(&schema, "contacts.length", length).unwrap()];
    let kind = Column::of(&schema, "contacts.kind", vec![1_u8, 2, 3, 4, 5, 6]).unwrap();
    Store::of_sets(schema, ptr, vec![contacts, back], columns.into_iter().chain([kind]).collect()).unwrap()
}

#[test]
fn an_index_of_another_set_has_a_matrix_of_its_own() {
    let contacts = NeighbourMatrix::of("contact_index").fields(["contacts.kind", "contacts.length"]);
    let data = Data::from(complexes()).neighbours(contacts).unwrap();
    let loader = Loader::new(data.clone(), Options::graphs(2).grouping(Grouping::InOrder)).unwrap();
    let batch = &batches(loader.epoch(0))[0];
    let shape = |name: &str| batch.layout().array(name).unwrap().shape().collect::<Vec<_>>();
    let [protein, ligand, edges] = [0, 1, 2].map(|set| batch.real().sets()[set] as i64);
    assert_eq!((protein, ligand, edges, batch.graph_ids()), (5, 3, 6, &[0, 1][..]));
    let most = 3;
    assert_eq!(shape("contacts_neighbours"), [batch.shape().sets()[1], most]);
    assert_eq!(shape("contacts_neighbour_kind"), [batch.shape().sets()[1], most]);
    assert_eq!(shape("contacts_neighbour_length"), [batch.shape().sets()[1], most, 2]);
    // Contacts 2, then 0 and 1, into the ligand of the first complex, 3 to 5 into that of the second.
    let rows = [[1, protein, protein], [0, 1, protein], [4, 2, 3]];
    assert_eq!(batch.get::<i64>("contacts_neighbours").unwrap()[..9], *rows.as_flattened());
    let rows = [[2, edges, edges], [0, 1, edges], [3, 4, 5]];
    assert_eq!(batch.get::<i64>("contacts_neighbour_edges").unwrap()[..9], *rows.as_flattened());
    assert_eq!(batch.get::<u8>("contacts_neighbour_kind").unwrap()[..10], [3, 7, 7, 1, 2, 7, 4, 5, 6, 7]);
    assert_eq!(batch.get::<f32>("contacts_neighbour_length").unwrap()[..6], [4.0, 5.0, 0.0, 0.0, 0.0, 0.0]);
    let mask = batch.get::<bool>("contacts_neighbour_mask").unwrap();
    assert_eq!(mask[..9], [true, false, false, true, true, false, true, true, true]);
    assert!(mask[9..].iter().all(|is| !is));

    let crowded = data.neighbours(NeighbourMatrix::of("contact_index").most(2)).unwrap();
    let error = Loader::new(crowded, Options::graphs(2)).unwrap().epoch(0).find_map(Result::err).unwrap();
    let message =
        "step 0: graph 1 cannot be loaded: ligand 0 has 3 neighbours in \"contact_index\", expected at most 2: ";
    assert!(error.to_string().starts_with(message), "{error}");
}

/// The positions that edges follow from are written, although only a field of nodes is chosen.
#[test]
fn neighbours_may_be_of_edges_that_workers_make() {
    let atoms = Data::from(clusters::generate(1, 20)).connect(Connect::from(Edges::Nearest(5))).unwrap();
    let near = atoms.neighbours(NeighbourMatrix::of("edge_index").fields(["distance"])).unwrap();
    let loader = Loader::new(near, Options::graphs(4).fields(["z"])).unwrap();
    for batch in batches(loader.epoch(0)) {
        assert_eq!(matrix(&batch), listed(&batch, 5));
        let distances = batch.get::<f32>("neighbour_distance").unwrap();
        // Those of connect are sorted, and padding has the length 100.
        let mask = batch.get::<bool>("neighbour_mask").unwrap();
        assert!(distances.iter().zip(mask).all(|(&distance, is)| *is || distance == 100.0));
        assert!(distances.chunks(5).zip(mask.chunks(5)).all(|(row, is)| !is[4] || row.is_sorted()));
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
    let without = Loader::new(Data::from(crowded()), Options::graphs(1)).unwrap();
    let error = without.resume(&whole[0].state()).map(drop).unwrap_err().to_string();
    // The matrix has an edge more for padding.
    assert!(
        error.ends_with("another shape of batches: expected (4, 6) and 2 graphs, found (4, 7) and 2 graphs"),
        "{error}"
    );
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
    assert_eq!(error(&data, Some(0)), "expected at least 1 column of neighbours, found 0");
    let atoms = Schema::of(&["nodes"]);
    let atoms = Data::from(Store::of_sets(atoms, vec![vec![0, 1]], vec![], vec![]).unwrap());
    let fields = |name| NeighbourMatrix::of("edge_index").fields([name]);
    let named = crowded().with_column(Column::new("x", Level::NODE, 1, vec![1_i64; 7])).unwrap();
    let of_nodes = Data::from(named).neighbours(fields("x")).unwrap_err().to_string();
    assert_eq!(of_nodes, "neighbours have fields of edges, but \"x\" is of nodes");
    let unknown = data.neighbours(fields("x")).unwrap_err().to_string();
    assert!(unknown.starts_with("there is no field \"x\"; there"), "{unknown}");
    let message = "neighbours follow from an index of a set with two columns, but \"edge_index\" is none; there ";
    let none = format!("{message}are none");
    assert_eq!((error(&atoms, None), error(&atoms, Some(4))), (none.clone(), none));
    let three = Data::from(complexes()).neighbours(NeighbourMatrix::of("edge_index")).unwrap_err().to_string();
    assert_eq!(three, format!("{message}are contact_index, back_index"));
    let named = crowded().with_column(Column::new("neighbour_mask", Level::NODE, 1, vec![true; 7])).unwrap();
    let other = |name| {
        format!("expected no array {name:?}, which is to be added: a field, an index or another array has this name")
    };
    assert_eq!(error(&named.into(), None), other("neighbour_mask"));
    let second = Data::from(complexes()).neighbours(NeighbourMatrix::of("contact_index")).unwrap();
    let second = second.neighbours(NeighbourMatrix::of("back_index")).unwrap_err().to_string();
    assert_eq!(second, other("contacts_neighbours"));
    let mixed = Data::mix(&[("a", &data), ("b", &data.neighbours(4).unwrap())]).unwrap_err().to_string();
    assert_eq!(mixed, "mix and the neighbours or sorted rows of \"b\" contradict each other: ask the mix for them");
}

const SCHEMA: FixedSchema = {
    const OF: Neighbours = Neighbours { index: 0, edges: 1, set: 0, most: 4 };
    FixedSchema {
        sets: &["nodes", "edges"],
        fields: &[FixedField::new("weight", Level::EDGE, Dtype::F32, 1).padded(PaddingValue::Number(-1.0))],
        indices: &[FixedIndex::new("edge_index", Level::EDGE, &[0, 0])],
        builtins: &[
            Builtin::Batch(0),
            Builtin::Ptr(0),
            Builtin::GraphIds,
            Builtin::Mask(Level::NODE),
            Builtin::Mask(Level::EDGE),
            Builtin::Mask(Level::Graph),
            Builtin::Pool(0),
            Builtin::Neighbours(OF),
            Builtin::NeighbourEdges(OF),
            Builtin::NeighbourMask(OF),
            Builtin::NeighbourField(NeighbourField { of: OF, field: 0, dtype: Dtype::F32, width: Some(1) }),
        ],
    }
};
const SHAPE: FixedShape = FixedShape { size: Size::new([9, 10]), graphs: 3 };
const LAYOUT: FixedLayout = FixedLayout::new(SCHEMA, Padding::Beyond, SHAPE, Dtype::I64);

#[test]
fn bytes_in_fixed_memory_are_those_of_the_loader() {
    let weights = Column::new("weight", Level::EDGE, 1, (0..7).map(|edge| edge as f32).collect());
    let store = crowded().with_column(weights).unwrap().padded("weight", -1.0).unwrap();
    let data = Data::from(store).neighbours(NeighbourMatrix::of("edge_index").fields(["weight"])).unwrap();
    let options = Options::default().capacity(Capacity::shape(Shape::new([9, 10], 3))).padding(Padding::Beyond);
    let options = options.extra(["pool"]);
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
        let padded = fixed.pad();
        assert_eq!(padded.bytes(), &batch.bytes()[..batch.layout().bytes()]);
        assert_eq!(padded.get::<f32>("neighbour_weight").unwrap(), batch.get::<f32>("neighbour_weight").unwrap());
        assert!(padded.get::<f32>("pool").is_some());
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
        FixedLayout::try_new(schema, Padding::Beyond, SHAPE, Dtype::I64).map(drop)
    };
    let of = Neighbours { index: 0, edges: 1, set: 0, most: 4 };
    let field = NeighbourField { of, field: 0, dtype: Dtype::F32, width: None };
    let with = |field| [&Builtin::neighbours(of)[..], &[Builtin::NeighbourField(field)]].concat();
    assert_eq!(layout(Builtin::neighbours(of).to_vec()), Ok(()));
    assert_eq!(layout(with(field)), Ok(()));
    let other = Neighbours { most: 3, ..of };
    let wrong = [
        NeighbourField { of: other, ..field },
        NeighbourField { field: 1, ..field },
        NeighbourField { dtype: Dtype::F64, ..field },
        NeighbourField { width: Some(2), ..field },
    ];
    for arrays in wrong.map(with).into_iter().chain([vec![Builtin::NeighbourField(field)]]) {
        let message = "expected NeighbourField after its Neighbours, of a field of their index's set";
        assert_eq!(layout(arrays).unwrap_err().to_string(), message);
    }
    for some in [vec![0], vec![1, 2], vec![0, 2]] {
        let error = layout(some.into_iter().map(|array| Builtin::neighbours(of)[array]).collect()).unwrap_err();
        assert_eq!(error.to_string(), "expected Neighbours, NeighbourEdges and NeighbourMask together");
    }
    let wrong = [Neighbours { index: 1, ..of }, Neighbours { edges: 0, ..of }, Neighbours { set: 1, ..of }];
    for wrong in wrong.into_iter().chain([Neighbours { most: 0, ..of }]) {
        let error = layout(Builtin::neighbours(wrong).to_vec()).unwrap_err();
        assert!(error.to_string().starts_with("expected at least one neighbour"), "{wrong:?}: {error}");
    }
}
