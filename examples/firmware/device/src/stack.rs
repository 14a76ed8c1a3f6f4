//! How much of the stack was used: cortex-m-rt painted it all before `main`.

use core::fmt::Write;
use core::ptr::read_volatile;
use cortex_m_rt::STACK_PAINT_VALUE;
use cortex_m_semihosting::hio;

unsafe extern "C" {
    /// Where the stack would meet the static variables, and where it begins, by the linker.
    static mut _stack_end: u32;
    static mut _stack_start: u32;
}

/// Tells debugger or emulator, on its own standard error.
pub(crate) fn report() {
    let (mut free, start) = (&raw const _stack_end, &raw const _stack_start);
    // SAFETY: aligned words of RAM between the two symbols, which no variable lives in below the stack.
    while free < start && unsafe { read_volatile(free) } == STACK_PAINT_VALUE {
        free = free.wrapping_add(1);
    }
    if let Ok(mut console) = hio::hstderr() {
        let _ = writeln!(console, "stack: {}", start as usize - free as usize);
    }
}
