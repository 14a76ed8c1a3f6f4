//! `graphpack chunk`: writes a large graph in DGL's Chunked Graph Format, without having it in memory.

use crate::Outcome;
use clap::ValueEnum;
use graphpack_loader::partition::{ChunkFormat, ChunkOptions, ChunkedFeature, ChunkedWriter, EdgeList};
use indicatif::{ProgressBar, ProgressStyle};
use std::error::Error;
use std::path::{Path, PathBuf};

/// Bytes of a feature that are in memory at a time, about.
const BLOCK: usize = 16 << 20;
/// Edges between two steps of the progress bar.
const STEP: usize = 1 << 16;

/// Write a large graph in chunks: DGL's Chunked Graph Format
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A csv of edges, source and target in its first columns, with or without a header, perhaps gzip; SRC:REL:DST=FILE, once for each
    /// type, where there are several types
    #[arg(long, value_name = "[SRC:REL:DST=]FILE", required = true, value_parser = edges)]
    edges: Vec<EdgeFile>,
    /// Between the columns of the csv: one byte, or tab
    #[arg(long, default_value = ",", value_parser = delimiter)]
    delimiter: u8,
    /// Number of nodes; by default the rows of a node feature, else one more than the largest id
    #[arg(long, value_name = "[TYPE=]COUNT", value_parser = nodes)]
    nodes: Vec<(String, usize)>,
    /// A feature in a npy or parquet file, with a row per node
    #[arg(long, value_name = "[TYPE/]NAME=FILE", value_parser = node_feature)]
    node_feature: Vec<FeatureFile<String>>,
    /// A feature in a npy or parquet file, with a row per edge
    #[arg(long, value_name = "[SRC:REL:DST/]NAME=FILE", value_parser = edge_feature)]
    edge_feature: Vec<FeatureFile<[String; 3]>>,
    /// Chunks of each type of edge and of each feature
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    chunks: u32,
    /// How edges are written; DGL 2.1 reads csv and parquet
    #[arg(long, default_value = "csv")]
    format: Format,
    /// How features are written [default: parquet with --format parquet, else numpy]
    #[arg(long)]
    feature_format: Option<FeatureFormat>,
    /// Name of the graph
    #[arg(long, default_value = "graph")]
    name: String,
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

#[derive(Clone)]
struct EdgeFile {
    kind: [String; 3],
    path: PathBuf,
}

#[derive(Clone)]
struct FeatureFile<Kind> {
    kind: Kind,
    name: String,
    path: PathBuf,
}

/// What was found in the edges of a type.
struct Counted {
    edges: usize,
    /// Largest ids of sources and targets.
    largest: [i64; 2],
}

pub(crate) fn run(args: &Args) -> Outcome {
    let spinner = ProgressBar::new_spinner().with_message("counting edges");
    let mut counted = Vec::new();
    for file in &args.edges {
        counted.push(count(file, args.delimiter, &spinner)?);
    }
    spinner.finish_and_clear();
    let node_features = open_all(&args.node_feature)?;
    let edge_features = open_all(&args.edge_feature)?;
    let nodes = node_types(args, &counted, &node_features);

    let edges: usize = counted.iter().map(|counted| counted.edges).sum();
    let style =
        ProgressStyle::with_template("{bar:30} {pos}/{len} edges").unwrap_or_else(|_| ProgressStyle::default_bar());
    let bar = ProgressBar::new(edges as u64).with_style(style);
    let all_nodes: usize = nodes.iter().map(|(_, nodes)| nodes).sum();
    let mut writer = ChunkedWriter::create(&args.out, &args.name, nodes, options(args))?;
    for (file, counted) in args.edges.iter().zip(&counted) {
        let mut sink = writer.edge_type(&file.kind, counted.edges)?;
        for (at, edge) in EdgeList::open(&file.path, args.delimiter)?.enumerate() {
            let [source, target] = edge?;
            sink.push(source, target)?;
            if at % STEP == STEP - 1 {
                bar.inc(STEP as u64);
            }
        }
        sink.finish()?;
    }
    bar.finish_and_clear();
    for (file, feature) in args.node_feature.iter().zip(&node_features) {
        let mut sink = writer.node_feature(&file.kind, &file.name, feature.element(), feature.row())?;
        for range in feature.ranges(block(feature)) {
            sink.push(&range?.1)?;
        }
        sink.finish()?;
    }
    for (file, feature) in args.edge_feature.iter().zip(&edge_features) {
        let mut sink = writer.edge_feature(&file.kind, &file.name, feature.element(), feature.row())?;
        for range in feature.ranges(block(feature)) {
            sink.push(&range?.1)?;
        }
        sink.finish()?;
    }
    writer.finish()?;
    println!("{}: {all_nodes} nodes, {edges} edges in {} chunks", args.out.display(), args.chunks);
    Ok(())
}

fn count(file: &EdgeFile, delimiter: u8, spinner: &ProgressBar) -> Result<Counted, Box<dyn Error>> {
    let mut counted = Counted { edges: 0, largest: [-1; 2] };
    for edge in EdgeList::open(&file.path, delimiter)? {
        let [source, target] = edge?;
        counted.largest = [counted.largest[0].max(source), counted.largest[1].max(target)];
        counted.edges += 1;
        if counted.edges.is_multiple_of(STEP) {
            spinner.inc(1);
        }
    }
    Ok(counted)
}

/// Types of nodes in the order in which they were named, each with its number of nodes.
fn node_types(args: &Args, counted: &[Counted], features: &[ChunkedFeature]) -> Vec<(String, usize)> {
    let mut types = args.nodes.clone();
    for (file, Counted { largest, .. }) in args.edges.iter().zip(counted) {
        for (kind, &largest) in [&file.kind[0], &file.kind[2]].into_iter().zip(largest) {
            if args.nodes.iter().any(|(name, _)| name == kind) {
                continue;
            }
            let feature = args.node_feature.iter().position(|feature| feature.kind == *kind);
            let nodes =
                feature.map_or(usize::try_from(largest.saturating_add(1)).unwrap_or(0), |at| features[at].rows());
            match types.iter_mut().find(|(name, _)| name == kind) {
                Some((_, most)) => *most = nodes.max(*most),
                None => types.push((kind.clone(), nodes)),
            }
        }
    }
    for (file, feature) in args.node_feature.iter().zip(features) {
        if types.iter().all(|(name, _)| *name != file.kind) {
            types.push((file.kind.clone(), feature.rows()));
        }
    }
    types
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

fn open_all<Kind>(files: &[FeatureFile<Kind>]) -> Result<Vec<ChunkedFeature>, Box<dyn Error>> {
    let open = |file: &FeatureFile<Kind>| {
        let parquet = file.path.extension().is_some_and(|extension| extension == "parquet");
        let format = if parquet { ChunkFormat::Parquet } else { ChunkFormat::Numpy };
        Ok(ChunkedFeature::open(&file.name, format, vec![file.path.clone()])?)
    };
    files.iter().map(open).collect()
}

/// Rows that are about [`BLOCK`] bytes.
fn block(feature: &ChunkedFeature) -> usize {
    let bytes = feature.row().iter().product::<usize>() * feature.element().bytes();
    (BLOCK / bytes.max(1)).max(1)
}

/// The only types of a graph that has no others, as DGL names them.
fn only_node() -> String {
    "_N".into()
}

fn only_edge() -> [String; 3] {
    ["_N", "_E", "_N"].map(String::from)
}

fn edges(text: &str) -> Result<EdgeFile, String> {
    let typed = text.split_once('=').and_then(|(kind, path)| Some((edge_type(kind)?, path)));
    let (kind, path) = typed.unwrap_or_else(|| (only_edge(), text));
    Ok(EdgeFile { kind, path: path.into() })
}

fn edge_type(text: &str) -> Option<[String; 3]> {
    let parts: Vec<String> = text.split(':').map(String::from).collect();
    parts.try_into().ok()
}

fn nodes(text: &str) -> Result<(String, usize), String> {
    let (kind, count) = text.rsplit_once('=').map_or_else(|| (only_node(), text), |(kind, count)| (kind.into(), count));
    let count = count.parse().map_err(|_| format!("expected a number of nodes, found {count:?}"))?;
    Ok((kind, count))
}

fn node_feature(text: &str) -> Result<FeatureFile<String>, String> {
    let (kind, name, path) = feature(text)?;
    Ok(FeatureFile { kind: kind.map_or_else(only_node, String::from), name: name.into(), path: path.into() })
}

fn edge_feature(text: &str) -> Result<FeatureFile<[String; 3]>, String> {
    let (kind, name, path) = feature(text)?;
    let kind = match kind {
        Some(kind) => edge_type(kind).ok_or_else(|| format!("expected SRC:REL:DST, found {kind:?}"))?,
        None => only_edge(),
    };
    Ok(FeatureFile { kind, name: name.into(), path: path.into() })
}

/// Type, if there is one, name and file of a feature.
fn feature(text: &str) -> Result<(Option<&str>, &str, &Path), String> {
    let (name, path) = text.split_once('=').ok_or("expected NAME=FILE")?;
    let (kind, name) = name.split_once('/').map_or((None, name), |(kind, name)| (Some(kind), name));
    Ok((kind, name, Path::new(path)))
}

fn delimiter(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        [delimiter] if !delimiter.is_ascii_alphanumeric() && !b"\r\n\"+-.".contains(delimiter) => Ok(*delimiter),
        b"tab" | b"\\t" => Ok(b'\t'),
        _ => Err("expected one byte that is not part of a number, or tab".into()),
    }
}
