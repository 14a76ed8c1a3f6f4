//! Counts sizes in fixed memory, without std and without an allocator; exits with 0 if everything is as expected.
#![no_std]
#![no_main]

use core::ffi::c_int;
use core::panic::PanicInfo;
use graphpack_core::stream::{Waiting, Window};
use graphpack_core::{FixedHistogram, FixedHistogramError, FixedLimits, Heuristic, Size};

// C's start-up code and memcpy. Of Rust's libraries only core is linked.
#[link(name = "c")]
unsafe extern "C" {
    fn abort() -> !;
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    // SAFETY: abort takes nothing and does not return.
    unsafe { abort() }
}

/// The precompiled `core` refers to it, although nothing unwinds here.
#[unsafe(no_mangle)]
extern "C" fn rust_eh_personality() {}

/// Returns 0, or the number of the step that went wrong, as an exit status.
#[unsafe(no_mangle)]
extern "C" fn main() -> c_int {
    let mut histogram = FixedHistogram::<2, 4>::new();
    for size in [[3, 4], [9, 20], [3, 4], [5, 8], [7, 14]] {
        if histogram.add(size, 1).is_err() {
            return 1;
        }
    }
    let full = FixedHistogramError::Full { size: [1, 0], capacity: 4 };
    if histogram.add([1, 0], 1) != Err(full) || histogram.iter().next() != Some(([3, 4], 2)) {
        return 2;
    }
    let largest = histogram.iter().map(|(size, _)| Heuristic::Product.value(&Size::new(size))).max();
    if largest != Some(180) {
        return 3;
    }
    let mut memory = [Waiting::EMPTY; 8];
    let mut window = Window::<2, 4, _>::new(FixedLimits::new([9, 20]), &mut memory);
    for (number, size) in [[3, 4], [9, 20], [6, 16]].into_iter().enumerate() {
        // The third graph goes to the first pack.
        if !window.push(size, number).is_ok_and(|placed| placed.pack == number % 2 && placed.closed.is_none()) {
            return 4;
        }
    }
    let mut packs = window.finish();
    if !packs.next().is_some_and(|pack| pack.eq([0, 2])) || packs.count() != 1 {
        return 5;
    }
    0
}
