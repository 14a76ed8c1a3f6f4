//! The same data in packed, dynamic, PyTorch Geometric's, ptgnn's and static batches.

use graphpack_loader::{Grouping, Loader, Options, Oversize, Shapes, molecules};
use std::sync::Arc;

#[test]
fn the_same_data_in_other_ways() -> Result<(), Box<dyn std::error::Error>> {
    let data = Arc::new(molecules::generate(7, 1000));

    let packed = Options::rows(&[("nodes", 512), ("edges", 1152)], 32);
    let dynamic = packed.clone().grouping(Grouping::InOrder);
    let pyg = Options::rows(&[("nodes", 512)], u32::MAX).grouping(Grouping::InOrder).shapes(Shapes::Exact);
    let ptgnn = Options::rows(&[("nodes", 512)], 32).grouping(Grouping::InOrder).shapes(Shapes::Exact);
    let ptgnn = ptgnn.oversize(Oversize::Alone);
    let static_64 = Options::exactly(31).shapes(Shapes::Multiple(64));

    let mut batches = Vec::new();
    for options in [packed, dynamic, pyg, ptgnn, static_64] {
        let loader = Loader::new(data.clone(), options)?;
        let graphs = loader.epoch(0).map(|batch| Ok(batch?.real().graphs()));
        assert_eq!(graphs.sum::<Result<usize, graphpack_loader::Error>>()?, 1000);
        batches.push(loader.batches(0)?);
    }
    let [packed, dynamic, pyg, ptgnn, static_64] = batches[..] else { unreachable!() };
    assert!(packed < dynamic && pyg <= dynamic && ptgnn >= pyg);
    assert_eq!(static_64, 1000_usize.div_ceil(31));
    Ok(())
}
