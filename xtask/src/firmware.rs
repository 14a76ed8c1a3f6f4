//! What runs elsewhere than here: `cargo xtask firmware`, on an emulated Cortex-M4F compared with the same session on
//! this machine, and `cargo xtask i686`, core's tests on 32 bits, where plans must be the same.

use crate::inference;
use crate::libtorch::Libtorch;
use crate::run::{self, Outcome, cargo, exists, install, root, says, step, target, timed};
use std::env::consts::EXE_SUFFIX;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The most bytes of flash, and of RAM without the stack.
const MOST_TEXT: u32 = 112 << 10;
const MOST_RAM: u32 = 42 << 10;

/// Compares on a board that is found or installed. `--data FILE` is a store, else molecules are generated; `--weights
/// FILE` is what `cargo xtask train --width 16 --resume FILE` saved, and becomes that of the session.
pub(crate) fn run(options: &[String]) -> Outcome {
    let (mut data, mut weights) = (None, None);
    for option in options.chunks(2) {
        match option {
            [name, file] if name == "--data" => data = Some(PathBuf::from(file)),
            [name, file] if name == "--weights" => weights = Some(file),
            found => return Err(format!("firmware: expected --data FILE or --weights FILE, found {found:?}")),
        }
    }
    let build = || run::run(&mut cargo(["build", "--quiet", "-p", HOST, "-p", "graphpack-cli"]));
    if let Some(weights) = weights {
        build()?;
        let python = inference::python(&Libtorch::find_or_install()?)?;
        let script = root().join("examples/firmware/export.py");
        run::run(Command::new(python).arg(script).arg(weights).arg(generated()?))?;
    }
    build()?;
    compare(&Board::find_or_install()?, data)
}

/// Checks formatting and lints of the device's program, then compares.
pub(crate) fn test(board: &Board) -> Outcome {
    step("firmware formatting", on_device(&mut cargo(["fmt", "--check"])))?;
    if board.has_clippy() {
        // With the profile of the program for the board, procedural macros are compiled once.
        let clippy = ["clippy", "--quiet", "--release", "--", "-D", "warnings"];
        step("firmware clippy", on_device(&mut cargo(clippy)))?;
    }
    timed("firmware on a board", || compare(board, None))
}

/// Builds for the board, runs board and host on the same inputs, and compares every line: requests sent in each way,
/// and two damaged inputs. The workspace's build has made the programs of this machine.
fn compare(board: &Board, data: Option<PathBuf>) -> Outcome {
    run::run(on_device(&mut board.cargo(["build", "--quiet", "--release"])))?;
    let data = data.map_or_else(generated, Ok)?;
    let (program, host) = (folder().join(TARGET).join("release/device"), of_host(HOST));
    let [sizes, plan] = ["sizes.csv", "plan.postcard"].map(|file| folder().join(file));
    let written = named(&host, Command::new(&host).arg("sizes").arg(&data).output())?.stdout;
    named(&sizes, fs::write(&sizes, written))?;
    let about = says(&host.to_string_lossy(), &["session"]).unwrap_or_default();
    let mut ways = about.lines();
    let Some((rows, graphs)) = ways.next().and_then(|limits| limits.split_once(' ')) else {
        return Err(format!("{} session: expected limits, found {about:?}", host.display()));
    };
    let mut planned = Command::new(of_host("graphpack"));
    planned.args(["plan", "--limits", rows, "--max-graphs", graphs, "--histogram"]).arg(&sizes);
    run::run(planned.args(["--force", "--out"]).arg(&plan))?;
    let session = Session { board, program: &program, host: &host };
    let input = |way| -> Outcome<Vec<u8>> {
        let made = Command::new(&host).arg("make").args([&data, &plan]).arg(way).output();
        Ok(named(&host, made)?.stdout)
    };

    let (mut rows, mut stack) = (String::new(), 0);
    for (way, is) in ways.filter_map(|line| line.split_once(": ")) {
        let ended = session.run(way, &input(way)?)?;
        let (summary, Some(used)) = (ended.lines.last(), ended.console) else {
            return Err(format!("{way}: expected a session that ends well, found {:?}", ended.lines.last()));
        };
        let summary = summary.map_or("", |line| line);
        let graphs = ended.lines.iter().filter(|line| line.contains(": logit ")).count();
        let per_million = graphs as f64 * 1e6 / used.instructions as f64;
        rows += &format!("| {is} | {summary} | {per_million:.3} | {} |\n", ended.lines.len());
        stack = stack.max(used.stack);
    }
    let sound = input("packs")?;
    let mut damaged = sound.clone();
    damaged.iter_mut().rev().skip(200).take(1).for_each(|byte| *byte ^= 64);
    let ended = session.run("a damaged byte", &damaged)?;
    let refused = ended.lines.iter().find(|line| line.starts_with("frame "));
    println!("a damaged byte: {}", refused.ok_or("a damaged byte: expected a frame that is refused, found none")?);
    let mut damaged = sound;
    damaged.iter_mut().skip(9).take(1).for_each(|byte| *byte ^= 64);
    match session.run("a damaged plan", &damaged)?.lines.last() {
        Some(error) if error.starts_with("error: ") => println!("a damaged plan: {error}"),
        last => return Err(format!("a damaged plan: expected an error in the last line, found {last:?}")),
    }
    let Footprint { text, data, bss } = Footprint::of(&program)?;
    println!(
        "\n| requests | | graphs per million instructions | lines equal on board and host |\n|---|---|---|---|\n{rows}"
    );
    println!("text {text} bytes of {MOST_TEXT}, static RAM {} of {MOST_RAM}, stack {stack}", data + bss);
    let fits = text + data <= MOST_TEXT && data + bss <= MOST_RAM;
    if fits { Ok(()) } else { Err("the firmware takes more flash or RAM than is allowed".to_owned()) }
}

/// The store of generated molecules.
fn generated() -> Outcome<PathBuf> {
    fs::create_dir_all(folder()).map_err(|error| format!("{}: {error}", folder().display()))?;
    let (store, host) = (folder().join("generated.safetensors"), of_host(HOST));
    run::run(Command::new(host).arg("store").arg(&store))?;
    Ok(store)
}

/// A program of this machine that is built already.
fn of_host(name: &str) -> PathBuf {
    target().join("debug").join(format!("{name}{EXE_SUFFIX}"))
}

/// The same program for board and host.
struct Session<'a> {
    board: &'a Board,
    program: &'a Path,
    host: &'a Path,
}

/// What both printed.
struct Ended {
    lines: Vec<String>,
    /// What the board said of a session that ended well.
    console: Option<Used>,
}

struct Used {
    /// Instructions from a frame to its answers, of all frames together.
    instructions: u64,
    /// Bytes of stack.
    stack: u64,
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
        let said = |name| console.lines().find_map(|line| line.strip_prefix(name)?.parse().ok());
        let used = said("instructions: ").zip(said("stack: "));
        let console = used.map(|(instructions, stack)| Used { instructions, stack });
        Ok(Ended { lines: device.lines().map(str::to_owned).collect(), console })
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
/// The target of a Cortex-M4F.
const TARGET: &str = "thumbv7em-none-eabihf";
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
                command.env("CARGO_TARGET_THUMBV7EM_NONE_EABIHF_LINKER", "arm-none-eabi-ld");
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
        // The emulated time goes on by a nanosecond with each instruction.
        command.args([
            "-M",
            "mps2-an386",
            "-icount",
            "shift=0",
            "-display",
            "none",
            "-monitor",
            "none",
            "-serial",
            "stdio",
        ]);
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
        let Err(why) = run::install_target(TARGET) else { return Ok(Self::Own) };
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
    run::install_target(I686)
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
