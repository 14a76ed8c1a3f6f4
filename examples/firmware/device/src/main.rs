//! Packs the graphs whose sizes come in over UART 0, and writes the batches there.
#![no_std]
#![no_main]

mod stack;
mod uart;

use core::fmt::Write;
use core::mem::MaybeUninit;
use core::panic::PanicInfo;
use cortex_m_rt::entry;
use cortex_m_semihosting::debug::{EXIT_FAILURE, EXIT_SUCCESS, exit};
use session::{Input, Memory, Plan, Session, SessionError};
use uart::Uart;

#[entry]
fn main() -> ! {
    // Static, so that the linker counts the memory that they take.
    static mut PLANS: [Plan; 2] = [Plan::new(), Plan::new()];
    static mut SESSION: MaybeUninit<Session<'static>> = MaybeUninit::uninit();
    static mut MEMORY: Memory = Memory::new();
    let outcome = pack(PLANS, SESSION, MEMORY);
    if let Err(error) = &outcome {
        let _ = writeln!(Uart, "error: {error}");
    }
    stack::report();
    stop(outcome.is_ok())
}

fn pack(
    [plan, own]: &'static mut [Plan; 2],
    session: &mut MaybeUninit<Session<'static>>,
    memory: &'static mut Memory,
) -> Result<(), SessionError> {
    let mut input = Input::new(uart::receiver());
    session::receive(&mut input, plan)?;
    session.write(Session::new(plan, memory)).run(own, &mut input, &mut Uart)
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    let _ = writeln!(Uart, "{info}");
    stop(false)
}

/// Ends the program, and tells the debugger or emulator whether it went well.
fn stop(well: bool) -> ! {
    loop {
        exit(if well { EXIT_SUCCESS } else { EXIT_FAILURE });
    }
}
