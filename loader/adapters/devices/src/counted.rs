//! Counts of the kernels that CubeCL compiles and tunes, from what it logs.

use cubecl::config::autotune::AutotuneLogLevel;
use cubecl::config::compilation::CompilationLogLevel;
use cubecl::config::{CubeClRuntimeConfig, RuntimeConfig};
use log::{LevelFilter, Log, Metadata, Record};
use std::sync::atomic::{AtomicU64, Ordering};

static COUNTS: Counts = Counts { compiled: AtomicU64::new(0), tuned: AtomicU64::new(0) };

struct Counts {
    compiled: AtomicU64,
    tuned: AtomicU64,
}

/// Begins to count; before the first use of a device. Nothing is read from the caches of earlier runs.
pub(crate) fn start() -> Result<(), log::SetLoggerError> {
    let mut config = CubeClRuntimeConfig::default();
    config.compilation.logger.level = CompilationLogLevel::Basic;
    config.compilation.logger.log = Some(Default::default());
    config.autotune.logger.level = AutotuneLogLevel::Minimal;
    config.autotune.logger.log = Some(Default::default());
    config.autotune.disable_cache = true;
    CubeClRuntimeConfig::set(config);
    log::set_logger(&COUNTS)?;
    log::set_max_level(LevelFilter::Info);
    Ok(())
}

/// Kernels compiled so far, and how often the fastest of several was chosen by measuring.
pub(crate) fn kernels() -> [u64; 2] {
    // Messages come from a thread of their own.
    std::thread::sleep(std::time::Duration::from_millis(200));
    [&COUNTS.compiled, &COUNTS.tuned].map(|count| count.load(Ordering::Relaxed))
}

impl Log for Counts {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &Record<'_>) {
        let count = match record.target() {
            "cubecl::compilation" => &self.compiled,
            "cubecl::autotune" => &self.tuned,
            _ => return,
        };
        count.fetch_add(1, Ordering::Relaxed);
    }

    fn flush(&self) {}
}
