//! [`Clock`]: counts instructions by the timer of the processor, where the emulator runs one per nanosecond.

use cortex_m::Peripherals;
use cortex_m::peripheral::SYST;
use cortex_m::peripheral::syst::SystClkSource;

/// The timer counts down from this at 25 MHz: it goes around once in 671 million instructions.
const TOP: u32 = 0x00FF_FFFF;
const INSTRUCTIONS_PER_TICK: u64 = 40;

pub(crate) struct Clock(Option<SYST>);

impl Clock {
    /// Counts from here. The first clock of a program alone counts.
    pub(crate) fn new() -> Self {
        let mut timer = Peripherals::take().map(|peripherals| peripherals.SYST);
        if let Some(timer) = &mut timer {
            timer.set_clock_source(SystClkSource::Core);
            timer.set_reload(TOP);
            timer.enable_counter();
        }
        Self(timer)
    }

    pub(crate) fn restart(&mut self) {
        if let Some(timer) = &mut self.0 {
            timer.clear_current();
        }
    }

    /// Instructions since the restart, or since the timer went around.
    pub(crate) fn instructions(&self) -> u64 {
        u64::from((TOP - SYST::get_current()) & TOP) * INSTRUCTIONS_PER_TICK
    }
}
