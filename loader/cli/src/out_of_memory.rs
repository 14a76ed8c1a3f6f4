//! [`says_out_of_memory`]: what libraries write when memory runs out.

/// Each is part of such a message.
const TEXTS: [&str; 20] = [
    // CUDA, HIP, XPU and MPS of torch, in its allocator and outside; PyCUDA.
    "out of memory",
    // JAX.
    "Out of memory",
    "cudaErrorMemoryAllocation",
    "CUDA_ERROR_OUT_OF_MEMORY",
    // Libraries of CUDA, which allocate beside torch. The last two also say so for other reasons.
    "CUBLAS_STATUS_ALLOC_FAILED",
    "CUDNN_STATUS_ALLOC_FAILED",
    "CUSOLVER_STATUS_ALLOC_FAILED",
    "CUFFT_ALLOC_FAILED",
    "CUSOLVER_STATUS_INTERNAL_ERROR",
    "CUDNN_STATUS_NOT_SUPPORTED. This error may appear if you passed in a non-contiguous input",
    // torch on a CPU, of Linux and of Windows; MPS; Gaudi.
    "DefaultCPUAllocator: can't allocate memory",
    "DefaultCPUAllocator: not enough memory",
    "Invalid buffer size",
    "PT_DEVMEM Allocation failed",
    // XLA, also at compile time on a TPU; TensorFlow.
    "RESOURCE_EXHAUSTED",
    "Resource exhausted",
    "OOM when allocating tensor",
    // Classes of Python, whose errors may have no text, and of C++.
    "MemoryError",
    "OutOfMemoryError",
    "std::bad_alloc",
];
/// A number of bytes follows: of Warp, whose messages about memory pools have none, and of Rust.
const BYTES: [&str; 2] = ["Failed to allocate ", "memory allocation of "];
/// AOTInductor says nothing of the cause.
const AOT_INDUCTOR: [&str; 2] = ["run_func_(", "model_container_runner"];

/// Returns whether the message of an error says that memory ran out, or may have: AOTInductor's is the same for all
/// errors.
pub fn says_out_of_memory(text: &str) -> bool {
    let bytes =
        |before: &str| text.split(before).skip(1).any(|rest| rest.starts_with(|first: char| first.is_ascii_digit()));
    TEXTS.iter().any(|part| text.contains(part))
        || BYTES.iter().any(|before| bytes(before))
        || AOT_INDUCTOR.iter().all(|part| text.contains(part))
}
