//! A run of the loader with two workers and stand-in work, and when each thread did what.

use crate::Outcome;
use graphpack_loader::{Batch, Data, Error, Grouping, Loader, Options, Order, Slot, molecules};
use std::hint::black_box;
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

const PREFETCH: usize = 2;
/// What a worker does with a graph beside copying its rows.
pub(crate) const GRAPH: Duration = Duration::from_micros(600);
/// What a copy to a device takes.
pub(crate) const COPY: Duration = Duration::from_millis(2);
/// What a training step takes.
pub(crate) const STEP: Duration = Duration::from_millis(9);

/// Who does something.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Lane {
    Worker(usize),
    Copy,
    Step,
}

/// Something that was done with batch `step`, in milliseconds since the epoch began.
#[derive(Clone, Copy)]
pub(crate) struct Span {
    pub(crate) lane: Lane,
    pub(crate) step: usize,
    pub(crate) from: f64,
    pub(crate) to: f64,
}

/// One graph in the hands of a worker.
struct Touch {
    graph: i64,
    worker: usize,
    from: f64,
    to: f64,
}

/// The spans of an epoch, in no order.
pub(crate) fn run() -> Outcome<Vec<Span>> {
    let begun = Instant::now();
    let now = move || begun.elapsed().as_secs_f64() * 1e3;
    let touches = Arc::new(Mutex::new(Vec::new()));
    let log = touches.clone();
    let touch = move |graph: &mut Slot<'_>| {
        let from = now();
        thread::sleep(GRAPH);
        let name = thread::current().name().unwrap_or_default().to_owned();
        let worker = name.rsplit('-').next().and_then(|number| number.parse().ok()).unwrap_or(0);
        let touch = Touch { graph: graph.number() as i64, worker, from, to: now() };
        log.lock().map_err(|_| "a worker panicked")?.push(touch);
        Ok(())
    };
    let data = Data::from(molecules::generate(7, 200)).map("touch", touch);
    let options = Options::graphs(10).order(Order::Shuffled).seed(1).workers(2).prefetch(PREFETCH);
    // The incomplete batch is the last one.
    let loader = Loader::new(data, options.grouping(Grouping::InOrder))?;

    // As the loader of a device does: one batch waits on the device, one is in the hands of the thread.
    let (sender, ready) = sync_channel(1);
    let epoch = loader.epoch(0);
    let start = now();
    let copying = thread::spawn(move || {
        let mut copies = Vec::new();
        for (step, batch) in epoch.enumerate() {
            let (batch, from) = (batch?, now());
            black_box(batch.bytes().to_vec());
            thread::sleep(COPY);
            copies.push(Span { lane: Lane::Copy, step, from, to: now() });
            if sender.send(batch).is_err() {
                break;
            }
        }
        Ok::<_, Error>(copies)
    });
    let (batches, mut spans) = train(&ready, now);
    spans.extend(copying.join().map_err(|_| "the copying thread panicked")??);
    let touches = touches.lock().map_err(|_| "a worker panicked")?;
    for (step, batch) in batches.iter().enumerate() {
        let mine = || touches.iter().filter(|touch| batch.graph_ids().contains(&touch.graph));
        let Some(first) = mine().next() else { continue };
        let from = mine().map(|touch| touch.from).fold(f64::MAX, f64::min);
        let to = mine().map(|touch| touch.to).fold(0.0, f64::max);
        spans.push(Span { lane: Lane::Worker(first.worker), step, from, to });
    }
    for span in &mut spans {
        (span.from, span.to) = (span.from - start, span.to - start);
    }
    Ok(spans)
}

/// Takes all batches, a step for each.
fn train(ready: &Receiver<Batch>, now: impl Fn() -> f64) -> (Vec<Batch>, Vec<Span>) {
    let (mut batches, mut spans) = (Vec::new(), Vec::new());
    for (step, batch) in ready.iter().enumerate() {
        let from = now();
        thread::sleep(STEP);
        spans.push(Span { lane: Lane::Step, step, from, to: now() });
        batches.push(batch);
    }
    (batches, spans)
}
