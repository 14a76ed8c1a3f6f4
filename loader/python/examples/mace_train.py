"""Trains MACE by its own loop and loss: python mace_train.py FILE [EPOCHS]

FILE has atoms, energies and forces, of any format that `graphpack_loader.open` opens. What MACE logs of each step goes
to mace_train.txt.
"""

import sys
from functools import partial

import numpy as np
import torch
from mace.modules import ScaleShiftMACE, WeightedEnergyForcesLoss, interaction_classes
from mace.tools import MetricsLogger, evaluate
from mace.tools.torch_geometric import Batch
from mace.tools.train import train_one_epoch

# After MACE, which makes torch load the constants of its e3nn.
from e3nn.o3 import Irreps  # isort: skip

import graphpack_loader as gp

CUTOFF = 4.0
# What the file calls energies and forces: here as MACE expects it.
NAMES = {"REF_energy": "energy", "REF_forces": "forces"}
OUTPUTS = {"forces": True, "virials": False, "stress": False}


def to_mace(batch, elements):
    """The real rows as MACE's own loader names them; `elements` are the atomic numbers that the model knows."""
    graphs, dtype = batch.to_pyg(), torch.get_default_dtype()
    ones, no_shift = torch.ones(graphs.num_graphs), torch.zeros(graphs.num_edges, 3)
    return Batch(
        positions=graphs.pos.to(dtype),
        node_attrs=(graphs.z[:, None] == torch.tensor(elements)).to(dtype),
        edge_index=graphs.edge_index,
        # Vectors of MACE point from source to target. Where no structure repeats, there are no shifts and no cells.
        shifts=-graphs.shift.to(dtype) if "shift" in graphs else no_shift,
        unit_shifts=-graphs.cell_offsets.to(dtype) if "shift" in graphs else no_shift,
        cell=graphs.cell.to(dtype).view(-1, 3) if "cell" in graphs else torch.zeros(3 * graphs.num_graphs, 3),
        energy=graphs.energy.to(dtype),
        forces=graphs.forces.to(dtype),
        # Of data in which some graphs lack energies: graphs.has_energy.to(dtype)
        weight=ones,
        energy_weight=ones,
        forces_weight=ones,
        head=torch.zeros(graphs.num_graphs, dtype=torch.int64),
        batch=graphs.batch,
        ptr=graphs.ptr,
    )


def mace(found):
    """A small model, scaled by the statistics of the data."""
    block = interaction_classes["RealAgnosticResidualInteractionBlock"]
    return ScaleShiftMACE(
        r_max=CUTOFF, num_bessel=8, num_polynomial_cutoff=5, max_ell=2, correlation=2, num_interactions=2,
        interaction_cls_first=block, interaction_cls=block, hidden_irreps=Irreps("16x0e + 16x1o"),
        MLP_irreps=Irreps("16x0e"), gate=torch.nn.functional.silu, num_elements=len(found["energies"]),
        atomic_numbers=list(found["energies"]), atomic_energies=np.array(list(found["energies"].values())),
        avg_num_neighbors=found["neighbours"]["edge_index"], atomic_inter_scale=found["fields"]["forces"]["rms"],
        atomic_inter_shift=0.0,
    )  # fmt: skip


def main(path, epochs=10):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.set_default_dtype(torch.float64)
    data = gp.open(path, rename=NAMES, double=True).connect(CUTOFF)
    found = data.statistics()
    valid, options = len(data) // 10, {"capacity": 8, "output": partial(to_mace, elements=list(found["energies"]))}
    loader = gp.Loader(data.subset(range(valid, len(data))), shuffle=True, seed=1, **options)
    valid_loader = gp.Loader(data.subset(range(valid)), **options)
    torch.manual_seed(1)
    model, loss_fn = mace(found).to(device), WeightedEnergyForcesLoss(energy_weight=1.0, forces_weight=10.0)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    common = {"model": model, "loss_fn": loss_fn, "output_args": OUTPUTS, "device": device}
    for epoch in range(epochs):
        train_one_epoch(
            data_loader=loader, optimizer=optimizer, epoch=epoch, max_grad_norm=10.0, ema=None, distributed=False,
            logger=MetricsLogger(".", "mace_train"), **common,
        )  # fmt: skip
        loss, errors = evaluate(data_loader=valid_loader, **common)
        energy, forces = 1000 * errors["rmse_e_per_atom"], 1000 * errors["rmse_f"]
        print(f"epoch {epoch}: loss {loss:.4f}, energies {energy:.1f} meV per atom, forces {forces:.1f} meV/angstrom")


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
