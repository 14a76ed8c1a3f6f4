//! Promise 8: inputs that readers were fuzzed with, among them all that they once failed on, through the same functions again.

use graphpack_fuzz::TARGETS;
use std::fs;
use std::path::Path;

#[test]
fn nothing_panics() {
    let corpora = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/corpus");
    let names = |folder: &Path| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
    assert_eq!(names(&corpora).len(), TARGETS.len(), "a corpus for each reader");
    for (name, target) in TARGETS {
        let inputs = names(&corpora.join(name));
        assert!(!inputs.is_empty(), "{name}");
        for input in inputs {
            // Shown if it fails.
            println!("{}", input.display());
            target(&fs::read(&input).unwrap());
        }
    }
}
