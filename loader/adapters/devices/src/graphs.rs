//! [`Graphs`]: what the network reads, made of graphpack's batches or by the collation that one writes by hand.

use burn::data::dataloader::batcher::Batcher;
use burn::data::dataset::{Dataset, DatasetError};
use burn::tensor::{Device, Int, Tensor, TensorData};
use graphpack_adapters::graphpack_loader::Store;
use graphpack_adapters::{BurnBatch, BurnError};
use graphpack_loader::Error;

/// The tensors of a batch.
#[derive(Clone, Debug)]
pub(crate) struct Graphs {
    pub(crate) x: Tensor<2, Int>,
    pub(crate) edge_attr: Tensor<2, Int>,
    pub(crate) sources: Tensor<1, Int>,
    pub(crate) targets: Tensor<1, Int>,
    /// The graph of each node.
    pub(crate) batch: Tensor<1, Int>,
    /// Nodes of each graph, at least 1.
    pub(crate) nodes: Tensor<1>,
    pub(crate) y: Tensor<1>,
    /// 1 for real graphs, 0 for padding.
    pub(crate) real: Tensor<1>,
    /// Nodes, edges and graphs, padding included.
    pub(crate) shape: [usize; 3],
}

impl Graphs {
    pub(crate) fn of(batch: &BurnBatch) -> Result<Self, BurnError> {
        let shape = batch.shape();
        let edges: Tensor<2, Int> = batch.int("edge_index")?;
        let ends = |row: usize| edges.clone().narrow(0, row, 1).squeeze_dim(0);
        let ptr: Tensor<1, Int> = batch.int("ptr")?;
        let from = |graph: usize| ptr.clone().narrow(0, graph, shape.graphs());
        Ok(Self {
            x: batch.int("x")?,
            edge_attr: batch.int("edge_attr")?,
            sources: ends(0),
            targets: ends(1),
            batch: batch.int("batch")?,
            nodes: (from(1) - from(0)).float().clamp_min(1.0),
            y: batch.int::<2>("y")?.squeeze_dim::<1>(1).float(),
            real: batch.bool::<1>("graph_mask")?.float(),
            shape: [shape.nodes(), shape.edges(), shape.graphs()],
        })
    }
}

/// A molecule as an item of burn's data sets.
#[derive(Clone, Debug)]
pub(crate) struct Molecule {
    x: Vec<i32>,
    edge_attr: Vec<i32>,
    ends: [Vec<i32>; 2],
    y: f32,
}

/// Molecules in memory.
pub(crate) struct Molecules(Vec<Molecule>);

impl Molecules {
    pub(crate) fn of(store: &Store) -> Result<Self, Error> {
        let (x, edge_attr, y) = (store.values("x")?, store.values("edge_attr")?, store.values::<i64>("y")?);
        let narrow = |values: &[i64]| values.iter().map(|&value| value as i32).collect::<Vec<_>>();
        let (mut nodes, mut edges) = (0, 0);
        let molecules = (0..store.len()).map(|graph| {
            let (sources, targets) = store.edges(graph)?;
            let first = [nodes, edges];
            nodes += store.size(graph)?.as_slice()[0] as usize;
            edges += sources.len();
            Ok(Molecule {
                x: narrow(&x[9 * first[0]..9 * nodes]),
                edge_attr: narrow(&edge_attr[3 * first[1]..3 * edges]),
                ends: [narrow(&sources), narrow(&targets)],
                y: y[graph] as f32,
            })
        });
        molecules.collect::<Result<_, Error>>().map(Self)
    }
}

impl Dataset<Molecule> for Molecules {
    fn get(&self, index: usize) -> Result<Molecule, DatasetError> {
        Ok(self.0[index].clone())
    }

    fn len(&self) -> usize {
        self.0.len()
    }
}

/// Joins molecules without padding, as PyTorch Geometric does.
pub(crate) struct Collate;

impl Batcher<Molecule, Graphs> for Collate {
    fn batch(&self, items: Vec<Molecule>, device: &Device) -> Graphs {
        let (mut x, mut edge_attr, mut batch) = (Vec::new(), Vec::new(), Vec::new());
        let (mut ends, mut nodes, mut y) = ([Vec::new(), Vec::new()], Vec::new(), Vec::new());
        let mut before = 0;
        for (graph, item) in items.iter().enumerate() {
            let of_graph = item.x.len() / 9;
            x.extend_from_slice(&item.x);
            edge_attr.extend_from_slice(&item.edge_attr);
            batch.extend(std::iter::repeat_n(graph as i32, of_graph));
            for (ends, item) in ends.iter_mut().zip(&item.ends) {
                ends.extend(item.iter().map(|node| node + before));
            }
            nodes.push(of_graph as f32);
            y.push(item.y);
            before += of_graph as i32;
        }
        let shape = [batch.len(), ends[0].len(), items.len()];
        let ints = |values: Vec<i32>| Tensor::<1, Int>::from_ints(values.as_slice(), device);
        let table = |values: Vec<i32>, width: usize| {
            let rows = values.len() / width;
            Tensor::<2, Int>::from_data(TensorData::new(values, [rows, width]), device)
        };
        let [sources, targets] = ends.map(ints);
        Graphs {
            x: table(x, 9),
            edge_attr: table(edge_attr, 3),
            sources,
            targets,
            batch: ints(batch),
            nodes: Tensor::from_floats(nodes.as_slice(), device),
            real: Tensor::ones([items.len()], device),
            y: Tensor::from_floats(y.as_slice(), device),
            shape,
        }
    }
}
