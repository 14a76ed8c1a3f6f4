//! [`GraphResults`]: whatever the order of the batches, results come in the order of the source, each graph's own.

use graphpack_loader::{Data, Loader, Options, Order, Oversize, molecules};
use graphpack_tch::{DeviceLoader, GraphResults, TensorBatch};
use std::error::Error;
use std::sync::Arc;
use tch::{Device, Kind, Tensor};

type Fallible = Result<(), Box<dyn Error>>;

/// What a network might say: the number of each graph, and the number of its nodes.
fn predictions(batch: &TensorBatch) -> Tensor {
    let graphs = batch.shape().graphs() as i64;
    let nodes = batch.ptr().unwrap().narrow(0, 1, graphs) - batch.ptr().unwrap().narrow(0, 0, graphs);
    Tensor::stack(&[batch.graph_ids(), &nodes], 1)
}

fn of_loader(loader: &Loader) -> Result<GraphResults, Box<dyn Error>> {
    let mut results = GraphResults::new();
    for batch in DeviceLoader::new(loader.epoch(3), Device::Cpu) {
        let batch = batch?;
        results.add(&batch, &predictions(&batch))?;
    }
    Ok(results)
}

/// What `predictions` says about the graphs of a source.
fn expected(data: &Data) -> Vec<i64> {
    let sizes = (0..).zip(data.sizes().unwrap());
    sizes.flat_map(|(graph, size)| [data.number(graph).unwrap() as i64, i64::from(size[0])]).collect()
}

#[test]
fn results_come_in_the_order_of_the_source() -> Fallible {
    let data = Arc::new(molecules::generate(5, 200));
    let whole = Loader::new(data.clone(), Options::graphs(16).order(Order::Shuffled).seed(1).workers(2))?;
    let found = of_loader(&whole)?.in_order(whole.data())?;
    assert_eq!(Vec::<i64>::try_from(found.reshape(-1))?, expected(&Data::from(data.clone())));
    // A split that goes backwards, and has some graphs two or three times.
    let split: Vec<u32> = (0..60).rev().map(|graph| graph * 3 % 120).chain([7, 9, 9]).collect();
    let split = Loader::new(Data::from(data).subset(split)?, Options::graphs(16).order(Order::Shuffled).seed(1))?;
    let found = of_loader(&split)?.in_order(split.data())?;
    assert_eq!(Vec::<i64>::try_from(found.reshape(-1))?, expected(split.data()));
    Ok(())
}

#[test]
fn a_graph_that_the_data_have_twice_gets_both_results() -> Fallible {
    let split = Data::from(molecules::generate(5, 9)).subset(vec![4, 8, 4])?;
    let loader = Loader::new(split, Options::graphs(2).order(Order::Shuffled).seed(5))?;
    let (mut results, mut expected) = (GraphResults::new(), [None; 3]);
    for batch in DeviceLoader::new(loader.epoch(0), Device::Cpu) {
        let batch = batch?;
        let graphs = batch.shape().graphs() as i64;
        results.add(&batch, &(Tensor::arange(graphs, (Kind::Int64, Device::Cpu)) + 100 * batch.step() as i64))?;
        for (row, &place) in (0..).zip(batch.places()) {
            expected[place as usize] = Some(row + 100 * batch.step() as i64);
        }
    }
    let found = Vec::<i64>::try_from(results.in_order(loader.data())?)?;
    assert_eq!(found.into_iter().map(Some).collect::<Vec<_>>(), expected);
    Ok(())
}

#[test]
fn too_many_and_too_few_results_are_errors() -> Fallible {
    let data = Arc::new(molecules::generate(5, 50));
    let loader = Loader::new(data.clone(), Options::graphs(8))?;
    let mut results = of_loader(&loader)?;
    // As many graphs in another order, and fewer.
    for part in [(0..50).rev().collect::<Vec<_>>(), (0..40).collect()] {
        let part = Data::from(data.clone()).subset(part)?;
        let error = results.in_order_or(&part, -1.0).expect_err("other data").to_string();
        assert!(error.ends_with("expected the data that the batches are of, found other data"), "{error}");
        let batch = Loader::new(part, Options::graphs(8))?.epoch(0).next().ok_or("a batch")??;
        let batch = TensorBatch::new(batch, Device::Cpu)?;
        let error = results.add(&batch, &predictions(&batch)).expect_err("other data").to_string();
        assert!(error.ends_with("expected batches of the same data, found that of step 0 of other data"), "{error}");
    }
    let batch = TensorBatch::new(loader.epoch(3).next().ok_or("a batch")??, Device::Cpu)?;
    let few = predictions(&batch).narrow(0, 0, 2);
    let error = results.add(&batch, &few).expect_err("two rows").to_string();
    let graphs = batch.shape().graphs();
    assert!(error.contains(&format!("size [2, 2], expected {graphs} rows")), "{error}");
    results.add(&batch, &predictions(&batch))?;
    let error = results.in_order(loader.data()).expect_err("a batch was added twice").to_string();
    assert!(error.contains("has two results; an epoch adds each once"), "{error}");
    assert!(GraphResults::new().in_order(loader.data()).is_err());
    Ok(())
}

#[test]
fn graphs_without_a_result_are_named_or_filled() -> Fallible {
    let data = Arc::new(molecules::generate(5, 50));
    let largest = (0..50).map(|graph| data.size(graph).unwrap()[0]).max().ok_or("graphs")?;
    let limits = graphpack_loader::Limits::new([largest - 1, 200]).graphs(8);
    let loader = Loader::new(data.clone(), Options::default().capacity(limits).oversize(Oversize::Skip))?;
    assert!(loader.skipped() > 0);
    let results = of_loader(&loader)?;
    let error = results.in_order(loader.data()).expect_err("some were skipped").to_string();
    assert!(error.contains(&format!("{} of the 50 graphs of the data have no result", loader.skipped())), "{error}");
    let found = Vec::<i64>::try_from(results.in_order_or(loader.data(), -7.0)?.reshape(-1))?;
    let skipped = |graph: usize| data.size(graph).unwrap()[0] == largest;
    for (graph, (found, expected)) in found.chunks(2).zip(expected(&Data::from(data.clone())).chunks(2)).enumerate() {
        assert_eq!(found, if skipped(graph) { &[-7, -7] } else { expected }, "graph {graph}");
    }
    for value in [f64::NAN, 0.5, f64::INFINITY, 1e30] {
        assert!(results.in_order_or(loader.data(), value).is_err(), "whole numbers have no {value}");
    }
    Ok(())
}
