//! A batch takes one piece of memory on a device of wgpu, whatever its arrays. Alone in its process: others would take
//! memory of the device, too.

use burn::tensor::{Device, DeviceType};
use graphpack_adapters::BurnBatch;
use graphpack_adapters::graphpack_loader::{Loader, Options, molecules};

#[test]
fn a_batch_takes_one_piece_of_memory_on_the_device() {
    let Some(device) = Device::enumerate(DeviceType::Wgpu).into_vec().into_iter().next() else {
        println!("SKIPPED: wgpu finds no device");
        return;
    };
    let loader = Loader::new(molecules::generate(3, 300), Options::graphs(16)).unwrap();
    let allocated = || {
        device.sync().unwrap();
        device.memory_pool_usage().unwrap().number_allocs
    };
    let before = allocated();
    let tensors = |batch: Result<_, _>| BurnBatch::narrow(batch.unwrap(), &device).unwrap();
    let held: Vec<BurnBatch> = loader.epoch(0).map(tensors).collect();
    assert!(held.len() > 10 && held[0].layout().arrays().len() == 10);
    assert_eq!(allocated() - before, held.len() as u64);
}
