//! `graphpack chunk`: writes a large graph in DGL's Chunked Graph Format without holding it in memory.

use super::chunk_input::{Input, Nodes};
use crate::arguments::typed_files::{
    EdgeFile, FeatureFile, delimiter, edge_feature, edges, node_feature, nodes, only_node,
};
use crate::output::{Outcome, bar, print, remark, spinner};
use clap::ValueEnum;
use graphpack_partition::chunked::{ChunkFormat, ChunkOptions, ChunkedFeature, ChunkedWriter, EdgeList, write_chunked};
use graphpack_partition::dgl;
use std::error::Error;
use std::path::{Path, PathBuf};

/// Bytes of a feature that are in memory at a time, roughly.
const BLOCK: usize = 16 << 20;
/// Flags that name the files of a graph one by one.
const FILES: [&str; 4] = ["edges", "nodes", "node_feature", "edge_feature"];
/// Edges between two steps of the progress bar.
const STEP: usize = 1 << 16;

/// Write a large graph in chunks: DGL's Chunked Graph Format
#[derive(clap::Args)]
#[command(group(clap::ArgGroup::new("featured").multiple(true)))]
pub(crate) struct Args {
    /// A file of edges: npy of shape [2, E] or [E, 2]; or parquet or csv, plain or gzip, whose header names the columns
    /// of sources and targets, as src and dst or FromNodeId and ToNodeId do, or with them in its first two columns.
    /// Lines of csv that begin with # are comments. With several types of edges, once for each type as SRC:REL:DST=FILE
    #[arg(long, value_name = "[SRC:REL:DST=]FILE", required_unless_present_any = ["ogb", "dgl"], value_parser = edges)]
    edges: Vec<EdgeFile>,
    /// A node property data set of OGB in its raw layout: the folder that has raw/ and split/. Features are called
    /// feat, label, year and so on; splits are train_mask, val_mask and test_mask
    #[arg(long, value_name = "DIR", conflicts_with_all = FILES, conflicts_with_all = ["delimiter", "dgl"])]
    #[arg(group = "featured")]
    ogb: Option<PathBuf>,
    /// A file with one graph, as dgl.save_graphs writes it, of any types; it must fit into memory
    #[arg(long, value_name = "FILE", conflicts_with_all = FILES, conflicts_with = "delimiter", group = "featured")]
    dgl: Option<PathBuf>,
    /// Write the inverse of each edge after it, with the same features, as OGB's readers do with add_inverse_edge
    #[arg(long, conflicts_with = "dgl")]
    both_directions: bool,
    /// What separates the columns of csv files: one byte, or tab; if not given, commas in features, and in edges what
    /// the first line has: tabs, commas, semicolons or blanks
    #[arg(long, value_parser = delimiter)]
    delimiter: Option<u8>,
    /// Number of nodes: if not given, the rows of their first feature, else one more than the largest id in the edges,
    /// which is below 2^32 - 1 then
    #[arg(long, value_name = "[TYPE=]COUNT", value_parser = nodes)]
    nodes: Vec<(String, usize)>,
    /// A feature of nodes: a npy, parquet or csv file, csv without a header, with a row for each
    #[arg(long, value_name = "[TYPE/]NAME=FILE", value_parser = node_feature, group = "featured")]
    node_feature: Vec<FeatureFile<String>>,
    /// A feature of edges: a npy, parquet or csv file, csv without a header, with a row for each
    #[arg(long, value_name = "[SRC:REL:DST/]NAME=FILE", value_parser = edge_feature, group = "featured")]
    edge_feature: Vec<FeatureFile<[String; 3]>>,
    /// Chunks that the edges of each type, and each feature, are written in
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    chunks: u32,
    /// How edges are written; DGL 2.1 reads csv and parquet
    #[arg(long, default_value = "csv")]
    format: Format,
    /// How features are written: if not given, in parquet with --format parquet, else in numpy
    #[arg(long)]
    feature_format: Option<FeatureFormat>,
    /// Name of the graph: graph if not given, or the name of the file of DGL's
    #[arg(long)]
    name: Option<String>,
    /// Where to write: a folder that is empty or does not exist
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    Csv,
    Numpy,
    Parquet,
}

#[derive(Clone, Copy, ValueEnum)]
enum FeatureFormat {
    Numpy,
    Parquet,
}

/// What a first reading found in the edges of a type.
struct Counted {
    edges: usize,
    /// Largest ids of sources and targets.
    largest: [i64; 2],
    /// Columns of the file that are not read.
    unread: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Outcome {
    if let Some(path) = &args.dgl {
        return of_dgl(args, path);
    }
    let is_of_one_type = |file: &EdgeFile| [&file.kind[0], &file.kind[2]].contains(&&only_node());
    if let Some((_, count)) = args.nodes.iter().find(|(kind, _)| *kind == only_node())
        && !args.edges.iter().any(is_of_one_type)
    {
        return Err(format!("--nodes {count}: expected TYPE={count}, since --edges names types of nodes").into());
    }
    let spinner = spinner("counting edges");
    let input = match &args.ogb {
        Some(folder) => Input::of_ogb(folder)?,
        None => Input {
            nodes: args.nodes.iter().map(|(kind, count)| Nodes::by_flag(kind, *count)).collect(),
            edges: args.edges.clone(),
            node_features: args.node_feature.clone(),
            edge_features: args.edge_feature.clone(),
            masks: Vec::new(),
        },
    };
    let delimiter = args.delimiter.unwrap_or(b',');
    let features = input.node_features.iter().map(|file| &file.path);
    let features = features.chain(input.edge_features.iter().map(|file| &file.path));
    let is_csv = |path: &PathBuf| matches!(ChunkFormat::of_name(path, delimiter), ChunkFormat::Csv { .. });
    if args.delimiter.is_some() && !input.edges.iter().map(|file| &file.path).chain(features).any(is_csv) {
        return Err("--delimiter is for csv files, found none in --edges, --node-feature and --edge-feature".into());
    }
    let times = if args.both_directions { 2 } else { 1 };
    let mut counted = Vec::new();
    for file in &input.edges {
        if args.both_directions && file.kind[0] != file.kind[2] {
            let kind = file.kind.join(":");
            return Err(format!("{kind} has no inverse: it connects two types; leave out --both-directions").into());
        }
        counted.push(count(file, &input, args.delimiter, times)?);
    }
    spinner.finish_and_clear();
    for (file, Counted { unread, .. }) in input.edges.iter().zip(&counted) {
        if !unread.is_empty() {
            let (path, unread) = (file.path.display(), unread.join(", "));
            remark(format_args!("{path}: columns not read: {unread}; --edge-feature takes a file for each of them"));
        }
    }
    let node_features = open_all(&input.node_features, delimiter)?;
    let edge_features = open_all(&input.edge_features, delimiter)?;
    let nodes = node_types(&input, &counted, &node_features);
    let counts = |kind: &[String; 3]| {
        let at = input.edges.iter().position(|file| file.kind == *kind);
        at.map(|at| counted[at].edges / times)
    };
    let of_nodes = |kind: &String| nodes.iter().find(|nodes| nodes.kind == *kind).map(|nodes| nodes.count);
    check(&input.node_features, &node_features, "node", of_nodes, String::clone)?;
    check(&input.edge_features, &edge_features, "edge", counts, |kind| kind.join(":"))?;

    let edges: usize = counted.iter().map(|counted| counted.edges).sum();
    let bar = bar("edges", edges);
    let all_nodes = nodes.iter().fold(0, |sum: usize, nodes| sum.saturating_add(nodes.count));
    let of_types = nodes.iter().map(|nodes| (nodes.kind.clone(), nodes.count)).collect();
    let name = args.name.as_deref().unwrap_or("graph");
    let mut writer = ChunkedWriter::create(&args.out, name, of_types, options(args))?;
    for (file, counted) in input.edges.iter().zip(&counted) {
        let mut sink = writer.edge_type(&file.kind, counted.edges)?;
        let mut list = EdgeList::open(&file.path, args.delimiter)?;
        let mut written = 0;
        while let Some(edge) = list.next() {
            let [source, target] = edge?;
            let mut pushed = sink.push(source, target);
            if args.both_directions && pushed.is_ok() {
                pushed = sink.push(target, source);
            }
            pushed.map_err(|error| {
                let (path, place) = (file.path.display(), list.place());
                let by = nodes.iter().filter(|nodes| [&file.kind[0], &file.kind[2]].contains(&&nodes.kind));
                let by: Vec<_> = by.filter_map(|nodes| nodes.by.as_deref()).collect();
                let by = if by.is_empty() { String::new() } else { format!(" ({})", by.join(", ")) };
                format!("{path}, {place}: {error}{by}")
            })?;
            written += times;
            if written % STEP == 0 {
                bar.inc(STEP as u64);
            }
        }
        sink.finish()?;
    }
    bar.finish_and_clear();
    for (file, feature) in input.node_features.iter().zip(&node_features) {
        let mut sink = writer.node_feature(&file.kind, &file.name, feature.element(), feature.row())?;
        for range in feature.ranges(block(feature)) {
            sink.push(&range?.1)?;
        }
        sink.finish()?;
    }
    for (kind, name, mask) in &input.masks {
        let mut sink = writer.node_feature(kind, name, mask.element(), &[])?;
        sink.push(mask)?;
        sink.finish()?;
    }
    for (file, feature) in input.edge_features.iter().zip(&edge_features) {
        let mut sink = writer.edge_feature(&file.kind, &file.name, feature.element(), feature.row())?;
        for range in feature.ranges(block(feature)) {
            let (_, rows) = range?;
            let twice = if times > 1 { rows.select((0..2 * rows.rows()).map(|row| row / 2)) } else { None };
            sink.push(twice.as_ref().unwrap_or(&rows))?;
        }
        sink.finish()?;
    }
    writer.finish()?;
    told(args, nodes.len(), all_nodes, edges)
}

/// Writes a graph of DGL's, which is in memory as a whole.
fn of_dgl(args: &Args, path: &Path) -> Outcome {
    let spinner = spinner("reading");
    let mut graph = dgl::load_graph(path)?;
    if let Some(name) = &args.name {
        graph.name.clone_from(name);
    }
    spinner.set_message("writing");
    write_chunked(&graph, &args.out, &options(args))?;
    spinner.finish_and_clear();
    told(args, graph.node_types.len(), graph.nodes(), graph.edges())
}

fn told(args: &Args, types: usize, nodes: usize, edges: usize) -> Outcome {
    let (out, chunks) = (args.out.display(), args.chunks);
    let of_types = if types > 1 { format!(" of {types} types") } else { String::new() };
    print(format_args!("{out}: {nodes} nodes{of_types}, {edges} edges in {chunks} chunks"))?;
    Ok(())
}

/// Counts edges, each of which is written a number of times.
fn count(file: &EdgeFile, input: &Input, delimiter: Option<u8>, times: usize) -> Result<Counted, Box<dyn Error>> {
    let ends = [&file.kind[0], &file.kind[2]];
    let mut list = EdgeList::open(&file.path, delimiter)?;
    let mut counted = Counted { edges: 0, largest: [-1; 2], unread: list.unread().to_vec() };
    // A damaged id would make more nodes than there can be memory for.
    let most = ends.map(|kind| if input.knows(kind) { i64::MAX } else { i64::from(u32::MAX) - 1 });
    while let Some(edge) = list.next() {
        let edge = edge?;
        if let Some(end) = (0..2).find(|&end| edge[end] > most[end]) {
            let (path, place, node, kind, most) = (file.path.display(), list.place(), edge[end], ends[end], most[end]);
            return Err(format!(
                "{path}, {place}: node {node} of type {kind:?}, expected 0 to {most}; more need --nodes {kind}=COUNT"
            )
            .into());
        }
        counted.largest = [0, 1].map(|end| counted.largest[end].max(edge[end]));
        counted.edges += times;
    }
    Ok(counted)
}

/// The types of nodes, in order: those whose number is known, then those of the edges.
fn node_types(input: &Input, counted: &[Counted], features: &[ChunkedFeature]) -> Vec<Nodes> {
    let mut types = input.nodes.clone();
    for (file, Counted { largest, .. }) in input.edges.iter().zip(counted) {
        for (kind, &largest) in [&file.kind[0], &file.kind[2]].into_iter().zip(largest) {
            let by_edges = usize::try_from(largest.saturating_add(1)).unwrap_or(0);
            match types.iter_mut().find(|nodes| nodes.kind == *kind) {
                Some(Nodes { by: Some(_), .. }) => {}
                Some(Nodes { count, .. }) => *count = by_edges.max(*count),
                None => {
                    let feature = input.node_features.iter().position(|feature| feature.kind == *kind);
                    let by_feature = feature.map(|at| (features[at].rows(), &input.node_features[at].path));
                    let by = by_feature.map(|(rows, path)| format!("the rows of {}: {rows}", path.display()));
                    let count = by_feature.map_or(by_edges, |(rows, _)| rows);
                    types.push(Nodes { kind: kind.clone(), count, by });
                }
            }
        }
    }
    types
}

/// Refuses features whose type does not exist or that do not have a row for each node or edge, before anything is
/// written.
fn check<Kind: PartialEq>(
    files: &[FeatureFile<Kind>],
    features: &[ChunkedFeature],
    what: &str,
    count: impl Fn(&Kind) -> Option<usize>,
    name: impl Fn(&Kind) -> String,
) -> Result<(), String> {
    for (at, (file, feature)) in files.iter().zip(features).enumerate() {
        let (path, kind, rows) = (file.path.display(), name(&file.kind), feature.rows());
        let Some(expected) = count(&file.kind) else {
            let hint = if what == "node" { "; name it with --nodes if no edge has it" } else { "" };
            return Err(format!("{path}: feature {:?}: there is no {what} type {kind:?}{hint}", file.name));
        };
        if rows != expected {
            return Err(format!("{path}: {rows} rows, expected {expected}, one for each {what} of type {kind:?}"));
        }
        if files[..at].iter().any(|other| other.kind == file.kind && other.name == file.name) {
            return Err(format!("{path}: feature {:?} of {what} type {kind:?} was given before", file.name));
        }
    }
    Ok(())
}

fn options(args: &Args) -> ChunkOptions {
    let options = ChunkOptions::new(args.chunks as usize);
    let options = match args.format {
        Format::Csv => options,
        Format::Numpy => options.edges(ChunkFormat::Numpy),
        Format::Parquet => options.edges(ChunkFormat::Parquet).features(ChunkFormat::Parquet),
    };
    match args.feature_format {
        None => options,
        Some(FeatureFormat::Numpy) => options.features(ChunkFormat::Numpy),
        Some(FeatureFormat::Parquet) => options.features(ChunkFormat::Parquet),
    }
}

fn open_all<Kind>(files: &[FeatureFile<Kind>], delimiter: u8) -> Result<Vec<ChunkedFeature>, Box<dyn Error>> {
    let open = |file: &FeatureFile<Kind>| {
        let format = ChunkFormat::of_name(&file.path, delimiter);
        Ok(ChunkedFeature::open(&file.name, format, vec![file.path.clone()])?)
    };
    files.iter().map(open).collect()
}

/// The number of rows that take about [`BLOCK`] bytes.
fn block(feature: &ChunkedFeature) -> usize {
    (BLOCK / feature.row_bytes().max(1)).max(1)
}
