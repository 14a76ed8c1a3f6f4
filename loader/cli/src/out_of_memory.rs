//! [`says_out_of_memory`]: what libraries write when memory runs out.

/// Each is part of such a message.
const TEXTS: [&str; 22] = [
    "cudaErrorMemoryAllocation",
    "CUDA_ERROR_OUT_OF_MEMORY",
    // Libraries of CUDA, which allocate beside torch. The last three also say so for other reasons.
    "CUBLAS_STATUS_ALLOC_FAILED",
    "CUDNN_STATUS_ALLOC_FAILED",
    "CUSOLVER_STATUS_ALLOC_FAILED",
    "CUFFT_ALLOC_FAILED",
    "CUSPARSE_STATUS_ALLOC_FAILED",
    "CUSPARSE_STATUS_INSUFFICIENT_RESOURCES",
    "CUDA error: insufficient resources",
    "CUBLAS_STATUS_NOT_INITIALIZED when calling `cublasCreate",
    "CUSOLVER_STATUS_INTERNAL_ERROR",
    "CUDNN_STATUS_NOT_SUPPORTED. This error may appear if you passed in a non-contiguous input",
    // torch on a CPU, of Linux and of Windows; MPS; Gaudi.
    "DefaultCPUAllocator: can't allocate memory",
    "DefaultCPUAllocator: not enough memory",
    "Invalid buffer size",
    "PT_DEVMEM Allocation failed",
    // TensorFlow.
    "OOM when allocating tensor",
    // Classes of Python, whose errors may have no text, and of C++.
    "MemoryError",
    "OutOfMemoryError",
    "std::bad_alloc",
    "bad allocation",
    // ENOMEM of Linux.
    "Cannot allocate memory",
];
/// CUDA, HIP, XPU and MPS of torch, in its allocator and outside; PyCUDA; JAX. Not "out of memory bounds".
const OUT: [&str; 2] = ["out of memory", "Out of memory"];
/// XLA, also at compile time on a TPU, and TensorFlow, which say so of files, quotas and messages, too.
const EXHAUSTED: [&str; 2] = ["RESOURCE_EXHAUSTED", "Resource exhausted"];
/// What of an exhausted resource means memory.
const OF_MEMORY: [&str; 3] = ["memory", "Memory", "allocat"];
/// A number of bytes follows: of Warp, whose messages about memory pools have none, and of Rust.
const BYTES: [&str; 2] = ["Failed to allocate ", "memory allocation of "];
/// AOTInductor says nothing of the cause.
const AOT_INDUCTOR: [&str; 2] = ["run_func_(", "model_container_runner"];

/// Returns whether the message of an error says that memory ran out, or may have: AOTInductor's is the same for all
/// errors.
pub fn says_out_of_memory(text: &str) -> bool {
    let bytes =
        |before: &str| text.split(before).skip(1).any(|rest| rest.starts_with(|first: char| first.is_ascii_digit()));
    let any = |parts: &[&str]| parts.iter().any(|part| text.contains(part));
    let out = |before: &str| text.split(before).skip(1).any(|rest| !rest.starts_with(" bounds"));
    any(&TEXTS)
        || OUT.iter().any(|before| out(before))
        || any(&EXHAUSTED) && any(&OF_MEMORY)
        || BYTES.iter().any(|before| bytes(before))
        || AOT_INDUCTOR.iter().all(|part| text.contains(part))
}
