//! `cargo xtask mpi`: `graphpack dispatch` over MPI compared with threads, and the data-parallel example on two ranks
//! compared with one that has the same global batch, on molecules and on parts of a large graph.

use crate::check::{dispatch, parts};
use crate::run::{Outcome, cargo, root, run, target};
use crate::tools::libtorch::Libtorch;
use crate::tools::mpi::Mpi;
use std::env;
use std::process::Stdio;

/// Largest relative difference of the losses of a step: two ranks add up and round in another order.
const TOLERANCE: f64 = 1e-5;
/// More than one epoch has.
const STEPS: usize = 40;

/// Prints a table, or fails at the first step whose losses or graphs differ.
pub(crate) fn compare() -> Outcome {
    let mpi = Mpi::find_or_install()?;
    dispatch::compare(&mpi)?;
    let libtorch = Libtorch::find_or_install()?;
    let cargo = |arguments: &[&str]| {
        let mut command = cargo(arguments);
        command.current_dir(root().join("examples/data_parallel")).env("CARGO_TARGET_DIR", target());
        libtorch.apply(&mut command);
        mpi.apply(&mut command);
        run(&mut command)
    };
    cargo(&["fmt", "--check"])?;
    cargo(&["clippy", "--quiet", "--", "-D", "warnings"])?;
    cargo(&["build", "--quiet"])?;

    let [one, two] = [train(1, &mpi, &libtorch)?, train(2, &mpi, &libtorch)?];
    println!("| step | graphs | loss on 1 rank | loss on 2 ranks | relative difference |");
    println!("|---|---|---|---|---|");
    let mut most = 0.0_f64;
    for (step, (one, two)) in one.iter().zip(&two).enumerate() {
        let difference = (one.loss - two.loss).abs() / one.loss.abs();
        let row = format!("| {step} | {} | {:.6} | {:.6} | {difference:.1e} |", one.graphs, one.loss, two.loss);
        // A loss that is NaN differs.
        let equal = one.graphs == two.graphs && difference <= TOLERANCE;
        if !equal {
            return Err(format!("{row}\nstep {step} differs; on 2 ranks it has {} graphs", two.graphs));
        }
        if step % 5 == 0 || step + 1 == STEPS {
            println!("{row}");
        }
        most = most.max(difference);
    }
    println!("{STEPS} steps differ by at most {most:.1e} of the loss, {TOLERANCE:.0e} is allowed");
    parts::train(&mpi, &libtorch)
}

/// What the example prints about a step.
struct Step {
    loss: f64,
    graphs: u64,
}

/// Runs the example on a number of ranks.
fn train(ranks: usize, mpi: &Mpi, libtorch: &Libtorch) -> Outcome<Vec<Step>> {
    let program = target().join("debug").join(format!("data_parallel{}", env::consts::EXE_SUFFIX));
    let mut command = mpi.run(ranks);
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
        _ => Err(format!("expected {STEPS} lines of step, loss and graphs, found:\n{text}")),
    }
}

fn parse(line: &str) -> Option<Step> {
    let mut words = line.split(' ').skip(1);
    Some(Step { loss: words.next()?.parse().ok()?, graphs: words.next()?.parse().ok()? })
}
