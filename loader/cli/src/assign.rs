//! `graphpack assign`: the first step of two, the part of each node, in files.

use crate::method::{Algorithm, Method, count, only_nodes};
use crate::partition::by_chance;
use crate::progress::spinner;
use crate::{Format, Outcome, print};
use graphpack_partition::{ChunkedGraph, OutputFolder};
use serde_json::{Map, json};
use std::path::PathBuf;

/// Write the part of each node of a graph in DGL's Chunked Graph Format: TYPE.txt, in line i the part of node i
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The graph: a folder with metadata.json. With --method random, no other file is read
    #[arg(long = "in", value_name = "DIR")]
    input: PathBuf,
    /// How parts are assigned
    #[arg(long, value_enum)]
    method: Algorithm,
    /// Number of parts
    #[arg(long, value_name = "COUNT", value_parser = count())]
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
    let (graph, assignment, quality) = match args.method {
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
            let quality = method.balance().quality(&graph, &assignment)?;
            (graph, assignment, Some(quality))
        }
    };
    assignment.write(&args.out, &graph.node_types)?;
    folder.keep();
    spinner.finish_and_clear();

    match args.format {
        Format::Json => {
            let nodes = graph.node_types.iter().enumerate();
            let nodes: Map<_, _> = nodes.map(|(kind, of)| (of.name.clone(), json!(assignment.counts(kind)))).collect();
            let mut object = json!({ "parts": parts, "method": args.method.name(), "nodes": nodes });
            if let (Some(object), Some(quality)) = (object.as_object_mut(), &quality) {
                object.extend(crate::partition::quality_keys(quality, parts));
            }
            print(&object)?;
        }
        Format::Text => {
            print(format_args!("{}: {} nodes in {parts} parts by {}", out, graph.nodes(), args.method.name()))?;
            quality.iter().try_for_each(|quality| print(by_chance(quality, parts)))?;
        }
    }
    Ok(())
}
