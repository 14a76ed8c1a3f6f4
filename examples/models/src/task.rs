//! [`Task`]: a data set and the network that is trained on it, for tests and measurements on a GPU.

use crate::{Features, Gine, Schnet};
use graphpack_loader::schema::Field;
use graphpack_loader::{Column, Data, Dtype, Edges, Epoch, Level, Loader, Options, Order, Store, clusters, molecules};
use graphpack_tch::{Adam, DeviceLoader, Error, Pinned, TensorBatch, bce_with_logits, mse};
use std::collections::BTreeSet;
use std::sync::Arc;
use tch::nn::{self, VarStore};
use tch::{Device, Kind, Tensor};

type Fallible<T> = Result<T, Box<dyn std::error::Error>>;

/// Angstrom between the ends of an edge of structures, at most.
const RADIUS: f64 = 4.0;

/// A data set and the network that is trained on it: GINE on molecules, or SchNet on structures.
pub struct Task {
    /// `gine` or `schnet`.
    key: &'static str,
    name: &'static str,
    store: Arc<Store>,
    /// The atomic numbers that occur, for SchNet.
    elements: Option<Vec<u8>>,
    /// Mean and standard deviation of the targets.
    target: [f64; 2],
}

/// A network with its optimizer.
pub struct Training {
    network: Network,
    variables: VarStore,
    optimizer: Adam,
    target: [f64; 2],
}

/// Changes each weight at the start by about `share` of its value, drawn from a seed: later losses show what rounding
/// alone does.
#[derive(Clone, Copy)]
pub struct Moved {
    /// Of the weight's value.
    pub share: f64,
    /// Of the draw.
    pub seed: i64,
}

enum Network {
    Gine(Gine),
    Schnet(Schnet),
}

impl Task {
    /// Both tasks on this number of generated graphs.
    pub fn generated(graphs: usize) -> Fallible<[Self; 2]> {
        let structures = Data::from(clusters::generate(0, graphs)).connect(Edges::Radius(RADIUS))?;
        Self::both(narrow(&molecules::generate(0, graphs))?, narrow(&Store::collect(structures)?)?)
    }

    /// Both tasks, on stores that [`narrow`] has made.
    pub fn both(molecules: Store, structures: Store) -> Fallible<[Self; 2]> {
        let y = match structures.values::<f32>("y") {
            Ok(y) => y,
            // The number of atoms serves as well, since only times count.
            Err(_) => structures.sizes().map(|size| size[0] as f32).collect(),
        };
        let mean = y.iter().copied().map(f64::from).sum::<f64>() / y.len().max(1) as f64;
        let variance = y.iter().map(|&y| (f64::from(y) - mean).powi(2)).sum::<f64>() / y.len().max(1) as f64;
        let elements: BTreeSet<u8> = structures.values::<u8>("z")?.into_iter().collect();
        Ok([
            Self {
                key: "gine",
                name: "GINE, molecules",
                store: Arc::new(molecules),
                elements: None,
                target: [0.0, 1.0],
            },
            Self {
                key: "schnet",
                name: "SchNet, structures",
                store: Arc::new(structures),
                elements: Some(elements.into_iter().collect()),
                target: [mean, variance.sqrt().max(1e-9)],
            },
        ])
    }

    /// The name in options.
    pub fn key(&self) -> &'static str {
        self.key
    }

    /// The name in results.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The graphs.
    pub fn data(&self) -> &Arc<Store> {
        &self.store
    }

    /// A loader of batches of about `graphs` graphs, in types as narrow as they can be.
    pub fn loader(&self, graphs: u32, device: Device, workers: usize) -> Fallible<Loader> {
        Ok(Loader::new(self.store.clone(), self.options(graphs, device, workers))?)
    }

    /// The options of [`loader`](Self::loader).
    pub fn options(&self, graphs: u32, device: Device, workers: usize) -> Options {
        let options = Options::graphs(graphs).order(Order::Shuffled).seed(0);
        let options = options.workers(workers).prefetch(2 * workers.max(1)).index(Dtype::I32);
        if device.is_cuda() { options.memory(Pinned) } else { options }
    }

    /// The batches of an epoch, copied to a device and cast there to the types that the network takes.
    pub fn batches(&self, loader: &Loader, epoch: u64, device: Device) -> DeviceLoader<Epoch> {
        let mut batches = DeviceLoader::new(loader.epoch(epoch), device).wide_indices();
        for field in self.store.schema().fields() {
            if field.dtype == Dtype::U8 {
                batches = batches.cast(&field.name, Kind::Int64);
            }
        }
        batches
    }

    /// A network to train; for the same seed the same one, unless its weights are `moved`.
    pub fn training(&self, device: Device, dropout: f64, seed: i64, moved: Option<Moved>) -> Fallible<Training> {
        tch::manual_seed(seed);
        // Weights are drawn on the CPU, because a GPU draws other numbers.
        let build = |device| -> Fallible<(VarStore, Network)> {
            let variables = VarStore::new(device);
            let root: nn::Path<'_> = variables.root();
            let network = match &self.elements {
                None => Network::Gine(Gine::new(&root, &Features::of_ogb(), [64, 1], dropout)?),
                Some(elements) => Network::Schnet(Schnet::new(&root, 64, elements)?),
            };
            Ok((variables, network))
        };
        let (mut variables, mut network) = build(Device::Cpu)?;
        if let Some(Moved { share, seed }) = moved {
            tch::manual_seed(seed);
            let _guard = tch::no_grad_guard();
            for mut variable in variables.trainable_variables() {
                let factors = variable.f_randn_like()?.f_mul_scalar(share)?.f_add_scalar(1.0)?;
                let _ = variable.f_mul_(&factors)?;
            }
        }
        if device != Device::Cpu {
            let drawn = variables;
            (variables, network) = build(device)?;
            variables.copy(&drawn)?;
        }
        let optimizer = Adam::adamw(&variables, 1e-3, 1e-5)?;
        Ok(Training { network, variables, optimizer, target: self.target })
    }
}

impl Training {
    /// Sets the learning rate of the next steps, also if they are recorded already.
    pub fn set_learning_rate(&mut self, rate: f64) -> Result<(), Error> {
        self.optimizer.set_learning_rate(rate)
    }

    /// The parameters that are trained.
    pub fn parameters(&self) -> Vec<Tensor> {
        self.variables.trainable_variables()
    }

    /// Forward pass, loss, backward pass and update; returns the loss, on the device.
    pub fn step(&mut self, batch: &TensorBatch) -> Result<Tensor, Error> {
        let loss = match &self.network {
            Network::Gine(network) => bce_with_logits(&network.forward(batch, true)?, batch.get("y")?, batch)?,
            Network::Schnet(network) => {
                let y = match batch.get("y") {
                    Ok(y) => y.f_view([-1, 1])?,
                    Err(_) => nodes(batch)?,
                };
                let y = y.f_sub_scalar(self.target[0])?.f_div_scalar(self.target[1])?;
                mse(&network.forward(batch)?, &y, batch)?
            }
        };
        self.optimizer.backward_step(&loss)?;
        Ok(loss.detach())
    }
}

/// Number of nodes of each graph, `[graphs, 1]`.
fn nodes(batch: &TensorBatch) -> Result<Tensor, Error> {
    let graphs = batch.shape().graphs() as i64;
    let sizes = batch.ptr()?.f_narrow(0, 1, graphs)?.f_sub(&batch.ptr()?.f_narrow(0, 0, graphs)?)?;
    Ok(sizes.f_to_kind(Kind::Float)?.f_unsqueeze(1)?)
}

/// The same graphs with categories in one byte each, as they are copied to the device, and without positions: edges
/// have their distances.
pub fn narrow(store: &Store) -> Fallible<Store> {
    let (mut ptr_node, mut ptr_edge) = (vec![0], vec![0]);
    let mut edge_index = [Vec::new(), Vec::new()];
    let (mut nodes, mut edges) = (0, 0);
    for graph in 0..store.len() {
        let [n, e] = store.size(graph)?.first().map(u64::from);
        (nodes, edges) = (nodes + n, edges + e);
        ptr_node.push(nodes);
        ptr_edge.push(edges);
        let (sources, targets) = store.edges(graph)?;
        edge_index[0].extend(sources);
        edge_index[1].extend(targets);
    }
    let fields = store.schema().fields().iter().filter(|field| field.name != "pos");
    let columns = fields.map(|field| narrowed(store, field)).collect::<Fallible<_>>()?;
    Ok(Store::of_columns(ptr_node, ptr_edge, edge_index, columns)?)
}

fn narrowed(store: &Store, field: &Field) -> Fallible<Column> {
    let Field { name, level, dtype, width, padding, .. } = field;
    let column = match dtype {
        Dtype::F32 => Column::new(name, *level, *width, store.values::<f32>(name)?),
        Dtype::I64 if *level != Level::Graph => {
            let values = store.values::<i64>(name)?.into_iter().map(u8::try_from).collect::<Result<Vec<_>, _>>()?;
            Column::new(name, *level, *width, values)
        }
        Dtype::I64 => {
            let values = store.values::<i64>(name)?.into_iter().map(|value| value as f32).collect::<Vec<_>>();
            Column::new(name, *level, *width, values)
        }
        other => return Err(format!("{name:?} is of {other}, expected float32 or int64").into()),
    };
    Ok(column.padded(*padding))
}
