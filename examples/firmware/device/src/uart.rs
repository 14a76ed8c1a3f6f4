//! [`Uart`]: the first serial line of the board.
//!
//! The emulator needs neither clock nor baud rate; on a real board both must be set up first. The queue stays off, as
//! after a reset, because switching it on would drop bytes that have come in already.

use core::fmt;
use core::hint::spin_loop;
use core::ptr::{read_volatile, write_volatile};
use cortex_m::Peripherals;
use cortex_m::peripheral::syst::SystClkSource;

/// Data and flags of UART 0 (LM3S6965 data sheet, section 12.5).
const DATA: *mut u32 = 0x4000_C000 as *mut u32;
const FLAGS: *const u32 = 0x4000_C018 as *const u32;
const RECEIVE_EMPTY: u32 = 1 << 4;
const TRANSMIT_FULL: u32 = 1 << 5;

/// Rounds of the timer without a byte, of 2^24 cycles or about a second each, after which the input has ended.
const PATIENCE: u32 = 3;

/// Writes to UART 0.
pub(crate) struct Uart;

impl fmt::Write for Uart {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            while flags() & TRANSMIT_FULL != 0 {
                spin_loop();
            }
            // SAFETY: the data register of UART 0 of this chip, always mapped; writing sends the lowest byte.
            unsafe { write_volatile(DATA, u32::from(byte)) }
        }
        Ok(())
    }
}

/// Returns a function that waits for the next byte, and gives up after [`PATIENCE`] rounds.
pub(crate) fn receiver() -> impl FnMut() -> Option<u8> {
    let mut timer = Peripherals::take().map(|peripherals| peripherals.SYST);
    if let Some(timer) = &mut timer {
        timer.set_clock_source(SystClkSource::Core);
        timer.set_reload(0x00FF_FFFF);
        timer.enable_counter();
    }
    move || {
        let mut rounds = 0;
        if let Some(timer) = &mut timer {
            timer.clear_current();
        }
        while flags() & RECEIVE_EMPTY != 0 {
            rounds += u32::from(timer.as_mut().is_some_and(|timer| timer.has_wrapped()));
            if rounds == PATIENCE {
                return None;
            }
        }
        // SAFETY: the data register of UART 0 of this chip, always mapped; above the byte are error flags.
        Some(unsafe { read_volatile(DATA) } as u8)
    }
}

fn flags() -> u32 {
    // SAFETY: the flag register of UART 0 of this chip, always mapped; reading changes nothing.
    unsafe { read_volatile(FLAGS) }
}
