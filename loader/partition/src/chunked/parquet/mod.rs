//! Parquet files: `rows` reads one, column by column through `cells`, `sink` writes one, `types` maps the types of columns.

mod cells;
mod rows;
mod sink;
mod types;

pub(super) use rows::ParquetRows;
pub(super) use sink::ParquetSink;
