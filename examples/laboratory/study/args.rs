//! [`Args`]: the options of the command; [`Grid`]: the runs that they ask for.

use super::algorithm::Algorithm;
use super::data::StudyArgs;
use super::run::Cell;
use clap::Parser;
use laboratory::ModelName;
use std::path::PathBuf;

/// Times the ways of batching, first alone, then with the updates of three models, as the study does.
#[derive(Parser)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) data: StudyArgs,
    /// The study's grid: batch sizes 16 to 128, 10 repeats, all ways of batching
    #[arg(long)]
    pub(crate) full: bool,
    /// Batch sizes, the padding graph included [default: 16,32]
    #[arg(long, value_delimiter = ',', value_parser = clap::value_parser!(u32).range(2..))]
    pub(crate) batch_sizes: Option<Vec<u32>>,
    /// Ways of batching [default: dynamic,static-64,static-2^N,packed]
    #[arg(long, value_enum, value_delimiter = ',')]
    pub(crate) algorithms: Option<Vec<Algorithm>>,
    #[arg(long, value_enum, value_delimiter = ',')]
    #[arg(default_values_t = [ModelName::Schnet, ModelName::Mpeu, ModelName::Painn])]
    pub(crate) models: Vec<ModelName>,
    /// Measure batches only, without any model
    #[arg(long)]
    pub(crate) batching_only: bool,
    /// Fewest batches that shapes, fill and batching times are measured on; epochs are finished
    #[arg(long, default_value_t = 1000)]
    pub(crate) batches: u64,
    /// Runs of each model, algorithm and batch size, each with its own seed [default: 3]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) repeats: Option<u32>,
    /// Training steps of each run
    #[arg(long, default_value_t = 10)]
    pub(crate) steps: usize,
    /// Print at which steps each way meets how many shapes, too, up to 2,000,000 steps
    #[arg(long)]
    pub(crate) shapes_met: bool,
    /// Runs nothing: prints the table of these runs (docs/measurements/data/study_times.csv)
    #[arg(long, value_name = "FILE.csv")]
    pub(crate) rows: Option<PathBuf>,
    /// cpu, cuda or cuda:N
    #[arg(long, default_value = "cpu")]
    pub(crate) device: String,
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    /// Width of all models [default: as in the study]
    #[arg(long, value_parser = clap::value_parser!(i64).range(2..))]
    pub(crate) width: Option<i64>,
    /// Folder for tables; runs that it already holds are not repeated
    #[arg(long, default_value = "study")]
    pub(crate) out: PathBuf,
}

/// What is run.
pub(crate) struct Grid {
    pub(crate) batch_sizes: Vec<u32>,
    pub(crate) algorithms: Vec<Algorithm>,
    pub(crate) models: Vec<ModelName>,
    pub(crate) repeats: u32,
}

impl Args {
    pub(crate) fn grid(&self) -> Grid {
        let (sizes, ways, repeats): (&[u32], &[Algorithm], u32) = if self.full {
            (&[16, 32, 64, 128], &Algorithm::ALL, 10)
        } else {
            use Algorithm::{Dynamic, Packed, Static64, StaticPow2};
            (&[16, 32], &[Dynamic, Static64, StaticPow2, Packed], 3)
        };
        Grid {
            batch_sizes: self.batch_sizes.clone().unwrap_or_else(|| sizes.to_vec()),
            algorithms: self.algorithms.clone().unwrap_or_else(|| ways.to_vec()),
            models: self.models.clone(),
            repeats: self.repeats.unwrap_or(repeats),
        }
    }
}

impl Grid {
    /// All runs, each repeat of the whole grid before the next.
    pub(crate) fn cells(&self) -> Vec<Cell> {
        let mut cells = Vec::new();
        for repeat in 0..self.repeats {
            for &model in &self.models {
                for &batch_size in &self.batch_sizes {
                    cells.extend(self.algorithms.iter().map(|&algorithm| Cell {
                        model,
                        algorithm,
                        batch_size,
                        repeat,
                    }));
                }
            }
        }
        cells
    }
}
