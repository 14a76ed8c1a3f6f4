//! Compiles the C++ shim against the libtorch that torch-sys found.

use std::env;
use std::path::{Path, PathBuf};

fn main() {
    println!("cargo:rerun-if-changed=cpp");
    println!("cargo:rerun-if-env-changed=GRAPHPACK_DENY_WARNINGS");
    // Set by torch-sys for those that depend on it directly.
    let Some(lib) = env::var_os("DEP_TCH_LIBTORCH_LIB").map(PathBuf::from) else {
        panic!("torch-sys did not say where libtorch is");
    };
    let mut files = vec!["cpp/adam.cpp", "cpp/memory.cpp", "cpp/stream.cpp"];
    if env::var_os("CARGO_FEATURE_CUDA_GRAPHS").is_some() {
        files.push("cpp/cuda_graph.cpp");
    }
    let mut build = cc::Build::new();
    // Warnings about ours, not about libtorch's headers.
    build.cpp(true).std("c++20").warnings(true).extra_warnings(true).files(files);
    build.warnings_into_errors(env::var_os("GRAPHPACK_DENY_WARNINGS").is_some());
    for folder in includes(&lib.with_file_name("include")) {
        build.flag("-isystem").flag(folder);
    }
    build.compile("graphpack_shim");
    println!("cargo:rustc-link-search=native={}", lib.display());
    for library in ["torch_cpu", "c10"] {
        println!("cargo:rustc-link-lib={library}");
    }
}

/// Headers of libtorch, and CUDA's where they are: not needed, but with them more can be checked.
fn includes(libtorch: &Path) -> Vec<PathBuf> {
    let beside_torch = libtorch.ancestors().nth(2).map(|packages| packages.join("nvidia/cu13/include"));
    let cuda_home = env::var_os("CUDA_HOME").map(|folder| Path::new(&folder).join("include"));
    let cuda =
        [beside_torch, cuda_home].into_iter().flatten().find(|folder| folder.join("cuda_runtime_api.h").exists());
    [libtorch.to_owned(), libtorch.join("torch/csrc/api/include")].into_iter().chain(cuda).collect()
}
