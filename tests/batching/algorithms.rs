//! Grouping, capacity and shapes: which graphs share a batch, its shape, and what is known before the epoch.

use graphpack_core::{LeastPadding, Limits, Rounding, Size};
use graphpack_loader::{
    Capacity, Estimate, Grouping, Loader, MAX_SETS, Options, Order, Oversize, Packer, Padding, Shape, Shapes, molecules,
};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use std::sync::Arc;
use test_common::{PADDINGS, assert_naive, batches, data_sets, graph_ids, least_padding, sizes, store_of};

/// Returns the graphs of each batch, in order.
fn contents(sizes: &[[u32; 2]], options: Options) -> Vec<Vec<i64>> {
    let options = options.grouping(Grouping::InOrder).padding(Padding::Jraph); // these are the batches of other libraries
    let loader = Loader::new(store_of(sizes), options).unwrap();
    batches(loader.epoch(0)).iter().map(|batch| batch.graph_ids().to_vec()).collect()
}

#[test]
fn a_budget_of_nodes_doubles_no_graph_and_has_no_empty_batch() {
    // On these two, PyTorch Geometric's sampler doubles a graph and ends in empty batches.
    let nodes = |nodes: [u32; 5]| nodes.map(|nodes| [nodes, 0]);
    let of_nodes = |graphs| Options::rows(&[("nodes", 10)], graphs).shapes(Shapes::Exact);
    let run = |sizes: &[[u32; 2]]| contents(sizes, of_nodes(u32::MAX).oversize(Oversize::Skip));
    assert_eq!(run(&nodes([99, 3, 4, 5, 6])), [vec![1, 2], vec![3], vec![4]]);
    assert_eq!(run(&nodes([3, 4, 5, 6, 99])), [vec![0, 1], vec![2], vec![3]]);
    let found = contents(&nodes([99, 3, 4, 5, 6]), of_nodes(2).oversize(Oversize::Alone));
    assert_eq!(found, [vec![0], vec![1, 2], vec![3], vec![4]]);
}

#[test]
fn the_target_is_the_shape_whatever_the_padding() {
    for padding in [Padding::SelfLoops, Padding::TwoNodes] {
        let data = molecules::generate(1, 300);
        let target = Capacity::shape(Shape::new([1024, 2304], 32));
        let loader =
            Loader::new(data, Options::default().grouping(Grouping::InOrder).capacity(target).padding(padding))
                .unwrap();
        assert_eq!(loader.shape(), Some(Shape::new([1024, 2304], 32)));
        assert!(batches(loader.epoch(0)).iter().all(|batch| batch.real().graphs() <= 31));
    }
}

#[test]
fn a_percentile_is_met_by_that_share_of_batches() {
    let data = Arc::new(molecules::generate(2, 8000));
    let met = |share: f64| {
        let capacity = Capacity::estimate(Estimate::Percentile(share), 33);
        let options = Options::default().grouping(Grouping::InOrder).capacity(capacity).order(Order::Shuffled).seed(1);
        let loader = Loader::new(data.clone(), options).unwrap();
        let batches = batches(loader.epoch(0));
        let full = batches.iter().filter(|batch| batch.real().graphs() == 32).count();
        (full as f64 / batches.len() as f64, loader.shape().unwrap())
    };
    let (most, large) = met(0.99);
    let (some, small) = met(0.6);
    // The shape was chosen by other random batches than these 250: hence a tolerance of 0.1.
    assert!(most > 0.95 && (0.5..0.7).contains(&some), "{most} of the batches are complete, then {some}");
    assert!(small.nodes() < large.nodes() && small.edges() < large.edges());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn batches_are_what_the_algorithm_says(
        drawn in data_sets(), graphs in 1..9_u32, seed in any::<Option<u64>>(), of in any::<Index>(),
        budget in 12..40_u32, padding in select(PADDINGS.to_vec()),
    ) {
        let data = Arc::new(drawn.store());
        let sets = data.schema().sets();
        let (set, rows) = (of.index(sets.len()), budget);
        let static_64 = Options::exactly(graphs).shapes(Shapes::Multiple(64));
        let static_pow2 = Options::exactly(graphs).shapes(Shapes::PowerOfTwo);
        let of_rows = |graphs| {
            let options = Options::rows(&[(&sets[set], rows)], graphs);
            options.grouping(Grouping::InOrder).shapes(Shapes::Exact)
        };
        let or_rows = of_rows(graphs).oversize(Oversize::Alone);
        let ways = [
            (static_64, Rounding::Multiple(64), Some(graphs), None),
            (static_pow2, Rounding::PowerOfTwo, Some(graphs), None),
            (of_rows(u32::MAX), Rounding::Multiple(1), None, Some(set)),
            (or_rows, Rounding::Multiple(1), None, Some(set)),
        ];
        let padded = least_padding(&data, padding);
        let least = LeastPadding { size: Size::of(padded.len(), |set| padded[set] as u32), graphs: 1 };
        for (options, rounding, fixed, set) in ways {
            let name = format!("{} {}", options.capacity, options.shapes);
            let alone = options.oversize == Oversize::Alone;
            let mut options = options.padding(padding);
            let is_exact = options.shapes == Shapes::Exact;
            let (least, graphs_of_padding) = if is_exact { (LeastPadding::NONE, 0) } else { (least, 1) };
            if let Some(seed) = seed {
                options = options.order(Order::Shuffled).seed(seed);
            }
            // A larger graph is a batch of its own, or an error.
            let largest = set.and_then(|set| (0..data.len()).map(|graph| data.size(graph).unwrap()[set]).max());
            if largest.is_some_and(|largest| largest > rows) && !alone {
                let refused = Loader::new(data.clone(), options).is_err_and(|error| error.graph().is_some());
                prop_assert!(refused);
                continue;
            }
            let loader = Loader::new(data.clone(), options).unwrap();
            prop_assert_eq!(loader.shape(), None);
            let mut epoch = loader.epoch(3);
            let batches: Vec<_> = epoch.by_ref().collect::<Result<_, _>>().unwrap();
            prop_assert_eq!(batches.len(), loader.batches(3).unwrap());
            prop_assert_eq!(epoch.report().shapes(), loader.shapes(3).unwrap());
            let mut seen = Vec::new();
            for (step, batch) in batches.iter().enumerate() {
                let ids = batch.graph_ids();
                let size = |graph: i64| data.size(graph as usize).unwrap().first::<MAX_SETS>().map(u64::from);
                let sum = ids.iter().fold([0; MAX_SETS], |mut sum, &id| {
                    sum.iter_mut().zip(size(id)).for_each(|(sum, rows)| *sum += rows);
                    sum
                });
                let most = fixed.map_or(ids.len(), |graphs| graphs as usize) + graphs_of_padding;
                let wanted = rounding.shape(&sum, 0, &least).unwrap().size.first::<MAX_SETS>().map(|rows| rows as usize);
                let (shape, real) = (batch.shape(), batch.real());
                assert_naive(batch, &data, padding);
                prop_assert_eq!(shape.graphs(), most);
                for (&found, wanted) in shape.sets().iter().zip(wanted) {
                    // Rows that keep degrees low are rounded, too.
                    let rounded = rounding.shape(&[found as u64], 0, &LeastPadding::NONE).unwrap();
                    let more = padding != Padding::Jraph && found > wanted && rounded.size[0] as usize == found;
                    prop_assert!(found == wanted || more, "{found} rows, {wanted} and padding");
                }
                prop_assert!(real.sets().iter().zip(sum).all(|(&real, sum)| real as u64 == sum));
                // The next graph would not have fitted.
                if let Some(next) = batches.get(step + 1).map(|next| size(next.graph_ids()[0])) {
                    let exceeds = |set: usize| sum[set] + next[set] > u64::from(rows);
                    let counted = ids.len() == graphs as usize;
                    let full = match set {
                        Some(set) if alone => counted || exceeds(set),
                        Some(set) => exceeds(set),
                        None => counted,
                    };
                    prop_assert!(full, "{name}: {ids:?} has room for {next:?}");
                }
                seen.extend_from_slice(ids);
            }
            seen.sort_unstable();
            prop_assert_eq!(seen, (0..data.len() as i64).collect::<Vec<_>>());
        }
    }

    #[test]
    fn dynamic_batches_are_those_of_a_slow_loop(sizes in sizes()) {
        // jraph: usable are nodes - 1, edges and graphs - 1; next-fit in the order given.
        let limits = Limits::new([14, 23]).graphs(4);
        let mut expected: Vec<Vec<i64>> = vec![vec![]];
        let mut held = [0, 0];
        for (graph, size) in sizes.iter().enumerate() {
            let last = expected.len() - 1;
            let full = expected[last].len() == 4 || (0..2).any(|k| held[k] + size[k] > limits.size[k]);
            if full {
                expected.push(vec![graph as i64]);
                held = *size;
            } else {
                expected[last].push(graph as i64);
                held = [held[0] + size[0], held[1] + size[1]];
            }
        }
        let shape = Capacity::shape(Shape::new([15, 23], 5));
        prop_assert_eq!(contents(&sizes, Options::default().capacity(shape)), expected);
    }
}

#[test]
fn an_incomplete_last_batch_is_dropped_where_that_is_asked_for() {
    let data = Arc::new(molecules::generate(1, 305));
    let ways = [
        Options::exactly(10),
        Options::exactly(10).shapes(Shapes::Multiple(64)),
        Options::default().capacity(Limits::new([256, 640])).grouping(Grouping::InOrder),
        Options::rows(&[("nodes", 200)], u32::MAX).grouping(Grouping::InOrder).shapes(Shapes::Exact),
        Options::graphs(10).grouping(Packer::Demand).packs(4),
    ];
    for options in ways {
        let (name, exactly) = (options.capacity.to_string(), options.capacity == Capacity::exactly(10));
        let options = options.order(Order::Shuffled).seed(3);
        let (all, whole) = (
            Loader::new(data.clone(), options.clone()).unwrap(),
            Loader::new(data.clone(), options.drop_last(true)).unwrap(),
        );
        let [all_ids, ids] = [&all, &whole].map(|loader| graph_ids(loader.epoch(0)));
        assert_eq!(whole.batches(0).unwrap(), batches(whole.epoch(0)).len());
        assert!(whole.batches(0).unwrap() + 1 == all.batches(0).unwrap() || ids == all_ids, "{name}");
        assert!(all_ids.starts_with(&ids), "{name}");
        if exactly {
            assert_eq!(ids.len(), 300);
        }
        let error = whole.resume(&all.state(0).unwrap()).map(drop).unwrap_err().to_string();
        assert_eq!(error, "the state was saved with another drop_last: expected true, found false");
    }
}
