//! [`Targets`]: the values of a field of graphs, in standard deviations of the data set; [`Meetings`]: which graphs
//! have shared a batch; [`Compared`]: a figure beside that of random batches.

use crate::Random;
use crate::batch::Batch;
use crate::error::{Cause, Error, ErrorKind};
use crate::layout::{Dtype, Field, Level, Schema};
use crate::plan::{EpochPlan, LoaderPlan};
use half::f16;
use std::fmt;
use std::ops::Range;

/// The values of a field of graphs: each column shifted and scaled to a mean of 0 and a variance of 1.
pub(crate) struct Targets {
    pub(super) field: String,
    /// Columns of the field.
    pub(super) width: usize,
    /// Values, graph by graph; NaN where one is missing.
    values: Vec<f64>,
    /// For each column, how many graphs have no finite value.
    pub(super) missing: Vec<usize>,
}

impl Targets {
    /// Returns the field of graphs that is called `name`.
    pub(crate) fn field<'a>(schema: &'a Schema, name: &str) -> Result<&'a Field, Error> {
        let of_graphs = || schema.fields().iter().filter(|field| field.level == Level::Graph);
        of_graphs().find(|field| field.name == name).ok_or_else(|| {
            Error::from(SampleError::Field {
                field: name.to_owned(),
                available: of_graphs().map(|field| field.name.clone()).collect(),
            })
        })
    }

    /// The field `has_NAME` of a field, which says which graphs have it, or which of its columns.
    pub(crate) fn mask<'a>(schema: &'a Schema, field: &Field) -> Option<&'a Field> {
        let is_mask = |other: &&Field| {
            other.name.strip_prefix("has_") == Some(&*field.name)
                && (other.level, other.dtype) == (Level::Graph, Dtype::Bool)
                && [1, field.width].contains(&other.width)
        };
        schema.fields().iter().find(is_mask)
    }

    /// Reads `field` from batches that have all graphs in their order; where `mask` says that a graph lacks it, its
    /// value is missing.
    pub(crate) fn read(
        field: &Field,
        mask: Option<&Field>,
        batches: impl Iterator<Item = Result<Batch, Error>>,
    ) -> Result<Self, Error> {
        let (name, width, mut values) = (field.name.clone(), field.width, Vec::new());
        for batch in batches {
            let batch = batch?;
            let real = batch.real().graphs() * width;
            let has = mask.map(|mask| Ok::<_, Error>((batch.get::<bool>(&mask.name)?, mask.width)));
            let has = has.transpose()?;
            let is_there = |at: usize| match has {
                Some((has, 1)) => has[at / width],
                Some((has, _)) => has[at],
                None => true,
            };
            let numbers = numbers(&batch, field)?.into_iter().take(real).enumerate();
            values.extend(numbers.map(|(at, value)| if value.is_finite() && is_there(at) { value } else { f64::NAN }));
        }
        let missing = (0..width).map(|column| standardize(&mut values, column, width)).collect();
        Ok(Self { field: name, width, values, missing })
    }

    /// The values of a graph, one for each column.
    pub(super) fn of(&self, graph: u32) -> &[f64] {
        let start = graph as usize * self.width;
        self.values.get(start..start + self.width).unwrap_or_default()
    }
}

/// Copies all elements of a field, padding included.
fn numbers(batch: &Batch, field: &Field) -> Result<Vec<f64>, Error> {
    let name = &field.name;
    Ok(match field.dtype {
        Dtype::F16 => batch.get::<f16>(name)?.iter().map(|&value| value.into()).collect(),
        Dtype::F32 => batch.get::<f32>(name)?.iter().map(|&value| value.into()).collect(),
        Dtype::F64 => batch.get::<f64>(name)?.to_vec(),
        // Beyond 2^53 integers are rounded, which no figure shows.
        Dtype::I64 => batch.get::<i64>(name)?.iter().map(|&value| value as f64).collect(),
        Dtype::I32 => batch.get::<i32>(name)?.iter().map(|&value| value.into()).collect(),
        Dtype::U8 => batch.get::<u8>(name)?.iter().map(|&value| value.into()).collect(),
        Dtype::Bool => batch.get::<bool>(name)?.iter().map(|&value| value.into()).collect(),
    })
}

/// Gives one column a mean of 0 and a variance of 1, or 0 if all its values are equal. Returns how many are missing.
fn standardize(values: &mut [f64], column: usize, width: usize) -> usize {
    let (mut count, mut missing, mut largest) = (0_usize, 0, 0.0_f64);
    for value in values.iter().skip(column).step_by(width) {
        if value.is_nan() {
            missing += 1;
        } else {
            count += 1;
            largest = largest.max(value.abs());
        }
    }
    // Within -1 to 1 no sum of squares overflows.
    let scale = if largest > 0.0 { largest } else { 1.0 };
    let present = |values: &[f64], of: &dyn Fn(f64) -> f64| {
        let present = values.iter().skip(column).step_by(width).filter(|value| !value.is_nan());
        present.map(|&value| of(value / scale)).sum::<f64>() / count.max(1) as f64
    };
    let mean = present(values, &|value| value);
    let deviation = present(values, &|value| (value - mean) * (value - mean)).sqrt();
    // Equal values may differ from their mean by its rounding.
    let inverse = if deviation > 1e-12 { 1.0 / deviation } else { 0.0 };
    values.iter_mut().skip(column).step_by(width).for_each(|value| *value = (*value / scale - mean) * inverse);
    missing
}

/// The figures of a sample cannot be computed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SampleError {
    #[error("expected a field of graphs, found {field:?}; the fields of graphs are {available:?}")]
    Field { field: String, available: Vec<String> },
    #[error("expected one epoch, since graphs are drawn again for each, found epochs {epochs:?}")]
    Drawn { epochs: Range<u64> },
}

impl Cause for SampleError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Options
    }
}

/// A figure of batches beside the same figure of random batches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Compared {
    /// The figure of the batches.
    pub found: f64,
    /// The figure of random batches.
    pub random: f64,
}

impl Compared {
    /// Returns the figure divided by that of random batches; 1 if both are 0.
    pub fn ratio(&self) -> f64 {
        if self.found == self.random { 1.0 } else { self.found / self.random }
    }
}

/// Writes `0.075 (1.002)`, both with the precision of the format.
impl fmt::Display for Compared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.found.fmt(f)?;
        f.write_str(" (")?;
        self.random.fmt(f)?;
        f.write_str(")")
    }
}

/// The most graphs that are watched.
const WATCHED: usize = 2_000;

/// The most bits of memory: 64 MB.
const BITS: usize = 1 << 29;

/// Which graphs each of some watched graphs has shared a batch with.
pub(super) struct Meetings {
    /// For each graph, its number among the watched ones.
    watched: Vec<Option<u32>>,
    /// For each watched graph a row of bits, one for each graph that it has met.
    met: Vec<u64>,
    /// Words of a row.
    words: usize,
    /// Pairs of a watched graph and another that may share a batch.
    pairs: u64,
    /// The share of these pairs that random batches would have left apart so far.
    apart: f64,
}

impl Meetings {
    /// Watches some of the graphs of `plan`, drawn at random.
    pub(super) fn new(plan: &LoaderPlan) -> Self {
        let sizes = plan.sizes();
        let graphs = sizes.graphs();
        // The number of graphs fits into 32 bits.
        let mut drawn: Vec<u32> = (0..graphs as u32).collect();
        let counts = sizes.counts(&drawn);
        Random::new(0, 0).shuffle(&mut drawn);
        drawn.truncate(WATCHED.min(BITS / graphs.max(1)).max(1));
        let mut watched = vec![None; graphs];
        for (number, &graph) in drawn.iter().enumerate() {
            watched[graph as usize] = Some(number as u32);
        }
        let words = graphs.div_ceil(64);
        let others = |own: usize| -> u64 {
            let meet = counts.iter().enumerate().filter(|&(class, _)| plan.may_meet(own, class));
            meet.map(|(_, &graphs)| graphs).sum::<u64>() - u64::from(plan.may_meet(own, own))
        };
        let pairs = drawn.iter().map(|&graph| others(sizes.class(graph))).sum();
        Self { watched, met: vec![0; drawn.len() * words], words, pairs, apart: 1.0 }
    }

    /// Adds the batches of an epoch.
    pub(super) fn add(&mut self, epoch: &EpochPlan) {
        let mut meetings = 0;
        for batch in (0..epoch.len()).map(|batch| epoch.graphs(batch)) {
            for &graph in batch {
                let Some(number) = self.watched[graph as usize] else { continue };
                let row = &mut self.met[number as usize * self.words..][..self.words];
                for &other in batch.iter().filter(|&&other| other != graph) {
                    row[other as usize / 64] |= 1 << (other % 64);
                    meetings += 1;
                }
            }
        }
        self.apart *= 1.0 - (meetings as f64 / self.pairs.max(1) as f64).min(1.0);
    }

    /// The share of pairs that have met at least once.
    pub(super) fn share(&self) -> Compared {
        let met: u64 = self.met.iter().map(|word| u64::from(word.count_ones())).sum();
        Compared { found: met as f64 / self.pairs.max(1) as f64, random: 1.0 - self.apart }
    }
}
