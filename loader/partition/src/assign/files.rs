//! [`Assignment`]s in text files: as DGL's tools have them, line i of `TYPE.txt` the part of node i, and as
//! partitioners write them.

use super::Assignment;
use super::assignment::check_parts;
use crate::files::is_file_name;
use crate::problem::{problem, problem_in};
use crate::{NodeType, files};
use graphpack_loader::extend::file_error;
use graphpack_loader::{Error, ErrorKind};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

/// A file beside those of the types, which DGL's second step requires.
const META: &str = "partition_meta.json";

impl Assignment {
    /// Returns the number of parts in the folder's `partition_meta.json`, if that file exists.
    pub fn parts_in(folder: impl AsRef<Path>) -> Result<Option<usize>, Error> {
        let path = folder.as_ref().join(META);
        let Some(found) = meta_parts(&path)? else { return Ok(None) };
        let parts = found.as_u64().and_then(|parts| usize::try_from(parts).ok());
        let parts = parts.filter(|&parts| check_parts(parts).is_ok());
        parts.map(Some).ok_or_else(|| {
            let problem = format!("num_parts is {found}, expected 1 to {}", Self::MOST_PARTS);
            file_error(&path)(io::Error::new(io::ErrorKind::InvalidData, problem))
        })
    }

    /// Reads the file of each type of nodes. If there is a `partition_meta.json`, its number of parts must be `parts`.
    pub fn read(folder: impl AsRef<Path>, parts: usize, node_types: &[NodeType]) -> Result<Self, Error> {
        check_parts(parts)?;
        let folder = folder.as_ref();
        check_meta(&folder.join(META), parts)?;
        let owners = node_types.iter().map(|kind| read(path(folder, &kind.name)?, parts, kind));
        Self::new(parts, owners.collect::<Result<_, _>>()?)
    }

    /// Reads one file with the nodes of all types, numbered type by type: a part per line, as METIS, KaHIP and KaMinPar
    /// write it, or node and part per line, in any order, as ParMETIS writes it in DGL's pipeline.
    pub fn read_all(path: impl AsRef<Path>, parts: usize, node_types: &[NodeType]) -> Result<Self, Error> {
        check_parts(parts)?;
        let path = path.as_ref();
        let nodes = node_types.iter().fold(0_usize, |nodes, kind| nodes.saturating_add(kind.nodes));
        let all = NodeType { name: "all types".into(), nodes, features: Vec::new() };
        let owners = if pairs(path)? { read_pairs(path, parts, nodes)? } else { read(path.into(), parts, &all)? };
        let mut rest = &owners[..];
        let of_type = |kind: &NodeType| {
            let (own, others) = rest.split_at(kind.nodes.min(rest.len()));
            rest = others;
            own.to_vec()
        };
        Self::new(parts, node_types.iter().map(of_type).collect())
    }

    /// Writes the file of each type of nodes and a `partition_meta.json`, which DGL's second step, `dispatch_data.py`,
    /// reads and which says by which `method` nodes were assigned. The folder is created if it does not exist.
    pub fn write(&self, folder: impl AsRef<Path>, node_types: &[NodeType], method: &str) -> Result<(), Error> {
        let folder = folder.as_ref();
        self.check_types(node_types.iter().map(|kind| (&*kind.name, kind.nodes)))?;
        fs::create_dir_all(folder).map_err(file_error(folder))?;
        for (kind, owners) in node_types.iter().zip(self.owners()) {
            let path = path(folder, &kind.name)?;
            write(&path, owners).map_err(file_error(&path))?;
        }
        // DGL accepts these two names alone; its own tools write the second for ParMETIS as well. Other keys it
        // ignores.
        let known = if method == "random" { method } else { "metis" };
        let meta = serde_json::json!({
            "algo_name": known, "method": method, "num_parts": self.parts(), "version": "1.0.0"
        });
        let path = folder.join(META);
        fs::write(&path, format!("{meta:#}\n")).map_err(file_error(&path))
    }
}

fn path(folder: &Path, name: &str) -> Result<PathBuf, Error> {
    if !is_file_name(name) {
        let text = format!("a type of nodes is called {name:?}, which cannot be the name of a file");
        return Err(problem(ErrorKind::Format, text));
    }
    Ok(folder.join(format!("{name}.txt")))
}

fn check_meta(path: &Path, expected: usize) -> Result<(), Error> {
    match meta_parts(path)? {
        Some(found) if found.as_u64() != Some(expected as u64) => {
            let text = format!("{}: num_parts is {found}, expected {expected}", path.display());
            Err(problem_in(path, ErrorKind::Format, text))
        }
        _ => Ok(()),
    }
}

/// Returns `num_parts`, if the file exists.
fn meta_parts(path: &Path) -> Result<Option<serde_json::Value>, Error> {
    let text = match files::expect(path).and_then(|()| fs::read(path)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        text => text.map_err(file_error(path))?,
    };
    let mut meta: serde_json::Value = serde_json::from_slice(&text).map_err(|error| file_error(path)(error.into()))?;
    Ok(Some(meta.get_mut("num_parts").map_or(serde_json::Value::Null, serde_json::Value::take)))
}

fn read(path: PathBuf, parts: usize, kind: &NodeType) -> Result<Vec<u16>, Error> {
    let io = file_error(&path);
    let mut file = BufReader::with_capacity(1 << 16, files::open(&path).map_err(io)?);
    let (mut owners, mut lines, mut line) = (Vec::new(), 0, Vec::new());
    while file.read_until(b'\n', &mut line).map_err(io)? > 0 {
        lines += 1;
        let text = line.trim_ascii();
        // Lines after the last node are counted, whatever they say.
        if owners.len() < kind.nodes {
            let part = str::from_utf8(text).ok().and_then(|text| text.parse::<u16>().ok());
            let Some(part) = part.filter(|&part| usize::from(part) < parts) else {
                let found = String::from_utf8_lossy(&text[..text.len().min(40)]);
                let expected = format!("expected a part from 0 to {}, found {found:?}", parts - 1);
                let text = format!("{}, line {lines}: {expected}", path.display());
                return Err(problem_in(&path, ErrorKind::Format, text));
            };
            owners.push(part);
        }
        line.clear();
    }
    if lines != kind.nodes {
        let expected = format!("expected {}, one for each node of type {}", kind.nodes, kind.name);
        let text = format!("{} has {lines} lines, {expected}", path.display());
        return Err(problem_in(&path, ErrorKind::Format, text));
    }
    Ok(owners)
}

fn write(path: &Path, owners: &[u16]) -> io::Result<()> {
    let mut file = BufWriter::with_capacity(1 << 16, File::create(path)?);
    for part in owners {
        writeln!(file, "{part}")?;
    }
    file.flush()
}

/// Whether the first line has two numbers.
fn pairs(path: &Path) -> Result<bool, Error> {
    let io = file_error(&path);
    let mut line = Vec::new();
    BufReader::new(files::open(path).map_err(io)?).take(64).read_until(b'\n', &mut line).map_err(io)?;
    Ok(line.trim_ascii().contains(&b' '))
}

/// Reads a node and its part from each line.
fn read_pairs(path: &Path, parts: usize, nodes: usize) -> Result<Vec<u16>, Error> {
    let io = file_error(&path);
    let wrong = |problem: String| io(io::Error::new(io::ErrorKind::InvalidData, problem));
    let (mut owners, mut lines) = (Vec::new(), 0);
    owners.try_reserve_exact(nodes).map_err(|error| wrong(format!("{nodes} nodes: {error}")))?;
    owners.resize(nodes, None);
    for line in BufReader::new(files::open(path).map_err(io)?).lines() {
        let line = line.map_err(io)?;
        lines += 1;
        let pair = line.trim().split_once(' ').and_then(|(node, part)| {
            let part = part.trim().parse::<u16>().ok().filter(|&part| usize::from(part) < parts)?;
            Some((owners.get_mut(node.parse::<usize>().ok()?)?, part))
        });
        match pair {
            Some((owner @ None, part)) => *owner = Some(part),
            _ => {
                let expected = format!("a node below {nodes} that no line before has, and its part below {parts}");
                return Err(wrong(format!("line {lines}: expected {expected}, found {line:.40?}")));
            }
        }
    }
    match owners.iter().position(Option::is_none) {
        Some(node) => Err(wrong(format!("no line has node {node}; expected {nodes} lines, found {lines}"))),
        None => Ok(owners.into_iter().flatten().collect()),
    }
}
