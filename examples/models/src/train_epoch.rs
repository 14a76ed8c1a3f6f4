//! [`train_epoch`]: one epoch of training on the CPU.

use graphpack_loader::Epoch;
use graphpack_tch::{Adam, DeviceLoader, Error, TensorBatch};
use tch::{Device, Kind, Tensor};

/// Takes a step for each batch of the epoch, and returns the mean of `loss` over all graphs.
pub fn train_epoch(
    epoch: Epoch,
    optimizer: &Adam,
    loss: impl Fn(&TensorBatch) -> Result<Tensor, Error>,
) -> Result<f64, Box<dyn std::error::Error>> {
    let (mut sum, mut graphs) = (0.0, 0);
    for batch in DeviceLoader::new(epoch, Device::Cpu) {
        let batch = batch?;
        let loss = loss(&batch)?;
        optimizer.backward_step(&loss)?;
        sum += f64::try_from(&loss.f_to_kind(Kind::Double)?)? * batch.real().graphs() as f64;
        graphs += batch.real().graphs();
    }
    Ok(sum / graphs.max(1) as f64)
}
