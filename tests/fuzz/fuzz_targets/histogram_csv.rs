//! See `graphpack_fuzz::histogram_csv`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| graphpack_fuzz::histogram_csv(bytes));
