//! [`Typed`]: messages between two types of nodes along three types of edges.

use crate::directional::length;
use crate::layers::{Linear, Mlp, lecun};
use graphpack_tch::{Error, Segments, TensorBatch};
use tch::nn;
use tch::{TchError, Tensor};

const LAYERS: usize = 2;

/// Predicts how strongly a protein and a ligand bind ([`complexes`](crate::complexes)): each has messages within, and
/// both along their contacts. Divides by distances, so padding must be `Padding::Beyond`.
pub struct Typed {
    protein: Linear,
    ligand: Linear,
    layers: Vec<Layer>,
    readout: Mlp,
}

struct Layer {
    protein: Mlp,
    ligand: Mlp,
    to_protein: Mlp,
    to_ligand: Mlp,
}

/// Edges of one type, and how far apart their ends are.
struct Route {
    sources: Tensor,
    targets: Tensor,
    inverse: Tensor,
}

impl Typed {
    /// Makes the network for proteins and ligands with these numbers of features per node.
    pub fn new(path: &nn::Path<'_>, width: i64, [protein, ligand]: [i64; 2]) -> Result<Self, TchError> {
        let layer = |layer: usize| {
            let mlp = |name: &str| Mlp::new(&(path / "layers" / layer / name), [2 * width + 1, width, width]);
            Ok(Layer {
                protein: mlp("protein")?,
                ligand: mlp("ligand")?,
                to_protein: mlp("to_protein")?,
                to_ligand: mlp("to_ligand")?,
            })
        };
        Ok(Self {
            protein: Linear::with_bias(&(path / "protein"), protein, width, lecun(protein))?,
            ligand: Linear::with_bias(&(path / "ligand"), ligand, width, lecun(ligand))?,
            layers: (0..LAYERS).map(layer).collect::<Result<_, TchError>>()?,
            readout: Mlp::new(&(path / "readout"), [2 * width + 1, width, 1])?,
        })
    }

    /// Returns a strength per graph, `[graphs, 1]`. Batches must carry `contacts_batch`. `cast` gives fields the type
    /// of the weights.
    pub fn forward(&self, batch: &TensorBatch, cast: impl Fn(&Tensor) -> Tensor) -> Result<Tensor, Error> {
        let field = |name: &str| batch.get(name).map(&cast);
        let (at_protein, at_ligand) = (field("protein.pos")?, field("ligand.pos")?);
        let within_protein = Route::new(batch.get("protein_index")?, &at_protein, &at_protein)?;
        let within_ligand = Route::new(batch.get("ligand_index")?, &at_ligand, &at_ligand)?;
        let contacts = Route::new(batch.get("contact_index")?, &at_protein, &at_ligand)?;
        let mut protein = self.protein.forward(&field("protein.x")?)?;
        let mut ligand = self.ligand.forward(&field("ligand.x")?)?;
        for layer in &self.layers {
            let inside = within_protein.messages(&layer.protein, &protein, &protein)?;
            let outside = contacts.back().messages(&layer.to_protein, &ligand, &protein)?;
            let of_ligand = within_ligand.messages(&layer.ligand, &ligand, &ligand)?;
            let of_protein = contacts.messages(&layer.to_ligand, &protein, &ligand)?;
            protein = protein.f_add(&inside)?.f_add(&outside)?.f_tanh()?;
            ligand = ligand.f_add(&of_ligand)?.f_add(&of_protein)?.f_tanh()?;
        }
        let strengths = self.readout.forward(&contacts.ends(&protein, &ligand)?)?;
        let graphs = batch.shape().graphs() as i64;
        Ok(Segments::by_index(batch.get("contacts_batch")?, graphs)?.sum(&strengths)?)
    }
}

impl Route {
    fn new(index: &Tensor, from: &Tensor, to: &Tensor) -> Result<Self, TchError> {
        let (sources, targets) = (index.f_get(0)?, index.f_get(1)?);
        let between = to.f_index_select(0, &targets)?.f_sub(&from.f_index_select(0, &sources)?)?;
        Ok(Self { sources, targets, inverse: length(&between)?.f_reciprocal()? })
    }

    /// The same edges the other way round.
    fn back(&self) -> Self {
        let [sources, targets, inverse] = [&self.targets, &self.sources, &self.inverse].map(Tensor::shallow_clone);
        Self { sources, targets, inverse }
    }

    /// The rows of both ends of each edge, and one over its length.
    fn ends(&self, from: &Tensor, to: &Tensor) -> Result<Tensor, TchError> {
        let (from, to) = (from.f_index_select(0, &self.sources)?, to.f_index_select(0, &self.targets)?);
        Tensor::f_cat(&[&from, &to, &self.inverse], 1)
    }

    /// Sums a message per edge onto its target.
    fn messages(&self, mlp: &Mlp, from: &Tensor, to: &Tensor) -> Result<Tensor, Error> {
        let messages = mlp.forward(&self.ends(from, to)?)?;
        Ok(Segments::by_index(&self.targets, to.size()[0])?.sum(&messages)?)
    }
}
