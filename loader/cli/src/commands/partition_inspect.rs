//! `graphpack partition inspect`: what the parts of a partition have.

use crate::arguments::{Format, config_of};
use crate::output::{Outcome, PrintError, print};
use graphpack_loader::Error;
use graphpack_partition::dgl::{PartitionConfig, TensorInfo, load_partition_graph, tensors_in};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// Print what each part of a partition in DGL's format has: nodes and edges by type, HALO, edge cut, features
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The partition's JSON file, or the folder with it
    #[arg(value_name = "NAME.json")]
    config: PathBuf,
    /// Only this part
    part: Option<usize>,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// What is printed of a part.
struct Row {
    part: usize,
    /// The nodes that it owns, by type.
    nodes: Vec<usize>,
    halo_nodes: usize,
    /// The edges that it owns, by type.
    edges: Vec<usize>,
    /// Its edges whose source is in the HALO.
    cut_edges: usize,
    features: [Vec<TensorInfo>; 2],
}

pub(crate) fn run(args: &Args) -> Outcome {
    let path = config_of(&args.config)?;
    let config = PartitionConfig::read(&path)?;
    let parts = args.part.map_or(0..config.parts.len(), |part| part..part.saturating_add(1));
    let rows = parts.map(|part| Row::read(&path, &config, part)).collect::<Result<Vec<_>, _>>()?;
    match args.format {
        Format::Json => print(object(&config, &rows))?,
        Format::Text => table(&config, &rows)?,
    }
    Ok(())
}

impl Row {
    fn read(path: &Path, config: &PartitionConfig, number: usize) -> Result<Self, Error> {
        let loaded = load_partition_graph(path, number)?;
        let (part, book) = (&loaded.part, &loaded.book);
        let folder = path.parent().unwrap_or(Path::new(""));
        let files = &config.parts[number];
        let cut = part.sources[..part.inner_edges].iter().filter(|&&source| source >= part.inner_nodes as i64);
        Ok(Self {
            part: number,
            nodes: (0..book.node_types().len()).map(|kind| book.node_range(kind, number).count()).collect(),
            halo_nodes: part.node_ids.len() - part.inner_nodes,
            edges: (0..book.edge_types().len()).map(|kind| book.edge_range(kind, number).count()).collect(),
            cut_edges: cut.count(),
            features: [tensors_in(folder.join(&files.node_feats))?, tensors_in(folder.join(&files.edge_feats))?],
        })
    }
}

fn object(config: &PartitionConfig, rows: &[Row]) -> Value {
    let counts = |names: &[String], counts: &[usize]| {
        names.iter().cloned().zip(counts.iter().map(|&count| json!(count))).collect::<Map<_, _>>()
    };
    let features = |features: &[TensorInfo]| {
        let one =
            |info: &TensorInfo| json!({ "name": info.name, "dtype": info.element.to_string(), "shape": info.shape });
        features.iter().map(one).collect::<Vec<_>>()
    };
    let part = |row: &Row| {
        json!({
            "part": row.part,
            "nodes": counts(config.book.node_types(), &row.nodes),
            "halo_nodes": row.halo_nodes,
            "edges": counts(config.book.edge_names(), &row.edges),
            "cut_edges": row.cut_edges,
            "node_features": features(&row.features[0]),
            "edge_features": features(&row.features[1]),
        })
    };
    json!({
        "graph_name": config.graph_name,
        "part_method": config.part_method,
        "halo_hops": config.halo_hops,
        "num_parts": config.parts.len(),
        "num_nodes": config.book.nodes(),
        "num_edges": config.book.edges(),
        "parts": rows.iter().map(part).collect::<Vec<_>>(),
    })
}

fn table(config: &PartitionConfig, rows: &[Row]) -> Result<(), PrintError> {
    print(format_args!(
        "{}: {} nodes, {} edges, {} parts by {:?}, a HALO of {} hops",
        config.graph_name,
        config.book.nodes(),
        config.book.edges(),
        config.parts.len(),
        config.part_method,
        config.halo_hops
    ))?;
    let names = ["part"].into_iter().chain(config.book.node_types().iter().map(String::as_str));
    let names = names.chain(["HALO"]).chain(config.book.edge_names().iter().map(String::as_str)).chain(["cut"]);
    let columns: Vec<(&str, usize)> = names.map(|name| (name, name.chars().count().max(8))).collect();
    line(columns.iter().map(|&(name, width)| format!("{name:>width$}")))?;
    for row in rows {
        let numbers = [row.part].into_iter().chain(row.nodes.iter().copied()).chain([row.halo_nodes]);
        let numbers = numbers.chain(row.edges.iter().copied()).chain([row.cut_edges]);
        line(columns.iter().zip(numbers).map(|(&(_, width), number)| format!("{number:>width$}")))?;
    }
    for row in rows {
        for TensorInfo { name, element, shape, .. } in row.features.iter().flatten() {
            print(format_args!("part {}: {name} {element} {shape:?}", row.part))?;
        }
    }
    Ok(())
}

fn line(cells: impl Iterator<Item = String>) -> Result<(), PrintError> {
    print(cells.collect::<Vec<_>>().join("  "))
}
