//! See `graphpack_fuzz::fixed_plan`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| graphpack_fuzz::fixed_plan(bytes));
