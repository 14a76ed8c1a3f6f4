//! [`Network`]: a small network with everything that a training step has.

use graphpack_tch::{Adam, Error, MaskedBatchNorm, Segments, TensorBatch, mean_pool, mse};
use std::collections::BTreeMap;
use tch::nn::{self, Module};
use tch::{Device, Kind, TchError, Tensor};

/// Messages along edges, batch norm with running statistics, a loss and an optimizer, for generated molecules. Every
/// network starts with the same weights.
pub struct Network {
    /// Weights and running statistics.
    pub store: nn::VarStore,
    encode: nn::Linear,
    norm: MaskedBatchNorm,
    predict: nn::Linear,
    /// Adam or AdamW.
    pub optimizer: Adam,
}

impl Network {
    /// A network on a device, trained by AdamW if `decoupled`, by Adam otherwise.
    pub fn new(device: Device, decoupled: bool) -> Result<Self, Error> {
        let store = nn::VarStore::new(device);
        let root = store.root();
        let encode = nn::linear(&root / "encode", 9, 16, nn::LinearConfig::default());
        let norm = MaskedBatchNorm::new(&root / "norm", 16);
        let predict = nn::linear(&root / "predict", 16, 1, nn::LinearConfig::default());
        for (name, mut weights) in store.variables() {
            if !name.starts_with("norm") {
                let count = i64::try_from(weights.numel()).unwrap_or(i64::MAX);
                let values = Tensor::f_arange(count, (Kind::Float, Device::Cpu))?.f_sin()?.f_mul_scalar(0.3)?;
                tch::no_grad(|| weights.f_copy_(&values.f_view_as(&weights)?))?;
            }
        }
        let optimizer = if decoupled { Adam::adamw(&store, 0.01, 0.1)? } else { Adam::new(&store, 0.01, 0.1)? };
        Ok(Self { store, encode, norm, predict, optimizer })
    }

    /// Trains on a batch; returns the loss.
    pub fn step(&self, batch: &TensorBatch) -> Result<Tensor, Error> {
        let loss = self.loss(batch)?;
        self.optimizer.backward_step(&loss)?;
        Ok(loss.f_detach()?)
    }

    fn loss(&self, batch: &TensorBatch) -> Result<Tensor, Error> {
        let nodes = self.encode.forward(&batch.get("x")?.f_to_kind(Kind::Float)?);
        let [sources, targets] = [batch.edge_index()?.f_select(0, 0)?, batch.edge_index()?.f_select(0, 1)?];
        let of_targets = Segments::by_index(&targets, nodes.size()[0])?.masked(batch.edge_mask()?);
        let messages = of_targets.sum(&nodes.f_index_select(0, &sources.f_to_kind(Kind::Int64)?)?)?;
        let nodes = self.norm.forward(&nodes.f_add(&messages)?, batch.node_mask()?, true)?.f_tanh()?;
        let predicted = self.predict.forward(&mean_pool(&nodes, batch)?);
        Ok(mse(&predicted, &batch.get("y")?.f_to_kind(Kind::Float)?, batch)?)
    }

    /// The values of all variables, running statistics included.
    pub fn variables(&self) -> Result<BTreeMap<String, Vec<f32>>, TchError> {
        let values = |(name, tensor): (_, Tensor)| Ok((name, tensor.f_view(-1)?.f_to_device(Device::Cpu)?.try_into()?));
        self.store.variables().into_iter().map(values).collect()
    }
}
