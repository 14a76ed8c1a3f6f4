//! Core without std and without an allocator: the program in `tests/freestanding/` links and runs.

use std::path::Path;
use std::process::Command;

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "the program is linked as Linux links C programs")]
fn core_links_and_runs_without_std_and_alloc() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = root.join("tests/freestanding");
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("freestanding");
    let build = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--manifest-path"])
        .arg(folder.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(&target)
        // Flags of the surrounding build (sanitizers, coverage) would bring std back in.
        .env_remove("RUSTFLAGS")
        .output()
        .unwrap();
    assert!(build.status.success(), "{}", String::from_utf8_lossy(&build.stderr));
    let run = Command::new(target.join("debug/freestanding")).status().unwrap();
    assert_eq!(run.code(), Some(0));
}
