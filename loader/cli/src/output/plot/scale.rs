//! [`Scale`]: values along an axis or in a bar of colours, with round numbers at its ticks.

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use plotters::style::RGBColor;
use std::ops::Range;

/// The most ticks of a linear scale.
const TICKS: f64 = 10.0;
/// Colours from the lowest value to the highest; all can be told from white.
const COLORS: [[f64; 3]; 5] =
    [[253.0, 216.0, 150.0], [251.0, 135.0, 97.0], [206.0, 62.0, 112.0], [114.0, 31.0, 129.0], [28.0, 16.0, 68.0]];

/// Values along an axis or in a bar of colours.
#[derive(Clone)]
pub(super) struct Scale {
    pub(super) label: String,
    /// What is written after each number.
    unit: &'static str,
    from: f64,
    to: f64,
    logarithmic: bool,
}

impl Scale {
    /// A linear scale; one value is as long as from it to the next whole number.
    pub(super) fn linear(label: impl Into<String>, from: f64, to: f64) -> Self {
        Self { label: label.into(), unit: "", from, to: if to > from { to } else { from + 1.0 }, logarithmic: false }
    }

    /// A logarithmic scale that has room for 0.
    pub(super) fn logarithmic(label: impl Into<String>, from: f64, to: f64) -> Self {
        Self { logarithmic: true, ..Self::linear(label, from, to) }
    }

    /// Sets what is written after each number.
    pub(super) fn unit(self, unit: &'static str) -> Self {
        Self { unit, ..self }
    }

    fn stretched(&self, value: f64) -> f64 {
        if self.logarithmic { value.ln_1p() } else { value }
    }

    /// Where a value is: 0 at the lowest, 1 at the highest.
    pub(super) fn place(&self, value: f64) -> f64 {
        let [from, to, value] = [self.from, self.to, value].map(|value| self.stretched(value));
        ((value - from) / (to - from)).clamp(0.0, 1.0)
    }

    /// The colour of a value.
    pub(super) fn color(&self, value: f64) -> RGBColor {
        color_at(self.place(value))
    }

    /// Round values, about [`TICKS`].
    pub(super) fn ticks(&self) -> Vec<f64> {
        let powers = (0..13).flat_map(|power| [1.0, 2.0, 5.0].map(|digit| digit * 10_f64.powi(power)));
        let values: Vec<f64> = if self.logarithmic {
            [0.0].into_iter().chain(powers).collect()
        } else {
            let step = powers.into_iter().find(|step| (self.to - self.from) / step <= TICKS).unwrap_or(self.to);
            let first = (self.from / step).ceil() * step;
            (0..=TICKS as u32).map(|tick| first + f64::from(tick) * step).collect()
        };
        values.into_iter().filter(|value| (self.from..=self.to).contains(value)).collect()
    }
}

impl Ranged for Scale {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (start, end): (i32, i32)) -> i32 {
        start + (self.place(*value) * f64::from(end - start)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.ticks()
    }

    fn range(&self) -> Range<f64> {
        self.from..self.to
    }
}

/// Writes what is at a tick.
impl ValueFormatter<f64> for Scale {
    fn format_ext(&self, value: &f64) -> String {
        format!("{}{}", grouped(*value as u64), self.unit)
    }
}

/// The colour at a place from 0 to 1.
pub(super) fn color_at(place: f64) -> RGBColor {
    let place = place * (COLORS.len() - 1) as f64;
    let below = (place as usize).min(COLORS.len() - 2);
    let [r, g, b] =
        [0, 1, 2].map(|k| COLORS[below][k] + (COLORS[below + 1][k] - COLORS[below][k]) * (place - below as f64));
    RGBColor(r as u8, g as u8, b as u8)
}

/// A number with commas between thousands.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy).collect();
    groups.join(",")
}

#[cfg(test)]
mod tests {
    use super::{Scale, grouped};
    use plotters::coord::ranged1d::ValueFormatter;

    #[test]
    fn ticks_are_round_and_within() {
        let texts =
            |scale: Scale| scale.ticks().iter().map(|tick| scale.format_ext(tick)).collect::<Vec<_>>().join(" ");
        assert_eq!(texts(Scale::linear("", 0.0, 502.0)), "0 100 200 300 400 500");
        assert_eq!(texts(Scale::linear("", 85.0, 100.0).unit(" %")), "86 % 88 % 90 % 92 % 94 % 96 % 98 % 100 %");
        assert_eq!(texts(Scale::logarithmic("", 0.0, 120.0)), "0 1 2 5 10 20 50 100");
        assert_eq!(texts(Scale::linear("", 3.0, 3.0)), "3 4");
    }

    #[test]
    fn thousands_are_grouped() {
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }
}
