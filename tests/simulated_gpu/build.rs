//! Compiles the simulated devices against the libtorch that torch-sys found.

use std::env;
use std::path::PathBuf;

fn main() {
    println!("cargo:rerun-if-changed=cpp");
    println!("cargo:rerun-if-env-changed=GRAPHPACK_DENY_WARNINGS");
    println!("cargo:rerun-if-env-changed=GRAPHPACK_UNLINKED");
    // Clippy links nothing.
    if env::var_os("GRAPHPACK_UNLINKED").is_some() {
        return;
    }
    // Set by torch-sys for those that depend on it directly.
    let Some(lib) = env::var_os("DEP_TCH_LIBTORCH_LIB").map(PathBuf::from) else {
        panic!("torch-sys did not say where libtorch is");
    };
    let files = ["control", "cuda_graph", "guard", "hooks", "kernels", "memory", "operations", "stream"];
    let files = files.map(|name| format!("cpp/{name}.cpp"));
    let mut build = cc::Build::new();
    // Warnings about these files, not about libtorch's headers.
    build.cpp(true).std("c++20").warnings(true).extra_warnings(true).files(files);
    build.warnings_into_errors(env::var_os("GRAPHPACK_DENY_WARNINGS").is_some());
    build.flag("-isystem").flag(lib.with_file_name("include"));
    build.compile("graphpack_simulated_gpu");
    // The bridge looks these up by name, libtorch's version and libtorch_cuda's graphs, and finds those of the tests.
    for symbol in [
        "aoti_torch_abi_version",
        "_ZN2at4cuda9CUDAGraphC1Eb",
        "_ZN2at4cuda9CUDAGraphD1Ev",
        "_ZN2at4cuda9CUDAGraph13capture_beginESt4pairIyyE21cudaStreamCaptureMode",
        "_ZN2at4cuda9CUDAGraph11capture_endEv",
        "_ZN2at4cuda9CUDAGraph6replayEv",
        "_ZN2at4cuda9CUDAGraph4poolEv",
    ] {
        println!("cargo:rustc-link-arg-tests=-Wl,--export-dynamic-symbol={symbol}");
    }
    println!("cargo:rustc-link-search=native={}", lib.display());
    for library in ["torch_cpu", "c10"] {
        println!("cargo:rustc-link-lib={library}");
    }
}
