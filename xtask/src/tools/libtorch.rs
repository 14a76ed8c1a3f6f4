//! [`Libtorch`]: a libtorch of the right version, found on this machine or installed below `target/`.

use crate::run::Outcome;
use crate::tools::venv;
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The version that tch 0.24 is for.
const VERSION: &str = "2.11.0";
/// What libtorch_cpu links to even in builds that are used without a GPU, in the versions that torch 2.11.0 asks for.
const CUDA_STUBS: [&str; 2] = ["nvidia-cuda-runtime==13.0.96", "nvidia-cuda-cupti==13.0.85"];

/// Prints version and folder of the torch that a python would import.
const ASK_PYTHON: &str =
    "from importlib.metadata import distribution as d; t = d('torch'); print(t.version); print(t.locate_file('torch'))";

/// A folder with `include` and `lib`.
pub(crate) struct Libtorch {
    folder: PathBuf,
}

impl Libtorch {
    pub(crate) fn find_or_install() -> Outcome<Self> {
        let given =
            || env::var_os("LIBTORCH").map(PathBuf::from).and_then(|folder| Some((version_of(&folder)?, folder)));
        let active =
            || env::var_os("VIRTUAL_ENV").and_then(|folder| ask(Path::new(&folder).join("bin/python").as_os_str()));
        let python = || env::var_os("LIBTORCH_USE_PYTORCH").and_then(|_| ask("python3".as_ref()));
        for (version, folder) in [given(), active(), python()].into_iter().flatten() {
            if version == VERSION {
                eprintln!("using libtorch {VERSION} in {}", folder.display());
                return Ok(Self { folder });
            }
            eprintln!("not using libtorch {version} in {}: this needs {VERSION}", folder.display());
        }
        Self::install()
    }

    /// Sets what cargo, build scripts and the programs they make need to find this libtorch.
    pub(crate) fn apply(&self, command: &mut Command) {
        let library_path = if cfg!(target_os = "macos") { "DYLD_LIBRARY_PATH" } else { "LD_LIBRARY_PATH" };
        let mut paths = vec![self.folder.join("lib")];
        paths.extend(env::var_os(library_path).iter().flat_map(env::split_paths));
        command.env("LIBTORCH", &self.folder).env_remove("LIBTORCH_USE_PYTORCH");
        if let Ok(paths) = env::join_paths(paths) {
            command.env(library_path, paths);
        }
    }

    /// The folder with `include` and `lib`.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The folder of the python that has this torch among its packages, if that is a virtual environment.
    pub(crate) fn python(&self) -> Option<PathBuf> {
        let folder = self.folder.ancestors().nth(4)?.join("bin");
        folder.join("python3").exists().then_some(folder)
    }

    /// Installs torch with pip, unless that was done before.
    fn install() -> Outcome<Self> {
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
            // Without a GPU the other CUDA packages, 2.2 GB, would never be loaded.
            packages.push("--no-deps");
            packages.extend(CUDA_STUBS);
        }
        let notice = format!("torch {VERSION} ({size})");
        let python = venv::find_or_install(&format!("libtorch-{VERSION}"), VERSION, &notice, &packages)?;
        match ask(python.as_os_str()) {
            Some((version, folder)) if version == VERSION => Ok(Self { folder }),
            _ => Err(format!("{} has no torch {VERSION}; remove its folder and try again", python.display())),
        }
    }
}

/// The version of the libtorch in a folder: an unpacked libtorch has a file `build-version`, torch of Python a `version.py`.
fn version_of(folder: &Path) -> Option<String> {
    let text = fs::read_to_string(folder.join("build-version")).ok().or_else(|| {
        let python = fs::read_to_string(folder.join("version.py")).ok()?;
        let line = python.lines().find(|line| line.starts_with("__version__"))?;
        line.split('\'').nth(1).map(str::to_owned)
    })?;
    Some(text.trim().split('+').next()?.to_owned())
}

/// Version and folder of the torch of a python.
fn ask(python: &OsStr) -> Option<(String, PathBuf)> {
    let output = Command::new(python).args(["-c", ASK_PYTHON]).stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let mut lines = text.lines();
    let version = lines.next()?.split('+').next()?.to_owned();
    Some((version, PathBuf::from(lines.next()?)))
}
