//! [`Method`]: how nodes are assigned to parts, as flags say it; [`kaminpar`]: by KaMinPar's Python package; how many
//! parts there are; [`PartsFolder`]: where they are written.

use super::{Format, name};
use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, RangedI64ValueParser, TypedValueParser};
use graphpack_loader::ErrorKind;
use graphpack_loader::extend::{file_error, mix};
use graphpack_partition::assign::{Balance, GraphFormat, Metis, write_for_partitioner};
use graphpack_partition::chunked::ChunkedGraph;
use graphpack_partition::{Assignment, LargeGraph, NodeType};
use std::error::Error;
use std::ffi::OsStr;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs, io, thread};

pub(crate) const TWO_STEPS: &str = "--method stream takes two steps: graphpack assign, then --assignments";

/// How nodes are assigned to parts.
#[derive(clap::Args)]
pub(crate) struct Method {
    /// METIS balances the nodes of each value of this feature, too, such as train_mask
    #[arg(long, value_name = "FIELD")]
    balance_ntypes: Option<String>,
    /// METIS balances edges: as in DGL in place of nodes where there is one type of nodes and one of edges and no
    /// --balance-ntypes, else of each type or value, too
    #[arg(long)]
    balance_edges: bool,
    /// What METIS makes small: edges between parts, or the nodes that parts send each other [default: cut]
    #[arg(long, value_enum)]
    objtype: Option<Objective>,
    /// Seed of the random numbers of all methods but stream and contiguous, which have none [default: 0]
    #[arg(long)]
    seed: Option<u64>,
}

/// What METIS makes small, with DGL's names.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Objective {
    Cut,
    Vol,
}

/// The methods that assign nodes to parts, with the names that DGL has for them.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Algorithm {
    /// At random, equal numbers of nodes
    Random,
    /// Blocks of ids of equal size, for graphs whose edges join nodes of near ids
    Contiguous,
    /// Few edges between parts
    Metis,
    /// Few edges between parts, for more than METIS takes, by KaMinPar of `pip install kaminpar`; balances nodes alone
    Kaminpar,
    /// While edges are read, for what no memory holds; balances nodes of each type, and edges
    Stream,
}

impl Method {
    /// Returns what METIS balances, which quality is measured by, too.
    pub(crate) fn balance(&self) -> Balance {
        let balance = Balance::new().edges(self.balance_edges);
        match &self.balance_ntypes {
            Some(field) => balance.field(field),
            None => balance,
        }
    }

    /// Whether this feature is balanced.
    pub(crate) fn balances(&self, feature: &str) -> bool {
        self.balance_ntypes.as_deref() == Some(feature)
    }

    /// Refuses flags and graphs that an algorithm does not take, before the graph is read.
    pub(crate) fn check(
        &self,
        algorithm: Algorithm,
        parts: usize,
        [nodes, edges]: [usize; 2],
    ) -> Result<(), Box<dyn Error>> {
        let metis = algorithm == Algorithm::Metis;
        let of_metis = [
            ("--balance-ntypes", self.balance_ntypes.is_some()),
            ("--balance-edges", self.balance_edges),
            ("--objtype", self.objtype.is_some()),
        ];
        if let Some((flag, _)) = of_metis.into_iter().find(|&(_, given)| given && !metis) {
            return Err(format!("{flag}: --method metis takes it, --method {} does not", name(algorithm)).into());
        }
        if self.seed.is_some() && matches!(algorithm, Algorithm::Stream | Algorithm::Contiguous) {
            return Err(format!("--seed: --method {} does not take it", name(algorithm)).into());
        }
        if parts > nodes {
            return Err(format!("{parts} parts of {nodes} nodes: there must be a node for each part").into());
        }
        match [("nodes", nodes), ("edges", edges)].into_iter().find(|&(_, count)| count > Metis::MOST) {
            Some((what, count)) if metis => {
                Err(too_large(format_args!("{count} {what}, METIS takes at most {}", Metis::MOST), nodes))
            }
            _ => Ok(()),
        }
    }

    /// Assigns the nodes of a graph; without METIS, it needs no edges.
    pub(crate) fn assign(
        &self,
        algorithm: Algorithm,
        parts: usize,
        graph: &LargeGraph,
    ) -> Result<Assignment, Box<dyn Error>> {
        let seed = self.seed.unwrap_or(0);
        match algorithm {
            Algorithm::Random => Ok(Assignment::random(graph, parts, seed)?),
            Algorithm::Contiguous => Ok(Assignment::contiguous(graph, parts)?),
            Algorithm::Kaminpar => kaminpar(graph, parts, seed),
            Algorithm::Stream => Err(TWO_STEPS.into()),
            Algorithm::Metis => {
                let metis = Metis::new(parts).balance(self.balance()).volume(self.objtype == Some(Objective::Vol));
                let assigned = metis.seed(seed).assign(graph);
                assigned.map_err(|error| match error.kind() {
                    ErrorKind::TooLarge => too_large(error, graph.nodes()),
                    _ => error.into(),
                })
            }
        }
    }
}

/// Offers all methods but `stream`, which is parsed only to say that it takes two steps.
pub(crate) fn in_one_step() -> impl TypedValueParser<Value = Algorithm> {
    let all = Algorithm::value_variants().iter();
    let offered = all.filter_map(|one| Some(one.to_possible_value()?.hide(*one == Algorithm::Stream)));
    PossibleValuesParser::new(offered).try_map(|name| Algorithm::from_str(&name, false))
}

fn too_large(problem: impl Display, nodes: usize) -> Box<dyn Error> {
    let memory = u32::MAX;
    let instead = if nodes > memory as usize {
        "graphpack assign --from takes what another program has assigned".into()
    } else if nodes > Metis::MOST {
        format!("graphpack assign --method stream and --method kaminpar take up to {memory}")
    } else {
        format!("graphpack assign --method stream takes more edges, and --method kaminpar up to {memory}")
    };
    format!("{problem}: {instead}").into()
}

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
fn kaminpar(graph: &LargeGraph, parts: usize, seed: u64) -> Result<Assignment, Box<dyn Error>> {
    let python = env::var_os("GRAPHPACK_PYTHON").unwrap_or_else(|| "python3".into());
    let shown = python.display().to_string();
    let found = Command::new(&python).args(["-c", "import kaminpar"]).stderr(Stdio::null()).status();
    if !found.map_err(|error| format!("{shown}: {error}"))?.success() {
        let hint = "pip install kaminpar==3.7, or GRAPHPACK_PYTHON=PYTHON that has it";
        return Err(format!("--method kaminpar: {shown} does not have the module kaminpar: {hint}").into());
    }
    let folder = tempfile::Builder::new().prefix("graphpack-kaminpar-").tempdir()?;
    run_kaminpar(&python, folder.path(), graph, parts, seed)
}

fn run_kaminpar(
    python: &OsStr,
    folder: &Path,
    graph: &LargeGraph,
    parts: usize,
    seed: u64,
) -> Result<Assignment, Box<dyn Error>> {
    let (input, out) = (folder.join("graph.parhip"), folder.join("parts.txt"));
    write_for_partitioner(graph, &input, GraphFormat::Parhip)?;
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let numbers = [parts as u64, threads as u64, mix(0, seed) >> 33].map(|number| number.to_string());
    let mut command = Command::new(python);
    let output = command.arg("-c").arg(SCRIPT).arg(&input).args(numbers).arg(&out).stdin(Stdio::null()).output()?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr);
        return Err(format!("KaMinPar failed ({}): {}", output.status, message.trim()).into());
    }
    Ok(Assignment::read_all(&out, parts, &graph.node_types)?)
}

/// The range of `--parts`.
pub(crate) fn parts_range() -> RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..=Assignment::MOST_PARTS as i64)
}

/// The number of parts of an assignment in files: what `--parts` says, or what is said beside them.
pub(crate) fn parts_of(folder: &Path, given: Option<u32>) -> Result<usize, graphpack_loader::Error> {
    let problem = match (given, Assignment::parts_in(folder)?) {
        (Some(given), Some(found)) if given as usize != found => format!("num_parts is {found}, --parts is {given}"),
        (Some(given), _) => return Ok(given as usize),
        (None, Some(found)) => return Ok(found),
        (None, None) => "expected this file, which says how many parts there are, or --parts".into(),
    };
    let path = folder.join("partition_meta.json");
    Err(file_error(&path)(io::Error::new(io::ErrorKind::InvalidInput, problem)))
}

/// The folder of a large graph or of its parts, for which its JSON file may stand.
pub(crate) fn graph_folder(given: &Path) -> &Path {
    match given.parent().filter(|_| given.is_file()) {
        Some(folder) if folder.as_os_str().is_empty() => Path::new("."),
        Some(folder) => folder,
        None => given,
    }
}

/// The JSON file of a partition: what is given, or the only one in that folder.
pub(crate) fn config_of(given: &Path) -> Result<PathBuf, graphpack_loader::Error> {
    if !given.is_dir() {
        return Ok(given.to_owned());
    }
    let list = || fs::read_dir(given)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>();
    let is_config = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "json");
    let mut found: Vec<_> = list().map_err(file_error(given))?.into_iter().filter(is_config).collect();
    if found.len() == 1 {
        return Ok(found.swap_remove(0));
    }
    let problem =
        format!("expected the NAME.json of a partition, or a folder with one; this folder has {}", found.len());
    Err(file_error(given)(io::Error::new(io::ErrorKind::InvalidInput, problem)))
}

/// Reads the part of each node of a graph.
pub(crate) fn assignment_in(
    folder: &Path,
    parts: usize,
    graph: &ChunkedGraph,
) -> Result<Assignment, graphpack_loader::Error> {
    let types = graph.node_types().iter();
    let types = types.map(|kind| NodeType { name: kind.name().into(), nodes: kind.nodes(), features: Vec::new() });
    Assignment::read(folder, parts, &types.collect::<Vec<_>>())
}

/// Where parts are written, and which files beside them.
#[derive(clap::Args)]
pub(crate) struct PartsFolder {
    /// Write original ids beside each part: orig_nids.dgl and orig_eids.dgl
    #[arg(long)]
    pub(crate) save_orig_ids: bool,
    /// Name of the JSON file: that of the graph if not given
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// Where to write, temporary files included: a folder that is empty or does not exist
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}
