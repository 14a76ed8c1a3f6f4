//! Dispatch that is stopped, killed or fails on the way: what is left, and that another run goes on to the same bytes.

use crate::dispatch::{chunked, files, with_original_ids};
use graphpack_loader::{Error, ErrorKind};
use graphpack_partition::chunked::{ChunkFormat, ChunkedGraph};
use graphpack_partition::{Assignment, Dispatch, NodeType, Progress};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use std::{fs, thread};
use tempfile::TempDir;

const PARTS: usize = 12;

/// 60 nodes and 400 edges, both with a feature, in four chunks, and what an unbroken run makes of them.
struct Input {
    folder: TempDir,
    assignment: Assignment,
    expected: BTreeMap<PathBuf, Vec<u8>>,
}

impl Input {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let (_, assignment) = chunked(&folder, ChunkFormat::Csv { delimiter: b' ' }, PARTS);
        let mut input = Self { folder, assignment, expected: BTreeMap::new() };
        let whole = input.path("whole");
        input.run(&with_original_ids(1, 3000), &whole, &|_| {}).unwrap();
        input.expected = files(&whole);
        input
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn run(&self, dispatch: &Dispatch, out: &Path, progress: &(dyn Fn(Progress) + Sync)) -> Result<usize, Error> {
        let graph = ChunkedGraph::open(self.path("chunks")).unwrap();
        dispatch.run(&graph, &self.assignment, out, progress).map(|done| done.kept)
    }

    /// Goes on in a folder and compares it with an unbroken run. Returns the number of parts that were whole.
    fn resume(&self, threads: usize, out: &Path) -> usize {
        let kept = self.run(&with_original_ids(threads, 20_000).resume(true), out, &|_| {}).unwrap();
        let found = files(out);
        assert_eq!(found.keys().collect::<Vec<_>>(), self.expected.keys().collect::<Vec<_>>());
        assert!(found == self.expected);
        kept
    }

    /// Stops a run after a number of parts. Returns how many are whole.
    fn stop_after(&self, parts: usize, threads: usize, out: &Path) -> usize {
        let (stop, written) = (Arc::new(AtomicBool::new(false)), AtomicUsize::new(0));
        let progress = |progress| {
            let written = written.fetch_add(usize::from(progress == Progress::Part), Ordering::Relaxed);
            if parts == 0 || progress == Progress::Part && written + 1 >= parts {
                stop.store(true, Ordering::Relaxed);
            }
        };
        let dispatch = with_original_ids(threads, 3000).stop(Arc::clone(&stop));
        match self.run(&dispatch, out, &progress) {
            Err(error) if error.kind() == ErrorKind::Stopped => {
                let text = error.to_string();
                let whole = text
                    .strip_prefix("stopped when ")
                    .and_then(|rest| rest.strip_suffix(&format!(" of {PARTS} parts were whole")));
                whole.and_then(|whole| whole.parse().ok()).unwrap_or_else(|| panic!("{text}"))
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_stopped_run_goes_on_to_the_same_bytes() {
    let input = Input::new();
    for (threads, others) in [(1, 3), (2, 1), (4, 2)] {
        for parts in [1, 5, 8] {
            let out = input.path(&format!("{threads}.{parts}"));
            let whole = input.stop_after(parts, threads, &out);
            // The other ranks may each have ended a part meanwhile.
            assert!((parts..parts + threads).contains(&whole), "{whole} parts, {parts} with {threads} threads");
            assert!(Dispatch::can_resume(&out));
            let left = files(&out);
            let of_parts: Vec<_> = left.iter().filter(|(path, _)| !path.starts_with("unfinished.tmp")).collect();
            assert_eq!(of_parts.len(), 5 * whole, "whole parts alone");
            assert!(of_parts.iter().all(|&(path, bytes)| input.expected[path] == *bytes));
            assert_eq!(left.len(), 6 * whole + 2, "a sum of each, the inputs and the lock");
            assert_eq!(input.resume(others, &out), whole);
            assert!(!Dispatch::can_resume(&out));
        }
        // Before anything is whole, nothing is left.
        let out = input.path("none");
        assert_eq!(input.stop_after(0, threads, &out), 0);
        assert!(!out.exists());
        fs::create_dir(&out).unwrap();
        assert_eq!(input.stop_after(0, threads, &out), 0);
        assert_eq!(fs::read_dir(&out).unwrap().count(), 0);
        assert_eq!(input.resume(threads, &out), 0);
        fs::remove_dir_all(&out).unwrap();
    }
}

/// The environment variable that tells this test's child process which chunks to read, and where to write.
const CHILD: &str = "GRAPHPACK_TEST_KILLED";

#[test]
fn a_killed_run_goes_on_to_the_same_bytes() {
    if let Ok(folder) = std::env::var(CHILD) {
        return be_killed(Path::new(&folder));
    }
    let input = Input::new();
    for (number, damage) in [None, Some("cut"), Some("flip"), Some("marker")].into_iter().enumerate() {
        input.assignment.write(input.path("assigned"), &nodes(), "random").unwrap();
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", "resume::a_killed_run_goes_on_to_the_same_bytes"]).env(CHILD, input.folder.path());
        let output = child.output().unwrap();
        assert!(!output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        let out = input.path(&format!("parts{number}"));
        fs::rename(input.path("parts"), &out).unwrap();
        let whole = (0..PARTS).find(|part| out.join(format!("unfinished.tmp/whole-{part}.json")).exists()).unwrap();
        let message = input.run(&with_original_ids(1, 3000), &out, &|_| {}).unwrap_err().to_string();
        assert!(message.contains("unfinished.tmp is in the folder: a run was killed here"), "{message}");
        let file = out.join(format!("part{whole}/graph.dgl"));
        let mut bytes = fs::read(&file).unwrap();
        match damage {
            Some("cut") => fs::write(&file, &bytes[..bytes.len() - 1]).unwrap(),
            Some("flip") => {
                bytes[4100] ^= 1;
                fs::write(&file, bytes).unwrap();
            }
            Some(_) => fs::write(out.join(format!("unfinished.tmp/whole-{whole}.json")), "{").unwrap(),
            None => {}
        }
        // The other rank may have ended one more.
        let kept = input.resume(1 + number, &out) + usize::from(damage.is_some());
        assert!((6..=7).contains(&kept), "{kept} parts were whole, {damage:?}");
    }
}

fn nodes() -> Vec<NodeType> {
    vec![NodeType { name: "_N".into(), nodes: 60, features: Vec::new() }]
}

/// Runs with two ranks and a scratch folder until six parts are written, and ends without any last words.
fn be_killed(folder: &Path) {
    let graph = ChunkedGraph::open(folder.join("chunks")).unwrap();
    let assignment = Assignment::read(folder.join("assigned"), PARTS, &nodes()).unwrap();
    let written = AtomicUsize::new(0);
    let progress = |progress| {
        if progress == Progress::Part && written.fetch_add(1, Ordering::Relaxed) == 5 {
            std::process::abort();
        }
    };
    let dispatch = with_original_ids(2, 3000).scratch(folder);
    dispatch.run(&graph, &assignment, folder.join("parts"), &progress).unwrap();
}

#[test]
fn other_inputs_are_refused() {
    let mut input = Input::new();
    let out = input.path("parts");
    input.stop_after(4, 1, &out);
    let left = files(&out);
    let resume = |input: &Input, dispatch: Dispatch| {
        let message = input.run(&dispatch.resume(true), &out, &|_| {}).unwrap_err().to_string();
        assert!(files(&out) == left, "it stays as it is");
        assert!(message.contains("parts/unfinished.tmp/run.json: "), "{message}");
        message
    };
    let message = resume(&input, Dispatch::new());
    assert!(message.contains("save_orig_ids was true, is now false; expected the same inputs"), "{message}");
    let message = resume(&input, with_original_ids(1, 3000).name("h"));
    assert!(message.contains("name was g, is now h"), "{message}");
    let other = Assignment::new(PARTS, vec![vec![1; 60]]).unwrap();
    let right = std::mem::replace(&mut input.assignment, other);
    let message = resume(&input, with_original_ids(1, 3000));
    assert!(message.contains("assignment of _N was 60 nodes, CRC "), "{message}");
    input.assignment = right;
    let chunk =
        files(&input.path("chunks")).into_keys().find(|path| path.to_str().unwrap().ends_with("2.csv")).unwrap();
    let chunk = input.path("chunks").join(chunk);
    let text = fs::read_to_string(&chunk).unwrap();
    let modified = fs::metadata(&chunk).unwrap().modified().unwrap();
    fs::write(&chunk, format!("{text}\n")).unwrap();
    let message = resume(&input, with_original_ids(1, 3000));
    assert!(message.contains("file 2 of _N:_E:_N was ") && message.contains(".csv of 100 rows"), "{message}");
    fs::write(&chunk, text).unwrap();
    fs::File::options().write(true).open(&chunk).unwrap().set_modified(modified).unwrap();
    // Another order of types is another order of ids, and a delimiter may be part of a number.
    let metadata = input.path("chunks/metadata.json");
    let text = fs::read_to_string(&metadata).unwrap();
    fs::write(&metadata, text.replacen("\" \"", "\",\"", 1)).unwrap();
    let message = resume(&input, with_original_ids(1, 3000));
    assert!(message.contains("types of edges, with their features was [(\"_N:_E:_N in Csv"), "{message}");
    fs::write(&metadata, text).unwrap();
    let record = out.join("unfinished.tmp/run.json");
    let text = fs::read_to_string(&record).unwrap();
    fs::write(&record, text.replace(&format!("{:?}", env!("CARGO_PKG_VERSION")), "\"0.0.1\"")).unwrap();
    let message = input.run(&with_original_ids(1, 3000).resume(true), &out, &|_| {}).unwrap_err().to_string();
    assert!(message.contains("version was 0.0.1, is now "), "{message}");
    fs::write(&record, text).unwrap();
    assert_eq!(input.resume(2, &out), 4);
    let message = input.run(&Dispatch::new().resume(true), &out, &|_| {}).unwrap_err().to_string();
    assert!(message.ends_with("parts: the folder is not empty, and has no unfinished run to resume"), "{message}");
}

#[test]
fn files_of_others_beside_parts_stay() {
    let input = Input::new();
    let out = input.path("parts");
    input.stop_after(4, 1, &out);
    let others = ["partition.log", "part_sizes.csv", "part", "part1.old", "partitions/g.json"];
    fs::create_dir(out.join("partitions")).unwrap();
    others.iter().for_each(|file| fs::write(out.join(file), file).unwrap());
    fs::create_dir(out.join("part11")).unwrap();
    fs::write(out.join("part11/x"), "of a part that is not whole").unwrap();
    input.run(&with_original_ids(1, 3000).resume(true), &out, &|_| {}).unwrap();
    let mut found = files(&out);
    for file in others {
        assert_eq!(found.remove(Path::new(file)).as_deref(), Some(file.as_bytes()));
    }
    assert!(found == input.expected);
}

#[test]
fn a_resumed_run_that_fails_leaves_whole_parts() {
    let input = Input::new();
    let out = input.path("parts");
    input.stop_after(4, 1, &out);
    let panics = |progress| assert!(progress != Progress::Part, "no room");
    for threads in [1, 2] {
        let dispatch = with_original_ids(threads, 3000).resume(true);
        assert!(input.run(&dispatch, &out, &panics).unwrap_err().to_string().ends_with("a panic: no room"));
    }
    let busy = |progress| {
        if progress == Progress::Part {
            let dispatch = with_original_ids(1, 3000).resume(true);
            let message = input.run(&dispatch, &out, &|_| {}).unwrap_err().to_string();
            assert!(message.ends_with("another run is still working in the folder"), "{message}");
        }
    };
    let done = input.run(&with_original_ids(1, 3000).resume(true), &out, &busy).unwrap();
    assert_eq!(done, 4);
    assert!(files(&out) == input.expected);
}

/// Each rank has six parts. One fails after its first; the other takes a while for each of its own.
#[test]
fn a_rank_that_fails_while_parts_are_written_ends_the_others() {
    let input = Input::new();
    let (first, after) = (AtomicBool::new(true), AtomicUsize::new(0));
    let progress = |progress| {
        if progress == Progress::Part {
            assert!(!first.swap(false, Ordering::Relaxed), "such as it is");
            after.fetch_add(1, Ordering::Relaxed);
            thread::sleep(Duration::from_millis(200));
        }
    };
    let out = input.path("parts");
    let message = input.run(&with_original_ids(2, 3000), &out, &progress).unwrap_err().to_string();
    assert!(message.starts_with("rank ") && message.ends_with(": a panic: such as it is"), "{message}");
    assert!(after.into_inner() < PARTS / 2, "the other rank wrote all of its parts");
    assert!(!out.exists());
}

#[test]
fn temporary_files_are_in_the_scratch_folder() {
    let input = Input::new();
    let (scratch, out) = (input.path("scratch"), input.path("parts"));
    let dispatch = with_original_ids(2, 0).scratch(&scratch);
    let message = input.run(&dispatch, &out, &|_| {}).unwrap_err().to_string();
    assert!(message.contains("scratch/graphpack-") && message.contains("No such file"), "{message}");
    assert!(!out.exists());
    fs::create_dir(&scratch).unwrap();
    let seen = AtomicBool::new(false);
    let look = |progress| {
        if progress == Progress::Part {
            let spilled = fs::read_dir(&scratch).unwrap().map(|entry| entry.unwrap().path());
            let spilled: usize = spilled.map(|folder| fs::read_dir(folder).unwrap().count()).sum();
            seen.fetch_or(spilled > 0, Ordering::Relaxed);
            let of_parts = |entry: fs::DirEntry| entry.file_name().to_string_lossy().starts_with("part");
            assert!(!fs::read_dir(out.join("unfinished.tmp")).unwrap().flatten().any(of_parts));
        }
    };
    assert_eq!(input.run(&dispatch, &out, &look).unwrap(), 0);
    assert!(seen.into_inner());
    assert!(files(&out) == input.expected);
    assert_eq!(fs::read_dir(&scratch).unwrap().count(), 0);
}
