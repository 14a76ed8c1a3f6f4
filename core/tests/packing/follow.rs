//! Following a plan makes all its packs, in any order of the graphs.

use graphpack_core::stream::{Follow, StreamError, Waiting};
use graphpack_core::{Budget, FixedPlan, Heuristic, Histogram, Limits, Pack, Packer, Plan};
use proptest::prelude::*;
use std::collections::BTreeSet;

type Fixed = FixedPlan<2, 256, 160>;

fn plan(sizes: &[[u32; 2]], limits: &Limits, packer: Packer) -> Plan {
    packer.pack(&Histogram::from_counts(sizes.iter().map(|&size| (size, 1))).unwrap(), limits).unwrap()
}

fn packer() -> impl Strategy<Value = Packer> {
    prop_oneof![
        Just(Packer::BestFit(Heuristic::Product)),
        Just(Packer::FirstFit(Heuristic::Sum)),
        Just(Packer::Auto(Budget::steps(100_000))),
        Just(Packer::Demand),
    ]
}

/// Sizes of a pack with how many graphs of each it has.
type Contents = Vec<([u32; 2], usize)>;

fn contents(pack: &Pack<'_>) -> Contents {
    pack.contents().map(|(size, times)| (size.first(), times as usize)).collect()
}

/// Takes the graphs of the first pack that is left from those that wait, the earliest of each size, if it is complete.
fn complete(sizes: &[[u32; 2]], left: &mut [(Contents, u64)], waiting: &mut Vec<usize>) -> Option<Vec<usize>> {
    for (contents, left) in left.iter_mut().filter(|(_, left)| *left > 0) {
        // A pack may have two entries of one size.
        let (mut rest, mut graphs) = (waiting.clone(), Vec::new());
        for &(size, times) in &*contents {
            graphs.extend(rest.iter().filter(|&&id| sizes[id] == size).take(times));
            rest.retain(|id| !graphs.contains(id));
        }
        if graphs.len() == contents.iter().map(|(_, times)| times).sum::<usize>() {
            *left -= 1;
            *waiting = rest;
            return Some(graphs);
        }
    }
    None
}

proptest! {
    #[test]
    fn every_pack_is_made_as_often_as_planned(
        sizes in proptest::collection::vec((0..7_u32, 0..7_u32).prop_map(|(n, e)| [n, e]), 0..150),
        (nodes, edges, graphs) in (7..50_u32, 7..50_u32, 1..9_u32),
        packer in packer(),
    ) {
        let plan = plan(&sizes, &Limits::new([nodes, edges]).graphs(graphs), packer);
        let fixed = Fixed::try_from(&plan).unwrap();
        let mut memory = vec![Waiting::EMPTY; fixed.most_waiting() as usize + 1];
        let mut follow = Follow::new(&fixed, &mut memory);
        for _epoch in 0..2 {
            let mut left: Vec<_> = plan.iter().map(|pack| (contents(&pack), pack.repeat)).collect();
            let mut waiting = Vec::new();
            for (graph, &size) in sizes.iter().enumerate() {
                let found: Option<Vec<usize>> = follow.push(size, graph).unwrap().map(Iterator::collect);
                waiting.push(graph);
                prop_assert_eq!(found, complete(&sizes, &mut left, &mut waiting));
                let ids = follow.waiting().flat_map(|(_, ids)| ids).collect::<BTreeSet<_>>();
                prop_assert_eq!(ids, waiting.iter().copied().collect::<BTreeSet<_>>());
                prop_assert!(waiting.len() as u64 <= fixed.most_waiting());
            }
            prop_assert_eq!((follow.packs_left(), waiting.len()), (0, 0));
            if let Some(&size) = sizes.first() {
                let places = sizes.iter().filter(|&&other| other == size).count() as u64;
                prop_assert_eq!(follow.push(size, 0).err(), Some(StreamError::NoPlace { size, places }));
            }
            follow.restart();
        }
        let text = serde_json::to_string(&fixed).unwrap();
        prop_assert_eq!(serde_json::from_str::<Fixed>(&text).unwrap(), fixed);
    }
}

#[test]
fn a_size_that_the_plan_lacks_is_named() {
    let plan = plan(&[[3, 4]; 5], &Limits::new([9, 9]), Packer::Demand);
    let plan = Fixed::try_from(&plan).unwrap();
    let mut memory = [Waiting::EMPTY; 1];
    let mut follow = Follow::new(&plan, &mut memory);
    assert_eq!(
        follow.push([3, 5], 0).unwrap_err().to_string(),
        "expected at most 0 graphs of size (3, 5), as in the plan, found one more"
    );
    assert_eq!(follow.waiting().count(), 0);
}

/// Two of three graphs wait before the pack is complete.
#[test]
fn a_graph_without_memory_is_refused() {
    let plan = plan(&[[3, 4]; 3], &Limits::new([9, 12]), Packer::Demand);
    let plan = Fixed::try_from(&plan).unwrap();
    assert_eq!(plan.most_waiting(), 2);
    let mut memory = [Waiting::EMPTY; 2];
    let mut follow = Follow::new(&plan, &mut memory);
    assert!((0..2).all(|id| follow.push([3, 4], id).is_ok_and(|pack| pack.is_none())));
    let error = follow.push([3, 4], 2).unwrap_err();
    assert_eq!(error, StreamError::Memory { memory: 2 });
    assert_eq!(
        error.to_string(),
        "expected memory for 3 graphs, those that wait and the one that comes, found memory for 2"
    );
    assert!(follow.waiting().flat_map(|(_, ids)| ids).eq([0, 1]));
}

/// A pack that was filled in two steps may have two entries of one size; it is complete only with the graphs of both.
#[test]
fn two_entries_of_one_size_are_counted_together() {
    let text = r#"[{"size":[9,9],"graphs":9},[[[1,1],1],[[2,2],1],[[1,1],2]],[[3,2]]]"#;
    let plan = serde_json::from_str::<Fixed>(text).unwrap();
    let mut memory = [Waiting::EMPTY; 7];
    let mut follow = Follow::new(&plan, &mut memory);
    let sizes = [[1, 1], [2, 2], [1, 1], [1, 1], [1, 1], [1, 1], [1, 1], [2, 2]];
    let pushed = (0..).zip(sizes).map(|(id, size)| Some(follow.push(size, id).unwrap()?.collect::<Vec<_>>()));
    let (first, second) = (Some(vec![0, 1, 2, 3]), Some(vec![4, 7, 5, 6]));
    assert_eq!(pushed.collect::<Vec<_>>(), [None, None, None, first, None, None, None, second]);
}

#[test]
fn a_plan_too_large_or_damaged_is_refused() {
    let plan = plan(&[[3, 4], [4, 4], [3, 4]], &Limits::new([9, 9]), Packer::Demand);
    let error = FixedPlan::<2, 1, 1>::try_from(&plan).unwrap_err().to_string();
    assert!(error.contains("there is room for 1 with 1"), "{error}");
    let text = serde_json::to_string(&Fixed::try_from(&plan).unwrap()).unwrap();
    let error = serde_json::from_str::<FixedPlan<2, 1, 1>>(&text).unwrap_err().to_string();
    assert!(error.contains("more than 1 items"), "{error}");
    for (from, to, message) in [
        (r#""graphs":256"#, r#""graphs":0"#, "limits must be at least 1"),
        (r#""size":[9,9]"#, r#""size":[5,9]"#, "exceeds its limits"),
        (r#"],[[2,"#, r#"],[[99,"#, "ascending order"),
        (r#"],[[2,"#, r#"],[[-2,"#, "invalid value"),
    ] {
        assert!(text.contains(from), "{text}");
        let mut read = Fixed::try_from(&plan).unwrap();
        let damaged = text.replacen(from, to, 1);
        let error = read.read(&mut serde_json::Deserializer::from_str(&damaged)).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
        assert_eq!(read.packs(), 0);
    }
}
