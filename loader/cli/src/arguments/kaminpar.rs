//! [`kaminpar`]: assigns the nodes of a graph by KaMinPar's Python module.

use graphpack_partition::{Assignment, GraphFormat, LargeGraph, write_for_partitioner};
use std::error::Error;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::{env, fs, io, process, thread};

/// Assigns a graph. Its arguments are the graph, the number of parts, threads, a seed, and a file for a part per line.
const SCRIPT: &str = "
import sys
import kaminpar
graph, parts, threads, seed, out = sys.argv[1:]
kaminpar.reseed(int(seed))
graph = kaminpar.load_graph(graph, kaminpar.GraphFileFormat.PARHIP)
instance = kaminpar.KaMinPar(num_threads=int(threads), ctx=kaminpar.default_context())
owners = instance.compute_partition(graph, k=int(parts), eps=0.03)
with open(out, 'w') as file:
    file.writelines(f'{owner}\\n' for owner in owners)
";

/// Runs `python3`, or the program that `GRAPHPACK_PYTHON` names, which must have the module `kaminpar`.
pub(crate) fn kaminpar(graph: &LargeGraph, parts: usize, seed: u64) -> Result<Assignment, Box<dyn Error>> {
    let python = env::var_os("GRAPHPACK_PYTHON").unwrap_or_else(|| "python3".into());
    let shown = python.display().to_string();
    let found = Command::new(&python).args(["-c", "import kaminpar"]).stderr(Stdio::null()).status();
    if !found.map_err(|error| format!("{shown}: {error}"))?.success() {
        let hint = "pip install kaminpar==3.7, or GRAPHPACK_PYTHON=PYTHON that has it";
        return Err(format!("--method kaminpar: {shown} does not have the module kaminpar: {hint}").into());
    }
    let folder = new_folder()?;
    let assigned = run(&python, &folder, graph, parts, seed);
    let _ = fs::remove_dir_all(&folder);
    assigned
}

/// Creates a temporary folder. In containers numbers of processes repeat, and a killed process has left its folder.
fn new_folder() -> Result<PathBuf, String> {
    let mut number = 0;
    loop {
        let folder = env::temp_dir().join(format!("graphpack-kaminpar-{}-{number}", process::id()));
        match fs::create_dir(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(format!("{}: {error}", folder.display())),
        }
    }
}

fn run(
    python: &std::ffi::OsStr,
    folder: &std::path::Path,
    graph: &LargeGraph,
    parts: usize,
    seed: u64,
) -> Result<Assignment, Box<dyn Error>> {
    let (input, out) = (folder.join("graph.parhip"), folder.join("parts.txt"));
    write_for_partitioner(graph, &input, GraphFormat::Parhip)?;
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let numbers = [parts as u64, threads as u64, seed & 0x7FFF_FFFF].map(|number| number.to_string());
    let mut command = Command::new(python);
    let output = command.arg("-c").arg(SCRIPT).arg(&input).args(numbers).arg(&out).stdin(Stdio::null()).output()?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr);
        return Err(format!("KaMinPar failed ({}): {}", output.status, message.trim()).into());
    }
    Ok(Assignment::read_all(&out, parts, &graph.node_types)?)
}
