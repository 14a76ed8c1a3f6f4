//! What composing the packs of a plan again keeps, and how alike packs become.

use graphpack_core::{Budget, Composition, Heuristic, Histogram, Limits, Packer, Plan, Recomposer};
use proptest::prelude::*;
use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg32;

/// Weights of sets, and the most that a pack may have of the weighted sum.
type Sum = ([i64; 8], i128);

fn recompose(recomposer: &Recomposer, seed: u64) -> Composition {
    recompose_within(recomposer, &[], seed)
}

fn recompose_within(recomposer: &Recomposer, sums: &[Sum], seed: u64) -> Composition {
    let mut random = Pcg32::seed_from_u64(seed);
    recomposer.recompose_within(sums, &mut |list| {
        for last in (1..list.len()).rev() {
            list.swap(last, random.next_u32() as usize % (last + 1));
        }
    })
}

/// The sums of each pack, after checking that the packs hold the graphs of the plan, and as many packs keep the limits
/// and the weighted sums.
fn checked<const K: usize>(
    plan: &Plan,
    recomposer: &Recomposer,
    sums: &[Sum],
    packs: &Composition,
) -> Vec<([u64; K], usize)> {
    assert_eq!(packs.packs() as u64, plan.packs());
    let sizes = |pack: &[u32]| pack.iter().map(|&graph| recomposer.sizes()[graph as usize]).collect::<Vec<_>>();
    assert_eq!(Histogram::from_sizes(packs.iter().flat_map(sizes)).unwrap(), plan.histogram(), "each graph once");
    let sum = |pack: &[u32]| {
        let sum = sizes(pack).iter().fold([0; K], |sum, size| std::array::from_fn(|k| sum[k] + u64::from(size[k])));
        assert!(
            sum.iter().zip(plan.limits().size.as_slice()).all(|(&sum, &limit)| sum <= limit.into()),
            "{sum:?} in one pack"
        );
        assert!((1..=plan.limits().graphs as usize).contains(&pack.len()), "{} graphs in one pack", pack.len());
        for (weights, most) in sums {
            let found: i128 = (0..K).map(|k| i128::from(weights[k]) * i128::from(sum[k])).sum();
            assert!(found <= recomposer.most(weights).max(*most), "{found} of {weights:?} in one pack");
        }
        (sum, pack.len())
    };
    packs.iter().map(sum).collect()
}

fn check<const K: usize>(counts: &[([u32; K], u64)], limits: &Limits, seed: u64) {
    let histogram = Histogram::from_counts(counts.iter().copied()).unwrap();
    let auto = Packer::Auto(Budget::steps(1_000_000));
    for packer in [auto, Packer::BestFit(Heuristic::Sum), Packer::Published(Heuristic::Product)] {
        let plan = packer.pack(&histogram, limits).unwrap();
        let recomposer = Recomposer::new(&plan).unwrap();
        for seed in seed..seed.saturating_add(2) {
            checked::<K>(&plan, &recomposer, &[], &recompose(&recomposer, seed));
        }
        let mut random = Pcg32::seed_from_u64(seed);
        let mut weights = || std::array::from_fn(|_| i64::from(random.next_u32() % 9) - 4);
        let [one, two, three] = [weights(), weights(), weights()];
        // As tight as can be, loose, and less than packs have, which counts as what they have.
        let sums = [(one, recomposer.most(&one)), (two, recomposer.most(&two) + 10), (three, i128::MIN)];
        let packs = recompose_within(&recomposer, &sums, seed);
        checked::<K>(&plan, &recomposer, &sums, &packs);
        assert_eq!(packs, recompose_within(&recomposer, &sums, seed), "the same random numbers");
    }
}

/// Histograms with empty sizes and sets, equal graphs, limits of one graph, and limits that the graphs fill.
fn instance<const K: usize>() -> impl Strategy<Value = (Vec<([u32; K], u64)>, Limits)> {
    let size = proptest::array::uniform::<_, K>(0..20_u32);
    let limits = (proptest::array::uniform::<_, K>(20..90_u32), 1..40_u32);
    (proptest::collection::vec((size, 0..60_u64), 0..40), limits)
        .prop_map(|(counts, (size, graphs))| (counts, Limits::new(size).graphs(graphs)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn packs_of_one_set((counts, limits) in instance::<1>(), seed in any::<u64>()) {
        check(&counts, &limits, seed);
    }

    #[test]
    fn packs_of_two_components((counts, limits) in instance::<2>(), seed in any::<u64>()) {
        check(&counts, &limits, seed);
    }

    #[test]
    fn packs_of_three_components((counts, limits) in instance::<3>(), seed in any::<u64>()) {
        check(&counts, &limits, seed);
    }

    #[test]
    fn packs_of_eight_components((counts, limits) in instance::<8>(), seed in any::<u64>()) {
        check(&counts, &limits, seed);
    }
}

#[test]
fn extremes() {
    let most = Limits::new([u32::MAX; 2]).graphs(u32::MAX);
    check::<2>(&[], &most, 0);
    check(&[([0, 0], 5)], &most, 0);
    check(&[([7, 7], 1000)], &Limits::new([7, 7]), 0);
    check(&[([u32::MAX, 1], 30), ([1, u32::MAX], 30), ([0, 1], 3000)], &most, 0);
    check(&[([u32::MAX / 3, 0], 3000), ([1, 0], 1)], &most.graphs(40), 0);
    let plan = Packer::Demand.pack(&Histogram::from_counts([([1], 1 << 32)]).unwrap(), &Limits::new([1 << 20]));
    assert!(Recomposer::new(&plan.unwrap()).is_none(), "more graphs than are numbered");
}

/// The mean over packs of n (m - mu)^2 / sigma^2, with m the mean of the pack's n graphs: 1 for random packs.
fn variance(histogram: &Histogram, packs: &[([u64; 2], usize)], set: usize) -> f64 {
    let graphs = histogram.graphs() as f64;
    let mean = histogram.totals()[set] as f64 / graphs;
    let squares = histogram.entries().iter().map(|(size, count)| (f64::from(size[set]) - mean).powi(2) * *count as f64);
    let sigma = squares.sum::<f64>() / graphs;
    let of = |(sum, n): &([u64; 2], usize)| (sum[set] as f64 - mean * *n as f64).powi(2) / *n as f64 / sigma;
    packs.iter().map(of).sum::<f64>() / packs.len() as f64
}

#[test]
fn packs_are_alike_where_limits_leave_room() {
    // As many nodes as in QM9, roughly, all pairs of them edges; the last pack of the plan has a few small graphs.
    let counts = [1, 1, 2, 5, 9, 20, 50, 120, 260, 500, 900, 1300, 1500, 1600, 1400, 1000, 600, 450, 180, 60, 30, 9, 3];
    let counts = counts.iter().zip(3_u32..).map(|(&count, n)| ([n, n * (n - 1)], count));
    let histogram = Histogram::from_counts(counts).unwrap();
    for (size, graphs) in [([320, 5120], 15), ([640, 10240], 31), ([2368, 40832], 127)] {
        let plan = Packer::Auto(Budget::default()).pack(&histogram, &Limits::new(size).graphs(graphs)).unwrap();
        let recomposer = Recomposer::new(&plan).unwrap();
        for seed in 0..3 {
            let packs = checked::<2>(&plan, &recomposer, &[], &recompose(&recomposer, seed));
            for set in 0..2 {
                let found = variance(&histogram, &packs, set);
                assert!(found < 0.02, "{graphs} graphs, set {set}: {found}");
            }
        }
    }
}

#[test]
fn tight_packs_are_more_alike_than_by_chance_and_change() {
    let histogram = crate::common::histogram("molhiv_train.hist.csv");
    let plan = Packer::Auto(Budget::default()).pack(&histogram, &Limits::new([222, 502])).unwrap();
    let recomposer = Recomposer::new(&plan).unwrap();
    let packs = checked::<2>(&plan, &recomposer, &[], &recompose(&recomposer, 0));
    assert!(variance(&histogram, &packs, 0) < 0.5 && variance(&histogram, &packs, 1) < 0.5);
    let [mut one, mut other] =
        [1, 2].map(|seed| recompose(&recomposer, seed).iter().map(<[u32]>::to_vec).collect::<Vec<_>>());
    one.sort();
    other.sort();
    let same = one.iter().filter(|pack| other.binary_search(pack).is_ok()).count();
    assert!(same < one.len() / 50, "{same} of {} packs are the same in two epochs", one.len());
}
