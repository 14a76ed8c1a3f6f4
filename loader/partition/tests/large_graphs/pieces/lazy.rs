//! What holds of parts that are read from files when they are wanted: the batches of parts in memory, whatever a rank
//! has opened, and errors that name the file.

use super::seen::bytes;
use crate::generated::{larger, write_cut};
use graphpack_loader::{Data, Grouping, Limits, Loader, Options, Order, Source};
use graphpack_partition::pieces::{ClusterOptions, IndexOptions, IndexedGraph, NeighbourOptions, NodeIds};
use graphpack_partition::{Array, ArrayType, Assignment, ClusterGroups, Clusters, Cut, Neighbours, dgl};
use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;
use test_common::batches;

const LIMITS: [u32; 2] = [2000, 20_000];

fn cut_graph() -> (graphpack_partition::LargeGraph, Assignment) {
    let graph = larger();
    let assignment = Assignment::random(&graph, 6, 5).unwrap();
    (graph, assignment)
}

/// Not the mask: the files have uint8 in place of bool.
fn options(halo: bool) -> ClusterOptions {
    let features = Some(["x", "small", "y", "edge"].map(String::from).to_vec());
    ClusterOptions { halo, features, node_ids: NodeIds::Global }
}

#[test]
fn parts_in_files_are_those_in_memory() {
    let (graph, assignment) = cut_graph();
    let cut = Cut::new(&graph, &assignment, 2).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let config = write_cut(&cut, folder.path(), "g", "random").config_path();
    for halo in [false, true] {
        let memory = Arc::new(Clusters::new(cut.book(), cut.parts(), &options(halo)).unwrap());
        let opened = || Clusters::open(&config, &options(halo)).unwrap();
        let limits = Limits::new(LIMITS);
        let [found, expected] = [opened().into(), Data::from(memory.clone())];
        assert_eq!((found.schema(), found.fingerprint()), (expected.schema(), expected.fingerprint()));
        assert!(memory.bytes() > 100_000 && opened().bytes() == 0, "nothing is in memory before it is wanted");
        let expected = bytes(memory, limits, 1);
        for (keep, workers) in [(0, 0), (2, 1), (6, 3)] {
            assert!(bytes(opened().keep(keep), limits, workers) == expected, "{keep} kept, {workers} workers");
        }
        // The edges of those that were used last are kept, and no others.
        let clusters = Arc::new(opened().keep(2));
        let loader = Loader::new(clusters.clone(), Options::graphs(1).workers(0)).unwrap();
        let sizes: Vec<usize> = loader
            .epoch(0)
            .map(|batch| {
                batch.unwrap();
                clusters.bytes()
            })
            .collect();
        assert!(sizes[0] > 0 && sizes[1] > sizes[0] && sizes[2..].iter().all(|&size| size < 2 * sizes[1]), "{sizes:?}");
    }
    // Original ids, from the files and given.
    let of_files = ClusterOptions { node_ids: NodeIds::Files, ..options(true) };
    let given = ClusterOptions { node_ids: NodeIds::Original([cut.node_map(0)].into()), ..options(true) };
    let [of_files, given] = [of_files, given].map(|options| Data::from(Clusters::open(&config, &options).unwrap()));
    assert_eq!(of_files.fingerprint(), given.fingerprint());
    assert!(bytes(of_files, Limits::new(LIMITS), 1) == bytes(given, Limits::new(LIMITS), 1));
}

#[test]
fn groups_and_resumed_epochs_of_parts_in_files_are_those_in_memory() {
    let (graph, assignment) = cut_graph();
    let cut = Cut::new(&graph, &assignment, 1).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let config = write_cut(&cut, folder.path(), "g", "random").config_path();
    let groups = |clusters| ClusterGroups::new(Arc::new(clusters), 2, 7).unwrap().between(true);
    let memory = groups(Clusters::new(cut.book(), cut.parts(), &options(false)).unwrap());
    let opened = groups(Clusters::open(&config, &options(false)).unwrap());
    assert_eq!((memory.limits(), memory.limits_of(0..3)), (opened.limits(), opened.limits_of(0..3)));
    let loader = |groups: ClusterGroups| {
        let limits = groups.limits();
        Loader::new(groups, Options::default().capacity(limits).order(Order::Shuffled).seed(3).workers(2)).unwrap()
    };
    let [memory, opened] = [memory, opened].map(loader);
    for epoch in 0..2 {
        let all = |loader: &Loader| {
            batches(loader.epoch(epoch)).iter().map(|batch| batch.bytes().to_vec()).collect::<Vec<_>>()
        };
        assert!(all(&memory) == all(&opened));
    }
    // A state of the one resumes the other.
    let mut epoch = memory.epoch(1);
    let state = epoch.next().unwrap().unwrap().state();
    let rest = |epoch| batches(epoch).iter().map(|batch| batch.bytes().to_vec()).collect::<Vec<_>>();
    assert!(rest(opened.resume(&state).unwrap()) == rest(epoch));
}

#[test]
fn a_rank_opens_its_own_parts() {
    let (graph, assignment) = cut_graph();
    let cut = Cut::new(&graph, &assignment, 1).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let config = write_cut(&cut, folder.path(), "g", "random").config_path();
    let all = Arc::new(Clusters::open(&config, &options(true)).unwrap());
    let mut owned = 0;
    for rank in 0..2 {
        let parts: Vec<usize> = (rank..6).step_by(2).collect();
        let own = Clusters::open_parts(&config, &parts, &options(true)).unwrap();
        assert_eq!((0..own.len()).map(|graph| own.number(graph) as usize).collect::<Vec<_>>(), parts);
        owned += own.nodes();
        let chosen: Vec<u32> = parts.iter().map(|&part| part as u32).collect();
        let chosen = Data::from(all.clone()).subset(chosen).unwrap();
        assert!(bytes(own, Limits::new(LIMITS), 1) == bytes(chosen, Limits::new(LIMITS), 1));
    }
    assert_eq!(owned, 600);
    let none = Clusters::open_parts(&config, &[], &options(true)).unwrap();
    assert_eq!((none.schema(), none.len()), (all.schema(), 0));
    // Without HALO nothing of the others is read.
    fs::remove_dir_all(folder.path().join("part1")).unwrap();
    let own = Clusters::open_parts(&config, &[0, 2], &options(false)).unwrap();
    assert_eq!(bytes(own, Limits::new(LIMITS), 1).len(), 1);
    let error = Clusters::open_parts(&config, &[0, 6], &options(false)).unwrap_err().to_string();
    assert!(error.ends_with("g.json has no part 6, only 6"), "{error}");
    let error = Clusters::open_parts(&config, &[0, 0], &options(false)).unwrap_err().to_string();
    assert_eq!(error, "part 0 was given twice");
}

/// The name of the file and what is wrong with it.
fn message(error: impl ToString, folder: &TempDir) -> String {
    error.to_string().replace(&format!("{}/", folder.path().display()), "")
}

fn shorten(path: &Path, by: u64) {
    let file = File::options().write(true).open(path).unwrap();
    file.set_len(file.metadata().unwrap().len() - by).unwrap();
}

#[test]
fn damaged_missing_and_unlike_parts_are_named() {
    let (graph, assignment) = cut_graph();
    let cut = Cut::new(&graph, &assignment, 1).unwrap();
    let damaged = |damage: &dyn Fn(&Path)| {
        let folder = tempfile::tempdir().unwrap();
        let config = write_cut(&cut, folder.path(), "g", "random").config_path();
        damage(folder.path());
        // Part 0 alone, whose HALO is of all others.
        let clusters = Clusters::open_parts(&config, &[0], &options(true)).map(|_| ()).unwrap_err();
        let index = IndexedGraph::open(&config, &IndexOptions::new(NodeIds::Global)).and_then(|graph| {
            let options = NeighbourOptions { fan_outs: vec![2], ..NeighbourOptions::default() };
            Neighbours::of(Arc::new(graph), &[0], options).map(|_| ())
        });
        [message(clusters, &folder), message(index.unwrap_err(), &folder)]
    };
    for (damage, expected) in [
        ((|folder| shorten(&folder.join("part0/graph.dgl"), 5)) as fn(&Path), "part0/graph.dgl, byte "),
        (|folder| shorten(&folder.join("part3/node_feat.dgl"), 5), "part3/node_feat.dgl, byte "),
        (|folder| shorten(&folder.join("part3/edge_feat.dgl"), 1), "part3/edge_feat.dgl, byte "),
        (|folder| fs::remove_file(folder.join("part4/node_feat.dgl")).unwrap(), "part4/node_feat.dgl: No such file"),
        (|folder| fs::remove_file(folder.join("g.json")).unwrap(), "g.json: No such file"),
    ] {
        damaged(&damage).iter().for_each(|message| assert!(message.starts_with(expected), "{message}"));
    }
    let change = |folder: &Path, change: fn(&mut Vec<(String, Array)>)| {
        let path = folder.join("part2/node_feat.dgl");
        let mut features = dgl::load_tensors(&path).unwrap();
        change(&mut features);
        dgl::save_tensors(path, &features).unwrap();
    };
    let wide = |features: &mut Vec<(String, Array)>| {
        features[0].1 = Array::new(ArrayType::F64, vec![100, 2], vec![0; 1600]).unwrap();
    };
    let expected = "part 2 has feature _N/x as float64 of width 2, part 0 has it as float32 of width 2";
    assert_eq!(damaged(&|folder| change(folder, wide)), [expected; 2]);
    let few = |features: &mut Vec<(String, Array)>| features[3].1 = Array::of_i64(&[7; 99]);
    let expected = "part2/node_feat.dgl: feature \"_N/y\" has 99 rows, expected 100";
    assert_eq!(damaged(&|folder| change(folder, few)), [expected; 2]);
    let folder = tempfile::tempdir().unwrap();
    let config = write_cut(&cut, folder.path(), "g", "random").config_path();
    let mut ids = cut.node_map(0);
    ids[7] = ids[3];
    let index =
        Arc::new(IndexedGraph::open(&config, &IndexOptions::new(NodeIds::Original([ids.clone()].into()))).unwrap());
    let roots = |root| {
        let options = NeighbourOptions { fan_outs: vec![2], ..NeighbourOptions::default() };
        Neighbours::of(index.clone(), &[root], options).map(|_| ()).map_err(|error| error.to_string())
    };
    assert_eq!(roots(ids[4]), Ok(()));
    let expected = format!("original id {} is that of nodes 3 and 7 of its type, expected of one", ids[3]);
    assert_eq!(roots(ids[3]), Err(expected));
    fs::remove_file(folder.path().join("part5/orig_nids.dgl")).unwrap();
    let options = ClusterOptions { node_ids: NodeIds::Files, ..options(false) };
    let error = message(Clusters::open(&config, &options).map(|_| ()).unwrap_err(), &folder);
    assert!(error.starts_with("part5/orig_nids.dgl: No such file"), "{error}");
}

#[test]
fn files_that_change_while_they_are_in_use_are_errors_of_batches() {
    let (graph, assignment) = cut_graph();
    let cut = Cut::new(&graph, &assignment, 1).unwrap();
    // Features of another part than the one that is loaded, then its edges.
    for (file, expected) in [
        ("part4/edge_feat.dgl", "part4/edge_feat.dgl was changed while it was in use"),
        ("part1/graph.dgl", "part1/graph.dgl was changed while it was in use"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let config = write_cut(&Cut::new(&graph, &assignment, 2).unwrap(), folder.path(), "g", "random").config_path();
        let clusters = Clusters::open_parts(&config, &[1], &options(true)).unwrap();
        let loader = Loader::new(clusters, Options::graphs(1).workers(0)).unwrap();
        assert!(loader.epoch(0).all(|batch| batch.is_ok()));
        if file.ends_with("graph.dgl") {
            // The same part with a HALO of one hop.
            let other = tempfile::tempdir().unwrap();
            write_cut(&cut, other.path(), "g", "random");
            fs::copy(other.path().join(file), folder.path().join(file)).unwrap();
        } else {
            let path = folder.path().join(file);
            let mut longer = fs::read(&path).unwrap();
            longer.push(0);
            fs::write(&path, longer).unwrap();
        }
        let error = loader.epoch(0).find_map(Result::err).unwrap();
        let mut text = String::new();
        let mut cause: Option<&dyn std::error::Error> = Some(&error);
        while let Some(error) = cause {
            text += &format!("{error}\n");
            cause = error.source();
        }
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn neighbourhoods_of_one_type_are_the_same_from_parts_on_disk() {
    let (graph, assignment) = cut_graph();
    let graph = Arc::new(graph);
    let cut = Cut::new(&graph, &assignment, 1).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let config = write_cut(&cut, folder.path(), "g", "random").config_path();
    let options = |features: &[&str]| NeighbourOptions {
        fan_outs: vec![5, 3],
        features: Some(features.iter().map(ToString::to_string).collect()),
        of_roots: vec!["y".into()],
        ..NeighbourOptions::default()
    };
    let open = |node_ids| {
        let index = IndexOptions { scratch: Some(folder.path().to_owned()), ..IndexOptions::new(node_ids) };
        Arc::new(IndexedGraph::open(&config, &index).unwrap())
    };
    let roots: Vec<i64> = (0..600).step_by(7).collect();
    let chosen = options(&["x", "small", "edge"]);
    let memory = Neighbours::new(graph.clone(), &roots, chosen.clone()).unwrap();
    let limits = memory.limits(16);
    for node_ids in [NodeIds::Files, NodeIds::Original([cut.node_map(0)].into())] {
        let parts = Neighbours::of(open(node_ids), &roots, chosen.clone()).unwrap();
        assert_eq!(parts.limits(16), limits);
        for epoch in 0..2 {
            let [memory, parts] = [&memory, &parts].map(|neighbours| Data::from(neighbours.epoch(epoch)));
            assert_eq!(parts.fingerprint(), memory.fingerprint(), "a state of the one resumes the other");
            assert!(bytes(parts, limits, 2) == bytes(memory, limits, 0));
        }
    }
    // Features of nodes, of roots and of edges.
    for feature in ["small", "y", "edge"] {
        let mut other = (*graph).clone();
        let (of_nodes, of_edges) = (&mut other.node_types[0].features, &mut other.edge_types[0].features);
        let (_, array) = of_nodes.iter_mut().chain(of_edges).find(|(name, _)| name == feature).unwrap();
        let zeros = vec![0; array.bytes().len()];
        *array = Array::new(array.element(), array.shape().to_vec(), zeros).unwrap();
        let other = Neighbours::new(Arc::new(other), &roots, chosen.clone()).unwrap();
        let [other, memory] = [&other, &memory].map(|of| Data::from(of.epoch(0)).fingerprint());
        assert_ne!(other, memory, "{feature} is another");
    }
    // Global ids: other draws, of the same edges.
    let new_ids: Vec<i64> = {
        let map = cut.node_map(0);
        roots.iter().map(|root| map.iter().position(|id| id == root).unwrap() as i64).collect()
    };
    let parts = Neighbours::of(open(NodeIds::Global), &new_ids, chosen).unwrap();
    let loader =
        Loader::new(parts.epoch(0), Options::default().grouping(Grouping::InOrder).capacity(parts.limits(16))).unwrap();
    let ends = |id: i64| [graph.edge_types[0].sources[id as usize], graph.edge_types[0].targets[id as usize]];
    let map = cut.node_map(0);
    for batch in batches(loader.epoch(0)) {
        let (ids, edges) = (batch.get::<i64>("node_id").unwrap(), batch.get::<i64>("edge").unwrap());
        let (sources, targets) = batch.edge_index::<i64>().unwrap();
        for edge in 0..batch.real().edges() {
            let found = [sources[edge], targets[edge]].map(|row| map[ids[row as usize] as usize]);
            assert_eq!(found, ends(edges[edge]));
        }
    }
    let error = Neighbours::of(open(NodeIds::Files), &[3, 600], options(&[])).map(|_| ()).unwrap_err().to_string();
    assert_eq!(error, "root 1 is node 600 of type _N, expected the original id of one of 600 nodes");
    let error = Neighbours::of(open(NodeIds::Global), &[-1], options(&[])).map(|_| ()).unwrap_err().to_string();
    assert_eq!(error, "root 0 is node -1 of type _N, expected the global id, below 600, of one of 600 nodes");
    let missing = IndexOptions { scratch: Some(folder.path().join("none")), ..IndexOptions::new(NodeIds::Files) };
    let error = message(IndexedGraph::open(&config, &missing).map(|_| ()).unwrap_err(), &folder);
    assert!(error.starts_with("none: No such file"), "{error}");
}
