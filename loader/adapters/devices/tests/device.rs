//! Batches on a device of wgpu equal those on the host. Without a driver the tests say that they are skipped; Debian's
//! `mesa-vulkan-drivers` has one that needs no GPU.

#[path = "../../tests/data/data.rs"]
mod data;

use burn::data::dataloader::DataLoader;
use burn::tensor::{Device, DeviceType, IndexingUpdateOp, Tensor, TensorData};
use data::{fields_of_all_dtypes, four_sets};
use graphpack_adapters::graphpack_loader::memory::ArrayInfo;
use graphpack_adapters::graphpack_loader::{Dtype, Loader, Options, Order, molecules};
use graphpack_adapters::{BurnBatch, BurnLoader};

fn device() -> Option<Device> {
    let found = Device::enumerate(DeviceType::Wgpu).into_vec().into_iter().next();
    if found.is_none() {
        println!("SKIPPED: wgpu finds no device");
    }
    found
}

fn values(batch: &BurnBatch, array: &ArrayInfo) -> TensorData {
    let name = &array.name;
    match (array.dtype, array.width) {
        (dtype, Some(_)) if dtype.is_float() => batch.float::<2>(name).unwrap().to_data(),
        (dtype, None) if dtype.is_float() => batch.float::<1>(name).unwrap().to_data(),
        (Dtype::Bool, Some(_)) => batch.bool::<2>(name).unwrap().to_data(),
        (Dtype::Bool, None) => batch.bool::<1>(name).unwrap().to_data(),
        (_, Some(_)) => batch.int::<2>(name).unwrap().to_data(),
        (_, None) => batch.int::<1>(name).unwrap().to_data(),
    }
}

fn assert_equal(host: &BurnBatch, there: &BurnBatch) {
    assert_eq!((host.epoch(), host.step(), host.real()), (there.epoch(), there.step(), there.real()));
    for array in host.layout().arrays() {
        let (expected, found) = (values(host, array), values(there, array));
        assert_eq!(found.shape(), expected.shape(), "{}", array.name);
        assert_eq!(
            found.iter::<f64>().collect::<Vec<_>>(),
            expected.iter::<f64>().collect::<Vec<_>>(),
            "{}",
            array.name
        );
    }
}

#[test]
fn batches_on_the_device_equal_those_on_the_host() {
    let Some(device) = device() else { return };
    let molecules =
        || Loader::new(molecules::generate(3, 300), Options::graphs(16).order(Order::Shuffled).seed(5)).unwrap();
    let of_sets = || four_sets(Options::graphs(7));
    let loaders: [&dyn Fn() -> Loader; 3] = [&fields_of_all_dtypes, &of_sets, &molecules];
    for loader in loaders {
        for (ahead, device) in [(0, device.clone()), (1, device.clone().autodiff()), (3, device.clone())] {
            let host = BurnLoader::new(loader(), Device::flex()).narrow();
            let there = BurnLoader::new(loader(), device).ahead(ahead).narrow();
            for _epoch in 0..2 {
                let (host, there): (Vec<_>, Vec<_>) = (host.iter().collect(), there.iter().collect());
                assert!(host.len() > 1 && host.len() == there.len());
                for (host, there) in host.into_iter().zip(there) {
                    assert_equal(&host.unwrap(), &there.unwrap());
                }
            }
        }
    }
}

#[test]
fn dtypes_are_those_of_the_data_where_the_device_computes_in_them() {
    let Some(device) = device() else { return };
    let host = BurnLoader::new(fields_of_all_dtypes(), Device::flex());
    let there = BurnLoader::new(fields_of_all_dtypes(), device.clone());
    for (host, there) in host.iter().zip(there.iter()) {
        let (host, there) = (host.unwrap(), there.unwrap());
        for array in host.layout().arrays().iter().filter(|array| array.dtype != Dtype::Bool) {
            let (expected, found) = (values(&host, array), values(&there, array));
            if device.supports_dtype(expected.dtype()) {
                assert_eq!(found, expected, "{}", array.name);
            } else {
                println!("the device has no {:?}, {} is {:?}", expected.dtype(), array.name, found.dtype());
                assert_ne!(found.dtype(), expected.dtype(), "{}", array.name);
            }
        }
    }
}

#[test]
fn gradients_reach_weights_and_fields() {
    let Some(device) = device() else { return };
    let gradients = |device: Device| {
        let loader = BurnLoader::new(fields_of_all_dtypes(), device.clone().autodiff()).narrow();
        let batch = loader.iter().next().unwrap().unwrap();
        let single = batch.float::<2>("single").unwrap().require_grad();
        let weights = Tensor::<2>::ones([3, 4], &device.autodiff()).require_grad();
        let h = single.clone().matmul(weights.clone());
        let sums = Tensor::<2>::zeros([batch.shape().graphs(), 4], &h.device());
        let sums = sums.select_assign(0, batch.int("batch").unwrap(), h, IndexingUpdateOp::Add);
        let gradients = (sums.clone() * sums).sum().backward();
        [single, weights].map(|leaf| leaf.grad(&gradients).unwrap().into_data())
    };
    for (host, there) in gradients(Device::flex()).into_iter().zip(gradients(device)) {
        there.assert_approx_eq::<f32>(&host, Default::default());
    }
}
