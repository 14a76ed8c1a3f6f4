//! What only a GPU can show: its losses are those of the CPU, captured steps are as others, no memory is written early.
//! All tests are ignored unless they are asked for; without a device they then fail. Simulated devices are tested in
//! `tests/simulated_gpu/`. On a machine with Rust and a GPU, `cargo xtask ci` runs these, too; for one that has only
//! a `python3` with torch 2.13.0, they are one program:
//!
//! ```sh
//! eval "$(cargo xtask libtorch)"
//! cargo test --release -p graphpack-tch --test on_gpu --no-run   # names the program
//! # There; `python3 -c 'import torch; print(torch.__path__[0])'` names the folder of torch:
//! CUDA_DEVICE_MAX_CONNECTIONS=32 LD_LIBRARY_PATH=$TORCH/lib ./on_gpu-* --ignored --show-output
//! ```
//!
//! With all 32 queues of the device, fewer streams share one, which would keep them in order by itself.
//! `GRAPHPACK_DEVICE` names another device than `cuda`; with `cpu`, where most tests compare a thing with itself, this
//! program itself is tried. `GRAPHPACK_QUICK` makes fewer steps, for tools that slow the program down.

mod buffers;
mod capture;
mod losses;
mod refusals;
mod segments;
mod trained;

use example_models::Task;
use serde_json::Value;
use std::env;
use std::error::Error;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use tch::Device;

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// Graphs of each data set.
const GRAPHS: usize = 2000;

/// The device, for one test at a time: random numbers, recordings and the order of streams belong to the process.
struct Gpu {
    device: Device,
    /// Fewer steps.
    quick: bool,
    tasks: &'static [Task; 2],
    _alone: MutexGuard<'static, ()>,
}

impl Gpu {
    fn alone() -> Outcome<Self> {
        static ALONE: Mutex<()> = Mutex::new(());
        static TASKS: LazyLock<Result<[Task; 2], String>> =
            LazyLock::new(|| Task::generated(GRAPHS).map_err(|error| error.to_string()));
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let device = graphpack_tch::device(env::var("GRAPHPACK_DEVICE").as_deref().unwrap_or("cuda"))?;
        let quick = device == Device::Cpu || env::var_os("GRAPHPACK_QUICK").is_some();
        Ok(Self { device, quick, tasks: TASKS.as_ref().map_err(String::as_str)?, _alone: alone })
    }

    fn steps(&self) -> usize {
        if self.quick { 8 } else { 50 }
    }

    /// Checks both tasks, and prints what was found for each.
    fn check(&self, check: impl Fn(&Task) -> Outcome<Value>) -> Outcome {
        for task in self.tasks {
            let found = check(task).map_err(|error| format!("{}: {error}", task.name()))?;
            println!("{}: {found}", task.name());
        }
        Ok(())
    }
}
