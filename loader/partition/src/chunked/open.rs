//! [`Opening`]: checks metadata against themselves and against the files that they list.

use super::edges::{EdgeChunk, outline};
use super::metadata::{FILE, FileSpec, Metadata};
use super::{ChunkFormat, ChunkedEdges, ChunkedError, ChunkedFeature, ChunkedGraph, ChunkedNodes};
use crate::files::{Entries, is_file_name};
use crate::{ArrayType, files};
use graphpack_loader::Error;
use graphpack_loader::extend::file_error;
use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Metadata that are being checked.
struct Opening<'a> {
    /// `metadata.json`.
    path: &'a Path,
    metadata: &'a Metadata,
}

/// The number of nodes or edges of a type, and of its chunks, as far as the metadata say.
struct Count<'a> {
    all: Option<usize>,
    chunks: Option<&'a [u64]>,
}

impl ChunkedGraph {
    /// Opens a folder, or its `metadata.json`, and checks everything except what only reading the edges can tell: their
    /// nodes, and in csv files cells and number of lines.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let (path, metadata) = metadata(path.as_ref())?;
        Opening { path: &path, metadata: &metadata }.graph()
    }

    /// Returns the name and number of nodes of each type, from `metadata.json` alone; no other file need exist.
    pub fn count_nodes(path: impl AsRef<Path>) -> Result<Vec<(String, usize)>, Error> {
        let (path, metadata) = metadata(path.as_ref())?;
        Opening { path: &path, metadata: &metadata }.count_nodes()
    }
}

fn metadata(path: &Path) -> Result<(PathBuf, Metadata), Error> {
    let path = if path.is_dir() { path.join(FILE) } else { path.to_owned() };
    let text = files::expect(&path).and_then(|()| fs::read(&path)).map_err(file_error(&path))?;
    let metadata = serde_json::from_slice(&text).map_err(|error| file_error(&path)(error.into()))?;
    Ok((path, metadata))
}

impl Opening<'_> {
    /// Checks all that the metadata and the headers of files tell.
    fn graph(&self) -> Result<ChunkedGraph, Error> {
        let Metadata { node_type, num_nodes_per_chunk, num_nodes_per_type, .. } = self.metadata;
        let Metadata { edge_type, num_edges_per_chunk, num_edges_per_type, .. } = self.metadata;
        let name = &self.metadata.graph_name;
        if !is_file_name(name) {
            return Err(self.wrong("graph_name", format!("{name:?}, expected a name that a file can have")));
        }
        self.unlike(node_type, "node_type")?;
        self.unlike(edge_type, "edge_type")?;
        for (entries, key, types) in
            [(&self.metadata.node_data, "node_data", node_type), (&self.metadata.edge_data, "edge_data", edge_type)]
        {
            self.known(entries, key, types)?;
        }
        self.known(&self.metadata.edges, "edges", edge_type)?;

        let counts = self.counts(node_type, "nodes", num_nodes_per_chunk, num_nodes_per_type)?;
        let mut nodes = HashMap::new();
        let mut node_types = Vec::new();
        for (kind, (name, count)) in node_type.iter().zip(counts).enumerate() {
            let all = count.all.unwrap_or(0);
            nodes.insert(name.as_str(), (kind, all));
            let features = self.features("node_data", name, &self.metadata.node_data, &count, "nodes")?;
            node_types.push(ChunkedNodes { name: name.clone(), nodes: all, features });
        }
        let counts = self.counts(edge_type, "edges", num_edges_per_chunk, num_edges_per_type)?;
        let mut edge_types = Vec::new();
        for (name, count) in edge_type.iter().zip(counts) {
            edge_types.push(self.edges(name, &count, &nodes)?);
        }
        Ok(ChunkedGraph { name: name.clone(), node_types, edge_types })
    }

    /// Name and number of nodes of each type.
    fn count_nodes(&self) -> Result<Vec<(String, usize)>, Error> {
        let Metadata { node_type, num_nodes_per_chunk, num_nodes_per_type, .. } = self.metadata;
        self.unlike(node_type, "node_type")?;
        let counts = self.counts(node_type, "nodes", num_nodes_per_chunk, num_nodes_per_type)?;
        Ok(node_type.iter().cloned().zip(counts.iter().map(|count| count.all.unwrap_or(0))).collect())
    }

    /// Refuses names that occur twice.
    fn unlike(&self, names: &[String], key: &str) -> Result<(), Error> {
        let mut seen = HashSet::new();
        match names.iter().find(|name| !seen.insert(*name)) {
            Some(name) => Err(self.wrong(key, format!("{name:?} occurs twice"))),
            None => Ok(()),
        }
    }

    /// Refuses entries for types that do not exist.
    fn known<V>(&self, entries: &Entries<V>, key: &str, types: &[String]) -> Result<(), Error> {
        match entries.0.iter().find(|(name, _)| !types.contains(name)) {
            Some((name, _)) => Err(self.wrong(key, format!("{name:?} is none of the types {types:?}"))),
            None => Ok(()),
        }
    }

    fn counts<'a>(
        &self,
        types: &[String],
        things: &str,
        per_chunk: &'a Option<Vec<Vec<u64>>>,
        per_type: &Option<Vec<u64>>,
    ) -> Result<Vec<Count<'a>>, Error> {
        let (chunk_key, type_key) = (format!("num_{things}_per_chunk"), format!("num_{things}_per_type"));
        if per_chunk.is_none() && per_type.is_none() {
            return Err(self.wrong(&chunk_key, format!("missing, and so is {type_key}")));
        }
        for (key, found) in
            [(&chunk_key, per_chunk.as_ref().map(Vec::len)), (&type_key, per_type.as_ref().map(Vec::len))]
        {
            if let Some(found) = found.filter(|&found| found != types.len()) {
                let problem = format!("{found} entries, expected one for each of {} types", types.len());
                return Err(self.wrong(key, problem));
            }
        }
        let count = |kind: usize| {
            let name = &types[kind];
            let chunks = per_chunk.as_ref().map(|chunks| chunks[kind].as_slice());
            let sum = chunks.map(|chunks| self.sum(&chunk_key, name, chunks)).transpose()?;
            let all = per_type.as_ref().map(|all| self.sum(&type_key, name, &all[kind..=kind])).transpose()?;
            if let (Some(sum), Some(all)) = (sum, all)
                && sum != all
            {
                let problem = format!("{name:?} has {all} {things}, its chunks have {sum}");
                return Err(self.wrong(&type_key, problem));
            }
            Ok(Count { all: sum.or(all), chunks })
        };
        (0..types.len()).map(count).collect()
    }

    /// Adds up counts; the sum must fit into an id.
    fn sum(&self, key: &str, name: &str, counts: &[u64]) -> Result<usize, Error> {
        let sum = counts.iter().try_fold(0_u64, |sum, &count| sum.checked_add(count));
        let sum = sum.filter(|&sum| i64::try_from(sum).is_ok()).and_then(|sum| usize::try_from(sum).ok());
        sum.ok_or_else(|| self.wrong(key, format!("{name:?} has more than {}", i64::MAX)))
    }

    /// `nodes` are position and number of nodes of each type.
    fn edges(
        &self,
        name: &str,
        count: &Count<'_>,
        nodes: &HashMap<&str, (usize, usize)>,
    ) -> Result<ChunkedEdges, Error> {
        let parts: Vec<&str> = name.split(':').collect();
        let &[source, relation, target] = parts.as_slice() else {
            return Err(self.wrong("edge_type", format!("{name:?}, expected \"source:relation:target\"")));
        };
        let ends = [source, target].map(|end| nodes.get(end).copied().ok_or(end));
        let [Ok(sources), Ok(targets)] = ends else {
            let end = ends.into_iter().find_map(Result::err).unwrap_or_default();
            return Err(self.wrong("edge_type", format!("{name:?}: no node type {end:?}")));
        };
        let key = format!("edges, {name:?}");
        let Some(spec) = self.metadata.edges.get(name) else {
            return Err(self.wrong("edges", format!("{name:?} is missing")));
        };
        let (format, paths) = self.files(&key, spec)?;
        let said = count.chunks.map(|counts| ("num_edges_per_chunk", counts));
        let counted = spec.row_counts.as_deref().map(|counts| ("row_counts", counts));
        if let (Some((_, said)), Some((_, counted))) = (said, counted)
            && said != counted
        {
            return Err(self.wrong(&key, format!("row_counts are {counted:?}, num_edges_per_chunk {said:?}")));
        }
        let said = said.or(counted);
        if let Some((said, counts)) = said.filter(|(_, counts)| counts.len() != paths.len()) {
            return Err(self.wrong(&key, format!("{} files, {said} has {} chunks", paths.len(), counts.len())));
        }
        let mut chunks = Vec::new();
        for (chunk, path) in paths.into_iter().enumerate() {
            let said = said.map(|(_, counts)| counts[chunk] as usize);
            let csv = matches!(format, ChunkFormat::Csv { .. });
            let (element, found) = match said {
                Some(edges) if csv => {
                    files::expect(&path).map_err(file_error(&path))?;
                    (ArrayType::I64, edges)
                }
                _ => {
                    let outline = outline(&path, format)?;
                    (outline.element, outline.rows)
                }
            };
            if let Some(expected) = said.filter(|&expected| expected != found) {
                return Err(ChunkedError::Rows { path, expected, found }.into());
            }
            chunks.push(EdgeChunk { path, edges: found, element });
        }
        let found = chunks.iter().try_fold(0_usize, |sum, chunk| sum.checked_add(chunk.edges));
        let found = found.ok_or_else(|| self.wrong(&key, format!("more than {} edges", i64::MAX)))?;
        if let Some(expected) = count.all.filter(|&expected| expected != found) {
            let problem = format!("{found} edges in {} files, expected {expected}", chunks.len());
            return Err(self.wrong(&key, problem));
        }
        let count = Count { all: Some(found), ..*count };
        let features = self.features("edge_data", name, &self.metadata.edge_data, &count, "edges")?;
        let name = [source, relation, target].map(str::to_owned);
        let (ends, nodes) = ([sources.0, targets.0], [sources.1, targets.1]);
        Ok(ChunkedEdges { name, format, chunks, ends, nodes, features })
    }

    fn features(
        &self,
        key: &str,
        kind: &str,
        data: &Entries<Entries<FileSpec>>,
        count: &Count<'_>,
        things: &'static str,
    ) -> Result<Vec<ChunkedFeature>, Error> {
        let expected = count.all.unwrap_or(0);
        let entries = data.get(kind).map_or(&[][..], |entries| &entries.0);
        let open = |(name, spec): &(String, FileSpec)| {
            let key = format!("{key}, {kind:?}, {name:?}");
            let (format, paths) = self.files(&key, spec)?;
            if paths.is_empty() {
                return Err(self.wrong(&key, "no files".into()));
            }
            let feature = ChunkedFeature::open(name, format, paths)?;
            if let Some(counted) = spec.row_counts.as_deref()
                && !feature.files().map(|rows| rows as u64).eq(counted.iter().copied())
            {
                let found: Vec<usize> = feature.files().collect();
                return Err(self.wrong(&key, format!("row_counts are {counted:?}, the files have {found:?} rows")));
            }
            let (files, found) = (feature.files().len(), feature.rows());
            if found != expected {
                let chunks = count.chunks.filter(|chunks| chunks.len() == files);
                let rows = feature.paths_and_rows().zip(chunks.into_iter().flatten());
                let mut unlike = rows.filter(|&((_, rows), &chunk)| rows as u64 != chunk);
                let first = unlike
                    .next()
                    .map(|((path, rows), chunk)| format!("; {} has {rows}, its chunk {chunk}", path.display()));
                return Err(ChunkedError::Feature {
                    path: self.path.to_owned(),
                    feature: format!("{kind}/{name}"),
                    files,
                    expected,
                    found,
                    things,
                    // If several differ, files are not meant to match chunks.
                    unlike: first.filter(|_| unlike.next().is_none()).unwrap_or_default(),
                }
                .into());
            }
            Ok(feature)
        };
        entries.iter().map(open).collect()
    }

    fn files(&self, key: &str, spec: &FileSpec) -> Result<(ChunkFormat, Vec<PathBuf>), Error> {
        let format = ChunkFormat::try_from(&spec.format).map_err(|problem| self.wrong(key, problem))?;
        let folder = self.path.parent().unwrap_or(Path::new(""));
        // `join` keeps absolute paths.
        Ok((format, spec.data.iter().map(|file| folder.join(file)).collect()))
    }

    fn wrong(&self, key: &str, problem: String) -> Error {
        ChunkedError::Metadata { path: self.path.to_owned(), key: key.to_owned(), problem }.into()
    }
}
