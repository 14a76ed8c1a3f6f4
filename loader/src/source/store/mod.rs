//! [`Store`]: a whole data set in columns, in memory or in safetensors files.
//!
//! | file | what is in it |
//! |---|---|
//! | `store`, `graphs`, `column`, `local_index`, `offsets` | the columns, and the rows of each graph in them |
//! | `copy`, `inverse`, `push`, `fields` | stores from others, with inverse edges, from batches, with other fields |
//! | `open`, `header`, `stored_file`, `starts`, `save`, `description`, `dtypes` | one file |
//! | `writer`, `written_column`, `written_index`, `scratch`, `tensor_file` | files of graphs that come piece by piece |
//! | `files`, `files_writer`, `file_index` | several files in a folder |
//! | `positioned`, `rows`, `chunks`, `handles`, `read_at` | files read by position: what of them is in memory, and which are open |
//! | `pages` | checksums of a file, and what of it was compared with them |
//! | `bytes`, `map`, `mapped_file`, `file_state` | memory: huge pages, mapped files, for other sources too; whether a file changed |
//! | `shared_file` | any file read by position, for other sources |
//! | `error`, `file_error` | why columns do not make a store; why a file cannot be read or written |

mod bytes;
mod chunks;
mod column;
mod copy;
mod description;
mod dtypes;
mod error;
mod fields;
mod file_error;
mod file_index;
mod file_state;
mod files;
mod files_writer;
mod graphs;
mod handles;
mod header;
mod inverse;
mod local_index;
mod map;
mod mapped_file;
mod offsets;
mod open;
mod pages;
mod positioned;
mod push;
mod read_at;
mod room;
mod rows;
mod save;
mod scratch;
mod shared_file;
mod starts;
mod store;
mod stored_file;
mod tensor_file;
mod writer;
mod written_column;
mod written_index;

pub use bytes::Bytes;
pub use column::Column;
pub(crate) use error::StoreError;
pub(crate) use file_error::FileError;
pub use files::StoreFiles;
pub use files_writer::StoreFilesWriter;
pub use mapped_file::MappedFile;
pub use shared_file::SharedFile;
pub use store::Store;
pub use writer::StoreWriter;
