//! `shuffle_blocks`: an order that reads the data set block by block.

use graphpack_core::Packer;
use graphpack_loader::{Grouping, Loader, Options, Order, molecules};
use std::collections::HashSet;
use std::sync::Arc;
use test_common::graph_ids;

#[test]
fn blocks_are_shuffled_so_that_neighbours_stay_near() {
    let data = Arc::new(molecules::generate(1, 4000));
    for grouping in [Grouping::Packed(Packer::Demand), Grouping::Window(8)] {
        let options = Options::graphs(16).grouping(grouping.clone());
        let loader = Loader::new(data.clone(), options.order(Order::Blocks(50)).seed(4)).unwrap();
        let ids = graph_ids(loader.epoch(0));
        let mut sorted = ids.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..4000).collect::<Vec<_>>());
        assert_ne!(ids, graph_ids(loader.epoch(1)));
        // Graphs near each other come from few blocks; in a full shuffle 400 in a row would come from all 80.
        let blocks = |ids: &[i64]| ids.iter().map(|id| id / 50).collect::<HashSet<_>>().len();
        let mean = ids.chunks(400).map(blocks).sum::<usize>() as f64 / 10.0;
        // A plan takes the next graph of the size that it needs, so rare sizes come early.
        let most = if matches!(grouping, Grouping::Packed(_)) { 68.0 } else { 30.0 };
        assert!(mean <= most, "{grouping}: {mean} blocks in 400 graphs");
    }
}
