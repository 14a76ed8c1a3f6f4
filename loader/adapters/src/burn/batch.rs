//! [`BurnBatch`]: a batch as burn tensors.

use burn_core::tensor::{Bool, Device, Int, Tensor, TensorData};
use graphpack_loader::{ArrayError, ArrayInfo, Batch, Builtin, Dtype, Level, Shape};

/// A batch as burn tensors. The dtypes are those of the data, not the device's defaults.
#[derive(Clone, Debug)]
pub struct BurnBatch {
    /// `[2, edges]`: row 0 sources, row 1 targets.
    pub edge_index: Tensor<2, Int>,
    /// `[nodes]`: the graph of each node.
    pub batch: Tensor<1, Int>,
    /// `[graphs + 1]`: the first node of each graph, then the number of nodes.
    pub ptr: Tensor<1, Int>,
    /// `[graphs]`: the number of each graph in the data set, -1 for padding.
    pub graph_ids: Tensor<1, Int>,
    /// `[nodes]`: true for real nodes.
    pub node_mask: Tensor<1, Bool>,
    /// `[edges]`: true for real edges.
    pub edge_mask: Tensor<1, Bool>,
    /// `[graphs]`: true for real graphs.
    pub graph_mask: Tensor<1, Bool>,
    /// The fixed shape.
    pub shape: Shape,
    /// How much of the shape is real.
    pub real: Shape,
    /// The epoch that the batch belongs to.
    pub epoch: u64,
    /// The number of the batch in its epoch.
    pub step: u64,
    fields: Vec<(String, Dtype, Field)>,
}

/// A field of the data set, `[rows, width]`.
#[derive(Clone, Debug)]
enum Field {
    Float(Tensor<2>),
    Int(Tensor<2, Int>),
    Bool(Tensor<2, Bool>),
}

impl BurnBatch {
    /// The tensors of a batch, on `device`.
    pub fn new(batch: Batch, device: &Device) -> Result<Self, ArrayError> {
        let layout = batch.layout();
        let fields = layout.arrays().iter().filter(|array| array.builtin.is_none()).map(|field| {
            let data = data(&batch, field)?;
            let options = (device, data.dtype());
            let tensor = match field.dtype {
                Dtype::F32 | Dtype::F64 => Field::Float(Tensor::from_data(data, options)),
                Dtype::I64 | Dtype::I32 | Dtype::U8 => Field::Int(Tensor::from_data(data, options)),
                Dtype::Bool => Field::Bool(Tensor::from_data(data, options)),
            };
            Ok((field.name.clone(), field.dtype, tensor))
        });
        let fields = fields.collect::<Result<_, ArrayError>>()?;
        let builtin = |builtin| data(&batch, layout.builtin(builtin));
        let vector = |which| -> Result<Tensor<1, Int>, ArrayError> {
            let data = builtin(which)?;
            let options = (device, data.dtype());
            Ok(Tensor::from_data(data, options))
        };
        let mask = |level| -> Result<Tensor<1, Bool>, ArrayError> {
            Ok(Tensor::from_data(builtin(Builtin::Mask(level))?, device))
        };
        let edge_index = builtin(Builtin::EdgeIndex)?;
        let options = (device, edge_index.dtype());
        Ok(Self {
            edge_index: Tensor::from_data(edge_index, options),
            batch: vector(Builtin::Batch)?,
            ptr: vector(Builtin::Ptr)?,
            graph_ids: vector(Builtin::GraphIds)?,
            node_mask: mask(Level::NODE)?,
            edge_mask: mask(Level::EDGE)?,
            graph_mask: mask(Level::Graph)?,
            shape: batch.shape(),
            real: batch.real(),
            epoch: batch.epoch(),
            step: batch.step(),
            fields,
        })
    }

    /// The field `name` of floating-point numbers, `[rows, width]`.
    pub fn float(&self, name: &str) -> Result<Tensor<2>, ArrayError> {
        match self.field(name)? {
            (_, Field::Float(tensor)) => Ok(tensor.clone()),
            (dtype, _) => Err(other(name, dtype, Dtype::F32)),
        }
    }

    /// The field `name` of integers, `[rows, width]`.
    pub fn int(&self, name: &str) -> Result<Tensor<2, Int>, ArrayError> {
        match self.field(name)? {
            (_, Field::Int(tensor)) => Ok(tensor.clone()),
            (dtype, _) => Err(other(name, dtype, Dtype::I64)),
        }
    }

    /// The field `name` of truth values, `[rows, width]`.
    pub fn bool(&self, name: &str) -> Result<Tensor<2, Bool>, ArrayError> {
        match self.field(name)? {
            (_, Field::Bool(tensor)) => Ok(tensor.clone()),
            (dtype, _) => Err(other(name, dtype, Dtype::Bool)),
        }
    }

    fn field(&self, name: &str) -> Result<(Dtype, &Field), ArrayError> {
        let found = self.fields.iter().find(|(field, _, _)| field == name);
        found.map(|(_, dtype, tensor)| (*dtype, tensor)).ok_or_else(|| ArrayError::Missing { name: name.to_owned() })
    }
}

fn other(name: &str, expected: Dtype, found: Dtype) -> ArrayError {
    ArrayError::Dtype { name: name.to_owned(), expected, found }
}

/// One array of a batch.
fn data(batch: &Batch, array: &ArrayInfo) -> Result<TensorData, ArrayError> {
    let name = &array.name;
    let sizes: Vec<usize> = [array.rows].into_iter().chain(array.width).collect();
    Ok(match array.dtype {
        Dtype::F32 => TensorData::new(batch.get::<f32>(name)?.to_vec(), sizes),
        Dtype::F64 => TensorData::new(batch.get::<f64>(name)?.to_vec(), sizes),
        Dtype::I64 => TensorData::new(batch.get::<i64>(name)?.to_vec(), sizes),
        Dtype::I32 => TensorData::new(batch.get::<i32>(name)?.to_vec(), sizes),
        Dtype::U8 => TensorData::new(batch.get::<u8>(name)?.to_vec(), sizes),
        Dtype::Bool => TensorData::new(batch.get::<bool>(name)?.to_vec(), sizes),
    })
}
