//! Tensors of other frameworks equal the arrays of the batch, every graph comes once, and errors surface.

#[path = "data/data.rs"]
mod data;

use burn_core::data::dataloader::{DataLoader, split::split_dataloader};
use burn_core::tensor::{Device, TensorData};
use candle_core::{DType, Tensor};
use data::{fields_of_all_dtypes, four_sets};
use graphpack_adapters::{BurnBatch, BurnLoader, CandleBatch};
use graphpack_loader::memory::ArrayInfo;
use graphpack_loader::{Batch, Capacity, Data, Dtype, Grouping, Loader, Options, Order, Slot, f16, molecules};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

fn options() -> Options {
    Options::graphs(16).order(Order::Shuffled).seed(5).workers(2)
}

fn burn_array(batch: &BurnBatch, array: &ArrayInfo) -> TensorData {
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

fn candle_bytes(tensor: &Tensor) -> Vec<u8> {
    let tensor = tensor.flatten_all().unwrap();
    match tensor.dtype() {
        DType::F16 => tensor.to_vec1::<f16>().unwrap().into_iter().flat_map(f16::to_ne_bytes).collect(),
        DType::F32 => tensor.to_vec1::<f32>().unwrap().into_iter().flat_map(f32::to_ne_bytes).collect(),
        DType::F64 => tensor.to_vec1::<f64>().unwrap().into_iter().flat_map(f64::to_ne_bytes).collect(),
        DType::I64 => tensor.to_vec1::<i64>().unwrap().into_iter().flat_map(i64::to_ne_bytes).collect(),
        DType::I32 => tensor.to_vec1::<i32>().unwrap().into_iter().flat_map(i32::to_ne_bytes).collect(),
        _ => tensor.to_vec1::<u8>().unwrap(),
    }
}

fn assert_equal(batch: &Batch, burn: &BurnBatch, candle: &CandleBatch) {
    for array in batch.layout().arrays() {
        let bytes = &batch.bytes()[array.range()];
        let sizes: Vec<usize> = array.shape().collect();
        let tensor = burn_array(burn, array);
        assert_eq!(tensor.shape().to_vec(), sizes, "burn, {}", array.name);
        assert_eq!(tensor.as_bytes(), bytes, "burn, {}", array.name);
        let tensor = candle.get(&array.name).unwrap();
        assert_eq!(tensor.dims(), sizes, "candle, {}", array.name);
        assert_eq!(candle_bytes(tensor), bytes, "candle, {}", array.name);
    }
    assert_eq!((burn.shape(), burn.real(), burn.epoch(), burn.step()), place(batch));
    assert_eq!((candle.shape(), candle.real(), candle.epoch(), candle.step()), place(batch));
}

fn place(batch: &Batch) -> (graphpack_loader::Shape, graphpack_loader::Shape, u64, u64) {
    (batch.shape(), batch.real(), batch.epoch(), batch.step())
}

fn assert_all_equal(loader: impl Fn() -> Loader) {
    let plain = loader();
    let burn = BurnLoader::new(loader(), Device::flex());
    for epoch in 0..2 {
        let candle = plain.epoch(epoch).map(|batch| CandleBatch::new(batch.unwrap(), &candle_core::Device::Cpu));
        let mut batches = 0;
        for ((batch, burn), candle) in plain.epoch(epoch).zip(burn.iter()).zip(candle) {
            assert_equal(&batch.unwrap(), &burn.unwrap(), &candle.unwrap());
            batches += 1;
        }
        assert!(batches > 1 && batches == plain.batches(epoch).unwrap());
    }
}

#[test]
fn tensors_equal_the_arrays_of_the_batch_padding_and_masks_included() {
    assert_all_equal(|| Loader::new(molecules::generate(3, 300), options()).unwrap());
    assert_all_equal(fields_of_all_dtypes);
    assert_all_equal(|| four_sets(Options::graphs(7)));
}

#[test]
fn batches_have_the_arrays_that_were_chosen() {
    let options = || Options::graphs(7).fields(["y", "contact_index"]).extra(["contacts_ptr", "ligand_mask"]);
    let chosen = || four_sets(options());
    assert_all_equal(chosen);
    let batch = BurnLoader::new(chosen(), Device::flex()).iter().next().unwrap().unwrap();
    let names: Vec<&str> = batch.layout().arrays().iter().map(|array| &*array.name).collect();
    assert_eq!(names, ["y", "contact_index", "contacts_ptr", "graph_ids", "ligand_mask", "graph_mask"]);
}

#[test]
fn an_array_has_one_type() {
    let loader = BurnLoader::new(Loader::new(molecules::generate(3, 300), options()).unwrap(), Device::flex());
    let batch = loader.iter().next().unwrap().unwrap();
    let message = "array \"x\" has dtype int64, asked for float32";
    assert_eq!(batch.float::<2>("x").unwrap_err().to_string(), message);
    let vector = format!("array \"x\" has shape [{}, 9], asked for 1 dimensions", batch.shape().nodes());
    assert_eq!(batch.int::<1>("x").unwrap_err().to_string(), vector);
    let missing = "there is no array \"z\"; there are x, edge_attr, y, edge_index, batch, ptr, graph_ids, node_mask, \
                   edge_mask, graph_mask";
    assert_eq!(batch.int::<2>("z").unwrap_err().to_string(), missing);
    let batch = Loader::new(molecules::generate(3, 300), options()).unwrap().epoch(0).next().unwrap().unwrap();
    let batch = CandleBatch::new(batch, &candle_core::Device::Cpu).unwrap();
    assert_eq!(batch.get("z").unwrap_err().to_string(), missing);
}

fn graphs(loader: &dyn DataLoader<BurnBatch>) -> Vec<i64> {
    let mut ids = Vec::new();
    let mut batches = loader.iter();
    for batch in batches.by_ref() {
        let batch = batch.unwrap();
        ids.extend_from_slice(
            &batch.int::<1>("graph_ids").unwrap().to_data().as_slice::<i64>().unwrap()[..batch.real().graphs()],
        );
    }
    assert!(batches.progress().is_completed());
    ids
}

#[test]
fn each_burn_epoch_has_every_graph_once_in_its_own_order() {
    let loader = BurnLoader::new(Loader::new(molecules::generate(3, 300), options()).unwrap(), Device::flex());
    let [first, second] = [graphs(&loader), graphs(&loader)];
    assert_ne!(first, second);
    let again =
        BurnLoader::new(Loader::new(molecules::generate(3, 300), options()).unwrap(), Device::flex()).starting_at(1);
    assert_eq!(graphs(&again), second);
    for mut ids in [first, second] {
        ids.sort_unstable();
        assert_eq!(ids, (0..300).collect::<Vec<i64>>());
    }
}

#[test]
fn slices_are_parts_of_the_epoch() {
    let loader = BurnLoader::new(Loader::new(molecules::generate(3, 300), options()).unwrap(), Device::flex());
    let batches = loader.num_items();
    let parts = [loader.slice(0, 3), loader.slice(3, batches).slice(0, 4), loader.slice(7, batches + 9)];
    assert_eq!(parts.each_ref().map(|part| part.num_items()), [3, 4, batches - 7]);
    let ids: Vec<i64> = parts.iter().flat_map(|part| graphs(part.as_ref())).collect();
    assert_eq!(ids, graphs(loader.to_device(&Device::flex()).as_ref()));
    assert_eq!(loader.slice(batches, batches).iter().count(), 0);
}

#[test]
fn parts_for_several_devices_make_up_each_epoch() {
    let plain = || {
        Loader::new(molecules::generate(3, 300), options().capacity(Capacity::graphs(4)).grouping(Grouping::InOrder))
            .unwrap()
    };
    let batches: Vec<usize> = (0..16).map(|epoch| plain().batches(epoch).unwrap()).collect();
    let fewest = (0..8).min_by_key(|&epoch| batches[epoch]).unwrap();
    assert!(batches[fewest..][..8].iter().any(|&more| more > batches[fewest]), "{batches:?}");
    let loader = || BurnLoader::new(plain(), Device::flex()).starting_at(fewest as u64);
    let state = loader().iter().nth(4).unwrap().unwrap().state();
    for whole in [loader(), loader().resume(&state).unwrap()] {
        let parts = split_dataloader(Arc::new(whole), &[Device::flex(), Device::flex(), Device::flex()]);
        for _epoch in 0..8 {
            let mut ids: Vec<i64> = parts.iter().flat_map(|part| graphs(part.as_ref())).collect();
            ids.sort_unstable();
            assert_eq!(ids, (0..300).collect::<Vec<i64>>());
        }
    }
}

#[test]
fn a_part_without_batches_loads_none() {
    let seen = Arc::new(AtomicUsize::new(0));
    let count = seen.clone();
    let counting = Data::from(molecules::generate(3, 300)).map("count", move |_| {
        count.fetch_add(1, Ordering::Relaxed);
        Ok(())
    });
    let loader = BurnLoader::new(Loader::new(counting, options()).unwrap(), Device::flex());
    let batches = loader.num_items();
    for part in [loader.slice(2, 2), loader.slice(batches, batches + 1)] {
        assert_eq!((part.num_items(), part.iter().count()), (0, 0));
    }
    assert_eq!(seen.load(Ordering::Relaxed), 0);
}

#[test]
fn an_error_of_a_source_is_an_item_and_ends_the_epoch() {
    let fail = |graph: &mut Slot<'_>| if graph.number() == 7 { Err("no such graph".into()) } else { Ok(()) };
    let broken = Data::from(molecules::generate(3, 300)).map("fail", fail);
    let loader = BurnLoader::new(Loader::new(broken, options()).unwrap(), Device::flex());
    let one_by_one = (0..loader.num_items()).map(|step| loader.slice(step, step + 1)).collect();
    for parts in [vec![loader.slice(0, usize::MAX)], one_by_one] {
        let items: Vec<_> = parts.iter().flat_map(|part| part.iter().collect::<Vec<_>>()).collect();
        let errors: Vec<_> = items.iter().filter_map(|item| item.as_ref().err()).collect();
        assert_eq!(errors.len(), 1);
        assert!(errors[0].to_string().ends_with("graph 7 cannot be loaded: no such graph"), "{}", errors[0]);
        assert!(parts.len() > 1 || items.last().unwrap().is_err());
    }
}
