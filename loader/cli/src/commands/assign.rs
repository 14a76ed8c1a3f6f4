//! `graphpack assign`: the first of two steps, which writes the part of each node.

use crate::arguments::{Algorithm, Format, Method, name, parts_range};
use crate::output::{EdgeCut, Outcome, print, remark, spinner};
use graphpack_loader::Error;
use graphpack_partition::assign::Streaming;
use graphpack_partition::chunked::ChunkedGraph;
use graphpack_partition::{Assignment, LargeGraph, NodeType, OutputFolder};
use serde_json::{Map, json};
use std::path::{Path, PathBuf};

/// Assign the nodes of a graph in DGL's Chunked Graph Format to parts: in TYPE.txt, line i is the part of node i
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The graph: a folder with metadata.json. With --method random or contiguous and --from, no other file
    /// of it is read
    #[arg(long = "in", value_name = "DIR")]
    input: PathBuf,
    /// How nodes are assigned
    #[arg(long, value_enum, required_unless_present = "from")]
    method: Option<Algorithm>,
    /// Instead of a method, a file of another partitioner with the nodes of all types, numbered type by type: a part
    /// per line (METIS, KaHIP, KaMinPar), or node and part per line (ParMETIS)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["method", "balance_ntypes", "balance_edges", "objtype", "seed"])]
    from: Option<PathBuf>,
    /// Number of parts
    #[arg(long, value_name = "COUNT", value_parser = parts_range())]
    parts: u32,
    #[command(flatten)]
    assignment: Method,
    /// Threads of --method stream that place nodes; the parts are the same for any number [default: 1]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=256))]
    threads: Option<u32>,
    /// Mebibytes of edges that --method stream has in memory, about, beside 8 bytes per node; where these are not all
    /// edges, more may be cut, which is said [default: 1024]
    #[arg(long, value_name = "MIB")]
    memory: Option<u32>,
    /// Where to write: a folder that is empty or does not exist
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let name = args.method.map_or_else(|| "assigned".to_owned(), name);
    let of_stream = [("--threads", args.threads.is_some()), ("--memory", args.memory.is_some())];
    let given = of_stream.into_iter().find(|(_, given)| *given);
    if let Some((flag, _)) = given.filter(|_| args.method != Some(Algorithm::Stream)) {
        return Err(format!("{flag}: --method stream alone takes it").into());
    }
    let spinner = spinner("reading");
    let (method, parts) = (&args.assignment, args.parts as usize);
    let out = args.out.display();
    let folder = OutputFolder::claim(&args.out).map_err(|error| format!("{out}: {error}"))?;
    let (graph, assignment, cut) = match args.method {
        None | Some(Algorithm::Random | Algorithm::Contiguous) => {
            let graph = only_nodes(&args.input)?;
            let assignment = match (args.method, &args.from) {
                (Some(algorithm), _) => {
                    method.check(algorithm, parts, [graph.nodes(), 0])?;
                    method.assign(algorithm, parts, &graph)?
                }
                (None, Some(file)) => Assignment::read_all(file, parts, &graph.node_types)?,
                (None, None) => return Err("expected --method or --from".into()),
            };
            (graph, assignment, None)
        }
        Some(Algorithm::Stream) => {
            let chunked = ChunkedGraph::open(&args.input)?;
            method.check(Algorithm::Stream, parts, [chunked.nodes(), chunked.edges()])?;
            let graph = only_nodes(&args.input)?;
            let memory = args.memory.unwrap_or(1024);
            let streaming = Streaming::new(parts).threads(args.threads.unwrap_or(1) as usize);
            let streaming = streaming.memory((memory as usize).saturating_mul(1 << 20));
            let blocks = streaming.blocks(&chunked);
            if blocks > 1 {
                let all = u64::from(memory.max(1)).saturating_mul(blocks as u64);
                let cost = format!("edges are placed in {blocks} blocks, by which more of them may be cut");
                spinner.suspend(|| remark(format_args!("--memory {memory}: {cost}; --memory {all} has all in one")));
            }
            spinner.set_message("assigning");
            let (assignment, quality) = streaming.assign(&chunked, &|_| spinner.tick())?;
            (graph, assignment, Some(EdgeCut::of(quality, parts)))
        }
        Some(algorithm) => {
            let chunked = ChunkedGraph::open(&args.input)?;
            method.check(algorithm, parts, [chunked.nodes(), chunked.edges()])?;
            let graph = chunked.to_memory_with(|name| method.balances(name))?;
            spinner.set_message("assigning");
            let assignment = method.assign(algorithm, parts, &graph)?;
            let cut = EdgeCut::measure(&method.balance(), &graph, &assignment)?;
            (graph, assignment, Some(cut))
        }
    };
    let mut nodes_of = vec![0; parts];
    for kind in 0..graph.node_types.len() {
        assignment.counts(kind).iter().zip(&mut nodes_of).for_each(|(count, nodes)| *nodes += count);
    }
    let empty = nodes_of.iter().filter(|&&nodes| nodes == 0).count();
    assignment.write(&args.out, &graph.node_types, &name)?;
    folder.keep();
    spinner.finish_and_clear();

    match args.format {
        Format::Json => {
            let nodes = graph.node_types.iter().enumerate();
            let nodes: Map<_, _> = nodes.map(|(kind, of)| (of.name.clone(), json!(assignment.counts(kind)))).collect();
            let mut object = json!({ "parts": parts, "method": name, "nodes": nodes });
            cut.iter().for_each(|cut| cut.extend(&mut object));
            print(&object)?;
        }
        Format::Text => {
            print(format_args!("{}: {} nodes in {parts} parts by {}", out, graph.nodes(), name))?;
            if empty > 0 {
                print(format_args!("parts without nodes: {empty}"))?;
            }
            cut.iter().try_for_each(print)?;
        }
    }
    Ok(())
}

/// The graph without edges and features, of which only the metadata is read.
fn only_nodes(folder: &Path) -> Result<LargeGraph, Error> {
    let counts = ChunkedGraph::count_nodes(folder)?;
    let node_types = counts.into_iter().map(|(name, nodes)| NodeType { name, nodes, features: Vec::new() });
    Ok(LargeGraph { node_types: node_types.collect(), ..LargeGraph::default() })
}
