"""Exports GINE or SchNet of examples/models to ONNX, a model for each shape or with dynamic axes, and writes its answers.

    pip install torch==2.13.0 numpy onnx onnxscript safetensors
    python export.py FOLDER --random 0 --matrix 4 scatter-225x505x9 matrix-225x506x9 scatter-dynamic

FOLDER/graphs.safetensors has the graphs: with the lengths of edges for SchNet, else for GINE. Writes FOLDER/MODEL.onnx
for each model, which sums messages over edges with ScatterND (scatter) or over the rows of a matrix of neighbours
(matrix), and answers.f32, what the network answers in PyTorch for the first graphs."""

import argparse
import math
import warnings
from pathlib import Path

import numpy as np
import onnx
import onnxscript.optimizer
import torch
from safetensors.torch import load_file
from torch import nn

HIDDEN = 64
# How many values each of OGB's atom and bond features can take.
ATOM, BOND = [119, 5, 12, 12, 10, 6, 6, 2, 2], [5, 6, 2]
# Gaussians of the lengths of edges, 0.1 angstrom apart.
GAUSSIANS = 150


class Encoder(nn.Module):
    """The sum of one embedding per column: int64 [rows, columns] to float32 [rows, HIDDEN]."""

    def __init__(self, values):
        super().__init__()
        self.table = nn.Parameter(torch.randn(sum(values), HIDDEN) * 0.1)
        first = torch.tensor([sum(values[:column]) for column in range(len(values))])
        self.register_buffer("first", first, persistent=False)

    def forward(self, features):
        return nn.functional.embedding(features + self.first, self.table).sum(1)


class GineLayer(nn.Module):
    def __init__(self):
        super().__init__()
        self.bonds = Encoder(BOND)
        self.eps = nn.Parameter(torch.zeros(1))
        self.wide, self.wide_norm = nn.Linear(HIDDEN, 2 * HIDDEN), nn.BatchNorm1d(2 * HIDDEN)
        self.narrow, self.norm = nn.Linear(2 * HIDDEN, HIDDEN), nn.BatchNorm1d(HIDDEN)

    def forward(self, gathered):
        return self.norm(self.narrow(self.wide_norm(self.wide(gathered)).relu()))


class Gine(nn.Module):
    """The network of molecules; its parameters have the names that `cargo xtask train` saves.

    A network is given `add_messages(own, h, edges, message)`, which adds to the row of each node in `own` the messages
    `message(h of the source, row of the edge)`, and `pool`, the mean over the nodes of each graph."""

    inputs = {"x": ("nodes", len(ATOM)), "edge_attr": ("edges", len(BOND))}

    def __init__(self):
        super().__init__()
        self.atoms = Encoder(ATOM)
        self.layers = nn.ModuleList(GineLayer() for _ in range(5))
        self.out = nn.Linear(HIDDEN, 1)

    def forward(self, x, edge_attr, add_messages, pool):
        h = self.atoms(x)
        for depth, layer in enumerate(self.layers):
            own, bonds = h * (1 + layer.eps), layer.bonds(edge_attr)
            z = layer(add_messages(own, h, bonds, lambda h, bond: (h + bond).relu()))
            h = h + (z.relu() if depth + 1 < len(self.layers) else z)
        return self.out(pool(h))


class Mlp(nn.Module):
    def __init__(self, width, hidden, out):
        super().__init__()
        self.hidden, self.out = nn.Linear(width, hidden, bias=False), nn.Linear(hidden, out, bias=False)

    def forward(self, x):
        return self.out(shifted_softplus(self.hidden(x)))


def shifted_softplus(x):
    return nn.functional.softplus(x) - math.log(2)


class SchnetLayer(nn.Module):
    def __init__(self):
        super().__init__()
        self.filter, self.update = Mlp(GAUSSIANS, HIDDEN, HIDDEN), Mlp(HIDDEN, HIDDEN, HIDDEN)
        self.sources = nn.Linear(HIDDEN, HIDDEN, bias=False)


class Schnet(nn.Module):
    """The network of structures: the mean of what reaches each atom, and of all atoms."""

    inputs = {"z": ("nodes", 1), "distance": ("edges", 1)}

    def __init__(self, elements):
        super().__init__()
        rows = torch.zeros(256, dtype=torch.int64)
        rows[elements] = torch.arange(len(elements))
        self.register_buffer("rows", rows, persistent=False)
        self.elements = nn.ParameterDict({"table": torch.randn(len(elements), HIDDEN)})
        self.layers = nn.ModuleList(SchnetLayer() for _ in range(3))
        self.readout = Mlp(HIDDEN, HIDDEN // 2, 1)

    def forward(self, z, distance, add_messages, pool):
        from_centres = distance - 0.1 * torch.arange(GAUSSIANS)
        basis = (-10 * from_centres.square()).clamp(min=-64).exp()
        h = nn.functional.embedding(self.rows[z[:, 0]], self.elements["table"])
        none = 0 * z.float()
        degrees = add_messages(none, none, 0 * distance + 1, lambda h, one: h + one).clamp(min=1)
        for layer in self.layers:
            filters = shifted_softplus(layer.filter(basis))
            reached = add_messages(0 * h, layer.sources(h), filters, lambda h, filter: h * filter)
            h = h + layer.update(reached / degrees)
        return pool(self.readout(h))


class Scatter(nn.Module):
    """Sums over edges and over the nodes of a graph add rows at indices."""

    def __init__(self, network):
        super().__init__()
        self.network = network
        self.inputs = network.inputs | {"edge_index": (2, "edges"), "batch": ("nodes",), "ptr": ("ends",)}

    def forward(self, of_nodes, of_edges, edge_index, batch, ptr):
        sources, targets = edge_index[0], edge_index[1]
        nodes = (ptr[1:] - ptr[:-1]).clamp(min=1).unsqueeze(1)

        def add_messages(own, h, edges, message):
            return own.index_add(0, targets, message(h.index_select(0, sources), edges))

        def pool(h):
            # Not new_zeros, whose ConstantOfShape without a value tract 0.23 takes for float64.
            return torch.zeros(nodes.shape[0], h.shape[1]).index_add(0, batch, h) / nodes

        return self.network(of_nodes, of_edges, add_messages, pool)


class Matrix(nn.Module):
    """Sums over the columns of matrices: of the neighbours of each node, and of the nodes of each graph."""

    def __init__(self, network):
        super().__init__()
        self.network = network
        names = ["neighbours", "neighbour_edges", "neighbour_mask"]
        self.inputs = network.inputs | {name: ("nodes", "k") for name in names} | {"pool": ("graphs", "nodes")}

    def forward(self, of_nodes, of_edges, neighbours, neighbour_edges, neighbour_mask, pool):
        rows, real = nn.functional.embedding, neighbour_mask.unsqueeze(2)

        def add_messages(own, h, edges, message):
            return own + (message(rows(neighbours, h), rows(neighbour_edges, edges)) * real).sum(1)

        return self.network(of_nodes, of_edges, add_messages, lambda h: pool @ h)


# Of how many rows each axis that is not fixed has in the example that is traced; numbers that differ.
AXES = {"nodes": 11, "edges": 23, "graphs": 3, "ends": 4}


def dynamic(model, k):
    """Exports the network with dynamic axes."""

    def zeros(name, sizes):
        kind = torch.float32 if name in ("distance", "neighbour_mask", "pool") else torch.int64
        return torch.zeros([(AXES | {"k": k}).get(size, size) for size in sizes], dtype=kind)

    axes = ({axis: size for axis, size in enumerate(sizes) if size in AXES} for sizes in model.inputs.values())
    program = torch.onnx.export(
        model, tuple(zeros(*each) for each in model.inputs.items()), dynamo=True, dynamic_shapes=tuple(axes),
        input_names=list(model.inputs), output_names=["answers"], verbose=False,
    )  # fmt: skip
    return program.model_proto


def fixed(exported, shape):
    """The same with the axes of one shape, and without what only other shapes need."""
    model, (nodes, edges, graphs) = onnx.ModelProto(), shape
    model.CopyFrom(exported)
    rows = {"nodes": nodes, "edges": edges, "graphs": graphs, "ends": graphs + 1}
    del model.graph.value_info[:]
    model.graph.output[0].type.tensor_type.shape.dim[0].dim_value = graphs
    for value in model.graph.input:
        for axis in value.type.tensor_type.shape.dim:
            if axis.dim_param:
                axis.dim_value = rows[axis.dim_param]
    return onnxscript.optimizer.optimize(onnx.shape_inference.infer_shapes(model))


def answers(model, store, graphs):
    """What the network answers for the first graphs of a store, one at a time: without padding."""
    nodes, edges = store["ptr_node"].tolist(), store["ptr_edge"].tolist()
    of_node, of_edge = model.network.inputs
    found = []
    for graph in range(min(graphs, len(nodes) - 1)):
        of_nodes, of_edges = slice(*nodes[graph : graph + 2]), slice(*edges[graph : graph + 2])
        count, edge_index = of_nodes.stop - of_nodes.start, store["edge_index"][:, of_edges].long()
        batch = torch.zeros(count, dtype=torch.int64)
        inputs = store[of_node][of_nodes], store[of_edge][of_edges], edge_index, batch, torch.tensor([0, count])
        found.append(model(*inputs).item())
    return found


def weights(model, file, seed):
    """Loads the weights that `cargo xtask train --resume` saved, or draws all of them, running statistics too."""
    if file is None:
        torch.manual_seed(seed)
        for name, tensor in model.state_dict().items():
            if tensor.is_floating_point():
                spread = torch.randn_like(tensor) * 0.1
                tensor.copy_(1 + spread.abs() if name.endswith(("running_var", "norm.weight")) else spread)
        return
    saved, own = load_file(file), model.state_dict()
    needed = [name for name in own if not name.endswith("num_batches_tracked")]
    for name in needed:
        found = list(saved[name].shape) if name in saved else "none"
        if found != list(own[name].shape):
            raise SystemExit(f"{file}: expected {name} of shape {list(own[name].shape)}, found {found}")
        own[name].copy_(saved[name])


@torch.no_grad()
def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--weights", metavar="FILE", help="what `cargo xtask train --resume FILE` saved")
    source.add_argument("--random", type=int, metavar="SEED", help="random weights")
    parser.add_argument("--matrix", type=int, required=True, metavar="K", help="columns of the matrix of neighbours")
    parser.add_argument("models", nargs="+", metavar="MODEL", help="as scatter-NODESxEDGESxGRAPHS or matrix-dynamic")
    parser.add_argument("--graphs", type=int, default=1000, help="how many graphs to answer")
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore")
    folder = arguments.folder
    store = load_file(folder / "graphs.safetensors")
    network = (Schnet(store["z"].unique()) if "distance" in store else Gine()).eval()
    weights(network, arguments.weights, arguments.random)
    networks = {"scatter": Scatter(network), "matrix": Matrix(network)}
    np.array(answers(networks["scatter"], store, arguments.graphs), "<f4").tofile(folder / "answers.f32")
    exported = {name: dynamic(model, arguments.matrix) for name, model in networks.items()}
    for name in arguments.models:
        sums, shape = name.split("-")
        model = exported[sums]
        if shape != "dynamic":
            model = fixed(model, [int(rows) for rows in shape.split("x")])
        onnx.save(model, folder / f"{name}.onnx")


main()
