//! Limits that a search does not pack would not have been chosen.

use crate::common::histogram;
use graphpack_core::search::{self, Candidate, Trials};
use graphpack_core::{Cost, Histogram, Limits};
use proptest::prelude::*;

/// Compares what is chosen of limits that matter with what is chosen of all; returns how many matter of how many.
fn check(histogram: &Histogram, grid: &[Limits]) -> [usize; 2] {
    let all: Vec<_> = grid.iter().map(|&limits| Candidate::evaluate(histogram, limits).unwrap()).collect();
    let best = Candidate::at_best(histogram, grid);
    assert!(all.iter().zip(&best).all(|(found, best)| found.packs >= best.packs && found.score() <= best.score()));
    let mut most = 0;
    let edges = Cost::rows([0, 7]);
    for (share, cost) in [0.5, 0.9, 0.98].into_iter().flat_map(|share| [(share, Cost::ROWS), (share, edges)]) {
        let some = Trials::for_pareto(histogram, grid, share, &cost).run().unwrap();
        assert_eq!(search::pareto(&some, &cost), search::pareto(&all, &cost));
        assert_eq!(search::smallest(&some, share, &cost), search::smallest(&all, share, &cost));
        most = most.max(some.len());
    }
    for graphs in [1.5, 4.0, 16.0] {
        let some = Trials::for_fullest(histogram, grid, graphs).run().unwrap();
        assert_eq!(search::fullest(&some, histogram, graphs), search::fullest(&all, histogram, graphs));
    }
    [most, all.len()]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(50))]

    #[test]
    fn a_search_chooses_what_it_would_choose_of_all(
        counts in proptest::collection::vec((proptest::array::uniform2(0..20_u32), 0..200_u64), 0..20),
        limits in proptest::collection::vec(proptest::array::uniform2(20..90_u32), 0..40),
        graphs in 1..40_u32,
    ) {
        let histogram = Histogram::from_counts(counts).unwrap();
        check(&histogram, &limits.into_iter().map(|size| Limits::new(size).graphs(graphs)).collect::<Vec<_>>());
    }
}

#[test]
fn of_a_grid_few_limits_are_packed() {
    for file in ["molfreesolv_all.hist.csv", "tu_enzymes.hist.csv", "qm9_bonds.hist.csv", "molsider_all.hist.csv"] {
        let histogram = histogram(file);
        let [nodes, edges] = histogram.largest().first();
        let along = |largest: u32| (0..8).map(move |step| largest + largest * step / 3);
        let grid: Vec<_> =
            along(nodes).flat_map(|nodes| along(edges).map(move |edges| Limits::new([nodes, edges]))).collect();
        let [packed, all] = check(&histogram, &grid);
        assert!(packed < all / 2, "{file}: {packed} of {all}");
    }
}
