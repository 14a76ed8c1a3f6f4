//! See `graphpack_fuzz::chunked`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| graphpack_fuzz::chunked(bytes));
