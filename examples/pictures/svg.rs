//! [`Svg`]: a picture as text, with a white background so that it is readable on any page.

use std::fmt::Write;

pub(crate) const BLUE: &str = "#3a6ea5";
pub(crate) const AMBER: &str = "#e0942f";
pub(crate) const GREEN: &str = "#4b9b7a";
pub(crate) const RED: &str = "#c8553d";
/// Rows that hold padding.
pub(crate) const EMPTY: &str = "#e6e9ee";
pub(crate) const INK: &str = "#1f2933";
/// Text and lines of less weight.
pub(crate) const GREY: &str = "#66727f";
pub(crate) const WHITE: &str = "#ffffff";

/// Where text stands relative to its x.
#[derive(Clone, Copy)]
pub(crate) enum Anchor {
    Start,
    Middle,
}

/// How text looks.
#[derive(Clone, Copy)]
pub(crate) struct Style {
    pub(crate) size: f64,
    pub(crate) bold: bool,
    pub(crate) fill: &'static str,
}

impl Style {
    pub(crate) const TITLE: Self = Self { size: 19.0, bold: true, fill: INK };
    pub(crate) const HEADING: Self = Self { size: 14.0, bold: true, fill: INK };
    pub(crate) const BODY: Self = Self { size: 13.0, bold: false, fill: INK };
    pub(crate) const NOTE: Self = Self { size: 12.0, bold: false, fill: GREY };

    pub(crate) fn fill(self, fill: &'static str) -> Self {
        Self { fill, ..self }
    }
}

/// A rectangle.
#[derive(Clone, Copy)]
pub(crate) struct Area {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

impl Area {
    pub(crate) fn new([x, y]: [f64; 2], [width, height]: [f64; 2]) -> Self {
        Self { x, y, width, height }
    }
}

pub(crate) struct Svg {
    size: [f64; 2],
    title: String,
    body: String,
}

impl Svg {
    /// An empty picture; the title is what a reader without the picture gets.
    pub(crate) fn new(width: f64, title: &str) -> Self {
        Self { size: [width, 0.0], title: escaped(title), body: String::new() }
    }

    /// A filled rectangle with corners of this radius.
    pub(crate) fn fill(&mut self, area: Area, radius: f64, colour: &str) {
        self.rect(area, radius, &format!(r#"fill="{colour}""#));
    }

    /// A rectangle of which only the dashed outline is drawn.
    pub(crate) fn dashed(&mut self, area: Area, radius: f64, colour: &str) {
        self.rect(area, radius, &format!(r#"fill="none" stroke="{colour}" stroke-dasharray="4 3""#));
    }

    fn rect(&mut self, area: Area, radius: f64, paint: &str) {
        let Area { x, y, width, height } = area;
        self.push(
            y + height,
            &format!(
                r#"<rect x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}" rx="{radius:.0}" {paint}/>"#
            ),
        );
    }

    /// A line through points.
    pub(crate) fn line(&mut self, points: &[[f64; 2]], colour: &str, width: f64) {
        self.path(points, &format!(r#"stroke="{colour}" stroke-width="{width:.1}""#));
    }

    /// A line that ends in an arrow head.
    pub(crate) fn arrow(&mut self, from: [f64; 2], to: [f64; 2], colour: &str) {
        self.line(&[from, to], colour, 1.5);
        let length = (to[0] - from[0]).hypot(to[1] - from[1]).max(1.0);
        let along = [(to[0] - from[0]) / length, (to[1] - from[1]) / length];
        let barb = |side: f64| {
            [to[0] - 7.0 * along[0] - side * 4.0 * along[1], to[1] - 7.0 * along[1] + side * 4.0 * along[0]]
        };
        self.line(&[barb(1.0), to, barb(-1.0)], colour, 1.5);
    }

    fn path(&mut self, points: &[[f64; 2]], paint: &str) {
        let mut text = String::new();
        for [x, y] in points {
            let _ = write!(text, "{x:.1},{y:.1} ");
        }
        let low = points.iter().map(|point| point[1]).fold(0.0, f64::max);
        self.push(low, &format!(r#"<polyline points="{}" fill="none" {paint}/>"#, text.trim_end()));
    }

    /// One line of text on the base line y.
    pub(crate) fn text(&mut self, [x, y]: [f64; 2], anchor: Anchor, style: Style, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => r#" text-anchor="middle""#,
        };
        let Style { size, bold, fill } = style;
        let weight = if bold { r#" font-weight="600""# } else { "" };
        self.push(
            y + 0.3 * size,
            &format!(
                r#"<text x="{x:.1}" y="{y:.1}" font-size="{size:.0}" fill="{fill}"{weight}{anchor}>{}</text>"#,
                escaped(text)
            ),
        );
    }

    /// Adds an element that reaches down to `low`.
    fn push(&mut self, low: f64, element: &str) {
        self.size[1] = self.size[1].max(low);
        self.body.push_str(element);
        self.body.push('\n');
    }

    /// The file's contents.
    pub(crate) fn finish(self) -> String {
        let Self { size: [width, low], title, body } = self;
        let height = low + 24.0;
        format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0} {height:.0}" width="{width:.0}"
    height="{height:.0}" role="img" font-family="Helvetica, Arial, 'DejaVu Sans', sans-serif">
<title>{title}</title>
<rect width="{width:.0}" height="{height:.0}" rx="8" fill="{WHITE}"/>
{body}</svg>
"#
        )
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
