//! timeline.svg: the way of batches through two workers and a copying thread to the training loop.

use crate::Outcome;
use crate::recorded::{self, COPY, GRAPH, Lane, STEP, Span};
use crate::svg::{AMBER, Anchor, Area, BLUE, EMPTY, GREY, RED, Style, Svg, WHITE};

/// Steps that are drawn; the run goes on after them.
const SHOWN: usize = 9;
/// Milliseconds that are not drawn as waiting: switching between threads.
const NOTICED: f64 = 0.8;

const WIDTH: f64 = 960.0;
const LEFT: f64 = 176.0;
const RIGHT: f64 = 32.0;
const TOP: f64 = 92.0;
const BAR: f64 = 26.0;
/// A batch that lies in a queue.
const QUEUED: f64 = 6.0;
const FAINT: &str = "#b6bec8";

/// Records a run and draws it.
pub(crate) fn draw() -> Outcome<Svg> {
    let spans = recorded::run()?;
    Ok(Picture::new(&spans).draw(&spans))
}

/// Where time and lanes lie.
struct Picture {
    pixels: f64,
    end: f64,
}

impl Picture {
    fn new(spans: &[Span]) -> Self {
        let shown = spans.iter().filter(|span| span.lane == Lane::Step && span.step < SHOWN);
        let end = shown.map(|span| span.to).fold(0.0, f64::max);
        Self { pixels: (WIDTH - LEFT - RIGHT) / end.max(1.0), end }
    }

    fn x(&self, time: f64) -> f64 {
        LEFT + self.pixels * time.clamp(0.0, self.end)
    }

    fn y(lane: Lane) -> f64 {
        TOP + match lane {
            Lane::Worker(worker) => 40.0 * worker as f64,
            Lane::Copy => 138.0,
            Lane::Step => 228.0,
        }
    }

    fn area(&self, [from, to]: [f64; 2], y: f64, height: f64) -> Area {
        Area::new([self.x(from), y], [self.x(to) - self.x(from), height])
    }

    fn draw(&self, spans: &[Span]) -> Svg {
        let mut svg = Svg::new(WIDTH, "The way of a batch through threads to the device");
        svg.text([RIGHT, 40.0], Anchor::Start, Style::TITLE, "The way of a batch");
        let note = "Two workers collate in turn, a thread copies ahead, the loop steps. Numbers are batches.";
        svg.text([RIGHT, 62.0], Anchor::Start, Style::NOTE, note);
        names(&mut svg);
        for lane in [Lane::Worker(0), Lane::Worker(1), Lane::Copy, Lane::Step] {
            self.waits(&mut svg, lane, spans);
        }
        for span in spans.iter().filter(|span| span.from < self.end) {
            let area = self.area([span.from, span.to], Self::y(span.lane), BAR);
            svg.fill(area, 3.0, colour(span.step));
            let number = span.step.to_string();
            if area.width > 10.0 * number.len() as f64 + 2.0 {
                let middle = [area.x + area.width / 2.0, area.y + 18.0];
                svg.text(middle, Anchor::Middle, Style::HEADING.fill(WHITE), &number);
            }
        }
        let worker = |lane| matches!(lane, Lane::Worker(_));
        self.queue(&mut svg, Self::y(Lane::Copy) - 54.0, spans, worker, |lane| lane == Lane::Copy);
        self.queue(&mut svg, Self::y(Lane::Step) - 50.0, spans, |lane| lane == Lane::Copy, |lane| lane == Lane::Step);
        self.axis(&mut svg);
        svg
    }

    /// The time between the work of a lane: waiting for a batch or for room in a queue.
    fn waits(&self, svg: &mut Svg, lane: Lane, spans: &[Span]) {
        let mut mine = spans.iter().filter(|span| span.lane == lane).collect::<Vec<_>>();
        mine.sort_by_key(|span| span.step);
        let mut end = 0.0;
        for span in mine {
            if span.from - end > NOTICED && end < self.end {
                let area = self.area([end, span.from], Self::y(lane), BAR);
                let inner = Area::new([area.x + 2.0, area.y + 1.0], [area.width - 4.0, BAR - 2.0]);
                let first = lane == Lane::Step && end == 0.0;
                svg.dashed(inner, 3.0, if first { RED } else { FAINT });
                if first {
                    let at = [area.x + area.width / 2.0, area.y + 17.0];
                    svg.text(at, Anchor::Middle, Style::NOTE.fill(RED), "waits");
                }
            }
            end = span.to;
        }
    }

    /// Batches between the end of one thread's work and the beginning of the next one's, each in the first free row.
    fn queue(&self, svg: &mut Svg, y: f64, spans: &[Span], out: fn(Lane) -> bool, into: fn(Lane) -> bool) {
        let mut rows: Vec<f64> = Vec::new();
        let mut left = spans.iter().filter(|span| out(span.lane)).collect::<Vec<_>>();
        left.sort_by(|a, b| a.to.total_cmp(&b.to));
        for from in left {
            let Some(to) = spans.iter().find(|span| span.step == from.step && into(span.lane)) else { continue };
            if to.from - from.to < NOTICED || from.to > self.end {
                continue;
            }
            let free = rows.iter().position(|end| *end <= from.to);
            let row = free.unwrap_or(rows.len());
            if row == rows.len() {
                rows.push(0.0);
            }
            rows[row] = to.from;
            let area = self.area([from.to, to.from], y + row as f64 * (QUEUED + 4.0), QUEUED);
            svg.fill(area, 2.0, colour(from.step));
        }
    }

    fn axis(&self, svg: &mut Svg) {
        let y = Self::y(Lane::Step) + BAR + 24.0;
        let mut time = 0.0;
        while time <= self.end {
            svg.text([self.x(time), y], Anchor::Middle, Style::NOTE, &format!("{time:.0}"));
            svg.line(&[[self.x(time), y - 16.0], [self.x(time), y - 20.0]], GREY, 1.0);
            time += 10.0;
        }
        svg.text([RIGHT, y], Anchor::Start, Style::NOTE, "milliseconds");
        let notes = [
            "Dashed: a thread waits. Only the red wait costs time; the others are for room in a queue or for a batch."
                .to_owned(),
            format!(
                "A real run. The work is a stand-in: {:.1} ms per graph in a worker, {} ms per copy, {} ms per step.",
                GRAPH.as_secs_f64() * 1e3,
                COPY.as_millis(),
                STEP.as_millis()
            ),
        ];
        for (number, text) in notes.iter().enumerate() {
            svg.text([RIGHT, y + 30.0 + 18.0 * number as f64], Anchor::Start, Style::NOTE, text);
        }
    }
}

/// The lanes and queues, top down.
fn names(svg: &mut Svg) {
    let lanes = [
        (Lane::Worker(0), "worker 0", ""),
        (Lane::Worker(1), "worker 1", ""),
        (Lane::Copy, "copying thread", "prefetched"),
        (Lane::Step, "training loop", "on the device"),
    ];
    for (lane, name, queue) in lanes {
        let y = Picture::y(lane);
        svg.text([RIGHT, y + 18.0], Anchor::Start, Style::HEADING, name);
        svg.text([RIGHT, y - 32.0], Anchor::Start, Style::NOTE, queue);
        svg.line(&[[LEFT, y + BAR + 2.0], [WIDTH - RIGHT, y + BAR + 2.0]], EMPTY, 1.0);
    }
}

/// That of the worker that collates the batch.
fn colour(step: usize) -> &'static str {
    [BLUE, AMBER][step % 2]
}
