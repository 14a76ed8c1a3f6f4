//! Answers the requests that come in over UART 0, and tells the debugger or emulator what that took.
#![no_std]
#![no_main]

mod clock;
mod stack;
mod uart;

use clock::Clock;
use core::fmt::{self, Write};
use core::mem::MaybeUninit;
use core::panic::PanicInfo;
use cortex_m_rt::entry;
use cortex_m_semihosting::debug::{EXIT_FAILURE, EXIT_SUCCESS, exit};
use cortex_m_semihosting::hio;
use session::{Frames, Memory, Plan, Session, read_plan};
use uart::Uart;

#[entry]
fn main() -> ! {
    // Static, so that the linker counts the memory that they take.
    static mut PLAN: Plan = Plan::new();
    static mut MEMORY: Memory = Memory::new();
    static mut FRAMES: Frames = Frames::new();
    static mut SESSION: MaybeUninit<Session<'static>> = MaybeUninit::uninit();
    let mut uart = Uart::new();
    stop(serve(PLAN, MEMORY, FRAMES, SESSION, &mut uart).is_ok())
}

fn serve(
    plan: &'static mut Plan,
    memory: &'static mut Memory,
    frames: &mut Frames,
    session: &mut MaybeUninit<Session<'static>>,
    uart: &mut Uart,
) -> fmt::Result {
    loop {
        if let Some(first) = frames.push(uart.read()) {
            match read_plan(first, plan) {
                Ok(()) => break,
                Err(why) => {
                    writeln!(uart, "error: {why}")?;
                    return Err(fmt::Error);
                }
            }
        }
    }
    let session = session.write(Session::new(plan, memory).map_err(|_| fmt::Error)?);
    let (mut clock, mut instructions) = (Clock::new(), 0);
    loop {
        let Some(frame) = frames.push(uart.read()) else { continue };
        clock.restart();
        let more = session.take(frame, uart)?;
        instructions += clock.instructions();
        if !more {
            break;
        }
    }
    if let Ok(mut console) = hio::hstderr() {
        let _ = writeln!(console, "instructions: {instructions}");
        let _ = writeln!(console, "stack: {}", stack::used());
    }
    Ok(())
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    let _ = writeln!(Uart::new(), "{info}");
    stop(false)
}

/// Ends the program, and tells the debugger or emulator whether it went well.
fn stop(well: bool) -> ! {
    loop {
        exit(if well { EXIT_SUCCESS } else { EXIT_FAILURE });
    }
}
