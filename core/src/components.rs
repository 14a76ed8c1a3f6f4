//! [`components!`](crate::components): from a number of components that is known at run time to types of K components.

/// The most components that [`components!`](crate::components) chooses among. Types take any K.
pub const MAX_COMPONENTS: usize = 8;

/// `components!(count, K => expression)` evaluates the expression with a `const K: usize` that is equal to `count`, and
/// returns its value in `Some`; `None` if `count` is not 1 to [`MAX_COMPONENTS`](crate::MAX_COMPONENTS).
///
/// The expression is compiled once for each K, so let it call one generic function.
///
/// ```
/// use graphpack_core::{Size, components};
///
/// fn slots<const K: usize>(room: &[u32]) -> Option<u32> {
///     let size = Size::<K>(room.try_into().ok()?);
///     Some(size.0.iter().sum())
/// }
///
/// let room = [32, 64, 128]; // as a file has it, say
/// assert_eq!(components!(room.len(), K => slots::<K>(&room)), Some(Some(224)));
/// assert_eq!(components!(9, K => K), None);
/// ```
#[macro_export]
macro_rules! components {
    ($count:expr, $K:ident => $value:expr) => {
        $crate::components!(@match $count, $K => $value, 1 2 3 4 5 6 7 8)
    };
    (@match $count:expr, $K:ident => $value:expr, $($k:literal)*) => {
        match $count {
            $($k => {
                const $K: usize = $k;
                ::core::option::Option::Some($value)
            })*
            _ => ::core::option::Option::None,
        }
    };
}
