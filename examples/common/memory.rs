//! [`memory`]: what Linux says about the memory of this process.

use std::fs;

/// Returns the bytes of an entry of `/proc/self/status`: `VmRSS` in memory, `VmHWM` at most so far, `RssAnon` not of
/// files. `None` where the system does not say.
pub(crate) fn memory(key: &str) -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
    Some(line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()? << 10)
}
