//! Batches of the Rust loader for every option, as checksums, which the tests of the Python package compare with its
//! own. `cargo run -p graphpack-python --example batches STORE` prints a line of JSON for each: options as Python has
//! them, and the CRC-32 of each batch of epoch 1. The store has 200 graphs of nodes and edges with a field `y`.

use graphpack_loader::graphpack_core::{Budget, Cost, Heuristic};
use graphpack_loader::{
    Capacity, Dtype, Estimate, Grouping, Limits, Loader, OnError, Options, Order, Oversize, Packer, Padding, Remainder,
    Shape, Shapes, Shard, Store, Weights,
};
use serde_json::{Value, json};
use std::error::Error;
use std::time::Duration;

fn main() -> Result<(), Box<dyn Error>> {
    let store = Store::open(std::env::args().nth(1).ok_or("expected a store")?)?;
    let print = |names: Value, set: &dyn Fn(Options) -> Options| -> Result<(), Box<dyn Error>> {
        let options = set(Options::graphs(16).order(Order::Shuffled).seed(3));
        let loader = Loader::new(store.clone(), options)?;
        let sums = loader.epoch(1).map(|batch| {
            let (batch, mut sum) = (batch?, crc32fast::Hasher::new());
            for array in batch.layout().arrays() {
                let bytes = array.rows * array.width.unwrap_or(1) * array.dtype.bytes();
                sum.update(&batch.bytes()[array.start..array.start + bytes]);
            }
            Ok(sum.finalize())
        });
        println!("{}", json!({ "options": names, "sums": sums.collect::<Result<Vec<_>, Box<dyn Error>>>()? }));
        Ok(())
    };
    let capacity = |value: Value, capacity: Capacity| {
        print(json!({ "capacity": value }), &|options| options.capacity(capacity.clone()))
    };
    let grouping = |value: Value, grouping: Grouping| {
        print(json!({ "grouping": value }), &|options| options.grouping(grouping.clone()))
    };
    print(json!({}), &|options| options)?;
    capacity(json!(5), Capacity::graphs(5))?;
    capacity(json!({ "nodes": 24, "edges": 24, "graphs": 8 }), Limits::new([24, 24]).graphs(8).into())?;
    capacity(json!(["fullest", 16]), Capacity::fullest(16))?;
    for (name, oversize) in [("skip", Oversize::Skip), ("alone", Oversize::Alone), ("trim", Oversize::Trim)] {
        let names = json!({ "capacity": { "nodes": 10, "edges": 10, "graphs": 8 }, "oversize": name });
        print(names, &|options| options.capacity(Limits::new([10, 10]).graphs(8)).oversize(oversize))?;
    }
    capacity(json!(["shape", { "nodes": 80, "edges": 90, "graphs": 9 }]), Capacity::shape(Shape::new([80, 90], 9)))?;
    capacity(json!(["estimate", "jraph", 16]), Capacity::estimate(Estimate::Jraph, 16))?;
    capacity(json!(["estimate", "constant", 16]), Capacity::estimate(Estimate::Constant, 16))?;
    capacity(json!(["estimate", "tight", 16]), Capacity::estimate(Estimate::Tight, 16))?;
    capacity(json!(["estimate", ["percentile", 0.9], 16]), Capacity::estimate(Estimate::Percentile(0.9), 16))?;
    let (step, memory) = (json!({ "nodes": 2, "edges": 5, "step": 30 }), json!({ "nodes": 1, "edges": 1 }));
    let cheapest = Capacity::cheapest(Cost::rows([2, 5]).step(30), Cost::rows([1, 1]), 300);
    capacity(json!(["cheapest", step, memory, 300]), cheapest)?;
    grouping(json!("window"), Grouping::Window(Grouping::DEFAULT_OPEN))?;
    grouping(json!(["window", 8]), Grouping::Window(8))?;
    grouping(json!("in_order"), Grouping::InOrder)?;
    grouping(json!(["packed", "demand"]), Packer::Demand.into())?;
    grouping(json!(["packed", ["columns", 0.1]]), Packer::Columns(Budget::seconds(0.1)).into())?;
    grouping(json!(["packed", ["best_fit", "sum"]]), Packer::BestFit(Heuristic::Sum).into())?;
    grouping(json!(["packed", "first_fit"]), Packer::FirstFit(Heuristic::Product).into())?;
    grouping(json!(["packed", ["published", "maximum"]]), Packer::Published(Heuristic::Maximum).into())?;
    for (value, shapes) in [
        (json!("one"), Shapes::One),
        (json!(["multiple", 64]), Shapes::Multiple(64)),
        (json!("power_of_two"), Shapes::PowerOfTwo),
        (json!("exact"), Shapes::Exact),
    ] {
        let names = json!({ "capacity": ["exactly", 16], "grouping": "in_order", "shapes": value });
        let exactly = |options: Options| options.capacity(Capacity::exactly(16)).grouping(Grouping::InOrder);
        print(names, &|options| exactly(options).shapes(shapes))?;
    }
    let names = json!({ "capacity": { "edges": 100 }, "grouping": "in_order", "shapes": "exact" });
    let of_edges = Capacity::rows(&[("edges", 100)], u32::MAX);
    let in_order = |options: Options| options.capacity(of_edges.clone()).grouping(Grouping::InOrder);
    print(names, &|options| in_order(options).shapes(Shapes::Exact))?;
    print(json!({ "capacity": 8, "shapes": ["few", 2] }), &|options| {
        options.capacity(Capacity::graphs(8)).shapes(Shapes::Few(2))
    })?;
    let retry = OnError::Retry { times: 2, wait: Duration::from_millis(1) };
    print(json!({ "on_error": ["retry", 2, 0.001] }), &|options| options.on_error(retry))?;
    print(json!({ "packs": 2 }), &|options| options.packs(2))?;
    print(json!({ "padding": "two_nodes" }), &|options| options.padding(Padding::TwoNodes))?;
    print(json!({ "padding": "beyond" }), &|options| options.padding(Padding::Beyond))?;
    print(json!({ "block": 20 }), &|options| options.order(Order::Blocks(20)))?;
    let weights: Vec<f64> = (0..200).map(|graph| f64::from(graph % 3)).collect();
    let drawn = Weights::new(&weights)?.with_draws(50);
    print(json!({ "weights": weights, "draws": 50 }), &|options| options.weights(drawn.clone()))?;
    let shard = Shard::new(1, 3)?;
    print(json!({ "shard": [1, 3] }), &|options| options.shard(shard))?;
    let dropped = shard.remainder(Remainder::Drop);
    print(json!({ "shard": [1, 3], "remainder": "drop" }), &|options| options.shard(dropped))?;
    let names = json!({ "shard": [1, 3], "shapes": ["multiple", 64], "equal_shapes": true });
    print(names, &|options| options.shard(shard).shapes(Shapes::Multiple(64)).equal_shapes(true))?;
    let cost = json!({ "nodes": 1, "edges": 20, "step": 100 });
    let names = json!({ "shard": [1, 3], "shapes": "exact", "equal_cost": cost, "speeds": [2, 2, 1] });
    let equal = |options: Options| options.equal_cost(Cost::rows([1, 20]).step(100)).speeds([2, 2, 1]);
    print(names, &|options| equal(options.shard(shard).shapes(Shapes::Exact)))?;
    let names = json!({ "grouping": "in_order", "drop_last": true });
    print(names, &|options| options.grouping(Grouping::InOrder).drop_last(true))?;
    print(json!({ "workers": 2, "prefetch": 1 }), &|options| options.workers(2).prefetch(1))?;
    print(json!({ "index": "int32" }), &|options| options.index(Dtype::I32))?;
    print(json!({ "fields": ["y", "edge_index"] }), &|options| options.fields(["y", "edge_index"]))?;
    print(json!({ "missing": "nan" }), &|options| options.missing(f64::NAN))?;
    print(json!({ "extra": ["edge_ptr"] }), &|options| options.extra(["edge_ptr"]))
}
