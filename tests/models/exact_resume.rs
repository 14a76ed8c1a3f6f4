//! Promise 4, for a whole training: killed at any moment and started again, it has the losses of the unbroken one.

use super::{command, number};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

/// The bits of the loss of each (epoch, step).
type Losses = BTreeMap<(u64, u64), u64>;

/// Trains until `most` losses were written, then kills the process.
fn losses(arguments: &[&str], most: usize) -> Losses {
    let options = ["--graphs", "600", "--batch-graphs", "64", "--epochs", "2", "--losses"];
    let mut training = command("train", &[&options, arguments].concat()).stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(training.stdout.take().unwrap()).lines();
    let lines = lines.map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap());
    let of_steps = lines.filter_map(|line| {
        let place = (line["epoch"].as_u64()?, line["step"].as_u64()?);
        Some((place, number(&line, "loss").to_bits()))
    });
    let losses: Losses = of_steps.take(most).collect();
    if losses.len() == most {
        training.kill().unwrap();
    }
    assert_eq!(training.wait().unwrap().success(), losses.len() < most);
    losses
}

/// Dropout, batch norm's running statistics, AdamW's averages, a shuffled epoch: all of it goes on.
#[test]
#[cfg(unix)]
fn a_killed_training_goes_on_with_the_losses_of_the_unbroken_one() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("training.safetensors");
    let unbroken = losses(&[], usize::MAX);
    let steps = unbroken.keys().filter(|(epoch, _)| *epoch == 0).count() as u64;
    assert!(steps > 6 && unbroken.len() as u64 == 2 * steps, "{steps} steps per epoch");
    let resumable = ["--resume", file.to_str().unwrap(), "--save-every", "3"];
    let mut found = Losses::new();
    for most in [5, 4, 5, usize::MAX] {
        let run = losses(&resumable, most);
        // The losses after the last save are there twice.
        for (place, loss) in &run {
            assert_eq!(Some(loss), unbroken.get(place), "{place:?}");
        }
        let (&(epoch, step), _) = run.first_key_value().unwrap();
        assert!(step % 3 == 0 && (found.is_empty() || epoch * steps + step > 0), "began with {:?}", (epoch, step));
        found.extend(run);
    }
    assert_eq!(found, unbroken);
}
