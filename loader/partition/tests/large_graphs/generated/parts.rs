//! Partitions, cut slowly, and partitions in files.

use graphpack_partition::dgl::{PartitionWriter, load_tensors, save_tensors};
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

/// Writes the parts of a cut, original ids and maps again, numbered as DGL may: in each part and type the last node
/// comes first, and so does the last edge; original ids are listed type by type from the last.
pub(crate) fn renumber(cut: &Cut, config: &Path) {
    let book = cut.book();
    let writer = PartitionWriter::create(config.parent().unwrap(), "g", "metis", cut.hops(), book.clone()).unwrap();
    let next = |id: i64, of: std::ops::Range<i64>| of.start + (id - of.start + 1) % (of.end - of.start);
    let node = |id: i64| book.node(id).map(|place| next(id, book.node_range(place.kind, place.part))).unwrap();
    let edge = |id: i64| book.edge(id).map(|place| next(id, book.edge_range(place.kind, place.part))).unwrap();
    let turned = |features: &[(String, Array)]| {
        let turned = |array: &Array| {
            let rows = array.rows();
            array.select((0..rows).map(|row| (row + rows - 1) % rows)).unwrap()
        };
        features.iter().map(|(name, array)| (name.clone(), turned(array))).collect()
    };
    let turn = |mut ids: Vec<i64>| {
        if !ids.is_empty() {
            ids.rotate_right(1);
        }
        ids
    };
    let (node_types, edge_types) = (book.node_types().len(), book.edge_types().len());
    for part in cut.parts() {
        let number = part.number;
        let first = part.node_ids.first().copied().unwrap_or(0);
        let local = |place: i64| match part.node_ids[place as usize] {
            id if (place as usize) < part.inner_nodes => node(id) - first,
            _ => place,
        };
        let (own, halo) = part.node_ids.split_at(part.inner_nodes);
        let mut edges: Vec<[i64; 3]> = (0..part.edge_ids.len())
            .map(|at| [edge(part.edge_ids[at]), local(part.sources[at]), local(part.targets[at])])
            .collect();
        edges[..part.inner_edges].sort_unstable();
        let column = |at: usize| edges.iter().map(|edge| edge[at]).collect();
        let renumbered = Part {
            node_ids: own.iter().copied().chain(halo.iter().map(|&id| node(id))).collect(),
            edge_ids: column(0),
            sources: column(1),
            targets: column(2),
            node_features: turned(&part.node_features),
            edge_features: turned(&part.edge_features),
            ..part.clone()
        };
        writer.write_part(&renumbered).unwrap();
        let nodes: Vec<_> = (0..node_types).map(|kind| turn(cut.original_nodes(kind, number))).collect();
        let edges: Vec<_> = (0..edge_types).map(|kind| turn(cut.original_edges(kind, number))).collect();
        writer.write_orig_nids(number, &nodes).unwrap();
        writer.write_orig_eids(number, &edges).unwrap();
        for file in ["orig_nids.dgl", "orig_eids.dgl"] {
            let path = writer.config_path().with_file_name(format!("part{number}")).join(file);
            let mut ids = load_tensors(&path).unwrap();
            ids.reverse();
            save_tensors(&path, &ids).unwrap();
        }
    }
    let parts = 0..book.parts();
    let nodes = |kind| parts.clone().flat_map(|part| turn(cut.original_nodes(kind, part))).collect();
    let edges = |kind| parts.clone().flat_map(|part| turn(cut.original_edges(kind, part))).collect();
    let (nodes, edges): (Vec<_>, Vec<_>) = ((0..node_types).map(nodes).collect(), (0..edge_types).map(edges).collect());
    writer.write_maps(&nodes, &edges).unwrap();
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
