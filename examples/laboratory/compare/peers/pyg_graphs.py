"""Random graphs of PyTorch Geometric, and stores of them.

    python pyg_graphs.py FOLDER

writes FOLDER/data.safetensors, FOLDER/hetero.safetensors and FOLDER/bonds.safetensors with the Python package.
"""

import sys
from pathlib import Path

import numpy as np
import torch
from torch_geometric.data import Data, HeteroData

GRAPHS = 10_000
# The sets of attributes that are not of nodes, edges or graphs.
SETS = {"triplet_index": "triplets", "angle": "triplets", "face": "faces", "area": "faces", "tokens": "tokens"}
PADDING = {"edge_attr": 1.0, "tokens": -1.0}


class Triplets(Data):
    """`triplet_index` numbers edges."""

    def __inc__(self, key, value, *args, **kwargs):
        return self.num_edges if key == "triplet_index" else super().__inc__(key, value, *args, **kwargs)


class Draw:
    """Random values of PyTorch."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)

    def count(self, most):
        """A number from 0 to `most`, more often a small one."""
        return int(self.random.integers(0, self.random.integers(0, most + 1) + 1))

    def floats(self, *shape):
        return torch.from_numpy(self.random.standard_normal(shape, np.float32))

    def below(self, end, *shape):
        return torch.from_numpy(self.random.integers(0, end, shape))

    def index(self, rows, *ends):
        """An index without rows where one of the sets that it points into has none."""
        rows = rows if min(ends) > 0 else 0
        return torch.stack([self.below(max(end, 1), rows) for end in ends])


def data(count=GRAPHS):
    """Graphs with triplets of edges, faces of nodes, and tokens. Self-loops and parallel edges occur."""
    draw = Draw(1)
    for _ in range(count):
        nodes = 1 + draw.count(40)
        edge_index = draw.index(draw.count(4 * nodes), nodes, nodes)
        edges = edge_index.shape[1]
        triplet_index = draw.index(draw.count(3 * edges), edges, edges)
        face = draw.index(draw.count(nodes), nodes, nodes, nodes)
        yield Triplets(
            x=draw.floats(nodes, 9),
            pos=draw.floats(nodes, 3),
            edge_index=edge_index,
            edge_attr=draw.floats(edges, 4),
            triplet_index=triplet_index,
            angle=draw.floats(triplet_index.shape[1]),
            face=face,
            area=draw.floats(face.shape[1], 1),
            tokens=draw.below(1000, draw.count(30)),
            y=draw.floats(1, 2),
        )


def hetero(count=GRAPHS):
    """Proteins and ligands: two types of nodes and three of edges."""
    draw = Draw(2)
    for _ in range(count):
        graph = HeteroData(y=draw.floats(1))
        protein, ligand = 1 + draw.count(60), 1 + draw.count(30)
        graph["protein"].x, graph["protein"].pos = draw.floats(protein, 20), draw.floats(protein, 3)
        graph["ligand"].x, graph["ligand"].pos = draw.below(119, ligand, 9), draw.floats(ligand, 3)
        for kind, most, ends in [
            (("protein", "near", "protein"), 4 * protein, (protein, protein)),
            (("ligand", "bond", "ligand"), 2 * ligand, (ligand, ligand)),
            (("protein", "contact", "ligand"), 2 * ligand, (protein, ligand)),
        ]:
            graph[kind].edge_index = draw.index(draw.count(most), *ends)
            graph[kind].edge_attr = draw.floats(graph[kind].num_edges, 2)
        yield graph


def bonds(count=GRAPHS):
    """Graphs with edges in both directions; some edges are parallel, some are self-loops."""
    draw = Draw(3)
    for _ in range(count):
        nodes = 1 + draw.count(40)
        ends = draw.index(nodes + draw.count(nodes), nodes, nodes)
        yield Data(x=draw.floats(nodes, 9), edge_index=torch.cat([ends, ends.flip(0)], dim=1))


if __name__ == "__main__":
    from graphpack_loader import save_store

    folder = Path(sys.argv[1])
    save_store(data(), folder / "data.safetensors", sets=SETS, padding=PADDING)
    save_store(hetero(), folder / "hetero.safetensors", padding={"contact.edge_attr": 0.5})
    save_store(bonds(), folder / "bonds.safetensors")
