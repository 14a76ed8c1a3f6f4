//! Flags that name a type and a file: edges, features; and numbers of nodes.

use std::path::{Path, PathBuf};

/// Edges of a type.
#[derive(Clone)]
pub(crate) struct EdgeFile {
    pub(crate) kind: [String; 3],
    pub(crate) path: PathBuf,
}

/// A feature of the nodes or edges of a type.
#[derive(Clone)]
pub(crate) struct FeatureFile<Kind> {
    pub(crate) kind: Kind,
    pub(crate) name: String,
    pub(crate) path: PathBuf,
}

/// DGL's name for the type of all nodes, where there is only one.
pub(crate) fn only_node() -> String {
    "_N".into()
}

/// Likewise for edges.
pub(crate) fn only_edge() -> [String; 3] {
    ["_N", "_E", "_N"].map(String::from)
}

/// Parses `[SRC:REL:DST=]FILE`.
pub(crate) fn edges(text: &str) -> Result<EdgeFile, String> {
    let typed = text.split_once('=').and_then(|(kind, path)| Some((edge_type(kind)?, path)));
    let (kind, path) = typed.unwrap_or_else(|| (only_edge(), text));
    Ok(EdgeFile { kind, path: path.into() })
}

fn edge_type(text: &str) -> Option<[String; 3]> {
    let parts: Vec<String> = text.split(':').map(String::from).collect();
    parts.try_into().ok()
}

/// Parses `[TYPE=]COUNT`.
pub(crate) fn nodes(text: &str) -> Result<(String, usize), String> {
    let (kind, count) = text.rsplit_once('=').map_or_else(|| (only_node(), text), |(kind, count)| (kind.into(), count));
    let count = count.parse().map_err(|_| format!("expected a number of nodes, found {count:?}"))?;
    Ok((kind, count))
}

/// Parses `[TYPE/]NAME=FILE`.
pub(crate) fn node_feature(text: &str) -> Result<FeatureFile<String>, String> {
    let (kind, name, path) = feature(text)?;
    Ok(FeatureFile { kind: kind.map_or_else(only_node, String::from), name: name.into(), path: path.into() })
}

/// Parses `[SRC:REL:DST/]NAME=FILE`.
pub(crate) fn edge_feature(text: &str) -> Result<FeatureFile<[String; 3]>, String> {
    let (kind, name, path) = feature(text)?;
    let kind = match kind {
        Some(kind) => edge_type(kind).ok_or_else(|| format!("expected SRC:REL:DST, found {kind:?}"))?,
        None => only_edge(),
    };
    Ok(FeatureFile { kind, name: name.into(), path: path.into() })
}

/// Splits a feature into type, if there is one, name and file.
fn feature(text: &str) -> Result<(Option<&str>, &str, &Path), String> {
    let (name, path) = text.split_once('=').ok_or("expected NAME=FILE")?;
    let (kind, name) = name.split_once('/').map_or((None, name), |(kind, name)| (Some(kind), name));
    if name.is_empty() {
        return Err("expected NAME=FILE, found no name".into());
    }
    Ok((kind, name, Path::new(path)))
}

/// Parses what separates the cells of a csv file.
pub(crate) fn delimiter(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        [delimiter] if !delimiter.is_ascii_alphanumeric() && !b"\r\n\"+-.".contains(delimiter) => Ok(*delimiter),
        b"tab" | b"\\t" => Ok(b'\t'),
        _ => Err("expected one byte that is not part of a number, or tab".into()),
    }
}
