//! DGL's files of partitioned graphs.

mod damaged;
mod layout;
