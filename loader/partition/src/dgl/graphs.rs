//! [`Graphs`]: a file of graphs with labels, as `dgl.save_graphs` writes it.

use super::DglError;
use super::hetero_graph::HeteroGraph;
use super::input::{Input, NAMED_BYTES};
use super::output::{Elements, Output, save};
use crate::Array;
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

const GRAPHS: u64 = 0xDD2E_4FF0_46B4_A13F;
/// Version and kind of the format: graphs with types.
const VERSION_AND_KIND: [u64; 2] = [2, 2];
/// Number of bytes before the labels. DGL uses the first 32; the others are whatever was in memory.
const HEAD: u64 = 4096;
/// Number of bytes of the smallest graph.
const GRAPH_BYTES: u64 = 100;

/// Graphs and their labels.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Graphs {
    /// Arrays by name, with a row per graph.
    pub labels: Vec<(String, Array)>,
    /// In the order of the file.
    pub graphs: Vec<HeteroGraph>,
}

/// Reads all graphs of a file and checks counts, shapes and lengths, but not whether the nodes of edges exist.
pub fn load_graphs(path: impl AsRef<Path>) -> Result<Graphs, DglError> {
    let mut input = Input::open(path.as_ref())?;
    input.magic("start of a file of graphs", GRAPHS)?;
    input.exactly("version", VERSION_AND_KIND[0])?;
    input.exactly("kind of graphs", VERSION_AND_KIND[1])?;
    let at_count = input.position();
    let count = input.u64("number of graphs")?;
    input.skip("the head of a file of graphs", HEAD - input.position())?;
    let at_start = input.position();
    let start = input.u64("start of the first graph")?;
    let labels = input.list("number of labels", NAMED_BYTES, |input| input.named("a label"))?;
    if start != input.position() {
        return Err(input.wrong(at_start, "start of the first graph", input.position(), start));
    }
    let most = input.left() / GRAPH_BYTES;
    if count > most {
        return Err(input.wrong(at_count, "number of graphs", format_args!("at most {most} for what is there"), count));
    }
    let mut starts = Vec::new();
    let mut graphs = Vec::new();
    for _ in 0..count {
        starts.push(input.position());
        graphs.push(HeteroGraph::read(&mut input)?);
    }
    // The list of starts, with its length before and after it.
    let length = 8 + 8 * count;
    input.exactly("length of the list of graphs", length)?;
    input.exactly("number of graphs in the list", count)?;
    for start in starts {
        input.exactly("start of a graph in the list", start)?;
    }
    input.exactly("length of the list of graphs", length)?;
    input.end()?;
    Ok(Graphs { labels, graphs })
}

/// Writes graphs unchecked, under a temporary name until the file is complete. Reading them checks whether their arrays
/// agree.
pub fn save_graphs(path: impl AsRef<Path>, graphs: &Graphs) -> Result<(), DglError> {
    write(path.as_ref(), &graphs.labels, graphs.graphs.len(), |output, graph| graphs.graphs[graph].write(output))
}

/// Writes labels and `graphs` graphs; `graph` writes one, given its number.
pub(super) fn write(
    path: &Path,
    labels: &[(String, Array)],
    graphs: usize,
    graph: impl Fn(&mut Output<BufWriter<File>>, usize) -> io::Result<()>,
) -> Result<(), DglError> {
    // The position of the first graph comes before the labels.
    let mut text = Vec::new();
    let written =
        Output::new(&mut text).list(labels, |output, (name, array)| output.named(name, Elements::Array(array)));
    written.map_err(|source| DglError::Io { path: path.to_owned(), source })?;
    save(path, |output| {
        output.u64(GRAPHS)?;
        VERSION_AND_KIND.into_iter().try_for_each(|number| output.u64(number))?;
        output.size(graphs)?;
        output.repeat(0, (HEAD - output.position()) as usize)?;
        output.u64(HEAD + 8 + text.len() as u64)?;
        output.bytes(&text)?;
        let mut starts = Vec::new();
        for number in 0..graphs {
            starts.push(output.position());
            graph(output, number)?;
        }
        let length = 8 + 8 * graphs;
        output.size(length)?;
        output.list(&starts, |output, &start| output.u64(start))?;
        output.size(length)
    })
}
