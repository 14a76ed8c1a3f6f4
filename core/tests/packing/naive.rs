//! Slow, obvious oracles: each packer, one graph at a time over a plain list of packs, for sizes of 1, 2, 3 and 8
//! sets.

use graphpack_core::{Heuristic, Histogram, Limits, Packer, Size};
use proptest::array::uniform;
use proptest::prelude::*;
use std::array::from_fn;
use std::cmp::Reverse;

/// What is left of a pack: room and number of graphs.
type Room<const K: usize> = ([u32; K], u32);

/// What is left of a room.
fn minus<const K: usize>(room: &[u32; K], taken: [u32; K]) -> [u32; K] {
    from_fn(|k| room[k] - taken[k])
}

fn value<const K: usize>(heuristic: Heuristic, size: &[u32; K]) -> u64 {
    heuristic.value(&Size::new(*size))
}

fn entries<const K: usize>(histogram: &Histogram) -> Vec<([u32; K], u64)> {
    histogram.entries().iter().map(|(size, count)| (size.first(), *count)).collect()
}

/// Every graph, in the order in which packers take them.
fn descending<const K: usize>(histogram: &Histogram, heuristic: Heuristic) -> Vec<[u32; K]> {
    let mut sizes = entries::<K>(histogram);
    sizes.sort_by_key(|&(size, _)| Reverse((value(heuristic, &size), size)));
    sizes.iter().flat_map(|&(size, count)| (0..count).map(move |_| size)).collect()
}

/// Puts each graph into the pack that `choose` returns, or into a new one for None. Returns what is left of each pack,
/// sorted.
fn one_at_a_time<const K: usize>(
    graphs: &[[u32; K]],
    limits: &Limits,
    choose: impl Fn(&[(usize, Room<K>)]) -> Option<usize>,
) -> Vec<Room<K>> {
    let mut packs: Vec<Room<K>> = Vec::new();
    for size in graphs {
        let fitting: Vec<_> = packs
            .iter()
            .copied()
            .enumerate()
            .filter(|(_, (room, left))| Size::new(*size).fits(&Size::new(*room)) && *left > 0)
            .collect();
        let chosen = choose(&fitting).unwrap_or_else(|| {
            packs.push((limits.size.first(), limits.graphs));
            packs.len() - 1
        });
        let (room, left) = &mut packs[chosen];
        *room = minus(room, *size);
        *left -= 1;
    }
    packs.sort();
    packs
}

/// What is left of each pack of a plan, sorted.
fn rooms<const K: usize>(histogram: &Histogram, limits: &Limits, packer: Packer) -> Vec<Room<K>> {
    let plan = packer.pack(histogram, limits).unwrap();
    let mut rooms = Vec::new();
    for pack in plan.iter() {
        let room = minus(&limits.size.first(), pack.size().first());
        rooms.extend((0..pack.repeat).map(|_| (room, limits.graphs - pack.graphs() as u32)));
    }
    rooms.sort();
    rooms
}

/// The listing of the paper, line by line over plain lists. Returns the number of packs.
fn listing<const K: usize>(histogram: &Histogram, limits: &Limits, heuristic: Heuristic) -> u64 {
    let sizes = entries::<K>(histogram).into_iter();
    let mut data: Vec<_> = sizes.map(|(s, count)| (value(heuristic, &s), s, count)).collect();
    data.sort();
    data.reverse();
    let largest = heuristic.value(&limits.size);
    let mut open: Vec<(u64, Vec<(Room<K>, u64)>)> = Vec::new();
    let mut packs = 0;
    let mut file = |open: &mut Vec<(u64, Vec<(Room<K>, u64)>)>, room: Room<K>, count: u64| {
        let key = value(heuristic, &room.0);
        if key == 0 || room.1 == 0 {
            packs += count;
        } else if let Some((_, list)) = open.iter_mut().find(|(at, _)| *at == key) {
            list.push((room, count));
        } else {
            open.push((key, vec![(room, count)]));
        }
    };
    for (key, size, mut count) in data {
        let mut offset = 0;
        while count > 0 {
            let next = open.iter().map(|(at, _)| *at).filter(|at| *at >= key + offset).min();
            offset = next.map_or(largest + 1, |at| at - key);
            let list = open.iter_mut().find(|(at, _)| *at == key + offset);
            let found = list.and_then(|(_, list)| {
                let i = list.iter().position(|((room, _), _)| Size::new(size).fits(&Size::new(*room)))?;
                let (room, packs) = list.remove(i);
                if packs > count {
                    list.push((room, packs - count));
                }
                Some((room, packs.min(count)))
            });
            if let Some(((room, left), placed)) = found {
                open.retain(|(_, list)| !list.is_empty());
                file(&mut open, (minus(&room, size), left - 1), placed);
                count -= placed;
                offset = 0;
            }
            offset += 1;
            if key + offset > largest && count > 0 {
                let room = minus(&limits.size.first(), size);
                file(&mut open, (room, limits.graphs - 1), count);
                count = 0;
            }
        }
    }
    packs + open.iter().flat_map(|(_, list)| list).map(|(_, count)| count).sum::<u64>()
}

fn heuristics<const K: usize>() -> impl Strategy<Value = Heuristic> {
    prop_oneof![
        Just(Heuristic::Product),
        Just(Heuristic::Sum),
        Just(Heuristic::Maximum),
        Just(Heuristic::Minimum),
        (0..K).prop_map(Heuristic::Set),
        uniform::<_, K>(0..4_u32).prop_map(|weights| Heuristic::WeightedSum(Size::new(weights))),
        // The listing, unlike the packers, computes beyond the largest product.
        uniform::<_, K>(0..if K > 4 { 2 } else { 3_u32 })
            .prop_map(|weights| Heuristic::WeightedProduct(Size::new(weights))),
        uniform::<_, K>(0..4_u32).prop_map(|weights| Heuristic::WeightedMaximum(Size::new(weights))),
        uniform::<_, K>(0..4_u32).prop_map(|weights| Heuristic::WeightedMinimum(Size::new(weights))),
    ]
}

/// Of some histograms, no graph has any of one set.
fn histograms<const K: usize>() -> impl Strategy<Value = Histogram> {
    let size = uniform::<_, K>(0..17_u32);
    (proptest::collection::vec((size, 0..9_u64), 0..30), 0..2 * K).prop_map(|(counts, absent)| {
        let of = |size: [u32; K]| Size::of(K, |k| if k == absent { 0 } else { size[k] });
        Histogram::from_counts(counts.into_iter().map(|(size, count)| (of(size), count))).unwrap()
    })
}

fn limits<const K: usize>() -> impl Strategy<Value = Limits> {
    (uniform::<_, K>(0..36_u32), 1..12_u32)
        .prop_map(|(more, graphs)| Limits::new(more.map(|more| 16 + more)).graphs(graphs))
}

fn check<const K: usize>(h: &Histogram, l: &Limits, by: Heuristic) {
    let rank = |(_, (room, left)): &&(usize, Room<K>)| (value(by, room), *room, *left);
    let fullest = |packs: &[(usize, Room<K>)]| packs.iter().min_by_key(rank).map(|pack| pack.0);
    let emptiest = |packs: &[(usize, Room<K>)]| packs.iter().max_by_key(rank).map(|pack| pack.0);
    let graphs = descending::<K>(h, by);
    assert_eq!(rooms(h, l, Packer::BestFit(by)), one_at_a_time(&graphs, l, fullest), "best-fit takes the fullest pack");
    assert_eq!(rooms(h, l, Packer::FirstFit(by)), one_at_a_time(&graphs, l, emptiest), "first-fit takes the emptiest");
    assert_eq!(
        Packer::Published(by).pack(h, l).unwrap().packs(),
        listing::<K>(h, l, by),
        "published follows the listing"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn one_set(h in histograms::<1>(), l in limits::<1>(), by in heuristics::<1>()) {
        check::<1>(&h, &l, by);
    }

    #[test]
    fn two_components(h in histograms::<2>(), l in limits::<2>(), by in heuristics::<2>()) {
        check::<2>(&h, &l, by);
    }

    #[test]
    fn three_components(h in histograms::<3>(), l in limits::<3>(), by in heuristics::<3>()) {
        check::<3>(&h, &l, by);
    }

    #[test]
    fn eight_components(h in histograms::<8>(), l in limits::<8>(), by in heuristics::<8>()) {
        check::<8>(&h, &l, by);
    }
}
