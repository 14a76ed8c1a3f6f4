//! See `graphpack_fuzz::xyz`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| graphpack_fuzz::xyz(bytes));
