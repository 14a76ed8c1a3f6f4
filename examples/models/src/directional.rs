//! [`Directional`]: messages along triplets of atoms, a small DimeNet (Gasteiger et al., arXiv 2003.03123).

use crate::layers::{Edges, Elements, Linear, Mlp, lecun};
use graphpack_tch::{Error, Segments, TensorBatch, sum_pool};
use std::f64::consts::PI;
use tch::nn;
use tch::{Kind, TchError, Tensor};

const LAYERS: usize = 2;
/// Number of radial functions of an edge's length, and of functions of a triplet's angle.
const RADIAL: i64 = 6;
const ANGULAR: i64 = 4;
/// Wavelength of the radial functions, in angstrom.
const CUTOFF: f64 = 5.0;

/// Each edge from j to i has a message, which gathers those of the edges from k to j by their length and by the angle
/// at j. It divides by lengths and differentiates angles, so padding must be `Padding::Beyond`.
pub struct Directional {
    elements: Elements,
    embed: Mlp,
    layers: Vec<Layer>,
    gate: Linear,
    readout: Mlp,
}

struct Layer {
    lengths: Linear,
    angles: Linear,
    update: Mlp,
}

impl Directional {
    /// Makes the network for these atomic numbers.
    pub fn new(path: &nn::Path<'_>, width: i64, elements: &[u8]) -> Result<Self, TchError> {
        let layer = |layer: usize| {
            let path = path / "layers" / layer;
            Ok(Layer {
                lengths: Linear::new(&(&path / "lengths"), RADIAL, width, lecun(RADIAL))?,
                angles: Linear::new(&(&path / "angles"), ANGULAR, width, lecun(ANGULAR))?,
                update: Mlp::new(&(&path / "update"), [width, width, width])?,
            })
        };
        Ok(Self {
            elements: Elements::new(&(path / "elements"), elements, width, lecun(elements.len() as i64))?,
            embed: Mlp::new(&(path / "embed"), [2 * width + RADIAL, width, width])?,
            layers: (0..LAYERS).map(layer).collect::<Result<_, TchError>>()?,
            gate: Linear::new(&(path / "gate"), RADIAL, width, lecun(RADIAL))?,
            readout: Mlp::new(&(path / "readout"), [width, width, 1])?,
        })
    }

    /// Returns an energy per graph, `[graphs, 1]`, of the atoms at `positions`, `[nodes, 3]`.
    pub fn forward(&self, batch: &TensorBatch, positions: &Tensor) -> Result<Tensor, Error> {
        let edges = Edges::new(batch)?;
        let vectors = edges.targets(positions)?.f_sub(&edges.sources(positions)?)?;
        let lengths = length(&vectors)?;
        let waves = Tensor::f_arange_start(1, RADIAL + 1, (vectors.kind(), vectors.device()))?;
        let radial = lengths.f_mul(&waves)?.f_mul_scalar(PI / CUTOFF)?.f_sin()?.f_div(&lengths)?;
        let triplets = batch.get("triplet_index")?;
        let (first, second) = (triplets.f_get(0)?, triplets.f_get(1)?);
        let gathered = Segments::by_index(&second, vectors.size()[0])?;
        let angular = angles(&vectors.f_index_select(0, &first)?.f_neg()?, &vectors.f_index_select(0, &second)?)?;
        let h = self.elements.forward(batch)?;
        let ends = Tensor::f_cat(&[&edges.sources(&h)?, &edges.targets(&h)?, &radial], 1)?;
        let mut messages = self.embed.forward(&ends)?;
        for layer in &self.layers {
            let sent = messages.f_mul(&layer.lengths.forward(&radial)?)?.f_index_select(0, &first)?;
            let gathered = gathered.sum(&sent.f_mul(&layer.angles.forward(&angular)?)?)?;
            messages = messages.f_add(&layer.update.forward(&gathered)?)?;
        }
        let atoms = edges.sum(&messages.f_mul(&self.gate.forward(&radial)?)?)?;
        sum_pool(&self.readout.forward(&atoms)?, batch)
    }
}

/// Lengths of vectors, `[rows, 3]` to `[rows, 1]`.
pub(crate) fn length(vectors: &Tensor) -> Result<Tensor, TchError> {
    vectors.f_square()?.f_sum_dim_intlist(&[-1_i64][..], true, None::<Kind>)?.f_sqrt()
}

/// Cosines of multiples of the angles between vectors, `[triplets, ANGULAR]`.
fn angles(a: &Tensor, b: &Tensor) -> Result<Tensor, TchError> {
    let dot = a.f_mul(b)?.f_sum_dim_intlist(&[-1_i64][..], true, None::<Kind>)?;
    let angle = length(&a.f_linalg_cross(b, -1)?)?.f_atan2(&dot)?;
    angle.f_mul(&Tensor::f_arange(ANGULAR, (a.kind(), a.device()))?)?.f_cos()
}
