//! Stores in one file and in several.

use crate::input::{folder, load};
use graphpack_loader::{Store, StoreFiles, molecules};
use std::fs;
use std::sync::OnceLock;
use tempfile::TempDir;

/// The header and the tensors of a safetensors file, with a zero byte between them. The length of the header, with
/// which such a file begins, is computed.
pub(crate) fn store(bytes: &[u8]) {
    let header = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    let (header, tensors) = (&bytes[..header], bytes.get(header + 1..).unwrap_or_default());
    let file = [&(header.len() as u64).to_le_bytes(), header, tensors].concat();
    opened(&file);
}

/// A store in a file is sound in memory if it is sound in the file, and the same when it is written again.
pub(crate) fn opened(file: &[u8]) {
    let folder = folder(&[("store.safetensors", file)]);
    let Ok(store) = Store::open(folder.path().join("store.safetensors")) else { return };
    let _ = store.verify();
    let _ = (store.values::<f32>("x"), store.values::<i64>("y"), store.values::<bool>("y"));
    if let Some(loaded) = load(store.clone()) {
        let in_memory = store.to_memory().is_ok_and(|memory| load(memory) == Some(true));
        assert_eq!(loaded, in_memory, "what is sound in a file is sound in memory");
        let by_position = StoreFiles::open(folder.path().join("store.safetensors")).unwrap();
        assert_eq!(by_position.fingerprint(), store.fingerprint());
        assert_eq!(load(by_position), Some(loaded), "what is sound in memory is sound by position");
        // What is written is what was read.
        let path = folder.path().join("again.safetensors");
        store.save(&path).unwrap();
        let again = Store::open(&path).unwrap();
        assert!(again.verify().is_ok() || !in_memory, "a new file of sound graphs is sound");
        assert_eq!((again.schema(), again.fingerprint()), (store.schema(), store.fingerprint()));
    }
}

/// An index of files, beside the files `a` and `b` of 3 and 2 graphs, and `c` with other fields.
pub(crate) fn shards(bytes: &[u8]) {
    static SHARDS: OnceLock<[Vec<u8>; 3]> = OnceLock::new();
    let [a, b, c] = SHARDS.get_or_init(|| {
        let other = Store::of_columns(vec![0, 1], vec![0, 0], [vec![], vec![]], vec![]).unwrap();
        [molecules::generate(1, 3), molecules::generate(2, 2), other].map(|store| {
            let folder = TempDir::new().unwrap();
            let path = folder.path().join("store");
            store.save(&path).unwrap();
            fs::read(path).unwrap()
        })
    });
    let folder = folder(&[("index.json", bytes), ("a", a), ("b", b), ("c", c)]);
    let Ok(shards) = StoreFiles::open(folder.path()) else { return };
    shards.verify().unwrap();
    assert!(load(shards).is_none_or(|loaded| loaded), "the shards are sound");
}
