//! [`Shard`]: which part of every epoch a rank gets.

use crate::error::{Cause, Error, ErrorKind};
use std::env;
use std::ops::Range;

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

/// The variables for rank and world size that launchers set.
type Launcher = (&'static str, &'static str);

/// torchrun and Ray Train.
const TORCH: Launcher = ("RANK", "WORLD_SIZE");
/// Tasks of srun. `SLURM_NTASKS` is set in a batch script, too, whose one process is rank 0 of that number.
const SRUN: Launcher = ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS");
/// From the most specific to that which other launchers inherit from. Open MPI, and MPICH with its derivatives, are
/// between.
const LAUNCHERS: [Launcher; 5] = [
    TORCH,
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    ("MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"),
    ("PMI_RANK", "PMI_SIZE"),
    SRUN,
];

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

    /// Reads rank and world size from what a launcher has set in the environment. The first of these counts, since a
    /// launcher that another one starts inherits its variables, as torchrun does in a task of SLURM:
    ///
    /// 1. `RANK`, `WORLD_SIZE`: torchrun, Ray Train; without `RANK`, `LOCAL_RANK` of the first node (`NODE_RANK` 0),
    ///    as Lightning sets it;
    /// 2. `OMPI_COMM_WORLD_RANK`, `OMPI_COMM_WORLD_SIZE`: mpirun of Open MPI, with PMIx, too;
    /// 3. `MV2_COMM_WORLD_RANK`, `MV2_COMM_WORLD_SIZE`: MVAPICH;
    /// 4. `PMI_RANK`, `PMI_SIZE`: MPICH, Intel MPI, and srun with PMI;
    /// 5. `SLURM_PROCID`, `SLURM_STEP_NUM_TASKS`: srun. A batch script without srun is one process.
    ///
    /// Without any, this is the only rank. Errors if one of a pair is missing or no number. Also errors, and names both
    /// pairs, if what counts says of another launcher's processes that they are fewer, or that this one has another
    /// rank. torchrun and Ray Train, which set `LOCAL_WORLD_SIZE`, may do so, and so may MPI in a task of SLURM.
    pub fn from_env() -> Result<Self, Error> {
        // What is not Unicode is no number, and not missing.
        Self::from_variables(|name| env::var_os(name).map(|value| value.to_string_lossy().into_owned()))
    }

    fn from_variables(value: impl Fn(&str) -> Option<String>) -> Result<Self, Error> {
        let mut found: Option<(Launcher, Self)> = None;
        for launcher in LAUNCHERS {
            let Some(shard) = Self::of_launcher(launcher, &value)? else { continue };
            let Some((first, own)) = found else {
                found = Some((launcher, shard));
                continue;
            };
            let inherits = if first == TORCH { value("LOCAL_WORLD_SIZE").is_some() } else { launcher == SRUN };
            let agrees = own.world > shard.world || own == shard;
            if !inherits && !agrees {
                return Err(ShardError::Launchers { pairs: [(first, own), (launcher, shard)] }.into());
            }
        }
        match found {
            Some((_, own)) => Ok(own),
            // PMIx tells the number of processes to MPI alone.
            None if value("PMIX_RANK").is_some() => Err(ShardError::NoWorld.into()),
            None => Ok(Self::default()),
        }
    }

    /// What a launcher says; `None` if it has not started this process.
    fn of_launcher(launcher: Launcher, value: impl Fn(&str) -> Option<String>) -> Result<Option<Self>, Error> {
        let (rank, world) = launcher;
        let number = |name: &'static str, text: &str| {
            text.trim().parse().map_err(|_| Error::from(ShardError::Variable { name, value: Some(text.to_owned()) }))
        };
        match (value(rank), value(world)) {
            (Some(r), Some(w)) => Self::new(number(rank, &r)?, number(world, &w)?).map(Some),
            (None, None) => Ok(None),
            (None, Some(w)) if launcher == TORCH && value("NODE_RANK").as_deref() == Some("0") => {
                let local = value("LOCAL_RANK").ok_or(ShardError::Variable { name: rank, value: None })?;
                Self::new(number("LOCAL_RANK", &local)?, number(world, &w)?).map(Some)
            }
            _ if launcher == SRUN => Ok(None),
            (None, Some(_)) => Err(ShardError::Variable { name: rank, value: None }.into()),
            (Some(_), None) => Err(ShardError::Variable { name: world, value: None }.into()),
        }
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

    /// Returns the numbers of the batches that all ranks get in step `step`, counted from the first batch that is not
    /// consumed yet.
    pub(crate) fn batches(&self, step: usize) -> Range<usize> {
        step * self.world as usize..(step + 1) * self.world as usize
    }

    /// Returns the number of the batch that this rank gets in step `step`, counted likewise.
    pub(crate) fn batch(&self, step: usize) -> usize {
        self.batches(step).start + self.rank as usize
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
    #[error(
        "{} contradict {}: unset those that the launcher did not set",
        ShardError::pair(&.pairs[0]), ShardError::pair(&.pairs[1])
    )]
    Launchers { pairs: [(Launcher, Shard); 2] },
    #[error("PMIX_RANK is set, but no variable says how many processes there are: set RANK and WORLD_SIZE")]
    NoWorld,
}

impl ShardError {
    fn pair(((rank, world), shard): &(Launcher, Shard)) -> String {
        format!("{rank}={} and {world}={}", shard.rank, shard.world)
    }
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
        assert_eq!(found(&[("MV2_COMM_WORLD_RANK", "1"), ("MV2_COMM_WORLD_SIZE", "2")]), Shard::new(1, 2).ok());
        assert_eq!(found(&[("PMI_RANK", "0"), ("PMI_SIZE", "2")]), Shard::new(0, 2).ok());
        assert_eq!(found(&[("SLURM_PROCID", "3"), ("SLURM_STEP_NUM_TASKS", "8")]), Shard::new(3, 8).ok());
        // Lightning's launcher: the processes of a second node have other ranks than those of the node.
        let lightning = |node| [("NODE_RANK", node), ("LOCAL_RANK", "1"), ("WORLD_SIZE", "2")];
        assert_eq!(found(&lightning("0")), Shard::new(1, 2).ok());
        assert_eq!(found(&lightning("1")), None);
        // A batch script, and a shell of salloc.
        assert_eq!(found(&[("SLURM_PROCID", "0"), ("SLURM_NTASKS", "8")]), Some(Shard::default()));
        let message = |set: &[(&str, &str)]| of(set).unwrap_err().to_string();
        let missing = "the environment variable WORLD_SIZE is missing, but the other of its pair is set";
        assert_eq!(message(&[("RANK", "2")]), missing);
        let value = "the environment variable RANK is \"two\", expected a number";
        assert_eq!(message(&[("RANK", "two"), ("WORLD_SIZE", "4")]), value);
        let rank = "rank 4 is not below the world size 4; ranks count from 0";
        assert_eq!(message(&[("RANK", "4"), ("WORLD_SIZE", "4")]), rank);
        let world = "PMIX_RANK is set, but no variable says how many processes there are: set RANK and WORLD_SIZE";
        assert_eq!(message(&[("PMIX_RANK", "0")]), world);
    }

    #[test]
    fn a_launcher_in_another_counts_and_what_a_shell_left_behind_is_refused() {
        let torch = |rank, world| [("RANK", rank), ("WORLD_SIZE", world)];
        let open_mpi = |rank, world| [("OMPI_COMM_WORLD_RANK", rank), ("OMPI_COMM_WORLD_SIZE", world)];
        let mpich = |rank, world| [("PMI_RANK", rank), ("PMI_SIZE", world)];
        let srun = |rank, world| [("SLURM_PROCID", rank), ("SLURM_STEP_NUM_TASKS", world)];
        let local = [("LOCAL_RANK", "1"), ("LOCAL_WORLD_SIZE", "2")];
        let of = |pairs: &[[(&str, &str); 2]]| {
            let set = pairs.concat();
            let found = |name: &str| set.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
            Shard::from_variables(found).map_err(|error| error.to_string())
        };
        for (pairs, rank, world) in [
            // torchrun with two processes in each of two tasks; its nodes are numbered as they arrive.
            (&[srun("1", "2"), torch("1", "4"), local][..], 1, 4),
            (&[srun("1", "2"), torch("0", "2"), local], 0, 2),
            // Trainings of one process each.
            (&[open_mpi("3", "4"), torch("0", "1"), local], 0, 1),
            // A script that passes on what srun says.
            (&[srun("1", "4"), torch("1", "4")], 1, 4),
            // srun with PMI, and mpirun, whose daemons are tasks of SLURM.
            (&[srun("1", "4"), mpich("1", "4")], 1, 4),
            (&[srun("3", "4"), open_mpi("1", "2")], 1, 2),
        ] {
            assert_eq!(of(pairs), Ok(Shard::new(rank, world).expect("a rank")), "{pairs:?}");
        }
        for (pairs, message) in [
            (
                [torch("0", "1"), srun("1", "4")],
                "RANK=0 and WORLD_SIZE=1 contradict SLURM_PROCID=1 and SLURM_STEP_NUM_TASKS=4",
            ),
            ([torch("0", "2"), mpich("1", "2")], "RANK=0 and WORLD_SIZE=2 contradict PMI_RANK=1 and PMI_SIZE=2"),
            (
                [open_mpi("0", "2"), mpich("0", "3")],
                "OMPI_COMM_WORLD_RANK=0 and OMPI_COMM_WORLD_SIZE=2 contradict PMI_RANK=0 and PMI_SIZE=3",
            ),
        ] {
            let expected = format!("{message}: unset those that the launcher did not set");
            assert_eq!(of(&pairs), Err(expected));
        }
    }
}
