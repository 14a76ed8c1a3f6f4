//! `convert --parts`: the parts of a large graph as a store.

use super::graphpack;
use super::parts::ring;
use graphpack_loader::{Store, StoreFiles};
use std::fs;
use tempfile::TempDir;

#[test]
fn parts_become_a_store() {
    let folder = TempDir::new().unwrap();
    let input = ring(&folder);
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (parts, store, shards) = (path("parts"), path("ring.safetensors"), path("shards"));
    let output = graphpack(&[
        "partition",
        "--in",
        &input,
        "--parts",
        "3",
        "--method",
        "random",
        "--save-orig-ids",
        "--out",
        &parts,
    ]);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("edges cut: 16 of "), "{text}");
    let convert = |flags: &[&str]| {
        let output = graphpack(&[&["convert", "--parts", &parts], flags].concat());
        (String::from_utf8_lossy(&output.stderr).into_owned(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let printed = convert(&["--halo", "--original-ids", "--out", &store]);
    assert_eq!(printed, (String::new(), format!("{store}: 3 graphs\n")));
    let found = Store::open(&store).unwrap();
    assert_eq!(
        found.schema().fields().iter().map(|field| &*field.name).collect::<Vec<_>>(),
        ["mark", "owned", "node_id"]
    );
    let (ids, owned) = (found.values::<i64>("node_id").unwrap(), found.values::<bool>("owned").unwrap());
    let marks = found.values::<u8>("mark").unwrap();
    assert!(ids.iter().zip(&marks).all(|(id, mark)| i64::from(*mark) == 1 - id % 2), "{ids:?} {marks:?}");
    let mut once: Vec<i64> = ids.iter().zip(&owned).filter(|(_, owned)| **owned).map(|(id, _)| *id).collect();
    once.sort_unstable();
    assert_eq!(once, (0..12).collect::<Vec<i64>>());
    // Each edge is in the part that owns its target, with both of its ends.
    let mut edges = Vec::new();
    for part in 0..3 {
        let (sources, targets) = found.edges(part).unwrap();
        let first = (0..part).map(|part| found.size(part).unwrap()[0] as usize).sum::<usize>();
        edges
            .extend(sources.iter().zip(&targets).map(|(&from, &to)| [from, to].map(|node| ids[first + node as usize])));
    }
    edges.sort_unstable();
    let mut expected: Vec<[i64; 2]> =
        (0..12).flat_map(|node| [[node, (node + 1) % 12], [node, node / 6 * 6]]).collect();
    expected.sort_unstable();
    assert_eq!(edges, expected);

    let printed = convert(&["--select", "mark", "--graphs-per-file", "1", "--out", &shards]);
    let note = "edges between parts: 16 left out, --halo has them";
    assert_eq!(printed, (String::new(), format!("{shards}: 3 graphs\n  {note}\n")));
    assert_eq!((StoreFiles::open(&shards).unwrap().len(), fs::read_dir(&shards).unwrap().count()), (3, 4));
    let (error, _) = convert(&["--select", "colour", "--out", &path("none")]);
    assert!(error.contains("there is no feature colour, only mark"), "{error}");
    for flags in
        [&["--cutoff", "5"][..], &["--edges", "full"], &["--split", "train"], &["--directed"], &["--seed", "1"]]
    {
        let (error, _) = convert(&[flags, &["--out", &path("none")]].concat());
        assert!(error.contains("cannot be used with"), "{flags:?}: {error}");
    }
    fs::write(format!("{parts}/part2/graph.dgl"), "short").unwrap();
    let (error, _) = convert(&["--out", &path("none")]);
    assert!(error.contains("part2/graph.dgl, byte 0"), "{error}");
    assert!(fs::metadata(path("none")).is_err());
}

#[test]
fn parts_of_several_types_become_a_store_with_a_set_for_each() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (chunks, parts, out) = (path("chunks"), path("parts"), path("typed"));
    let kinds = [("a:r:b", [[0, 0], [1, 2], [2, 4], [3, 1], [4, 3], [5, 0]].as_slice()), ("b:s:b", &[[0, 1], [1, 2]])];
    let mut arguments = vec!["chunk".to_owned()];
    for (kind, edges) in kinds {
        let file = path(&kind.replace(':', "_"));
        fs::write(&file, edges.iter().map(|[source, target]| format!("{source},{target}\n")).collect::<String>())
            .unwrap();
        arguments.extend(["--edges".to_owned(), format!("{kind}={file}")]);
    }
    let more: [&[&str]; 3] = [
        &["--chunks", "2", "--name", "g", "--out", &chunks],
        &["partition", "--in", &chunks, "--parts", "2", "--method", "random", "--save-orig-ids", "--out", &parts],
        &["convert", "--parts", &format!("{parts}/g.json"), "--original-ids", "--halo", "--graphs-per-file", "1"],
    ];
    arguments.extend(more[0].iter().map(|argument| (*argument).to_owned()));
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    for command in [&arguments, more[1], &[more[2], &["--out", &out]].concat()] {
        assert_eq!(String::from_utf8_lossy(&graphpack(command).stderr), "", "{command:?}");
    }
    let store = StoreFiles::open(&out).unwrap();
    assert_eq!(store.len(), 2);
    for (set, (_, edges)) in ["r", "s"].into_iter().zip(kinds) {
        let mut found = Vec::new();
        for file in ["graphs-00000", "graphs-00001"] {
            let part = Store::open(format!("{out}/{file}.safetensors")).unwrap();
            let ids = |kind: &str| part.values::<i64>(&format!("{kind}.node_id")).unwrap();
            let from = ids(if set == "r" { "a" } else { "b" });
            let index = part.index(&format!("{set}.edge_index"), 0).unwrap();
            found.extend(
                (0..index[0].len()).map(|edge| [from[index[0][edge] as usize], ids("b")[index[1][edge] as usize]]),
            );
        }
        found.sort_unstable();
        assert_eq!(found, edges);
    }
}
