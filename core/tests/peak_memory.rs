//! The configuration program takes at most 64 MB. A binary of its own, since it counts every byte.

#[path = "common/draw.rs"]
mod draw;
#[path = "common/instances.rs"]
mod instances;

use graphpack_core::{Budget, Histogram, Limits, Packer};
use instances::{few_per_pack, four_sets, one_of_each};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts bytes.
struct Counting;

static BYTES: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let bytes = BYTES.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(bytes, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        BYTES.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn check(name: &str, (histogram, limits): (Histogram, Limits)) {
    let before = BYTES.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    let plan = Packer::Columns(Budget::default()).pack(&histogram, &limits).map(|plan| plan.packs());
    let peak = PEAK.load(Ordering::Relaxed) - before;
    println!("{name}: {} MB at most, {plan:?} packs", peak >> 20);
    assert!(peak <= 64 << 20, "{name}: {peak} bytes");
}

/// One test, since the counter sees all threads of the process.
#[test]
fn a_program_takes_at_most_64_mb() {
    check("three sizes", one_of_each());
    check("packs of one to three graphs", few_per_pack(1, 1000));
    check("four sets", four_sets());
    // A grid as large as one may be, and the most sizes.
    let mut draw = draw::Draw::new(6);
    let mut sizes = |from: u32, to: u32| ([draw.one(from..=to), draw.one(from..=to)], 100);
    let grid = Histogram::from_counts((0..300).map(|_| sizes(100, 1400))).unwrap();
    check("a large grid", (grid, Limits::new([1440, 1450])));
    let many = Histogram::from_counts((0..16_300).map(|_| sizes(1000, 9999))).unwrap();
    check("16,300 sizes", (many, Limits::new([20_000, 20_000])));
}
