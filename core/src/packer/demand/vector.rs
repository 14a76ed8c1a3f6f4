//! [`Vector`]: sizes as shares of the limits, with the number of graphs as a component like the others.
//!
//! Floating point ranks candidates; whether a graph fits is decided on integers. Only sums, products, quotients and
//! square roots occur, which IEEE 754 defines to the last bit, so that plans are the same on every target that follows
//! it.

use crate::FixedLimits;

/// K components and the number of graphs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Vector<const K: usize> {
    components: [f64; K],
    graphs: f64,
}

impl<const K: usize> Vector<K> {
    /// Any amount as a share of the limits.
    pub(super) fn share(components: [f64; K], graphs: f64, limits: &FixedLimits<K>) -> Self {
        let limits = Self { components: limits.size.map(f64::from), graphs: f64::from(limits.graphs) };
        Self { components, graphs }.zip(&limits, |amount, limit| amount / limit)
    }

    /// One graph of a size as a share of the limits.
    pub(super) fn of_size(size: &[u32; K], limits: &FixedLimits<K>) -> Self {
        Self::share(size.map(f64::from), 1.0, limits)
    }

    // Loops, because closures of `array::from_fn` and `array::map` are not inlined here.
    #[inline]
    fn zip(&self, other: &Self, of: impl Fn(f64, f64) -> f64) -> Self {
        let mut components = self.components;
        for (a, &b) in components.iter_mut().zip(&other.components) {
            *a = of(*a, b);
        }
        Self { components, graphs: of(self.graphs, other.graphs) }
    }

    #[inline]
    pub(super) fn map(&self, of: impl Fn(f64) -> f64) -> Self {
        let mut components = self.components;
        components.iter_mut().for_each(|x| *x = of(*x));
        Self { components, graphs: of(self.graphs) }
    }

    pub(super) fn minus(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a - b)
    }

    pub(super) fn plus(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a + b)
    }

    pub(super) fn min(&self, other: &Self) -> Self {
        self.zip(other, |a, b| if b < a { b } else { a })
    }

    pub(super) fn max(&self, other: &Self) -> Self {
        self.zip(other, |a, b| if b > a { b } else { a })
    }

    pub(super) fn dot(&self, other: &Self) -> f64 {
        (0..K).fold(self.graphs * other.graphs, |sum, k| sum + self.components[k] * other.components[k])
    }

    /// The squared distance to the box between `min` and `max`; 0 inside.
    pub(super) fn distance_to_box(&self, min: &Self, max: &Self) -> f64 {
        let outside = |x: f64, low: f64, high: f64| {
            if x < low {
                low - x
            } else if x > high {
                x - high
            } else {
                0.0
            }
        };
        let below_above = |k: usize| outside(self.components[k], min.components[k], max.components[k]);
        let graphs = outside(self.graphs, min.graphs, max.graphs);
        (0..K).fold(graphs * graphs, |sum, k| sum + below_above(k) * below_above(k))
    }

    /// The same direction at length 1; zero stays zero.
    pub(super) fn unit(&self) -> Self {
        let length = libm::sqrt(self.dot(self));
        if length > 0.0 { self.map(|x| x / length) } else { *self }
    }

    pub(super) fn largest(&self) -> f64 {
        self.components.iter().fold(self.graphs, |largest, &x| if x > largest { x } else { largest })
    }

    pub(super) fn graphs(&self) -> f64 {
        self.graphs
    }

    /// The component at a position below K, or at K the number of graphs.
    pub(super) fn get(&self, position: usize) -> f64 {
        self.components.get(position).copied().unwrap_or(self.graphs)
    }

    /// The position at which `max` is farthest above this vector, and how far.
    pub(super) fn widest(&self, max: &Self) -> (usize, f64) {
        let spread = max.minus(self);
        (0..=K)
            .map(|k| (k, spread.get(k)))
            .fold((0, f64::NEG_INFINITY), |best, here| if here.1 > best.1 { here } else { best })
    }
}
