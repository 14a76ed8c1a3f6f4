//! Compiles the C++ shim against the libtorch that torch-sys found, and has cargo's programs find its libraries.

mod version;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use version::{HEADERS, VERSIONS, Version};

fn main() {
    println!("cargo:rerun-if-changed=cpp");
    for variable in
        ["GRAPHPACK_DENY_WARNINGS", "GRAPHPACK_UNLINKED", "LIBTORCH_BYPASS_VERSION_CHECK", "LIBTORCH_INCLUDE"]
    {
        println!("cargo:rerun-if-env-changed={variable}");
    }
    // Documentation is made without libtorch, and `cargo xtask ci` has clippy link nothing.
    if ["CARGO_FEATURE_DOC_ONLY", "GRAPHPACK_UNLINKED"].into_iter().any(|name| env::var_os(name).is_some()) {
        return;
    }
    // torch-sys sets it for packages that depend on it directly.
    let Some(lib) = env::var_os("DEP_TCH_LIBTORCH_LIB").map(PathBuf::from) else {
        println!("cargo::error=torch-sys found no libtorch: with its feature `doc-only`, graphpack-tch needs its own");
        return;
    };
    let apart = env::var_os("LIBTORCH_INCLUDE").map(|folder| Path::new(&folder).join("include"));
    let include = apart.unwrap_or_else(|| lib.with_file_name("include"));
    for header in HEADERS {
        println!("cargo:rerun-if-changed={}", include.join(header).display());
    }
    let [.., newest] = VERSIONS;
    let Version { name, graph } = match version::check(&include) {
        Ok(version) => version,
        Err(_) if env::var_os("LIBTORCH_BYPASS_VERSION_CHECK").is_some() => newest,
        Err(found) => {
            let name = newest.name;
            println!("cargo::error={found}");
            println!(
                "cargo::error=`graphpack libtorch --config .` (cargo install --path loader/cli) finds or installs libtorch \
                 for the crate in this folder; or set LIBTORCH to the folder of one, or LIBTORCH_USE_PYTORCH=1 after \
                 `pip install torch=={name}`"
            );
            return;
        }
    };
    let files = ["cpp/adam.cpp", "cpp/cuda_graph.cpp", "cpp/memory.cpp", "cpp/stream.cpp"];
    let mut build = cc::Build::new();
    // Warnings about the shim, not about libtorch's headers.
    build.cpp(true).std("c++20").warnings(true).extra_warnings(true).files(files);
    build.warnings_into_errors(env::var_os("GRAPHPACK_DENY_WARNINGS").is_some());
    build.define("GRAPHPACK_LIBTORCH", format!("\"{name}\"").as_str());
    build.define("GRAPHPACK_GRAPH_BYTES", graph.to_string().as_str());
    for folder in [&include, &include.join("torch/csrc/api/include")] {
        build.flag("-isystem").flag(folder);
    }
    build.compile("graphpack_shim");
    println!("cargo:rustc-link-search=native={}", below_target(&lib).unwrap_or(lib).display());
    for library in ["torch_cpu", "c10"] {
        println!("cargo:rustc-link-lib={library}");
    }
}

/// Links to the libraries from cargo's folder for this build. `cargo run` and `cargo test`, of this crate and of those
/// that depend on it, look for shared libraries in folders below `target/` that are searched for linking, and in no
/// others.
fn below_target(lib: &Path) -> Option<PathBuf> {
    let link = Path::new(&env::var_os("OUT_DIR")?).join("libtorch");
    let _ = fs::remove_file(&link);
    #[cfg(unix)]
    return std::os::unix::fs::symlink(lib, &link).ok().map(|()| link);
    #[cfg(not(unix))]
    return None;
}
