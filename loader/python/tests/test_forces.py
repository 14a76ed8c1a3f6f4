"""Energies and forces of stock networks on padded batches: gradients are those of real rows."""

import math

import numpy as np
import pytest

import graphpack_loader as gp

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")
from torch_geometric.data import Data
from torch_geometric.nn.models import SchNet

CUTOFF = 4.0


class Atoms(gp.Source):
    """Structures of 2 to 8 atoms, in cells or not, with energies and forces."""

    def __init__(self, periodic):
        fields = {"z": ("nodes", "int64", None), "pos": ("nodes", "float64", 3), "forces": ("nodes", "float64", 3)}
        fields["energy"] = ("graph", "float64", None)
        self.periodic = periodic
        if periodic:
            fields |= {"cell": ("graph", "float64", 9), "pbc": ("graph", "bool", 3)}
        # What padding rows hold is not said: `connect` knows what positions are.
        self.schema = gp.Schema(sets=("nodes",), fields=fields, indices={})

    def __len__(self):
        return 30

    def size(self, graph):
        return [2 + graph % 7]

    def __getitem__(self, graph):
        random, (atoms,) = np.random.default_rng(graph), self.size(graph)
        pos = 1.5 * np.arange(atoms)[:, None] * [1, 0, 0] + random.normal(0, 0.3, (atoms, 3))
        found = {"z": random.integers(1, 5, atoms), "pos": pos, "forces": random.normal(0, 1, (atoms, 3)), "energy": random.normal()}
        if self.periodic:
            found |= {"cell": (np.eye(3) * [1.5 * atoms, 5, 5]).reshape(9), "pbc": np.array([True, True, False])}
        return found


def vectors(batch):
    source, target = batch.edge_index
    return batch.pos[source] - batch.pos[target] + (batch.shift if "shift" in batch else 0)


class Given(torch.nn.Module):
    """Edges and their lengths of a batch, in place of those that SchNet looks for."""

    def forward(self, pos, _):
        return self.batch.edge_index, vectors(self.batch).norm(dim=-1)


class Stock(SchNet):
    """PyG's SchNet on the edges of a batch."""

    def __init__(self):
        sizes = {"hidden_channels": 16, "num_filters": 16, "num_interactions": 2, "num_gaussians": 10}
        super().__init__(**sizes, cutoff=CUTOFF, interaction_graph=Given())

    def forward(self, batch):
        self.interaction_graph.batch = batch
        return super().forward(batch.z, batch.pos, batch.batch)[:, 0]


class PaiNN(torch.nn.Module):
    """Two layers of PaiNN, whose filters are Bessel functions of lengths: sin(n pi r / cutoff) / r."""

    def __init__(self, width=8, functions=6):
        super().__init__()
        linear = torch.nn.Linear
        self.embedding, self.frequencies = torch.nn.Embedding(10, width), math.pi / CUTOFF * torch.arange(1, functions + 1)
        self.filters = torch.nn.ModuleList(linear(functions, 3 * width) for _ in range(2))
        self.messages = torch.nn.ModuleList(torch.nn.Sequential(linear(width, width), torch.nn.SiLU(), linear(width, 3 * width)) for _ in range(2))
        self.updates = torch.nn.ModuleList(linear(2 * width, width) for _ in range(2))
        self.out = linear(width, 1)

    def forward(self, batch):
        (source, target), edge = batch.edge_index, vectors(batch)
        length = edge.norm(dim=-1, keepdim=True)
        within = (length < CUTOFF) * 0.5 * (torch.cos(math.pi * length / CUTOFF) + 1)
        radial = torch.sin(self.frequencies * length) / length * within
        h = self.embedding(batch.z)
        v = h.new_zeros(len(h), 3, h.shape[1])
        for filters, message, update in zip(self.filters, self.messages, self.updates):
            scalar, along, scale = (filters(radial) * within * message(h)[source]).chunk(3, dim=-1)
            sent = (edge / length)[:, :, None] * along[:, None] + v[source] * scale[:, None]
            v = v.index_add(0, target, sent)
            h = h.index_add(0, target, scalar)
            # A norm of vectors that are 0 has no gradient: of atoms alone, and of padding.
            h = h + update(torch.cat([h, v.square().sum(1)], dim=-1))
        return h.new_zeros(batch.num_graphs).index_add(0, batch.batch, self.out(h)[:, 0])


def mace_loss_and_gradients(model, batch, real):
    """As MACE's own loop: its model takes a dictionary, its loss divides by the atoms of a graph."""
    from mace.modules.loss import WeightedEnergyForcesLoss
    from mace.tools.torch_geometric.batch import Batch

    shift = batch.shift if "shift" in batch else torch.zeros(batch.edge_index.shape[1], 3)
    inputs = {"positions": batch.pos, "shifts": -shift, "unit_shifts": shift, "edge_index": batch.edge_index, "batch": batch.batch}
    inputs |= {"ptr": batch.ptr, "cell": torch.zeros(batch.num_graphs, 3, 3)}
    inputs["node_attrs"] = torch.nn.functional.one_hot(batch.z.clamp(min=1) - 1, 4).to(batch.pos.dtype)
    output = model(inputs, training=True)
    graphs, atoms = real.num_graphs, len(real.pos)
    ones = torch.ones(graphs)
    reference = Batch(energy=real.energy, forces=real.forces, ptr=real.ptr, weight=ones, energy_weight=ones, forces_weight=ones)
    predicted = {"energy": output["energy"][:graphs], "forces": output["forces"][:atoms]}
    loss = WeightedEnergyForcesLoss()(reference, predicted)
    return loss, predicted


def loss_and_gradients(model, batch, real):
    """Of energies and forces of the real rows, which come first."""
    batch.pos.requires_grad_(True)
    if "MACE" in type(model).__name__:
        loss, predicted = mace_loss_and_gradients(model, batch, real)
    else:
        energy = model(batch)
        (forces,) = torch.autograd.grad(-energy[: real.num_graphs].sum(), batch.pos, create_graph=True)
        predicted = {"energy": energy[: real.num_graphs], "forces": forces[: len(real.pos)]}
        loss = sum((predicted[name] - real[name]).square().mean() for name in predicted)
    gradients = torch.autograd.grad(loss, [p for p in model.parameters() if p.requires_grad], allow_unused=True)
    return [loss, *predicted.values(), *(gradient for gradient in gradients if gradient is not None)]


def mace():
    """A small MACE of two layers."""
    modules = pytest.importorskip("mace.modules")
    from e3nn.o3 import Irreps

    blocks = modules.interaction_classes
    return modules.ScaleShiftMACE(
        r_max=CUTOFF, num_bessel=6, num_polynomial_cutoff=5, max_ell=2, num_interactions=2, num_elements=4,
        interaction_cls_first=blocks["RealAgnosticResidualInteractionBlock"],
        interaction_cls=blocks["RealAgnosticResidualInteractionBlock"],
        hidden_irreps=Irreps("8x0e + 8x1o"), MLP_irreps=Irreps("8x0e"), gate=torch.nn.functional.silu,
        atomic_energies=np.arange(4.0), avg_num_neighbors=4.0, atomic_numbers=[1, 2, 3, 4], correlation=2,
        atomic_inter_scale=1.0, atomic_inter_shift=0.0,
    )  # fmt: skip


def assert_as_without_padding(data, network, **options):
    loader = gp.Loader(data, capacity=8, **options)
    for batch in loader:
        torch.manual_seed(1)
        model = network().double()
        found = loss_and_gradients(model, batch.to_pyg(padding=True), batch.to_pyg())
        expected = loss_and_gradients(model, batch.to_pyg(), batch.to_pyg())
        assert len(found) == len(expected) > 5
        for one, other in zip(found, expected):
            assert torch.isfinite(one).all() and torch.allclose(one, other, rtol=1e-5, atol=1e-8)


# MACE and e3nn compile themselves by `torch.jit`, which PyTorch has deprecated.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(autouse=True)
def numbers_of_64_bits():
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


@pytest.mark.parametrize("periodic", [False, True])
@pytest.mark.parametrize("network", [Stock, PaiNN, mace])
def test_padding_of_connected_atoms_leaves_gradients_of_forces_as_they_are(network, periodic):
    assert_as_without_padding(Atoms(periodic).data().connect(CUTOFF), network)


@pytest.mark.parametrize("network", [Stock, PaiNN, mace])
def test_so_does_padding_of_atoms_with_edges_of_their_own(network):
    graphs = []
    for batch in gp.Loader(Atoms(False).data().connect(CUTOFF), capacity=gp.Capacity.exactly(1), grouping="in_order", output="pyg"):
        graphs.append(Data(**{name: batch[name] for name in ["z", "pos", "forces", "energy", "edge_index"]}))
    assert_as_without_padding(gp.from_pyg(graphs), network)


def test_padding_edges_are_longer_than_the_cutoff():
    for periodic in [False, True]:
        for batch in gp.Loader(Atoms(periodic).data().connect(CUTOFF), capacity=8):
            graphs = batch.to_pyg(padding=True)
            found = vectors(graphs).norm(dim=-1)
            assert torch.allclose(found[graphs.edge_mask], graphs.distance.flatten()[graphs.edge_mask])
            assert (found < CUTOFF).tolist() == (graphs.distance.flatten() < CUTOFF).tolist() == graphs.edge_mask.tolist()
    # With self-loops, which have no length, gradients of forces are NaN.
    with pytest.raises(AssertionError):
        assert_as_without_padding(Atoms(True).data().connect(CUTOFF), PaiNN, padding="self_loops")
