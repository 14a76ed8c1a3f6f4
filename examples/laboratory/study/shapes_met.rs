//! [`Met`]: the steps at which the batches of an algorithm meet a new shape, each of which JAX would compile.

use super::Outcome;
use super::algorithm::Algorithm;
use super::data::Graphs;
use graphpack_loader::{Loader, Options, Order, Shape};
use std::collections::BTreeSet;

/// Steps of the study's longest trainings.
const STEPS: u64 = 2_000_000;
/// In epochs before this one, shapes are met at their exact step, later at the end of the epoch.
const EXACT_EPOCHS: u64 = 2;

/// The shapes of an algorithm over a training.
pub(crate) struct Met {
    algorithm: Algorithm,
    batch_size: u32,
    /// The number of steps after which each shape was met.
    steps: Vec<u64>,
}

impl Met {
    /// Plans the batches of 2,000,000 steps. As in the study, no epoch ends with a smaller batch.
    pub(crate) fn plan(data: &Graphs, (algorithm, batch_size): (Algorithm, u32), seed: u64) -> Outcome<Self> {
        let options = Options::default().order(Order::Shuffled).seed(seed).workers(0).drop_last(true);
        let options = algorithm.apply(options, &data.sample, batch_size).ok_or("the shape exceeds 32 bits")?;
        let loader = Loader::new(data.store.clone(), options)?;
        let (mut seen, mut met, mut steps) = (BTreeSet::<Shape>::new(), Vec::new(), 0);
        for epoch in 0.. {
            if epoch < EXACT_EPOCHS {
                for batch in loader.epoch(epoch) {
                    steps += 1;
                    if seen.insert(batch?.shape()) {
                        met.push(steps);
                    }
                }
            } else {
                let shapes = loader.shapes(epoch)?;
                steps += shapes.iter().map(|(_, count)| count).sum::<u64>();
                met.extend(shapes.into_iter().filter(|(shape, _)| seen.insert(*shape)).map(|_| steps));
            }
            if steps >= STEPS || steps == 0 || (loader.shape().is_some() && epoch + 1 == EXACT_EPOCHS) {
                break;
            }
        }
        Ok(Self { algorithm, batch_size, steps: met })
    }

    fn by(&self, steps: u64) -> usize {
        self.steps.iter().filter(|met| **met <= steps).count()
    }
}

/// One line per algorithm and batch size, in Markdown.
pub(crate) fn table(all: &[Met]) -> String {
    let by = [100, 1000, 10_000, 100_000, STEPS];
    let names = by.map(|steps| format!(" {steps} steps |")).concat();
    let mut text = format!("| shapes met by | batch size |{names}\n|{}\n", "---|".repeat(7));
    for met in all {
        let found = by.map(|steps| format!(" {} |", met.by(steps))).concat();
        text += &format!("| {} | {} |{found}\n", met.algorithm, met.batch_size);
    }
    text
}
