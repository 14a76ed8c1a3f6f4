//! See `graphpack_fuzz::shards`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| graphpack_fuzz::shards(bytes));
