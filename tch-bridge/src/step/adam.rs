//! [`Adam`]: Adam and AdamW with their state on the device, so that a captured step may contain them.

use crate::BridgeError;
use crate::ffi::{self, AdamOptions};
use std::fmt;
use tch::{Kind, TchError, Tensor, nn};

/// Adam (Kingma and Ba, arXiv 1412.6980) and AdamW (Loshchilov and Hutter, arXiv 1711.05101), by libtorch's fused
/// kernels. Updates equal those of PyTorch; a few kernels update all parameters, and everything that an update changes
/// is on the device, the number of steps included.
///
/// ```
/// use graphpack_tch::Adam;
/// use tch::{Device, Kind, Tensor, nn, nn::Module};
///
/// let store = nn::VarStore::new(Device::Cpu);
/// let layer = nn::linear(store.root(), 3, 1, Default::default());
/// let mut optimizer = Adam::adamw(&store, 1e-3, 1e-5)?;
/// let loss = layer.forward(&Tensor::ones([4, 3], (Kind::Float, Device::Cpu))).mean(Kind::Float);
/// optimizer.backward_step(&loss)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// After a step, gradients are zero, not undefined (in PyTorch: `zero_grad(set_to_none=False)`), since a captured step
/// writes to them in place. A parameter does not change, nor decay, until a loss depends on it. From then on every step
/// updates it, with a gradient of zero if the loss does not depend on it. A [`CapturedStep`](crate::CapturedStep)
/// updates the parameters that had a gradient when it was recorded: if losses of different shapes depend on different
/// parameters, take a step of each shape before one is recorded.
pub struct Adam {
    parameters: Vec<Tensor>,
    averages: Vec<Tensor>,
    squares: Vec<Tensor>,
    /// float32 `[]` for each parameter: the number of its updates so far.
    steps: Vec<Tensor>,
    /// float32 `[]`: learning rate.
    rate: Tensor,
    options: AdamOptions,
}

impl Adam {
    /// Adam over the trainable variables of a store. `weight_decay` is added to the gradients (L2). PyTorch's defaults
    /// otherwise: betas 0.9 and 0.999, eps 1e-8.
    pub fn new(store: &nn::VarStore, learning_rate: f64, weight_decay: f64) -> Result<Self, BridgeError> {
        Self::with(store, learning_rate, weight_decay, 0)
    }

    /// AdamW: `weight_decay` shrinks the weights themselves instead.
    pub fn adamw(store: &nn::VarStore, learning_rate: f64, weight_decay: f64) -> Result<Self, BridgeError> {
        Self::with(store, learning_rate, weight_decay, 1)
    }

    fn with(store: &nn::VarStore, rate: f64, weight_decay: f64, decoupled: i32) -> Result<Self, BridgeError> {
        let parameters = store.trainable_variables();
        let zeros = || parameters.iter().map(Tensor::f_zeros_like).collect::<Result<Vec<_>, TchError>>();
        let (averages, squares) = (zeros()?, zeros()?);
        let number = |value: f64| Tensor::f_full([] as [i64; 0], value, (Kind::Float, store.device()));
        let options = AdamOptions { beta1: 0.9, beta2: 0.999, weight_decay, eps: 1e-8, decoupled };
        let steps = parameters.iter().map(|_| number(0.0)).collect::<Result<_, _>>()?;
        Ok(Self { averages, squares, steps, rate: number(rate)?, options, parameters })
    }

    /// Computes the gradients of a loss, then does what [`step`](Self::step) does.
    pub fn backward_step(&mut self, loss: &Tensor) -> Result<(), BridgeError> {
        loss.f_backward()?;
        self.step()
    }

    /// Updates all parameters that have gradients, and sets the gradients to zero.
    pub fn step(&mut self) -> Result<(), BridgeError> {
        let lists = [&self.parameters, &self.averages, &self.squares, &self.steps].map(Vec::as_slice);
        ffi::adam(lists, &self.rate, self.options).map_err(BridgeError::Optimizer)
    }

    /// Changes the learning rate, also for steps that are captured already.
    pub fn set_learning_rate(&mut self, rate: f64) -> Result<(), BridgeError> {
        let _ = self.rate.f_fill_(rate)?;
        Ok(())
    }
}

impl fmt::Debug for Adam {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Adam")
            .field("parameters", &self.parameters.len())
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}
