//! Memory of batches: it is not written before it was read, and arrays that are made on the device equal the host's.

use crate::{Gpu, Outcome};
use graphpack_loader::{BoxError, Dtype, Loader, Options, Order, Schema, Size, Slot, Source, Worker};
use graphpack_tch::{DeviceLoader, Pinned, Stream};
use tch::{Device, Kind, Tensor};

/// A source of graphs in which every feature of a graph is its number.
struct Numbered {
    schema: Schema,
    graphs: usize,
    width: usize,
    /// Nodes of the smallest graph.
    nodes: u32,
    /// Whether each node has an edge to the next one.
    ring: bool,
}

impl Numbered {
    fn new(graphs: usize, width: usize, nodes: u32, ring: bool) -> Outcome<Self> {
        let schema = Schema::default().field("x", "nodes", Dtype::F32, &[width]);
        Ok(Self { schema, graphs, width, nodes, ring })
    }
}

impl Source for Numbered {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn len(&self) -> usize {
        self.graphs
    }

    fn size(&self, graph: usize) -> Result<Size, BoxError> {
        let nodes = self.nodes + graph as u32 % 30;
        Ok(Size::new([nodes, if self.ring { nodes } else { 0 }]))
    }

    fn write(&self, graph: usize, slot: &mut Slot<'_>, _: &mut Worker) -> Result<(), BoxError> {
        let [nodes, edges] = slot.size().first();
        slot.set("x", &vec![graph as f32; nodes as usize * self.width])?;
        let sources: Vec<i64> = (0..i64::from(edges)).collect();
        let targets: Vec<i64> = sources.iter().map(|source| (source + 1) % i64::from(nodes)).collect();
        Ok(slot.set_index("edge_index", &[&sources, &targets])?)
    }
}

/// A loader that collates in pinned memory, or in memory of its own.
fn in_memory(source: Numbered, options: Options, pinned: bool) -> Outcome<Loader> {
    Ok(Loader::new(source, if pinned { options.memory(Pinned) } else { options })?)
}

/// Keeps a stream busy for a while.
fn slow(device: Device) -> Outcome<Tensor> {
    let size = if device.is_cuda() { 4096 } else { 64 };
    let matrix = Tensor::f_ones([size, size], (Kind::Float, device))?;
    Ok(matrix.f_matmul(&matrix)?.f_matmul(&matrix)?)
}

/// Batches are read after long work, and dropped at once, so the copies of the next ones run far ahead.
#[test]
#[ignore = "needs a GPU"]
fn no_memory_is_written_early() -> Outcome {
    let gpu = Gpu::alone()?;
    let (device, quick) = (gpu.device, gpu.quick);
    let batches = if quick { 20 } else { 300 };
    let mut seen = 0;
    let mut wrong = Tensor::f_zeros([] as [i64; 0], (Kind::Double, device))?;
    for pinned in [true, false] {
        let options = Options::graphs(64).order(Order::Shuffled).seed(3).workers(2).prefetch(4);
        let loader = in_memory(Numbered::new(32 * batches, 64, 20, false)?, options, pinned && device.is_cuda())?;
        let there = DeviceLoader::new(loader.epoch(0), device).ahead(3);
        for (batch, same) in there.zip(loader.epoch(0)) {
            let (batch, same) = (batch?, same?);
            // The sum of whole numbers is exact. It is the host's: a batch that is overwritten as a whole still agrees
            // with itself.
            let expected: f64 = same.get::<f32>("x")?.iter().copied().map(f64::from).sum();
            let _busy = slow(device)?;
            let found = batch.get("x")?.f_sum(Kind::Double)?;
            let _ = wrong.f_add_(&found.f_sub_scalar(expected)?.f_abs()?)?;
            seen += 1;
        }
    }
    match f64::try_from(&wrong)? {
        0.0 if seen >= batches / 2 => Ok(()),
        wrong => Err(format!("{seen} batches differ by {wrong}").into()),
    }
}

/// Memory that is written on another stream while this one is busy is written early: otherwise the test above could
/// not fail. Some streams share a queue of the device with this one, so several are tried.
#[test]
#[ignore = "needs a GPU"]
fn two_streams_are_in_no_order_by_themselves() -> Outcome {
    let gpu = Gpu::alone()?;
    let (device, quick) = (gpu.device, gpu.quick);
    // Tools that slow the program down change which stream is ahead; a CPU has none.
    if quick {
        return Ok(());
    }
    let (old, new) =
        (Tensor::f_ones([1 << 20], (Kind::Float, device))?, Tensor::f_zeros([1 << 20], (Kind::Float, device))?);
    let _ = slow(device)?;
    for tried in 1..=8 {
        let mut memory = old.f_mul_scalar(1.0)?;
        Stream::current(device)?.synchronize()?;
        for _ in 0..20 {
            let _ = slow(device)?;
        }
        let sum = {
            let read = memory.f_sum(Kind::Double)?;
            let _aside = Stream::new(device)?.enter()?;
            memory.f_copy_(&new)?;
            read
        };
        let found = f64::try_from(sum)?;
        if found != f64::from(1 << 20) {
            println!("seen {found}, streams tried {tried}");
            return Ok(());
        }
    }
    Err("no other stream was ahead, of 8".into())
}

/// In batches so large that `batch` and the masks are not copied, these equal the arrays that the loader wrote.
#[test]
#[ignore = "needs a GPU"]
fn arrays_that_are_made_on_the_device_are_those_of_the_loader() -> Outcome {
    let gpu = Gpu::alone()?;
    let device = gpu.device;
    // On a CPU no array is made.
    let graphs = if device.is_cuda() { 100 } else { 10 };
    let mut shape = None;
    for (narrow, pinned) in [(true, true), (true, false), (false, true)] {
        let options = Options::graphs(graphs as u32).order(Order::Shuffled).seed(5);
        let options = if narrow { options.index(Dtype::I32) } else { options };
        let source = Numbered::new(4 * graphs, 1, 3000, true)?;
        let loader = in_memory(source, options.workers(1), pinned && device.is_cuda())?;
        for wide in [false, true] {
            let on = |device| {
                let batches = DeviceLoader::new(loader.epoch(0), device);
                if wide { batches.wide_indices() } else { batches }
            };
            let mut seen = 0;
            for (there, here) in on(device).zip(on(Device::Cpu)) {
                let (there, here) = (there?, here?);
                shape = Some(here.shape());
                for name in here.layout().arrays().iter().map(|array| &array.name) {
                    let (there, here) = (there.get(name)?, here.get(name)?);
                    if there.kind() != here.kind() || there.f_to_device(Device::Cpu)? != *here {
                        return Err(format!("{name} of batch {seen} is not what the host has").into());
                    }
                }
                seen += 1;
            }
            if seen < 2 {
                return Err(format!("{seen} batches").into());
            }
        }
    }
    let shape = shape.ok_or("no batches")?;
    if device.is_cuda() && (shape.nodes() < 300_000 || shape.edges() < 300_000) {
        return Err(format!("batches of {shape} are too small").into());
    }
    println!("{shape}");
    Ok(())
}
