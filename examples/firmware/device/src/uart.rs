//! [`Uart`]: the first serial line of the board, a CMSDK UART. The emulator ignores its speed; on a board the divider
//! must be that of the clock.

use core::fmt;
use core::hint::spin_loop;
use core::ptr::{read_volatile, write_volatile};

/// Registers of UART 0 (Arm AN386, table 4-1; CMSDK reference manual, section 4.3).
const UART: *mut u32 = 0x4000_4000 as *mut u32;
const DATA: usize = 0;
const STATE: usize = 1;
const CONTROL: usize = 2;
const DIVIDER: usize = 4;
const TRANSMIT_FULL: u32 = 1;
const RECEIVE_FULL: u32 = 2;
const BOTH_WAYS: u32 = 3;

/// The line that is switched on.
pub(crate) struct Uart(());

impl Uart {
    /// Switches the line on.
    pub(crate) fn new() -> Self {
        write(DIVIDER, 16);
        write(CONTROL, BOTH_WAYS);
        Self(())
    }

    /// Waits for the next byte.
    pub(crate) fn read(&mut self) -> u8 {
        while read(STATE) & RECEIVE_FULL == 0 {
            spin_loop();
        }
        read(DATA) as u8
    }
}

impl fmt::Write for Uart {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            while read(STATE) & TRANSMIT_FULL != 0 {
                spin_loop();
            }
            write(DATA, u32::from(byte));
        }
        Ok(())
    }
}

fn read(register: usize) -> u32 {
    // SAFETY: a register of the UART of this board, always mapped.
    unsafe { read_volatile(UART.wrapping_add(register)) }
}

fn write(register: usize, value: u32) {
    // SAFETY: as above; what a register does is the UART's alone.
    unsafe { write_volatile(UART.wrapping_add(register), value) }
}
