//! Batches of the Rust loader for every option, as checksums, which the tests of the Python package compare with its own.
//! `cargo run --example batches STORE` prints a line of JSON for each: options as Python has them, and the CRC-32 of each
//! batch of epoch 1. The store has 200 graphs of nodes and edges with a field `y`.

use graphpack_loader::graphpack_core::{Cost, Effort, Heuristic};
use graphpack_loader::{
    Batching, Capacity, Limits, Loader, LoaderBuilder, Oversize, Packer, Padding, Remainder, Shape, Shard, Size, Store,
    Weights,
};
use serde_json::{Value, json};
use std::error::Error;

type Builder = LoaderBuilder;

fn main() -> Result<(), Box<dyn Error>> {
    let store = Store::open(std::env::args().nth(1).ok_or("expected a store")?)?;
    let print = |options: Value, set: &dyn Fn(Builder) -> Builder| -> Result<(), Box<dyn Error>> {
        let loader = set(Loader::new(store.clone()).batch_graphs(16).shuffle(3)).build()?;
        let sums = loader.epoch(1).map(|batch| {
            let (batch, mut sum) = (batch?, crc32fast::Hasher::new());
            for array in batch.layout().arrays() {
                let bytes = array.rows * array.width.unwrap_or(1) * array.dtype.bytes();
                sum.update(&batch.bytes()[array.start..array.start + bytes]);
            }
            Ok(sum.finalize())
        });
        println!("{}", json!({ "options": options, "sums": sums.collect::<Result<Vec<_>, Box<dyn Error>>>()? }));
        Ok(())
    };
    let capacity = |options: Value, capacity: Capacity| {
        print(json!({ "capacity": options }), &|builder| builder.capacity(capacity))
    };
    let batching = |options: Value, batching: Batching| {
        print(json!({ "batching": options }), &|builder| builder.batching(batching))
    };
    let packer = |options: Value, packer: Packer| {
        print(json!({ "packer": options }), &|builder| builder.batching(Batching::Packed(packer)))
    };
    print(json!({}), &|builder| builder)?;
    print(json!({ "batch_graphs": 5 }), &|builder| builder.batch_graphs(5))?;
    print(json!({ "auto_limits": 16 }), &|builder| builder.auto_limits(16))?;
    let limits = Limits::new(Size::of(2, |_| 24)).graphs(8);
    print(json!({ "limits": [24, 24, 8] }), &|builder| builder.limits(limits))?;
    for (name, oversize) in [("skip", Oversize::Skip), ("alone", Oversize::Alone), ("trim", Oversize::Trim)] {
        let limits = Limits::new(Size::of(2, |_| 10)).graphs(8);
        let options = json!({ "limits": [10, 10, 8], "oversize": name });
        print(options, &|builder| builder.limits(limits).oversize(oversize))?;
    }
    let shape = Shape::of(2, 9, |set| [80, 90][set]);
    print(json!({ "shape": [80, 90, 9] }), &|builder| builder.capacity(Capacity::Shape(shape)))?;
    capacity(json!(["graphs", 12]), Capacity::Graphs(12))?;
    capacity(json!(["search", 12]), Capacity::Search(12))?;
    capacity(json!(["buckets", 2, 8]), Capacity::Buckets { shapes: 2, graphs: 8 })?;
    capacity(json!(["dynamic", 16]), Capacity::Dynamic { batch_size: 16 })?;
    capacity(json!(["constant", 16]), Capacity::Constant { batch_size: 16 })?;
    capacity(json!(["tight", 16]), Capacity::Tight { batch_size: 16 })?;
    capacity(json!(["percentile", 16, 0.9]), Capacity::Percentile { batch_size: 16, share: 0.9 })?;
    let (cost, memory) = (Cost::rows([2, 5, 0, 0, 0, 0, 0, 0]).step(30), Cost::rows([1, 1, 0, 0, 0, 0, 0, 0]));
    let cheapest = json!(["cheapest", [2, 5, 0, 30], [1, 1, 0, 0], 300]);
    capacity(cheapest, Capacity::Cheapest { cost, memory, budget: 300 })?;
    batching(json!("window"), Batching::Window { open: 32 })?;
    batching(json!(["window", 8]), Batching::Window { open: 8 })?;
    batching(json!("dynamic"), Batching::Dynamic)?;
    batching(json!("static_constant"), Batching::StaticConstant)?;
    batching(json!("static_64"), Batching::Static64)?;
    batching(json!("static_pow2"), Batching::StaticPow2)?;
    batching(json!(["node_budget", 100]), Batching::NodeBudget { nodes: 100 })?;
    batching(json!(["edge_budget", 100]), Batching::EdgeBudget { edges: 100 })?;
    batching(json!(["row_budget", 1, 100]), Batching::RowBudget { set: 1, rows: 100 })?;
    batching(json!(["graphs_or_nodes", 100]), Batching::GraphsOrNodes { nodes: 100 })?;
    batching(json!(["graphs_or_rows", 1, 100]), Batching::GraphsOrRows { set: 1, rows: 100 })?;
    packer(json!("demand"), Packer::Demand)?;
    packer(json!(["columns", 0.1]), Packer::Columns(Effort::seconds(0.1)))?;
    packer(json!(["best_fit", "sum"]), Packer::BestFit(Heuristic::Sum))?;
    packer(json!("first_fit"), Packer::FirstFit(Heuristic::Product))?;
    packer(json!(["published", "maximum"]), Packer::Published(Heuristic::Maximum))?;
    packer(json!(["window", 8, 1]), Packer::Window { open: 8, seed: 1 })?;
    print(json!({ "packs_per_batch": 2 }), &|builder| builder.packs_per_batch(2))?;
    print(json!({ "padding": "two_nodes" }), &|builder| builder.padding(Padding::TwoNodes))?;
    print(json!({ "padding": "apart" }), &|builder| builder.padding(Padding::Apart))?;
    print(json!({ "shuffle_block": 20 }), &|builder| builder.shuffle_blocks(3, 20))?;
    let weights: Vec<f64> = (0..200).map(|graph| f64::from(graph % 3)).collect();
    let drawn = Weights::new(&weights)?.with_draws(50);
    let options = json!({ "weights": weights, "draws": 50 });
    print(options, &|builder| builder.weighted(drawn.clone()))?;
    let shard = Shard::new(1, 3)?;
    print(json!({ "shard": [1, 3] }), &|builder| builder.shard(shard))?;
    let dropped = shard.remainder(Remainder::Drop);
    print(json!({ "shard": [1, 3], "remainder": "drop" }), &|builder| builder.shard(dropped))?;
    let options = json!({ "shard": [1, 3], "batching": "static_64", "equal_shapes": true });
    print(options, &|builder| builder.shard(shard).batching(Batching::Static64).equal_shapes())?;
    let options = json!({ "batching": "dynamic", "drop_last": true });
    print(options, &|builder| builder.batching(Batching::Dynamic).drop_last())?;
    print(json!({ "workers": 2, "prefetch": 1 }), &|builder| builder.workers(2).prefetch(1))?;
    print(json!({ "narrow_indices": true }), &|builder| builder.narrow_indices())?;
    print(json!({ "fields": ["y", "edge_index"] }), &|builder| builder.fields(["y", "edge_index"]))?;
    print(json!({ "with_arrays": ["edge_ptr"] }), &|builder| builder.with_arrays(["edge_ptr"]))
}
