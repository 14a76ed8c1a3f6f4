//! Arrays in npy's format: a [`Header`] with dtype, order and shape, then the elements.

mod header;
mod whole;

pub use header::Header;
pub use whole::read;

fn unreadable(error: std::io::Error) -> String {
    format!("cannot be read: {error}")
}
