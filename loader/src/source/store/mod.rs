//! [`Store`]: a whole data set in columns, in memory or in safetensors files.
//!
//! | file | what is in it |
//! |---|---|
//! | `store`, `graphs`, `column`, `offsets` | the columns, and the rows of each graph in them |
//! | `copy`, `push` | stores from other stores, and from graphs or batches |
//! | `open`, `header`, `stored_file`, `description` | one file |
//! | `writer`, `written_column`, `tensor_file` | files of graphs that come piece by piece |
//! | `files` | several files in a folder |
//! | `positioned`, `chunks`, `read_at` | files read by position: what of them is in memory, and which are open |
//! | `pages` | checksums of the pages of a file, compared when one is first read: by `stored_file`, or of a mapped file by `bytes` |
//! | `bytes` | memory: huge pages, mapped files, for other sources too |
//! | `error` | why columns do not make a store; why a file cannot be read or written |

mod bytes;
mod chunks;
mod column;
mod copy;
mod description;
mod error;
mod files;
mod graphs;
mod header;
mod offsets;
mod open;
mod pages;
mod positioned;
mod push;
mod read_at;
mod store;
mod stored_file;
mod tensor_file;
mod writer;
mod written_column;

pub use bytes::{Bytes, MappedFile, will_read};
pub use column::Column;
pub(crate) use error::{FileError, StoreError};
pub use files::StoreFiles;
pub use read_at::SharedFile;
pub use store::Store;
pub use writer::{StoreFilesWriter, StoreWriter};
