//! The output of `./train`: its loss must fall.

use super::report::write;
use crate::Outcome;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Prints whether the loss of `./train` fell, in a line like those of `check`
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The output of `./train --format json`
    file: PathBuf,
    /// The device that it ran on
    #[arg(long)]
    device: String,
}

pub(crate) fn run(args: &Args) -> Outcome {
    if write("the loss of ./train falls", &args.device, &falls(&args.file)) {
        Ok(())
    } else {
        Err("the loss of ./train does not fall".into())
    }
}

/// The losses of all epochs; an error unless all are finite and the last is below the first. A NaN is `null` in JSON.
fn falls(file: &Path) -> Outcome<Value> {
    let mut losses = Vec::new();
    for line in std::fs::read_to_string(file)?.lines() {
        let row: Value = serde_json::from_str(line)?;
        if !row["epoch"].is_null() {
            losses.push(row["loss"].as_f64().ok_or_else(|| format!("not a number as loss: {line}"))?);
        }
    }
    match losses[..] {
        [first, .., last] if last < first => Ok(json!({ "losses": losses })),
        _ => Err(format!("the losses of the epochs do not fall: {losses:?}").into()),
    }
}
