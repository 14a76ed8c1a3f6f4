//! What a training waits for: time counts while its stream is idle, and nobody asks again and again whether it is.

use graphpack_loader::{Loader, Options, molecules};
use graphpack_simulated_gpu::{Gpu, Streams};
use graphpack_tch::DeviceLoader;
use std::error::Error;
use std::sync::mpsc::channel;
use std::thread::{sleep, spawn};
use std::time::{Duration, Instant};
use tch::{Kind, Tensor};

const PAUSE: Duration = Duration::from_millis(200);

/// What the stream does while the training waits for a batch.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Work {
    None,
    AtFirst,
    AllTheTime,
}

#[test]
fn waiting_counts_where_the_stream_is_idle_and_asks_once() -> Result<(), Box<dyn Error>> {
    let Some(gpu) = Gpu::alone() else { return Ok(()) };
    let device = gpu.device(0);
    let loader = Loader::new(molecules::generate(3, 200), Options::graphs(16))?;
    let (give, given) = channel();
    let batches = loader.epoch(0).inspect(move |_| given.recv().unwrap_or_default());
    let mut batches = DeviceLoader::new(batches, device).ahead(1);
    // Dropped before the batches, whose thread would wait for it.
    let give = give;
    give.send(())?;
    drop(batches.next().ok_or("a batch")??);
    let mut number = Tensor::zeros([10], (Kind::Float, device));
    for work in [Work::None, Work::AllTheTime, Work::None, Work::AtFirst] {
        let held = (work != Work::None).then(|| gpu.hold(device, Streams::Default));
        let _ = number.f_add_scalar_(1)?;
        if work == Work::None {
            gpu.settle();
        }
        let (waited, queries, begun) = (batches.waited(), gpu.queries(), Instant::now());
        let give = give.clone();
        // Returns when the stream came to rest at the earliest, and when the batch came.
        let later = spawn(move || {
            sleep(PAUSE);
            let rest = Instant::now();
            let held = held.filter(|_| work == Work::AllTheTime);
            sleep(PAUSE);
            let came = Instant::now();
            give.send(()).map(|()| (held, rest, came))
        });
        drop(batches.next().ok_or("a batch")??);
        let (waited, queries, end) = (batches.waited() - waited, gpu.queries() - queries, Instant::now());
        let (held, rest, came) = later.join().map_err(|_| "nothing panics")??;
        drop(held);
        let idle = match work {
            Work::None => came - begun..end - begun,
            Work::AtFirst => came - rest..end - rest,
            Work::AllTheTime => Duration::ZERO..Duration::ZERO,
        };
        // It takes a moment until the other side sees that something has happened.
        assert!(waited + PAUSE / 2 > idle.start && waited <= idle.end, "{waited:?}, expected {idle:?} of {work:?}");
        assert!(queries < 5, "{queries} questions");
    }
    Ok(())
}
