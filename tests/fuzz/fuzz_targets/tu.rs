//! See `graphpack_fuzz::tu`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| graphpack_fuzz::tu(bytes));
