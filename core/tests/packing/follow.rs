//! Following a plan makes all its packs, in any order of the graphs.

use graphpack_core::stream::{Follow, FollowError};
use graphpack_core::{Budget, FixedPlan, Heuristic, Histogram, Limits, Packer, Plan};
use proptest::prelude::*;

type Fixed = FixedPlan<2, 256, 160>;

fn plan(sizes: &[[u32; 2]], limits: &Limits, packer: Packer) -> Plan {
    packer.pack(&Histogram::from_counts(sizes.iter().map(|&size| (size, 1))).unwrap(), limits).unwrap()
}

fn packer() -> impl Strategy<Value = Packer> {
    prop_oneof![
        Just(Packer::BestFit(Heuristic::Product)),
        Just(Packer::FirstFit(Heuristic::Sum)),
        Just(Packer::Auto(Budget::steps(100_000))),
        Just(Packer::Window { open: 2, seed: 3 }),
    ]
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
        let mut follow = Follow::new(&fixed);
        for _epoch in 0..2 {
            let mut made = vec![0; plan.distinct_packs()];
            for (before, &size) in sizes.iter().enumerate() {
                if let Some(pack) = follow.push(size).unwrap() {
                    made[pack] += 1;
                }
                let waiting: u64 = follow.waiting().map(|(_, waiting)| u64::from(waiting)).sum();
                let packed: u64 = plan.iter().zip(&made).map(|(pack, made)| pack.graphs() * made).sum();
                prop_assert_eq!(packed + waiting, before as u64 + 1);
            }
            prop_assert_eq!(&made, &plan.iter().map(|pack| pack.repeat).collect::<Vec<_>>());
            prop_assert_eq!((follow.packs_left(), follow.waiting().count()), (0, 0));
            if let Some(&size) = sizes.first() {
                let places = sizes.iter().filter(|&&other| other == size).count() as u64;
                prop_assert_eq!(follow.push(size), Err(FollowError::NoPlace { size, places }));
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
    let mut follow = Follow::new(&plan);
    assert_eq!(
        follow.push([3, 5]).unwrap_err().to_string(),
        "expected at most 0 graphs of size (3, 5), as in the plan, found one more"
    );
    assert_eq!(follow.waiting().count(), 0);
}

/// A pack that was filled in two steps may have two entries of one size; it is complete only with the graphs of both.
#[test]
fn two_entries_of_one_size_are_counted_together() {
    let text = r#"[{"size":[9,9],"graphs":9},[[[1,1],1],[[2,2],1],[[1,1],2]],[[3,2]]]"#;
    let plan = serde_json::from_str::<Fixed>(text).unwrap();
    let mut follow = Follow::new(&plan);
    let pushed =
        [[1, 1], [2, 2], [1, 1], [1, 1], [1, 1], [1, 1], [1, 1], [2, 2]].map(|size| follow.push(size).unwrap());
    assert_eq!(pushed, [None, None, None, Some(0), None, None, None, Some(0)]);
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
