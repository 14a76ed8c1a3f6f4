//! Plans and states.

use crate::input::folder;
use graphpack_core::stream::{Follow, Waiting};
use graphpack_core::{FixedPlan, Plan};
use graphpack_loader::{Grouping, Loader, Options, Order, SavedPlan, State, molecules};

/// A state that is accepted continues after the batches that it counts as done.
pub(crate) fn state(bytes: &[u8]) {
    let Ok(state) = serde_json::from_slice::<State>(bytes) else { return };
    let text = serde_json::to_string(&state).unwrap();
    assert_eq!(serde_json::from_str::<State>(&text).unwrap(), state);
    let options = Options::graphs(4).grouping(Grouping::InOrder);
    let loader = Loader::new(molecules::generate(1, 40), options.order(Order::Shuffled).seed(7).workers(0)).unwrap();
    if let Ok(epoch) = loader.resume(&state) {
        let left = epoch.collect::<Result<Vec<_>, _>>().unwrap().len();
        assert_eq!(left as u64 + state.batches_done(), loader.batches(state.epoch()).unwrap() as u64);
    }
}

/// A plan that is accepted keeps its limits and its bound; a loader that takes it gives every graph once.
pub(crate) fn plan(bytes: &[u8]) {
    let folder = folder(&[("plan.json", bytes)]);
    if let Ok(saved) = SavedPlan::open(folder.path().join("plan.json")) {
        let limits = saved.limits();
        let small = limits.graphs <= 1000 && limits.size.as_slice().iter().all(|&rows| rows <= 1000);
        let loader = Loader::new(molecules::generate(1, 5), Options::default().grouping(saved).workers(0));
        if let (Ok(loader), true) = (loader, small) {
            let batches = loader.epoch(0).collect::<Result<Vec<_>, _>>().unwrap();
            let mut graphs: Vec<_> = batches.iter().flat_map(|batch| batch.graph_ids().to_vec()).collect();
            graphs.sort_unstable();
            assert_eq!(graphs, [0, 1, 2, 3, 4]);
        }
    }
    let Ok(plan) = serde_json::from_slice::<Plan>(bytes) else { return };
    let text = serde_json::to_string(&plan).unwrap();
    assert_eq!(serde_json::from_str::<Plan>(&text).unwrap(), plan);
    assert!(plan.bound() <= plan.packs() && plan.packs() <= plan.graphs() && plan.gap() >= 0.0);
    assert_eq!((plan.histogram().graphs(), plan.histogram().totals()), (plan.graphs(), plan.totals()));
    let efficiency = plan.efficiency();
    assert!(efficiency.sets.iter().chain([&efficiency.graphs]).all(|share| (0.0..=1.0).contains(share)));
    if let Ok(fixed) = FixedPlan::<2, 16, 8>::try_from(&plan) {
        assert_eq!((fixed.packs(), fixed.graphs()), (plan.packs(), plan.graphs()));
        fixed_plan(&postcard::to_allocvec(&fixed).unwrap());
    }
}

/// A plan in fixed memory that is accepted can be followed to its end.
pub(crate) fn fixed_plan(bytes: &[u8]) {
    let Ok(plan) = postcard::from_bytes::<FixedPlan<2, 16, 8>>(bytes) else { return };
    let again = postcard::to_allocvec(&plan).unwrap();
    assert_eq!(postcard::from_bytes::<FixedPlan<2, 16, 8>>(&again).unwrap(), plan);
    if plan.graphs() > 1000 {
        return;
    }
    let mut memory = vec![Waiting::EMPTY; plan.most_waiting() as usize + 1];
    let mut follow = Follow::new(&plan, &mut memory);
    let mut packs = 0;
    for pack in plan.iter() {
        for &(size, times) in pack.contents {
            for _ in 0..u64::from(times) * pack.repeat {
                packs += u64::from(follow.push(size, ()).unwrap().is_some());
            }
        }
    }
    assert_eq!((packs, follow.packs_left()), (plan.packs(), 0));
}
