//! `cargo xtask mpi`: dispatch over MPI, then the data-parallel example on two ranks compared with one that has the
//! same global batch. It trains on molecules, and on parts of a large graph, which goes the whole way: chunk, assign,
//! dispatch on 2 ranks, training on them; with and without a rank that is killed.

use crate::large_graphs::{self, Mpi};
use crate::libtorch::Libtorch;
use crate::run::{Outcome, cargo, paths, root, run, target};
use std::env;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Largest relative difference of the losses of a step: two ranks add up and round in another order.
const TOLERANCE: f64 = 1e-5;
/// More than one epoch has.
const STEPS: usize = 40;

/// Prints how far losses are apart, or fails at the first step whose losses or graphs differ.
pub(crate) fn compare() -> Outcome {
    let mpi = Mpi::find_or_install()?;
    large_graphs::dispatch(&mpi)?;
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
    let most = most_apart("step", &one, &two)?;
    println!("{STEPS} steps differ by at most {most:.1e} of the loss, {TOLERANCE:.0e} is allowed");
    train_on_parts(&mpi, &libtorch)
}

/// Runs the example on a number of ranks; returns loss and number of graphs of each step.
fn train(ranks: usize, mpi: &Mpi, libtorch: &Libtorch) -> Outcome<Vec<(f64, f64)>> {
    let program = target().join("debug").join(format!("data_parallel{}", env::consts::EXE_SUFFIX));
    let mut command = mpi.run(ranks);
    command.arg(program).args(["--batches-per-step", "2", "--steps", &STEPS.to_string()]);
    libtorch.apply(&mut command);
    let text = printed(&mut command)?;
    let step = |line: &str| match numbers(line)?[..] {
        [loss, graphs] => Some((loss, graphs)),
        _ => None,
    };
    match text.lines().map(step).collect::<Option<Vec<_>>>() {
        Some(steps) if steps.len() == STEPS => Ok(steps),
        _ => Err(format!("expected {STEPS} lines of step, loss and graphs, found:\n{text}")),
    }
}

/// Runs a program by `mpirun`; returns what it printed.
fn printed(command: &mut Command) -> Outcome<String> {
    let output = command.stderr(Stdio::inherit()).output().map_err(|error| format!("cannot run mpirun: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() { Ok(text) } else { Err(format!("{text}failed ({}): {command:?}", output.status)) }
}

/// The numbers of a line after its first word.
fn numbers(line: &str) -> Option<Vec<f64>> {
    line.split(' ').skip(1).map(|word| word.parse().ok()).collect()
}

/// The largest relative difference of losses on 1 rank and on 2. Fails where one is too large, or where a step has
/// other numbers of graphs or nodes.
fn most_apart(what: &str, one: &[(f64, f64)], two: &[(f64, f64)]) -> Outcome<f64> {
    let mut most = 0.0_f64;
    for (step, (one, two)) in one.iter().zip(two).enumerate() {
        let difference = (one.0 - two.0).abs() / one.0.abs();
        // A loss that is NaN differs.
        let equal = one.1 == two.1 && difference <= TOLERANCE;
        if !equal {
            return Err(format!("{what} {step} is {one:?} on 1 rank, {two:?} on 2"));
        }
        most = most.max(difference);
    }
    Ok(most)
}

const PARTS: &str = "8";
/// Largest difference of the accuracy on test nodes, where steps of 1 and of 2 ranks have other parts
/// (docs/measurements/large_graphs.md).
const ACCURACY: f64 = 0.01;
/// The best possible is 0.92: a tenth of the nodes have one of five classes by chance.
const LEARNED: f64 = 0.8;

/// The files of one graph, and what runs on them.
struct Script<'a> {
    mpi: &'a Mpi,
    libtorch: &'a Libtorch,
    folder: PathBuf,
}

/// Fails unless two ranks train as one does, and a killed rank ends the run without leaving anything.
fn train_on_parts(mpi: &Mpi, libtorch: &Libtorch) -> Outcome {
    let script = Script { mpi, libtorch, folder: target().join("parts") };
    // The files of the last run.
    let _ = fs::remove_dir_all(&script.folder);
    fs::create_dir_all(&script.folder).map_err(|error| format!("{}: {error}", script.folder.display()))?;
    script.dispatch()?;

    let all = ["--epochs", "20", "--parts-per-step", PARTS];
    let [one, two] = [script.train(1, &all)?, script.train(2, &all)?];
    if one.steps.len() != 20 || one.steps.len() != two.steps.len() {
        return Err(format!("expected 20 steps, found {} on 1 rank, {} on 2", one.steps.len(), two.steps.len()));
    }
    let most = most_apart("step of all parts", &one.steps, &two.steps)?;
    println!(
        "20 steps of all parts differ by at most {most:.1e} of the loss on 1 and 2 ranks, {TOLERANCE:.0e} is allowed"
    );

    let some = ["--epochs", "10", "--out", "model"];
    let [one, two] = [script.train(1, &some)?, script.train(2, &some)?];
    let difference = (one.accuracy - two.accuracy).abs();
    println!(
        "steps of 2 parts: accuracy {:.4} on 1 rank, {:.4} on 2, at most {ACCURACY} apart is allowed",
        one.accuracy, two.accuracy
    );
    let learned = difference <= ACCURACY && one.accuracy >= LEARNED && two.accuracy >= LEARNED;
    if !learned {
        let found = [one.accuracy, two.accuracy];
        return Err(format!("expected accuracies of {LEARNED} or more, at most {ACCURACY} apart, found {found:?}"));
    }
    script.killed()
}

/// What a training printed.
struct Trained {
    /// Loss and number of training nodes.
    steps: Vec<(f64, f64)>,
    /// On test nodes.
    accuracy: f64,
}

impl Script<'_> {
    fn program(&self, name: &str) -> PathBuf {
        target().join("debug").join(format!("{name}{}", env::consts::EXE_SUFFIX))
    }

    /// Writes a graph, chunks it, assigns its nodes, and cuts it on two ranks.
    fn dispatch(&self) -> Outcome {
        let mut generate = Command::new(self.program("parts"));
        self.libtorch.apply(&mut generate);
        run(generate.current_dir(&self.folder).args(["generate", "--out", "graph"]))?;
        let graphpack = self.program("graphpack");
        let command = |arguments: &[&str]| {
            run(Command::new(&graphpack).current_dir(&self.folder).args(arguments).stdout(Stdio::null()))
        };
        let names = ["x", "y", "train_mask", "val_mask", "test_mask"];
        let features: Vec<String> = names.iter().map(|name| format!("{name}=graph/{name}.npy")).collect();
        let features = features.iter().flat_map(|feature| ["--node-feature", feature.as_str()]);
        let chunk =
            ["chunk", "--edges", "graph/edge_index.npy", "--chunks", "4", "--name", "blocks", "--out", "chunks"];
        command(&chunk.into_iter().chain(features).collect::<Vec<_>>())?;
        let assign = ["assign", "--in", "chunks", "--method", "stream", "--parts", PARTS, "--out", "assignments"];
        command(&assign)?;
        let dispatch = ["dispatch", "--in", "chunks", "--assignments", "assignments", "--out", "parts"];
        let mut ranks = self.mpi.run(2);
        run(ranks.current_dir(&self.folder).arg(&graphpack).args(dispatch).stdout(Stdio::null()))
    }

    fn training(&self, ranks: usize, arguments: &[&str]) -> Command {
        let mut command = self.mpi.run(ranks);
        command.current_dir(&self.folder).arg(self.program("parts"));
        command.args(["train", "--parts", "parts/blocks.json", "--in", "chunks"]).args(arguments);
        self.libtorch.apply(&mut command);
        command
    }

    fn train(&self, ranks: usize, arguments: &[&str]) -> Outcome<Trained> {
        let text = printed(&mut self.training(ranks, arguments))?;
        let (mut steps, mut accuracy) = (Vec::new(), None);
        for line in text.lines().filter(|line| !line.starts_with("rank ")) {
            match numbers(line).as_deref() {
                Some(&[loss, nodes]) => steps.push((loss, nodes)),
                Some(&[_, _, test]) => accuracy = Some(test),
                _ => return Err(format!("expected step, loss and nodes, or three accuracies, found {line:?}")),
            }
        }
        let accuracy = accuracy.ok_or_else(|| format!("expected an accuracy, found:\n{text}"))?;
        Ok(Trained { steps, accuracy })
    }

    /// Kills a rank in the middle of a training.
    fn killed(&self) -> Outcome {
        let before = paths(&self.folder)?;
        let failed = |what: &str| format!("with a killed rank: {what}");
        let mut command = self.training(2, &["--epochs", "1000000", "--out", "never"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(|e| e.to_string())?;
        let mut lines = BufReader::new(child.stdout.take().ok_or_else(|| failed("no output"))?).lines();
        let mut process = None;
        for line in lines.by_ref().map_while(Result::ok) {
            if let Some(rest) = line.strip_prefix("rank 1 is process ") {
                process = rest.split(',').next().map(str::to_owned);
            }
            // After some steps.
            if line.starts_with("9 ") {
                break;
            }
        }
        let process = process.ok_or_else(|| failed("rank 1 did not say its process"))?;
        run(Command::new("kill").args(["-KILL", &process]))?;
        // So that the others can go on writing until mpirun ends them.
        lines.for_each(drop);
        let mut message = String::new();
        let mut errors = child.stderr.take().ok_or_else(|| failed("no messages"))?;
        errors.read_to_string(&mut message).map_err(|error| failed(&error.to_string()))?;
        let status = child.wait().map_err(|error| failed(&error.to_string()))?;
        if status.success() || message.trim().is_empty() {
            return Err(failed(&format!("expected a message and a failure, found {status}, {message:?}")));
        }
        if paths(&self.folder)? != before {
            return Err(failed("files are left"));
        }
        fs::remove_file(self.folder.join(Path::new("model"))).map_err(|error| failed(&error.to_string()))?;
        self.train(2, &["--epochs", "1", "--out", "model"])?;
        if paths(&self.folder)? != before {
            return Err(failed("the run after it did not write the parameters, or something else"));
        }
        println!("a killed rank ends all with a message and leaves nothing; the next run works");
        Ok(())
    }
}
