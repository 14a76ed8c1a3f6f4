//! `dispatch` that is stopped by a signal, or finds no room.

#![cfg(unix)]

use super::graphpack;
use super::parts::{files, ring};
use std::fs;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;
use tempfile::TempDir;

/// The ring of twelve nodes and its assignment to 3 parts.
fn assigned(folder: &TempDir) -> (String, String) {
    let (input, assignments) = (ring(folder), folder.path().join("assigned").to_str().unwrap().to_owned());
    let output = graphpack(&["assign", "--in", &input, "--parts", "3", "--method", "random", "--out", &assignments]);
    assert!(output.status.success());
    (input, assignments)
}

/// There are so many edges that they take a while. SIGHUP is ignored, as nohup does.
#[test]
fn signals_end_it_and_leave_the_folder_as_it_was() {
    const EDGES: usize = 3_000_000;
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (edges, input, assignments, out) = (path("edges.csv"), path("chunks"), path("assigned"), path("out"));
    fs::write(&edges, "0,1\n".repeat(EDGES)).unwrap();
    let output = graphpack(&["chunk", "--edges", &edges, "--format", "csv", "--chunks", "1", "--out", &input]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let assign = ["assign", "--in", &input, "--parts", "2", "--method", "random", "--out", &assignments];
    assert!(graphpack(&assign).status.success());
    for signal in ["-TERM", "-INT"] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_graphpack"));
        child.args(["dispatch", "--in", &input, "--assignments", &assignments, "--memory", "0", "--out", &out]);
        // The tests may run in the background of a script, where SIGINT is ignored.
        let signals = || {
            for (signal, action) in
                [(libc::SIGHUP, libc::SIG_IGN), (libc::SIGINT, libc::SIG_DFL), (libc::SIGTERM, libc::SIG_DFL)]
            {
                // SAFETY: it is a signal, and no code runs for it.
                unsafe { libc::signal(signal, action) };
            }
            Ok(())
        };
        // SAFETY: `signal` may be called between fork and exec.
        unsafe { child.pre_exec(signals) };
        let mut child = child.stderr(Stdio::piped()).spawn().unwrap();
        while child.try_wait().unwrap().is_none() && !fs::exists(format!("{out}/unfinished.tmp/run.json")).unwrap() {
            sleep(Duration::from_millis(1));
        }
        let id = child.id().to_string();
        let kill = |signal: &str| Command::new("kill").args([signal, &id]).status().unwrap();
        assert!(kill("-HUP").success());
        sleep(Duration::from_millis(20));
        assert!(child.try_wait().unwrap().is_none(), "ended by a signal that is ignored");
        assert!(kill(signal).success());
        let output = child.wait_with_output().unwrap();
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), &*message), (Some(1), "graphpack: stopped when 0 of 2 parts were whole\n"));
        assert!(!fs::exists(&out).unwrap());
    }
}

#[test]
fn what_a_killed_run_has_left_is_named_and_gone_on_with() {
    let folder = TempDir::new().unwrap();
    let (input, assignments) = assigned(&folder);
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (out, whole) = (path("out"), path("whole"));
    let dispatch = |out: &str, more: &[&str]| {
        graphpack(&[&["dispatch", "--in", &input, "--assignments", &assignments, "--out", out], more].concat())
    };
    assert!(dispatch(&whole, &[]).status.success());
    // Killed before it wrote anything.
    fs::create_dir_all(format!("{out}/unfinished.tmp")).unwrap();
    let message = String::from_utf8_lossy(&dispatch(&out, &[]).stderr).into_owned();
    assert!(message.ends_with("remove what a killed run has left\n"), "{message}");
    let output = dispatch(&out, &["--resume", "--threads", "2"]);
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(printed.ends_with("0 parts were whole already\n"), "{printed}");
    assert!(files(&out) == files(&whole));
    fs::create_dir_all(format!("{}/unfinished.tmp/part0", path("other"))).unwrap();
    fs::create_dir(format!("{}/part0", path("other"))).unwrap();
    let message = String::from_utf8_lossy(&dispatch(&path("other"), &["--resume"]).stderr).into_owned();
    assert!(
        message
            .ends_with("run.json: missing, but the folder has files: expected the record of the run that left them\n")
    );
    fs::write(format!("{}/unfinished.tmp/run.json", path("other")), "{\"name\": \"other\"}").unwrap();
    for (more, expected) in [
        (&[][..], "has left; --resume goes on from what is whole\n"),
        (&["--resume"], "/run.json: name was other, is now ring; expected the same inputs and options\n"),
    ] {
        let message = String::from_utf8_lossy(&dispatch(&path("other"), more).stderr).into_owned();
        assert!(message.ends_with(expected), "{message}");
    }
}

/// On a file system of 64 KiB, which takes the right to mount one.
#[test]
fn a_full_disk_is_named_and_nothing_stays_on_it() {
    let folder = TempDir::new().unwrap();
    let (input, assignments) = assigned(&folder);
    let small = folder.path().join("small").to_str().unwrap().to_owned();
    fs::create_dir(&small).unwrap();
    let mounted = |then: &str| {
        let script = format!("mount -t tmpfs -o size=128k none {small} || exit 77; {then}");
        Command::new("unshare").args(["--map-root-user", "--mount", "sh", "-c", &script]).output()
    };
    if !mounted("true").is_ok_and(|output| output.status.success()) {
        println!("skipped: small file systems cannot be mounted here");
        return;
    }
    let graphpack = env!("CARGO_BIN_EXE_graphpack");
    let dispatch = format!("{graphpack} dispatch --in {input} --assignments {assignments}");
    // Parts of twelve nodes take 15 KiB each, and less than a page of temporary files.
    let fill = format!("head -c 90112 /dev/zero > {small}/other");
    let output = mounted(&format!("{fill}; {dispatch} --out {small}/parts; ls {small}")).unwrap();
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(message.contains("No space left on device") && message.contains("small/parts/"), "{message}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "other\n");
    let resumed = format!("{dispatch} --out {small}/parts --resume");
    let output = mounted(&format!("{fill}; {resumed}; rm {small}/other; {resumed}")).unwrap();
    let printed = [&output.stderr, &output.stdout].map(|text| String::from_utf8_lossy(text).into_owned());
    assert!(printed[0].contains("No space left on device"), "{printed:?}");
    assert!(printed[1].ends_with("1 parts were whole already\n"), "{printed:?}");
    let fill = format!("head -c 131072 /dev/zero > {small}/other");
    let out = folder.path().join("parts").to_str().unwrap().to_owned();
    let output = mounted(&format!("{fill}; {dispatch} --out {out} --scratch {small}; ls {small}")).unwrap();
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(message.contains("No space left on device") && message.contains("small/graphpack-"), "{message}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "other\n");
    assert!(!fs::exists(&out).unwrap());
}
