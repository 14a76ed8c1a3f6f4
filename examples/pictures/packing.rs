//! packing.svg: graphs of a data set padded one by one, and the packs that hold the same graphs.

use crate::Outcome;
use crate::svg::{AMBER, Anchor, Area, BLUE, EMPTY, GREY, Style, Svg};
use graphpack_core::{Budget, Histogram, Limits, Packer, Plan, Size};

const WIDTH: f64 = 960.0;
const LEFT: f64 = 32.0;
/// A container: nodes above edges, both drawn in this width.
const BAR: f64 = 166.0;
const TRACK: f64 = 8.0;
const CONTAINER: f64 = 2.0 * TRACK + 2.0;
const COLUMNS: usize = 3;
/// Graphs of the packs that are drawn, where the plan has such packs.
const SHOWN: [u64; 3] = [3, 6, 9];

/// Packs the histogram; a container has room for the largest graph in each set.
pub(crate) fn draw(name: &str, histogram: &Histogram) -> Outcome<Svg> {
    let limits = Limits { size: histogram.largest().max_each(&Size::new([1, 1])), graphs: Limits::DEFAULT_GRAPHS };
    let plan = Packer::Auto(Budget::default()).pack(histogram, &limits)?;
    let mut svg = Svg::new(WIDTH, "Padding beside packing");
    let [nodes, edges] = limits.size.first::<2>().map(|limit: u32| grouped(u64::from(limit)));
    let graphs = grouped(histogram.graphs());
    svg.text([LEFT, 40.0], Anchor::Start, Style::TITLE, "Padding beside packing");
    let room =
        format!("{name}: {graphs} graphs. Every container has room for the largest: {nodes} nodes, {edges} edges.");
    svg.text([LEFT, 62.0], Anchor::Start, Style::NOTE, &room);
    legend(&mut svg, 62.0);
    svg.text([LEFT, 102.0], Anchor::Start, Style::HEADING, "Each graph padded");
    svg.text([PACK, 102.0], Anchor::Start, Style::HEADING, "The same graphs packed");
    let mut y = 118.0;
    for pack in shown(&plan) {
        y = band(&mut svg, y, &pack, &limits.size) + 26.0;
    }
    totals(&mut svg, y + 4.0, histogram, &plan);
    Ok(svg)
}

/// Where packs begin.
const PACK: f64 = LEFT + 3.0 * BAR + 2.0 * 14.0 + 62.0;

fn legend(svg: &mut Svg, y: f64) {
    let mut x = WIDTH - LEFT - 208.0;
    for (colour, text, width) in [(BLUE, "nodes", 68.0), (AMBER, "edges", 68.0), (EMPTY, "padding", 0.0)] {
        svg.fill(Area::new([x, y - 10.0], [14.0, 10.0]), 2.0, colour);
        svg.text([x + 20.0, y], Anchor::Start, Style::NOTE, text);
        x += width;
    }
}

/// For each number of graphs in [`SHOWN`] the pack that comes nearest to it: of several the most frequent, then the
/// fullest.
fn shown(plan: &Plan) -> Vec<Vec<Size>> {
    let mut chosen: Vec<Vec<Size>> = Vec::new();
    for wanted in SHOWN {
        let packs = plan.iter().map(|pack| {
            let sizes = pack.contents().flat_map(|(size, times)| vec![size; times as usize]);
            let mut sizes = sizes.collect::<Vec<_>>();
            sizes.sort_unstable_by(|a, b| b.cmp(a));
            ((pack.graphs().abs_diff(wanted), u64::MAX - pack.repeat, u32::MAX - pack.size()[1]), sizes)
        });
        chosen.extend(packs.filter(|(_, sizes)| !chosen.contains(sizes)).min().map(|(_, sizes)| sizes));
    }
    chosen
}

/// The graphs of one pack, alone and together; returns where the band ends.
fn band(svg: &mut Svg, y: f64, pack: &[Size], limits: &Size) -> f64 {
    let rows = pack.len().div_ceil(COLUMNS);
    let height = rows as f64 * (CONTAINER + 8.0) - 8.0;
    for (number, size) in pack.iter().enumerate() {
        let (row, column) = (number / COLUMNS, number % COLUMNS);
        let x = LEFT + column as f64 * (BAR + 14.0);
        container(svg, [x, y + row as f64 * (CONTAINER + 8.0)], &[*size], limits);
    }
    let middle = y + height / 2.0;
    svg.arrow([PACK - 50.0, middle], [PACK - 14.0, middle], GREY);
    container(svg, [PACK, middle - CONTAINER / 2.0], pack, limits);
    let sum = |k: usize| pack.iter().map(|size| u64::from(size[k])).sum::<u64>();
    let x = PACK + BAR + 14.0;
    for (k, what, down) in [(0, "nodes", -3.0), (1, "edges", 13.0)] {
        let text = format!("{} of {} {what}", grouped(sum(k)), grouped(u64::from(limits[k])));
        svg.text([x, middle + down], Anchor::Start, Style::NOTE, &text);
    }
    y + height
}

/// Nodes and edges of the graphs of a container, one after the other, and what is left of its rows.
fn container(svg: &mut Svg, [x, y]: [f64; 2], graphs: &[Size], limits: &Size) {
    for (k, colour) in [BLUE, AMBER].into_iter().enumerate() {
        let y = y + k as f64 * (TRACK + 2.0);
        svg.fill(Area::new([x, y], [BAR, TRACK]), 1.0, EMPTY);
        let row = BAR / f64::from(limits[k]);
        let mut end = 0.0;
        for (number, graph) in graphs.iter().enumerate() {
            let width = f64::from(graph[k]) * row;
            let gap = if number + 1 < graphs.len() && width > 3.0 { 1.0 } else { 0.0 };
            svg.fill(Area::new([x + end, y], [width - gap, TRACK]), 1.0, colour);
            end += width;
        }
    }
}

/// All rows of the data set, padded and packed, at one scale.
fn totals(svg: &mut Svg, y: f64, histogram: &Histogram, plan: &Plan) {
    let full = WIDTH - 2.0 * LEFT;
    let containers = histogram.graphs().max(1) as f64;
    let filled = std::array::from_fn::<f64, 2, _>(|k| {
        histogram.totals()[k] as f64 / (containers * f64::from(plan.limits().size[k]))
    });
    svg.line(&[[LEFT, y], [WIDTH - LEFT, y]], EMPTY, 1.0);
    svg.text([LEFT, y + 28.0], Anchor::Start, Style::HEADING, "All rows of an epoch");
    let efficiency = plan.efficiency().sets;
    let rows = [
        ("padded", histogram.graphs(), "containers", filled),
        ("packed", plan.packs(), "packs", [efficiency[0], efficiency[1]]),
    ];
    for (number, (how, count, what, shares)) in rows.into_iter().enumerate() {
        let top = y + 44.0 + 62.0 * number as f64;
        let all = full * count as f64 / containers;
        for (k, colour) in [BLUE, AMBER].into_iter().enumerate() {
            let top = top + 14.0 * k as f64;
            svg.fill(Area::new([LEFT, top], [all, 12.0]), 1.0, EMPTY);
            svg.fill(Area::new([LEFT, top], [all * shares[k], 12.0]), 1.0, colour);
        }
        let [nodes, edges] = shares.map(percent);
        let text = format!("{how}: {} {what}, {nodes} of the nodes and {edges} of the edges are real", grouped(count));
        svg.text([LEFT, top + 44.0], Anchor::Start, Style::BODY, &text);
    }
}

/// With a second digit where one would round to 100.
fn percent(share: f64) -> String {
    if share < 1.0 && share > 0.999 { format!("{:.2} %", 100.0 * share) } else { format!("{:.1} %", 100.0 * share) }
}

/// With a comma between groups of three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
