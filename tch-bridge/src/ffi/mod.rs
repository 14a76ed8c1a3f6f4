//! The raw functions of `cpp/`, each as a call that returns a `Result`; a file here for each file there.

mod adam;
mod checked;
#[cfg(feature = "cuda-graphs")]
mod cuda_graph;
mod memory;
mod stream;

pub(crate) use adam::{AdamOptions, adam};
#[cfg(feature = "cuda-graphs")]
pub(crate) use cuda_graph::{cuda_graph_begin, cuda_graph_end, cuda_graph_free, cuda_graph_new, cuda_graph_replay};
pub(crate) use memory::{Owner, copy, is_pinned, pinned, tensor_over};
pub(crate) use stream::{
    RawEvent, RawStream, event_block, event_elapsed, event_free, event_query, event_record, event_synchronize,
    load_cuda, load_driver, stream_current, stream_exchange, stream_new, stream_restore, stream_synchronize,
    stream_uses,
};
