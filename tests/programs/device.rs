//! A plan made here and followed on a device without an allocator, where graphs come in any order.

use graphpack_core::FixedPlan;
use graphpack_core::stream::{Follow, Waiting};
use graphpack_loader::{Data, Loader, Options, Order, graphpack_core, molecules};

#[test]
fn a_plan_is_followed_on_a_device() -> Result<(), Box<dyn std::error::Error>> {
    let data = Data::from(molecules::generate(7, 300));
    let loader = Loader::new(&data, Options::graphs(16).order(Order::Shuffled))?;
    let plan = loader.plan().ok_or("a plan of packs")?;
    let bytes = postcard::to_allocvec(&FixedPlan::<2, 512, 128>::try_from(plan)?)?;

    // On the device.
    let plan: FixedPlan<2, 512, 128> = postcard::from_bytes(&bytes)?;
    let mut memory = [Waiting::EMPTY; 300];
    let mut follow = Follow::new(&plan, &mut memory);
    let mut packs: Vec<Vec<usize>> = Vec::new();
    for graph in (0..data.len()).rev() {
        let size = data.size(graph)?;
        if let Some(pack) = follow.push([size[0], size[1]], graph)? {
            packs.push(pack.collect());
        }
    }

    assert_eq!((packs.len() as u64, follow.packs_left()), (plan.packs(), 0));
    let mut all: Vec<usize> = packs.iter().flatten().copied().collect();
    all.sort_unstable();
    assert_eq!(all, (0..data.len()).collect::<Vec<_>>());
    for pack in &packs {
        let mut rows = [0; 2];
        for &graph in pack {
            let size = data.size(graph)?;
            rows = [rows[0] + size[0], rows[1] + size[1]];
        }
        let most = plan.limits().size;
        assert!(rows[0] <= most[0] && rows[1] <= most[1] && pack.len() as u32 <= plan.limits().graphs);
    }
    Ok(())
}
