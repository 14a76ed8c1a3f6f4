//! `cargo xtask i686`: core's tests on 32 bits, where plans must be the same.

use crate::run::{Outcome, cargo, run, step};
use crate::tools::target;
use std::process::Command;

/// 32 bits with SSE2. Linked by the linker that comes with the compiler, it needs no C compiler.
const TARGET: &str = "i686-unknown-linux-musl";

/// Lets rustup install the target where it is missing. An error says why programs of it cannot be built and run here.
pub(crate) fn install() -> Outcome {
    if !cfg!(all(target_arch = "x86_64", target_os = "linux")) {
        return Err("only Linux on x86-64 runs programs of i686".to_owned());
    }
    if target::is_installed(TARGET) { Ok(()) } else { run(Command::new("rustup").args(["target", "add", TARGET])) }
}

/// The tests of plans that are written down, and of packers on hard inputs. Others would take minutes to build.
const TESTS: [&str; 4] = ["--test=unchanged", "--test=hard", "--test=optimum", "--test=recomposed"];

/// Runs core's own tests and [`TESTS`].
pub(crate) fn test() -> Outcome {
    let core = ["test", "--quiet", "-p", "graphpack-core", "--all-features", "--target", TARGET, "--lib"];
    let mut command = cargo(core.iter().chain(&TESTS));
    // Flags of the environment would take the place of the target's.
    command.env_remove("RUSTFLAGS");
    command.env("CARGO_TARGET_I686_UNKNOWN_LINUX_MUSL_RUSTFLAGS", "-C linker=rust-lld -C linker-flavor=ld.lld");
    step("core's tests on i686", &mut command)
}
