//! `graphpack partition`: a graph that fits into memory, assigned, cut and written in one step.

use crate::method::{Algorithm, Method, count, parts_of};
use crate::output::Output;
use crate::progress::{bar, spinner};
use crate::{Format, Outcome, print};
use clap::{ArgMatches, Command, FromArgMatches};
use graphpack_partition::dgl::PartitionWriter;
use graphpack_partition::{Assignment, BalanceError, ChunkedGraph, Cut, LargeGraph, OutputFolder, Quality};
use serde_json::{Map, Value, json};
use std::path::PathBuf;
use std::time::Instant;

/// What the JSON file of a partition says of an assignment that was read.
const ASSIGNED: &str = "assigned";

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The graph: a folder with metadata.json, as `graphpack chunk` writes it
    #[arg(long = "in", value_name = "DIR")]
    input: PathBuf,
    /// How parts are assigned
    #[arg(long, value_enum, required_unless_present = "assignments")]
    method: Option<Algorithm>,
    /// Instead: a folder with TYPE.txt for each type of nodes, in line i the part of node i
    #[arg(long, value_name = "DIR", conflicts_with_all = ["method", "balance_ntypes", "balance_edges", "seed"])]
    assignments: Option<PathBuf>,
    /// Number of parts [default with --assignments: what partition_meta.json in its folder says]
    #[arg(long, value_name = "COUNT", value_parser = count(), required_unless_present = "assignments")]
    parts: Option<u32>,
    #[command(flatten)]
    assignment: Method,
    /// Hops of the HALO
    #[arg(long, value_name = "HOPS", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    halo_hops: u32,
    /// Write the original id of each node and edge: node_map.npy and edge_map.npy, or folders with a file for each type
    #[arg(long)]
    return_mapping: bool,
    #[command(flatten)]
    output: Output,
}

/// [`Args`], unless a subcommand is there instead: `Option<Args>`, which clap does not see where arguments are nested.
pub(crate) struct Given(pub(crate) Option<Args>);

impl FromArgMatches for Given {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = matches.contains_id("input").then(|| Args::from_arg_matches(matches));
        Ok(Self(given.transpose()?))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl clap::Args for Given {
    fn augment_args(command: Command) -> Command {
        Args::augment_args(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Args::augment_args_for_update(command)
    }
}

pub(crate) fn run(args: &Args) -> Outcome {
    let start = Instant::now();
    let spinner = spinner("reading");
    let out = args.output.out.display();
    let folder = OutputFolder::claim(&args.output.out).map_err(|error| format!("{out}: {error}"))?;
    let parts = match (&args.assignments, args.parts) {
        (Some(folder), given) => parts_of(folder, given)?,
        (None, Some(parts)) => parts as usize,
        (None, None) => return Err("name --parts".into()),
    };
    let graph = ChunkedGraph::open(&args.input)?;
    if let (None, Some(algorithm)) = (&args.assignments, args.method) {
        args.assignment.check(algorithm, &graph)?;
    }
    PartitionWriter::check_name(&args.output.out, args.output.name.as_deref().unwrap_or(graph.name()))?;
    small_enough(&graph)?;
    let graph = graph.to_memory()?;
    spinner.set_message("assigning");
    let method = &args.assignment;
    let (assignment, method_name) = match (&args.assignments, args.method) {
        (Some(folder), _) => (Assignment::read(folder, parts, &graph.node_types)?, ASSIGNED),
        (None, Some(algorithm)) => (method.assign(algorithm, parts, &graph)?, algorithm.name()),
        (None, None) => return Err("name a --method, or --assignments".into()),
    };
    let quality = quality(method, &graph, &assignment)?;
    spinner.set_message("cutting");
    let cut = Cut::new(&graph, &assignment, args.halo_hops as usize)?;
    spinner.finish_and_clear();

    let name = args.output.name.as_deref().unwrap_or(&graph.name);
    let writer =
        PartitionWriter::create(&args.output.out, name, method_name, args.halo_hops as usize, cut.book().clone())?;
    let (node_types, edge_types) = (graph.node_types.len(), graph.edge_types.len());
    let bar = bar("parts", parts as u64);
    for part in cut.parts() {
        writer.write_part(&part)?;
        let number = part.number;
        drop(part);
        if args.output.save_orig_ids {
            let nodes: Vec<_> = (0..node_types).map(|kind| cut.original_nodes(kind, number)).collect();
            writer.write_orig_nids(number, &nodes)?;
            drop(nodes);
            let edges: Vec<_> = (0..edge_types).map(|kind| cut.original_edges(kind, number)).collect();
            writer.write_orig_eids(number, &edges)?;
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    if args.return_mapping {
        let nodes: Vec<_> = (0..node_types).map(|kind| cut.node_map(kind)).collect();
        let edges: Vec<_> = (0..edge_types).map(|kind| cut.edge_map(kind)).collect();
        writer.write_maps(&nodes, &edges)?;
    }
    let config = writer.write_config()?;
    folder.keep();

    match args.output.format {
        Format::Json => {
            let mut object = json!({
                "config": config,
                "parts": parts,
                "method": method_name,
                "halo_hops": args.halo_hops,
                "num_nodes": graph.nodes(),
                "num_edges": graph.edges(),
                "seconds": start.elapsed().as_secs_f64(),
            });
            object.as_object_mut().into_iter().for_each(|object| object.extend(quality_keys(&quality, parts)));
            print(&object)?;
        }
        Format::Text => {
            let (nodes, edges) = (graph.nodes(), graph.edges());
            print(format_args!("{}: {nodes} nodes, {edges} edges in {parts} parts", config.display()))?;
            print(by_chance(&quality, parts))?;
        }
    }
    Ok(())
}

/// Refuses what cannot be cut in memory, before it is read.
fn small_enough(graph: &ChunkedGraph) -> Outcome {
    let nodes = graph.node_types().iter().map(|kind| kind.nodes()).fold(0, usize::saturating_add);
    let edges = graph.edge_types().iter().map(|kind| kind.edges()).fold(0, usize::saturating_add);
    let most = u32::MAX as usize;
    if nodes <= most && edges <= most {
        return Ok(());
    }
    let hint = "graphpack assign and graphpack dispatch take two steps for more";
    Err(format!("{nodes} nodes and {edges} edges, at most {most} of each can be cut in one step; {hint}").into())
}

/// How good an assignment is; with more types of nodes than can be balanced, only how many edges it cuts.
pub(crate) fn quality(method: &Method, graph: &LargeGraph, assignment: &Assignment) -> Result<Quality, BalanceError> {
    match method.balance().quality(graph, assignment) {
        Err(BalanceError::Types { .. }) => {
            Ok(Quality { edge_cut: assignment.edge_cut(graph)?, edges: graph.edges(), imbalance: Vec::new() })
        }
        quality => quality,
    }
}

/// The share of edges that are cut where parts are assigned by chance.
fn chance(parts: usize) -> f64 {
    1.0 - 1.0 / parts as f64
}

fn share(quality: &Quality) -> f64 {
    quality.edge_cut as f64 / quality.edges.max(1) as f64
}

/// What is printed of a quality.
pub(crate) fn by_chance(quality: &Quality, parts: usize) -> String {
    let mut text = format!(
        "edges cut: {} of {}, {:.1} %; by chance {:.1} %",
        quality.edge_cut,
        quality.edges,
        100.0 * share(quality),
        100.0 * chance(parts)
    );
    for (name, imbalance) in &quality.imbalance {
        text += &format!("\n{name}: most of a part / mean = {imbalance:.3}");
    }
    text
}

/// The same for scripts.
pub(crate) fn quality_keys(quality: &Quality, parts: usize) -> Map<String, Value> {
    let imbalance: Map<_, _> = quality.imbalance.iter().map(|(name, ratio)| (name.clone(), json!(ratio))).collect();
    let keys = [
        ("edge_cut", json!(quality.edge_cut)),
        ("edge_cut_share", json!(share(quality))),
        ("edge_cut_share_by_chance", json!(chance(parts))),
        ("imbalance", Value::Object(imbalance)),
    ];
    keys.map(|(key, value)| (key.to_owned(), value)).into_iter().collect()
}
