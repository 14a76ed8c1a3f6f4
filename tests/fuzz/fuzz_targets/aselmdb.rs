//! See `graphpack_fuzz::aselmdb`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| graphpack_fuzz::aselmdb(bytes));
