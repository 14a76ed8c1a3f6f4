//! `oversize`: graphs that exceed the limits are batches of their own, or trimmed, so that batches have the number of
//! graphs that was asked for. `promises/every_graph_once.rs` has errors and skipping.

use graphpack_loader::{
    Batch, Capacity, Data, Grouping, Limits, Loader, Options, Order, Oversize, Packer, Shape, Shapes, Size,
};
use std::collections::BTreeMap;
use std::sync::Arc;
use test_common::{batches, store_of, test_data};

#[test]
fn oversize_graphs_can_be_batches_of_their_own() {
    let data = Arc::new(store_of(&[[3, 4], [50, 10], [9, 99], [2, 2], [16, 32]]));
    for grouping in [Grouping::Packed(Packer::Demand), Grouping::InOrder, Grouping::Window(2)] {
        let options = Options::default()
            .capacity(Limits::new([16, 32]))
            .grouping(grouping.clone())
            .order(Order::Shuffled)
            .seed(1);
        let loader = Loader::new(data.clone(), options.oversize(Oversize::Alone).workers(2)).unwrap();
        assert_eq!((loader.alone(), loader.skipped(), loader.shape()), (2, 0, None));
        let shapes = [(17, 32, 257), (59, 99, 2)].map(|(nodes, edges, graphs)| Shape::new([nodes, edges], graphs));
        // The graph of 50 nodes has 10 edges, none more than 11 per node: 89 padding edges are spread over 9 nodes.
        assert_eq!(loader.shapes(0).unwrap(), [(shapes[0], 2), (shapes[1], 2)]);
        for epoch in 0..4 {
            let all = batches(loader.epoch(epoch));
            assert_eq!(all.len(), loader.batches(epoch).unwrap());
            let mut ids: Vec<i64> = all.iter().flat_map(|batch| batch.graph_ids().to_vec()).collect();
            ids.sort_unstable();
            assert_eq!(ids, [0, 1, 2, 3, 4]);
            for batch in all {
                let large = batch.graph_ids().iter().any(|id| [1, 2].contains(id));
                assert_eq!(batch.shape(), shapes[usize::from(large)], "{grouping}");
                assert!(!large || batch.real().graphs() == 1);
            }
        }
        let first: Vec<_> = (0..20).map(|epoch| batches(loader.epoch(epoch))[0].real().nodes() > 16).collect();
        assert!(first.contains(&true) && first.contains(&false), "they come anywhere in the epoch");
    }
    let only = Loader::new(data, Options::default().capacity(Limits::new([1, 1])).oversize(Oversize::Alone)).unwrap();
    assert_eq!((only.alone(), batches(only.epoch(0)).len()), (5, 5));
}

/// Every graph of an epoch with its rows of `x`, by number.
fn rows(batches: &[Batch]) -> BTreeMap<i64, (Size, Vec<f32>)> {
    let graphs = batches.iter().flat_map(Batch::graphs);
    graphs.map(|graph| (graph.number(), (graph.size(), graph.rows::<f32>("x").unwrap().to_vec()))).collect()
}

#[test]
fn oversize_graphs_can_be_trimmed_to_the_limits() {
    let data = Arc::new(store_of(&[[3, 4], [50, 60], [9, 99], [2, 2], [16, 32]]));
    let packed = Options::default().capacity(Limits::new([16, 32])).grouping(Packer::Demand);
    let of_nodes = Options::rows(&[("nodes", 16)], u32::MAX).grouping(Grouping::InOrder).shapes(Shapes::Exact);
    for (options, limits) in [(packed.clone(), true), (packed.grouping(Grouping::InOrder), true), (of_nodes, false)] {
        let name = options.grouping.to_string();
        let options = options.order(Order::Shuffled).seed(1).oversize(Oversize::Trim).workers(2);
        let loader = Loader::new(data.clone(), options).unwrap();
        assert_eq!((loader.trimmed(), loader.skipped()), (if limits { 2 } else { 1 }, 0), "{name}");
        let [first, again, next] = [0, 0, 1].map(|epoch| rows(&batches(loader.epoch(epoch))));
        assert_eq!(first, again);
        assert_ne!(first[&1], next[&1], "other rows in every epoch");
        assert_eq!(first.keys().copied().collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
        let whole = rows(&batches(Loader::new(data.clone(), Options::default()).unwrap().epoch(0)));
        for (number, (size, x)) in &first {
            let (all, kept) = (whole[number].1.chunks(2), x.chunks(2).collect::<Vec<_>>());
            assert!(size[0] <= 16 && (!limits || size[1] <= 32), "{size}");
            // Rows stay in order, and only what exceeds the limits goes.
            assert_eq!(all.filter(|row| kept.contains(row)).collect::<Vec<_>>(), kept);
            assert_eq!(size[0], whole[number].0[0].min(16));
        }
        assert_eq!(first[&0], whole[&0]);
        assert_eq!(first[&2].0[1], if limits { 32 } else { 99 });
    }
}

#[test]
fn triplets_of_trimmed_graphs_are_those_of_their_edges() {
    let data = Data::from(store_of(&[[12, 80], [5, 10], [20, 70]])).triplets().unwrap();
    let limits = Limits::new([10, 40, 60]);
    let loader = Loader::new(data, Options::default().capacity(limits).oversize(Oversize::Trim)).unwrap();
    for batch in batches(loader.epoch(0)) {
        for graph in batch.graphs() {
            assert!(graph.size().fits(&limits.size), "{}", graph.size());
            let (edges, triplets) = (graph.index("edge_index").unwrap(), graph.index("triplet_index").unwrap());
            for (&first, &second) in triplets[0].iter().zip(&triplets[1]) {
                assert_eq!(edges[1][first as usize], edges[0][second as usize]);
            }
        }
    }
}

/// One large graph among small ones, in the middle.
fn with_one_large(small: u32, nodes: u32) -> Data {
    let sizes = (0..small).map(|graph| [10 + graph % 20, 20 + graph % 40]);
    let (before, after) = (sizes.clone().take(small as usize / 2), sizes.skip(small as usize / 2));
    store_of(&before.chain([[nodes, 2 * nodes]]).chain(after).collect::<Vec<_>>()).into()
}

#[test]
fn a_number_of_graphs_is_kept_or_the_loader_warns() {
    let data = with_one_large(600, 4000);
    let mean = |loader: &Loader| {
        let batches = batches(loader.epoch(0));
        batches.iter().map(|batch| batch.real().graphs()).sum::<usize>() as f64 / batches.len() as f64
    };
    for grouping in [Grouping::Packed(Packer::Demand), Grouping::InOrder, Grouping::Window(8)] {
        for capacity in [Capacity::graphs(16), Capacity::fullest(16)] {
            let options = Options::default().capacity(capacity).grouping(grouping.clone()).order(Order::Shuffled);
            let loader = Loader::new(&data, options.clone()).unwrap();
            let found = mean(&loader);
            let expected = format!(
                "16 graphs per batch were asked for, and batches have {found:.1}: they have room for graph 300, which has \
                 4000 nodes and 8000 edges; Oversize::Alone, Oversize::Skip or Oversize::Trim keeps the number that was \
                 asked for"
            );
            assert!(found > 80.0 && loader.warning().as_deref() == Some(&expected), "{found}, {:?}", loader.warning());
            assert!(loader.epoch(1).report().to_string().ends_with(&expected));
            for oversize in [Oversize::Alone, Oversize::Skip, Oversize::Trim] {
                let loader = Loader::new(&data, options.clone().oversize(oversize)).unwrap();
                let found = mean(&loader);
                assert!((12.0..=20.0).contains(&found), "{oversize}: {found} graphs");
                assert_eq!(loader.skipped() + loader.alone() + loader.trimmed(), 1);
                assert_eq!(loader.warning(), None);
            }
        }
    }
    // Of a plan the limits are given; few shapes have one for the large graph.
    let plan = Loader::new(&data, Options::graphs(16)).unwrap().plan().unwrap().clone();
    let few = Options::graphs(16).shapes(Shapes::Few(3));
    for options in [Options::default().grouping(plan), few, Options::exactly(16)] {
        assert_eq!(Loader::new(&data, options).unwrap().warning(), None);
    }
    // Splits of one shape: the large graph is in another.
    let small = data.subset((0..300).collect::<Vec<_>>()).unwrap();
    assert_eq!(Loader::new(&small, Options::graphs(16)).unwrap().warning(), None);
    let warning = Loader::new(&small, Options::graphs(16).sized_for(&data)).unwrap().warning().unwrap();
    assert!(warning.contains("graph 300, which has 4000 nodes"), "{warning}");
}

#[test]
fn few_graphs_make_no_warning() {
    // The large one is a sixth of them, and all of them are as many as were asked for and a quarter more.
    for (small, asked) in [(5, 4), (9, 128), (39, 32), (3, 1), (8, 4)] {
        let data = with_one_large(small, 60);
        let loader = Loader::new(&data, Options::graphs(asked)).unwrap();
        let found = batches(loader.epoch(0));
        let mean = f64::from(small + 1) / found.len() as f64;
        assert_eq!(loader.warning().is_some(), mean > 1.25 * f64::from(asked), "{small}, {asked}: {mean}");
    }
}

#[test]
fn of_real_sizes_a_small_number_of_graphs_is_kept_and_few_graphs_are_large() {
    let rows = std::fs::read_to_string(test_data().join("histograms/molhiv_all.hist.csv")).unwrap();
    let sizes = rows.lines().skip(1).flat_map(|row| {
        let row: Vec<u32> = row.split(',').map(|number| number.parse().unwrap()).collect();
        // A tenth of the graphs, and one of each size that is rare.
        vec![[row[0], row[1]]; row[2].div_ceil(10) as usize]
    });
    let data = Data::from(store_of(&sizes.collect::<Vec<_>>()));
    for asked in [1, 2, 4, 32] {
        let options = Options::graphs(asked).grouping(Packer::Demand);
        assert_eq!(Loader::new(&data, options.clone()).unwrap().warning().is_some(), asked < 8);
        let loader = Loader::new(&data, options.oversize(Oversize::Skip)).unwrap();
        let taken = data.len() - loader.skipped();
        let mean = taken as f64 / loader.batches(0).unwrap() as f64;
        assert!((0.8..=1.25).contains(&(mean / f64::from(asked))), "{mean} graphs of {asked}");
        assert!(loader.skipped() < data.len() / 50, "{} of {}", loader.skipped(), data.len());
    }
}
