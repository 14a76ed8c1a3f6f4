//! DGL's Chunked Graph Format. `sound` is the folder that other files damage.

mod files;
mod metadata;
mod parquet;
mod round_trip;
mod sound;
