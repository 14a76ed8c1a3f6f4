//! See `graphpack_fuzz::npz`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| graphpack_fuzz::npz(bytes));
