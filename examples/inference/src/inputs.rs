//! [`Input`]: an array that a model takes; [`inputs`]: those of a batch, for how the model sums.

use crate::Outcome;
use clap::ValueEnum;
use graphpack_loader::{Batch, Store};
use std::borrow::Cow;
use std::fmt;

/// How messages are summed over the neighbours of a node, and nodes over a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Sums {
    /// Rows are added at indices: `edge_index` and `batch`.
    Scatter,
    /// Sums over matrices: `neighbours` and `pool`.
    Matrix,
}

/// An array of a batch, row by row.
pub struct Input<'a> {
    pub name: &'static str,
    pub shape: Vec<usize>,
    pub values: Values<'a>,
}

/// The elements of an array.
pub enum Values<'a> {
    I64(Cow<'a, [i64]>),
    F32(Vec<f32>),
}

impl fmt::Display for Sums {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Scatter => "scatter",
            Self::Matrix => "matrix",
        })
    }
}

/// Returns the inputs of a model, by name. In `Sums::Matrix` each node has room for `k` neighbours; errors if one has
/// more.
pub fn inputs(batch: &Batch, sums: Sums, k: usize) -> Outcome<Vec<Input<'_>>> {
    let (nodes, edges, graphs) = (batch.shape().nodes(), batch.shape().edges(), batch.shape().graphs());
    let array = |name, rows: usize, width: &[usize]| -> Outcome<Input<'_>> {
        let shape = [&[rows], width].concat();
        Ok(Input { name, shape, values: Values::I64(batch.get::<i64>(name)?.into()) })
    };
    let field = |name, rows: usize| array(name, rows, &[batch.get::<i64>(name)?.len() / rows.max(1)]);
    let mut inputs = vec![field("x", nodes)?, field("edge_attr", edges)?];
    match sums {
        Sums::Scatter => {
            inputs.push(array("edge_index", 2, &[edges])?);
            inputs.push(array("batch", nodes, &[])?);
            inputs.push(array("ptr", graphs + 1, &[])?);
        }
        Sums::Matrix => {
            let of_edges = Neighbours::new(batch.edge_index()?, [nodes, edges], k)?;
            let matrix = |name, values| Input { name, shape: vec![nodes, k], values };
            inputs.push(matrix("neighbours", Values::I64(of_edges.sources.into())));
            inputs.push(matrix("neighbour_edges", Values::I64(of_edges.edges.into())));
            inputs.push(matrix("neighbour_mask", Values::F32(of_edges.mask)));
            let pool = Values::F32(pool(batch.ptr()?, nodes, graphs));
            inputs.push(Input { name: "pool", shape: vec![graphs, nodes], values: pool });
        }
    }
    Ok(inputs)
}

/// The most edges that end at one node of any graph: the columns that a matrix of neighbours needs.
pub fn largest_degree(store: &Store) -> usize {
    let of_graph = |graph| {
        let mut degrees = vec![0; store.size(graph)[0] as usize];
        store.edges(graph).1.into_iter().for_each(|target| degrees[target as usize] += 1);
        degrees.into_iter().max().unwrap_or(0)
    };
    (0..store.len()).map(of_graph).max().unwrap_or(0).max(1)
}

/// The sources of the edges that end at each node, `[nodes, k]`.
struct Neighbours {
    sources: Vec<i64>,
    edges: Vec<i64>,
    /// 1 where there is a neighbour, else 0.
    mask: Vec<f32>,
}

impl Neighbours {
    /// Entries without a neighbour point to the last node and the last edge, which the mask leaves out.
    fn new((sources, targets): (&[i64], &[i64]), [nodes, edges]: [usize; 2], k: usize) -> Outcome<Self> {
        let mut found = Self {
            sources: vec![nodes.saturating_sub(1) as i64; nodes * k],
            edges: vec![edges.saturating_sub(1) as i64; nodes * k],
            mask: vec![0.0; nodes * k],
        };
        let mut degrees = vec![0; nodes];
        for (edge, (&source, &target)) in sources.iter().zip(targets).enumerate() {
            let target = target as usize;
            if degrees[target] == k {
                return Err(format!("node {target} of a batch: expected at most {k} neighbours, found more").into());
            }
            let at = target * k + degrees[target];
            (found.sources[at], found.edges[at], found.mask[at]) = (source, edge as i64, 1.0);
            degrees[target] += 1;
        }
        Ok(found)
    }
}

/// `[graphs, nodes]`: a row is the mean over the nodes of a graph.
fn pool(ptr: &[i64], nodes: usize, graphs: usize) -> Vec<f32> {
    let mut pool = vec![0.0; graphs * nodes];
    for (row, ends) in pool.chunks_exact_mut(nodes.max(1)).zip(ptr.windows(2)) {
        let of_graph = ends[0] as usize..ends[1] as usize;
        row[of_graph.clone()].fill(1.0 / of_graph.len().max(1) as f32);
    }
    pool
}
