//! See `graphpack_fuzz::ogb`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| graphpack_fuzz::ogb(bytes));
