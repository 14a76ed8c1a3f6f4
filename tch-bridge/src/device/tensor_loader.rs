//! [`TensorLoader`]: a loader whose epochs are tensors on a device.

use super::{DeviceLoader, Pinned};
use crate::Error;
use graphpack_loader::{Data, Dtype, Epoch, Loader, Options, State};
use std::ops::Deref;
use std::sync::Arc;
use tch::{Device, Kind};

/// A [`Loader`] whose epochs are tensors on a device: the device and the casts are said once, not for each epoch. It derefs
/// to its loader, which knows plan, shapes and states.
///
/// ```
/// use graphpack_loader::{State, Options, Order, molecules};
/// use graphpack_tch::{TensorLoader, device};
/// use tch::Kind;
///
/// let options = Options::graphs(16).order(Order::Shuffled).seed(42);
/// let loader = TensorLoader::new(molecules::generate(1, 200), options, device("cpu")?)?.cast("x", Kind::Float);
/// let mut saved: Option<State> = None; // or read from a file
/// for epoch in loader.epochs(saved.as_ref())?.take_while(|epoch| epoch.number() < 2) {
///     for batch in epoch {
///         let batch = batch?;
///         assert_eq!(batch.get("x")?.size(), [batch.shape().nodes() as i64, 9]);
///         saved = Some(batch.state());
///     }
/// }
/// assert_eq!(saved.map(|state| state.epoch()), Some(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// With CUDA, batches lie in [`Pinned`] memory, unless the options name [another](field@Options::memory), and are copied
/// [ahead](Self::ahead) of the step. Indices are int64 tensors: where the options make
/// [int32](field@Options::index) of them, which halves what is copied, they are widened on the device.
pub struct TensorLoader {
    loader: Loader,
    device: Device,
    casts: Vec<(String, Kind)>,
    wide: bool,
    ahead: usize,
}

impl TensorLoader {
    /// Plans the batches of `data`, as [`Loader::new`] does, for a device from [`device`](crate::device()).
    pub fn new(data: impl Into<Data>, mut options: Options, device: Device) -> Result<Self, Error> {
        if device.is_cuda() && options.memory.is_none() {
            options.memory = Some(Arc::new(Pinned));
        }
        let wide = options.index == Dtype::I32;
        Ok(Self { loader: Loader::new(data, options)?, device, casts: Vec::new(), wide, ahead: 2 })
    }

    /// Casts field `name` to `kind` on the device, as [`DeviceLoader::cast`] does. The first batch is an error if there is no
    /// such field.
    #[must_use]
    pub fn cast(mut self, name: &str, kind: Kind) -> Self {
        self.casts.push((name.to_owned(), kind));
        self
    }

    /// Number of batches that are on the device before they are asked for, as [`DeviceLoader::ahead`] says.
    #[must_use]
    pub fn ahead(mut self, batches: usize) -> Self {
        self.ahead = batches;
        self
    }

    /// Returns the batches of epoch `epoch`.
    pub fn epoch(&self, epoch: u64) -> DeviceLoader<Epoch> {
        self.on_device(self.loader.epoch(epoch))
    }

    /// Returns the batches of epoch `epoch` without the first `step` of this rank.
    pub fn epoch_from(&self, epoch: u64, step: usize) -> DeviceLoader<Epoch> {
        self.on_device(self.loader.epoch_from(epoch, step))
    }

    /// Returns the rest of the epoch that `state` was taken in. Errors as [`Loader::resume`] does.
    pub fn resume(&self, state: &State) -> Result<DeviceLoader<Epoch>, Error> {
        Ok(self.on_device(self.loader.resume(state)?))
    }

    /// Returns the epochs of a run, one after the other, without end, as [`Loader::epochs`] does.
    pub fn epochs<'a>(
        &'a self,
        from: Option<&State>,
    ) -> Result<impl Iterator<Item = DeviceLoader<Epoch>> + use<'a>, Error> {
        Ok(self.loader.epochs(from)?.map(|epoch| self.on_device(epoch)))
    }

    fn on_device(&self, epoch: Epoch) -> DeviceLoader<Epoch> {
        let batches = DeviceLoader::new(epoch, self.device).ahead(self.ahead);
        let batches = if self.wide { batches.wide_indices() } else { batches };
        self.casts.iter().fold(batches, |batches, (name, kind)| batches.cast(name, *kind))
    }
}

impl Deref for TensorLoader {
    type Target = Loader;

    fn deref(&self) -> &Loader {
        &self.loader
    }
}
