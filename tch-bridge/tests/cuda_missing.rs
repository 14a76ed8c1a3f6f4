//! Errors if CUDA cannot be used: not in this libtorch, no driver, no such device. Streams and events fail as
//! clearly.

use graphpack_loader::{ErrorKind, Loader, Options, molecules};
use graphpack_tch::{Pinned, Stream, device};
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use tch::Device;

type Fallible = Result<(), Box<dyn std::error::Error>>;

/// In a process of its own, since a library stays loaded.
#[test]
#[ignore = "run by the tests below"]
fn ask_for_cuda() {
    match device("cuda") {
        Err(error) => println!("{error}"),
        Ok(device) => println!("{device:?}"),
    }
}

fn answer(folders: &[PathBuf]) -> Result<String, Box<dyn std::error::Error>> {
    let libraries = env::join_paths(folders)?;
    let mut command = Command::new(env::current_exe()?);
    command.args(["--exact", "ask_for_cuda", "--ignored", "--nocapture"]).env("LD_LIBRARY_PATH", libraries);
    let output = command.output()?;
    let text = String::from_utf8(output.stdout)? + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    Ok(text)
}

/// The folder of the libtorch that this test runs with.
fn libtorch() -> Option<PathBuf> {
    let folders = env::var_os("LD_LIBRARY_PATH")?;
    let folder = env::split_paths(&folders).find(|folder| folder.join("libtorch_cpu.so").exists())?;
    // Not the link to it that cargo finds first.
    folder.canonicalize().ok()
}

#[test]
fn a_libtorch_without_cuda_and_a_machine_without_driver_are_told_apart() -> Fallible {
    let Some(libraries) = libtorch() else {
        println!("SKIPPED: libtorch is not in LD_LIBRARY_PATH");
        return Ok(());
    };
    let without = tempfile::tempdir()?;
    for file in std::fs::read_dir(&libraries)? {
        let file = file?;
        if !file.file_name().to_string_lossy().contains("libtorch_cuda") {
            std::os::unix::fs::symlink(file.path(), without.path().join(file.file_name()))?;
        }
    }
    // CUDA's own libraries; libtorch looks for them in folders beside its own.
    let mut beside = Vec::new();
    let packages = libraries.ancestors().nth(2).map(|packages| packages.join("nvidia"));
    for folder in packages.iter().filter_map(|packages| packages.read_dir().ok()).flatten() {
        beside.push(folder?.path().join("lib"));
    }
    let text = answer(&[&[without.path().to_owned()], &beside[..]].concat())?;
    assert!(text.contains("this libtorch has no CUDA: libtorch_cuda.so"), "{text}");

    let text = answer(&[libraries])?;
    if Path::new("/dev/nvidiactl").exists() {
        println!("SKIPPED: this machine has a driver");
    } else if text.contains("this libtorch has no CUDA:") {
        // `cargo xtask libtorch` installs it without CUDA's own libraries.
        println!("SKIPPED: this libtorch is not complete: {text}");
        assert!(!text.contains("libcuda.so.1"), "{text}");
    } else {
        assert!(text.contains("there is no NVIDIA driver: libcuda.so.1"), "{text}");
    }
    Ok(())
}

#[test]
fn names_that_are_no_device_are_refused() {
    for name in ["gpu", "cuda:", "cuda:-1", "cuda:x", ""] {
        let error = device(name).expect_err("not a device").to_string();
        assert_eq!(error, format!("device {name:?} is neither cpu nor cuda nor cuda:N nor cuda:rank"));
    }
    assert_eq!(device("cpu").expect("always there"), Device::Cpu);
    let error = device("cuda:99").expect_err("no machine has a hundred");
    assert_eq!(error.kind(), ErrorKind::Device);
}

#[test]
fn the_cpu_has_no_streams() {
    let error = Stream::new(Device::Cpu).expect_err("not a CUDA device").to_string();
    assert_eq!(error, "batches go to the CPU or to CUDA, not to Cpu");
    if tch::Cuda::device_count() == 0 {
        // An error with libtorch's text; the program goes on.
        let error = Stream::new(Device::Cuda(0)).expect_err("there is no CUDA device").to_string();
        assert!(
            error.starts_with("libtorch cannot use a stream: ") && error.to_lowercase().contains("cuda"),
            "{error}"
        );
    }
}

#[test]
fn pinned_memory_is_an_error_of_the_epoch() -> Fallible {
    if tch::Cuda::device_count() > 0 {
        println!("SKIPPED: this machine has CUDA");
        return Ok(());
    }
    let loader = Loader::new(molecules::generate(3, 100), Options::graphs(16).memory(Pinned))?;
    let error = loader.epoch(0).next().ok_or("an error")?.err().ok_or("nothing is pinned without CUDA")?;
    let text = error.to_string();
    assert!(text.contains("bytes for a batch: libtorch cannot allocate page-locked memory: "), "{text}");
    Ok(())
}
