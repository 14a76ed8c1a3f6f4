//! What batches hold: every array is that of a slow and obvious collation, for any schema and any options.

use graphpack_loader::{
    Capacity, Column, Dtype, Grouping, Level, Loader, Options, Order, Packer, Shape, Shapes, Store, Weights,
};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use std::collections::BTreeSet;
use std::sync::Arc;
use test_common::{PADDINGS, Shaped, assert_naive_in, batches, batchings, data_sets, least_padding, naive, of_packs};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn every_array_is_that_of_the_naive_collation(
        drawn in data_sets(), way in any::<Index>(), padding in select(&PADDINGS[..]), packs in 1..3_usize,
        seed in any::<Option<u64>>(), narrow in any::<bool>(), everything in any::<bool>(),
        chosen in any::<Option<u128>>(), workers in 0..3_usize,
    ) {
        let data = Arc::new(drawn.store());
        let schema = data.schema();
        let mut options = way.get(&batchings(&data)).clone().padding(padding).workers(workers);
        if of_packs(&options) {
            options = options.packs(packs);
        }
        if let Some(seed) = seed {
            options = options.order(Order::Shuffled).seed(seed);
        }
        if narrow {
            options = options.index(Dtype::I32);
        }
        // What batches carry: fields and indices that are asked for, arrays of nodes, edges and graphs, or everything.
        let names = schema.fields().iter().map(|field| &field.name);
        let names = names.chain(schema.indices().iter().map(|index| &index.name)).enumerate();
        let carried = names.filter(|(bit, _)| chosen.is_none_or(|chosen| chosen >> bit & 1 == 1));
        let mut carried: BTreeSet<String> = carried.map(|(_, name)| name.clone()).collect();
        if chosen.is_some() {
            options = options.fields(carried.clone());
        }
        let any_shape = schema.padded_shape(padding, &graphpack_loader::Limits::new(data.size(0).unwrap()), 1).unwrap();
        let all: BTreeSet<String> = naive(&data, &[], any_shape, padding).into_keys().collect();
        let own = |name: &String| schema.position(name).is_none() && schema.find_index(name).is_none();
        if everything {
            options = options.extra(all.iter().filter(|name| own(name)).cloned());
            carried.extend(all.iter().filter(|name| own(name)).cloned());
        } else {
            let usual = ["batch", "ptr", "graph_ids", "node_mask", "edge_mask", "graph_mask"].map(String::from);
            carried.extend(usual.into_iter().filter(|name| all.contains(name)));
        }

        let least = least_padding(&data, padding);
        let shaped = if options.capacity.to_string().starts_with("shape") { Shaped::Given(packs) } else { Shaped::Own };
        let is_exact = options.shapes == Shapes::Exact;
        let loader = Loader::new(data.clone(), options).unwrap();
        let mut seen = Vec::new();
        // Two epochs, so that batches are also made in memory that an earlier batch has filled.
        for epoch in 0..2 {
            for batch in loader.epoch(epoch) {
                let batch = batch.unwrap();
                let found: BTreeSet<String> = batch.layout().arrays().iter().map(|array| array.name.clone()).collect();
                prop_assert_eq!(&found, &carried);
                assert_naive_in(shaped, &batch, &data, padding);
                let (shape, real) = (batch.shape(), batch.real());
                let mut room = shape.sets().iter().zip(real.sets()).map(|(all, real)| all - real).zip(&least);
                if is_exact {
                    prop_assert_eq!(shape, real);
                } else {
                    prop_assert!(room.all(|(room, &least)| room >= least) && shape.graphs() > real.graphs());
                }
                let index = if narrow { Dtype::I32 } else { Dtype::I64 };
                let indices = batch.layout().arrays().iter().filter(|array| array.kind.is_index());
                prop_assert!(indices.clone().all(|array| array.dtype == index));
                for index in schema.indices().iter().filter(|index| carried.contains(&index.name)) {
                    let columns = if narrow {
                        batch.index::<i32>(&index.name).unwrap().len()
                    } else {
                        batch.index::<i64>(&index.name).unwrap().len()
                    };
                    prop_assert_eq!(columns, index.width());
                }
                seen.extend_from_slice(batch.graph_ids());
            }
        }
        seen.sort_unstable();
        prop_assert_eq!(seen, (0..data.len() as i64).flat_map(|graph| [graph; 2]).collect::<Vec<_>>());
        prop_assert_eq!(batches(loader.epoch(5)).len(), loader.batches(5).unwrap());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Where no plan, or none of these limits, says which graphs share a batch with padding: graphs drawn by weight,
    /// and packs in a given shape, of many rows of the last set.
    #[test]
    fn padding_rows_do_for_drawn_graphs_and_in_given_shapes(
        drawn in data_sets(), padding in select(&PADDINGS[..3]), given in any::<bool>(), way in 0..3_usize,
        packs in 1..3_usize, seed in any::<u64>(),
    ) {
        let data = Arc::new(drawn.store());
        let grouping = [Grouping::Packed(Packer::Demand), Grouping::Window(4), Grouping::InOrder][way].clone();
        let options = Options::graphs(4).grouping(grouping).padding(padding).order(Order::Shuffled).seed(seed).workers(0);
        let (options, shaped) = if given {
            let shape = Loader::new(data.clone(), options.clone().packs(4 * packs)).unwrap().shape().unwrap();
            let last = shape.sets().len() - 1;
            let rows = |set: usize| shape.sets()[set] * if set == last { 5 } else { 4 } / 4;
            let shape = Shape::of(last + 1, shape.graphs(), rows);
            (options.packs(packs).capacity(Capacity::shape(shape)), Shaped::Given(packs))
        } else {
            (options.packs(packs).weights(Weights::new(&vec![1.0; data.len()]).unwrap()), Shaped::Own)
        };
        let loader = Loader::new(data.clone(), options).unwrap();
        for batch in (0..3).flat_map(|epoch| loader.epoch(epoch)) {
            assert_naive_in(shaped, &batch.unwrap(), &data, padding);
        }
    }
}

#[test]
fn what_a_mask_says_is_missing_is_nan_where_asked() {
    let columns = vec![
        Column::new("y", Level::Graph, 2, vec![1.0_f32, 0.0, 0.0, 0.0, 3.0, 4.0]),
        Column::new("has_y", Level::Graph, 2, vec![true, false, false, false, true, true]),
        Column::new("forces", Level::NODE, 1, vec![1.0_f64, 2.0, 0.0, 0.0, 5.0]),
        Column::new("has_forces", Level::Graph, 1, vec![true, false, true]),
        Column::new("shifts", Level::NODE, 2, vec![1.0_f32, 0.0, 0.0, 4.0, 5.0, 6.0, 7.0, 8.0, 0.0, 0.0]),
        Column::new("has_shifts", Level::NODE, 2, vec![true, false, false, true, true, true, true, true, false, false]),
        Column::new("charge", Level::Graph, 1, vec![1_i64, 0, 2]),
        Column::new("has_charge", Level::Graph, 1, vec![true, false, true]),
        Column::new("volume", Level::Graph, 1, vec![1.0_f32; 3]),
    ];
    let data = Store::of_columns(vec![0, 2, 4, 5], vec![0; 4], [vec![], vec![]], columns).unwrap();
    let batch = |missing: f64, fields: &[&str]| {
        let options = Options::exactly(3).missing(missing);
        let options = if fields.is_empty() { options } else { options.fields(fields.iter().copied()) };
        batches(Loader::new(data.clone(), options).unwrap().epoch(0)).remove(0)
    };
    assert!(batch(0.0, &[]).get::<f32>("y").unwrap().iter().all(|y| !y.is_nan()));
    let nan = batch(f64::NAN, &[]);
    let (y, has) = (nan.get::<f32>("y").unwrap(), nan.get::<bool>("has_y").unwrap());
    assert_eq!(y.iter().map(|y| y == y).collect::<Vec<_>>(), has);
    assert_eq!((y.len() > 6, y[0], &y[4..6]), (true, 1.0, &[3.0, 4.0][..]));
    let forces = nan.get::<f64>("forces").unwrap();
    assert!(forces[2].is_nan() && forces[3].is_nan());
    // Padding nodes are what they are without.
    let others: Vec<f64> =
        forces.iter().copied().enumerate().filter(|(at, _)| ![2, 3].contains(at)).map(|of| of.1).collect();
    assert_eq!((&others[..3], others[3..].iter().any(|force| *force != 0.0)), (&[1.0, 2.0, 5.0][..], false));
    // Of a mask of each number, the numbers that it says.
    let (shifts, has) = (nan.get::<f32>("shifts").unwrap(), nan.get::<bool>("has_shifts").unwrap());
    assert_eq!(shifts[..10].iter().map(|shift| shift == shift).collect::<Vec<_>>(), has[..10]);
    assert!(shifts[10..].iter().all(|shift| *shift == 0.0));
    // There is no integer for it, and nothing without a mask is missing.
    assert_eq!(nan.get::<i64>("charge").unwrap()[..3], [1, 0, 2]);
    let warning = |options: Options| Loader::new(data.clone(), options).unwrap().warning();
    let told =
        "missing is NaN, which int64 \"charge\" cannot hold: graphs that lack it have 0, and has_NAME says which do";
    assert_eq!(warning(Options::exactly(3).missing(f64::NAN)).as_deref(), Some(told));
    assert_eq!(
        [warning(Options::exactly(3)), warning(Options::exactly(3).missing(f64::NAN).fields(["y"]))],
        [None, None]
    );
    assert!(nan.get::<f32>("volume").unwrap().iter().all(|volume| !volume.is_nan()));
    // A field comes with its mask.
    assert!(batch(-1.0, &["y"]).get::<bool>("has_y").is_ok() && batch(0.0, &["y"]).get::<bool>("has_y").is_err());
    assert!(batch(-1.0, &["shifts"]).get::<bool>("has_shifts").is_ok());
    assert_eq!(batch(-1.0, &["y"]).get::<f32>("y").unwrap()[..4], [1.0, -1.0, -1.0, -1.0]);
}
