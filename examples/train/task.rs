//! [`Task`]: what is predicted of a graph, the loss, and the score.

use super::Outcome;
use super::metrics::roc_auc;
use super::network::Network;
use graphpack_loader::Loader;
use graphpack_tch::{DeviceLoader, Error, TensorBatch, bce_with_logits, labelled, masked_mean, mse};
use tch::{Device, Kind, Tensor};

/// The most classes: a target of whole numbers below this is one of them.
const CLASSES: f32 = 100.0;

/// What is predicted of a graph, by the numbers that its target has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Task {
    /// 0 or 1.
    YesOrNo,
    /// Whole numbers from 0: one of so many classes.
    Class(i64),
    /// Any others, with their mean and standard deviation.
    Number { mean: f64, deviation: f64 },
}

impl Task {
    /// The task whose targets are `y`, NaN where they are missing.
    pub(crate) fn of(y: impl Iterator<Item = f32>) -> Self {
        let y: Vec<f32> = y.filter(|y| !y.is_nan()).collect();
        let largest = y.iter().copied().fold(0.0, f32::max);
        if y.iter().all(|y| (0.0..CLASSES).contains(y) && y.fract() == 0.0) {
            return if largest < 2.0 { Self::YesOrNo } else { Self::Class(largest as i64 + 1) };
        }
        let mean = y.iter().map(|&y| f64::from(y)).sum::<f64>() / y.len() as f64;
        let variance = y.iter().map(|&y| (f64::from(y) - mean).powi(2)).sum::<f64>() / y.len() as f64;
        Self::Number { mean, deviation: variance.sqrt().max(f64::MIN_POSITIVE) }
    }

    /// Numbers that a network predicts of a graph.
    pub(crate) fn outputs(self) -> i64 {
        if let Self::Class(classes) = self { classes } else { 1 }
    }

    /// The name of the score.
    pub(crate) fn metric(self) -> &'static str {
        match self {
            Self::YesOrNo => "roc_auc",
            Self::Class(_) => "accuracy",
            Self::Number { .. } => "mean_absolute_error",
        }
    }

    /// Whether a score is better than another.
    pub(crate) fn is_better(self, score: f64, than: f64) -> bool {
        than.is_nan() || if matches!(self, Self::Number { .. }) { score < than } else { score > than }
    }

    /// The loss of what a network predicts of the graphs of a batch.
    pub(crate) fn loss(self, found: &Tensor, batch: &TensorBatch) -> Result<Tensor, Error> {
        let y = &batch.get("y")?.f_view([-1, 1])?;
        Ok(match self {
            Self::YesOrNo => bce_with_logits(found, y, batch)?,
            Self::Class(classes) => {
                let labelled = labelled(y, batch)?;
                let class = y.f_masked_fill(&labelled.f_logical_not()?, 0.0)?.f_clamp(0.0, (classes - 1) as f64)?;
                let class = class.f_to_kind(Kind::Int64)?;
                let likelihood = found.f_log_softmax(1, Kind::Float)?.f_gather(1, &class, false)?;
                masked_mean(&likelihood.f_neg()?, &labelled)?
            }
            Self::Number { mean, deviation } => mse(found, &y.f_sub_scalar(mean)?.f_div_scalar(deviation)?, batch)?,
        })
    }

    /// Returns the score over all labelled graphs of a loader.
    pub(crate) fn score(self, network: &Network, loader: &Loader, device: Device) -> Outcome<f64> {
        let _guard = tch::no_grad_guard();
        let mut scored = Vec::new();
        for batch in DeviceLoader::new(loader.epoch(0), device) {
            let batch = batch?;
            let rows = |tensor: &Tensor| -> Outcome<Vec<f32>> {
                let real = tensor.f_narrow(0, 0, batch.real().graphs() as i64)?.f_reshape([-1])?;
                Ok(Vec::try_from(&real.f_to_kind(Kind::Float)?.f_to_device(Device::Cpu)?)?)
            };
            let found = network.forward(&batch, false)?;
            let found = match self {
                Self::Class(_) => found.f_argmax(1, false)?,
                _ => found,
            };
            let labels = rows(batch.get("y")?)?;
            scored.extend(rows(&found)?.into_iter().zip(labels).filter(|(_, label)| !label.is_nan()));
        }
        let mean = |of: &dyn Fn(&(f32, f32)) -> f64| scored.iter().map(of).sum::<f64>() / scored.len().max(1) as f64;
        Ok(match self {
            Self::YesOrNo => {
                let scored: Vec<_> = scored.iter().map(|&(logit, label)| (logit, label > 0.5)).collect();
                roc_auc(&scored).ok_or("the evaluated graphs have only one label")?
            }
            Self::Class(_) => mean(&|(class, label)| f64::from(u8::from(class == label))),
            Self::Number { mean: of_all, deviation } => {
                mean(&|&(found, label)| (f64::from(found) * deviation + of_all - f64::from(label)).abs())
            }
        })
    }
}
