//! [`Step`]: what one training step measured; [`Unfinished`]: the files of a run that is under way.

use super::Outcome;
use graphpack_loader::State;
use graphpack_tch::{Adam, Checkpoint};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};
use tch::nn;

/// What a step measured.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Step {
    pub(crate) epoch: u64,
    pub(crate) loss: f64,
    pub(crate) batching_ms: f64,
    pub(crate) update_ms: f64,
    /// Real rows of its batch, then all.
    pub(crate) graphs: usize,
    pub(crate) nodes: usize,
    pub(crate) edges: usize,
    pub(crate) node_slots: usize,
    pub(crate) edge_slots: usize,
    /// The test error after it, after some of the steps.
    pub(crate) rmse: Option<f64>,
}

impl Step {
    pub(crate) fn combined_ms(&self) -> f64 {
        self.batching_ms + self.update_ms
    }
}

/// A checkpoint, and what the steps before it measured.
pub(crate) struct Unfinished {
    checkpoint: Checkpoint,
    weights: PathBuf,
    steps: PathBuf,
}

impl Unfinished {
    /// The files of the run of that name, which need not be there yet.
    pub(crate) fn new(folder: &Path, name: &str) -> Self {
        let weights = folder.join(format!("{name}.safetensors"));
        Self { checkpoint: Checkpoint::new(&weights), steps: folder.join(format!("{name}.csv")), weights }
    }

    /// Saves the state of the last batch that was trained on, and all steps so far.
    pub(crate) fn save(&self, (store, optimizer): (&nn::VarStore, &Adam), state: &State, all: &[Step]) -> Outcome<()> {
        let mut writer = csv::Writer::from_path(&self.steps)?;
        all.iter().try_for_each(|step| writer.serialize(step))?;
        writer.flush()?;
        // Steps first: those after the checkpoint are dropped when it is loaded.
        Ok(self.checkpoint.save(store, optimizer, state)?)
    }

    /// Loads weights and optimizer in place; returns the loader's state and the steps, if there are any.
    pub(crate) fn load(&self, store: &nn::VarStore, optimizer: &Adam) -> Outcome<Option<(State, Vec<Step>)>> {
        let Some(state) = self.checkpoint.load(store, optimizer)? else { return Ok(None) };
        let steps: Vec<Step> = csv::Reader::from_path(&self.steps)?.into_deserialize().collect::<Result<_, _>>()?;
        let before = steps.iter().filter(|step| step.epoch < state.epoch()).count() + state.batches_done() as usize;
        let found = steps.len();
        let steps = steps.into_iter().take(before).collect::<Vec<_>>();
        if steps.len() < before {
            let path = self.steps.display();
            return Err(format!("{path}: expected the {before} steps before the checkpoint, found {found}").into());
        }
        Ok(Some((state, steps)))
    }

    /// Removes the files of a run that is finished. Files that stay are of no harm.
    pub(crate) fn remove(&self) {
        let _ = fs::remove_file(&self.weights);
        let _ = fs::remove_file(&self.steps);
    }
}
