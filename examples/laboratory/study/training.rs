//! Trains a model on the batches of one algorithm. As in the study each step is timed in two parts that do not overlap,
//! batching and the update.

use super::Outcome;
use super::data::Graphs;
use super::run::{Cell, Run};
use super::step::{Step, Unfinished};
use super::trainer::{Settings, Trainer};
use graphpack_loader::{Loader, Options, Order};
use indicatif::ProgressBar;
use std::time::{Duration, Instant};
use tch::Device;

/// Graphs per batch where the test error is computed.
const TEST_GRAPHS: u32 = 64;

/// Trains a new model, or goes on from the checkpoint; `None` if the time was over before the last step.
pub(crate) fn train(
    data: &Graphs,
    cell: &Cell,
    settings: Settings,
    unfinished: &Unfinished,
    bar: &ProgressBar,
) -> Outcome<Option<Run>> {
    let seed = cell.seed(settings.seed);
    let mut trainer = Trainer::new(cell.model, data, Settings { seed, ..settings })?;
    let options = Options::default().order(Order::Shuffled).seed(seed).workers(0);
    let options = cell.algorithm.apply(options, &data.sample, cell.batch_size).ok_or("the shape exceeds 32 bits")?;
    let loader = Loader::new(data.train.clone(), on(options, settings.device))?;
    let test = Loader::new(data.test.clone(), on(Options::graphs(TEST_GRAPHS), settings.device))?;
    let (mut resumed, mut steps) = match unfinished.load(&trainer.variables, &trainer.optimizer)? {
        Some((state, steps)) => (Some(state), steps),
        None => (None, Vec::new()),
    };
    bar.inc(steps.len() as u64);
    // Never, if it is above the number of steps.
    let evaluate_every = settings.steps.checked_div(settings.evaluations).map_or(usize::MAX, |every| every.max(1));
    let first = resumed.as_ref().map_or(0, |state| state.epoch());
    'epochs: for epoch in first.. {
        let begun = Instant::now();
        let planned = match resumed.take() {
            Some(state) => loader.resume(&state)?,
            None => loader.epoch(epoch),
        };
        // Counted with the first batch of the epoch.
        let mut planning = begun.elapsed();
        for batch in planned {
            if steps.len() >= settings.steps {
                break 'epochs;
            }
            let batch = batch?;
            let (real, shape, state) = (batch.real(), batch.shape(), batch.state());
            let batching = batch.collating() + std::mem::take(&mut planning);
            let (loss, update) = trainer.step(batch, steps.len())?;
            let number = steps.len() + 1;
            let is_last = number == settings.steps && settings.evaluations > 0;
            let evaluated = number.is_multiple_of(evaluate_every) || is_last;
            steps.push(Step {
                epoch,
                loss,
                batching_ms: milliseconds(batching),
                update_ms: milliseconds(update),
                graphs: real.graphs(),
                nodes: real.nodes(),
                edges: real.edges(),
                node_slots: shape.nodes(),
                edge_slots: shape.edges(),
                rmse: if evaluated { Some(trainer.rmse(&test)?) } else { None },
            });
            bar.set_message(format!("{}: loss {loss:.3}", cell.name()));
            bar.inc(1);
            let is_over = number < settings.steps && settings.end.is_some_and(|end| Instant::now() >= end);
            if is_over || number.is_multiple_of(settings.save_every) {
                unfinished.save((&trainer.variables, &trainer.optimizer), &state, &steps)?;
            }
            if is_over {
                return Ok(None);
            }
        }
    }
    Ok(Some(Run::new(cell, &steps)))
}

/// Puts batches into pinned memory if they go to a GPU.
pub(crate) fn on(options: Options, device: Device) -> Options {
    if device.is_cuda() { options.memory(graphpack_tch::Pinned) } else { options }
}

pub(crate) fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
