"""Exports the GINE of examples/models to ONNX, once for each shape and once with dynamic axes, and writes its answers.

    pip install torch==2.13.0 numpy onnx onnxscript safetensors
    python export.py FOLDER --random 0 --matrix 4 --shape 225,505,9

Writes for each shape FOLDER/scatter-225x505x9.onnx, which sums messages over edges with ScatterND, and
FOLDER/matrix-225x505x9.onnx, which sums them over the rows of a matrix of neighbours; scatter-dynamic.onnx,
matrix-dynamic.onnx; and answers.f32, what the network answers in PyTorch for the first graphs of
FOLDER/graphs.safetensors."""

import argparse
import warnings
from pathlib import Path

import numpy as np
import onnx
import onnxscript.optimizer
import torch
from safetensors.torch import load_file
from torch import nn

HIDDEN, LAYERS = 64, 5
# How many values each of OGB's atom and bond features can take.
ATOM, BOND = [119, 5, 12, 12, 10, 6, 6, 2, 2], [5, 6, 2]


class Encoder(nn.Module):
    """The sum of one embedding per column: int64 [rows, columns] to float32 [rows, HIDDEN]."""

    def __init__(self, values):
        super().__init__()
        self.table = nn.Parameter(torch.randn(sum(values), HIDDEN) * 0.1)
        self.register_buffer("first", torch.tensor([sum(values[:column]) for column in range(len(values))]))

    def forward(self, features):
        return nn.functional.embedding(features + self.first, self.table).sum(1)


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.bonds = Encoder(BOND)
        self.eps = nn.Parameter(torch.zeros(1))
        self.wide, self.wide_norm = nn.Linear(HIDDEN, 2 * HIDDEN), nn.BatchNorm1d(2 * HIDDEN)
        self.narrow, self.norm = nn.Linear(2 * HIDDEN, HIDDEN), nn.BatchNorm1d(HIDDEN)

    def forward(self, gathered):
        return self.norm(self.narrow(self.wide_norm(self.wide(gathered)).relu()))


class Gine(nn.Module):
    """The network; its parameters have the names that `cargo xtask train` saves."""

    def __init__(self):
        super().__init__()
        self.atoms = Encoder(ATOM)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.out = nn.Linear(HIDDEN, 1)

    def run(self, x, edge_attr, add_messages, pool):
        """Answers by `add_messages`, which adds to each node what reaches it, and `pool`, the mean of each graph."""
        h = self.atoms(x)
        for depth, layer in enumerate(self.layers):
            z = layer(add_messages(h * (1 + layer.eps), h, layer.bonds(edge_attr)))
            h = h + (z.relu() if depth + 1 < LAYERS else z)
        return self.out(pool(h))


class Scatter(Gine):
    """Sums over edges and over the nodes of a graph add rows at indices."""

    inputs = {
        "x": ("nodes", len(ATOM)), "edge_attr": ("edges", len(BOND)), "edge_index": (2, "edges"), "batch": ("nodes",),
        "ptr": ("ends",),
    }

    def forward(self, x, edge_attr, edge_index, batch, ptr):
        sources, targets = edge_index[0], edge_index[1]
        nodes = (ptr[1:] - ptr[:-1]).clamp(min=1).unsqueeze(1)

        def add_messages(own, h, bonds):
            return own.index_add(0, targets, (h.index_select(0, sources) + bonds).relu())

        def pool(h):
            # Not new_zeros, whose ConstantOfShape without a value tract 0.23 takes for float64.
            return torch.zeros(nodes.shape[0], HIDDEN).index_add(0, batch, h) / nodes

        return self.run(x, edge_attr, add_messages, pool)


class Matrix(Gine):
    """Sums over the columns of matrices: of the neighbours of each node, and of the nodes of each graph."""

    inputs = {
        "x": ("nodes", len(ATOM)), "edge_attr": ("edges", len(BOND)), "neighbours": ("nodes", "k"),
        "neighbour_edges": ("nodes", "k"), "neighbour_mask": ("nodes", "k"), "pool": ("graphs", "nodes"),
    }

    def forward(self, x, edge_attr, neighbours, neighbour_edges, neighbour_mask, pool):
        rows, real = nn.functional.embedding, neighbour_mask.unsqueeze(2)

        def add_messages(own, h, bonds):
            return own + ((rows(neighbours, h) + rows(neighbour_edges, bonds)).relu() * real).sum(1)

        return self.run(x, edge_attr, add_messages, lambda h: pool @ h)


# Of how many rows each axis that is not fixed has in the example that is traced; numbers that differ.
AXES = {"nodes": 11, "edges": 23, "graphs": 3, "ends": 4}


def dynamic(model, k):
    """Exports the network with dynamic axes."""

    def zeros(name, sizes):
        kind = torch.float32 if name in ("neighbour_mask", "pool") else torch.int64
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
    found = []
    for graph in range(min(graphs, len(nodes) - 1)):
        of_nodes, of_edges = slice(*nodes[graph : graph + 2]), slice(*edges[graph : graph + 2])
        x, count = store["x"][of_nodes].long(), of_nodes.stop - of_nodes.start
        edge_index, edge_attr = store["edge_index"][:, of_edges].long(), store["edge_attr"][of_edges].long()
        batch = torch.zeros(count, dtype=torch.int64)
        found.append(model(x, edge_attr, edge_index, batch, torch.tensor([0, count])).item())
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
    needed = [name for name in own if not name.endswith(("first", "num_batches_tracked"))]
    for name in needed:
        found = list(saved[name].shape) if name in saved else "none"
        if found != list(own[name].shape):
            raise SystemExit(f"{file}: expected {name} of shape {list(own[name].shape)}, found {found}")
        own[name].copy_(saved[name])


@torch.no_grad()
def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--weights", metavar="FILE", help="what `cargo xtask train --resume FILE` saved")
    source.add_argument("--random", type=int, metavar="SEED", help="random weights")
    parser.add_argument("--matrix", type=int, required=True, metavar="K", help="columns of the matrix of neighbours")
    parser.add_argument("--shape", action="append", default=[], metavar="NODES,EDGES,GRAPHS")
    parser.add_argument("--graphs", type=int, default=1000, help="how many graphs to answer")
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore")
    folder = arguments.folder
    networks = {"scatter": Scatter().eval(), "matrix": Matrix().eval()}
    weights(networks["scatter"], arguments.weights, arguments.random)
    networks["matrix"].load_state_dict(networks["scatter"].state_dict())
    found = answers(networks["scatter"], load_file(folder / "graphs.safetensors"), arguments.graphs)
    np.array(found, "<f4").tofile(folder / "answers.f32")
    for name, model in networks.items():
        exported = dynamic(model, arguments.matrix)
        onnx.save(exported, folder / f"{name}-dynamic.onnx")
        for shape in arguments.shape:
            shape = [int(rows) for rows in shape.split(",")]
            onnx.save(fixed(exported, shape), folder / f"{name}-{'x'.join(map(str, shape))}.onnx")


main()
