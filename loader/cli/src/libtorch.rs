//! [`Libtorch`] of the version that tch is for: found on this machine or installed. Also built into `cargo xtask`.

use std::ffi::OsStr;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf, absolute};
use std::process::{Command, Stdio};
use std::{env, fmt, fs};

/// The version that tch 0.26 is for.
const VERSION: &str = "2.13.0";
/// The libraries that libtorch_cpu loads even if no GPU is used, in the versions that torch 2.13.0 asks for.
const CUDA_STUBS: [&str; 2] = ["nvidia-cuda-runtime==13.0.96", "nvidia-cuda-cupti==13.0.85"];
/// Names the folders in which programs look for shared libraries.
const LIBRARY_PATH: &str = if cfg!(target_os = "macos") { "DYLD_LIBRARY_PATH" } else { "LD_LIBRARY_PATH" };

/// Prints version and folder of the torch that a python would import.
const ASK_PYTHON: &str =
    "from importlib.metadata import distribution as d; t = d('torch'); print(t.version); print(t.locate_file('torch'))";

/// A folder with `include` and `lib`.
pub(crate) struct Libtorch {
    folder: PathBuf,
}

impl Libtorch {
    /// Takes the libtorch of `LIBTORCH`, of the python of `LIBTORCH_USE_PYTORCH`, or of the active virtual environment,
    /// if the version is right; else the one that is installed for this user, if need be now.
    pub(crate) fn find_or_install() -> Result<Self, String> {
        let given = || {
            let folder = absolute(env::var_os("LIBTORCH")?).ok()?;
            Some((version_of(&folder).unwrap_or_else(|| "of unknown version".into()), folder))
        };
        let python = || env::var_os("LIBTORCH_USE_PYTORCH").and_then(|_| ask("python3".as_ref()));
        let active =
            || env::var_os("VIRTUAL_ENV").and_then(|folder| ask(Path::new(&folder).join("bin/python").as_os_str()));
        for (version, folder) in [given(), python(), active()].into_iter().flatten() {
            if version == VERSION {
                say(format_args!("using libtorch {VERSION} in {}", folder.display()));
                return Ok(Self { folder });
            }
            say(format_args!("not using libtorch {version} in {}: {VERSION} is needed", folder.display()));
        }
        Self::install(&of_user()?)
    }

    /// Sets what cargo, build scripts and the programs that they build need to find this libtorch.
    #[allow(dead_code, reason = "of `cargo xtask`")]
    pub(crate) fn apply(&self, command: &mut Command) {
        let mut paths = vec![self.folder.join("lib")];
        paths.extend(env::var_os(LIBRARY_PATH).iter().flat_map(env::split_paths));
        command.env("LIBTORCH", &self.folder).env_remove("LIBTORCH_USE_PYTORCH");
        if let Ok(paths) = env::join_paths(paths) {
            command.env(LIBRARY_PATH, paths);
        }
    }

    /// The folder with `include` and `lib`.
    #[allow(dead_code, reason = "of `cargo xtask`")]
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// What a shell exports so that cargo and programs find this libtorch.
    pub(crate) fn exports(&self) -> String {
        let lib = format!("export {LIBRARY_PATH}=\"$LIBTORCH/lib${{{LIBRARY_PATH}:+:${LIBRARY_PATH}}}\"");
        let folder = self.folder.display().to_string().replace('\'', "'\\''");
        format!("unset LIBTORCH_USE_PYTORCH\nexport LIBTORCH='{folder}'\n{lib}")
    }

    /// Writes a configuration of cargo with which the crate in a folder finds this libtorch.
    pub(crate) fn configure(&self, folder: &Path) -> Result<(), String> {
        if !folder.is_dir() {
            return Err(format!("expected the folder of a crate, found no folder {}", folder.display()));
        }
        let file = folder.join(".cargo/config.toml");
        let variables = format!("[env]\nLIBTORCH = {{ value = {}, force = true }}\n", text_of_toml(&self.folder));
        let text = format!("# By `graphpack libtorch`: libtorch {VERSION}, for tch.\n{variables}");
        match fs::read_to_string(&file) {
            Ok(found) if found == text => {}
            Ok(_) => return Err(format!("{} is not overwritten; please add to it:\n{variables}", file.display())),
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(format!("{}: {error}", file.display())),
            Err(_) => {
                let write = || fs::create_dir_all(folder.join(".cargo")).and_then(|()| fs::write(&file, text));
                write().map_err(|error| format!("{}: {error}", file.display()))?;
            }
        }
        say(format_args!("{} names libtorch {VERSION} in {}", file.display(), self.folder.display()));
        Ok(())
    }

    /// Installs torch with pip into a folder of a folder, unless that was done before.
    pub(crate) fn install(into: &Path) -> Result<Self, String> {
        let on_cpu_only =
            cfg!(all(target_os = "linux", target_arch = "x86_64")) && !Path::new("/dev/nvidiactl").exists();
        let size = if on_cpu_only {
            "a download of 550 MB, 1.3 GB on disk"
        } else {
            "a download of up to 2.8 GB, 4.6 GB on disk"
        };
        let torch = format!("torch=={VERSION}");
        let mut packages = vec![torch.as_str()];
        if on_cpu_only {
            // Without a GPU the other CUDA packages, 2.2 GB, would only be loaded by `import torch` in Python.
            packages.push("--no-deps");
            packages.extend(CUDA_STUBS);
        }
        let notice = format!("torch {VERSION} ({size})");
        let folder = into.join(format!("libtorch-{VERSION}"));
        let folder = absolute(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let python = venv(&folder, VERSION, &notice, &packages)?;
        match ask(python.as_os_str()) {
            Some((version, folder)) if version == VERSION => Ok(Self { folder }),
            _ => Err(format!("{} has no torch {VERSION}; remove its folder and try again", python.display())),
        }
    }
}

/// The folder for what is installed for this user, which `cargo clean` leaves alone.
fn of_user() -> Result<PathBuf, String> {
    let data = env::var_os("XDG_DATA_HOME").filter(|data| !data.is_empty()).map(PathBuf::from);
    let data = data.or_else(|| Some(env::home_dir()?.join(".local/share")));
    Ok(data.ok_or("this user has no home folder: name a folder for libtorch with --into")?.join("graphpack"))
}

/// Returns the version of the libtorch in a folder: an unpacked libtorch has a file `build-version`, torch of Python a
/// `version.py`.
fn version_of(folder: &Path) -> Option<String> {
    let text = fs::read_to_string(folder.join("build-version")).ok().or_else(|| {
        let python = fs::read_to_string(folder.join("version.py")).ok()?;
        let line = python.lines().find(|line| line.starts_with("__version__"))?;
        line.split('\'').nth(1).map(str::to_owned)
    })?;
    Some(text.trim().split('+').next()?.to_owned())
}

/// Returns version and folder of the torch of a python.
fn ask(python: &OsStr) -> Option<(String, PathBuf)> {
    let output = Command::new(python).args(["-c", ASK_PYTHON]).stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let mut lines = text.lines();
    let version = lines.next()?.split('+').next()?.to_owned();
    Some((version, PathBuf::from(lines.next()?)))
}

/// Returns the python of the environment in a folder. Unless it was made there for the same `version`, pip is called
/// with `arguments` first, and `notice` tells the user what is installed.
pub(crate) fn venv(folder: &Path, version: &str, notice: &str, arguments: &[&str]) -> Result<PathBuf, String> {
    let python = folder.join("bin/python");
    // Written last: an interrupted installation is started again.
    let complete = folder.join("complete");
    if fs::read_to_string(&complete).is_ok_and(|found| found == version) {
        return Ok(python);
    }
    let is_ours =
        folder.join("pyvenv.cfg").exists() || fs::read_dir(folder).is_ok_and(|mut files| files.next().is_none());
    if folder.exists() && !is_ours {
        return Err(format!("{}: expected no such folder or a virtual environment of Python", folder.display()));
    }
    say(format_args!("installing {notice} with pip into {}; this happens once", folder.display()));
    let _ = fs::remove_dir_all(folder);
    run(Command::new("python3").args(["-m", "venv"]).arg(folder))
        .map_err(|error| format!("{error}\nA python3 with its venv module is needed (Debian: python3-venv)."))?;
    let pip = ["-m", "pip", "install", "--disable-pip-version-check", "--quiet"];
    run(Command::new(&python).args(pip).args(arguments))?;
    fs::write(&complete, version).map_err(|error| format!("{}: {error}", complete.display()))?;
    Ok(python)
}

/// A path as a string of TOML.
fn text_of_toml(path: &Path) -> String {
    format!("\"{}\"", path.to_string_lossy().replace('\\', "\\\\").replace('"', "\\\""))
}

fn run(command: &mut Command) -> Result<(), String> {
    let status = command.status().map_err(|error| format!("cannot run {command:?}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("failed ({status}): {command:?}")) }
}

/// Says something beside the results, on standard error.
fn say(text: fmt::Arguments<'_>) {
    let _ = writeln!(io::stderr(), "{text}");
}
