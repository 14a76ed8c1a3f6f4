//! Promise 2, for networks as people have them: without masks but in the loss, five layers deep, in half precision.

use super::seeded;
use graphpack_loader::{Batch, Data, Edges, Grouping, Loader, Options, Order, Padding, Store, clusters, molecules};
use std::cell::RefCell;
use std::sync::{Arc, LazyLock};
use tch::nn::{Init, VarStore};
use tch::{Device, Kind, Tensor};

const SPREAD: [Padding; 3] = [Padding::SelfLoops, Padding::TwoNodes, Padding::Beyond];
const LAYERS: usize = 5;
const WIDTH: i64 = 16;

/// The rows of a batch: all, or only the real ones.
struct Rows {
    x: Tensor,
    sources: Tensor,
    targets: Tensor,
    /// Lengths and directions of edges, which no padding may make infinite.
    lengths: Tensor,
    directions: Tensor,
    graph: Tensor,
    graphs: i64,
    real_graphs: i64,
    y: Tensor,
}

impl Rows {
    fn new(batch: &Batch, padded: bool) -> Self {
        let (shape, real) = (batch.shape(), batch.real());
        let rows = if padded { shape } else { real };
        let (nodes, edges) = (rows.nodes() as i64, rows.edges() as i64);
        let floats = |name: &str, width: i64, rows: i64| {
            Tensor::from_slice(batch.get::<f32>(name).unwrap()).view([-1, width]).narrow(0, 0, rows)
        };
        let (sources, targets) = batch.edge_index::<i64>().unwrap();
        let [sources, targets] = [sources, targets].map(|column| Tensor::from_slice(column).narrow(0, 0, edges));
        let (x, lengths, directions) = match batch.get::<f32>("pos") {
            Ok(_) => {
                let pos = floats("pos", 3, nodes);
                let between = pos.index_select(0, &sources) - pos.index_select(0, &targets);
                let lengths = floats("distance", 1, edges);
                let z = Tensor::from_slice(batch.get::<i64>("z").unwrap()).narrow(0, 0, nodes);
                (z.clamp_max(20).one_hot(21).to_kind(Kind::Float), lengths.copy(), between / lengths)
            }
            Err(_) => {
                let x = Tensor::from_slice(batch.get::<i64>("x").unwrap()).to_kind(Kind::Float);
                let x = x.view([shape.nodes() as i64, -1]).narrow(0, 0, nodes);
                let ones = Tensor::ones([edges, 1], (Kind::Float, Device::Cpu));
                (x, ones.copy(), ones.expand([edges, 3], false).copy())
            }
        };
        Self {
            x,
            sources,
            targets,
            lengths,
            directions,
            graph: Tensor::from_slice(batch.batch::<i64>().unwrap()).narrow(0, 0, nodes),
            graphs: rows.graphs() as i64,
            real_graphs: real.graphs() as i64,
            y: match batch.get::<i64>("y") {
                Ok(y) => Tensor::from_slice(y).view([-1, 1]).narrow(0, 0, real.graphs() as i64),
                Err(_) => floats("y", 1, real.graphs() as i64),
            },
        }
    }

    /// The sum of the messages that each node gets, in their own precision.
    fn sum(&self, messages: &Tensor) -> Tensor {
        let mut size = messages.size();
        size[0] = self.x.size()[0];
        Tensor::zeros(&size, (messages.kind(), Device::Cpu)).index_add(0, &self.targets, messages)
    }

    fn from(&self, h: &Tensor) -> Tensor {
        h.index_select(0, &self.sources)
    }

    /// The mean of the nodes of each graph; 0 without any.
    fn mean(&self, h: &Tensor) -> Tensor {
        let zeros = |width: i64| Tensor::zeros([self.graphs, width], (h.kind(), Device::Cpu));
        let nodes = zeros(1).index_add(0, &self.graph, &h.narrow(1, 0, 1).ones_like());
        zeros(h.size()[1]).index_add(0, &self.graph, h) / nodes.clamp_min(1)
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Norm {
    None,
    Batch,
    Layer,
    Graph,
}

/// Parameters, made where they are first used; the precision of dense layers, as autocast sets it; and the variances
/// that batch norm sees.
struct Net {
    store: VarStore,
    kind: Kind,
    norm: Norm,
    variances: RefCell<Vec<f64>>,
}

impl Net {
    fn dense(&self, name: &str, layer: usize, x: &Tensor, to: i64) -> Tensor {
        let from = x.size()[1];
        // PyTorch's own.
        let limit = (from as f64).sqrt().recip();
        let init = Init::Uniform { lo: -limit, up: limit };
        let root = self.store.root();
        let weight = root.entry(&format!("{name}_{layer}_weight")).or_var(&[to, from], init);
        let bias = root.entry(&format!("{name}_{layer}_bias")).or_var(&[to], init);
        x.to_kind(self.kind).linear(&weight.to_kind(self.kind), Some(&bias.to_kind(self.kind)))
    }

    /// In full precision, as autocast has it.
    fn normed(&self, rows: &Rows, h: &Tensor) -> Tensor {
        let full = if self.kind == Kind::Double { Kind::Double } else { Kind::Float };
        let h = h.to_kind(full);
        match self.norm {
            Norm::None => h,
            Norm::Batch => {
                let (variance, mean) = h.var_mean_dim(0, false, true);
                self.variances.borrow_mut().push(variance.mean(full).double_value(&[]));
                (h - mean) / (variance + 1e-5).sqrt()
            }
            Norm::Layer => {
                let none: Option<&Tensor> = None;
                h.layer_norm([h.size()[1]], none, none, 1e-5, false)
            }
            Norm::Graph => {
                let centred = &h - rows.mean(&h).index_select(0, &rows.graph);
                let variance = rows.mean(&centred.square()).index_select(0, &rows.graph);
                centred / (variance + 1e-5).sqrt()
            }
        }
    }
}

const NORMS: [Norm; 4] = [Norm::None, Norm::Batch, Norm::Layer, Norm::Graph];

type Layer = fn(&Net, usize, &Rows, [Tensor; 2]) -> [Tensor; 2];

/// Xu et al., arXiv 1810.00826.
fn gin(net: &Net, layer: usize, rows: &Rows, [h, v]: [Tensor; 2]) -> [Tensor; 2] {
    let h = net.dense("a", layer, &(rows.sum(&rows.from(&h)) + &h), WIDTH);
    [net.dense("b", layer, &net.normed(rows, &h).relu(), WIDTH).relu(), v]
}

/// Veličković et al., arXiv 1710.10903, with one head.
fn gat(net: &Net, layer: usize, rows: &Rows, [h, v]: [Tensor; 2]) -> [Tensor; 2] {
    let h = net.dense("a", layer, &h, WIDTH);
    let [from, to] = ["b", "c"].map(|name| net.dense(name, layer, &h, 1));
    let scores = (rows.from(&from) + to.index_select(0, &rows.targets)).leaky_relu().to_kind(Kind::Float);
    let least = Tensor::full([h.size()[0], 1], -1e9, (Kind::Float, Device::Cpu));
    let most = least.index_reduce(0, &rows.targets, &scores.detach(), "amax", true);
    let weights = (scores - most.index_select(0, &rows.targets)).exp();
    let sums = rows.sum(&weights).index_select(0, &rows.targets);
    let h = rows.sum(&(rows.from(&h) * (weights / (sums + 1e-16)).to_kind(h.kind())));
    [net.normed(rows, &h).relu(), v]
}

/// Schütt et al., arXiv 1706.08566, with sums.
fn schnet(net: &Net, layer: usize, rows: &Rows, [h, v]: [Tensor; 2]) -> [Tensor; 2] {
    let filter = net.dense("b", layer, &net.dense("a", layer, &gaussians(rows), WIDTH).softplus(), WIDTH);
    let sum = rows.sum(&(rows.from(&net.dense("c", layer, &h, WIDTH)) * filter));
    let update = net.dense("d", layer, &net.normed(rows, &sum).softplus(), WIDTH);
    [h + update, v]
}

/// Schütt et al., arXiv 2102.03150: messages, and updates without products of vectors.
fn painn(net: &Net, layer: usize, rows: &Rows, [h, v]: [Tensor; 2]) -> [Tensor; 2] {
    let filter = net.dense("a", layer, &gaussians(rows), 3 * WIDTH);
    let messages = rows.from(&net.dense("b", layer, &net.normed(rows, &h).silu(), 3 * WIDTH)) * filter;
    let part = |number: i64| messages.narrow(1, number * WIDTH, WIDTH);
    let along = |part: Tensor| part.unsqueeze(1) * rows.directions.to_kind(messages.kind()).unsqueeze(2);
    let v = v.to_kind(messages.kind()).view([-1, 3, WIDTH]);
    let v = &v + rows.sum(&(along(part(0)) + rows.from(&v) * part(1).unsqueeze(1)));
    let squares = v.to_kind(Kind::Float).square().sum_dim_intlist(1, false, Kind::Float);
    let lengths = (squares + 1e-8).sqrt().to_kind(messages.kind());
    let both = Tensor::cat(&[&(&h + rows.sum(&part(2))), &lengths], 1);
    let update = net.dense("d", layer, &net.dense("c", layer, &both, WIDTH).silu(), WIDTH);
    [h + update, v.view([-1, 3 * WIDTH])]
}

fn gaussians(rows: &Rows) -> Tensor {
    let centres = Tensor::linspace(0.0, 5.0, 20, (Kind::Float, Device::Cpu));
    ((&rows.lengths - centres).square() * -8.0).exp()
}

/// The loss over real graphs, its gradients, and the variances that batch norm saw.
fn trained(network: Layer, norm: Norm, kind: Kind, rows: &Rows) -> (Vec<Tensor>, Vec<f64>) {
    let net = Net { store: VarStore::new(Device::Cpu), kind, norm, variances: RefCell::default() };
    let drawing = seeded(3);
    let h = net.dense("first", 0, &rows.x, WIDTH).relu();
    let v = Tensor::zeros([h.size()[0], 3 * WIDTH], (h.kind(), Device::Cpu));
    let [h, _] = (0..LAYERS).fold([h, v], |state, layer| network(&net, layer, rows, state));
    let full = if kind == Kind::Double { Kind::Double } else { Kind::Float };
    let out = rows.mean(&net.dense("last", 0, &h, 1).to_kind(full)).narrow(0, 0, rows.real_graphs);
    // All parameters are drawn.
    drop(drawing);
    (out - rows.y.to_kind(full)).square().mean(full).backward();
    let mut gradients: Vec<_> = net.store.variables().into_iter().collect();
    gradients.sort_by(|a, b| a.0.cmp(&b.0));
    (gradients.into_iter().map(|(_, variable)| variable.grad()).collect(), net.variances.into_inner())
}

fn batches(data: &Arc<Store>, padding: Padding) -> Vec<Batch> {
    let options = Options::graphs(64).grouping(Grouping::InOrder).padding(padding);
    Loader::new(data.clone(), options.order(Order::Shuffled).seed(1)).unwrap().epoch(0).map(Result::unwrap).collect()
}

/// The batch with most padding edges for each padding node.
fn hardest(data: &Arc<Store>, padding: Padding) -> Batch {
    let edges_per_node = |batch: &Batch| {
        let (shape, real) = (batch.shape(), batch.real());
        1000 * (shape.edges() - real.edges()) / (shape.nodes() - real.nodes())
    };
    batches(data, padding).into_iter().max_by_key(edges_per_node).unwrap()
}

static BONDS: LazyLock<Arc<Store>> = LazyLock::new(|| Arc::new(molecules::generate(5, 300)));

static CLOUDS: LazyLock<Arc<Store>> = LazyLock::new(|| {
    let clouds = Data::from(clusters::generate(5, 150)).connect(Edges::Radius(3.5)).unwrap();
    Arc::new(Store::collect(clouds).unwrap())
});

/// A name, a layer, and graphs that it takes.
type Network = (&'static str, Layer, &'static LazyLock<Arc<Store>>);

static NETWORKS: [Network; 4] =
    [("GIN", gin, &BONDS), ("GAT", gat, &BONDS), ("SchNet", schnet, &CLOUDS), ("PaiNN", painn, &CLOUDS)];

#[test]
fn gradients_are_those_of_the_unpadded_batch() {
    for (name, network, data) in NETWORKS {
        for padding in SPREAD {
            let batch = hardest(data, padding);
            for norm in [Norm::None, Norm::Layer, Norm::Graph] {
                let of = |padded| trained(network, norm, Kind::Float, &Rows::new(&batch, padded)).0;
                let (padded, expected) = (of(true), of(false));
                let length = |tensor: &Tensor| tensor.norm().double_value(&[]);
                let all: f64 = expected.iter().map(length).sum();
                for (a, b) in padded.iter().zip(&expected) {
                    let difference = length(&(a - b));
                    assert!(difference <= 1e-4 * all, "{name}, {padding:?}, {norm:?}: {difference} of {all}");
                }
            }
        }
    }
}

#[test]
fn gradients_are_finite_in_half_precision() {
    let are_finite = |network, norm, kind, batch: &Batch, padded| {
        let (gradients, _) = trained(network, norm, kind, &Rows::new(batch, padded));
        gradients.iter().all(|gradient| gradient.isfinite().all().int64_value(&[]) == 1)
    };
    for (name, network, data) in NETWORKS {
        for padding in SPREAD {
            let batch = hardest(data, padding);
            for (kind, norm) in [Kind::Half, Kind::BFloat16].into_iter().flat_map(|kind| NORMS.map(|norm| (kind, norm)))
            {
                let of = |padded| are_finite(network, norm, kind, &batch, padded);
                let what = format!("{name}, {norm:?}, {kind:?}, {padding:?}");
                assert!(of(true), "{what}; finite without padding: {}", of(false));
            }
        }
    }
    // One padding node has all padding edges: what the above is there to find.
    assert!(!are_finite(gin, Norm::None, Kind::Half, &hardest(&BONDS, Padding::Jraph), true));
}

#[test]
fn batch_norm_sees_the_variance_of_real_rows() {
    let ratio = |padding| {
        let batch = hardest(&BONDS, padding);
        let of = |padded| trained(gin, Norm::Batch, Kind::Float, &Rows::new(&batch, padded)).1;
        let ratios = of(true).into_iter().zip(of(false)).map(|(all, real)| (all / real).max(real / all));
        ratios.fold(0.0, f64::max)
    };
    let [spread, jraph] = [Padding::SelfLoops, Padding::Jraph].map(ratio);
    println!("variance in batch norm: {spread} times that of real rows, {jraph} times with one padding node");
    assert!(spread < 3.0 && jraph > 5.0, "{spread}, {jraph}");
}
