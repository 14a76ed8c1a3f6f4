//! See `graphpack_fuzz::store`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| graphpack_fuzz::store(bytes));
