//! See `graphpack_fuzz::smiles`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| graphpack_fuzz::smiles(bytes));
