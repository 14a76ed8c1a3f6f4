//! [`Shard`]: which part of every epoch belongs to this process of several.

use std::env;

/// One of `world` processes that train together, each on its own batches: rank r of W gets batches r, r + W, r + 2 W and so on of the epoch that
/// one process alone would see; where batches have several shapes, of an order in which the batches of one step are alike. All make the same
/// number of steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shard {
    rank: u32,
    world: u32,
    remainder: Remainder,
}

/// What happens where the number of batches is not a multiple of the number of processes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Remainder {
    /// Processes that have no batch in the last step get an empty one, all masks false: every graph once.
    #[default]
    Pad,
    /// The last, incomplete step is left out.
    Drop,
}

/// Pairs of variables that launchers set: torchrun and Open MPI, MPICH and its kin.
const VARIABLES: [(&str, &str); 3] =
    [("RANK", "WORLD_SIZE"), ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"), ("PMI_RANK", "PMI_SIZE")];

impl Default for Shard {
    /// The only process.
    fn default() -> Self {
        Self { rank: 0, world: 1, remainder: Remainder::default() }
    }
}

impl Shard {
    /// Process `rank` of `world`, counted from 0.
    pub fn new(rank: u32, world: u32) -> Result<Self, ShardError> {
        if rank >= world {
            return Err(ShardError::Rank { rank, world });
        }
        Ok(Self { rank, world, remainder: Remainder::default() })
    }

    /// From the variables of torchrun (`RANK`, `WORLD_SIZE`), Open MPI or MPICH, in this order; the only process where there are none.
    pub fn from_env() -> Result<Self, ShardError> {
        Self::from_variables(|name| env::var(name).ok())
    }

    fn from_variables(value: impl Fn(&str) -> Option<String>) -> Result<Self, ShardError> {
        for (rank, world) in VARIABLES {
            let number = |name: &'static str, text: &str| {
                text.trim().parse().map_err(|_| ShardError::Variable { name, value: Some(text.to_owned()) })
            };
            match (value(rank), value(world)) {
                (None, None) => {}
                (Some(r), Some(w)) => return Self::new(number(rank, &r)?, number(world, &w)?),
                (None, Some(_)) => return Err(ShardError::Variable { name: rank, value: None }),
                (Some(_), None) => return Err(ShardError::Variable { name: world, value: None }),
            }
        }
        Ok(Self::default())
    }

    /// What happens to the remainder (default: padded with empty batches).
    #[must_use]
    pub fn remainder(mut self, remainder: Remainder) -> Self {
        self.remainder = remainder;
        self
    }

    /// Number of this process.
    pub fn rank(&self) -> u32 {
        self.rank
    }

    /// Number of processes.
    pub fn world(&self) -> u32 {
        self.world
    }

    /// Steps that each process makes, of an epoch of `batches` batches, `done` of which are behind all of them.
    pub(crate) fn steps(&self, batches: usize, done: usize) -> usize {
        let left = batches.saturating_sub(done);
        match self.remainder {
            Remainder::Pad => left.div_ceil(self.world as usize),
            Remainder::Drop => left / self.world as usize,
        }
    }

    /// The batch of this process in step `step`, counted among those that were left.
    pub(crate) fn batch(&self, step: usize) -> usize {
        step * self.world as usize + self.rank as usize
    }
}

/// A rank that cannot be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ShardError {
    /// The rank is not below the number of processes.
    #[error("rank {rank} of {world} processes: ranks count from 0")]
    Rank {
        /// The rank.
        rank: u32,
        /// Number of processes.
        world: u32,
    },
    /// One of two variables is missing, or is no number.
    #[error(
        "the environment variable {name} {}",
        .value.as_ref().map_or("is missing, but its other half is set".into(), |value| format!("is {value:?}, expected a number"))
    )]
    Variable {
        /// Its name.
        name: &'static str,
        /// Its value.
        value: Option<String>,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_come_from_the_variables_of_launchers() {
        let of = |set: &[(&str, &str)]| {
            Shard::from_variables(|name| set.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned()))
        };
        assert_eq!(of(&[]), Ok(Shard::default()));
        assert_eq!(of(&[("RANK", "2"), ("WORLD_SIZE", "4")]), Shard::new(2, 4));
        assert_eq!(of(&[("OMPI_COMM_WORLD_RANK", "1"), ("OMPI_COMM_WORLD_SIZE", "3")]), Shard::new(1, 3));
        assert_eq!(of(&[("PMI_RANK", "0"), ("PMI_SIZE", "2")]), Shard::new(0, 2));
        let message = |set: &[(&str, &str)]| of(set).unwrap_err().to_string();
        let half = "the environment variable WORLD_SIZE is missing, but its other half is set";
        assert_eq!(message(&[("RANK", "2")]), half);
        let value = "the environment variable RANK is \"two\", expected a number";
        assert_eq!(message(&[("RANK", "two"), ("WORLD_SIZE", "4")]), value);
        assert_eq!(message(&[("RANK", "4"), ("WORLD_SIZE", "4")]), "rank 4 of 4 processes: ranks count from 0");
    }
}
