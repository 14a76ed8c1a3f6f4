//! [`Whole`]: the whole graph, on which a network is evaluated.

use super::network::{Sage, WholeEdges};
use graphpack_partition::{Array, LargeGraph};
use std::error::Error;
use tch::{Device, Kind, Tensor};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Nodes that a layer computes at a time.
const ROWS: usize = 10_000;

/// Features, labels and edges of all nodes.
pub(crate) struct Whole {
    pub(crate) x: Tensor,
    labels: Vec<i64>,
    pub(crate) classes: i64,
    /// Masks of the training, validation and test nodes.
    pub(crate) masks: [Vec<bool>; 3],
    edges: WholeEdges,
}

impl Whole {
    pub(crate) fn new(graph: &LargeGraph, device: Device) -> Outcome<Self> {
        graph.check()?;
        let [node] = graph.node_types.as_slice() else {
            return Err(format!("{} types of nodes, expected one", graph.node_types.len()).into());
        };
        let [edges] = graph.edge_types.as_slice() else {
            return Err(format!("{} types of edges, expected one", graph.edge_types.len()).into());
        };
        let feature = |name: &str| -> Outcome<&Array> {
            let found = node.features.iter().find(|(known, _)| known == name);
            let names = || node.features.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
            Ok(&found.ok_or_else(|| format!("nodes have no feature {name}, only {}", names()))?.1)
        };
        let of_type = |name: &str, expected: &str| -> Outcome<&Array> {
            let array = feature(name)?;
            let found = array.element().to_string();
            if !expected.split(' ').any(|expected| expected == found) {
                return Err(format!("feature {name} is {found}, expected {}", expected.replace(' ', " or ")).into());
            }
            Ok(array)
        };
        let (x, y) = (of_type("x", "float32")?, of_type("y", "int64")?);
        let nodes = node.nodes as i64;
        let width = (x.row_bytes() / 4) as i64;
        let rows = |array: &Array, width: i64| -> Outcome<()> {
            let expected = [nodes, width];
            let found: usize = array.shape().iter().product();
            if found as i64 == nodes * width {
                Ok(())
            } else {
                Err(format!("{found} elements, expected {expected:?}").into())
            }
        };
        rows(y, 1)?;
        let labels: Vec<i64> = y.bytes().as_chunks::<8>().0.iter().map(|bytes| i64::from_le_bytes(*bytes)).collect();
        if let Some(node) = labels.iter().position(|&label| !(0..1 << 20).contains(&label)) {
            return Err(format!("node {node} has class {}, expected 0 to {}", labels[node], 1 << 20).into());
        }
        let mask = |name: &str| -> Outcome<Vec<bool>> {
            let array = of_type(name, "uint8 bool")?;
            rows(array, 1)?;
            Ok(array.bytes().iter().map(|&byte| byte != 0).collect())
        };
        let masks = [mask("train_mask")?, mask("val_mask")?, mask("test_mask")?];
        let x = Tensor::f_from_data_size(x.bytes(), &[nodes, width], Kind::Float)?.f_to_device(device)?;
        let classes = labels.iter().max().map_or(1, |most| most + 1);
        let edges = WholeEdges::new(node.nodes, &edges.sources, &edges.targets, device)?;
        Ok(Self { x, labels, classes, masks, edges })
    }

    /// Returns the accuracy on training, validation and test nodes, where each node has all of its neighbours.
    pub(crate) fn accuracy(&self, network: &Sage) -> Outcome<[f64; 3]> {
        let logits = network.infer(&self.x, &self.edges, ROWS)?;
        let found = Vec::<i64>::try_from(&logits.f_argmax(1, false)?.f_to_device(Device::Cpu)?)?;
        let right: Vec<bool> = found.iter().zip(&self.labels).map(|(found, label)| found == label).collect();
        Ok(self.masks.each_ref().map(|mask| {
            let counted = mask.iter().filter(|counted| **counted).count();
            mask.iter().zip(&right).filter(|(counted, right)| **counted && **right).count() as f64
                / counted.max(1) as f64
        }))
    }
}
