//! `graphpack dispatch`: the second of two steps, which cuts a graph that does not fit into memory.

use crate::arguments::{Format, PartsFolder, assignment_in, parts_of, parts_range};
use crate::output::{Outcome, bar, print, remark_not_served};
use graphpack_loader::{Error, ErrorKind};
use graphpack_partition::chunked::ChunkedGraph;
use graphpack_partition::{Assignment, Dispatch, Dispatched, Progress};
use indicatif::ProgressBar;
use serde_json::json;
#[cfg(not(feature = "mpi"))]
use std::env;
use std::path::PathBuf;
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Cut a graph in DGL's Chunked Graph Format into parts without holding it in memory, as files of an assignment say
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The graph: a folder with metadata.json, as `graphpack chunk` writes it
    #[arg(long = "in", value_name = "DIR")]
    input: PathBuf,
    /// A folder with TYPE.txt for each type of nodes, as `graphpack assign` writes it
    #[arg(long, value_name = "DIR")]
    assignments: PathBuf,
    /// Number of parts: what partition_meta.json beside the assignments says if not given
    #[arg(long, value_name = "COUNT", value_parser = parts_range())]
    parts: Option<u32>,
    /// Threads of this process, or of each process of mpirun, that read chunks and write parts, at most 256; more than
    /// there are chunks or parts are of no use
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=256))]
    threads: u32,
    /// Mebibytes that a process takes, about, beside 6 bytes per node; a part that needs more is written alone
    #[arg(long, value_name = "MIB", default_value_t = 1024)]
    memory: u32,
    /// Folder on a local disk for temporary files: that of the parts if not given
    #[arg(long, value_name = "DIR")]
    scratch: Option<PathBuf>,
    /// Go on where a run with the same inputs was killed or stopped: parts that are whole stay
    #[arg(long)]
    resume: bool,
    #[command(flatten)]
    output: PartsFolder,
}

pub(crate) fn run(args: &Args) -> Outcome {
    if several_processes(args)? {
        return Ok(());
    }
    let options = options(args)?;
    finish(args, || {
        let (graph, assignment) = open(args)?;
        let parts = assignment.parts();
        let bars = Bars::new(&graph, parts, [1, 1]);
        let done = options.run(&graph, &assignment, &args.output.out, &|progress| bars.advance(progress));
        bars.clear();
        Ok((done?, parts))
    })
}

/// Refuses to do everything in each of several processes. Launchers tell their number in variables of their own.
#[cfg(not(feature = "mpi"))]
fn several_processes(args: &Args) -> Result<bool, Box<dyn std::error::Error>> {
    let told = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"].iter().find_map(|name| env::var(name).ok());
    let Some(processes) = told.filter(|count| count != "1") else { return Ok(false) };
    let feature = "cargo install --path loader/cli --features mpi";
    let out = args.output.out.display();
    Err(format!("{out}: {processes} processes of mpirun, but this command was built without MPI: {feature}").into())
}

/// Asks MPI itself how many processes there are, and dispatches if there are several.
#[cfg(feature = "mpi")]
fn several_processes(args: &Args) -> Result<bool, Box<dyn std::error::Error>> {
    use graphpack_partition::MpiRanks;
    let mut ranks = MpiRanks::new()?;
    let (rank, count) = (ranks.rank(), ranks.ranks());
    if count == 1 {
        return Ok(false);
    }
    let options = options(args)?;
    let threads = args.threads as usize;
    let opened_by_this = std::sync::OnceLock::new();
    let dispatch = |ranks: &mut MpiRanks| -> Result<_, Error> {
        let opened = || {
            let (graph, assignment) = open(args)?;
            let bars = (rank == 0).then(|| Bars::new(&graph, assignment.parts(), [threads, threads * count]));
            let _ = opened_by_this.set((bars, assignment.parts()));
            Ok((graph, assignment))
        };
        let bars = || opened_by_this.get().and_then(|(bars, _)| bars.as_ref());
        let advance = |progress| bars().into_iter().for_each(|bars: &Bars| bars.advance(progress));
        let done = options.run_mpi(ranks, opened, &args.output.out, &advance);
        bars().into_iter().for_each(Bars::clear);
        Ok((done?, opened_by_this.get().map_or(0, |&(_, parts)| parts)))
    };
    let outcome = if rank == 0 {
        finish(args, || dispatch(&mut ranks))
    } else {
        dispatch(&mut ranks).map(drop).map_err(Into::into)
    };
    let failed = outcome.is_err();
    // One message for all; mpirun ends the others as soon as one has failed.
    if let (0, Err(error)) = (rank, &outcome) {
        crate::output::remark(error);
    }
    ranks.wait();
    drop(ranks);
    if failed {
        process::exit(1)
    }
    Ok(true)
}

fn options(args: &Args) -> Result<Dispatch, ctrlc::Error> {
    let mut dispatch = Dispatch::new().threads(args.threads as usize).save_orig_ids(args.output.save_orig_ids);
    dispatch = dispatch.memory((args.memory as usize).saturating_mul(1 << 20)).resume(args.resume);
    if let Some(name) = &args.output.name {
        dispatch = dispatch.name(name);
    }
    if let Some(scratch) = &args.scratch {
        dispatch = dispatch.scratch(scratch);
    }
    Ok(dispatch.stop(stop_on_signals()?))
}

/// Returns a flag that Ctrl-C, SIGTERM and SIGHUP set. A second one ends the process at once. Signals that were
/// ignored, as by nohup and in the background of a script, stay so.
fn stop_on_signals() -> Result<Arc<AtomicBool>, ctrlc::Error> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    #[cfg(unix)]
    let ignored: Vec<_> =
        [libc::SIGINT, libc::SIGTERM, libc::SIGHUP].into_iter().filter(|&of| is_ignored(of)).collect();
    ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            process::exit(130);
        }
    })?;
    #[cfg(unix)]
    for signal in ignored {
        // SAFETY: it is a signal, and no code runs for it.
        unsafe { libc::signal(signal, libc::SIG_IGN) };
    }
    Ok(stop)
}

/// Returns whether a signal is ignored; `ctrlc` does not tell what it replaces.
#[cfg(unix)]
fn is_ignored(signal: libc::c_int) -> bool {
    let mut now = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: null changes nothing, and `now` is read where it was written.
    unsafe {
        libc::sigaction(signal, std::ptr::null(), now.as_mut_ptr()) == 0
            && now.assume_init().sa_sigaction == libc::SIG_IGN
    }
}

fn open(args: &Args) -> Result<(ChunkedGraph, Assignment), Error> {
    let parts = parts_of(&args.assignments, args.parts)?;
    let graph = ChunkedGraph::open(&args.input)?;
    let assignment = assignment_in(&args.assignments, parts, &graph)?;
    Ok((graph, assignment))
}

const HINT: &str = "; --resume goes on from what is whole";

/// Runs `dispatch`, which returns what was done and in how many parts, and prints it.
fn finish(args: &Args, dispatch: impl FnOnce() -> Result<(Dispatched, usize), Error>) -> Outcome {
    let start = Instant::now();
    let (Dispatched { config, nodes, edges, edge_cut, kept, .. }, parts) = dispatch().map_err(|error| {
        let left = match error.kind() {
            ErrorKind::Stopped => true,
            // The folder is refused for what is in it.
            ErrorKind::Exists => !args.resume,
            _ => false,
        };
        let hint = if left && Dispatch::can_resume(&args.output.out) { HINT } else { "" };
        format!("{error}{hint}")
    })?;
    remark_not_served(&config)?;
    let (seconds, share) = (start.elapsed().as_secs_f64(), edge_cut as f64 / edges.max(1) as f64);
    match args.output.format {
        Format::Json => print(json!({
            "config": config,
            "parts": parts,
            "num_nodes": nodes,
            "num_edges": edges,
            "edge_cut": edge_cut,
            "edge_cut_share": share,
            "kept": kept,
            "seconds": seconds,
        }))?,
        Format::Text => {
            print(format_args!("{}: {nodes} nodes, {edges} edges in {parts} parts", config.display()))?;
            print(format_args!("edges cut: {edge_cut} of {edges}, {:.1} %", 100.0 * share))?;
            if args.resume {
                print(format_args!("{kept} parts were whole already"))?;
            }
        }
    }
    Ok(())
}

/// Progress on a terminal: edges first, then features, then parts.
struct Bars {
    edges: ProgressBar,
    rows: ProgressBar,
    parts: ProgressBar,
}

impl Bars {
    /// What the first `own` of `ranks` ranks do: rank r has chunks and parts r, `ranks` + r and so on.
    fn new(graph: &ChunkedGraph, parts: usize, [own, ranks]: [usize; 2]) -> Self {
        let is_own = |number: usize| number % ranks < own;
        let of_own = |(number, rows)| if is_own(number) { rows } else { 0 };
        let edges: usize = graph.edge_types().iter().flat_map(|kind| kind.chunks().enumerate()).map(of_own).sum();
        let of_nodes = graph.node_types().iter().flat_map(|kind| kind.features());
        let of_edges = graph.edge_types().iter().flat_map(|kind| kind.features());
        let rows: usize = of_nodes.chain(of_edges).flat_map(|feature| feature.files().enumerate()).map(of_own).sum();
        Self {
            edges: bar("edges", edges),
            rows: bar("rows of features", rows),
            parts: bar("parts", (0..parts).filter(|&part| is_own(part)).count()),
        }
    }

    fn clear(&self) {
        [&self.edges, &self.rows, &self.parts].into_iter().for_each(ProgressBar::finish_and_clear);
    }

    fn advance(&self, progress: Progress) {
        let (bar, by) = match progress {
            Progress::Edges(edges) => (&self.edges, edges),
            Progress::Rows(rows) => (&self.rows, rows),
            _ => (&self.parts, 1),
        };
        bar.inc(by as u64);
        if Some(bar.position()) >= bar.length() {
            bar.finish_and_clear();
        }
    }
}
