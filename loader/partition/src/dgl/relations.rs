//! [`relations`]: the types of the ends of edges, where a partition's JSON file has names of relations alone.

use super::hetero_graph::HeteroGraph;
use super::keys::{Keys, Types};
use super::numbers::{edges, integers};
use super::part_files::{PartFiles, beside};
use super::{DglError, load_graphs};
use crate::{Array, PartError, PartitionBook};

/// Returns source, relation and target of each type of edges. Where there are several types of nodes, those of the ends
/// are read from a part that has such an edge.
pub(super) fn relations(
    file: &Keys<'_>,
    nodes: &Types,
    relations: &Types,
    files: &[PartFiles],
) -> Result<Vec<[String; 3]>, DglError> {
    let named = |from: &str, relation: &str, to: &str| [from, relation, to].map(str::to_owned);
    if let [only] = &nodes.names[..] {
        return Ok(relations.names.iter().map(|relation| named(only, relation, only)).collect());
    }
    let unnamed = relations.names.iter().map(|relation| named("", relation, "")).collect();
    let book = PartitionBook::new(nodes.names.clone(), &nodes.counts, unnamed, &relations.counts);
    let mut triples = vec![None; relations.names.len()];
    for (number, files) in files.iter().enumerate() {
        let here = |kind: usize| book.edge_range(kind, number);
        let kinds: Vec<_> =
            (0..triples.len()).filter(|&kind| triples[kind].is_none() && !here(kind).is_empty()).collect();
        if kinds.is_empty() {
            continue;
        }
        let path = beside(file.path(), &files.part_graph);
        let wrong = |source| DglError::Part { path: path.clone(), source };
        let ends = Ends::read(load_graphs(&path)?.graphs).map_err(wrong)?;
        for kind in kinds {
            let [from, to] = ends.of(here(kind).start).map(|node| Some(&nodes.names[book.node(node?)?.kind]));
            let (Some(from), Some(to)) = (from, to) else {
                let expected =
                    format!("edge {} between nodes that exist, as {:?}", here(kind).start, relations.names[kind]);
                return Err(wrong(PartError::Array { name: "_ID".into(), expected, found: "none".into() }));
            };
            triples[kind] = Some(named(from, &relations.names[kind], to));
        }
    }
    let found = triples.into_iter().zip(&relations.names).map(|(triple, name)| {
        let expected = "source:relation:target, as no part has an edge of this type";
        triple.ok_or_else(|| file.wrong("etypes", expected, name))
    });
    found.collect()
}

/// The edges of a part, by global ids.
struct Ends {
    node_ids: Vec<i64>,
    edge_ids: Vec<i64>,
    ends: [Vec<i64>; 2],
}

impl Ends {
    fn read(mut graphs: Vec<HeteroGraph>) -> Result<Self, PartError> {
        let first = (graphs.len() == 1).then(|| graphs.swap_remove(0));
        let graph = first.filter(|graph| graph.nodes.len() == 1 && graph.relations.len() == 1);
        let missing = |name: &str| PartError::Array { name: name.into(), expected: "one".into(), found: "none".into() };
        let mut graph = graph.ok_or_else(|| missing("graph with one type"))?;
        let ids = |data: &mut Vec<(String, Array)>| {
            let place = data.iter().position(|(name, _)| name == "_ID").ok_or_else(|| missing("_ID"))?;
            integers("_ID", data.swap_remove(place).1)
        };
        let (node_ids, edge_ids) = (ids(&mut graph.node_data[0])?, ids(&mut graph.edge_data[0])?);
        let nodes = graph.nodes[0];
        Ok(Self { node_ids, edge_ids, ends: edges(graph.relations.swap_remove(0), [nodes; 2])? })
    }

    /// The global ids of source and target of an edge.
    fn of(&self, edge: i64) -> [Option<i64>; 2] {
        let place = self.edge_ids.iter().position(|&id| id == edge);
        let node = |local: i64| self.node_ids.get(usize::try_from(local).ok()?).copied();
        self.ends.each_ref().map(|ends| node(*ends.get(place?)?))
    }
}
