//! [`Random`]: random numbers that are the same on every platform; [`Use`]: what they are drawn for.

use crate::fingerprint::{mix, mix_bytes};
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng, TryRng};
use std::convert::Infallible;
use std::f64::consts::{LN_2, SQRT_2};

/// ChaCha with 8 rounds, keyed by a seed and the number of a stream. Streams are independent of each other, and the
/// same on every platform.
///
/// All randomness of the loader comes from here: epoch orders, generated data, the random numbers of
/// [`Data::map`](crate::Data::map). Your own source should use [`Slot::random`](crate::Slot::random) when it writes a
/// graph and [`of_draw`](Self::of_draw) when it draws an epoch, so that its batches do not depend on the number of
/// workers.
#[derive(Clone, Debug)]
pub struct Random(ChaCha8Rng);

impl Random {
    /// Returns stream `stream` of `seed`.
    pub fn new(seed: u64, stream: u64) -> Self {
        Self::of(seed, Use::Stream(stream))
    }

    /// Returns a stream for drawing the graphs of one epoch, before there is an epoch order. `number` tells the draws
    /// of the epoch apart: it may be that of a root node, or of a list of parts.
    pub fn of_draw(seed: u64, epoch: u64, number: u64) -> Self {
        Self::of(seed, Use::Draw { epoch, number })
    }

    /// Returns the stream of `seed` for one use.
    pub(crate) fn of(seed: u64, for_what: Use<'_>) -> Self {
        let mut key = [0; 32];
        for (part, number) in key.chunks_exact_mut(8).zip(for_what.key(seed)) {
            part.copy_from_slice(&number.to_le_bytes());
        }
        Self(ChaCha8Rng::from_seed(key))
    }

    /// Returns a uniform number in [0, 1), a multiple of 2^-53.
    pub fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Returns a uniform number below `bound` (Lemire, arXiv 1805.10941); 0 if `bound` is 0.
    pub fn below(&mut self, bound: u32) -> u32 {
        let threshold = bound.wrapping_neg() % bound.max(1);
        loop {
            let product = u64::from(self.0.next_u32()) * u64::from(bound);
            if product as u32 >= threshold {
                return (product >> 32) as u32;
            }
        }
    }

    /// Returns a number of the normal distribution with mean 0 and this standard deviation (Marsaglia's polar method).
    /// It is computed with additions, multiplications, divisions and square roots alone, which give the same bits on
    /// every platform.
    pub fn normal(&mut self, deviation: f32) -> f32 {
        loop {
            let [x, y] = [(); 2].map(|()| 2.0 * self.unit() - 1.0);
            let square = x * x + y * y;
            if square > 0.0 && square < 1.0 {
                return (f64::from(deviation) * x * (-2.0 * ln(square) / square).sqrt()) as f32;
            }
        }
    }

    /// Shuffles `list`, which may have at most 2^32 - 1 elements (Fisher and Yates).
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            list.swap(last, self.below(last as u32 + 1) as usize);
        }
    }
}

/// What random numbers are drawn for. `graph` is the number of a graph in the data set, `copy` how often the graph
/// comes before in the epoch. A new use needs a last number of the key, or a `mix` of the seed, that no other has.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Use<'a> {
    /// What [`Random::new`] returns: generated data, and what callers number themselves.
    Stream(u64),
    /// Which graphs an epoch has, and their order.
    Order { epoch: u64 },
    /// The order of steps whose batches are alike on all ranks.
    Alike { epoch: u64 },
    /// The random batches that those of an epoch are compared with.
    Compared { epoch: u64 },
    /// The graphs whose meetings are counted; the same for every seed.
    Watched,
    /// The random batches of a percentile; the same for every seed.
    Percentile,
    /// What a source or the map of this name draws for a graph.
    Graph { epoch: u64, graph: u64, copy: u32, map: Option<&'a str> },
    /// Which graphs an epoch has, where the source draws them.
    Draw { epoch: u64, number: u64 },
    /// Which rows of a graph are left when it is trimmed.
    Trim { epoch: u64, graph: u64, copy: u32 },
}

impl Use<'_> {
    /// The key of the generator: recorded batches follow from these numbers.
    fn key(self, seed: u64) -> [u64; 4] {
        match self {
            Self::Stream(number) => [seed, number, 0, 0],
            Self::Order { epoch } => [seed, epoch, 0, 0],
            Self::Alike { epoch } => [mix(seed, 1), epoch, 0, 0],
            Self::Compared { epoch } => [mix(seed, 2), epoch, 0, 0],
            Self::Watched | Self::Percentile => [0; 4],
            Self::Graph { epoch, graph, copy: 0, map: None } => [seed, epoch, graph, 1],
            Self::Graph { epoch, graph, copy, map } => {
                // The highest bit, which the other uses leave free.
                let stream = mix(map.map_or(0, |name| mix_bytes(1, name.as_bytes())), copy.into()) | 1 << 63;
                [seed, epoch, graph, stream]
            }
            Self::Draw { epoch, number } => [seed, epoch, number, 2],
            Self::Trim { epoch, graph, copy } => [seed, epoch, graph, u64::from(copy) << 32 | 3],
        }
    }
}

/// Gives other crates, such as those with distributions, the raw numbers of the stream.
impl TryRng for Random {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(self.0.next_u32())
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.0.next_u64())
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.0.fill_bytes(bytes);
        Ok(())
    }
}

/// The natural logarithm of a normal number above 0, by its series in (m - 1) / (m + 1): `f64::ln` differs between
/// platforms.
fn ln(x: f64) -> f64 {
    // x = m 2^exponent with m from the root of 1/2 to that of 2.
    let bits = x.to_bits();
    let mut exponent = (bits >> 52) as i32 - 1023;
    let mut m = f64::from_bits(bits & ((1 << 52) - 1) | 1023 << 52);
    if m > SQRT_2 {
        m *= 0.5;
        exponent += 1;
    }
    let s = (m - 1.0) / (m + 1.0);
    // The square is below 0.03, so that the next term is less than half of the last bit.
    let series = (0..12).rev().fold(0.0, |sum, term| sum * (s * s) + 1.0 / f64::from(2 * term + 1));
    f64::from(exponent) * LN_2 + 2.0 * s * series
}

#[cfg(test)]
mod tests {
    use super::{Random, Use, ln};

    #[test]
    fn the_logarithm_is_that_of_the_standard_library_but_for_rounding() {
        let mut random = Random::new(1, 0);
        for _ in 0..10_000 {
            let x = random.unit() + f64::MIN_POSITIVE;
            assert!((ln(x) - x.ln()).abs() <= 4.0 * f64::EPSILON * x.ln().abs().max(0.1), "{x}: {} {}", ln(x), x.ln());
        }
        assert_eq!([ln(1.0), ln(0.5)], [0.0, -std::f64::consts::LN_2]);
    }

    #[test]
    fn normal_numbers_have_the_moments_of_the_normal_distribution() {
        let mut random = Random::new(2, 0);
        let numbers: Vec<f64> = (0..200_000).map(|_| random.normal(1.0).into()).collect();
        let moment = |power| numbers.iter().map(|x: &f64| x.powi(power)).sum::<f64>() / numbers.len() as f64;
        let [mean, variance, third, fourth] = [1, 2, 3, 4].map(moment);
        // Five standard deviations of each mean of 200,000.
        assert!(mean.abs() < 0.012 && (variance - 1.0).abs() < 0.016, "{mean} {variance}");
        assert!(third.abs() < 0.044 && (fourth - 3.0).abs() < 0.11, "{third} {fourth}");
        assert!(Random::new(2, 0).normal(0.0) == 0.0);
    }

    #[test]
    fn normal_numbers_have_the_same_bits_on_every_platform() {
        let mut random = Random::of(7, Use::Graph { epoch: 1, graph: 3, copy: 2, map: Some("noise") });
        let found: Vec<u32> = (0..8).map(|_| random.normal(0.5).to_bits()).collect();
        assert_eq!(
            found,
            [
                1_037_588_134,
                1_039_173_343,
                3_196_773_868,
                3_208_736_389,
                1_055_380_614,
                1_048_598_652,
                994_158_986,
                1_036_207_967,
            ]
        );
    }

    #[test]
    fn streams_are_told_apart() {
        let (epoch, graph) = (1, 3);
        let written = |copy, map| Use::Graph { epoch, graph, copy, map };
        let uses = [
            Use::Stream(3),
            Use::Order { epoch },
            Use::Alike { epoch },
            Use::Compared { epoch },
            Use::Percentile,
            written(0, None),
            written(1, None),
            written(0, Some("noise")),
            written(1, Some("noise")),
            written(0, Some("turn")),
            Use::Trim { epoch, graph, copy: 0 },
            Use::Trim { epoch, graph, copy: 1 },
            Use::Draw { epoch, number: graph },
        ];
        let keys = uses.map(|of| of.key(7));
        for (place, key) in keys.iter().enumerate() {
            assert!(!keys[..place].contains(key), "{:?}", uses[place]);
        }
    }
}
