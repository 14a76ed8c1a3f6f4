"""Writes the table of weights that examples/firmware has in its flash, and what PyTorch answers.

    cargo xtask train --data ogbg_molhiv --width 16 --rate 3e-3 --epochs 12 --resume gine16.safetensors
    cargo xtask firmware --weights gine16.safetensors

`session/gine.weights` has the fields of `Network` in session/src/gine.rs, float32 and little-endian, with batch norm
folded into the dense layers before it; `session/gine.answers` the logits of the graphs of a store, float32."""

import argparse
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file
from torch.nn.functional import batch_norm, linear

SESSION = Path(__file__).resolve().parent / "session"
LAYERS, EPS = 5, 1e-5
# How many values each of OGB's atom and bond features can take.
ATOM, BOND = [119, 5, 12, 12, 10, 6, 6, 2, 2], [5, 6, 2]


def embed(table, values, features):
    """The sum of one embedding per column: int64 [rows, columns] to float32 [rows, width]."""
    first = torch.tensor([sum(values[:column]) for column in range(len(values))])
    return table[features + first].sum(1)


def answer(of, x, edge_index, edge_attr):
    """The logit of a graph, by weights as `cargo xtask train` names them, which `of` returns."""
    h = embed(of("atoms.table"), ATOM, x)
    for depth in range(LAYERS):
        z = h * (1 + of(f"layers.{depth}.eps"))
        messages = h[edge_index[0]] + embed(of(f"layers.{depth}.bonds.table"), BOND, edge_attr)
        z = z.index_add(0, edge_index[1], messages.relu())
        for dense, norm in [("wide", "wide_norm"), ("narrow", "norm")]:
            dense, norm = f"layers.{depth}.{dense}.", f"layers.{depth}.{norm}."
            z = linear(z, of(dense + "weight"), of(dense + "bias"))
            mean, variance = of(norm + "running_mean"), of(norm + "running_var")
            z = batch_norm(z, mean, variance, of(norm + "weight"), of(norm + "bias"), eps=EPS)
            if norm.endswith("wide_norm.") or depth + 1 < LAYERS:
                z = z.relu()
        h = h + z
    return linear(h.mean(0), of("out.weight"), of("out.bias")).item()


def folded(of, dense, norm):
    """Weight and bias of a dense layer that does what both do."""
    scale = of(norm + ".weight") / torch.sqrt(of(norm + ".running_var") + EPS)
    bias = (of(dense + ".bias") - of(norm + ".running_mean")) * scale + of(norm + ".bias")
    return [of(dense + ".weight") * scale.unsqueeze(1), bias]


def table(of):
    """All weights in the order of `Network`."""
    parts = [of("atoms.table")]
    for layer in (f"layers.{depth}." for depth in range(LAYERS)):
        parts += [of(layer + "bonds.table"), 1 + of(layer + "eps")]
        parts += folded(of, layer + "wide", layer + "wide_norm") + folded(of, layer + "narrow", layer + "norm")
    parts += [of("out.weight"), of("out.bias")]
    return np.concatenate([part.flatten().numpy() for part in parts])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weights", help="what `cargo xtask train --width 16 --resume FILE` saved")
    parser.add_argument("graphs", help="a store")
    arguments = parser.parse_args()
    saved, store = load_file(arguments.weights), load_file(arguments.graphs)
    if list(saved["out.weight"].shape) != [1, 16]:
        raise SystemExit(f"expected out.weight of shape [1, 16], found {list(saved['out.weight'].shape)}")
    nodes, edges = store["ptr_node"].tolist(), store["ptr_edge"].tolist()
    answers = []
    for graph in range(len(nodes) - 1):
        of_nodes, of_edges = slice(*nodes[graph : graph + 2]), slice(*edges[graph : graph + 2])
        edge_index = store["edge_index"][:, of_edges].long()
        x, edge_attr = store["x"][of_nodes].long(), store["edge_attr"][of_edges].long()
        answers.append(answer(saved.__getitem__, x, edge_index, edge_attr))
    table(saved.__getitem__).astype("<f4").tofile(SESSION / "gine.weights")
    np.array(answers, "<f4").tofile(SESSION / "gine.answers")


main()
