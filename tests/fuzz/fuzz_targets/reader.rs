//! Gives arbitrary bytes to the reader that the variable `READER` names.
#![no_main]

use graphpack_fuzz::TARGETS;
use std::env;
use std::sync::LazyLock;

static READER: LazyLock<fn(&[u8])> = LazyLock::new(|| {
    let name = env::var("READER").unwrap_or_default();
    let found = TARGETS.iter().find(|(reader, _)| *reader == name);
    found.unwrap_or_else(|| panic!("READER: expected a folder of tests/fuzz/corpus, found {name:?}")).1
});

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| READER(bytes));
