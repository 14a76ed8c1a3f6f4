//! [`Row`]: what one engine takes for a way to sum and a way to batch; its answers must be the trained network's.

use crate::Outcome;
use crate::engine::{Engine, EngineName};
use crate::inputs::{Sums, inputs};
use crate::memory::memory;
use crate::ways::Way;
use graphpack_loader::{Batch, Data, GraphResults, Loader, Store};
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::time::{Duration, Instant};

/// The graphs, in the folder of a run.
pub const GRAPHS: &str = "graphs.safetensors";
/// The answers of the trained network to the first of these, little-endian float32.
const ANSWERS: &str = "answers.f32";
/// How far an answer may be from that of the trained network, of 1 or of its size if that is more.
const TOLERANCE: f32 = 1e-4;
/// Epochs are run for this time at least.
const TIMED: Duration = Duration::from_secs(2);

/// What was measured, on one thread that makes batches and runs the model.
pub struct Row {
    engine: EngineName,
    way: Way,
    models: Vec<String>,
    graphs_per_second: f64,
    /// From the first graph of a batch to its answers: half of all batches take less.
    latency: Duration,
    /// What the process has in memory beside the graphs.
    resident: Option<u64>,
}

/// Models by name; dynamic axes have one for all shapes.
struct Models {
    engines: BTreeMap<String, Engine>,
    way: Way,
    sums: Sums,
}

impl Row {
    pub const HEADER: &str = "| engine | way | models | graphs/s | latency, ms | MB |\n\
                              |---|---|---|---|---|---|";

    /// Runs the models of a folder. Errors if an answer is not the trained network's.
    pub fn run(folder: &Path, engine: EngineName, sums: Sums, way: Way) -> Outcome<Self> {
        let answers = answers(&folder.join(ANSWERS))?;
        let store = Store::open(folder.join(GRAPHS))?;
        let data = sums.prepare(&Data::from(store))?;
        let before = memory("VmRSS");
        let loader = way.loader(&data, answers.len())?;
        let mut models = Models { engines: BTreeMap::new(), way, sums };
        for name in way.models(&data, sums)? {
            let model = Engine::load(engine, &folder.join(format!("{name}.onnx")))?;
            models.engines.insert(name, model);
        }
        // Also the first run of each model, which takes longer than others.
        check(&answers, &answer(&loader, &mut models)?)?;
        let (mut latencies, mut graphs, start) = (Vec::new(), 0, Instant::now());
        while start.elapsed() < TIMED {
            let mut begun = Instant::now();
            for batch in loader.epoch(0) {
                let batch = batch?;
                models.run(&batch)?;
                graphs += batch.real().graphs();
                latencies.push(begun.elapsed());
                drop(batch);
                begun = Instant::now();
            }
        }
        let seconds = start.elapsed().as_secs_f64();
        latencies.sort();
        Ok(Self {
            engine,
            way,
            models: models.engines.into_keys().collect(),
            graphs_per_second: graphs as f64 / seconds,
            latency: latencies.get(latencies.len() / 2).copied().unwrap_or_default(),
            resident: memory("VmRSS").zip(before).map(|(after, before)| after.saturating_sub(before)),
        })
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { engine, way, graphs_per_second, .. } = self;
        let (models, latency) = (self.models.join(", "), 1e3 * self.latency.as_secs_f64());
        let resident = self.resident.map_or("unknown".into(), |bytes| (bytes / 1_000_000).to_string());
        write!(f, "| {engine} | {way} | {models} | {graphs_per_second:.0} | {latency:.2} | {resident} |")
    }
}

impl Models {
    fn run(&mut self, batch: &Batch) -> Outcome<Vec<f32>> {
        let key = self.way.model(self.sums, batch.shape());
        let known = self.engines.keys().cloned().collect::<Vec<_>>().join(", ");
        let engine = self.engines.get_mut(&key);
        let engine = engine.ok_or_else(|| format!("a batch for {key}: expected a model that is loaded, {known}"))?;
        engine.run(&inputs(batch, self.sums)?)
    }
}

/// Returns the answers to all graphs of a loader, in the order of its data.
fn answer(loader: &Loader, models: &mut Models) -> Outcome<Vec<f32>> {
    let mut results = GraphResults::new();
    for batch in loader.epoch(0) {
        let batch = batch?;
        let answers = models.run(&batch)?;
        results.add(&batch, answers)?;
    }
    Ok(results.in_order(loader.data())?)
}

/// Errors if an answer is not the expected one.
fn check(expected: &[f32], found: &[f32]) -> Outcome<()> {
    let is_near = |(expected, found): (&f32, &f32)| (expected - found).abs() <= TOLERANCE * expected.abs().max(1.0);
    match expected.iter().zip(found).position(|pair| !is_near(pair)) {
        Some(graph) => {
            let (expected, found) = (expected[graph], found[graph]);
            Err(format!("graph {graph}: expected the trained network's answer {expected}, found {found}").into())
        }
        None => Ok(()),
    }
}

fn answers(path: &Path) -> Outcome<Vec<f32>> {
    let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let (answers, rest) = bytes.as_chunks::<4>();
    if answers.is_empty() || !rest.is_empty() {
        return Err(format!("{}: expected numbers of 4 bytes, found {} bytes", path.display(), bytes.len()).into());
    }
    Ok(answers.iter().copied().map(f32::from_le_bytes).collect())
}
