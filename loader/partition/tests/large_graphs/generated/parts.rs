//! Partitions, cut slowly, and partitions in files.

use graphpack_partition::dgl::PartitionWriter;
use graphpack_partition::{Array, ArrayType, Cut, Part, PartitionBook};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A partition of random nodes and edges, cut slowly: parts own the edges into their nodes, and may have those out of
/// them, too. An oracle: it knows nothing of `Cut`, whose parts it fills in the same way by another rule.
pub(crate) fn parts(seed: &[u32], types: [usize; 2], count: usize, out_edges: bool) -> (PartitionBook, Vec<Part>) {
    let mut numbers = seed.iter().cycle().enumerate().map(|(i, &n)| n.wrapping_mul(2 * i as u32 + 1) >> 7);
    let mut below = |n: usize| numbers.next().unwrap() as usize % n;
    let nodes: Vec<Vec<usize>> = (0..types[0]).map(|_| (0..count).map(|_| below(5)).collect()).collect();
    let node_types: Vec<String> = (0..types[0]).map(|kind| format!("ü/{kind}")).collect();
    let names =
        |kind: usize, from: usize, to: usize| [node_types[from].clone(), format!("r{kind}"), node_types[to].clone()];
    let edge_types: Vec<[String; 3]> =
        (0..types[1]).map(|kind| names(kind, below(types[0]), below(types[0]))).collect();
    let only_nodes = PartitionBook::new(node_types.clone(), &nodes, Vec::new(), &[]);
    // Type, source and target by global id.
    let mut edges: Vec<(usize, i64, i64)> = Vec::new();
    for (kind, [from, _, to]) in edge_types.iter().enumerate() {
        let ids = |name: &String| -> Vec<i64> {
            let kind = node_types.iter().position(|found| found == name).unwrap();
            (0..count).flat_map(|part| only_nodes.node_range(kind, part)).collect()
        };
        let (from, to) = (ids(from), ids(to));
        if !from.is_empty() && !to.is_empty() {
            edges.extend((0..below(12)).map(|_| (kind, from[below(from.len())], to[below(to.len())])));
        }
    }
    let part_of = |id| only_nodes.node(id).unwrap().part;
    edges.sort_by_key(|&(kind, _, target)| (part_of(target), kind));
    let owned = |kind, part| edges.iter().filter(|edge| (edge.0, part_of(edge.2)) == (kind, part)).count();
    let counts: Vec<Vec<usize>> =
        (0..types[1]).map(|kind| (0..count).map(|part| owned(kind, part)).collect()).collect();
    let book = PartitionBook::new(node_types, &nodes, edge_types, &counts);
    let part = |number: usize| {
        let ids = 0..edges.len() as i64;
        let (inner, others): (Vec<i64>, Vec<i64>) = ids.partition(|&id| part_of(edges[id as usize].2) == number);
        let outgoing = others.into_iter().filter(|&id| out_edges && part_of(edges[id as usize].1) == number);
        let inner_edges = inner.len();
        let edge_ids: Vec<i64> = inner.into_iter().chain(outgoing).collect();
        let mut node_ids: Vec<i64> = (0..book.nodes() as i64).filter(|&id| part_of(id) == number).collect();
        let inner_nodes = node_ids.len();
        let ends = edge_ids.iter().flat_map(|&id| [edges[id as usize].1, edges[id as usize].2]);
        node_ids.extend(ends.filter(|&id| part_of(id) != number).collect::<BTreeSet<i64>>().into_iter().rev());
        let local = |id: i64| node_ids.iter().position(|&node| node == id).unwrap() as i64;
        let sources = edge_ids.iter().map(|&id| local(edges[id as usize].1)).collect();
        let targets = edge_ids.iter().map(|&id| local(edges[id as usize].2)).collect();
        let array = |rows: usize| Array::new(ArrayType::I16, vec![rows, 2], (0..4 * rows as u8).collect()).unwrap();
        let node_features = (0..types[0])
            .map(|kind| (format!("{}/x", book.node_types()[kind]), array(book.node_range(kind, number).count())));
        let edge_features = (0..types[1]).map(|kind| {
            (format!("{}/w", book.edge_types()[kind].join(":")), array(book.edge_range(kind, number).count()))
        });
        let (node_features, edge_features) = (node_features.collect(), edge_features.collect());
        Part {
            number,
            node_ids,
            inner_nodes,
            sources,
            targets,
            edge_ids,
            inner_edges,
            halo_hops: 1,
            node_features,
            edge_features,
        }
    };
    let parts = (0..count).map(part).collect();
    (book, parts)
}

/// The part as it was written before edges from its own nodes to others were: without them and the nodes that they
/// alone lead to.
pub(crate) fn without_outward(part: &Part) -> Part {
    let mut near: Vec<bool> = (0..part.node_ids.len()).map(|node| node < part.inner_nodes).collect();
    let mut kept = vec![false; part.edge_ids.len()];
    for _ in 0..part.halo_hops {
        for (edge, &target) in part.targets.iter().enumerate() {
            kept[edge] |= near[target as usize];
        }
        let sources = (0..kept.len()).filter(|&edge| kept[edge]).map(|edge| part.sources[edge] as usize);
        sources.for_each(|source| near[source] = true);
    }
    let nodes: Vec<usize> = (0..near.len()).filter(|&node| near[node]).collect();
    let local = |node: i64| nodes.iter().position(|&kept| kept as i64 == node).unwrap() as i64;
    let edges = || (0..kept.len()).filter(|&edge| kept[edge]);
    Part {
        node_ids: nodes.iter().map(|&node| part.node_ids[node]).collect(),
        sources: edges().map(|edge| local(part.sources[edge])).collect(),
        targets: edges().map(|edge| local(part.targets[edge])).collect(),
        edge_ids: edges().map(|edge| part.edge_ids[edge]).collect(),
        ..part.clone()
    }
}

/// Writes all parts of a cut with original ids, and the JSON file.
pub(crate) fn write_cut(cut: &Cut, folder: &Path, name: &str, method: &str) -> PartitionWriter {
    let book = cut.book();
    let writer = PartitionWriter::create(folder, name, method, cut.hops(), book.clone()).unwrap();
    for part in cut.parts() {
        writer.write_part(&part).unwrap();
        let nodes: Vec<_> = (0..book.node_types().len()).map(|kind| cut.original_nodes(kind, part.number)).collect();
        let edges: Vec<_> = (0..book.edge_types().len()).map(|kind| cut.original_edges(kind, part.number)).collect();
        writer.write_orig_nids(part.number, &nodes).unwrap();
        writer.write_orig_eids(part.number, &edges).unwrap();
    }
    writer.write_config().unwrap();
    writer
}

/// A small partition with every kind of thing in it, written.
pub(crate) fn written(folder: &TempDir) -> (PathBuf, PartitionBook, Vec<Part>) {
    let has_all = |part: &Part| part.inner_edges > 1 && part.inner_nodes > 2 && part.inner_nodes < part.node_ids.len();
    let tried = (1..).map(|seed| parts(&[seed, seed * 1_618_033], [2, 2], 2, true));
    let (book, parts) = { tried }.find(|(_, parts)| parts.iter().all(has_all)).unwrap();
    let writer = PartitionWriter::create(folder.path(), "small", "random", 1, book.clone()).unwrap();
    for part in &parts {
        writer.write_part(part).unwrap();
    }
    (writer.write_config().unwrap(), book, parts)
}
