//! [`Checkpoint`]: saves a training in a file and continues from it.

use super::adam::{Adam, copy_named};
use crate::{BridgeError, Error};
use graphpack_loader::State;
use graphpack_loader::extend::file_error;
use graphpack_loader::store::WholeFile;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use tch::{Device, TchError, Tensor, nn};

/// The tensor whose bytes are the loader's state in JSON.
const LOADER: &str = "loader";

/// A file with all that a training goes on from: weights and buffers of a store, the state of an [`Adam`], and the
/// loader's state. A training that is killed at any moment and started again has the losses, to the last digit, that it
/// would have had.
///
/// ```
/// use graphpack_loader::{Loader, Options, Order, molecules};
/// use graphpack_tch::{Adam, Checkpoint, DeviceLoader, mean_pool, mse};
/// use tch::{Device, Kind, nn, nn::Module};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("training.safetensors");
/// let loader = Loader::new(molecules::generate(1, 100), Options::graphs(16).order(Order::Shuffled).seed(1))?;
/// let store = nn::VarStore::new(Device::Cpu);
/// let layer = nn::linear(store.root(), 9, 1, Default::default());
/// let optimizer = Adam::new(&store, 1e-3, 0.0)?;
/// let checkpoint = Checkpoint::new(path); // training.safetensors
/// let epoch = match checkpoint.load(&store, &optimizer)? {
///     Some(state) => loader.resume(&state)?,
///     None => loader.epoch(0),
/// };
/// for batch in DeviceLoader::new(epoch, Device::Cpu) {
///     let batch = batch?;
///     let x = mean_pool(&batch.get("x")?.f_to_kind(Kind::Float)?, &batch)?;
///     optimizer.backward_step(&mse(&layer.forward(&x), &batch.get("y")?.f_to_kind(Kind::Float)?, &batch)?)?;
///     if batch.step() % 4 == 3 {
///         checkpoint.save(&store, &optimizer, &batch.state())?;
///     }
/// }
/// # assert!(checkpoint.load(&store, &optimizer)?.is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// - A `CapturedStep` needs nothing more: it keeps no values from step to step, and values are loaded in place, so that
///   what is recorded already goes on from them.
/// - libtorch does not give out the state of its random numbers. With dropout, call [`tch::manual_seed`] before each
///   step, with a number that follows from its epoch and step: `examples/train` does.
/// - Sums on CUDA that add in any order, as [`Segments`](crate::Segments) do unless they are deterministic, differ
///   between two runs, resumed or not.
///
/// The file is a safetensors file: `VarStore::load` finds the weights in it, and Python all of it.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    path: PathBuf,
}

impl Checkpoint {
    /// Returns the checkpoint in the file `path`, which need not exist yet.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Writes all to a temporary file beside it, then renames that: the file is always a whole one. `state` is that of
    /// the last batch that was trained on, or `Loader::state` of the next epoch. With several ranks, one of them saves.
    pub fn save(&self, store: &nn::VarStore, optimizer: &Adam, state: &State) -> Result<(), Error> {
        let state = serde_json::to_vec(state).map_err(|error| self.refused(error))?;
        let mut tensors = HashMap::from([(LOADER.to_owned(), Tensor::f_from_slice(&state)?)]);
        for (name, tensor) in store.variables().into_iter().chain(optimizer.state()) {
            let tensor = tensor.f_detach()?.f_to_device(Device::Cpu)?.f_contiguous()?;
            if tensors.insert(name.clone(), tensor).is_some() {
                return Err(self.refused(format!("two tensors have the name {name:?}")));
            }
        }
        let tensors: Vec<_> = tensors.iter().collect();
        let file = file_error(&self.path);
        let whole = WholeFile::create(&self.path).map_err(file)?;
        Tensor::write_safetensors(&tensors, whole.part()).map_err(|error| self.refused(error))?;
        Ok(whole.finish().map_err(file)?)
    }

    /// Loads what [`save`](Self::save) wrote, weights and optimizer in place; returns the loader's state, or none if
    /// there is no file. If the file does not fit the store or the optimizer, nothing changes.
    pub fn load(&self, store: &nn::VarStore, optimizer: &Adam) -> Result<Option<State>, Error> {
        if !self.path.try_exists().map_err(file_error(&self.path))? {
            return Ok(None);
        }
        let saved = Tensor::read_safetensors(&self.path).map_err(|error| self.refused(error))?;
        let saved: HashMap<_, _> = saved.into_iter().collect();
        let state = saved.get(LOADER).ok_or_else(|| self.refused("it has no state of a loader"))?;
        let state: Vec<u8> = state.try_into().map_err(|error: TchError| self.refused(error))?;
        let state = serde_json::from_slice(&state).map_err(|error| self.refused(error))?;
        let fits = |error: Error| match error.cause() {
            Some(BridgeError::State(why)) => self.refused(why),
            _ => error,
        };
        let tensors: Vec<_> = store.variables().into_iter().chain(optimizer.state()).collect();
        let known: HashSet<_> = tensors.iter().map(|(name, _)| name.as_str()).chain([LOADER]).collect();
        if let Some(name) = saved.keys().filter(|name| !known.contains(name.as_str())).min() {
            return Err(self.refused(format!("found a tensor {name:?}, expected none of this name")));
        }
        copy_named(&tensors, &saved).map_err(fits)?;
        optimizer.load_state(&saved)?;
        Ok(Some(state))
    }

    fn refused(&self, why: impl ToString) -> Error {
        BridgeError::Checkpoint { path: self.path.clone(), why: why.to_string() }.into()
    }
}
