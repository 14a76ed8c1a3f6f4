//! What runs elsewhere than here: `cargo xtask firmware`, on an emulated Cortex-M3 compared with the same session on
//! this machine, and `cargo xtask i686`, core's tests on 32 bits, where plans must be the same.

use crate::run::{self, Outcome, cargo, exists, install, root, says, step, target, timed};
use std::env::consts::EXE_SUFFIX;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The most bytes of flash, and of RAM without the stack.
const MOST_TEXT: u32 = 24 << 10;
const MOST_RAM: u32 = 16 << 10;

/// Nodes and edges, and graphs, that fit beside the padding into the target of the session.
const LIMITS: [&str; 2] = ["127,256", "12"];

/// Compares on a board that is found or installed.
pub(crate) fn run() -> Outcome {
    run::run(&mut cargo(["build", "--quiet", "-p", HOST, "-p", "graphpack-cli"]))?;
    compare(&Board::find_or_install()?)
}

/// Checks formatting and lints of the device's program, then compares.
pub(crate) fn test(board: &Board) -> Outcome {
    step("firmware formatting", on_device(&mut cargo(["fmt", "--check"])))?;
    if board.has_clippy() {
        // With the profile of the program for the board, procedural macros are compiled once.
        let clippy = ["clippy", "--quiet", "--release", "--", "-D", "warnings"];
        step("firmware clippy", on_device(&mut cargo(clippy)))?;
    }
    timed("firmware on a board", || compare(board))
}

/// Builds for the board, runs board and host on the same inputs, one sound and three damaged, and compares every line.
/// The workspace's build has made the programs of this machine.
fn compare(board: &Board) -> Outcome {
    run::run(on_device(&mut board.cargo(["build", "--quiet", "--release"])))?;
    fs::create_dir_all(folder()).map_err(|error| format!("{}: {error}", folder().display()))?;
    let program = folder().join(TARGET).join("release/device");
    let [host, graphpack] = [HOST, "graphpack"].map(|name| target().join("debug").join(format!("{name}{EXE_SUFFIX}")));

    let input = input(&host, &graphpack)?;
    let session = Session { board, program: &program, host: &host };
    let sound = session.run("input", &input)?;
    if !sound.well {
        return Err(format!("the session ended with {:?}", sound.lines.last()));
    }
    let mut wrong_plan = input.clone();
    // The first limit of the plan stands after the five bytes of the target.
    wrong_plan.iter_mut().skip(5).take(1).for_each(|byte| *byte ^= 1);
    let mut wrong_size = input.clone();
    wrong_size.iter_mut().rev().take(1).for_each(|byte| *byte = 0);
    let half = &input[..input.len() / 2];
    for (name, damaged) in [("half the input", half), ("a wrong plan", &wrong_plan), ("a wrong size", &wrong_size)] {
        let ended = session.run(name, damaged)?;
        match ended.lines.last() {
            Some(error) if !ended.well && error.starts_with("error: ") => println!("{name}: {error}"),
            last => return Err(format!("{name}: expected an error in the last line, found {last:?}")),
        }
    }
    let Footprint { text, data, bss } = Footprint::of(&program)?;
    let summaries = sound.lines.iter().filter(|line| line.contains(" batches of "));
    summaries.for_each(|summary| println!("{summary}"));
    println!("{} lines are equal on board and host", sound.lines.len());
    println!("text {text} bytes of {MOST_TEXT}, static RAM {} of {MOST_RAM}, stack {}", data + bss, sound.stack);
    let fits = text + data <= MOST_TEXT && data + bss <= MOST_RAM;
    if fits { Ok(()) } else { Err("the firmware takes more flash or RAM than is allowed".to_owned()) }
}

/// The input of a session: sizes of graphs, and the plan that the command `graphpack` makes for them.
fn input(host: &Path, graphpack: &Path) -> Outcome<Vec<u8>> {
    let [sizes, plan] = ["sizes.csv", "plan.postcard"].map(|file| folder().join(file));
    named(&sizes, fs::write(&sizes, named(host, Command::new(host).arg("sizes").output())?.stdout))?;
    let mut planned = Command::new(graphpack);
    planned.args(["plan", "--limits", LIMITS[0], "--max-graphs", LIMITS[1], "--histogram"]).arg(&sizes);
    run::run(planned.args(["--force", "--out"]).arg(&plan))?;
    Ok(named(host, Command::new(host).arg("make").arg(&plan).output())?.stdout)
}

/// The same program for board and host.
struct Session<'a> {
    board: &'a Board,
    program: &'a Path,
    host: &'a Path,
}

/// What both printed.
struct Ended {
    /// Whether the exit status is that of success.
    well: bool,
    lines: Vec<String>,
    /// The bytes of stack that the board used.
    stack: String,
}

impl Session<'_> {
    /// Runs both on an input, and fails at the first line that differs.
    fn run(&self, name: &str, input: &[u8]) -> Outcome<Ended> {
        let [bytes, output, console] = ["input", "output", "console"].map(|file| folder().join(file));
        named(&bytes, fs::write(&bytes, input))?;
        let open = || named(&bytes, File::open(&bytes));
        let create = |path: &Path| named(path, File::create(path));
        let status = self.board.run(self.program, open()?, create(&output)?, create(&console)?)?;
        let device = named(&output, fs::read_to_string(&output))?;
        let console = named(&console, fs::read_to_string(&console))?;
        let host = named(self.host, Command::new(self.host).stdin(open()?).output())?;
        let expected = String::from_utf8_lossy(&host.stdout);

        for line in 0..expected.lines().count().max(device.lines().count()) {
            let (here, there) = (expected.lines().nth(line), device.lines().nth(line));
            if here != there {
                return Err(format!("{name}, line {}:\n  host:  {here:?}\n  board: {there:?}\n{console}", line + 1));
            }
        }
        if status.success() != host.status.success() {
            return Err(format!("{name}: the host ended with {}, the board with {status}\n{console}", host.status));
        }
        let stack = console.lines().find_map(|line| line.strip_prefix("stack: ")).unwrap_or("unknown").to_owned();
        Ok(Ended { well: status.success(), lines: device.lines().map(str::to_owned).collect(), stack })
    }
}

/// Puts the file's name before an error.
fn named<T>(path: &Path, result: io::Result<T>) -> Outcome<T> {
    result.map_err(|error| format!("{}: {error}", path.display()))
}

/// Makes a command of cargo run in the device's folder and build below the workspace's `target/`.
fn on_device(command: &mut Command) -> &mut Command {
    command.current_dir(root().join("examples/firmware/device")).env("CARGO_TARGET_DIR", folder());
    // They are flags for this machine, not for the board.
    command.env_remove("RUSTFLAGS")
}

fn folder() -> PathBuf {
    target().join("firmware")
}

/// The package whose program does on this machine what the device does.
pub(crate) const HOST: &str = "firmware-host";
/// The target of a Cortex-M3.
const TARGET: &str = "thumbv7m-none-eabi";
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
    fn cargo<'a>(&self, arguments: impl IntoIterator<Item = &'a str>) -> Command {
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
    fn has_clippy(&self) -> bool {
        matches!(self.compiler, Compiler::Own)
    }

    /// Runs a program to its end: `input` and `output` at its serial line, `console` at its debugger's console.
    fn run(&self, program: &Path, input: File, output: File, console: File) -> Outcome<ExitStatus> {
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
        let Err(why) = install_target(TARGET) else { return Ok(Self::Own) };
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

/// The bytes of a program, without its stack.
struct Footprint {
    /// Vectors, code and constants.
    text: u32,
    /// Variables with an initial value, which takes flash, too.
    data: u32,
    /// Variables that begin as zeros.
    bss: u32,
}

impl Footprint {
    /// Reads the program's file.
    fn of(program: &Path) -> Outcome<Self> {
        let name = program.display();
        let file = fs::read(program).map_err(|error| format!("{name}: {error}"))?;
        Self::parse(&file).ok_or_else(|| format!("{name}: expected a 32-bit ELF file, little-endian"))
    }

    /// Follows the System V ABI, chapters ELF Header and Sections.
    fn parse(file: &[u8]) -> Option<Self> {
        const NO_BITS: u32 = 8;
        const WRITE: u32 = 1;
        const ALLOCATED: u32 = 2;
        let word = |at: usize| Some(u32::from_le_bytes(file.get(at..at + 4)?.try_into().ok()?));
        let half = |at: usize| Some(usize::from(u16::from_le_bytes(file.get(at..at + 2)?.try_into().ok()?)));
        if !file.starts_with(b"\x7fELF\x01\x01") {
            return None;
        }
        let (table, entry, entries) = (word(0x20)? as usize, half(0x2E)?, half(0x30)?);
        let mut footprint = Self { text: 0, data: 0, bss: 0 };
        for section in (0..entries).map(|i| table + i * entry) {
            let (kind, flags, size) = (word(section + 4)?, word(section + 8)?, word(section + 20)?);
            if flags & ALLOCATED == 0 {
                continue;
            }
            match (kind == NO_BITS, flags & WRITE != 0) {
                (true, _) => footprint.bss += size,
                (false, true) => footprint.data += size,
                (false, false) => footprint.text += size,
            }
        }
        Some(footprint)
    }
}

/// 32 bits with SSE2. Linked by the linker that comes with the compiler, it needs no C compiler.
const I686: &str = "i686-unknown-linux-musl";

/// Lets rustup install the target where it is missing. An error says why programs of it cannot be built and run here.
pub(crate) fn install_i686() -> Outcome {
    if !cfg!(all(target_arch = "x86_64", target_os = "linux")) {
        return Err("only Linux on x86-64 runs programs of i686".to_owned());
    }
    install_target(I686)
}

/// The tests of plans that are written down, and of packers on hard inputs. Others would take minutes.
const TESTS_ON_32_BITS: [&str; 6] = ["--test=packing", "--", "unchanged::", "hard::", "optimum::", "recomposed::"];

/// Runs core's own tests and [`TESTS_ON_32_BITS`].
pub(crate) fn i686() -> Outcome {
    let core = ["test", "--quiet", "-p", "graphpack-core", "--all-features", "--target", I686];
    for tests in [&["--lib"][..], &TESTS_ON_32_BITS] {
        let mut command = cargo(core.iter().chain(tests));
        // Flags of the environment would take the place of the target's.
        command.env_remove("RUSTFLAGS");
        command.env("CARGO_TARGET_I686_UNKNOWN_LINUX_MUSL_RUSTFLAGS", "-C linker=rust-lld -C linker-flavor=ld.lld");
        step("core's tests on i686", &mut command)?;
    }
    Ok(())
}

/// Lets rustup install the standard library of a target where the toolchain lacks it.
pub(crate) fn install_target(target: &str) -> Outcome {
    let sysroot = says("rustc", &["--print", "sysroot"]);
    let is_there = |sysroot: String| Path::new(sysroot.trim()).join("lib/rustlib").join(target).is_dir();
    if sysroot.is_some_and(is_there) {
        Ok(())
    } else {
        run::run(Command::new("rustup").args(["target", "add", target]))
    }
}
