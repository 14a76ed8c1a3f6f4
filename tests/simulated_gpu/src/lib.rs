//! CUDA devices without CUDA, to test the order of streams, and captured steps, on machines without a GPU. Work that
//! libtorch gives to a stream is done later, by a thread, in memory of the host; or it is recorded as a graph.
//!
//! [`Gpu::alone`] gives libtorch two devices. A test holds streams back ([`Gpu::hold`]) to see what the others do
//! meanwhile. It gives reads to a stream and checks them when the stream has done them ([`Later`]); [`Rounds`] does
//! both for whole epochs. [`Network`] is a small training, done step by step or by replays, both of which [`Gpu::work`]
//! counts. Calls can be made to fail ([`Gpu::fail`]), and graphs to be those of a libtorch that the bridge does not
//! know ([`Gpu::libtorch`]).
//!
//! # As on a GPU
//!
//! - Streams are queues; nothing but events orders one after another. Each device has a default stream and two pools of
//!   32.
//! - An operation goes to the stream that is current on the calling thread. It does not keep the memory that it uses:
//!   if that is freed or overwritten too early, the operation reads it all the same.
//! - Freed memory goes to the next tensor of the stream that it was allocated on, at once, unless other streams were
//!   recorded as using it. In between it is filled with a pattern.
//! - A copy between a device and page-locked memory that need not wait reads and writes when its turn comes. Other
//!   copies between device and host wait.
//! - While a stream is recorded, nothing that it is given is done, whichever thread gives it. A replay does all of it
//!   on the current stream, as one item, in the memory that was recorded.
//! - Memory that is allocated on a stream while it is recorded belongs to the graph, and to those that share its pool,
//!   until all of them are gone and the streams that replayed them have done so. Memory that is freed during a
//!   recording is filled with the pattern by each replay.
//! - A recording breaks when the program asks for a value, for a size that depends on values, for the end of the stream
//!   or for an event in it; when it copies pageable memory of the host; and when the recording thread asks for any
//!   event. The graph of a broken recording must not be freed, because libtorch goes on using it.
//!
//! # Not as on a GPU
//!
//! - Speed.
//! - An operation that returns a new tensor waits for its stream, unless that is recorded: then it runs on zeros, to
//!   learn the form of the result. An operation that writes into given tensors does not wait. One that fails on a
//!   stream ends the process.
//! - Memory is reused only for tensors of the same size; libtorch's allocator also splits it.
//! - A recording is of one stream: no other joins it by an event. It restricts only the calls of its own thread; CUDA's
//!   other modes are missing. The kernels of a replay never run side by side. Asking for the end of another stream is
//!   not refused, nor is the use of the default one.
//! - No copies between devices, no random numbers. No driver: neither its errors nor its limits.

mod ffi;
mod gpu;
mod later;
mod network;
mod rounds;

pub use gpu::{Call, Failing, Gpu, Held, OtherLibtorch, Slow, Streams, Work};
pub use later::Later;
pub use network::Network;
pub use rounds::Rounds;
