//! Arrays in npy's format: a [`Header`] with dtype, order and shape, then the elements.

mod header;
#[cfg(feature = "npz")]
mod whole;

pub(crate) use header::Header;
#[cfg(feature = "npz")]
pub(crate) use whole::read;

fn unreadable(error: std::io::Error) -> String {
    format!("cannot be read: {error}")
}
