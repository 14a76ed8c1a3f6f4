//! Plans for the histograms of `tests/data` have few packs, close to a proven bound.

use crate::common::histogram;
use crate::draw::Draw;
use graphpack_core::search::{self, Candidate};
use graphpack_core::stream::{Waiting, pack_in_window};
use graphpack_core::{Budget, Cost, Histogram, Limits, Packer};
use std::iter::repeat_n;

/// Histogram, limits that are not those of its largest graph, graphs per pack, and the most packs allowed. The
/// published packer needs 1 to 90 % more.
const TABLE: [(&str, [u32; 2], u32, u64); 4] = [
    ("pcqm4mv2_train.reconstructed.hist.csv.gz", [51, 118], 256, 951_078),
    ("pcqm4mv2_train.reconstructed.hist.csv.gz", [30, 62], 256, 1_602_301),
    ("ppa_train.synthetic.hist.csv.gz", [3_000, 54_000], 256, 6_583),
    ("molhiv_train.hist.csv", [1_024, 2_304], 64, 812),
];

#[test]
fn auto_needs_hardly_more_packs_than_the_bound() {
    for (file, limits, graphs, most) in TABLE {
        let limits = Limits::new(limits).graphs(graphs);
        let plan = Packer::Auto(Budget::default()).pack(&histogram(file), &limits).unwrap();
        assert!(plan.packs() <= most, "{file}, {limits}: {} packs, expected at most {most}", plan.packs());
        assert!(plan.gap() < 0.001, "{file}, {limits}: {} packs, bound {}", plan.packs(), plan.bound());
    }
}

#[test]
fn a_window_of_32_packs_is_close() {
    let cases = [
        ("molhiv_train.hist.csv", 3_790),
        ("molpcba_train.hist.csv", 30_850),
        ("code2_train.synthetic.hist.csv.gz", 1_600),
    ];
    for (file, most) in cases {
        let histogram = histogram(file);
        let repeated = histogram.entries().iter().flat_map(|&(size, graphs)| repeat_n(size, graphs as usize));
        let mut graphs: Vec<_> = repeated.map(|size| (size, ())).collect();
        let mut draw = Draw::new(0);
        (1..graphs.len()).for_each(|last| graphs.swap(last, draw.one(0..=last as u32) as usize));
        let (mut packs, mut memory) = (0, vec![Waiting::EMPTY; 32 * 256]);
        let limits = Limits::new(histogram.largest());
        pack_in_window(&mut graphs.into_iter(), &limits, 32, &mut memory, &mut |_| packs += 1);
        assert!(packs <= most, "{file}: {packs} packs, expected at most {most}");
    }
}

#[test]
fn the_optimum_of_the_paper_s_grid_is_found_again() {
    let histogram = histogram("pcqm4mv2_train.reconstructed.hist.csv.gz");
    // The paper's grid has 41 x 39 limits; a coarser one around the optimum is enough here.
    let grid = (26..36).flat_map(|nodes| (54..76).step_by(2).map(move |edges| Limits::new([nodes, edges])));
    let grid: Vec<_> = grid.map(|limits| Candidate::evaluate(&histogram, limits).unwrap()).collect();
    assert_eq!(search::smallest(&grid, 0.98, &Cost::ROWS).unwrap().limits, Limits::new([30, 62]));
    let rows = |candidate: &Candidate| Cost::ROWS.of(&candidate.limits);
    let front = search::pareto(&grid, &Cost::ROWS);
    assert!(front.is_sorted_by(|a, b| rows(a) <= rows(b) && a.score() < b.score()));
    let beats = |best: &Candidate, tried: &Candidate| rows(best) <= rows(tried) && best.score() >= tried.score();
    assert!(grid.iter().all(|tried| front.iter().any(|best| beats(best, tried))));
    let around: Vec<_> = search::around(&histogram, 16.0, 8)
        .into_iter()
        .map(|limits| Candidate::evaluate(&histogram, limits).unwrap())
        .collect();
    let best = search::fullest(&around, &histogram, 16.0).unwrap();
    assert!((14.4..17.6).contains(&best.graphs_per_step(&histogram)) && best.score() > 0.98, "{best:?}");
}

/// With one set this is sequence packing, for which best-fit decreasing is the classic algorithm.
#[test]
fn in_one_set_auto_beats_best_fit_decreasing() {
    let nodes = histogram("molpcba_train.hist.csv");
    let lengths = nodes.entries().iter().map(|(size, count)| (size[0], *count));
    let histogram = Histogram::from_counts(lengths.clone().map(|(length, count)| ([length], count))).unwrap();
    let limits = Limits::new([313]).graphs(u32::MAX);
    // Best-fit decreasing, where `with_room[r]` packs have room r.
    let mut with_room = vec![0_u64; 314];
    let mut packs = 0;
    let mut descending: Vec<_> = lengths.collect();
    descending.sort_by_key(|(length, _)| std::cmp::Reverse(*length));
    for (length, count) in descending {
        for _ in 0..count {
            let room = (length as usize..314).find(|&room| with_room[room] > 0);
            match room {
                Some(room) => with_room[room] -= 1,
                None => packs += 1,
            }
            with_room[room.unwrap_or(313) - length as usize] += 1;
        }
    }
    let plan = Packer::Auto(Budget::default()).pack(&histogram, &limits).unwrap();
    assert!(
        plan.packs() <= packs && plan.packs() <= plan.bound() + 1,
        "{} packs, best-fit decreasing {packs}, bound {}",
        plan.packs(),
        plan.bound()
    );
}
