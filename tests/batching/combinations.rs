//! All combinations of grouping, capacity, shapes and treatment of graphs that are too large: refused by both names, or
//! batches keep the capacity and have the shapes that were asked for.

use graphpack_core::{Cost, Histogram, LeastPadding, Plan, Rounding};
use graphpack_loader::{
    Batch, Capacity, Data, Dtype, ErrorKind, Estimate, Grouping, Level, Limits, Loader, OnError, Options, Order,
    Oversize, Packer, Padding, Shape, Shapes, Size, Store, Weights, molecules,
};
use std::collections::BTreeSet;
use std::sync::Arc;
use test_common::{batches, graph_ids};

/// What a capacity promises of a batch, written down apart from the loader.
#[derive(Clone, Copy)]
enum Promise {
    /// At most this many rows and graphs in a pack.
    Limits(Limits),
    /// This shape, if there is one.
    Shape(Shape),
    /// This number of graphs, except in the last batch.
    Graphs(usize),
    /// A quarter more graphs than this, at most.
    Mean(u32),
    /// At most this number of rows in the shape.
    Budget(usize),
}

/// Below the largest graph.
const TIGHT: Limits = Limits { size: Size::new([22, 46]), graphs: 3 };
const ROOMY: Limits = Limits { size: Size::new([90, 200]), graphs: 6 };
const SHAPE: Shape = Shape::new([111, 240], 7);

fn capacities(data: &Store) -> Vec<(Capacity, Promise)> {
    let named = |limits: Limits| {
        let [nodes, edges] = limits.size.first();
        Capacity::rows(&[("edges", edges), ("nodes", nodes)], limits.graphs)
    };
    let nodes = Limits { size: Size::new([60, u32::MAX]), graphs: u32::MAX };
    let both = |rows: u64| Cost::ROWS.graph(0).step(rows);
    let histogram = Histogram::from_sizes(data.sizes()).unwrap();
    let mut sample = graphpack_core::Sample::new();
    histogram.entries().iter().for_each(|&(size, count)| sample.add_times(size, count));
    let jraph = sample.dynamic(5).unwrap();
    let usable = LeastPadding::one_node().usable(&jraph);
    vec![
        (Capacity::default(), Promise::Mean(128)),
        (Capacity::graphs(4), Promise::Mean(9)), // the largest graph is larger than four of mean size
        (Capacity::fullest(4), Promise::Mean(9)),
        (Capacity::exactly(3), Promise::Graphs(3)),
        (named(TIGHT), Promise::Limits(TIGHT)),
        (ROOMY.into(), Promise::Limits(ROOMY)),
        (Capacity::rows(&[("nodes", 60)], u32::MAX), Promise::Limits(nodes)),
        (Capacity::shape(SHAPE), Promise::Shape(SHAPE)),
        (Capacity::estimate(Estimate::Jraph, 5), Promise::Limits(usable)),
        (Capacity::cheapest(both(10), both(0), 900), Promise::Budget(900)),
    ]
}

const SHAPES: [Shapes; 5] = [Shapes::One, Shapes::Few(3), Shapes::Multiple(64), Shapes::PowerOfTwo, Shapes::Exact];
const OVERSIZE: [Oversize; 4] = [Oversize::Error, Oversize::Skip, Oversize::Alone, Oversize::Trim];

/// A plan of the graphs that fit the limits.
fn plan(data: &Store, limits: Limits) -> Plan {
    let sizes = data.sizes().filter(|size| size.fits(&limits.size));
    Packer::Demand.pack(&Histogram::from_sizes(sizes).unwrap(), &limits).unwrap()
}

fn keeps(promise: Promise, (packs, last): (usize, bool), batch: &Batch) -> bool {
    let (real, shape) = (batch.real(), batch.shape());
    let within = |limits: Limits| {
        let rows = real.sets().iter().zip(limits.size.as_slice());
        let graphs = real.graphs() <= (limits.graphs as usize).saturating_mul(packs);
        graphs && rows.clone().all(|(&rows, &most)| rows <= (most as usize).saturating_mul(packs))
    };
    match promise {
        Promise::Limits(limits) => within(limits),
        Promise::Shape(given) => shape == given,
        Promise::Graphs(graphs) => real.graphs() == graphs || last && real.graphs() < graphs,
        Promise::Mean(graphs) => real.graphs() <= (graphs + graphs.div_ceil(4)) as usize * packs,
        Promise::Budget(rows) => shape.sets().iter().sum::<usize>() <= rows,
    }
}

/// Whether a batch has the shape of its rows, or one of more rows if it has lost more of them than was foreseen.
fn has_shape(shapes: Shapes, trimmed: bool, batch: &Batch) -> bool {
    let (real, shape) = (batch.real(), batch.shape());
    let rounding = match shapes {
        Shapes::Multiple(rows) => Rounding::Multiple(rows),
        Shapes::PowerOfTwo => Rounding::PowerOfTwo,
        Shapes::Exact => return shape == real,
        _ => return true,
    };
    let rows: Vec<u64> = real.sets().iter().map(|&rows| rows as u64).collect();
    let rounded = rounding.shape(&rows, real.graphs() as u32, &LeastPadding::one_node()).unwrap();
    let rounded = Shape::from(rounded);
    let mut found = shape.sets().iter().zip(rounded.sets());
    if trimmed { found.all(|(found, least)| found >= least) } else { shape.sets() == rounded.sets() }
}

/// Checks one combination; returns whether it is refused.
fn refused(data: &Arc<Store>, options: &Options, promise: Promise) -> bool {
    let Options { capacity, grouping, shapes, oversize, packs, .. } = options;
    let name = format!("capacity {capacity}, grouping {grouping}, shapes {shapes}, oversize {oversize}, packs {packs}");
    let loader = match Loader::new(data.clone(), options.clone()) {
        Ok(loader) => loader,
        Err(error) if error.graph().is_some() => {
            assert_eq!(*oversize, Oversize::Error, "{name}: {error}");
            return false;
        }
        Err(error) => {
            let text = error.to_string();
            assert_eq!(error.kind(), ErrorKind::Options, "{name}: {text}");
            let Some((both, _)) = text.split_once(" contradict each other: ") else {
                let plan = matches!(grouping, Grouping::Plan(_)) && text.starts_with("grouping plan has limits ");
                assert!(plan, "{name}: {text}");
                return true;
            };
            let words = ["capacity", "grouping", "shapes", "oversize", "packs"];
            let one = words.iter().find(|word| both.starts_with(**word));
            let other = words.iter().find(|word| both.contains(&format!(" and {word}")));
            assert!(one.is_some() && other.is_some() && one != other, "{name}: {text}");
            return true;
        }
    };
    for epoch in 0..2 {
        let found = batches(loader.epoch(epoch));
        assert_eq!(loader.batches(epoch).unwrap(), found.len(), "{name}");
        let mut alone = 0;
        let mut usual: BTreeSet<Shape> = BTreeSet::new();
        for (step, batch) in found.iter().enumerate() {
            let last = step + 1 == found.len();
            if keeps(promise, (*packs, last), batch) {
                usual.insert(batch.shape());
            } else {
                let single = *oversize == Oversize::Alone && batch.real().graphs() == 1;
                assert!(single, "{name}: {} in {}", batch.real(), batch.shape());
                alone += 1;
            }
            assert!(
                has_shape(*shapes, *oversize == Oversize::Trim, batch),
                "{name}: {} in {}",
                batch.real(),
                batch.shape()
            );
        }
        // Two packs have room for some of the graphs that one has not.
        assert!(alone == loader.alone() || *packs > 1 && alone < loader.alone(), "{name}");
        match shapes {
            Shapes::One => assert_eq!(usual.len(), 1, "{name}"),
            Shapes::Few(shapes) => assert!(usual.len() <= usize::from(*shapes), "{name}"),
            _ => {}
        }
        let mut ids: Vec<i64> = found.iter().flat_map(|batch| batch.graph_ids().to_vec()).collect();
        ids.sort_unstable();
        assert_eq!(ids.len(), data.len() - loader.skipped(), "{name}");
        ids.dedup();
        assert_eq!(ids.len(), data.len() - loader.skipped(), "{name}");
    }
    false
}

#[test]
fn every_combination_is_refused_by_both_names_or_keeps_its_word() {
    let data = Arc::new(molecules::generate(5, 80));
    let (mut taken, mut refusals) = (0, 0);
    for (capacity, promise) in capacities(&data) {
        let groupings = [
            Grouping::Packed(Packer::Demand),
            plan(&data, ROOMY).into(),
            plan(&data, TIGHT).into(),
            Grouping::Window(4),
            Grouping::InOrder,
        ];
        for (number, grouping) in groupings.into_iter().enumerate() {
            let promise = match (number, capacity == Capacity::default()) {
                (1, true) => Promise::Limits(ROOMY),
                (2, true) => Promise::Limits(TIGHT),
                _ => promise,
            };
            for shapes in SHAPES {
                for oversize in OVERSIZE {
                    for packs in [1, 2] {
                        // The least padding alone, which this test computes for itself.
                        let options = Options::default().padding(Padding::Jraph).order(Order::Shuffled).workers(0);
                        let options = options.capacity(capacity.clone()).grouping(grouping.clone());
                        let options = options.shapes(shapes).oversize(oversize).packs(packs);
                        if matches!(grouping, Grouping::Plan(_)) && oversize == Oversize::Trim {
                            continue; // a plan of the graphs that fit is not one of those that are trimmed
                        }
                        if refused(&data, &options, promise) { refusals += 1 } else { taken += 1 }
                    }
                }
            }
        }
    }
    assert!(taken > 300 && refusals > 300, "{taken} taken, {refusals} refused");
}

/// The real rows of an array of a batch, column by column of an index.
fn real_bytes<'a>(batch: &'a Batch, name: &str) -> Vec<&'a [u8]> {
    let array = batch.layout().array(name).unwrap();
    let (bytes, element) = (&batch.bytes()[array.range()], array.dtype.bytes());
    match name {
        "edge_index" => bytes.chunks(bytes.len() / 2).map(|row| &row[..element * batch.real().edges()]).collect(),
        "ptr" => vec![&bytes[..element * (batch.real().graphs() + 1)]],
        _ => {
            let level = if ["x", "batch"].contains(&name) { Level::NODE } else { Level::EDGE };
            let level = if ["y", "graph_ids"].contains(&name) { Level::Graph } else { level };
            vec![&bytes[..array.row_bytes() * batch.real().rows(level)]]
        }
    }
}

#[test]
fn exact_shapes_have_no_padding_whatever_maps_and_errors_leave_out() {
    let kept = Data::from(molecules::generate(7, 60)).map("keep", |slot| {
        let (number, size) = (slot.number(), slot.size());
        match number % 5 {
            1 => Ok(slot.keep("edges", &vec![number % 2 == 0; size[1] as usize])?),
            3 => Ok(slot.keep("nodes", &(0..size[0]).map(|node| node != 0).collect::<Vec<_>>())?),
            4 if number > 30 => Err("no such graph".into()),
            _ => Ok(()),
        }
    });
    for padding in [Padding::SelfLoops, Padding::Beyond] {
        let options = Options::exactly(4).grouping(Grouping::InOrder).on_error(OnError::Skip).padding(padding);
        let [exact, padded] = [Shapes::Exact, Shapes::One].map(|shapes| {
            batches(Loader::new(kept.clone(), options.clone().shapes(shapes).workers(2)).unwrap().epoch(0))
        });
        assert_eq!(exact.len(), padded.len());
        for (exact, padded) in exact.iter().zip(&padded) {
            assert_eq!((exact.shape(), exact.real()), (padded.real(), padded.real()));
            assert_eq!(exact.bytes().len(), exact.layout().bytes());
            for name in ["x", "edge_attr", "y", "edge_index", "batch", "ptr", "graph_ids"] {
                assert_eq!(real_bytes(exact, name), real_bytes(padded, name), "{name}");
            }
            assert!(exact.get::<bool>("node_mask").unwrap().iter().all(|&is_real| is_real));
        }
        assert!(padded.iter().any(|batch| !batch.failed().is_empty()));
    }
}

/// What was once ignored in silence.
#[test]
fn limits_hold_beside_a_budget_of_nodes() {
    let options = Options::rows(&[("nodes", 300), ("edges", 150)], 1).grouping(Grouping::InOrder).shapes(Shapes::Exact);
    let loader = Loader::new(molecules::generate(7, 100), options).unwrap();
    let found = batches(loader.epoch(0));
    assert_eq!(found.len(), 100);
    assert!(found.iter().all(|batch| batch.real().edges() <= 150 && batch.real().graphs() == 1));
}

#[test]
fn a_shape_is_that_of_the_batch_however_many_packs_it_has() {
    for packs in [1, 2, 3] {
        for grouping in [Grouping::Packed(Packer::Demand), Grouping::Window(4), Grouping::InOrder] {
            let shape = Shape::new([513, 1124], 41);
            let options = Options::default().capacity(Capacity::shape(shape)).packs(packs).grouping(grouping);
            let loader = Loader::new(molecules::generate(7, 300), options).unwrap();
            assert_eq!(loader.shape(), Some(shape));
            assert_eq!(graph_ids(loader.epoch(0)).len(), 300);
        }
    }
}

#[test]
fn a_plan_and_other_limits_contradict_each_other_in_any_order() {
    let data = Arc::new(molecules::generate(7, 100));
    let (plan, limits) = (plan(&data, ROOMY), Limits { graphs: 5, ..ROOMY });
    let one = Options::default().capacity(limits).grouping(plan.clone());
    let other = Options::default().grouping(plan.clone()).capacity(limits);
    for options in [one, other] {
        let error = Loader::new(data.clone(), options).map(drop).unwrap_err().to_string();
        let expected = "grouping plan has limits (90, 200) with at most 6 graphs, the capacity is (90, 200) with at most 5 \
                        graphs";
        assert_eq!(error, expected);
    }
    let same = Options::default().capacity(ROOMY).grouping(plan);
    assert!(Loader::new(data, same).is_ok());
}

#[test]
fn a_setter_that_is_called_again_replaces_what_it_has_set() {
    let data = Arc::new(molecules::generate(7, 200));
    let ids = |options: Options| graph_ids(Loader::new(data.clone(), options).unwrap().epoch(0));
    let options = || Options::graphs(16).seed(3);
    let blocks = options().order(Order::Blocks(10));
    assert_ne!(ids(blocks.clone()), ids(options().order(Order::Shuffled)));
    assert_eq!(ids(blocks.order(Order::Shuffled)), ids(options().order(Order::Shuffled)));
    let batch = Loader::new(data.clone(), options().extra(["edge_ptr"]).extra(["edge_batch"])).unwrap();
    let batch = batches(batch.epoch(0)).remove(0);
    assert!(batch.get::<i64>("edge_batch").is_ok() && batch.get::<i64>("edge_ptr").is_err());
}

#[test]
fn the_order_of_setters_has_no_meaning() {
    let data = Arc::new(molecules::generate(7, 200));
    let setters: [fn(Options) -> Options; 6] = [
        |options| options.capacity(Capacity::graphs(16)),
        |options| options.grouping(Packer::Demand),
        |options| options.seed(8),
        |options| options.order(Order::Blocks(20)),
        |options| options.packs(2),
        |options| options.oversize(Oversize::Skip),
    ];
    let mut found = BTreeSet::new();
    for first in 0..setters.len() {
        for step in [1, 5] {
            let order = (0..setters.len()).map(|place| (first + place * step) % setters.len());
            let options = order.fold(Options::default(), |options, setter| setters[setter](options));
            let loader = Loader::new(data.clone(), options).unwrap();
            found.insert((graph_ids(loader.epoch(1)), serde_json::to_string(&loader.state(1).unwrap()).unwrap()));
        }
    }
    assert_eq!(found.len(), 1);
}

#[test]
fn a_number_of_graphs_counts_real_ones_and_a_batch_size_the_padding_graph() {
    let data = Arc::new(molecules::generate(7, 200));
    let exactly = Loader::new(data.clone(), Options::exactly(31)).unwrap();
    let largest = |set: usize| (0..200).map(|graph| data.size(graph).unwrap()[set] as usize).max().unwrap();
    let (nodes, edges) = (31 * largest(0), 31 * largest(1));
    let estimate = Options::default().grouping(Grouping::InOrder).capacity(Capacity::estimate(Estimate::Constant, 32));
    let estimate = Loader::new(data.clone(), estimate).unwrap();
    let [shape, estimated] = [&exactly, &estimate].map(|loader| loader.shape().unwrap());
    assert_eq!((shape.edges(), shape.graphs(), estimated.graphs()), (edges, 32, 32));
    assert!((nodes + 1..estimated.nodes()).contains(&shape.nodes()) && edges < estimated.edges());
    assert_eq!(graph_ids(exactly.epoch(0)), graph_ids(estimate.epoch(0)));
    assert_eq!(exactly.batches(0).unwrap(), 200_usize.div_ceil(31));
}

#[test]
fn contradictions_name_both_options() {
    let data = Arc::new(molecules::generate(7, 100));
    let weights = || Weights::new(&[1.0; 100]).unwrap();
    let in_order = || Options::default().grouping(Grouping::InOrder);
    let of_nodes = || Options::rows(&[("nodes", 300)], u32::MAX);
    let refused = [
        (in_order().shapes(Shapes::Few(3)), "shapes few(3) and grouping in_order"),
        (of_nodes(), "shapes one and capacity rows(nodes: 300, any graphs), which says nothing of edges and graphs,"),
        (
            Options::rows(&[("nodes", 300), ("edges", 700)], u32::MAX),
            "which says nothing of graphs, contradict each other: one shape has a number of rows for each set, and of graphs: give these, too, or a number of graphs alone, or pad batches to shapes exact, multiple or power_of_two",
        ),
        (Options::default().grouping(plan(&data, ROOMY)).weights(weights()), "weights and grouping plan"),
        (Options::default().grouping(plan(&data, ROOMY)).shapes(Shapes::Few(2)), "shapes few(2) and grouping plan"),
        (
            Options::exactly(8).capacity(ROOMY).shapes(Shapes::Multiple(64)).oversize(Oversize::Alone),
            "oversize alone and shapes multiple(64)",
        ),
        (Options::exactly(31).grouping(Packer::Demand), "capacity exactly(31) and grouping packed"),
        (Options::exactly(31).packs(2), "capacity exactly(31) and packs 2"),
        (Options::exactly(31).oversize(Oversize::Skip), "capacity exactly(31) and oversize skip"),
        (Options::graphs(9).weights(weights()).oversize(Oversize::Alone), "weights and oversize alone"),
        (Options::rows(&[("nodes", 9), ("nodes", 8)], 1), "capacity of 9 nodes and capacity of 8 nodes"),
        (
            in_order().capacity(Capacity::shape(SHAPE)).sized_for(data.clone()),
            "sized_for and capacity shape((111, 240) and 7 graphs)",
        ),
        (of_nodes().shapes(Shapes::Exact).sized_for(data.clone()), "sized_for and shapes exact"),
        (
            Options::graphs(4).shapes(Shapes::Few(2)).sized_for(data.clone()).oversize(Oversize::Alone),
            "oversize alone and shapes few(2)",
        ),
    ];
    for (options, names) in refused {
        let error = Loader::new(data.clone(), options).map(drop).unwrap_err().to_string();
        assert!(error.contains(names) && error.contains("contradict each other: "), "{error}");
    }
    for dtype in [Dtype::F64, Dtype::F32, Dtype::U8, Dtype::Bool] {
        let error = Loader::new(data.clone(), Options::graphs(4).index(dtype)).map(drop).unwrap_err().to_string();
        assert_eq!(error, format!("expected indices of int64 or int32, found {dtype}"));
    }
    let unknown = Options::rows(&[("atoms", 9)], 1);
    let error = Loader::new(data, unknown).map(drop).unwrap_err().to_string();
    assert_eq!(error, r#"there is no set "atoms"; there are ["nodes", "edges"]"#);
}
