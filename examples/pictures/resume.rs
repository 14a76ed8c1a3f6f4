//! resume.svg: the graphs of an unbroken epoch, and those of the same epoch after a stop.

use crate::Outcome;
use crate::svg::{Anchor, Area, BLUE, GREEN, GREY, RED, Style, Svg, WHITE};
use graphpack_loader::{Batch, Loader, Options, Order, Shard, State, molecules};
use std::sync::Arc;

const WIDTH: f64 = 960.0;
const LEFT: f64 = 172.0;
const TOP: f64 = 110.0;
const ROW: f64 = 64.0;
const BOX: [f64; 2] = [76.0, 44.0];
const GAP: f64 = 8.0;
/// Batches that the run sees before it stops.
const SEEN: usize = 3;

/// The graphs of a batch; none in an empty one.
type Graphs = Vec<i64>;

/// A row of batches, each in its place in the epoch.
struct Row {
    name: &'static str,
    note: &'static str,
    batches: Vec<(usize, Graphs)>,
}

/// Runs an epoch, stops another one, resumes it, and draws what each saw.
pub(crate) fn draw() -> Outcome<Svg> {
    let data = Arc::new(molecules::generate(7, 32));
    let loader = |shard, workers| {
        let options = Options::graphs(4).order(Order::Shuffled).seed(42).workers(workers);
        Loader::new(data.clone(), options.shard(shard))
    };
    let all = Shard::default();
    let whole = graphs(loader(all, 2)?.epoch(0))?;
    let (before, state) = stopped(&loader(all, 2)?)?;
    let after = graphs(loader(all, 3)?.resume(&state)?)?;
    if [before.as_slice(), after.as_slice()].concat() != whole {
        return Err("the resumed run saw other batches than the unbroken one".into());
    }
    let mut rows = vec![
        Row { name: "never stopped", note: "2 workers", batches: placed(0, 1, whole.clone()) },
        Row { name: "stops", note: "after batch 2", batches: placed(0, 1, before) },
        Row { name: "resumed", note: "3 workers", batches: placed(SEEN, 1, after) },
    ];
    for (rank, [name, note]) in
        [["resumed, rank 0", "of two ranks"], ["resumed, rank 1", "of two ranks"]].into_iter().enumerate()
    {
        let shard = Shard::new(rank as u32, 2)?;
        let seen = graphs(loader(shard, 1)?.resume(&state)?)?;
        rows.push(Row { name, note, batches: placed(SEEN + rank, 2, seen) });
    }
    Ok(picture(&rows, whole.len()))
}

/// A run that ends after some batches, and the state that it kept.
fn stopped(loader: &Loader) -> Outcome<(Vec<Graphs>, State)> {
    let (mut seen, mut kept) = (Vec::new(), None);
    for batch in loader.epoch(0).take(SEEN) {
        let batch: Batch = batch?;
        seen.push(batch.graph_ids().to_vec());
        kept = Some(batch.state());
    }
    Ok((seen, kept.ok_or("the epoch has no batch")?))
}

fn graphs(epoch: graphpack_loader::Epoch) -> Outcome<Vec<Graphs>> {
    epoch.map(|batch| Ok(batch?.graph_ids().to_vec())).collect()
}

/// The places in the epoch of every `world`th batch from `first` on.
fn placed(first: usize, world: usize, batches: Vec<Graphs>) -> Vec<(usize, Graphs)> {
    batches.into_iter().enumerate().map(|(step, graphs)| (first + step * world, graphs)).collect()
}

fn picture(rows: &[Row], batches: usize) -> Svg {
    let mut svg = Svg::new(WIDTH, "What a resumed run sees");
    svg.text([32.0, 40.0], Anchor::Start, Style::TITLE, "What a resumed run sees");
    let note = "Boxes are batches; the numbers in them are the graphs of a real run, in their order.";
    svg.text([32.0, 62.0], Anchor::Start, Style::NOTE, note);
    for batch in 0..batches {
        let x = left(batch) + BOX[0] / 2.0;
        svg.text([x, 98.0], Anchor::Middle, Style::NOTE, &format!("batch {batch}"));
    }
    for (number, row) in rows.iter().enumerate() {
        let y = TOP + number as f64 * ROW;
        svg.text([32.0, y + 19.0], Anchor::Start, Style::HEADING, row.name);
        svg.text([32.0, y + 36.0], Anchor::Start, Style::NOTE, row.note);
        for (place, graphs) in &row.batches {
            batch(&mut svg, y, *place, graphs);
        }
    }
    stop(&mut svg, rows.len());
    svg
}

fn left(place: usize) -> f64 {
    LEFT + place as f64 * (BOX[0] + GAP)
}

fn batch(svg: &mut Svg, y: f64, place: usize, graphs: &[i64]) {
    let area = Area::new([left(place), y], BOX);
    if graphs.is_empty() {
        svg.dashed(area, 4.0, GREY);
        svg.text([area.x + BOX[0] / 2.0, y + 27.0], Anchor::Middle, Style::NOTE, "empty");
        return;
    }
    svg.fill(area, 4.0, if place < SEEN { BLUE } else { GREEN });
    let half = graphs.len().div_ceil(2);
    for (line, ids) in graphs.chunks(half).enumerate() {
        let text = ids.iter().map(i64::to_string).collect::<Vec<_>>().join("\u{2003}");
        let at = [area.x + BOX[0] / 2.0, y + 19.0 + 16.0 * line as f64];
        svg.text(at, Anchor::Middle, Style::BODY.fill(WHITE), &text);
    }
}

/// Where the second run ends, and the others go on.
fn stop(svg: &mut Svg, rows: usize) {
    let (x, y) = (left(SEEN) - GAP / 2.0, TOP + ROW);
    svg.line(&[[x, TOP - 6.0], [x, TOP + ROW * rows as f64 - 14.0]], RED, 1.5);
    svg.text([x + 14.0, y + 19.0], Anchor::Start, Style::BODY.fill(RED), "state = batch.state()");
    let text = "Batches that workers had made ahead are dropped and do not count.";
    svg.text([x + 14.0, y + 36.0], Anchor::Start, Style::NOTE, text);
}
