"""Trains fairchem's eSCN-MD, the network of UMA, on batches of a loader: python fairchem_train.py FILE [EPOCHS]

FILE has atoms, `energy` and `forces`, of any format that `graphpack_loader.open` opens. Edges are made by the loader's
workers in place of the model, whose `otf_graph` is False.
"""

import sys
from functools import partial

import torch
from fairchem.core.datasets.atomic_data import AtomicData
from fairchem.core.models.base import HydraModel

import graphpack_loader as gp

CUTOFF = 5.0


def to_fairchem(batch, dataset, references):
    """The real rows as fairchem's own loader gives them, as structures of a `dataset` that the model knows, with energies
    over `references`, float64 energies of single atoms by atomic number. Positions are those of the file; fairchem
    moves atoms into the cell, which changes cell offsets but no vector."""
    graphs = batch.to_pyg()
    number, dtype, molecules = graphs.num_graphs, graphs.pos.dtype, "cell" not in graphs
    cell = torch.zeros(number, 3, 3) if molecules else graphs.cell
    # A molecule has a cell of length 1.
    cell = torch.where(cell.flatten(1).any(1)[:, None, None], cell, torch.eye(3))
    # Before they have 32 bits, which hold -76026.123 eV to 0.004 eV.
    energy = graphs.energy.double().index_add(0, graphs.batch, -references[graphs.z])

    def whole(name, rows):
        return graphs[name].long() if name in graphs else torch.zeros(rows, dtype=torch.int64)

    return AtomicData(
        pos=graphs.pos,
        atomic_numbers=graphs.z,
        cell=cell,
        pbc=torch.zeros(number, 3, dtype=torch.bool) if molecules else graphs.pbc,
        natoms=graphs.ptr.diff(),
        edge_index=graphs.edge_index,
        cell_offsets=torch.zeros(graphs.num_edges, 3) if molecules else graphs.cell_offsets.to(dtype),
        nedges=graphs.batch[graphs.edge_index[1]].bincount(minlength=number),
        charge=whole("charge", number),
        spin=whole("spin", number),
        fixed=whole("fixed", graphs.num_nodes),
        tags=whole("tags", graphs.num_nodes),
        energy=energy.to(dtype),
        forces=graphs.forces,
        stress=graphs.stress if "stress" in graphs else None,
        batch=graphs.batch,
        sid=[str(graph) for graph in batch.places],
        dataset=[dataset] * number,
    )


def escn_md():
    """A small model with forces that are the gradient of its energies."""
    backbone = {
        "model": "fairchem.core.models.uma.escn_md.eSCNMDBackbone", "sphere_channels": 16,
        "hidden_channels": 16, "edge_channels": 16,
        "lmax": 2, "mmax": 2, "num_layers": 2, "num_distance_basis": 32, "cutoff": CUTOFF, "otf_graph": False,
        "regress_forces": True, "direct_forces": False, "dataset_mapping": {"omat": "omat"}, "always_use_pbc": False,
    }  # fmt: skip
    head = {"module": "fairchem.core.models.uma.escn_md.MLP_EFS_Head", "wrap_property": False}
    return HydraModel(backbone, {"efs": head}, otf_graph=False, pass_through_head_outputs=True)


def main(path, epochs=10):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    data = gp.open(path).connect(CUTOFF)
    references = torch.zeros(119, dtype=torch.float64)
    for element, energy in data.statistics()["energies"].items():
        references[element] = energy
    output = partial(to_fairchem, dataset="omat", references=references)
    loader = gp.Loader(data, capacity=8, shuffle=True, seed=1, output=output)
    torch.manual_seed(1)
    model = escn_md().to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for epoch in range(epochs):
        model.train()
        total = 0.0
        for batch in loader:
            batch = batch.to(device)
            found = model(batch)
            energies = (found["energy"].view(-1) - batch.energy) / batch.natoms
            loss = energies.abs().mean() + (found["forces"] - batch.forces).norm(dim=-1).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        print(f"epoch {epoch}: loss {total / len(loader):.3f}")


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
