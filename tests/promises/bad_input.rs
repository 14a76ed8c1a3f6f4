//! Promise 8: bad input gives an error that names file, line or graph, what was expected and what was found.
//!
//! Here: columns and options. Readers' files are in `loader/formats/tests/readers/`, stores in `tests/sources/`.

use graphpack_core::Limits;
use graphpack_loader::{
    Batching, BuildError, Capacity, Column, Level, Loader, LoaderBuilder, Oversize, Store, molecules,
};

#[test]
fn columns_that_do_not_belong_together_are_refused() {
    let x = |rows: usize| vec![Column::new("x", Level::NODE, 2, vec![0.0_f32; 2 * rows])];
    let message = |store: Result<Store, graphpack_loader::StoreError>| store.map(|_| ()).unwrap_err().to_string();
    let edges = || [vec![0_i64], vec![1]];
    assert_eq!(message(Store::new(vec![0, 2], vec![0, 1], edges(), x(3))), "column \"x\" has 3 rows, expected 2");
    assert_eq!(
        message(Store::new(vec![0, 2, 1], vec![0, 1, 1], edges(), x(1))),
        "node_ptr goes from 2 to 1 at graph 1"
    );
    assert_eq!(message(Store::new(vec![0, 2], vec![0, 1, 1], edges(), x(2))), "node_ptr has 2 entries, edge_ptr 3");
    assert_eq!(message(Store::new(vec![], vec![], edges(), x(2))), "node_ptr must start with 0, found None");
    let error = message(Store::new(vec![0, 1], vec![0, 1], edges(), x(1)));
    assert_eq!(error, "entry 0 in column 1 of \"edge_index\" of graph 0 is 1, but the graph has 1 nodes");
    let own = vec![Column::new("batch", Level::Graph, 1, vec![1_i64])];
    assert_eq!(
        message(Store::new(vec![0, 2], vec![0, 1], edges(), own)),
        "field name \"batch\" is reserved for the batch itself or its file"
    );
}

#[test]
fn options_of_zero_are_refused() {
    let data = std::sync::Arc::new(molecules::generate(1, 3));
    let error = Loader::new(data.clone()).packs_per_batch(0).build().map(|_| ()).unwrap_err();
    assert_eq!(error.to_string(), "packs_per_batch must be at least 1");
    let error = Loader::new(data.clone()).batch_graphs(0).build().map(|_| ()).unwrap_err();
    assert_eq!(error.to_string(), "graphs per batch must be at least 1");
    let error = Loader::new(data.clone()).limits(Limits::new([0, 9])).build().map(|_| ()).unwrap_err();
    assert!(matches!(error, BuildError::Limits { .. }), "{error}");
    let huge = Loader::new(data).limits(Limits::new([u32::MAX, u32::MAX])).packs_per_batch(usize::MAX).build();
    assert!(matches!(huge, Err(BuildError::TooLarge { .. })));
    let none = Store::new(vec![0], vec![0], [vec![], vec![]], vec![]).unwrap();
    assert!(matches!(Loader::new(none).build(), Err(BuildError::Empty)));
}

#[test]
fn options_that_do_not_go_together_are_refused() {
    let data = std::sync::Arc::new(molecules::generate(1, 3));
    let error = |options: LoaderBuilder<_>| options.build().map(|_| ()).unwrap_err().to_string();
    let fixed = || Loader::new(data.clone()).batching(Batching::Static64);
    assert_eq!(error(fixed().packs_per_batch(2)), "packs_per_batch has no meaning for static-64 batching");
    assert_eq!(error(fixed().oversize(Oversize::Skip)), "oversize has no meaning for static-64 batching");
    assert_eq!(
        error(fixed().limits(Limits::new([9, 9]))),
        "a capacity of limits has no meaning for static-64 batching"
    );
    assert_eq!(error(fixed().capacity(Capacity::Tight { batch_size: 1 })), "graphs per batch must be at least 1");
    let dynamic = |capacity| error(Loader::new(data.clone()).batching(Batching::Dynamic).capacity(capacity));
    assert_eq!(
        dynamic(Capacity::Percentile { batch_size: 4, share: 1.5 }),
        "the share of batches that fit must be above 0 and at most 1, found 1.5"
    );
    assert_eq!(
        dynamic(Capacity::Dynamic { batch_size: u32::MAX }),
        "Dynamic { batch_size: 4294967295 } asks for a shape of more than 4294967295 nodes or edges"
    );
    let budget = Batching::NodeBudget { nodes: 2 };
    let message = error(Loader::new(data.clone()).batching(budget));
    assert!(message.contains("the limits are 2 nodes"), "{message}");
}
