//! Several devices, by name and by rank: each has its own streams and memory.

use graphpack_loader::{Loader, Options, molecules};
use graphpack_simulated_gpu::{Gpu, Later, Rounds, Streams};
use graphpack_tch::{DeviceLoader, Pinned, Stream, device};
use std::env;
use std::error::Error;
use std::process::Command;
use tch::Device;

type Fallible = Result<(), Box<dyn Error>>;

#[test]
fn a_device_does_not_wait_for_another() -> Fallible {
    let Some(gpu) = Gpu::alone() else { return Ok(()) };
    let loader = Loader::new(molecules::generate(3, 400), Options::graphs(16).memory(Pinned))?;
    let [first, second] = [device("cuda")?, device("cuda:1")?];
    assert_eq!([first, second], [gpu.device(0), gpu.device(1)]);
    let mut stuck = DeviceLoader::new(loader.epoch(0), first);
    let held = gpu.hold(first, Streams::Copies);
    let read = Later::read(&stuck.next().ok_or("a batch")??)?;
    for held in [Streams::Copies, Streams::Default] {
        Rounds { device: second, ahead: 2, held }.run(&gpu, &loader)?;
    }
    drop(held);
    read.check(&DeviceLoader::new(loader.epoch(0), Device::Cpu).next().ok_or("a batch")??);
    // Each device has its own current stream.
    let other = Stream::new(second)?;
    let guard = other.enter()?;
    assert_eq!(Stream::current(second)?, other);
    assert_ne!(Stream::current(first)?, other);
    drop(guard);
    assert_ne!(Stream::current(second)?, other);
    Ok(())
}

/// In a process of its own, whose environment has the rank.
#[test]
#[ignore = "run by the test below"]
fn train_as_a_rank() -> Fallible {
    let Some(gpu) = Gpu::alone() else { return Ok(()) };
    let device = device("cuda:rank")?;
    let loader = Loader::new(molecules::generate(3, 400), Options::graphs(16))?;
    Rounds { device, ahead: 2, held: Streams::Copies }.run(&gpu, &loader)?;
    println!("trained on {device:?}");
    Ok(())
}

#[test]
fn each_rank_has_its_device() -> Fallible {
    let Some(_gpu) = Gpu::alone() else { return Ok(()) };
    for rank in 0..2 {
        let mut command = Command::new(env::current_exe()?);
        command
            .args(["--exact", "devices::train_as_a_rank", "--ignored", "--nocapture"])
            .env("LOCAL_RANK", rank.to_string());
        let output = command.output()?;
        let text = String::from_utf8(output.stdout)? + &String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && text.contains(&format!("trained on Cuda({rank})")), "{text}");
    }
    Ok(())
}
