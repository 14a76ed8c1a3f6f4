//! `graphpack assign`: the first of two steps, which writes the part of each node.

use crate::arguments::{Algorithm, Format, Method, parts_range};
use crate::output::{EdgeCut, Outcome, print, spinner};
use graphpack_partition::{ChunkedError, ChunkedGraph, LargeGraph, NodeType, OutputFolder};
use serde_json::{Map, json};
use std::path::{Path, PathBuf};

/// Assign the nodes of a graph in DGL's Chunked Graph Format to parts: in TYPE.txt, line i is the part of node i
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The graph: a folder with metadata.json. With --method random, no other file is read
    #[arg(long = "in", value_name = "DIR")]
    input: PathBuf,
    /// How nodes are assigned
    #[arg(long, value_enum)]
    method: Algorithm,
    /// Number of parts
    #[arg(long, value_name = "COUNT", value_parser = parts_range())]
    parts: u32,
    #[command(flatten)]
    assignment: Method,
    /// Where to write: a folder that is empty or does not exist
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let spinner = spinner("reading");
    let (method, parts) = (&args.assignment, args.parts as usize);
    if let (Algorithm::Random, Some(flag)) = (args.method, method.balanced_by()) {
        return Err(format!("{flag}: chance balances nothing, --method metis does").into());
    }
    let out = args.out.display();
    let folder = OutputFolder::claim(&args.out).map_err(|error| format!("{out}: {error}"))?;
    let (graph, assignment, cut) = match args.method {
        Algorithm::Random => {
            let graph = only_nodes(&args.input)?;
            let assignment = method.assign(args.method, parts, &graph)?;
            (graph, assignment, None)
        }
        Algorithm::Metis => {
            let chunked = ChunkedGraph::open(&args.input)?;
            method.check(args.method, &chunked)?;
            let graph = chunked.to_memory_with(|name| method.balances(name))?;
            spinner.set_message("assigning");
            let assignment = method.assign(args.method, parts, &graph)?;
            let cut = EdgeCut::measure(&method.balance(), &graph, &assignment)?;
            (graph, assignment, Some(cut))
        }
    };
    assignment.write(&args.out, &graph.node_types, args.method.name())?;
    folder.keep();
    spinner.finish_and_clear();

    match args.format {
        Format::Json => {
            let nodes = graph.node_types.iter().enumerate();
            let nodes: Map<_, _> = nodes.map(|(kind, of)| (of.name.clone(), json!(assignment.counts(kind)))).collect();
            let mut object = json!({ "parts": parts, "method": args.method.name(), "nodes": nodes });
            cut.iter().for_each(|cut| cut.extend(&mut object));
            print(&object)?;
        }
        Format::Text => {
            print(format_args!("{}: {} nodes in {parts} parts by {}", out, graph.nodes(), args.method.name()))?;
            cut.iter().try_for_each(print)?;
        }
    }
    Ok(())
}

/// The graph without edges and features, of which only the metadata is read.
fn only_nodes(folder: &Path) -> Result<LargeGraph, ChunkedError> {
    let counts = ChunkedGraph::count_nodes(folder)?;
    let node_types = counts.into_iter().map(|(name, nodes)| NodeType { name, nodes, features: Vec::new() });
    Ok(LargeGraph { node_types: node_types.collect(), ..LargeGraph::default() })
}
