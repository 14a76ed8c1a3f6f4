//! [`Ranks`]: which share of an epoch this process gets, and whether `torch.distributed` has the same processes.

use crate::errors::{BuildError, raise};
use crate::value::value_of;
use graphpack_loader::Shard;
use pyo3::prelude::*;

/// The option `shard`.
#[derive(Clone, Copy)]
pub(crate) enum Ranks {
    /// Nothing was said of ranks.
    One,
    /// What the environment said when the loader was made.
    Environment(Shard),
    /// A rank and a world size.
    Given(Shard),
}

impl Ranks {
    /// `(rank, world_size)`, or `"env"` for what `torch.distributed` says, or a launcher such as torchrun.
    pub(crate) fn of(py: Python<'_>, option: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let Some(value) = option else { return Ok(Self::One) };
        let shard = if value.extract::<String>().is_ok_and(|name| name == "env") {
            match of_torch(py)? {
                Some((rank, world)) => Shard::new(rank, world),
                None => Shard::from_env(),
            }
            .map(Self::Environment)
        } else {
            let (rank, world) = value_of("shard", "(rank, world_size) or 'env'", value)?;
            Shard::new(rank, world).map(Self::Given)
        };
        shard.map_err(|error| raise::<BuildError>(&error))
    }

    /// The share of this process; `None` if nothing was said.
    pub(crate) fn shard(self) -> Option<Shard> {
        match self {
            Self::One => None,
            Self::Environment(shard) | Self::Given(shard) => Some(shard),
        }
    }

    /// Errors if `torch.distributed` has several processes, and each would get all batches: a loader that nothing was
    /// said to, or one that was made before.
    pub(crate) fn check(self, py: Python<'_>) -> PyResult<()> {
        let Some((rank, world)) = of_torch(py)? else { return Ok(()) };
        let message = match self {
            Self::One if world > 1 => format!(
                "torch.distributed has {world} processes, each of which would get all batches: expected shard=\"env\" \
                 for a share of them, or shard=(0, 1) for all, found no shard"
            ),
            Self::Environment(shard) if (shard.rank(), shard.world()) != (rank, world) => format!(
                "shard: this is rank {rank} of {world} processes of torch.distributed, but was rank {} of {} when the \
                 loader was made: expected a loader that is made after torch.distributed is initialised, as in \
                 Lightning's setup()",
                shard.rank(),
                shard.world()
            ),
            _ => return Ok(()),
        };
        Err(BuildError::new_err(message))
    }
}

/// Rank and world size of `torch.distributed`, if that was imported and is initialised.
fn of_torch(py: Python<'_>) -> PyResult<Option<(u32, u32)>> {
    let torch = py.import("sys")?.getattr("modules")?.call_method1("get", ("torch.distributed",))?;
    let is = |name| torch.call_method0(name)?.is_truthy();
    if torch.is_none() || !is("is_available")? || !is("is_initialized")? {
        return Ok(None);
    }
    Ok(Some((torch.call_method0("get_rank")?.extract()?, torch.call_method0("get_world_size")?.extract()?)))
}
