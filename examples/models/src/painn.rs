//! [`Painn`] (Schütt, Unke and Gastegger, arXiv 2102.03150), equations 6 and 7 of Speckhard et al. (arXiv 2502.00944).

use crate::layers::{EPS, Edges, Elements, Linear, gaussians, glorot};
use graphpack_loader::ErrorKind;

use graphpack_tch::{Error, TensorBatch, mean_pool};
use std::f64::consts::PI;
use tch::nn;
use tch::{Kind, TchError, Tensor};

const LAYERS: usize = 3;
/// Gaussians from 0 to `CUTOFF`.
const GAUSSIANS: i64 = 20;
/// Messages fade out towards this length, in angstrom.
const CUTOFF: f64 = 6.0;

/// Scalars and vectors per node that update each other. Gaussians, cutoff and readout are those of the study's code,
/// where the paper of PaiNN has sines of the length, 5 angstrom and a narrower readout. That code also clips updates to
/// 100, which is left out: where it acts it breaks the equivariance.
pub struct Painn {
    width: i64,
    cutoff: f64,
    elements: Elements,
    centres: Tensor,
    /// The filters of all layers at once.
    filter: Linear,
    layers: Vec<Layer>,
    readout: Perceptron,
}

struct Layer {
    message: Perceptron,
    /// U and V of equation 6, concatenated.
    mix: Linear,
    update: Perceptron,
}

/// Two dense layers with biases and a SiLU between them.
struct Perceptron {
    hidden: Linear,
    out: Linear,
}

impl Painn {
    /// 2,302,209 parameters at width 256 with 74 elements. The study's text says 177,568, which is MPEU at width 64.
    pub fn new(path: &nn::Path<'_>, width: i64, elements: &[u8]) -> Result<Self, TchError> {
        Self::with_cutoff(path, width, elements, CUTOFF)
    }

    /// The same for edges up to another length.
    pub fn with_cutoff(path: &nn::Path<'_>, width: i64, elements: &[u8], cutoff: f64) -> Result<Self, TchError> {
        let layers =
            (0..LAYERS).map(|layer| Layer::new(&(path / "layers" / layer), width)).collect::<Result<_, _>>()?;
        let filters = 3 * width * LAYERS as i64;
        Ok(Self {
            width,
            cutoff,
            elements: Elements::new(&(path / "elements"), elements, width, glorot(elements.len() as i64, width))?,
            centres: Tensor::f_linspace(0.0, cutoff, GAUSSIANS, (Kind::Float, path.device()))?,
            filter: Linear::with_bias(&(path / "filter"), GAUSSIANS, filters, glorot(GAUSSIANS, filters))?,
            layers,
            readout: Perceptron::new(&(path / "readout"), [width, width, 1])?,
        })
    }

    /// Returns an energy per graph, `[graphs, 1]`.
    pub fn forward(&self, batch: &TensorBatch) -> Result<Tensor, Error> {
        mean_pool(&self.energies(batch, &vectors(batch, batch.get("pos")?)?)?, batch)
    }

    /// Returns an energy per node, `[nodes, 1]`, of edges with these vectors from target to source.
    pub fn energies(&self, batch: &TensorBatch, vectors: &Tensor) -> Result<Tensor, Error> {
        let (scalars, _) = self.features(batch, vectors)?;
        Ok(self.readout.forward(&scalars)?)
    }

    /// Scalars `[nodes, width]`, which rotations leave as they are, and vectors `[nodes, 3, width]`, which rotate with
    /// the positions.
    pub fn features(&self, batch: &TensorBatch, vectors: &Tensor) -> Result<(Tensor, Tensor), Error> {
        let edges = Edges::new(batch)?;
        // 0 for edges of length 0.
        let lengths = norm(vectors)?.f_unsqueeze(1)?;
        let directions = vectors.f_div(&lengths)?.f_unsqueeze(2)?;
        let filters = self.filters(&lengths, batch.edge_mask()?)?.f_chunk(LAYERS as i64, 1)?;
        let mut s = self.elements.forward(batch)?;
        let mut v = s.f_new_zeros([s.size2()?.0, 3, self.width], (s.kind(), s.device()))?;
        for (layer, filter) in self.layers.iter().zip(&filters) {
            let (ds, dv) = layer.messages(&edges, &directions, filter, (&s, &v))?;
            (s, v) = (s.f_add(&ds)?, v.f_add(&dv)?);
            let (ds, dv) = layer.updates(&s, &v)?;
            (s, v) = (s.f_add(&ds)?, v.f_add(&dv)?);
        }
        Ok((s, v))
    }

    /// Returns the filters of all layers, `[edges, 3 * width * LAYERS]`: a dense layer over Gaussians, times the
    /// cutoff. Padding edges have none: as jraph pads, hundreds of them end in one node, whose numbers would overflow.
    fn filters(&self, lengths: &Tensor, mask: &Tensor) -> Result<Tensor, TchError> {
        let deviation = self.cutoff / GAUSSIANS as f64;
        let exponents = lengths.f_sub(&self.centres)?.f_square()?.f_div_scalar(-2.0 * deviation * deviation)?;
        let inside = lengths.f_lt(self.cutoff)?.f_logical_and(&mask.f_unsqueeze(1)?)?.f_to_kind(lengths.kind())?;
        let cutoff =
            lengths.f_mul_scalar(PI / self.cutoff)?.f_cos()?.f_add_scalar(1)?.f_mul_scalar(0.5)?.f_mul(&inside)?;
        self.filter.forward(&gaussians(&exponents)?)?.f_mul(&cutoff)
    }
}

/// Returns the vectors of edges from target to source, `[edges, 3]`, with nodes at these positions.
pub fn vectors(batch: &TensorBatch, pos: &Tensor) -> Result<Tensor, Error> {
    let edges = Edges::new(batch)?;
    let between = edges.sources(pos)?.f_sub(&edges.targets(pos)?)?;
    match batch.get("shift") {
        Ok(shift) => Ok(between.f_add(shift)?),
        Err(error) if error.kind() == ErrorKind::Missing => Ok(between),
        Err(error) => Err(error),
    }
}

impl Layer {
    fn new(path: &nn::Path<'_>, width: i64) -> Result<Self, TchError> {
        Ok(Self {
            message: Perceptron::new(&(path / "message"), [width, width, 3 * width])?,
            mix: Linear::new(&(path / "mix"), width, 2 * width, glorot(width, 2 * width))?,
            update: Perceptron::new(&(path / "update"), [2 * width, width, 3 * width])?,
        })
    }

    /// Returns what each node's scalars and vectors get from the sources of its edges.
    fn messages(
        &self,
        edges: &Edges,
        directions: &Tensor,
        filter: &Tensor,
        (s, v): (&Tensor, &Tensor),
    ) -> Result<(Tensor, Tensor), TchError> {
        let messages = edges.sources(&self.message.forward(s)?)?.f_mul(filter)?;
        let [ds, along_edge, along_source] = thirds(&messages)?;
        let along_edge = along_edge.f_unsqueeze(1)?.f_mul(directions)?;
        let dv = edges.sources(v)?.f_mul(&along_source.f_unsqueeze(1)?)?.f_add(&along_edge)?;
        Ok((edges.sum(&ds)?, edges.sum(&dv)?))
    }

    /// Returns what scalars and vectors of a node get from each other, equations 6 and 7.
    fn updates(&self, s: &Tensor, v: &Tensor) -> Result<(Tensor, Tensor), TchError> {
        let width = s.size2()?.1;
        let mixed = self.mix.forward(v)?;
        let (u, v) = (mixed.f_narrow(2, 0, width)?, mixed.f_narrow(2, width, width)?);
        let [a_ss, a_sv, a_vv] = thirds(&self.update.forward(&Tensor::f_cat(&[s, &norm(&v)?], 1)?)?)?;
        let products = u.f_mul(&v)?.f_sum_dim_intlist(1, false, v.kind())?;
        Ok((a_ss.f_add(&a_sv.f_mul(&products)?)?, u.f_mul(&a_vv.f_unsqueeze(1)?)?))
    }
}

impl Perceptron {
    fn new(path: &nn::Path<'_>, [from, hidden, to]: [i64; 3]) -> Result<Self, TchError> {
        Ok(Self {
            hidden: Linear::with_bias(&(path / "hidden"), from, hidden, glorot(from, hidden))?,
            out: Linear::with_bias(&(path / "out"), hidden, to, glorot(hidden, to))?,
        })
    }

    fn forward(&self, x: &Tensor) -> Result<Tensor, TchError> {
        self.out.forward(&self.hidden.forward(x)?.f_silu()?)
    }
}

/// Returns the lengths of vectors whose x, y and z lie along the second dimension.
fn norm(vectors: &Tensor) -> Result<Tensor, TchError> {
    vectors.f_square()?.f_sum_dim_intlist(1, false, vectors.kind())?.f_add_scalar(EPS)?.f_sqrt()
}

/// Splits `[rows, 3 * width]` into three parts of equal width.
fn thirds(columns: &Tensor) -> Result<[Tensor; 3], TchError> {
    let width = columns.size2()?.1 / 3;
    let part = |number| columns.f_narrow(1, number * width, width);
    Ok([part(0)?, part(1)?, part(2)?])
}
