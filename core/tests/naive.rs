//! Slow, obvious oracles: each packer, one graph at a time over a plain list of packs.

use graphpack_core::{Heuristic, Histogram, Limits, Packer, Size};
use proptest::prelude::*;
use std::cmp::Reverse;

/// What is left of a pack: room and number of graphs.
type Room = (Size<2>, u32);

/// Every graph, in the order in which packers take them.
fn descending(histogram: &Histogram<2>, heuristic: Heuristic<2>) -> Vec<Size<2>> {
    let mut sizes = histogram.entries().to_vec();
    sizes.sort_by_key(|&(size, _)| Reverse((heuristic.value(&size), size)));
    sizes.iter().flat_map(|&(size, count)| (0..count).map(move |_| size)).collect()
}

/// Puts each graph into the pack that `choose` returns, or into a new one for None. Returns what is left of each pack,
/// sorted.
fn one_at_a_time(
    graphs: &[Size<2>],
    limits: &Limits<2>,
    choose: impl Fn(&[(usize, Room)]) -> Option<usize>,
) -> Vec<Room> {
    let mut packs: Vec<Room> = Vec::new();
    for size in graphs {
        let fitting: Vec<_> =
            packs.iter().copied().enumerate().filter(|(_, (room, left))| size.fits(room) && *left > 0).collect();
        let chosen = choose(&fitting).unwrap_or_else(|| {
            packs.push((limits.size, limits.graphs));
            packs.len() - 1
        });
        let (room, left) = &mut packs[chosen];
        *room = Size([room.0[0] - size.0[0], room.0[1] - size.0[1]]);
        *left -= 1;
    }
    packs.sort();
    packs
}

/// What is left of each pack of a plan, sorted.
fn rooms(histogram: &Histogram<2>, limits: &Limits<2>, packer: Packer<2>) -> Vec<Room> {
    let plan = packer.pack(histogram, limits).unwrap();
    let mut rooms = Vec::new();
    for pack in plan.iter() {
        let [nodes, edges] = pack.size();
        let room = Size([limits.size.0[0] - nodes as u32, limits.size.0[1] - edges as u32]);
        rooms.extend((0..pack.repeat).map(|_| (room, limits.graphs - pack.graphs() as u32)));
    }
    rooms.sort();
    rooms
}

/// The listing of the paper, line by line over plain lists. Returns the number of packs.
fn listing(histogram: &Histogram<2>, limits: &Limits<2>, heuristic: Heuristic<2>) -> u64 {
    let mut data: Vec<_> = histogram.entries().iter().map(|&(s, count)| (heuristic.value(&s), s, count)).collect();
    data.sort();
    data.reverse();
    let largest = heuristic.value(&limits.size);
    let mut open: Vec<(u64, Vec<(Room, u64)>)> = Vec::new();
    let mut packs = 0;
    let mut file = |open: &mut Vec<(u64, Vec<(Room, u64)>)>, room: Room, count: u64| {
        let key = heuristic.value(&room.0);
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
                let i = list.iter().position(|((room, _), _)| size.fits(room))?;
                let (room, packs) = list.remove(i);
                if packs > count {
                    list.push((room, packs - count));
                }
                Some((room, packs.min(count)))
            });
            if let Some(((room, left), placed)) = found {
                open.retain(|(_, list)| !list.is_empty());
                file(&mut open, (Size([room.0[0] - size.0[0], room.0[1] - size.0[1]]), left - 1), placed);
                count -= placed;
                offset = 0;
            }
            offset += 1;
            if key + offset > largest && count > 0 {
                let room = Size([limits.size.0[0] - size.0[0], limits.size.0[1] - size.0[1]]);
                file(&mut open, (room, limits.graphs - 1), count);
                count = 0;
            }
        }
    }
    packs + open.iter().flat_map(|(_, list)| list).map(|(_, count)| count).sum::<u64>()
}

fn heuristics() -> impl Strategy<Value = Heuristic<2>> {
    prop_oneof![
        Just(Heuristic::Product),
        Just(Heuristic::Sum),
        Just(Heuristic::Maximum),
        Just(Heuristic::Minimum),
        Just(Heuristic::Component(0)),
        Just(Heuristic::Component(1)),
        (0..4_u32, 0..4_u32).prop_map(|(a, b)| Heuristic::Weighted(Size([a, b]))),
    ]
}

fn histograms() -> impl Strategy<Value = Histogram<2>> {
    proptest::collection::vec(((0..13_u32, 0..17_u32).prop_map(|(n, e)| Size([n, e])), 0..9_u64), 0..30)
        .prop_map(|counts| Histogram::from_counts(counts).unwrap())
}

fn limits() -> impl Strategy<Value = Limits<2>> {
    (12..40_u32, 16..60_u32, 1..12_u32).prop_map(|(n, e, graphs)| Limits::new([n, e]).graphs(graphs))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn best_fit_takes_the_fullest_pack_for_each_graph(h in histograms(), l in limits(), by in heuristics()) {
        let rank = |(_, (room, left)): &&(usize, Room)| (by.value(room), *room, *left);
        let fullest = |packs: &[(usize, Room)]| packs.iter().min_by_key(rank).map(|pack| pack.0);
        prop_assert_eq!(rooms(&h, &l, Packer::BestFit(by)), one_at_a_time(&descending(&h, by), &l, fullest));
    }

    #[test]
    fn first_fit_takes_the_emptiest_pack_for_each_graph(h in histograms(), l in limits(), by in heuristics()) {
        let rank = |(_, (room, left)): &&(usize, Room)| (by.value(room), *room, *left);
        let emptiest = |packs: &[(usize, Room)]| packs.iter().max_by_key(rank).map(|pack| pack.0);
        prop_assert_eq!(rooms(&h, &l, Packer::FirstFit(by)), one_at_a_time(&descending(&h, by), &l, emptiest));
    }

    #[test]
    fn published_follows_the_listing(h in histograms(), l in limits(), by in heuristics()) {
        prop_assert_eq!(Packer::Published(by).pack(&h, &l).unwrap().packs(), listing(&h, &l, by));
    }
}
