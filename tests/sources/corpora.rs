//! Promise 8: readers get the inputs that fuzzing found again, among them all on which they once failed.

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
            // Printed if the test fails.
            println!("{}", input.display());
            target(&fs::read(&input).unwrap());
        }
    }
}
