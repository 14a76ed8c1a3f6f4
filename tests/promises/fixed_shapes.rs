//! Promise 2: every batch has the same shape, padded as jraph pads; padding edges touch padding nodes only.

use graphpack_loader::schema::PaddingValue;
use graphpack_loader::{Column, Grouping, Level, Limits, Loader, Options, Order, Padding, Shape, Size, Store};
use proptest::prelude::*;
use proptest::sample::select;
use std::sync::Arc;
use test_common::{PADDINGS, assert_naive, batches, data_sets, least_padding, store_of};

#[test]
fn the_example_of_the_docs() {
    let loader =
        Loader::new(store_of(&[[3, 4], [1, 0]]), Options::default().capacity(Limits::new([5, 5]).graphs(3))).unwrap();
    let batch = &batches(loader.epoch(0))[0];
    assert_eq!(batch.shape(), Shape::new([6, 5], 4));
    let ids = batch.graph_ids().to_vec();
    assert_eq!(ids.len(), 2);
    let expected = if ids == [0, 1] { [0, 3, 4, 6, 6] } else { [0, 1, 4, 6, 6] };
    assert_eq!(batch.ptr::<i64>().unwrap(), expected);
    assert_eq!(batch.batch::<i64>().unwrap()[4..], [2, 2]);
    assert_eq!((batch.edge_index::<i64>().unwrap().0[4], batch.edge_index::<i64>().unwrap().1[4]), (4, 4));
    assert_eq!(batch.get::<i64>("graph_ids").unwrap()[2..], [-1, -1]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn padding_is_apart_from_all_that_is_real(
        drawn in data_sets(), packs in 1..3_usize,
        padding in select(PADDINGS.to_vec()),
    ) {
        let store = Arc::new(drawn.store());
        let sizes = store.sizes();
        let rows = sizes.fold(Size::of(store.schema().sets().len(), |_| 1), |most, size| most.max_each(&size));
        let options = Options::default().capacity(Limits { size: rows, graphs: 5 }).packs(packs);
        let loader = Loader::new(store.clone(), options.padding(padding).order(Order::Shuffled).seed(1)).unwrap();
        let least = least_padding(&store, padding);
        let expected = least.iter().zip(rows.as_slice()).map(|(least, &rows)| rows as usize * packs + least);
        let expected: Vec<_> = expected.collect();
        // Two epochs, so that batches are also made in memory that an earlier batch has filled.
        for batch in (0..2).flat_map(|epoch| batches(loader.epoch(epoch))) {
            let (shape, real) = (batch.shape(), batch.real());
            prop_assert_eq!(shape.graphs(), 5 * packs + 1);
            // Beyond the least, there are the padding rows that keep degrees low.
            let enough = shape.sets().iter().zip(&expected).all(|(found, expected)| found >= expected);
            prop_assert!(if padding == Padding::Jraph { shape.sets() == expected } else { enough }, "{shape} of {expected:?}");
            assert_naive(&batch, &store, padding);
            for index in store.schema().indices() {
                for (column, &target) in batch.index::<i64>(&index.name).unwrap().iter().zip(&index.targets) {
                    let (entries, padded) = column.split_at(real.rows(index.level));
                    let [first, end] = [real, shape].map(|shape| shape.sets()[usize::from(target)] as i64);
                    prop_assert!(entries.iter().all(|row| (0..first).contains(row)), "{entries:?}");
                    prop_assert!(padded.iter().all(|row| (first..end).contains(row)), "{padded:?}");
                }
            }
        }
    }
}

#[test]
fn a_fixed_number_of_graphs_has_one_shape() {
    let data = store_of(&[[5, 6], [1, 0], [7, 9], [2, 2], [3, 3]]);
    let loader = Loader::new(data, Options::exactly(2)).unwrap();
    assert_eq!(loader.shape(), Some(Shape::new([15, 18], 3)));
    assert_eq!(batches(loader.epoch(0)).iter().map(|batch| batch.real().graphs()).collect::<Vec<_>>(), [2, 2, 1]);
    // Any 63 graphs fit, too, beside three padding rows.
    let single = store_of(&[[1, 0]; 126]);
    let loader = Loader::new(single, Options::exactly(63).padding(Padding::Beyond)).unwrap();
    assert_eq!(batches(loader.epoch(0)).iter().map(|batch| batch.real().graphs()).collect::<Vec<_>>(), [63, 63]);
}

#[test]
fn padding_edges_between_two_nodes_are_beyond_cutoffs() {
    let pos = Column::new("pos", Level::NODE, 3, vec![0.5_f32, 0.5, 0.5]);
    let columns = vec![pos.padded(PaddingValue::Positions)];
    let store = Store::of_columns(vec![0, 1], vec![0, 0], [vec![], vec![]], columns).unwrap();
    let loader =
        Loader::new(store, Options::default().capacity(Limits::new([3, 2])).padding(Padding::TwoNodes)).unwrap();
    let batch = &batches(loader.epoch(0))[0];
    let expected = [[0.5, 0.5, 0.5], [0.0; 3], [100.0, 0.0, 0.0], [0.0; 3], [100.0, 0.0, 0.0]].concat();
    assert_eq!(batch.get::<f32>("pos").unwrap(), expected);
    assert_eq!(
        (batch.edge_index::<i64>().unwrap().0, batch.edge_index::<i64>().unwrap().1),
        (&[1, 2][..], &[2, 1][..])
    );
}

#[test]
fn streamed_batches_are_fuller_with_more_open_packs() {
    let data = Arc::new(graphpack_loader::molecules::generate(1, 3000));
    let fill = |grouping: Grouping| {
        let options =
            Options::default().capacity(Limits::new([512, 1152])).grouping(grouping).order(Order::Shuffled).seed(1);
        // How full they are beside the rows that keep degrees of padding low.
        let loader = Loader::new(data.clone(), options.padding(Padding::Jraph)).unwrap();
        let mut epoch = loader.epoch(0);
        epoch.by_ref().for_each(|batch| assert_eq!(Some(batch.unwrap().shape()), loader.shape()));
        epoch.stats().filled()[0]
    };
    let [dynamic, window] = [Grouping::InOrder, Grouping::Window(16)].map(fill);
    assert!(window > dynamic + 0.02 && window > 0.95, "window fills {window}, dynamic {dynamic}");
}

#[test]
fn limits_follow_from_the_number_of_graphs() {
    let sizes = [[10, 20], [20, 60], [30, 40]];
    let loader = Loader::new(store_of(&sizes.repeat(8)), Options::graphs(8)).unwrap();
    // Mean (20, 40) times 8, rounded up to a multiple of 64.
    assert_eq!(*loader.plan().unwrap().limits(), Limits::new([192, 320]).graphs(10));
    // No batch can have more than all three.
    let loader = Loader::new(store_of(&sizes), Options::graphs(128)).unwrap();
    assert_eq!(*loader.plan().unwrap().limits(), Limits::new([64, 128]).graphs(4));
    let loader = Loader::new(store_of(&[[10, 20], [200, 600]]), Options::graphs(1)).unwrap();
    // Never below the largest graph, and no more than a quarter above; on average two graphs fit then, and one more
    // may.
    assert_eq!(*loader.plan().unwrap().limits(), Limits::new([224, 640]).graphs(3));
}

#[test]
fn no_field_that_models_divide_by_is_degenerate_in_padding() {
    let columns = vec![
        Column::new("box", Level::Graph, 9, vec![2.0_f64; 9]).padded(PaddingValue::Cell),
        Column::new("length", Level::EDGE, 1, vec![3.0_f32]).padded(PaddingValue::Length),
        // A name alone means nothing.
        Column::new("cell", Level::Graph, 9, vec![2.0_f64; 9]),
        Column::new("distance", Level::EDGE, 1, vec![3.0_f32]),
        Column::new("pos", Level::NODE, 1, vec![3.0_f32, 3.0]),
    ];
    let store = Arc::new(Store::of_columns(vec![0, 2], vec![0, 1], [vec![0], vec![1]], columns).unwrap());
    for padding in PADDINGS {
        let options = Options::default().capacity(Limits::new([3, 2]).graphs(1)).padding(padding);
        let batch = &batches(Loader::new(store.clone(), options).unwrap().epoch(0))[0];
        let one = f32::from(u8::from(padding != Padding::Jraph));
        assert_eq!(batch.get::<f32>("length").unwrap(), [3.0, 100.0 * one]);
        let cell = &batch.get::<f64>("box").unwrap()[9..];
        assert_eq!(cell, [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0].map(|of| of * f64::from(one)));
        assert_eq!(batch.get::<f64>("cell").unwrap()[9..], [0.0; 9]);
        assert_eq!(batch.get::<f32>("distance").unwrap(), [3.0, 0.0]);
        assert!(batch.get::<f32>("pos").unwrap()[2..].iter().all(|&x| x == 0.0));
    }
}
