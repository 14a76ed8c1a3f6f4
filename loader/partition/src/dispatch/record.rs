//! [`Record`]: what a run notes in its temporary folder, so that another run can go on where it was ended.

use super::DispatchError;
use crate::assign::Assignment;
use crate::chunked::{ChunkedFeature, ChunkedGraph};
use crate::files::{FileSum, lock_file, temporary, write_json};
use graphpack_loader::Error;
use graphpack_loader::extend::file_error;
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;
use std::{fs, io};

/// In the temporary folder: the inputs and options of the run in `run.json`; for each part that is whole, the sums of
/// its files in `whole-PART.json`.
pub(super) struct Record {
    out: PathBuf,
    temporary: PathBuf,
}

const RUN: &str = "run.json";

/// All that the bytes of the parts follow from, in words.
pub(super) type Inputs = BTreeMap<String, String>;

impl Record {
    /// The record of runs that write parts into `out`.
    pub(super) fn new(out: &Path) -> Self {
        Self { out: out.to_owned(), temporary: temporary(out) }
    }

    /// Whether a run has noted its inputs.
    pub(super) fn exists(&self) -> bool {
        self.temporary.join(RUN).exists()
    }

    /// Notes the inputs of a run.
    pub(super) fn start(&self, inputs: &Inputs) -> Result<(), Error> {
        write_json(&self.temporary.join(RUN), inputs)
    }

    /// Refuses a folder that a run with other inputs has left. Returns whether it has begun at all.
    pub(super) fn check(&self, inputs: &Inputs) -> Result<bool, Error> {
        let path = self.temporary.join(RUN);
        // The temporary folder in the one, and in the other the lock, where the system has locks.
        let empty = |folder: &Path| Ok::<_, io::Error>(fs::read_dir(folder)?.count() <= 1);
        if !path.exists() {
            if empty(&self.out).and_then(|out| Ok(out && empty(&self.temporary)?)).unwrap_or(false) {
                return Ok(false);
            }
            let problem = "missing, but the folder has files: expected the record of the run that left them";
            return Err(file_error(&path)(io::Error::new(io::ErrorKind::NotFound, problem)));
        }
        let before: Inputs = read(&path)?;
        let what = before.keys().chain(inputs.keys()).find(|&key| before.get(key) != inputs.get(key));
        match what {
            None => Ok(true),
            Some(what) => {
                let said = |inputs: &Inputs| inputs.get(what).map_or("missing", |value| value).to_owned();
                Err(DispatchError::Resume { path, what: what.clone(), expected: said(&before), found: said(inputs) }
                    .into())
            }
        }
    }

    /// Notes that a part is whole.
    pub(super) fn part(&self, part: usize, files: &BTreeMap<String, FileSum>) -> Result<(), Error> {
        write_json(&self.marker(part), files)
    }

    /// Whether all files of a part are there as they were written. If not, removes what there is of it.
    pub(super) fn is_whole(&self, part: usize) -> Result<bool, Error> {
        let folder = self.folder(part);
        let as_noted = |files: BTreeMap<String, FileSum>| {
            files.iter().all(|(file, sum)| FileSum::of(&folder.join(file)).is_ok_and(|found| found == *sum))
        };
        let marker = self.marker(part);
        if marker.exists() && read(&marker).is_ok_and(as_noted) {
            return Ok(true);
        }
        for removed in [fs::remove_file(&marker), fs::remove_dir_all(&folder)] {
            match removed {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(file_error(&folder)(error)),
                _ => {}
            }
        }
        Ok(false)
    }

    /// Removes all but the record and whole parts, after all ranks have ended. Returns the number of whole parts.
    pub(super) fn tidy(&self, parts: usize) -> usize {
        let whole: Vec<usize> = (0..parts).filter(|&part| self.marker(part).exists()).collect();
        let kept: HashSet<PathBuf> = whole.iter().flat_map(|&part| [self.marker(part), self.folder(part)]).collect();
        let entries = |folder| fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        // Nothing else that a user has put there.
        let of_part = |path: &PathBuf| {
            let number = path.file_name().and_then(|name| name.to_str()?.strip_prefix("part"));
            number.is_some_and(|number| !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit()))
        };
        let own = [self.temporary.join(RUN), lock_file(&self.out)];
        let temporary = entries(&self.temporary).filter(|path| !own.contains(path));
        for path in entries(&self.out).filter(of_part).chain(temporary).filter(|path| !kept.contains(path)) {
            // What cannot be removed now is removed by the run that goes on.
            let _ = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        }
        whole.len()
    }

    fn marker(&self, part: usize) -> PathBuf {
        self.temporary.join(format!("whole-{part}.json"))
    }

    fn folder(&self, part: usize) -> PathBuf {
        self.out.join(format!("part{part}"))
    }
}

/// Describes a graph and its assignment: names, numbers, the sizes and times of files, the checksums of owners; and the
/// version that writes the parts.
pub(super) fn inputs(graph: &ChunkedGraph, assignment: &Assignment) -> Result<Inputs, Error> {
    let inputs = [("number of parts", assignment.parts().to_string()), ("version", env!("CARGO_PKG_VERSION").into())];
    let mut inputs: Inputs = inputs.into_iter().map(|(what, value)| (what.to_owned(), value)).collect();
    for (kind, owners) in graph.node_types().iter().zip(assignment.owners()) {
        let crc = crc32fast::hash(bytemuck::cast_slice(owners));
        inputs.insert(format!("assignment of {}", kind.name()), format!("{} nodes, CRC {crc:08x}", owners.len()));
    }
    let mut files = |of: String, paths: &mut dyn Iterator<Item = (&Path, usize)>| {
        for (number, (path, rows)) in paths.enumerate() {
            let about = fs::metadata(path).map_err(file_error(path))?;
            let modified = about.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
            let modified = modified.unwrap_or_default().as_nanos();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let value = format!("{name} of {rows} rows, {} bytes, modified {modified} ns after 1970", about.len());
            let mut what = format!("file {number} of {of}");
            // Feature c of type a/b and feature b/c of type a.
            while inputs.contains_key(&what) {
                what += " again";
            }
            inputs.insert(what, value);
        }
        Ok::<_, Error>(())
    };
    let features = |features: &[ChunkedFeature]| -> Vec<String> {
        features.iter().map(|feature| format!("{} in {:?}", feature.name(), feature.format())).collect()
    };
    // The order of types is that of ids.
    let mut described = (Vec::new(), Vec::new());
    for kind in graph.node_types() {
        described.0.push((kind.name().to_owned(), features(kind.features())));
        for feature in kind.features() {
            files(format!("{}/{}", kind.name(), feature.name()), &mut feature.paths_and_rows())?;
        }
    }
    for edges in graph.edge_types() {
        let name = edges.name().join(":");
        described.1.push((format!("{name} in {:?}", edges.format()), features(edges.features())));
        files(name.clone(), &mut edges.paths_and_rows())?;
        for feature in edges.features() {
            files(format!("{name}/{}", feature.name()), &mut feature.paths_and_rows())?;
        }
    }
    inputs.insert("types of nodes, with their features".into(), format!("{:?}", described.0));
    inputs.insert("types of edges, with their features".into(), format!("{:?}", described.1));
    Ok(inputs)
}

fn read<T: DeserializeOwned>(path: &Path) -> Result<T, Error> {
    let text = fs::read(path).map_err(file_error(path))?;
    serde_json::from_slice(&text).map_err(|error| file_error(path)(error.into()))
}

#[cfg(test)]
mod tests {
    use super::inputs;
    use crate::assign::Assignment;
    use crate::chunked::{ChunkOptions, ChunkedGraph, write_chunked};
    use crate::{Array, LargeGraph, NodeType};
    use std::fs;

    #[test]
    fn files_of_names_with_slashes_are_all_noted() {
        let folder = tempfile::tempdir().expect("a folder");
        let feature = |name: &str| vec![(name.to_owned(), Array::of_i64(&[1, 2]))];
        let node = |name: &str, features| NodeType { name: name.into(), nodes: 2, features };
        let node_types = vec![node("a", feature("b/c")), node("other", feature("c"))];
        let graph = LargeGraph { name: "g".into(), node_types, edge_types: Vec::new() };
        write_chunked(&graph, folder.path().join("chunks"), &ChunkOptions::new(1)).expect("written");
        // As other programs may call it.
        let metadata = folder.path().join("chunks/metadata.json");
        let text = fs::read_to_string(&metadata).expect("written").replace("\"other\"", "\"a/b\"");
        fs::write(&metadata, text).expect("written");
        let graph = ChunkedGraph::open(&metadata).expect("whole");
        let assignment = Assignment::new(1, vec![vec![0; 2]; 2]).expect("one part");
        let inputs = inputs(&graph, &assignment).expect("the files are there");
        let files: Vec<_> = inputs.keys().filter(|what| what.starts_with("file ")).collect();
        assert_eq!(files, ["file 0 of a/b/c", "file 0 of a/b/c again"]);
    }
}
