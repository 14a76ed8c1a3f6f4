//! Large graphs among several processes: `graphpack dispatch` over MPI writes the same files by 1, 2 and 4 processes,
//! of one and of two threads, as by threads alone, also where one was killed and others go on (part of `cargo xtask
//! mpi`). `cargo xtask dgl-check`: DGL opens graphpack's parts and compares them with the original; graphpack opens
//! DGL's.

use crate::libtorch::venv;
use crate::run::{Outcome, cargo, contents, exists, install, root, run, says, target};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

const NODES: u64 = 3_000;
const EDGES: u64 = 40_000;
/// So many that some are written long before the others.
const PARTS: usize = 150;

/// Fails at the first file that differs; then checks that an error on one rank ends all ranks.
pub(crate) fn dispatch(mpi: &Mpi) -> Outcome {
    let mut build = cargo(["build", "--quiet", "-p", "graphpack-cli", "--features", "mpi"]);
    mpi.apply(&mut build);
    run(&mut build)?;
    let program = target().join("debug").join(format!("graphpack{}", env::consts::EXE_SUFFIX));
    let folder = target().join("dispatch");
    // The files of the last run.
    let _ = fs::remove_dir_all(&folder);
    let graphpack =
        |arguments: &[&str]| run(Command::new(&program).current_dir(&folder).args(arguments).stdout(Stdio::null()));
    generate(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let edges = ["chunk", "--edges", "a:r:b=r.csv", "--edges", "b:s:b=s.csv"];
    let nodes = NODES.to_string();
    let nodes = ["--nodes", &format!("a={nodes}"), "--nodes", &format!("b={nodes}")];
    let features = ["--node-feature", "b/x=x.npy", "--edge-feature", "a:r:b/w=w.npy"];
    graphpack(&[&edges[..], &nodes, &features, &["--chunks", "7", "--out", "chunks"]].concat())?;
    graphpack(&[
        "assign",
        "--in",
        "chunks",
        "--parts",
        &PARTS.to_string(),
        "--method",
        "random",
        "--out",
        "assignments",
    ])?;
    graphpack(&[&arguments("threads", "0")[..], &["--threads", "3"]].concat())?;
    let expected = contents(&folder.join("threads"), |_| true)?;
    // So that no comparison passes because the files have no features.
    for (file, least) in [("node_feat.dgl", 8 * NODES), ("edge_feat.dgl", 8 * EDGES)] {
        let of_parts = expected.iter().filter(|(path, _)| path.ends_with(file));
        let bytes: usize = of_parts.map(|(_, bytes)| bytes.len()).sum();
        if (bytes as u64) < least {
            return Err(format!("{file} of all parts has {bytes} bytes, expected at least {least}"));
        }
    }
    let ranks_with = |processes: usize, out: &str, memory: &str| {
        let mut command = mpi.run(processes);
        // As where the launcher sets neither, srun with PMIx for one: MPI itself knows how many there are.
        command.args(["env", "-u", "OMPI_COMM_WORLD_SIZE", "-u", "PMI_SIZE"]);
        command.current_dir(&folder).arg(&program).args(arguments(out, memory)).stdout(Stdio::null());
        command
    };
    let ranks = |processes: usize, out: &str| ranks_with(processes, out, "0");
    let equal = |out: &str, who: &str| {
        let found = contents(&folder.join(out), |_| true)?;
        if found != expected {
            let differs = |path: &&PathBuf| found.get(*path) != expected.get(*path);
            let first = expected.keys().chain(found.keys()).find(differs);
            return Err(format!("of {who} {first:?} differs from the file that threads write"));
        }
        println!("{} files of {who} equal those of 3 threads", found.len());
        Ok(())
    };
    for (processes, threads) in [(1, "1"), (2, "1"), (4, "1"), (2, "2")] {
        let out = format!("ranks{processes}x{threads}");
        run(ranks(processes, &out).args(["--threads", threads]))?;
        equal(&out, &format!("{processes} processes with --threads {threads}"))?;
    }
    // Whole chunks in a message, which MPI does not buffer.
    run(&mut ranks_with(4, "large", "1024"))?;
    equal("large", "4 processes with large messages")?;

    for (out, signal) in [("killed", "-KILL"), ("stopped", "-TERM")] {
        broken_off(&folder, out, ranks(2, out).args(["--threads", "2"]), signal)?;
        run(ranks(2, out).arg("--resume"))?;
        equal(out, &format!("2 processes that went on where others were {out}"))?;
    }

    let chunks = contents(&folder.join("chunks"), |_| true)?;
    let damaged = chunks.keys().filter(|path| path.starts_with("edge_index")).nth(2).ok_or("no chunks of edges")?;
    let damaged = folder.join("chunks").join(damaged);
    fs::write(&damaged, "0 x\n").map_err(|error| error.to_string())?;
    let output = ranks(4, "none").output().map_err(|error| format!("cannot run mpirun: {error}"))?;
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    let named = damaged.file_name().is_some_and(|name| message.contains(&*name.to_string_lossy()));
    if output.status.success() || !named || folder.join("none").exists() {
        return Err(format!(
            "expected an error that names {}, and no files of any rank; found:\n{message}",
            damaged.display()
        ));
    }
    println!("a damaged chunk ends all ranks");
    Ok(())
}

/// Starts ranks and sends them all a signal, as a machine that goes down or a queue does, once a part is whole and
/// before all are.
fn broken_off(folder: &Path, name: &str, command: &mut Command, signal: &str) -> Outcome {
    let (out, pids) = (folder.join(name), folder.join("pids"));
    let _ = fs::remove_file(&pids);
    let arguments: Vec<_> = command.get_args().map(|argument| argument.to_owned()).collect();
    let program = arguments.iter().position(|argument| argument == "env").ok_or("no program to run")?;
    let mut ranks = Command::new(command.get_program());
    ranks.current_dir(folder).args(&arguments[..program]);
    ranks.args(["sh", "-c", "echo $$ >> pids; exec \"$@\"", "sh"]).args(&arguments[program..]);
    let mut ranks = ranks.stdout(Stdio::null()).stderr(Stdio::null()).spawn().map_err(|error| error.to_string())?;
    let whole = || (0..PARTS).filter(|part| out.join(format!("unfinished.tmp/whole-{part}.json")).exists()).count();
    while whole() == 0 {
        if let Some(status) = ranks.try_wait().map_err(|error| error.to_string())? {
            return Err(format!("ranks that were to be {name} ended ({status}) before"));
        }
        sleep(Duration::from_millis(1));
    }
    let pids = fs::read_to_string(&pids).map_err(|error| error.to_string())?;
    run(Command::new("kill").arg(signal).args(pids.split_whitespace()))?;
    ranks.wait().map_err(|error| error.to_string())?;
    match whole() {
        0 | PARTS => Err(format!("no part, or all, were whole when the ranks were {name}")),
        found => {
            println!("{name} when {found} of {PARTS} parts were whole");
            Ok(())
        }
    }
}

/// The arguments of the command that writes to the folder `out`. With little memory it takes many rounds.
fn arguments<'a>(out: &'a str, memory: &'a str) -> Vec<&'a str> {
    let from = ["dispatch", "--in", "chunks", "--assignments", "assignments"];
    [&from[..], &["--memory", memory, "--save-orig-ids", "--out", out]].concat()
}

/// Writes two csv files of edges, a number per node of one type, and a number per edge of one type.
fn generate(folder: &Path) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    for (file, seed) in [("r.csv", 1_u64), ("s.csv", 2)] {
        let mut state = seed;
        let mut end = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % NODES
        };
        let lines: String = (0..EDGES).map(|_| format!("{},{}\n", end(), end())).collect();
        fs::write(folder.join(file), lines)?;
    }
    for (file, rows) in [("x.npy", NODES), ("w.npy", EDGES)] {
        let header = format!("{{'descr': '<i8', 'fortran_order': False, 'shape': ({rows},), }}");
        // npy format 1.0: magic number, version and length of the header; together a multiple of 64 bytes.
        let mut bytes = [&b"\x93NUMPY\x01\0\x76\0"[..], format!("{header:<117}\n").as_bytes()].concat();
        bytes.extend((0..rows).flat_map(|row| (row * row).to_le_bytes()));
        fs::write(folder.join(file), bytes)?;
    }
    Ok(())
}

/// DGL 2.1.0 needs this torch, and a NumPy before 2.
const DGL: [&str; 8] = [
    "dgl==2.1.0",
    "torch==2.2.1",
    "torchdata==0.7.1",
    "numpy==1.26.4",
    "pandas==2.2.3",
    "pydantic==2.9.2",
    "pyyaml==6.0.2",
    "safetensors==0.8.0",
];

/// Returns a python with DGL, which is installed once below `target/peers`.
pub fn dgl() -> Outcome<PathBuf> {
    let versions = DGL.join(" ");
    let notice = format!("{versions} (a download of 2.5 GB)");
    venv(&target().join("peers/dgl"), &versions, &notice, &DGL)
}

/// Fails at the first difference.
pub(crate) fn dgl_check() -> Outcome {
    let python = dgl()?;
    run(&mut cargo(["build", "--quiet", "-p", "graphpack-cli"]))?;
    let folder = target().join("peers/dgl-check");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut check = Command::new(python);
    check.arg(root().join("xtask/peers/dgl_check.py")).arg(target().join("debug/graphpack")).arg(&folder);
    run(check.env("PYTHONWARNINGS", "ignore"))?;
    // Where there is a difference, the files stay for a look.
    fs::remove_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))
}

const DEBIAN: [&str; 3] = ["libopenmpi-dev", "openmpi-bin", "libclang-dev"];

/// Shows that all of it is installed.
pub(crate) struct Mpi(());

impl Mpi {
    pub(crate) fn find_or_install() -> Outcome<Self> {
        if !(exists("mpicc") && exists("mpirun") && has_libclang()) {
            install(&DEBIAN)?;
        }
        Ok(Self(()))
    }

    /// Tells bindgen where C's headers are: libclang alone does not bring them. A value set before stays.
    pub(crate) fn apply(&self, command: &mut Command) {
        const ARGUMENTS: &str = "BINDGEN_EXTRA_CLANG_ARGS";
        if env::var_os(ARGUMENTS).is_none()
            && let Some(folder) = says("gcc", &["-print-file-name=include"])
        {
            command.env(ARGUMENTS, format!("-I{}", folder.trim()));
        }
    }

    /// Runs a program, which is to be the first argument, on this number of ranks.
    pub(crate) fn run(&self, ranks: usize) -> Command {
        let mut command = Command::new("mpirun");
        // Without these it refuses to run as root, and more ranks than cores.
        command.args(["--allow-run-as-root", "--oversubscribe", "-n", &ranks.to_string()]);
        command
    }
}

/// Whether libclang is in `LIBCLANG_PATH` or where Debian's package has it.
fn has_libclang() -> bool {
    let debian = || says("sh", &["-c", "ls /usr/lib/llvm-*/lib/libclang.so*"]).is_some();
    env::var_os("LIBCLANG_PATH").is_some_and(|folder| Path::new(&folder).exists()) || debian()
}
