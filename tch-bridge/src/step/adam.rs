//! [`Adam`]: Adam and AdamW with their state on the device, so that a captured step may contain them.

use crate::ffi::{self, AdamLists, AdamOptions};
use crate::{BridgeError, Error};
use std::collections::HashMap;
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
/// let optimizer = Adam::adamw(&store, 1e-3, 1e-5)?;
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
///
/// All methods take `&self`: the closure of a captured step borrows the optimizer while the loop saves its
/// [state](Self::state) or sets the learning rate.
pub struct Adam {
    parameters: Vec<Tensor>,
    /// The name of each parameter in its store.
    names: Vec<String>,
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
    pub fn new(store: &nn::VarStore, learning_rate: f64, weight_decay: f64) -> Result<Self, Error> {
        Self::with(store, learning_rate, weight_decay, 0)
    }

    /// AdamW: `weight_decay` shrinks the weights themselves instead.
    pub fn adamw(store: &nn::VarStore, learning_rate: f64, weight_decay: f64) -> Result<Self, Error> {
        Self::with(store, learning_rate, weight_decay, 1)
    }

    fn with(store: &nn::VarStore, rate: f64, weight_decay: f64, decoupled: i32) -> Result<Self, Error> {
        let parameters = store.trainable_variables();
        let zeros = || parameters.iter().map(Tensor::f_zeros_like).collect::<Result<Vec<_>, TchError>>();
        let (averages, squares) = (zeros()?, zeros()?);
        let number = |value: f64| Tensor::f_full([] as [i64; 0], value, (Kind::Float, store.device()));
        let options = AdamOptions { beta1: 0.9, beta2: 0.999, weight_decay, eps: 1e-8, decoupled };
        let steps = parameters.iter().map(|_| number(0.0)).collect::<Result<_, _>>()?;
        let names = names(store, &parameters);
        Ok(Self { averages, squares, steps, rate: number(rate)?, options, parameters, names })
    }

    /// Computes the gradients of a loss, then does what [`step`](Self::step) does.
    pub fn backward_step(&self, loss: &Tensor) -> Result<(), Error> {
        loss.f_backward()?;
        self.step()
    }

    /// Updates all parameters that have gradients, and sets the gradients to zero.
    pub fn step(&self) -> Result<(), Error> {
        let Self { parameters, averages, squares, steps, .. } = self;
        let lists = AdamLists { parameters, averages, squares, steps };
        ffi::adam(lists, &self.rate, self.options).map_err(BridgeError::cannot("update the parameters"))
    }

    /// Changes the learning rate, also for steps that are captured already.
    pub fn set_learning_rate(&self, rate: f64) -> Result<(), Error> {
        let _ = self.rate.shallow_clone().f_fill_(rate)?;
        Ok(())
    }

    /// All that the next steps follow from, besides the parameters themselves: averages of gradients and of their
    /// squares, the number of updates of each parameter, and the learning rate. Names begin with `adam/` and end with
    /// the parameter's name. The tensors are those that steps change, on the device: copy what you keep.
    pub fn state(&self) -> Vec<(String, Tensor)> {
        let lists = [("average", &self.averages), ("square", &self.squares), ("updates", &self.steps)];
        let of_list = |(what, tensors): (&'static str, &'_ Vec<Tensor>)| {
            let named = self.names.iter().zip(tensors);
            named.map(move |(name, tensor)| (format!("adam/{what}/{name}"), tensor.shallow_clone())).collect::<Vec<_>>()
        };
        let mut state: Vec<_> = lists.into_iter().flat_map(of_list).collect();
        state.push(("adam/learning_rate".into(), self.rate.shallow_clone()));
        state
    }

    /// Continues from a [`state`](Self::state) of an optimizer of the same parameters; other tensors in `saved` are
    /// ignored. Steps then update as those of that optimizer would have, captured ones too. Only weight decay, betas
    /// and eps stay as they are. If a tensor is missing or does not fit, nothing changes.
    ///
    /// One difference remains where this optimizer has updated a parameter that had no update in the state: it keeps a
    /// gradient, of zero, so that the next steps update and decay it. A new optimizer, as in a new process, does not.
    pub fn load_state(&self, saved: &HashMap<String, Tensor>) -> Result<(), Error> {
        copy_named(&self.state(), saved)?;
        for (parameter, updates) in self.parameters.iter().zip(&self.steps) {
            // After a step, whatever was updated has a gradient, and it is zero. Without one, the next step would leave
            // out a parameter that its loss does not depend on.
            let gradient = parameter.grad();
            if gradient.defined() {
                let _ = gradient.f_detach()?.f_zero_()?;
            } else if parameter.requires_grad() && f64::try_from(updates)? > 0.0 {
                tch::with_grad(|| parameter.f_mul_scalar(0)?.f_sum(parameter.kind())?.f_backward())?;
            }
        }
        Ok(())
    }
}

/// The name of each parameter. Two variables of a store are never the same memory, so that tells which is which.
fn names(store: &nn::VarStore, parameters: &[Tensor]) -> Vec<String> {
    let mut named: Vec<_> = store.variables().into_iter().collect();
    // Those without elements have no memory: any order will do, but the same each time.
    named.sort_by(|a, b| a.0.cmp(&b.0));
    let mut name_of = |parameter: &Tensor| {
        let same = |(_, other): &(String, Tensor)| {
            other.data_ptr() == parameter.data_ptr() && other.size() == parameter.size()
        };
        named.iter().position(same).map_or_else(String::new, |position| named.remove(position).0)
    };
    parameters.iter().map(&mut name_of).collect()
}

/// Copies the values of `saved` into tensors of the same names, after all were found to fit.
pub(super) fn copy_named(tensors: &[(String, Tensor)], saved: &HashMap<String, Tensor>) -> Result<(), Error> {
    let mut pairs = Vec::with_capacity(tensors.len());
    for (name, tensor) in tensors {
        let Some(value) = saved.get(name) else {
            return Err(BridgeError::State(format!("expected a tensor {name:?}, found none of this name")).into());
        };
        let [expected, found] = [tensor, value].map(|tensor| (tensor.kind(), tensor.size()));
        if expected != found {
            let message = format!(
                "{name:?}: expected {:?} of size {:?}, found {:?} of size {:?}",
                expected.0, expected.1, found.0, found.1
            );
            return Err(BridgeError::State(message).into());
        }
        pairs.push((tensor, value));
    }
    tch::no_grad(|| pairs.into_iter().try_for_each(|(to, from)| Ok(to.shallow_clone().f_copy_(from)?)))
}

impl fmt::Debug for Adam {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Adam")
            .field("parameters", &self.parameters.len())
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}
