//! See `graphpack_fuzz::state`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| graphpack_fuzz::state(bytes));
