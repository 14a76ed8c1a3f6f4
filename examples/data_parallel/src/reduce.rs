//! Values that all ranks get: parameters at the start, means of gradients in each step.

use mpi::collective::SystemOperation;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives, Root};
use tch::{Kind, TchError, Tensor};

/// Gives all ranks the parameters of rank 0.
pub(crate) fn broadcast(ranks: &SimpleCommunicator, parameters: &mut [Tensor]) -> Result<(), TchError> {
    let mut values = flat(parameters)?;
    ranks.process_at_rank(0).broadcast_into(&mut values[..]);
    scatter(&values, parameters)
}

/// Sums of a step: first over the batches of a rank, then over all ranks.
#[derive(Clone, Copy, Default)]
pub(crate) struct Total {
    /// Sum of the losses of all real graphs.
    pub(crate) loss: f64,
    /// Number of real graphs.
    pub(crate) graphs: f64,
}

/// Adds the sums of all ranks to those of this one. `gradients`, the sums of this rank, become the mean over all real
/// graphs.
pub(crate) fn average(ranks: &SimpleCommunicator, own: Total, gradients: &mut [Tensor]) -> Result<Total, TchError> {
    let mut sums = [0.0_f64; 2];
    ranks.all_reduce_into(&[own.loss, own.graphs], &mut sums, SystemOperation::sum());
    let [loss, graphs] = sums;
    let own = flat(gradients)?;
    let mut all = vec![0.0_f32; own.len()];
    ranks.all_reduce_into(&own[..], &mut all[..], SystemOperation::sum());
    // A step without graphs leaves the parameters as they are.
    let share = 1.0 / graphs.max(1.0);
    all.iter_mut().for_each(|value| *value = (f64::from(*value) * share) as f32);
    scatter(&all, gradients)?;
    Ok(Total { loss, graphs })
}

/// The values of all tensors, one after the other, so that ranks send one message instead of many.
fn flat(tensors: &[Tensor]) -> Result<Vec<f32>, TchError> {
    let _guard = tch::no_grad_guard();
    let rows = tensors.iter().map(|tensor| tensor.f_reshape([-1])).collect::<Result<Vec<_>, _>>()?;
    Vec::try_from(&Tensor::f_cat(&rows, 0)?.f_to_kind(Kind::Float)?)
}

/// The inverse of [`flat`]: writes the values into the tensors.
fn scatter(values: &[f32], tensors: &mut [Tensor]) -> Result<(), TchError> {
    let _guard = tch::no_grad_guard();
    let mut rest = Tensor::f_from_slice(values)?;
    for tensor in tensors {
        let count = tensor.numel() as i64;
        tensor.f_copy_(&rest.f_narrow(0, 0, count)?.f_view_as(tensor)?)?;
        rest = rest.f_narrow(0, count, rest.numel() as i64 - count)?;
    }
    Ok(())
}
