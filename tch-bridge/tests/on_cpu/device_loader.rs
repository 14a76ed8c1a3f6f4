//! The device loader on the CPU: batches pass through without a copy, errors arrive, states are those of the loader.

use graphpack_loader::{Column, Dtype, Level, Loader, Options, Order, f16, molecules};
use graphpack_tch::{DeviceLoader, Error, TensorBatch, TensorLoader};
use std::sync::{Arc, Mutex};
use tch::{Device, Kind};

type Fallible = Result<(), Box<dyn std::error::Error>>;

#[test]
fn tensors_lie_in_the_memory_of_the_batches() -> Fallible {
    let loader = Loader::new(molecules::generate(3, 200), Options::graphs(16).order(Order::Shuffled).seed(1))?;
    let addresses = Arc::new(Mutex::new(Vec::new()));
    let seen = addresses.clone();
    let batches = loader.epoch(0).inspect(move |batch| {
        if let (Ok(batch), Ok(mut seen)) = (batch, seen.lock()) {
            seen.push(batch.get::<i64>("x").map_or(0, |x| x.as_ptr() as usize));
        }
    });
    let mut found = Vec::new();
    for batch in DeviceLoader::new(batches, Device::Cpu) {
        found.push(batch?.get("x")?.data_ptr() as usize);
    }
    assert!(found.len() > 5);
    assert_eq!(found, *addresses.lock().map_err(|_| "poisoned")?);
    Ok(())
}

#[test]
fn batches_are_those_of_the_loader() -> Fallible {
    let loader =
        Loader::new(molecules::generate(3, 200), Options::graphs(16).order(Order::Shuffled).seed(1).workers(2))?;
    let mut device = DeviceLoader::new(loader.epoch(0), Device::Cpu);
    let mut state = None;
    for batch in loader.epoch(0) {
        let (expected, found) = (batch?, device.next().ok_or("the loader has more batches")??);
        assert_eq!((found.real(), found.epoch(), found.step()), (expected.real(), expected.epoch(), expected.step()));
        assert_eq!(found.state(), expected.state());
        let expected = TensorBatch::new(expected, Device::Cpu)?;
        for name in expected.layout().arrays().iter().map(|array| &array.name) {
            assert!(found.get(name)?.equal(expected.get(name)?), "{name}");
        }
        if found.step() == 2 {
            state = Some(found.state());
        }
    }
    assert!(device.next().is_none() && device.next().is_none());
    let resumed = DeviceLoader::new(loader.resume(&state.ok_or("there are more than two steps")?)?, Device::Cpu);
    let steps = resumed.map(|batch| batch.map(|batch| batch.step())).collect::<Result<Vec<_>, _>>()?;
    assert_eq!(steps, (3..loader.batches(0).unwrap() as u64).collect::<Vec<_>>());
    Ok(())
}

#[test]
fn narrow_arrays_are_wide_where_that_is_asked_for() -> Fallible {
    let loader = |index| Loader::new(molecules::generate(3, 100), Options::graphs(16).index(index));
    let (narrow, wide) = (loader(Dtype::I32)?, loader(Dtype::I64)?);
    let cast = DeviceLoader::new(narrow.epoch(0), Device::Cpu).wide_indices().cast("x", Kind::Float);
    for (cast, wide) in cast.zip(DeviceLoader::new(wide.epoch(0), Device::Cpu)) {
        let (cast, wide) = (cast?, wide?);
        for name in ["edge_index", "batch", "ptr"] {
            assert!(cast.get(name)?.equal(wide.get(name)?), "{name}");
        }
        assert!(cast.get("x")?.equal(&wide.get("x")?.to_kind(Kind::Float)));
    }
    Ok(())
}

#[test]
fn float16_fields_are_half_tensors() -> Fallible {
    let source = molecules::generate(3, 100);
    let values = (0..2 * (0..source.len()).map(|graph| source.size(graph).unwrap()[0]).sum::<u32>())
        .map(|value| f16::from_f32(value as f32 / 8.0))
        .collect::<Vec<_>>();
    let source = source.with_column(Column::new("embedding", Level::NODE, 2, values))?;
    let loader = Loader::new(source, Options::graphs(16))?;
    for (found, expected) in DeviceLoader::new(loader.epoch(0), Device::Cpu).zip(loader.epoch(0)) {
        let (found, expected) = (found?.get("embedding")?.shallow_clone(), expected?);
        let expected: Vec<f64> = expected.get::<f16>("embedding")?.iter().map(|&value| value.into()).collect();
        assert_eq!((found.kind(), found.size()[1]), (Kind::Half, 2));
        assert_eq!(Vec::<f64>::try_from(found.to_kind(Kind::Double).flatten(0, 1))?, expected);
    }
    Ok(())
}

#[test]
fn a_tensor_loader_has_the_batches_of_its_loader_resumes_and_widens_indices() -> Fallible {
    let options = Options::graphs(16).order(Order::Shuffled).seed(3).index(Dtype::I32);
    let data = Arc::new(molecules::generate(3, 200));
    let plain = Loader::new(data.clone(), options.clone())?;
    let loader = TensorLoader::new(data, options, Device::Cpu)?.cast("x", Kind::Float);
    let (mut states, mut all) = (Vec::new(), Vec::new());
    for (number, epoch) in loader.epochs(None)?.take(2).enumerate() {
        for (found, expected) in epoch.zip(plain.epoch(number as u64)) {
            let (found, expected) = (found?, expected?);
            assert_eq!(found.places(), expected.places());
            assert_eq!((found.edge_index()?.kind(), found.get("x")?.kind()), (Kind::Int64, Kind::Float));
            states.push(found.state());
            all.push(Vec::<i64>::try_from(found.graph_ids())?);
        }
    }
    assert_eq!(all.len(), plain.batches(0)? + plain.batches(1)?);
    for (place, state) in states.iter().enumerate() {
        let rest = loader.epochs(Some(state))?.take(3).flatten().take(all.len() - place - 1);
        for (found, expected) in rest.zip(&all[place + 1..]) {
            assert_eq!(&Vec::<i64>::try_from(found?.graph_ids())?, expected, "after batch {place}");
        }
    }
    Ok(())
}

#[test]
fn a_cast_of_what_is_not_there_is_refused() -> Fallible {
    let loader = Loader::new(molecules::generate(3, 100), Options::graphs(16))?;
    let mut batches = DeviceLoader::new(loader.epoch(0), Device::Cpu).cast("velocity", Kind::Float);
    let error = batches.next().ok_or("an error")?.err().ok_or("there is no velocity")?;
    assert_eq!(error.to_string(), "there is no field \"velocity\" to cast; there are x, edge_attr, y");
    assert!(batches.next().is_none(), "an error ends the batches");
    Ok(())
}

/// Whole numbers that do not fit would wrap around, and NaN would become a number.
#[test]
fn a_cast_to_whole_numbers_that_do_not_fit_is_refused() -> Fallible {
    let data = molecules::generate(3, 100);
    let graphs = data.len();
    let data = data.with_column(Column::new("bytes", Level::Graph, 1, vec![200_u8; graphs]))?;
    let data = data.with_column(Column::new("energy", Level::Graph, 1, vec![f64::NAN; graphs]))?;
    let loader = Loader::new(data, Options::graphs(16))?;
    let first = |name: &str, to: Kind| -> Result<TensorBatch, Error> {
        DeviceLoader::new(loader.epoch(0), Device::Cpu).cast(name, to).next().expect("a batch")
    };
    for (name, from, to) in [
        ("x", Kind::Int64, Kind::Int),
        ("x", Kind::Int64, Kind::Uint8),
        ("bytes", Kind::Uint8, Kind::Int8),
        ("energy", Kind::Double, Kind::Int64),
    ] {
        let error = first(name, to).map(drop).expect_err("it does not fit").to_string();
        let expected = format!("field {name:?} cannot be cast from {from:?} to {to:?}, which does not have all of");
        assert!(error.starts_with(&expected), "{error}");
    }
    for (name, to) in [
        ("x", Kind::Int64),
        ("x", Kind::Half),
        ("bytes", Kind::Int16),
        ("bytes", Kind::Int64),
        ("energy", Kind::Float),
        ("energy", Kind::BFloat16),
    ] {
        assert_eq!(first(name, to)?.get(name)?.kind(), to);
    }
    Ok(())
}

#[test]
fn other_devices_are_refused() -> Fallible {
    let loader = Loader::new(molecules::generate(3, 100), Options::graphs(16))?;
    let error = DeviceLoader::new(loader.epoch(0), Device::Mps).next().ok_or("an error")?.err();
    assert_eq!(error.ok_or("not a device for batches")?.to_string(), "batches go to the CPU or to CUDA, not to Mps");
    Ok(())
}
