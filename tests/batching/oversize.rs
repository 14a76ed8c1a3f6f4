//! `oversize`: graphs that exceed the limits are batches of their own. `promises/every_graph_once.rs` has errors and
//! skipping.

use graphpack_core::{Limits, Packer};
use graphpack_loader::{Batching, Loader, Oversize, Shape};
use std::sync::Arc;
use test_common::{batches, store_of};

#[test]
fn oversize_graphs_can_be_batches_of_their_own() {
    let data = Arc::new(store_of(&[[3, 4], [50, 10], [9, 99], [2, 2], [16, 32]]));
    for batching in [Batching::Packed(Packer::Demand), Batching::Dynamic, Batching::Window { open: 2 }] {
        let options = Loader::new(data.clone()).limits(Limits::new([16, 32])).batching(batching).shuffle(1);
        let loader = options.oversize(Oversize::Alone).workers(2).build().unwrap();
        assert_eq!((loader.alone(), loader.skipped(), loader.shape()), (2, 0, None));
        let shapes = [(17, 32, 257), (51, 99, 2)].map(|(nodes, edges, graphs)| Shape::new([nodes, edges], graphs));
        assert_eq!(loader.shapes(0).unwrap(), [(shapes[0], 2), (shapes[1], 2)]);
        for epoch in 0..4 {
            let all = batches(loader.epoch(epoch));
            assert_eq!(all.len(), loader.batches(epoch));
            let mut ids: Vec<i64> = all.iter().flat_map(|batch| batch.graph_ids().to_vec()).collect();
            ids.sort_unstable();
            assert_eq!(ids, [0, 1, 2, 3, 4]);
            for batch in all {
                let large = batch.graph_ids().iter().any(|id| [1, 2].contains(id));
                assert_eq!(batch.shape(), shapes[usize::from(large)], "{batching}");
                assert!(!large || batch.real().graphs() == 1);
            }
        }
        let first: Vec<_> = (0..20).map(|epoch| batches(loader.epoch(epoch))[0].real().nodes() > 16).collect();
        assert!(first.contains(&true) && first.contains(&false), "they come anywhere in the epoch");
    }
    let only = Loader::new(data).limits(Limits::new([1, 1])).oversize(Oversize::Alone).build().unwrap();
    assert_eq!((only.alone(), batches(only.epoch(0)).len()), (5, 5));
}
