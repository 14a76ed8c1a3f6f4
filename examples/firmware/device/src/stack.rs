//! How much of the stack was used. Before `main`, cortex-m-rt fills all of it with one value.

use core::ptr::read_volatile;
use cortex_m_rt::STACK_PAINT_VALUE;

unsafe extern "C" {
    /// The linker's symbols for the lowest address of the stack, above the static variables, and for its start.
    static mut _stack_end: u32;
    static mut _stack_start: u32;
}

/// Bytes from the start of the stack to the last that was written.
pub(crate) fn used() -> usize {
    let (mut free, start) = (&raw const _stack_end, &raw const _stack_start);
    // SAFETY: aligned words of RAM between the two symbols, which no variable lives in below the stack.
    while free < start && unsafe { read_volatile(free) } == STACK_PAINT_VALUE {
        free = free.wrapping_add(1);
    }
    start as usize - free as usize
}
