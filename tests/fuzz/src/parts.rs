//! Parts of large graphs.

use crate::input::{files, folder};
use graphpack_partition::PartitionBook;
use graphpack_partition::chunked::{ChunkOptions, ChunkedGraph, write_chunked};
use graphpack_partition::dgl::{self, PartitionConfig, PartitionWriter};
use std::fs;

/// A file of DGL's tensors that can be read is the same, byte for byte, when it is written again.
pub(crate) fn dgl_tensors(bytes: &[u8]) {
    let folder = folder(&[("tensors.dgl", bytes)]);
    let path = folder.path().join("tensors.dgl");
    let infos = dgl::tensors_in(&path);
    let Ok(tensors) = dgl::load_tensors(&path) else {
        assert!(infos.is_err(), "names and shapes are read only from files whose tensors can be read");
        return;
    };
    let found = infos.unwrap().into_iter().map(|info| (info.name, info.element, info.shape));
    assert!(found.eq(tensors.iter().map(|(name, array)| (name.clone(), array.element(), array.shape().to_vec()))));
    dgl::save_tensors(&path, &tensors).unwrap();
    assert!(fs::read(&path).unwrap() == bytes);
}

/// A file of DGL's graphs, without bytes 32 to 4096 of its header, which nobody reads. What can be read as a part is
/// the same when it is written again: one of a partition into two parts, with (2, 1) and (1, 2) nodes of types `a`
/// and `b` and (2, 1) edges from `a` to `b`.
pub(crate) fn dgl_graphs(bytes: &[u8]) {
    let head = bytes.len().min(32);
    let file = if head < 32 { bytes.to_vec() } else { [&bytes[..head], &[0; 4096 - 32], &bytes[head..]].concat() };
    let folder = folder(&[]);
    let create = |name: &str| {
        let edge = ["a", "r", "b"].map(str::to_owned);
        let nodes = [vec![2, 1], vec![1, 2]];
        let book = PartitionBook::new(vec!["a".into(), "b".into()], &nodes, vec![edge], &[vec![2, 1]]);
        PartitionWriter::create(folder.path().join(name), "g", "metis", 1, book).unwrap()
    };
    let config = create("found").write_config().unwrap();
    fs::create_dir(folder.path().join("found/part0")).unwrap();
    let path = folder.path().join("found/part0/graph.dgl");
    fs::write(&path, &file).unwrap();
    let part = dgl::load_partition_graph(&config, 0);
    // A graph as a whole, in any format of edges.
    let _ = dgl::load_graph(&path);
    if dgl::load_graphs(&path).is_err() {
        assert!(part.is_err());
    }
    if let Ok(found) = part {
        let writer = create("again");
        writer.write_part(&found.part).unwrap();
        let again = dgl::load_partition_graph(writer.write_config().unwrap(), 0).unwrap();
        assert_eq!(again, found);
    }
}

/// A partition's JSON file that can be read says the same when it is written again.
pub(crate) fn dgl_config(bytes: &[u8]) {
    let folder = folder(&[("g.json", bytes)]);
    let path = folder.path().join("g.json");
    let Ok(config) = PartitionConfig::read(&path) else { return };
    let ids = 0..config.book.nodes().min(1000) as i64;
    assert!(ids.clone().all(|id| {
        let place = config.book.node(id).unwrap();
        config.book.node_id(place.part, place.local) == Some(id) && place.part < config.parts.len()
    }));
    config.write(&path).unwrap();
    assert_eq!(PartitionConfig::read(&path).unwrap(), config);
}

/// `--- metadata.json` and the files that it lists. A graph that can be read is the same when it is written in other
/// chunks.
pub(crate) fn chunked(bytes: &[u8]) {
    let folder = folder(&[]);
    for (name, contents) in files(bytes) {
        // No other file of the machine may be read or written.
        if name.is_empty() || name.len() > 100 || name.contains(['/', '\\', '\0']) || name.starts_with('.') {
            return;
        }
        if name == "metadata.json" && contents.iter().any(|byte| b"/\\".contains(byte)) {
            return;
        }
        fs::write(folder.path().join(name), contents).unwrap();
    }
    let Ok(graph) = ChunkedGraph::open(folder.path()).and_then(|graph| graph.to_memory()) else { return };
    let again = folder.path().join("again");
    if write_chunked(&graph, &again, &ChunkOptions::new(3)).is_ok() {
        assert_eq!(ChunkedGraph::open(&again).unwrap().to_memory().unwrap(), graph);
    }
}
