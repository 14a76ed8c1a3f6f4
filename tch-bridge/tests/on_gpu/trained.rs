//! Two epochs of training: the loss must fall.

use crate::losses::BATCH_GRAPHS;
use crate::{Gpu, Outcome};
use graphpack_tch::CapturedStep;
use serde_json::json;

#[test]
#[ignore = "needs a GPU"]
fn the_loss_falls() -> Outcome {
    let gpu = Gpu::alone()?;
    gpu.check(|task| {
        let loader = task.loader(BATCH_GRAPHS, gpu.device, 1)?;
        let mut training = task.training(gpu.device, 0.1, 1, None)?;
        let mut step = CapturedStep::new(gpu.device, move |batch| training.step(batch));
        let mut means = [0.0; 2];
        for (epoch, mean) in means.iter_mut().enumerate() {
            let (mut sum, mut steps) = (0.0, 0);
            for batch in task.batches(&loader, epoch as u64, gpu.device) {
                sum += f64::try_from(step.run(&batch?)?)?;
                steps += 1;
            }
            *mean = sum / f64::from(steps);
        }
        // Of NaN neither is below the other.
        if means[1] < means[0] { Ok(json!(means)) } else { Err(format!("mean losses are {means:?}").into()) }
    })
}
