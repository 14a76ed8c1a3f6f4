//! [`Input`]: an array that a model takes; [`inputs`]: those of a batch, for how the model sums.

use crate::Outcome;
use clap::ValueEnum;
use graphpack_loader::{Batch, Data, Dtype, Error, Schema};
use std::borrow::Cow;
use std::fmt;

/// What GINE is told of the nodes and edges of molecules, and SchNet of those of structures.
const OF_MOLECULES: [&str; 2] = ["x", "edge_attr"];
const OF_STRUCTURES: [&str; 2] = ["z", "distance"];

/// Returns the fields of nodes and edges that a network takes: of structures if edges have lengths.
pub fn fields(schema: &Schema) -> [&'static str; 2] {
    if schema.position(OF_STRUCTURES[1]).is_some() { OF_STRUCTURES } else { OF_MOLECULES }
}

/// How messages are summed over the neighbours of a node, and nodes over a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Sums {
    /// Rows are added at indices: `edge_index` and `batch`.
    Scatter,
    /// Sums over matrices: `neighbours` and `pool`.
    Matrix,
}

impl Sums {
    /// Returns the graphs so that batches have the arrays for these sums.
    pub fn prepare(self, data: &Data) -> Result<Data, Error> {
        match self {
            Self::Scatter => Ok(data.clone()),
            Self::Matrix => data.neighbours(None),
        }
    }

    /// The arrays of a batch that these sums take beside fields.
    pub fn arrays(self) -> &'static [&'static str] {
        match self {
            Self::Scatter => &["edge_index", "batch", "ptr"],
            Self::Matrix => &["neighbours", "neighbour_edges", "neighbour_mask", "pool"],
        }
    }
}

impl fmt::Display for Sums {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Scatter => "scatter",
            Self::Matrix => "matrix",
        })
    }
}

/// An array of a batch, row by row.
pub struct Input<'a> {
    pub name: &'static str,
    pub shape: Vec<usize>,
    pub values: Values<'a>,
}

/// The elements of an array.
pub enum Values<'a> {
    I64(&'a [i64]),
    F32(Cow<'a, [f32]>),
}

/// Returns the inputs of a model, by name. Errors if a field is neither int64 nor float32.
pub fn inputs(batch: &Batch, sums: Sums) -> Outcome<Vec<Input<'_>>> {
    let (layout, mut inputs) = (batch.layout(), Vec::new());
    for name in fields(layout.schema()).iter().chain(sums.arrays()).copied() {
        let array = &layout.arrays()[layout.find(name)?];
        let values = match array.dtype {
            Dtype::F32 => Values::F32(batch.get(name)?.into()),
            // Models take masks as numbers, which they multiply with.
            Dtype::Bool => Values::F32(batch.get(name)?.iter().map(|&real: &bool| f32::from(u8::from(real))).collect()),
            _ => Values::I64(batch.get(name)?),
        };
        inputs.push(Input { name, shape: array.shape().collect(), values });
    }
    Ok(inputs)
}
