//! See `graphpack_fuzz::sdf`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| graphpack_fuzz::sdf(bytes));
