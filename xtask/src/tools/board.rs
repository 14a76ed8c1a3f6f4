//! [`Board`]: a Cortex-M3 board in qemu, and a compiler for it.

use crate::run::{Outcome, cargo, run};
use crate::tools::packages::{exists, install};
use crate::tools::target;
use std::fs::File;
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The target of a Cortex-M3.
pub(crate) const TARGET: &str = "thumbv7m-none-eabi";
const QEMU: &str = "qemu-system-arm";
/// Debian's compiler, which builds `core` from its sources where rustup cannot download the target, and a linker.
const DEBIAN: [&str; 4] = ["rustc-web", "cargo-web", "rust-web-src", "binutils-arm-none-eabi"];

/// Builds programs for the board and runs them.
pub(crate) struct Board {
    compiler: Compiler,
}

enum Compiler {
    /// The compiler that built this program.
    Own,
    /// The compiler of [`DEBIAN`].
    Debian,
}

impl Board {
    pub(crate) fn find_or_install() -> Outcome<Self> {
        if !exists(QEMU) {
            install(&[QEMU])?;
        }
        Ok(Self { compiler: Compiler::find_or_install()? })
    }

    /// A cargo that builds for the board; the configuration of the folder that it runs in names the target.
    pub(crate) fn cargo<'a>(&self, arguments: impl IntoIterator<Item = &'a str>) -> Command {
        match self.compiler {
            Compiler::Own => cargo(arguments),
            Compiler::Debian => {
                let mut command = Command::new("/usr/bin/cargo");
                command.args(arguments).arg("-Zbuild-std=core");
                // Allows unstable options; and takes this compiler, not the one that rustup has put first in PATH.
                command.env("RUSTC_BOOTSTRAP", "1").env("RUSTC", "/usr/bin/rustc");
                command.env("CARGO_TARGET_THUMBV7M_NONE_EABI_LINKER", "arm-none-eabi-ld");
                command
            }
        }
    }

    /// Whether the compiler has clippy.
    pub(crate) fn has_clippy(&self) -> bool {
        matches!(self.compiler, Compiler::Own)
    }

    /// Runs a program to its end: `input` and `output` at its serial line, `console` at its debugger's console.
    pub(crate) fn run(&self, program: &Path, input: File, output: File, console: File) -> Outcome<ExitStatus> {
        const PATIENCE: Duration = Duration::from_secs(60);
        let mut command = Command::new(QEMU);
        command.args(["-M", "lm3s6965evb", "-display", "none", "-monitor", "none", "-serial", "stdio"]);
        command.args(["-semihosting-config", "enable=on,target=native", "-kernel"]).arg(program);
        command.stdin(input).stdout(output).stderr(console);
        let failed = |error| format!("cannot run {QEMU}: {error}");
        let mut child = command.spawn().map_err(failed)?;
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            if let Some(status) = child.try_wait().map_err(failed)? {
                return Ok(status);
            }
            sleep(Duration::from_millis(10));
        }
        let _ = child.kill();
        let _ = child.wait();
        Err(format!("the program on the board ran for more than {} s: {command:?}", PATIENCE.as_secs()))
    }
}

impl Compiler {
    fn find_or_install() -> Outcome<Self> {
        if target::is_installed(TARGET) {
            return Ok(Self::Own);
        }
        let Err(why) = run(Command::new("rustup").args(["target", "add", TARGET])) else { return Ok(Self::Own) };
        let there = || {
            exists("arm-none-eabi-ld")
                && exists("/usr/bin/cargo")
                && Path::new("/usr/lib/rustlib/src/rust/library").exists()
        };
        if !there() {
            install(&DEBIAN).map_err(|error| format!("{why}\n{error}"))?;
        }
        Ok(Self::Debian)
    }
}
