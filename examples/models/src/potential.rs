//! [`Potential`]: energies, and the forces and stresses that follow from them.

use crate::{Painn, vectors};
use graphpack_loader::ErrorKind;

use graphpack_tch::{Error, TensorBatch, mse, sum_pool};
use tch::nn;
use tch::{TchError, Tensor};

/// Volumes below this, in cubic angstrom, are those of molecules, which have no stress.
const NO_VOLUME: f64 = 1e-6;

/// Predicts the energy of structures by a [`Painn`], summed over atoms, and forces and stresses as its derivatives.
///
/// Batches have `z`, `pos`, `edge_index` and `shift`, and `cell` if there are periodic structures. What a structure has
/// not been labelled with, `has_energy`, `has_forces` or `has_stress` says; losses leave it out.
pub struct Potential {
    network: Painn,
    scale: Scale,
}

/// What labels are about, so that the network learns numbers of about 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// Mean energy per atom.
    pub energy: f64,
    /// Root mean square of the forces.
    pub forces: f64,
}

/// The labels of a batch, padding included, in the units of the data.
pub struct Labels {
    /// `[graphs, 1]`.
    pub energy: Tensor,
    /// `[nodes, 3]`.
    pub forces: Tensor,
    /// `[graphs, 9]`, 0 for molecules; `None` if the data have no cells.
    pub stress: Option<Tensor>,
}

/// Mean squared errors of the labels that there are, 0 where there are none.
pub struct Losses {
    /// Of the energy per atom.
    pub energy: Tensor,
    /// Of each component of the forces.
    pub forces: Tensor,
    /// Of each component of the stress.
    pub stress: Tensor,
    /// What to train on: the sum of all in units of [`Scale::forces`], stresses times the volume per atom.
    pub sum: Tensor,
}

impl Potential {
    /// Makes a network of `width` features for these elements and edges up to `cutoff`.
    pub fn new(path: &nn::Path<'_>, width: i64, elements: &[u8], cutoff: f64, scale: Scale) -> Result<Self, TchError> {
        Ok(Self { network: Painn::with_cutoff(path, width, elements, cutoff)?, scale })
    }

    /// Returns what it predicts. Autograd must be on; gradients of all parts are there for training.
    pub fn forward(&self, batch: &TensorBatch) -> Result<Labels, Error> {
        let pos = batch.get("pos")?.f_detach()?.f_set_requires_grad(true)?;
        let graphs = batch.shape().graphs() as i64;
        // A strain of the cell and of all that is in it, whose derivative is the stress.
        let strain = Tensor::f_zeros([graphs, 3, 3], (pos.kind(), pos.device()))?.f_set_requires_grad(true)?;
        let symmetric = strain.f_add(&strain.f_transpose(1, 2)?)?.f_mul_scalar(0.5)?;
        let graph_of_edge = batch.batch()?.f_index_select(0, &batch.edge_index()?.f_get(1)?)?;
        let between = vectors(batch, &pos)?;
        let strained =
            between.f_unsqueeze(1)?.f_bmm(&symmetric.f_index_select(0, &graph_of_edge)?)?.f_squeeze_dim(1)?;
        let energies = self.network.energies(batch, &between.f_add(&strained)?)?;
        let energies = energies.f_mul_scalar(self.scale.forces)?.f_add_scalar(self.scale.energy)?;
        let energy = sum_pool(&energies, batch)?;
        let gradients = Tensor::f_run_backward(&[energy.f_sum(energy.kind())?], &[&pos, &strain], true, true)?;
        let [of_pos, of_strain] = <[Tensor; 2]>::try_from(gradients)
            .map_err(|found| TchError::Shape(format!("expected 2 gradients, found {}", found.len())))?;
        let stress = match volumes(batch)? {
            Some(volumes) => {
                let stress = of_strain.f_reshape([-1, 9])?.f_div(&volumes.f_clamp_min(NO_VOLUME)?)?;
                Some(stress.f_masked_fill(&volumes.f_lt(NO_VOLUME)?, 0.0)?)
            }
            None => None,
        };
        Ok(Labels { energy, forces: of_pos.f_neg()?, stress })
    }

    /// Compares what it predicts with the labels of the batch.
    pub fn losses(&self, batch: &TensorBatch) -> Result<Losses, Error> {
        let Labels { energy, forces, stress } = self.forward(batch)?;
        let atoms = atoms(batch)?.f_to_kind(energy.kind())?;
        let per_atom = |energy: &Tensor| energy.f_div(&atoms);
        let energy = mse(
            &per_atom(&energy)?,
            &per_atom(&batch.get("energy")?.f_view([-1, 1])?)?,
            &of_graphs(batch, "has_energy")?,
        )?;
        let forces = mse(&forces, batch.get("forces")?, &of_nodes(batch, "has_forces")?)?;
        let none = || energy.f_zeros_like();
        let (stress, virial) = match (stress, volumes(batch)?, optional(batch, "stress")?) {
            (Some(stress), Some(volumes), Some(expected)) => {
                let expected = expected.f_reshape([-1, 9])?;
                let (rows, volumes) = (of_graphs(batch, "has_stress")?, volumes.f_div(&atoms)?);
                let virial = mse(&stress.f_mul(&volumes)?, &expected.f_mul(&volumes)?, &rows)?;
                (mse(&stress, &expected, &rows)?, virial)
            }
            _ => (none()?, none()?),
        };
        let unit = self.scale.forces * self.scale.forces;
        let sum = energy.f_add(&forces)?.f_add(&virial)?.f_div_scalar(unit)?;
        Ok(Losses { energy, forces, stress, sum })
    }
}

/// The volume of each structure, `[graphs, 1]`; `None` if the data have no cells.
fn volumes(batch: &TensorBatch) -> Result<Option<Tensor>, Error> {
    let Some(cell) = optional(batch, "cell")? else { return Ok(None) };
    Ok(Some(cell.f_reshape([-1, 3, 3])?.f_det()?.f_abs()?.f_unsqueeze(1)?))
}

/// Number of atoms of each structure, `[graphs, 1]`, at least 1.
fn atoms(batch: &TensorBatch) -> Result<Tensor, Error> {
    let (ptr, graphs) = (batch.ptr()?, batch.shape().graphs() as i64);
    Ok(ptr.f_narrow(0, 1, graphs)?.f_sub(&ptr.f_narrow(0, 0, graphs)?)?.f_clamp_min(1)?.f_unsqueeze(1)?)
}

/// The real structures that have a label, as `has` says if the data have it.
fn of_graphs(batch: &TensorBatch, has: &str) -> Result<Tensor, Error> {
    match optional(batch, has)? {
        Some(has) => Ok(has.f_reshape([-1])?.f_logical_and(batch.graph_mask())?),
        None => Ok(batch.graph_mask().shallow_clone()),
    }
}

/// The atoms of these structures.
fn of_nodes(batch: &TensorBatch, has: &str) -> Result<Tensor, Error> {
    Ok(of_graphs(batch, has)?.f_index_select(0, batch.batch()?)?.f_logical_and(batch.node_mask()?)?)
}

/// An array that data may lack.
fn optional<'a>(batch: &'a TensorBatch, name: &str) -> Result<Option<&'a Tensor>, Error> {
    match batch.get(name) {
        Ok(array) => Ok(Some(array)),
        Err(error) if error.kind() == ErrorKind::Missing => Ok(None),
        Err(error) => Err(error),
    }
}
