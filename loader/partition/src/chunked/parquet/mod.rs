//! Parquet files: `rows` reads one, column by column through `cells`, `sink` writes one.

mod cells;
mod rows;
mod sink;

pub(super) use rows::ParquetRows;
pub(super) use sink::ParquetSink;
