//! [`HeteroGraph`]: one graph of a file, its types and arrays as DGL keeps them.

use super::DglError;
use super::edge_formats::EdgeFormats;
use super::input::{Input, NAMED_BYTES};
use super::output::{Elements, Output};
use super::relation::{Csr, RELATION_BYTES, Relation, Wrong, metagraph, write_edges, write_metagraph};
use crate::Array;
use std::io::{self, Write};

const HETERO_GRAPH: u64 = 0xDD58_9FBE_3522_4ABF;

/// A graph with types of nodes and edges. Ids count from 0 within each type.
#[derive(Clone, Debug, PartialEq)]
pub struct HeteroGraph {
    /// Which types of edges connect which types of nodes: a node for each type of nodes, an edge for each type of
    /// edges.
    pub metagraph: Csr,
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
    pub(super) fn read(input: &mut Input) -> Result<Self, DglError> {
        let offset = input.position();
        input.magic("start of a graph", HETERO_GRAPH)?;
        let metagraph = metagraph(input)?;
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
        let found = [self.metagraph.rows, self.nodes.len(), self.node_data.len(), self.node_types.len()];
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

/// A graph with one type of nodes and one of edges, which is written from borrowed memory.
pub(super) struct Homogeneous<'a> {
    pub(super) nodes: usize,
    pub(super) sources: &'a [i64],
    pub(super) targets: &'a [i64],
    pub(super) formats: EdgeFormats,
    pub(super) node_data: Vec<(&'static str, Elements<'a>)>,
    pub(super) edge_data: Vec<(&'static str, Elements<'a>)>,
}

impl Homogeneous<'_> {
    /// Writes what [`HeteroGraph::read`] reads, with DGL's names of types.
    pub(super) fn write(&self, output: &mut Output<impl Write>) -> io::Result<()> {
        output.u64(HETERO_GRAPH)?;
        write_metagraph(output, &Csr::one())?;
        output.size(1)?;
        write_edges(output, self.nodes, [self.sources, self.targets], self.formats)?;
        output.list(&[self.nodes], |output, &nodes| output.size(nodes))?;
        for data in [&self.node_data, &self.edge_data] {
            output.size(1)?;
            output.list(data, |output, (name, elements)| output.named(name, *elements))?;
        }
        for name in ["_N", "_E"] {
            output.size(1)?;
            output.string(name)?;
        }
        Ok(())
    }
}

fn rows(what: &'static str, rows: usize, arrays: &[(String, Array)]) -> Result<(), Wrong> {
    let wrong = arrays.iter().find(|(_, array)| array.shape().first() != Some(&rows));
    wrong.map_or(Ok(()), |(name, array)| Err((what, rows.to_string(), format!("{:?} of {name:?}", array.shape()))))
}
