//! See `graphpack_fuzz::dgl_config`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| graphpack_fuzz::dgl_config(bytes));
