//! [`Outcome`]: the result of every function of `gpu_bench` that can fail.

use graphpack_loader::extend::panic_message;
use std::error::Error;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The result of every function here that can fail.
pub(crate) type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// Turns a panic into an error, so that the next checks still run: layers of tch panic if libtorch fails.
pub(crate) fn caught<T>(run: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
    catch_unwind(AssertUnwindSafe(run))
        .unwrap_or_else(|panic| Err(format!("panicked: {}", panic_message(&*panic)).into()))
}

/// The message of an error, without libtorch's backtrace.
pub(crate) fn brief(error: &dyn Error) -> String {
    let text = error.to_string();
    text.split("\nException raised from").next().unwrap_or_default().trim_end().to_owned()
}
