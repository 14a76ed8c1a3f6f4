//! [`Format`]: how results are printed.

/// How results are printed.
#[derive(Clone, Copy, clap::ValueEnum)]
pub(crate) enum Format {
    Text,
    Json,
}
