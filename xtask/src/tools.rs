//! What the commands need beside cargo, found on this machine or installed: [`Libtorch`] of the right version and `cargo xtask
//! libtorch`; packages of Python ([`venv`]) and of Debian ([`install`]).

use crate::run::{Outcome, run, target};
use serde_json::json;
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf, absolute};
use std::process::{Command, Stdio};

/// The version that tch 0.24 is for.
const VERSION: &str = "2.11.0";
/// The libraries that libtorch_cpu loads even if no GPU is used, in the versions that torch 2.11.0 asks for.
const CUDA_STUBS: [&str; 2] = ["nvidia-cuda-runtime==13.0.96", "nvidia-cuda-cupti==13.0.85"];
/// Names the folders in which programs look for shared libraries.
const LIBRARY_PATH: &str = if cfg!(target_os = "macos") { "DYLD_LIBRARY_PATH" } else { "LD_LIBRARY_PATH" };

/// Prints version and folder of the torch that a python would import.
const ASK_PYTHON: &str =
    "from importlib.metadata import distribution as d; t = d('torch'); print(t.version); print(t.locate_file('torch'))";

/// Prints what to export so that cargo and programs find libtorch. `--into DIR` installs it in a folder, whatever else is
/// found; `--config DIR` writes what cargo needs into a folder's `.cargo/config.toml` instead of printing it.
pub(crate) fn libtorch(options: &[String]) -> Outcome {
    let (mut into, mut config) = (None, None);
    for option in options.chunks(2) {
        match option {
            [name, folder] if name == "--into" => into = Some(Path::new(folder)),
            [name, folder] if name == "--config" => config = Some(Path::new(folder)),
            found => return Err(format!("expected --into DIR or --config DIR, found {found:?}")),
        }
    }
    let libtorch = into.map_or_else(Libtorch::find_or_install, Libtorch::install)?;
    match config {
        Some(folder) => libtorch.configure(folder),
        None => {
            println!("export LIBTORCH='{}'", libtorch.folder.display());
            println!("export {LIBRARY_PATH}=\"$LIBTORCH/lib${{{LIBRARY_PATH}:+:${LIBRARY_PATH}}}\"");
            Ok(())
        }
    }
}

/// A folder with `include` and `lib`.
pub(crate) struct Libtorch {
    folder: PathBuf,
}

impl Libtorch {
    /// Takes the libtorch of `LIBTORCH`, of the python of `LIBTORCH_USE_PYTORCH`, or of the active virtual environment, if
    /// the version is right; else the one that is installed for this user, if need be now.
    pub(crate) fn find_or_install() -> Outcome<Self> {
        let given = || {
            let folder = absolute(env::var_os("LIBTORCH")?).ok()?;
            Some((version_of(&folder).unwrap_or_else(|| "of unknown version".into()), folder))
        };
        let python = || env::var_os("LIBTORCH_USE_PYTORCH").and_then(|_| ask("python3".as_ref()));
        let active =
            || env::var_os("VIRTUAL_ENV").and_then(|folder| ask(Path::new(&folder).join("bin/python").as_os_str()));
        for (version, folder) in [given(), python(), active()].into_iter().flatten() {
            if version == VERSION {
                eprintln!("using libtorch {VERSION} in {}", folder.display());
                return Ok(Self { folder });
            }
            eprintln!("not using libtorch {version} in {}: {VERSION} is needed", folder.display());
        }
        Self::install(&of_user())
    }

    /// Sets what cargo, build scripts and the programs that they build need to find this libtorch.
    pub(crate) fn apply(&self, command: &mut Command) {
        let mut paths = vec![self.folder.join("lib")];
        paths.extend(env::var_os(LIBRARY_PATH).iter().flat_map(env::split_paths));
        command.env("LIBTORCH", &self.folder).env_remove("LIBTORCH_USE_PYTORCH");
        if let Ok(paths) = env::join_paths(paths) {
            command.env(LIBRARY_PATH, paths);
        }
    }

    /// The folder with `include` and `lib`.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Writes a configuration of cargo with which the crate in a folder finds this libtorch.
    pub(crate) fn configure(&self, folder: &Path) -> Outcome {
        if !folder.is_dir() {
            return Err(format!("expected the folder of a crate, found no folder {}", folder.display()));
        }
        let file = folder.join(".cargo/config.toml");
        // A string of JSON is one of TOML.
        let variables = format!("[env]\nLIBTORCH = {}\n", json!(self.folder.to_string_lossy()));
        let text = format!("# By `cargo xtask libtorch` of graphpack: libtorch {VERSION}, for tch.\n{variables}");
        match fs::read_to_string(&file) {
            Ok(found) if found == text => {}
            Ok(_) => return Err(format!("{} is not overwritten; please add to it:\n{variables}", file.display())),
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(format!("{}: {error}", file.display())),
            Err(_) => {
                let write = || fs::create_dir_all(folder.join(".cargo")).and_then(|()| fs::write(&file, text));
                write().map_err(|error| format!("{}: {error}", file.display()))?;
            }
        }
        eprintln!("{} names libtorch {VERSION} in {}", file.display(), self.folder.display());
        Ok(())
    }

    /// Installs torch with pip into a folder of a folder, unless that was done before.
    fn install(into: &Path) -> Outcome<Self> {
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
fn of_user() -> PathBuf {
    let data = env::var_os("XDG_DATA_HOME").filter(|data| !data.is_empty()).map(PathBuf::from);
    let data = data.or_else(|| Some(env::home_dir()?.join(".local/share")));
    data.map_or_else(target, |data| data.join("graphpack"))
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

/// Returns the python of the environment in a folder. Unless it was made there for the same `version`, pip is called with
/// `arguments` first, and `notice` tells the user what is installed.
pub fn venv(folder: &Path, version: &str, notice: &str, arguments: &[&str]) -> Outcome<PathBuf> {
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
    eprintln!("installing {notice} with pip into {}; this happens once", folder.display());
    let _ = fs::remove_dir_all(folder);
    run(Command::new("python3").args(["-m", "venv"]).arg(folder))
        .map_err(|error| format!("{error}\nA python3 with its venv module is needed (Debian: python3-venv)."))?;
    let pip = ["-m", "pip", "install", "--disable-pip-version-check", "--quiet"];
    run(Command::new(&python).args(pip).args(arguments))?;
    fs::write(&complete, version).map_err(|error| format!("{}: {error}", complete.display()))?;
    Ok(python)
}

/// Installs Debian's packages as root; otherwise an error says what to install.
pub(crate) fn install(packages: &[&str]) -> Outcome {
    let names = packages.join(" ");
    let root = says("id", &["-u"]).is_some_and(|id| id.trim() == "0");
    if !root || !exists("apt-get") {
        return Err(format!("not all of {names} are installed; please install them (Debian: apt-get install {names})"));
    }
    eprintln!("installing {names} with apt-get");
    let apt = |arguments: &[&str]| {
        run(Command::new("apt-get").args(arguments).env("DEBIAN_FRONTEND", "noninteractive").stdout(Stdio::null()))
    };
    let install = [&["install", "-y", "--no-install-recommends"], packages].concat();
    apt(&install).or_else(|_| apt(&["update"]).and_then(|()| apt(&install)))
}

/// Whether a program is installed.
pub(crate) fn exists(program: &str) -> bool {
    says(program, &["--version"]).is_some()
}

/// What a program prints, if it is installed and succeeds.
pub(crate) fn says(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}
