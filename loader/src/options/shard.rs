//! [`Shard`]: which part of every epoch a rank gets.

use crate::error::{Cause, Error, ErrorKind};
use std::env;

/// The part of every epoch that one rank gets. Rank r of world size W gets batches r, r + W, r + 2 W and so on of the
/// epoch that a single rank would see. All ranks make the same number of steps.
///
/// If batches have several shapes and graphs are shuffled, batches are first reordered so that those of one step have
/// similar shapes on all ranks.
///
/// ```
/// use graphpack_loader::{Loader, Options, Order, Shard, molecules};
///
/// // Each process makes the loader of its own rank, from the same data and seed. Processes that torchrun or MPI starts
/// // take `Shard::from_env()?`.
/// let rank = |rank| -> Result<_, Box<dyn std::error::Error>> {
///     let options = Options::graphs(32).order(Order::Shuffled).seed(42);
///     Ok(Loader::new(molecules::generate(7, 1000), options.shard(Shard::new(rank, 2)?))?)
/// };
/// let (first, second) = (rank(0)?, rank(1)?);
/// assert_eq!(first.batches(0)?, second.batches(0)?);
/// let mut graphs = 0;
/// for batch in first.epoch(0).chain(second.epoch(0)) {
///     graphs += batch?.real().graphs();
/// }
/// assert_eq!(graphs, 1000);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shard {
    rank: u32,
    world: u32,
    remainder: Remainder,
}

/// Decides what happens if the number of batches is not a multiple of the world size ([`Shard::remainder`]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Remainder {
    /// Ranks without a batch in the last step get an empty one, all masks false. Every graph occurs once.
    #[default]
    Pad,
    /// The last, incomplete step is left out, with its graphs.
    Drop,
}

/// The variables for rank and world size that launchers set: torchrun, Open MPI, and MPICH with its derivatives.
const VARIABLES: [(&str, &str); 3] =
    [("RANK", "WORLD_SIZE"), ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"), ("PMI_RANK", "PMI_SIZE")];

impl Default for Shard {
    /// The only rank, which gets all batches.
    fn default() -> Self {
        Self { rank: 0, world: 1, remainder: Remainder::default() }
    }
}

impl Shard {
    /// Returns the share of rank `rank`, counted from 0, of world size `world`. Errors unless `rank` is below `world`.
    pub fn new(rank: u32, world: u32) -> Result<Self, Error> {
        if rank >= world {
            return Err(ShardError::Rank { rank, world }.into());
        }
        Ok(Self { rank, world, remainder: Remainder::default() })
    }

    /// Reads rank and world size from the environment variables of torchrun (`RANK`, `WORLD_SIZE`), Open MPI or MPICH,
    /// in this order. Without any, this is the only rank.
    pub fn from_env() -> Result<Self, Error> {
        // What is not Unicode is no number, and not missing.
        Self::from_variables(|name| env::var_os(name).map(|value| value.to_string_lossy().into_owned()))
    }

    fn from_variables(value: impl Fn(&str) -> Option<String>) -> Result<Self, Error> {
        for (rank, world) in VARIABLES {
            let number = |name: &'static str, text: &str| {
                text.trim()
                    .parse()
                    .map_err(|_| Error::from(ShardError::Variable { name, value: Some(text.to_owned()) }))
            };
            match (value(rank), value(world)) {
                (None, None) => {}
                (Some(r), Some(w)) => return Self::new(number(rank, &r)?, number(world, &w)?),
                (None, Some(_)) => return Err(ShardError::Variable { name: rank, value: None }.into()),
                (Some(_), None) => return Err(ShardError::Variable { name: world, value: None }.into()),
            }
        }
        Ok(Self::default())
    }

    /// Sets what happens to an incomplete last step (default: padded with empty batches).
    #[must_use]
    pub fn remainder(mut self, remainder: Remainder) -> Self {
        self.remainder = remainder;
        self
    }

    /// The rank, from 0.
    pub fn rank(&self) -> u32 {
        self.rank
    }

    /// The world size.
    pub fn world(&self) -> u32 {
        self.world
    }

    /// Returns the number of steps that every rank still makes in an epoch of `batches` batches, of which all ranks
    /// together have consumed `done`.
    pub(crate) fn steps(&self, batches: usize, done: usize) -> usize {
        let left = batches.saturating_sub(done);
        match self.remainder {
            Remainder::Pad => left.div_ceil(self.world as usize),
            Remainder::Drop => left / self.world as usize,
        }
    }

    /// Returns the number of the batch that this rank gets in step `step`, counted from the first batch that is not
    /// consumed yet.
    pub(crate) fn batch(&self, step: usize) -> usize {
        step * self.world as usize + self.rank as usize
    }
}

/// Rank or world size is not valid.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ShardError {
    #[error("rank {rank} is not below the world size {world}; ranks count from 0")]
    Rank { rank: u32, world: u32 },
    #[error(
        "the environment variable {name} {}",
        .value.as_ref().map_or_else(
            || "is missing, but the other of its pair is set".into(),
            |value| format!("is {value:?}, expected a number"),
        )
    )]
    Variable { name: &'static str, value: Option<String> },
}

impl Cause for ShardError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Options
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_come_from_the_variables_of_launchers() {
        let of = |set: &[(&str, &str)]| {
            Shard::from_variables(|name| set.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned()))
        };
        let found = |set: &[(&str, &str)]| of(set).ok();
        assert_eq!(found(&[]), Some(Shard::default()));
        assert_eq!(found(&[("RANK", "2"), ("WORLD_SIZE", "4")]), Shard::new(2, 4).ok());
        assert_eq!(found(&[("OMPI_COMM_WORLD_RANK", "1"), ("OMPI_COMM_WORLD_SIZE", "3")]), Shard::new(1, 3).ok());
        assert_eq!(found(&[("PMI_RANK", "0"), ("PMI_SIZE", "2")]), Shard::new(0, 2).ok());
        let message = |set: &[(&str, &str)]| of(set).unwrap_err().to_string();
        let missing = "the environment variable WORLD_SIZE is missing, but the other of its pair is set";
        assert_eq!(message(&[("RANK", "2")]), missing);
        let value = "the environment variable RANK is \"two\", expected a number";
        assert_eq!(message(&[("RANK", "two"), ("WORLD_SIZE", "4")]), value);
        let rank = "rank 4 is not below the world size 4; ranks count from 0";
        assert_eq!(message(&[("RANK", "4"), ("WORLD_SIZE", "4")]), rank);
    }
}
