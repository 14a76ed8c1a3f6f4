//! `debug_is_display!`: errors whose `Debug` is their message.

/// Implements `Debug` as `Display` for an error, so that a `main` that returns it, `unwrap` and `{:?}` print its
/// message and not its fields. The messages of graphpack's errors contain those of their sources.
macro_rules! debug_is_display {
    ($(const $K:ident: )? $error:ty) => {
        impl $(<const $K: usize>)? ::core::fmt::Debug for $error {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                ::core::fmt::Display::fmt(self, f)
            }
        }
    };
}

pub(crate) use debug_is_display;
