//! A plan made here and followed on a device without an allocator, where graphs come in any order.

use graphpack_core::FixedPlan;
use graphpack_core::stream::Follow;
use graphpack_loader::{Data, Loader, Options, Order, graphpack_core, molecules};
use std::collections::HashMap;

#[test]
fn a_plan_is_followed_on_a_device() -> Result<(), Box<dyn std::error::Error>> {
    let data = Data::from(molecules::generate(7, 300));
    let loader = Loader::new(&data, Options::graphs(16).order(Order::Shuffled))?;
    let plan = loader.plan().ok_or("a plan of packs")?;
    let bytes = postcard::to_allocvec(&FixedPlan::<2, 512, 128>::try_from(plan)?)?;

    // On the device, whose caller keeps the graphs that wait.
    let plan: FixedPlan<2, 512, 128> = postcard::from_bytes(&bytes)?;
    let mut follow = Follow::new(&plan);
    let mut waiting: HashMap<[u32; 2], Vec<usize>> = HashMap::new();
    let mut packs = Vec::new();
    for graph in (0..data.len()).rev() {
        let size = data.size(graph)?;
        let size = [size[0], size[1]];
        waiting.entry(size).or_default().push(graph);
        if let Some(ready) = follow.push(size)? {
            let pack = plan.iter().nth(ready).ok_or("a pack of the plan")?;
            let mut graphs = Vec::new();
            for &(size, times) in pack.contents {
                let of_size = waiting.get_mut(&size).ok_or("graphs of this size wait")?;
                graphs.extend(of_size.drain(of_size.len() - times as usize..));
            }
            packs.push(graphs);
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
