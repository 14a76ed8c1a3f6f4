//! `graphpack partition verify`: compares parts with the graph that they were cut from.

use crate::arguments::{assignment_in, config_of};
use crate::output::{Outcome, print, remark_not_served, spinner};
use graphpack_partition::Verify;
use graphpack_partition::chunked::ChunkedGraph;
use graphpack_partition::dgl::PartitionConfig;
use std::path::PathBuf;

/// Compare every node, edge, feature and owner of a partition with the graph that it was cut from, file by file
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The graph: a folder with metadata.json
    #[arg(long = "in", value_name = "DIR")]
    input: PathBuf,
    /// The partition's JSON file, or the folder with it
    #[arg(long, value_name = "NAME.json")]
    parts: PathBuf,
    /// A folder with TYPE.txt for each type of nodes, with which original ids beside the parts must agree, if there are
    /// any
    #[arg(long, value_name = "DIR")]
    assignments: Option<PathBuf>,
    /// Mebibytes of parts in memory, about, beside 6 bytes per node and, in parts that DGL wrote, 4 per edge; the graph
    /// is read once for as many as fit
    #[arg(long, value_name = "MIB", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..))]
    memory: u32,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let spinner = spinner("comparing");
    let graph = ChunkedGraph::open(&args.input)?;
    let parts = config_of(&args.parts)?;
    let assignment = match &args.assignments {
        Some(folder) => Some(assignment_in(folder, PartitionConfig::read(&parts)?.book.parts(), &graph)?),
        None => None,
    };
    let verify = Verify::new().memory((args.memory as usize).saturating_mul(1 << 20));
    let verified = verify.run(&graph, &parts, assignment.as_ref())?;
    spinner.finish_and_clear();
    remark_not_served(&parts)?;
    print(format_args!(
        "{}: {} nodes, {} edges, {} rows of features and {} original ids are those of {}",
        parts.display(),
        verified.nodes,
        verified.edges,
        verified.rows,
        verified.original_ids,
        args.input.display()
    ))?;
    if verified.targets_only > 0 {
        print(format_args!(
            "{} edges between parts are missing where they start: DGL's out_degrees and sampling with edge_dir=\"out\" \
             do not see them; cut the graph again to have them in both parts",
            verified.targets_only
        ))?;
    }
    Ok(())
}
