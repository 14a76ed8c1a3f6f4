//! A source of your own, as fast as the loader's [`Store`]: it writes data that lie in memory in some form straight
//! into batches.
//!
//! `cargo run --release --example own_source` loads the same graphs from both, and prints how fast each is.

use graphpack_loader::store::{Bytes, will_read};
use graphpack_loader::{
    BoxError, Capacity, Column, Data, Dtype, Estimate, Grouping, Level, Loader, Options, Order, Random, Schema, Size,
    Slot, Source, Store, Worker,
};
use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

const GRAPHS: usize = 40_000;
const WIDTH: usize = 9;

/// Rings of 5 to 40 atoms with chords, one record per graph: features of its nodes, then sources and targets, a byte
/// each.
struct Records {
    schema: Schema,
    sizes: Vec<[u32; 2]>,
    features: Bytes,
    edges: Bytes,
    /// Where the features and the edges of each graph start.
    starts: Vec<[usize; 2]>,
}

impl Records {
    fn generate(seed: u64) -> Result<Self, Box<dyn Error>> {
        let schema = Schema::default().field("x", "nodes", Dtype::F32, &[WIDTH]);
        let (mut sizes, mut starts) = (Vec::new(), Vec::new());
        let (mut features, mut edges) = (Vec::<f32>::new(), Vec::new());
        for graph in 0..GRAPHS {
            let mut random = Random::new(seed, graph as u64);
            let nodes = 5 + random.below(36);
            starts.push([4 * features.len(), edges.len()]);
            sizes.push([nodes, 3 * nodes]);
            features.extend((0..nodes as usize * WIDTH).map(|_| random.unit() as f32));
            for step in [0, 1, 2] {
                edges.extend((0..nodes).map(|node| ((node + step * 7) % nodes) as u8));
            }
            for step in [1, 2, 3] {
                edges.extend((0..nodes).map(|node| ((node + step * 5) % nodes) as u8));
            }
        }
        // Large memory in huge pages, as a store has it: rows of shuffled graphs lie anywhere.
        let (features, edges) = (Bytes::new(bytemuck::cast_slice(&features)), Bytes::new(&edges));
        Ok(Self { schema, sizes, features, edges, starts })
    }

    fn features(&self, graph: usize) -> &[u8] {
        let (start, bytes) = (self.starts[graph][0], 4 * self.sizes[graph][0] as usize * WIDTH);
        &self.features.as_slice()[start..start + bytes]
    }

    fn edges(&self, graph: usize) -> [&[u8]; 2] {
        let (start, edges) = (self.starts[graph][1], self.sizes[graph][1] as usize);
        self.edges.as_slice()[start..start + 2 * edges].split_at(edges).into()
    }

    /// The same graphs in the loader's own columns.
    fn to_store(&self) -> Result<Store, Box<dyn Error>> {
        let (mut node_ptr, mut edge_ptr) = (vec![0], vec![0]);
        let mut rows = [Vec::new(), Vec::new()];
        for (graph, [nodes, edges]) in self.sizes.iter().enumerate() {
            node_ptr.push(node_ptr[graph] + u64::from(*nodes));
            edge_ptr.push(edge_ptr[graph] + u64::from(*edges));
            for (row, local) in rows.iter_mut().zip(self.edges(graph)) {
                row.extend(local.iter().map(|&node| i64::from(node)));
            }
        }
        let features = self.features.as_slice().chunks_exact(4).map(bytemuck::pod_read_unaligned::<f32>).collect();
        Ok(Store::of_columns(node_ptr, edge_ptr, rows, vec![Column::new("x", Level::NODE, WIDTH, features)])?)
    }
}

impl Source for Records {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn len(&self) -> usize {
        self.sizes.len()
    }

    fn size(&self, graph: usize) -> Result<Size, BoxError> {
        Ok(Size::new(self.sizes[graph]))
    }

    fn write(&self, graph: usize, slot: &mut Slot<'_>, _: &mut Worker) -> Result<(), BoxError> {
        slot.set_bytes("x", self.features(graph))?; // `get` where rows are computed or decoded in place
        Ok(slot.set_index("edge_index", &self.edges(graph))?)
    }

    fn prepare(&self, graphs: &[usize], _: &mut Worker) -> Result<(), BoxError> {
        // Graphs of a batch lie anywhere in memory, which reads all of them at the same time.
        for &graph in graphs {
            will_read(self.features(graph));
            self.edges(graph).into_iter().for_each(will_read);
        }
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let records = Arc::new(Records::generate(1)?);
    let store = Arc::new(records.to_store()?);
    // In turns, so that whatever else the machine does falls on both.
    let (mut own, mut builtin) = (Vec::new(), Vec::new());
    for epoch in 0..9 {
        own.push(graphs_per_second(records.clone(), epoch)?);
        builtin.push(graphs_per_second(store.clone(), epoch)?);
    }
    let median = |mut all: Vec<f64>| {
        all.sort_by(f64::total_cmp);
        all[all.len() / 2]
    };
    let (own, builtin) = (median(own), median(builtin));
    println!("own source {own:.0} graphs/s, store {builtin:.0} graphs/s, ratio {:.2}", own / builtin);
    Ok(())
}

/// Collates an epoch in shuffled order on this thread.
fn graphs_per_second(data: impl Into<Data>, epoch: u64) -> Result<f64, Box<dyn Error>> {
    let options = Options::default().grouping(Grouping::InOrder).capacity(Capacity::estimate(Estimate::Jraph, 128));
    let loader = Loader::new(data, options.order(Order::Shuffled).seed(1).workers(0))?;
    let begun = Instant::now();
    let mut graphs = 0;
    for batch in loader.epoch(epoch) {
        graphs += batch?.real().graphs();
    }
    Ok(graphs as f64 / begun.elapsed().as_secs_f64())
}
