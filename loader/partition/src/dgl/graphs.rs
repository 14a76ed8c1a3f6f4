//! [`Graphs`]: a file of graphs with labels, as `dgl.save_graphs` writes it.

use super::DglError;
use super::hetero_graph::HeteroGraph;
use super::input::{Input, NAMED_BYTES};
use super::output::{FileOutput, save};
use crate::Array;
use crate::file_sum::FileSum;
use std::io;
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

/// Writes a file with one graph and no labels.
pub(super) fn write(
    path: &Path,
    graph: impl FnOnce(&mut FileOutput<'_>) -> io::Result<()>,
) -> Result<FileSum, DglError> {
    save(path, |output| {
        output.u64(GRAPHS)?;
        VERSION_AND_KIND.into_iter().chain([1]).try_for_each(|number| output.u64(number))?;
        output.repeat(0, (HEAD - output.position()) as usize)?;
        // The start of the first graph, and the number of labels.
        let start = HEAD + 16;
        [start, 0].into_iter().try_for_each(|number| output.u64(number))?;
        graph(output)?;
        // The list of starts, with its length before and after it.
        [16, 1, start, 16].into_iter().try_for_each(|number| output.u64(number))
    })
}
