//! CUDA devices without CUDA: what libtorch gives to a stream is done later, by a thread, in memory of the host, or recorded as a graph. So the order
//! of streams, and captured steps, can be tested where there is no GPU.
//!
//! [`Gpu::alone`] gives libtorch two devices. A test holds streams back ([`Gpu::hold`]) to see what the others do meanwhile, and gives reads to a stream
//! that are looked at when it has done them ([`Later`]); [`Rounds`] does both for whole epochs. [`Network`] is what is trained, one by one or by
//! replays: [`Gpu::work`] counts both.
//!
//! # As on a GPU
//!
//! - Streams are queues that know nothing of each other but by events. A default one and two pools of 32 for each device.
//! - An operation is given to the stream that is current on the thread that asks for it, and keeps no memory: what is freed or written over too early
//!   is read all the same.
//! - Memory that is freed goes to the next tensor of the stream that it was allocated on, without waiting, unless other streams were
//!   recorded as using it. In between it is filled with a pattern.
//! - Copies to and from page-locked memory that need not wait read or write it when their turn comes; other copies with the host wait.
//! - Nothing is done of what is given to a stream while it is recorded, by whichever thread. A replay does all of it on the current stream, as one
//!   item, in the memory of then.
//! - Memory that is allocated on a stream while it is recorded is that of the graph, and of those that share its pool, until all of them are gone and
//!   what they were replayed on has done so. What is freed meanwhile is filled with the pattern by each replay.
//! - A recording is good for nothing once somebody asked for a value, a size that depends on values, the end of the stream or an event in it, copied
//!   memory of the host that is not page-locked, or asked for any event on the thread that records. Its graph must not be freed: libtorch goes
//!   on using it.
//!
//! # Not as on a GPU
//!
//! - Speed.
//! - An operation whose result is a new tensor waits for its stream, but where that is recorded: there it is done for zeros, to know the form of the
//!   result. One that writes into given tensors does not wait. One that fails on a stream ends the process.
//! - Memory goes to tensors of the same size alone; libtorch's allocator also cuts it up.
//! - Recordings are of one stream: none joins by an event. Only the mode in which a thread's own calls are watched. What is replayed does not come
//!   in kernels that may run side by side. Asking for the end of another stream is not refused, nor is the use of the default one.
//! - No copies between devices, no random numbers. No driver: neither its errors nor its limits.

mod ffi;
mod gpu;
mod later;
mod network;
mod rounds;

pub use gpu::{Gpu, Held, Slow, Streams, Work};
pub use later::Later;
pub use network::Network;
pub use rounds::Rounds;
