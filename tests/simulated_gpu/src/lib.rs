//! CUDA devices without CUDA: what libtorch gives to a stream is done later, by a thread, in memory of the host. So the order of streams can be
//! tested where there is no GPU.
//!
//! [`Gpu::alone`] gives libtorch two devices. A test holds streams back ([`Gpu::hold`]) to see what the others do meanwhile, and gives reads to a stream
//! that are looked at when it has done them ([`Later`]); [`Rounds`] does both for whole epochs.
//!
//! # As on a GPU
//!
//! - Streams are queues that know nothing of each other but by events. A default one and two pools of 32 for each device.
//! - An operation is given to the stream that is current on the thread that asks for it, and keeps no memory: what is freed or written over too early
//!   is read all the same.
//! - Memory that is freed goes to the next tensor of the stream that it was allocated on, without waiting, unless other streams were
//!   recorded as using it. In between it is filled with a pattern.
//! - Copies to and from page-locked memory that need not wait read or write it when their turn comes; other copies with the host wait.
//!
//! # Not as on a GPU
//!
//! - Speed.
//! - An operation whose result is a new tensor waits for its stream; one that writes into given tensors does not. One that fails ends the process.
//! - Memory goes to tensors of the same size alone; libtorch's allocator also cuts it up.
//! - No copies between devices, no random numbers, no captured graphs. No driver: neither its errors nor its limits.

mod ffi;
mod gpu;
mod later;
mod network;
mod rounds;

pub use gpu::{Gpu, Held, Slow, Streams, Work};
pub use later::Later;
pub use network::Network;
pub use rounds::Rounds;
