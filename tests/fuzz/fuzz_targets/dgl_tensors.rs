//! See `graphpack_fuzz::dgl_tensors`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| graphpack_fuzz::dgl_tensors(bytes));
