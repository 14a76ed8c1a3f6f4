//! Graphs in files of other partitioners.

use super::undirected::Undirected;
use crate::chunked::ChunkedGraph;
use crate::graph::GraphError;
use crate::{LargeGraph, OutputFolder};
use graphpack_loader::Error;
use graphpack_loader::extend::file_error;
use graphpack_loader::store::WholeFile;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// A format of partitioners that run on one machine, which see all types as one undirected graph without loops and
/// parallel edges, with nodes numbered type by type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GraphFormat {
    /// The text of METIS, KaHIP and KaMinPar: numbers of nodes and edges, then the neighbours of each node, from 1.
    Metis,
    /// The binary format of ParHIP and KaMinPar, with 64 bits.
    Parhip,
}

/// Writes a graph in memory. The file gets its name when it is complete. Returns how many edges it has, each once for
/// both directions.
pub fn write_for_partitioner(graph: &LargeGraph, path: impl AsRef<Path>, format: GraphFormat) -> Result<usize, Error> {
    let path = path.as_ref();
    let ends = graph.ends()?;
    // The number of ends has no limit here, so that it is not exceeded.
    let undirected = Undirected::new(graph, &ends, usize::MAX);
    let undirected = undirected.map_err(|count| GraphError::TooLarge { what: "ends of edges", count })?;
    let write = || {
        let whole = WholeFile::create(path)?;
        let mut to = BufWriter::with_capacity(1 << 16, whole.file());
        match format {
            GraphFormat::Metis => metis(&undirected, &mut to)?,
            GraphFormat::Parhip => parhip(&undirected, &mut to)?,
        }
        to.flush()?;
        drop(to);
        whole.finish()
    };
    write().map_err(file_error(path))?;
    Ok(undirected.neighbours.len() / 2)
}

fn metis(graph: &Undirected, to: &mut impl Write) -> io::Result<()> {
    writeln!(to, "{} {}", graph.nodes(), graph.neighbours.len() / 2)?;
    for node in 0..graph.nodes() {
        for (at, &neighbour) in graph.of(node).iter().enumerate() {
            let blank = if at == 0 { "" } else { " " };
            write!(to, "{blank}{}", u64::from(neighbour) + 1)?;
        }
        writeln!(to)?;
    }
    Ok(())
}

/// Version 3 has no weights and numbers of 64 bits. Neighbours start at offsets in the file.
fn parhip(graph: &Undirected, to: &mut impl Write) -> io::Result<()> {
    for number in [3, graph.nodes(), graph.neighbours.len()] {
        to.write_all(&(number as u64).to_le_bytes())?;
    }
    let first = 8 * (3 + graph.starts.len());
    for &start in &graph.starts {
        to.write_all(&((first + 8 * start) as u64).to_le_bytes())?;
    }
    for &neighbour in &graph.neighbours {
        to.write_all(&u64::from(neighbour).to_le_bytes())?;
    }
    Ok(())
}

/// Writes what DGL's `pm_dglpart3`, its ParMETIS, reads, without having the graph in memory: lists of files, weights of
/// nodes by type, edges, and numbers of all in `NAME_stats.txt`. Paths in the lists begin with `folder`, which must be
/// empty or not exist, and is left as it was if that fails.
pub fn write_for_parmetis(graph: &ChunkedGraph, folder: impl AsRef<Path>) -> Result<(), Error> {
    let folder = folder.as_ref();
    let claimed = OutputFolder::claim(folder).map_err(file_error(folder))?;
    let create = |path: &Path| Ok::<_, Error>(BufWriter::new(File::create(path).map_err(file_error(path))?));
    let types = graph.node_types();
    let (mut node_files, mut edge_files) = (String::new(), String::new());
    let (mut offsets, mut edges) = (vec![0], 0);
    for (kind, nodes) in types.iter().enumerate() {
        let path = folder.join(format!("node_weights_{}_0.txt", nodes.name()));
        let mut to = create(&path)?;
        let ones = (0..types.len()).map(|other| if other == kind { "1 " } else { "0 " });
        let start = format!("{kind} {}", ones.collect::<String>());
        let written = (0..nodes.nodes()).try_for_each(|node| writeln!(to, "{start}{node}")).and_then(|()| to.flush());
        written.map_err(file_error(&path))?;
        let (first, end) = (offsets[kind], offsets[kind] + nodes.nodes());
        node_files += &format!("{} {first} {end}\n", path.display());
        offsets.push(end);
    }
    for (number, kind) in graph.edge_types().iter().enumerate() {
        let [from, to_type] = kind.ends().map(|end| offsets[end] as i64);
        for chunk in 0..kind.chunks().len() {
            let path = folder.join(format!("edges_{number}_{chunk}.txt"));
            let mut to = create(&path)?;
            for range in kind.ranges(chunk, 1 << 16) {
                let range = range?;
                let mut pairs = range.sources.iter().zip(&range.targets);
                let written =
                    pairs.try_for_each(|(source, target)| writeln!(to, "{} {}", from + source, to_type + target));
                written.map_err(file_error(&path))?;
                edges += range.ids.len();
            }
            to.flush().map_err(file_error(&path))?;
            edge_files += &format!("{}\n", path.display());
        }
    }
    let stats = format!("{} {edges} {}\n", offsets[types.len()], types.len());
    let stats_file = format!("{}_stats.txt", graph.name());
    for (name, text) in [("parmetis_nfiles.txt", node_files), ("parmetis_efiles.txt", edge_files), (&stats_file, stats)]
    {
        let path = folder.join(name);
        fs::write(&path, text).map_err(file_error(&path))?;
    }
    claimed.keep();
    Ok(())
}
