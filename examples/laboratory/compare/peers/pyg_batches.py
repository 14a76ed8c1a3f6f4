"""The batches of graphpack against those of PyTorch Geometric, of the same graphs in the same order, and their speed.

    python pyg_batches.py FOLDER TIMES

FOLDER has the stores of pyg_graphs.py and, in a folder for each line of TIMES, the batches that
measure/peer_batches.rs made of one of them. Prints a row of a Markdown table for each; fails at the first difference,
which it names.
"""

import json
import sys
from pathlib import Path

import numpy as np
import pyg_graphs
import torch
from batches import Schema, compare
from torch_geometric.data import Batch
from torch_geometric.nn.models import dimenet

# One attribute of each set, for which PyG also makes `ATTRIBUTE_batch` and `ATTRIBUTE_ptr`.
FOLLOW = {
    "data": {"nodes": "x", "edges": "edge_index", "triplets": "triplet_index", "faces": "face", "tokens": "tokens"},
    "hetero": dict.fromkeys(["protein", "ligand"], "x") | dict.fromkeys(["near", "bond", "contact"], "edge_index"),
    "bonds": {"nodes": "x", "edges": "edge_index"},
}


class Rows:
    """What `dimenet.triplets` uses of torch_sparse's SparseTensor, which pip would compile for minutes.

    Rows of values in the order of their columns. Those of parallel edges, which torch_sparse leaves in any order, stay
    in theirs.
    """

    def __init__(self, row, col, value, sparse_sizes):
        order = torch.argsort(row * sparse_sizes[1] + col, stable=True)
        self.columns, self.values = col[order], value[order]
        self.counts = torch.bincount(row, minlength=sparse_sizes[0])

    def __getitem__(self, rows):
        first = torch.cumsum(self.counts, 0) - self.counts
        self.selected = self.counts[rows]
        self.rows = torch.repeat_interleave(torch.arange(len(rows)), self.selected)
        within = torch.arange(len(self.rows)) - (torch.cumsum(self.selected, 0) - self.selected)[self.rows]
        self.entries = first[rows][self.rows] + within
        return self

    def set_value(self, _):
        return self

    def sum(self, dim):
        return self.selected

    storage = property(lambda self: self)

    def col(self):
        return self.columns[self.entries]

    def value(self):
        return self.values[self.entries]

    def row(self):
        return self.rows


def maker(data, graphs, triplets):
    """A function from numbers of graphs to PyG's batch of them, with the triplets that DimeNet computes."""
    follow = sorted({*FOLLOW[data].values()})

    def make(numbers):
        batch = Batch.from_data_list([graphs[number] for number in numbers], follow_batch=follow)
        if triplets:
            *_, kj, ji = dimenet.triplets(batch.edge_index, batch.num_nodes)
            batch.triplet_index = torch.stack([kj, ji])
        return batch

    return make


def reader(data, schema, triplets):
    """A function from a batch of PyG to its rows, by graphpack's names, and `ptr` of each set."""

    def of(batch, name, suffix=""):
        owner, _, key = name.rpartition(".")
        return (batch[owner] if owner else batch)[key + suffix].numpy()

    def rows_of(batch):
        owners = FOLLOW[data].items()
        ptr = {owner: of(batch, f"{owner}.{key}" if data == "hetero" else key, "_ptr") for owner, key in owners}
        if triplets:
            per_graph = np.bincount(of(batch, "edge_index_batch")[batch.triplet_index[1]], minlength=batch.num_graphs)
            ptr["triplets"] = np.concatenate([[0], np.cumsum(per_graph)])
        return {name: of(batch, name) for name in [*schema.fields, *schema.indices]}, ptr

    return rows_of


def main():
    folder, times = map(Path, sys.argv[1:])
    torch.set_num_threads(1)
    dimenet.SparseTensor = Rows
    for line in map(json.loads, times.read_text().splitlines()):
        data, triplets = line["data"], line["derived"] == "triplets"
        schema = Schema(folder / f"{data}.safetensors")
        if triplets:
            schema.add_index("triplet_index", "triplets", ["edges", "edges"])
        elif line["derived"]:
            continue  # dgl_line_graphs.py compares them
        graphs = list(getattr(pyg_graphs, data)())
        compare("PyG", folder, line, schema, maker(data, graphs, triplets), reader(data, schema, triplets))


if __name__ == "__main__":
    main()
