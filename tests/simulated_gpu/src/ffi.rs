//! `cpp/control.cpp`.

use std::ffi::c_int;

// SAFETY: they take numbers of devices, streams and calls that exist, sizes that were checked, and room for three
// numbers; any thread may call them.
unsafe extern "C" {
    safe fn graphpack_simulated_install() -> c_int;
    safe fn graphpack_simulated_hold(device: c_int, which: c_int, held: c_int);
    safe fn graphpack_simulated_slow(device: c_int, which: c_int, microseconds: i64);
    safe fn graphpack_simulated_settle(milliseconds: i64) -> c_int;
    safe fn graphpack_simulated_work(device: c_int, which: c_int, work: &mut [u64; 3]);
    safe fn graphpack_simulated_reserved() -> u64;
    safe fn graphpack_simulated_current() -> c_int;
    safe fn graphpack_simulated_fail(call: c_int, fails: c_int);
    safe fn graphpack_simulated_libtorch(major: c_int, minor: c_int, more: c_int);
    safe fn graphpack_simulated_queries() -> u64;
}

/// Gives libtorch the devices; false if it has real ones.
pub(crate) fn install() -> bool {
    graphpack_simulated_install() != 0
}

/// Holds streams back, or lets them go on.
pub(crate) fn hold(device: usize, which: c_int, held: bool) {
    graphpack_simulated_hold(device as c_int, which, c_int::from(held));
}

/// Makes every item of streams take at least that long.
pub(crate) fn slow(device: usize, which: c_int, microseconds: i64) {
    graphpack_simulated_slow(device as c_int, which, microseconds);
}

/// Waits until no stream can do anything; false if that takes longer.
pub(crate) fn settle(milliseconds: i64) -> bool {
    graphpack_simulated_settle(milliseconds) != 0
}

/// What streams were given: operations, recorded operations, replays.
pub(crate) fn work(device: usize, which: c_int) -> [u64; 3] {
    let mut work = [0; 3];
    graphpack_simulated_work(device as c_int, which, &mut work);
    work
}

/// Bytes that belong to graphs.
pub(crate) fn reserved() -> u64 {
    graphpack_simulated_reserved()
}

/// This thread's current device.
pub(crate) fn current() -> usize {
    graphpack_simulated_current() as usize
}

/// Makes calls fail, or succeed again.
pub(crate) fn fail(call: c_int, fails: bool) {
    graphpack_simulated_fail(call, c_int::from(fails));
}

/// Makes graphs those of a version of libtorch, 0.0 for the one that is loaded, whose members have `more` bytes than
/// its own, from -90 to 600.
pub(crate) fn libtorch((major, minor): (c_int, c_int), more: c_int) {
    graphpack_simulated_libtorch(major, minor, more.clamp(-90, 600));
}

/// How often this thread has asked whether an event is done.
pub(crate) fn queries() -> u64 {
    graphpack_simulated_queries()
}
