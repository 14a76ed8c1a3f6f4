//! [`Graphs`]: a file of graphs with labels, as `dgl.save_graphs` writes it; [`HeteroGraph`]: one of them, its types and
//! arrays as DGL keeps them; [`load_graph`]: a file with one graph.

use super::DglError;
use super::input::{Input, NAMED_BYTES};
use super::output::{Elements, save};
use super::relation::{Metagraph, RELATION_BYTES, Relation, Wrong, write_edges};
use crate::cut::PartError;
use crate::files::FileSum;
use crate::{Array, EdgeType, LargeGraph, NodeType};
use graphpack_loader::Error;
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
pub fn load_graphs(path: impl AsRef<Path>) -> Result<Graphs, Error> {
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

/// Writes a file with one graph and no labels. The graph has one type of nodes and one of edges, with DGL's names;
/// `data` are arrays of nodes and arrays of edges.
pub(super) fn write(
    path: &Path,
    nodes: usize,
    ends: [&[i64]; 2],
    data: [&[(&str, Elements<'_>)]; 2],
) -> Result<FileSum, Error> {
    save(path, |output| {
        output.u64(GRAPHS)?;
        VERSION_AND_KIND.into_iter().chain([1]).try_for_each(|number| output.u64(number))?;
        output.repeat(0, (HEAD - output.position()) as usize)?;
        // The start of the first graph, and the number of labels.
        let start = HEAD + 16;
        [start, 0].into_iter().try_for_each(|number| output.u64(number))?;
        // What `HeteroGraph::read` reads.
        output.u64(HETERO_GRAPH)?;
        Metagraph::one().write(output)?;
        output.size(1)?;
        write_edges(output, nodes, ends)?;
        output.list(&[nodes], |output, &nodes| output.size(nodes))?;
        for data in data {
            output.size(1)?;
            output.list(data, |output, (name, elements)| output.named(name, *elements))?;
        }
        for name in ["_N", "_E"] {
            output.size(1)?;
            output.string(name)?;
        }
        // The list of starts, with its length before and after it.
        [16, 1, start, 16].into_iter().try_for_each(|number| output.u64(number))
    })
}

const HETERO_GRAPH: u64 = 0xDD58_9FBE_3522_4ABF;

/// A graph with types of nodes and edges. Ids count from 0 within each type.
#[derive(Clone, Debug, PartialEq)]
pub struct HeteroGraph {
    /// Which types of edges connect which types of nodes.
    pub metagraph: Metagraph,
    /// Edges of each type.
    pub relations: Vec<Relation>,
    /// Number of nodes of each type.
    pub nodes: Vec<usize>,
    /// Arrays with a row for each node, by type.
    pub node_data: Vec<Vec<(String, Array)>>,
    /// Arrays with a row for each edge, by type.
    pub edge_data: Vec<Vec<(String, Array)>>,
    /// Names of types of nodes.
    pub node_types: Vec<String>,
    /// Names of types of edges, the relation alone.
    pub edge_types: Vec<String>,
}

impl HeteroGraph {
    pub(super) fn read(input: &mut Input) -> Result<Self, Error> {
        let offset = input.position();
        input.magic("start of a graph", HETERO_GRAPH)?;
        let metagraph = Metagraph::read(input)?;
        let graph = Self {
            metagraph,
            relations: input.list("number of relations", RELATION_BYTES, Relation::read)?,
            nodes: input.list("number of types of nodes", 8, |input| input.size("number of nodes"))?,
            node_data: input.list("number of types of nodes", 8, |input| {
                input.list("number of arrays of nodes", NAMED_BYTES, |input| input.named("an array of nodes"))
            })?,
            edge_data: input.list("number of types of edges", 8, |input| {
                input.list("number of arrays of edges", NAMED_BYTES, |input| input.named("an array of edges"))
            })?,
            node_types: input.list("number of types of nodes", 8, |input| input.string("name of a type of nodes"))?,
            edge_types: input.list("number of types of edges", 8, |input| input.string("name of a type of edges"))?,
        };
        graph.check().map_err(|(what, expected, found)| input.wrong(offset, what, expected, found))?;
        Ok(graph)
    }

    /// Checks that numbers of types and rows agree.
    pub(super) fn check(&self) -> Result<(), Wrong> {
        let counts = |list: &[usize]| format!("{list:?}");
        let found = [self.metagraph.nodes, self.nodes.len(), self.node_data.len(), self.node_types.len()];
        if found != [found[0]; 4] {
            return Err(("numbers of types of nodes", "the same four times".into(), counts(&found)));
        }
        let found = [self.metagraph.edges(), self.relations.len(), self.edge_data.len(), self.edge_types.len()];
        if found != [found[0]; 4] {
            return Err(("numbers of types of edges", "the same four times".into(), counts(&found)));
        }
        for (&nodes, arrays) in self.nodes.iter().zip(&self.node_data) {
            rows("rows of an array of nodes", nodes, arrays)?;
        }
        for (relation, arrays) in self.relations.iter().zip(&self.edge_data) {
            relation.check()?;
            rows("rows of an array of edges", relation.edges(), arrays)?;
        }
        self.metagraph.check()
    }
}

fn rows(what: &'static str, rows: usize, arrays: &[(String, Array)]) -> Result<(), Wrong> {
    let wrong = arrays.iter().find(|(_, array)| array.shape().first() != Some(&rows));
    wrong.map_or(Ok(()), |(name, array)| Err((what, rows.to_string(), format!("{:?} of {name:?}", array.shape()))))
}

/// Reads a file with one graph, of any types, whose edges are saved as a list, with or without other formats. The graph
/// is called as the file; edges are in the order of their ids.
pub fn load_graph(path: impl AsRef<Path>) -> Result<LargeGraph, Error> {
    let path = path.as_ref();
    let wrong = |source| Error::from(DglError::Part { path: path.to_owned(), source });
    let mut graphs = load_graphs(path)?.graphs;
    if graphs.len() != 1 {
        return Err(wrong(PartError::Count { what: "graphs in the file", expected: 1, found: graphs.len() }.into()));
    }
    let mut graph = typed(graphs.swap_remove(0)).map_err(wrong)?;
    graph.name = path.file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    graph.ends().map_err(|error| {
        let found = error.to_string();
        wrong(PartError::Array { name: "edges".into(), expected: "nodes that exist".into(), found }.into())
    })?;
    Ok(graph)
}

fn typed(graph: HeteroGraph) -> Result<LargeGraph, Error> {
    let HeteroGraph { metagraph, relations, nodes, node_data, edge_data, node_types, edge_types } = graph;
    let [from, to] = metagraph.ends()?;
    let mut all_edges = Vec::new();
    for ((relation, name), ((from, to), features)) in
        relations.into_iter().zip(edge_types).zip(from.into_iter().zip(to).zip(edge_data))
    {
        let end = |kind: i64| {
            let kind = usize::try_from(kind).ok().filter(|&kind| kind < nodes.len());
            kind.ok_or_else(|| {
                Error::from(PartError::Array {
                    name: "metagraph".into(),
                    expected: format!("types of nodes from 0 to {} (exclusive)", nodes.len()),
                    found: format!("another one at an end of {name:?}"),
                })
            })
        };
        let [from, to] = [end(from)?, end(to)?];
        let [sources, targets] = relation.ends([nodes[from], nodes[to]])?;
        let name = [node_types[from].clone(), name, node_types[to].clone()];
        all_edges.push(EdgeType { name, sources, targets, features });
    }
    let node_types = node_types.into_iter().zip(nodes).zip(node_data);
    let node_types = node_types.map(|((name, nodes), features)| NodeType { name, nodes, features }).collect();
    Ok(LargeGraph { name: String::new(), node_types, edge_types: all_edges })
}
