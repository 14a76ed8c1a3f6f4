//! [`Error`]: why a batch does not become tensors, a device cannot be used or a step cannot be recorded.

use graphpack_loader::extend::Cause;
use graphpack_loader::{ErrorKind, Shape};
use std::fmt;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use tch::TchError;

/// Why a batch does not become tensors, a device cannot be used or a step cannot be recorded; also what the loader, a
/// state or libtorch says, which convert into it.
///
/// It has what [`graphpack_loader::Error`] has: [`kind`](graphpack_loader::Error::kind) and the graph, batch or file.
pub struct Error(graphpack_loader::Error);

impl Deref for Error {
    type Target = graphpack_loader::Error;

    fn deref(&self) -> &graphpack_loader::Error {
        &self.0
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source()
    }
}

impl From<graphpack_loader::Error> for Error {
    fn from(error: graphpack_loader::Error) -> Self {
        Self(error)
    }
}

impl From<TchError> for Error {
    fn from(error: TchError) -> Self {
        BridgeError::Torch(error).into()
    }
}

impl From<BridgeError> for Error {
    fn from(error: BridgeError) -> Self {
        Self(error.into())
    }
}

/// The message, so that a `main` that returns the error and `unwrap` print it and not its fields.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A batch that cannot become tensors, a device that cannot be used, or a step that cannot be recorded.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BridgeError {
    #[error("libtorch: {0}")]
    Torch(TchError),
    #[error("libtorch cannot {what}: {why}")]
    Refused { what: &'static str, why: String },
    #[error("saved state of an optimizer: {0}")]
    State(String),
    #[error("results of graphs: {0}")]
    Results(String),
    #[error("checkpoint {}: {why}", path.display())]
    Checkpoint { path: PathBuf, why: String },
    #[error(
        "a captured step takes batches of the same arrays and dtypes: the batch of step {step} differs from the recorded one"
    )]
    Arrays { step: u64 },
    #[error("a captured step takes batches on {expected:?}: the batch of step {step} is on {found:?}")]
    Elsewhere { expected: tch::Device, found: tch::Device, step: u64 },
    #[error("there is no field {name:?} to cast; there are {}", .available.join(", "))]
    NoField { name: String, available: Vec<String> },
    #[error("field {name:?} cannot be cast from {from:?} to {to:?}, which does not have all of its values")]
    Cast { name: String, from: tch::Kind, to: tch::Kind },
    #[error("no step can be recorded in this process any more, restart it; a recording failed: {0}")]
    Recorded(String),
    #[error(
        "a captured step takes batches of one shape: that of step {step} has {found}, \
         expected {expected} as in the first; `CapturedStep::shapes` allows several shapes"
    )]
    Shape { expected: Box<Shape>, found: Box<Shape>, step: u64 },
    #[error("cannot start the thread that copies batches: {0}")]
    Thread(#[source] std::io::Error),
    #[error("the iterator of batches panicked on the thread that copies them to the device: {0}")]
    Panic(String),
    #[error("this libtorch has no CUDA: {0}")]
    NoCuda(String),
    #[error("libtorch has CUDA, but there is no NVIDIA driver: {0}")]
    NoDriver(String),
    #[error("CUDA device {index} was asked for, but the driver shows {available}")]
    NoDevice { index: usize, available: usize },
    #[error("batches go to the CPU or to CUDA, not to {0:?}")]
    Device(tch::Device),
    #[error("device {0:?} is neither cpu nor cuda nor cuda:N nor cuda:rank")]
    Name(String),
    #[error(
        "cuda:rank takes the rank of this process on its machine from LOCAL_RANK (torchrun) or \
         OMPI_COMM_WORLD_LOCAL_RANK (Open MPI); found {0}"
    )]
    NoRank(String),
}

impl Cause for BridgeError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NoField { .. } => ErrorKind::Missing,
            Self::State(_) | Self::Checkpoint { .. } => ErrorKind::Resume,
            Self::Results(_) | Self::Arrays { .. } | Self::Elsewhere { .. } | Self::Shape { .. } => ErrorKind::Data,
            Self::Cast { .. } | Self::Name(_) | Self::NoRank(_) | Self::Device(_) => ErrorKind::Options,
            Self::Panic(_) | Self::Thread(_) => ErrorKind::Load,
            _ => ErrorKind::Device,
        }
    }

    fn path(&self) -> Option<&Path> {
        match self {
            Self::Checkpoint { path, .. } => Some(path),
            _ => None,
        }
    }

    fn step(&self) -> Option<usize> {
        match *self {
            Self::Arrays { step } | Self::Elsewhere { step, .. } | Self::Shape { step, .. } => {
                usize::try_from(step).ok()
            }
            _ => None,
        }
    }
}

impl BridgeError {
    /// Makes an error of what libtorch says when it cannot do something.
    pub(crate) fn cannot(what: &'static str) -> impl Fn(String) -> Error {
        move |why| Self::Refused { what, why }.into()
    }
}
