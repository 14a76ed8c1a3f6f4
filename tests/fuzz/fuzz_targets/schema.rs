//! See `graphpack_fuzz::schema`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| graphpack_fuzz::schema(bytes));
