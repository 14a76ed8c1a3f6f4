"""Data of the tests: graphs that are the same in every run."""

import numpy as np
import pytest

import graphpack_loader as gp


class Rings(gp.Source):
    """Rings of 3 to 12 nodes; `y` is the number of nodes, `x` numbers nodes and says which graph they are of."""

    schema = gp.Schema(fields={"x": ("nodes", "float32", 2), "y": ("graph", "int64", None)})

    def __init__(self, graphs=200):
        self.nodes = [3 + 7 * graph % 10 for graph in range(graphs)]

    def __len__(self):
        return len(self.nodes)

    def size(self, graph):
        return [self.nodes[graph], self.nodes[graph]]

    def __getitem__(self, graph):
        nodes = np.arange(self.nodes[graph])
        x = np.stack([nodes, nodes + graph], axis=1).astype(np.float32)
        return {"x": x, "y": np.array([len(nodes)]), "edge_index": np.stack([nodes, np.roll(nodes, 1)])}


class Weighted(Rings):
    """The same with two numbers of each edge."""

    schema = gp.Schema(fields=Rings.schema.fields | {"edge_attr": ("edges", "float32", 2)})

    def __getitem__(self, graph):
        edges = np.arange(2 * self.nodes[graph], dtype=np.float32).reshape(-1, 2)
        return super().__getitem__(graph) | {"edge_attr": edges}


def arrays(source):
    """The same graphs in memory."""
    graphs = [source[graph] for graph in range(len(source))]
    ptr = np.cumsum([0, *source.nodes])
    edges = np.concatenate([graph["edge_index"] for graph in graphs], axis=1).reshape(-1)
    fields = [np.concatenate([graph[name] for graph in graphs]).reshape(-1) for name in ["x", "y"]]
    return gp.Data.from_arrays(source.schema.parts(), [ptr, ptr], [edges], fields)


@pytest.fixture
def rings():
    return Rings()


@pytest.fixture
def data(rings):
    return arrays(rings)
