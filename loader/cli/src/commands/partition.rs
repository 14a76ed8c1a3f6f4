//! `graphpack partition`: assigns, cuts and writes a graph that fits into memory.

use super::{partition_export, partition_inspect, partition_verify};
use crate::arguments::{Algorithm, Format, Method, PartsFolder, TWO_STEPS, in_one_step, name, parts_of, parts_range};
use crate::output::{EdgeCut, Outcome, bar, print, remark_not_served, spinner};
use clap::{ArgMatches, FromArgMatches};
use graphpack_partition::chunked::ChunkedGraph;
use graphpack_partition::dgl::PartitionWriter;
use graphpack_partition::{Assignment, Cut, OutputFolder};
use serde_json::json;
use std::path::PathBuf;
use std::time::Instant;

/// `part_method` in the JSON file of a partition whose assignment was read from files.
const ASSIGNED: &str = "assigned";

/// Cut a graph in DGL's Chunked Graph Format into parts, in memory, and write them as DGL reads them
#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true, arg_required_else_help = true)]
pub(crate) struct Command {
    #[command(subcommand)]
    instead: Option<Subcommand>,
    #[command(flatten)]
    args: Given,
}

#[derive(clap::Subcommand)]
enum Subcommand {
    Export(partition_export::Args),
    Inspect(partition_inspect::Args),
    Verify(partition_verify::Args),
}

#[derive(clap::Args)]
struct Args {
    /// The graph: a folder with metadata.json, as `graphpack chunk` writes it
    #[arg(long = "in", value_name = "DIR")]
    input: PathBuf,
    /// How nodes are assigned to parts
    #[arg(long, value_parser = in_one_step(), required_unless_present = "assignments")]
    method: Option<Algorithm>,
    /// Instead of a method, a folder with TYPE.txt for each type of nodes: line i is the part of node i
    #[arg(long, value_name = "DIR", conflicts_with_all = ["method", "balance_ntypes", "balance_edges", "objtype", "seed"])]
    assignments: Option<PathBuf>,
    /// Number of parts; with --assignments what partition_meta.json in its folder says if not given
    #[arg(long, value_name = "COUNT", value_parser = parts_range(), required_unless_present = "assignments")]
    parts: Option<u32>,
    /// Trainers of each part, to each of which the method assigns nodes: their numbers become the feature trainer_id of
    /// nodes and edges
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = parts_range())]
    #[arg(conflicts_with = "assignments")]
    trainers_per_machine: u32,
    #[command(flatten)]
    assignment: Method,
    /// Hops of the HALO: a part also has the nodes from which its own are reached in at most this many edges, and those
    /// that edges of its own lead to
    #[arg(long, value_name = "HOPS", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    halo_hops: u32,
    /// Write the original id of each node and edge: node_map.npy and edge_map.npy, or folders with a file for each type
    #[arg(long)]
    return_mapping: bool,
    #[command(flatten)]
    output: PartsFolder,
}

/// [`Args`], unless a subcommand is given instead: an `Option<Args>` that also works where arguments are nested, as
/// clap's does not.
struct Given(Option<Args>);

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
    fn augment_args(command: clap::Command) -> clap::Command {
        Args::augment_args(command)
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Args::augment_args_for_update(command)
    }
}

impl Command {
    pub(crate) fn run(&self) -> Outcome {
        match (&self.instead, &self.args) {
            (Some(Subcommand::Export(args)), _) => partition_export::run(args),
            (Some(Subcommand::Inspect(args)), _) => partition_inspect::run(args),
            (Some(Subcommand::Verify(args)), _) => partition_verify::run(args),
            (None, Given(Some(args))) => run(args),
            (None, Given(None)) => Err("expected a graph, --in DIR".into()),
        }
    }
}

fn run(args: &Args) -> Outcome {
    let start = Instant::now();
    if args.method == Some(Algorithm::Stream) {
        return Err(TWO_STEPS.into());
    }
    let spinner = spinner("reading");
    let out = args.output.out.display();
    let folder = OutputFolder::claim(&args.output.out).map_err(|error| format!("{out}: {error}"))?;
    let parts = match (&args.assignments, args.parts) {
        (Some(folder), given) => parts_of(folder, given)?,
        (None, Some(parts)) => parts as usize,
        (None, None) => return Err("expected a number of parts, --parts COUNT".into()),
    };
    let graph = ChunkedGraph::open(&args.input)?;
    if let (None, Some(algorithm)) = (&args.assignments, args.method) {
        let trainers = parts.saturating_mul(args.trainers_per_machine as usize);
        args.assignment.check(algorithm, trainers, [graph.nodes(), graph.edges()])?;
    }
    PartitionWriter::check_name(&args.output.out, args.output.name.as_deref().unwrap_or(graph.name()))?;
    let mut graph = graph.to_memory()?;
    spinner.set_message("assigning");
    let method = &args.assignment;
    let (assignment, method_name) = match (&args.assignments, args.method) {
        (Some(folder), _) => (Assignment::read(folder, parts, &graph.node_types)?, ASSIGNED.to_owned()),
        (None, Some(algorithm)) => {
            let per_machine = args.trainers_per_machine as usize;
            let assigned = method.assign(algorithm, parts.saturating_mul(per_machine), &graph)?;
            let assignment =
                if per_machine > 1 { Assignment::of_trainers(per_machine, &assigned, &mut graph)? } else { assigned };
            (assignment, name(algorithm))
        }
        (None, None) => return Err("expected --method or --assignments".into()),
    };
    let edge_cut = EdgeCut::measure(&method.balance(), &graph, &assignment)?;
    spinner.set_message("cutting");
    let cut = Cut::new(&graph, &assignment, args.halo_hops as usize)?;
    spinner.finish_and_clear();

    let name = args.output.name.as_deref().unwrap_or(&graph.name);
    let writer =
        PartitionWriter::create(&args.output.out, name, &method_name, args.halo_hops as usize, cut.book().clone())?;
    let (node_types, edge_types) = (graph.node_types.len(), graph.edge_types.len());
    let bar = bar("parts", parts);
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
    remark_not_served(&config)?;

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
            edge_cut.extend(&mut object);
            print(&object)?;
        }
        Format::Text => {
            let (nodes, edges) = (graph.nodes(), graph.edges());
            print(format_args!("{}: {nodes} nodes, {edges} edges in {parts} parts", config.display()))?;
            print(edge_cut)?;
        }
    }
    Ok(())
}
