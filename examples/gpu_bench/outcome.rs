//! [`Outcome`]: what everything of `gpu_bench` returns.

use graphpack_loader::panic_message;
use std::error::Error;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Of everything here.
pub(crate) type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// A panic becomes an error, so that what comes afterwards is done all the same. Layers of tch panic where libtorch fails.
pub(crate) fn caught<T>(run: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
    catch_unwind(AssertUnwindSafe(run))
        .unwrap_or_else(|panic| Err(format!("panicked: {}", panic_message(&*panic)).into()))
}

/// What an error says, without the places in libtorch that it came through.
pub(crate) fn brief(error: &dyn Error) -> String {
    let text = error.to_string();
    text.split("\nException raised from").next().unwrap_or_default().trim_end().to_owned()
}
