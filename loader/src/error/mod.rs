//! [`Error`]: why data, a loader or an epoch cannot be had.
//!
//! What exactly can go wrong is said next to the code that finds it, by a private type that is a [`Cause`]; those of
//! building a loader and of running an epoch are here.

mod build;
mod load;

pub(crate) use build::BuildError;
pub(crate) use load::LoadError;
use std::any::Any;
use std::error::Error as StdError;
use std::path::{Path, PathBuf};
use std::{fmt, io};

/// What a [`Source`](crate::Source) or a map of your own returns if it cannot write a graph: an error of any type.
pub type BoxError = Box<dyn StdError + Send + Sync>;

/// Why data cannot be read, a loader not be made, or an epoch not go on. The text says what was expected and what was
/// found, with the graph, the batch or the file.
///
/// An error that a [`Source`](crate::Source) or map of your own returned is part of the text, and
/// [`get_ref`](Self::get_ref) returns it, to be downcast.
///
/// ```
/// use graphpack_loader::{ErrorKind, Limits, Loader, Options, molecules};
///
/// let options = Options::default().capacity(Limits::new([8, 16]));
/// let error = Loader::new(molecules::generate(1, 100), options).err().expect("larger molecules");
/// assert_eq!((error.kind(), error.graph()), (ErrorKind::Options, Some(0)));
/// assert!(error.to_string().ends_with("or use Oversize::Skip, Oversize::Alone or Oversize::Trim"));
/// ```
pub struct Error(Box<dyn Cause>);

impl Error {
    /// Returns which kind of thing is wrong.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind()
    }

    /// Returns the number of the graph in the data set that the error is about.
    pub fn graph(&self) -> Option<u64> {
        self.0.graph()
    }

    /// Returns the file or folder that the error is about.
    pub fn path(&self) -> Option<&Path> {
        self.0.path()
    }

    /// Returns the number of the step that the error is about: how many batches of the epoch the rank gets before.
    pub fn step(&self) -> Option<usize> {
        self.0.step()
    }

    /// Returns the error that caused this one, to be downcast: what a [`Source`](crate::Source) or map of your own
    /// returned, or the error of a file. The text of this error includes its text.
    pub fn get_ref(&self) -> Option<&(dyn StdError + 'static)> {
        let told = self.0.source()?;
        match told.downcast_ref::<Self>() {
            Some(own) => own.get_ref().or(Some(told)),
            None => Some(told),
        }
    }

    /// Returns the reason if it is of type `C`: the crate that made the error knows it.
    pub fn cause<C: Cause>(&self) -> Option<&C> {
        (&*self.0 as &dyn Any).downcast_ref()
    }

    /// The reason if it is of type `C`, by value.
    pub(crate) fn into_cause<C: Cause>(self) -> Result<C, Self> {
        if self.cause::<C>().is_none() {
            return Err(self);
        }
        let cause: Box<dyn Any> = self.0;
        Ok(*cause.downcast().expect("of this type"))
    }

    /// The reason if it is of type `C`, to be changed.
    pub(crate) fn cause_mut<C: Cause>(&mut self) -> Option<&mut C> {
        (&mut *self.0 as &mut dyn Any).downcast_mut()
    }
}

/// What kind of thing is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Options contradict each other or the data.
    Options,
    /// Data contradict their schema or each other, or lack what is asked for.
    Data,
    /// There is no array, field or index of this name, or the graph does not have it yet.
    Missing,
    /// A file cannot be read or written.
    File,
    /// What a file has is damaged, or not as its format must be.
    Format,
    /// An epoch ends early.
    Load,
    /// A state belongs to other data or options.
    Resume,
    /// There is more than an algorithm or memory takes.
    TooLarge,
    /// An output is there already.
    Exists,
    /// The work was stopped before its end, and can be taken up again.
    Stopped,
    /// A device or libtorch cannot do what is asked for.
    Device,
}

/// A reason for an [`Error`], which it converts into: for crates that build on this one.
pub trait Cause: StdError + Any + Send + Sync {
    /// As [`Error::kind`].
    fn kind(&self) -> ErrorKind;

    /// As [`Error::graph`].
    fn graph(&self) -> Option<u64> {
        None
    }

    /// As [`Error::path`].
    fn path(&self) -> Option<&Path> {
        None
    }

    /// As [`Error::step`].
    fn step(&self) -> Option<usize> {
        None
    }
}

impl<C: Cause> From<C> for Error {
    fn from(cause: C) -> Self {
        Self(Box::new(cause))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// As `Display`, so that a `main` which returns the error prints it in words.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl StdError for Error {
    /// What the text does not say: the source of the one that it does.
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source()?.source()
    }
}

/// Returns a function for `map_err` that adds the path of the file to an error of reading or writing it.
pub fn file_error(path: &(impl AsRef<Path> + ?Sized)) -> impl Fn(io::Error) -> Error + Copy {
    move |source| FileIo { path: path.as_ref().to_owned(), source }.into()
}

/// A file cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[error("{}: {source}", .path.display())]
struct FileIo {
    path: PathBuf,
    source: io::Error,
}

impl Cause for FileIo {
    fn kind(&self) -> ErrorKind {
        match self.source.kind() {
            io::ErrorKind::AlreadyExists => ErrorKind::Exists,
            io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => ErrorKind::Format,
            _ => ErrorKind::File,
        }
    }

    fn path(&self) -> Option<&Path> {
        Some(&self.path)
    }
}

/// What this crate itself returned as an error of data, for what it knows of graphs and files.
pub(crate) fn own(error: &BoxError) -> Option<&Error> {
    error.downcast_ref()
}

/// Returns `are a, b, c`, or `are none`.
pub(crate) fn listed(names: &[String]) -> String {
    format!("are {}", if names.is_empty() { "none".into() } else { names.join(", ") })
}

/// Returns the text of a caught panic, for an error that carries it to the consumer.
pub fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "the panic has no text".into())
}
