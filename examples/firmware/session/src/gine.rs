//! [`Network`]: GINE (Hu et al., arXiv 1905.12265) of width 16 for OGB's molecules, in float32.
//!
//! `gine.weights` was trained on ogbg-molhiv by `cargo xtask train` and written by `cargo xtask firmware --weights`,
//! which folds batch norm into the dense layers. Sums are taken in one order, and nothing is fused: so all machines
//! give the same bits, and a molecule the same logit in any batch.

use crate::MOST;
use crate::molecule::{Inputs, NODES};
use bytemuck::{Pod, Zeroable};
use core::array;
use core::mem::swap;

/// How many values each feature of atoms and of bonds can take.
pub(crate) const ATOM: [u8; 9] = [119, 5, 12, 12, 10, 6, 6, 2, 2];
pub(crate) const BOND: [u8; 3] = [5, 6, 2];
const LAYERS: usize = 5;
const WIDTH: usize = 16;

/// What represents a node.
pub(crate) type Row = [f32; WIDTH];
/// A row for each node of a batch.
pub(crate) type Nodes = [Row; NODES as usize];

/// The weights, in the order of the file, little-endian.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Network {
    /// The tables of all features, one after the other.
    atoms: [Row; 174],
    layers: [Layer; LAYERS],
    out: Row,
    bias: f32,
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Layer {
    bonds: [Row; 13],
    /// The factor of the node itself.
    own: f32,
    wide: [Row; 2 * WIDTH],
    wide_bias: [f32; 2 * WIDTH],
    narrow: [[f32; 2 * WIDTH]; WIDTH],
    narrow_bias: Row,
}

/// The trained network.
pub(crate) static NETWORK: Network = bytemuck::must_cast(*include_bytes!("../gine.weights"));

impl Network {
    /// Calls `answer` with the logit of each graph, in their order. What is in `nodes` does not matter.
    pub(crate) fn run(&self, of: &Inputs<'_>, nodes: &mut [Nodes; 2], answer: impl FnMut(f32)) {
        let [mut h, mut next] = nodes.each_mut();
        let rows = of.x.len() / ATOM.len();
        for (row, x) in h.iter_mut().zip(of.x.chunks_exact(ATOM.len())) {
            *row = embed(&self.atoms, &ATOM, x);
        }
        for (depth, layer) in self.layers.iter().enumerate() {
            for (node, (to, own)) in next.iter_mut().zip(h.iter()).take(rows).enumerate() {
                let gathered = layer.gather(of, node, own, h);
                let wide = dense(&layer.wide, &layer.wide_bias, &gathered).map(relu);
                let z = dense(&layer.narrow, &layer.narrow_bias, &wide);
                let z = if depth + 1 < LAYERS { z.map(relu) } else { z };
                *to = add(own, &z);
            }
            swap(&mut h, &mut next);
        }
        let ends = of.ptr.iter().zip(of.ptr.iter().skip(1));
        let rows = ends.map(|(&start, &end)| h.get(start as usize..end as usize).unwrap_or_default());
        rows.map(|rows| self.read_out(rows)).for_each(answer);
    }

    /// The logit of a graph by its nodes.
    fn read_out(&self, rows: &[Row]) -> f32 {
        let sum = rows.iter().fold([0.0; WIDTH], |sum, row| add(&sum, row));
        let mean = sum.map(|sum| sum / rows.len().max(1) as f32);
        dense(&[self.out], &[self.bias], &mean)[0]
    }
}

impl Layer {
    /// What reaches a node: its own row and, over the edges that end at it, the rows of their sources.
    fn gather(&self, of: &Inputs<'_>, node: usize, own: &Row, h: &Nodes) -> Row {
        let mut sum = own.map(|own| own * self.own);
        let places = node * MOST as usize..(node + 1) * MOST as usize;
        for place in places.filter(|&place| of.mask.get(place) == Some(&true)) {
            let [source, edge] = [of.sources, of.edges].map(|numbers| numbers.get(place).map_or(0, |&of| of as usize));
            let features = of.edge_attr.get(edge * BOND.len()..).unwrap_or_default();
            let message = add(h.get(source).unwrap_or(&[0.0; WIDTH]), &embed(&self.bonds, &BOND, features));
            sum = add(&sum, &message.map(relu));
        }
        sum
    }
}

/// The sum of the rows of features in their tables, which take this many `values`.
fn embed(tables: &[Row], values: &[u8], features: &[u8]) -> Row {
    let (mut sum, mut first) = ([0.0; WIDTH], 0);
    for (&values, &feature) in values.iter().zip(features) {
        sum = add(&sum, tables.get(first + usize::from(feature)).unwrap_or(&[0.0; WIDTH]));
        first += usize::from(values);
    }
    sum
}

fn dense<const FROM: usize, const TO: usize>(
    weight: &[[f32; FROM]; TO],
    bias: &[f32; TO],
    x: &[f32; FROM],
) -> [f32; TO] {
    array::from_fn(|to| weight[to].iter().zip(x).fold(bias[to], |sum, (weight, x)| sum + weight * x))
}

fn add(a: &Row, b: &Row) -> Row {
    array::from_fn(|column| a[column] + b[column])
}

fn relu(x: f32) -> f32 {
    x.max(0.0)
}
