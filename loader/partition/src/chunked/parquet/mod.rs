//! Parquet files: `rows` reads one, `sink` writes one, `types` maps the types of columns.

mod rows;
mod sink;
mod types;

pub(super) use rows::ParquetRows;
pub(super) use sink::ParquetSink;
