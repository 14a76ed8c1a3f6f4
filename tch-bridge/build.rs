//! Compiles the C++ shim against the libtorch that torch-sys found, and has cargo's programs find its libraries.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// The version that tch 0.24 is for.
const VERSION: &str = "2.11.0";

fn main() {
    println!("cargo:rerun-if-changed=cpp");
    println!("cargo:rerun-if-env-changed=GRAPHPACK_DENY_WARNINGS");
    println!("cargo:rerun-if-env-changed=LIBTORCH_BYPASS_VERSION_CHECK");
    // torch-sys sets it for packages that depend on it directly.
    let Some(lib) = env::var_os("DEP_TCH_LIBTORCH_LIB").map(PathBuf::from) else {
        println!("cargo::error=torch-sys did not say where libtorch is");
        return;
    };
    let libtorch = lib.parent().unwrap_or(&lib);
    let bypass = env::var_os("LIBTORCH_BYPASS_VERSION_CHECK").is_some();
    if let Some(found) = version(libtorch).filter(|found| found != VERSION && !bypass) {
        println!("cargo::error=found libtorch {found} in {}, graphpack-tch needs {VERSION}", libtorch.display());
        println!(
            "cargo::error=run `cargo xtask libtorch` in graphpack's repository, or `pip install torch=={VERSION}`"
        );
        return;
    }
    let mut files = vec!["cpp/adam.cpp", "cpp/memory.cpp", "cpp/stream.cpp"];
    if env::var_os("CARGO_FEATURE_CUDA_GRAPHS").is_some() {
        files.push("cpp/cuda_graph.cpp");
    }
    let mut build = cc::Build::new();
    // Warnings about the shim, not about libtorch's headers.
    build.cpp(true).std("c++20").warnings(true).extra_warnings(true).files(files);
    build.warnings_into_errors(env::var_os("GRAPHPACK_DENY_WARNINGS").is_some());
    for folder in includes(libtorch) {
        build.flag("-isystem").flag(folder);
    }
    build.compile("graphpack_shim");
    println!("cargo:rustc-link-search=native={}", below_target(&lib).unwrap_or(lib).display());
    for library in ["torch_cpu", "c10"] {
        println!("cargo:rustc-link-lib={library}");
    }
}

/// The version of the libtorch in a folder: an unpacked libtorch has a file `build-version`, torch of Python a `version.py`.
fn version(libtorch: &Path) -> Option<String> {
    let text = fs::read_to_string(libtorch.join("build-version")).ok().or_else(|| {
        let python = fs::read_to_string(libtorch.join("version.py")).ok()?;
        let line = python.lines().find(|line| line.starts_with("__version__"))?;
        line.split('\'').nth(1).map(str::to_owned)
    })?;
    Some(text.trim().split('+').next()?.to_owned())
}

/// Links to the libraries from cargo's folder for this build. `cargo run` and `cargo test`, of this crate and of those that depend on it,
/// look for shared libraries in folders below `target/` that are searched for linking, and in no others.
fn below_target(lib: &Path) -> Option<PathBuf> {
    let link = Path::new(&env::var_os("OUT_DIR")?).join("libtorch");
    let _ = fs::remove_file(&link);
    #[cfg(unix)]
    return std::os::unix::fs::symlink(lib, &link).ok().map(|()| link);
    #[cfg(not(unix))]
    return None;
}

/// The folders of libtorch's headers, and of CUDA's if it is installed: with them the compiler checks more of the shim.
fn includes(libtorch: &Path) -> Vec<PathBuf> {
    let headers = libtorch.join("include");
    let beside_torch = libtorch.parent().map(|packages| packages.join("nvidia/cu13/include"));
    let cuda_home = env::var_os("CUDA_HOME").map(|folder| Path::new(&folder).join("include"));
    let cuda =
        [beside_torch, cuda_home].into_iter().flatten().find(|folder| folder.join("cuda_runtime_api.h").exists());
    [headers.clone(), headers.join("torch/csrc/api/include")].into_iter().chain(cuda).collect()
}
