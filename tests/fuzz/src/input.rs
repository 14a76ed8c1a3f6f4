//! What all targets need: an input as files, and loading of what was read from them.

use graphpack_loader::{Data, Grouping, Loader, Options, Order};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// A temporary folder with files.
pub(crate) fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, contents) in files {
        fs::write(folder.path().join(Path::new(name)), contents).unwrap();
    }
    folder
}

/// Splits an input into names and contents of files; none if it has no line `--- name`.
pub(crate) fn files(bytes: &[u8]) -> impl Iterator<Item = (&str, &[u8])> {
    let starts: Vec<usize> = (0..bytes.len())
        .filter(|&at| bytes[at..].starts_with(b"--- ") && (at == 0 || bytes[at - 1] == b'\n'))
        .chain([bytes.len()])
        .collect();
    let file = move |ends: &[usize]| {
        let file = &bytes[ends[0] + 4..ends[1]];
        let name = file.iter().position(|&byte| byte == b'\n')?;
        Some((str::from_utf8(&file[..name]).ok()?, &file[name + 1..]))
    };
    starts.windows(2).filter_map(file).collect::<Vec<_>>().into_iter()
}

/// Returns whether all graphs can be loaded, each once; `None` if there are no graphs or too many for a quick test.
pub(crate) fn load(data: impl Into<Data>) -> Option<bool> {
    let data = data.into();
    let graphs = data.len();
    let bytes = data.schema().fields().iter().map(|field| field.row_bytes()).sum::<usize>();
    let sizes = data.sizes().ok()?.take(1000);
    let rows = sizes.map(|size| size.as_slice().iter().copied().map(u64::from).sum::<u64>()).sum::<u64>();
    if graphs > 1000 || bytes > 1000 || rows > 10_000 {
        return None;
    }
    let options = Options::graphs(8).grouping(Grouping::InOrder).order(Order::Shuffled).seed(1);
    let loader = Loader::new(data, options.workers(0)).ok()?;
    let mut seen = Vec::new();
    for batch in loader.epoch(0) {
        match batch {
            Ok(batch) => seen.extend_from_slice(batch.graph_ids()),
            Err(_) => return Some(false),
        }
    }
    assert_eq!(seen.len(), graphs, "every graph once");
    Some(true)
}
