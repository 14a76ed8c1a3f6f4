//! `cargo xtask mpi`: `graphpack dispatch` over MPI; the data-parallel example on one and on two ranks with the same global batch, losses compared.

use crate::dispatch;
use crate::libtorch::Libtorch;
use crate::packages::{exists, install, says};
use crate::root;
use crate::run::{Outcome, cargo, run, target};
use std::env;
use std::path::Path;
use std::process::{Command, Stdio};

/// Library, launcher, and what the bindings are made with.
const DEBIAN: [&str; 3] = ["libopenmpi-dev", "openmpi-bin", "libclang-dev"];
/// Most relative difference of the losses of a step. Sums are rounded in another order.
const TOLERANCE: f64 = 1e-5;
/// More than an epoch.
const STEPS: usize = 40;

/// Prints a table, or fails at the first step whose losses or graphs differ.
pub(crate) fn compare() -> Outcome {
    if !(exists("mpicc") && exists("mpirun") && has_libclang()) {
        install(&DEBIAN)?;
    }
    dispatch::compare()?;
    let libtorch = Libtorch::find_or_install()?;
    let cargo = |arguments: &[&str]| {
        let mut command = cargo(arguments);
        command.current_dir(root().join("examples/data_parallel")).env("CARGO_TARGET_DIR", target());
        libtorch.apply(&mut command);
        run(&mut command)
    };
    cargo(&["fmt", "--check"])?;
    cargo(&["clippy", "--quiet", "--", "-D", "warnings"])?;
    cargo(&["build", "--quiet"])?;

    let [one, two] = [train(1, &libtorch)?, train(2, &libtorch)?];
    println!("| step | graphs | loss on 1 rank | loss on 2 ranks | relative difference |");
    println!("|---|---|---|---|---|");
    let mut most = 0.0_f64;
    for (step, (one, two)) in one.iter().zip(&two).enumerate() {
        let difference = (one.loss - two.loss).abs() / one.loss.abs();
        let row = format!("| {step} | {} | {:.6} | {:.6} | {difference:.1e} |", one.graphs, one.loss, two.loss);
        // A loss that is NaN is not equal.
        let equal = one.graphs == two.graphs && difference <= TOLERANCE;
        if !equal {
            return Err(format!("{row}\nstep {step} differs; on 2 ranks it has {} graphs", two.graphs));
        }
        if step % 5 == 0 || step + 1 == STEPS {
            println!("{row}");
        }
        most = most.max(difference);
    }
    println!("{STEPS} steps are equal to {most:.1e} of the loss, {TOLERANCE:.0e} allowed");
    Ok(())
}

/// Runs the program that follows on so many ranks.
pub(crate) fn mpirun(ranks: usize) -> Command {
    let mut command = Command::new("mpirun");
    // Root is refused otherwise, and so are more ranks than cores.
    command.args(["--allow-run-as-root", "--oversubscribe", "-n", &ranks.to_string()]);
    command
}

/// What the example prints for a step.
struct Step {
    loss: f64,
    graphs: u64,
}

fn train(ranks: usize, libtorch: &Libtorch) -> Outcome<Vec<Step>> {
    let program = target().join("debug").join(format!("data_parallel{}", env::consts::EXE_SUFFIX));
    let mut command = mpirun(ranks);
    command.arg(program).args(["--batches-per-step", "2", "--steps", &STEPS.to_string()]).stderr(Stdio::inherit());
    libtorch.apply(&mut command);
    let output = command.output().map_err(|error| format!("cannot run mpirun: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        return Err(format!("{text}failed ({}): {command:?}", output.status));
    }
    let steps: Option<Vec<Step>> = text.lines().map(parse).collect();
    match steps {
        Some(steps) if steps.len() == STEPS => Ok(steps),
        _ => Err(format!("not {STEPS} lines of step, loss and graphs:\n{text}")),
    }
}

fn parse(line: &str) -> Option<Step> {
    let mut words = line.split(' ').skip(1);
    Some(Step { loss: words.next()?.parse().ok()?, graphs: words.next()?.parse().ok()? })
}

/// Whether libclang is where its headers' package or LIBCLANG_PATH has it.
fn has_libclang() -> bool {
    let debian = || says("sh", &["-c", "ls /usr/lib/llvm-*/lib/libclang.so*"]).is_some();
    env::var_os("LIBCLANG_PATH").is_some_and(|folder| Path::new(&folder).exists()) || debian()
}
