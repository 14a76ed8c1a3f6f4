//! Packs the graphs whose sizes come in over UART 0, and writes the batches there.
#![no_std]
#![no_main]

mod uart;

use core::fmt::Write;
use core::mem::MaybeUninit;
use core::panic::PanicInfo;
use cortex_m_rt::entry;
use cortex_m_semihosting::debug::{EXIT_FAILURE, EXIT_SUCCESS, exit};
use session::{Input, Session, SessionError};
use uart::Uart;

#[entry]
fn main() -> ! {
    // In place from the beginning: the linker counts what a session takes.
    static mut SESSION: MaybeUninit<Session> = MaybeUninit::uninit();
    let outcome = pack(SESSION);
    if let Err(error) = &outcome {
        let _ = writeln!(Uart, "error: {error}");
    }
    stop(outcome.is_ok())
}

fn pack(memory: &mut MaybeUninit<Session>) -> Result<(), SessionError> {
    let mut input = Input::new(uart::receiver());
    memory.write(Session::receive(&mut input)?).run(&mut input, &mut Uart)
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    let _ = writeln!(Uart, "{info}");
    stop(false)
}

/// Tells debugger or emulator how it went.
fn stop(well: bool) -> ! {
    loop {
        exit(if well { EXIT_SUCCESS } else { EXIT_FAILURE });
    }
}
