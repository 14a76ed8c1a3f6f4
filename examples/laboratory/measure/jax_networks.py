"""The networks of jax_shapes.py in plain JAX: GINE, SchNet, MPEU and PaiNN, with 64 features and as many layers as usual.

Each is a function that makes parameters and one that gives a number for each graph of a batch, padding included.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

HIDDEN, RADIAL = 64, 32
ATOM = [119, 5, 12, 12, 10, 6, 6, 2, 2]
BOND = [5, 6, 2]
Keys = Iterator[Any]


class Network(NamedTuple):
    initial: Callable[[Keys], Any]
    predict: Callable[[Any, dict[str, Any]], Any]
    loss: Callable[[Any, dict[str, Any]], Any]


def weights(keys: Keys, *shape: int) -> Any:
    return jax.random.normal(next(keys), shape) * (1 / shape[0]) ** 0.5


def dense(keys: Keys, *sizes: int) -> list[Any]:
    return [(weights(keys, *shape), jnp.zeros(shape[1])) for shape in zip(sizes, sizes[1:])]


def apply(layers: list[Any], x: Any) -> Any:
    for number, (kernel, bias) in enumerate(layers):
        x = (jax.nn.silu(x) if number else x) @ kernel + bias
    return x


def sums(x: Any, of: Any, rows: int) -> Any:
    return jax.ops.segment_sum(x, of, rows)


def readout(head: list[Any], h: Any, batch: dict[str, Any]) -> Any:
    """The sum of a number of each real node."""
    return sums(apply(head, h)[:, 0] * batch["node_mask"], batch["batch"], len(batch["graph_mask"]))


def edges(batch: dict[str, Any]) -> tuple[Any, Any, Any, Any, Any]:
    """Sources, targets, directions, Gaussians of the lengths, and 1 for real edges."""
    sources, targets = batch["edge_index"]
    between = batch["pos"][targets] - batch["pos"][sources]
    mask = batch["edge_mask"][:, None].astype(jnp.float32)
    # Padding edges have no length.
    length = jnp.sqrt(jnp.square(between).sum(1, keepdims=True) + 1 - mask)
    gaussians = jnp.exp(-4 * jnp.square(length - jnp.linspace(0, 10, RADIAL)))
    return sources, targets, between / length, gaussians, mask


def atoms(keys: Keys) -> Any:
    return weights(keys, 100, HIDDEN)


def embedded(tables: list[Any], values: Any) -> Any:
    return sum(table[values[:, column]] for column, table in enumerate(tables))


def gine(keys: Keys) -> Any:
    def layer() -> dict[str, Any]:
        return {"bond": [weights(keys, count, HIDDEN) for count in BOND], "eps": jnp.zeros(()),
                "in": weights(keys, HIDDEN, 2 * HIDDEN), "out": weights(keys, 2 * HIDDEN, HIDDEN), "scale": jnp.ones(2 * HIDDEN)}

    return {"atom": [weights(keys, count, HIDDEN) for count in ATOM], "layers": [layer() for _ in range(5)],
            "head": dense(keys, HIDDEN, 1)}


def gine_of(parameters: Any, batch: dict[str, Any]) -> Any:
    sources, targets = batch["edge_index"]
    real = batch["node_mask"][:, None]
    h = embedded(parameters["atom"], batch["x"])
    for layer in parameters["layers"]:
        message = jax.nn.relu(h[sources] + embedded(layer["bond"], batch["edge_attr"]))
        z = ((1 + layer["eps"]) * h + sums(message, targets, len(h))) @ layer["in"]
        mean = jnp.sum(z * real, 0) / real.sum()
        variance = jnp.sum(jnp.square(z - mean) * real, 0) / real.sum()
        h = h + jax.nn.relu((z - mean) * jax.lax.rsqrt(variance + 1e-5) * layer["scale"]) @ layer["out"]
    counts = sums(batch["node_mask"].astype(jnp.float32), batch["batch"], len(batch["graph_mask"]))
    return readout(parameters["head"], h, batch) / jnp.maximum(counts, 1)


def schnet(keys: Keys) -> Any:
    layers = [{"filter": dense(keys, RADIAL, HIDDEN, HIDDEN), "in": weights(keys, HIDDEN, HIDDEN),
               "out": dense(keys, HIDDEN, HIDDEN, HIDDEN)} for _ in range(3)]
    return {"atom": atoms(keys), "layers": layers, "head": dense(keys, HIDDEN, HIDDEN, 1)}


def schnet_of(parameters: Any, batch: dict[str, Any]) -> Any:
    sources, targets, _, gaussians, mask = edges(batch)
    h = parameters["atom"][batch["z"].reshape(-1)]
    for layer in parameters["layers"]:
        message = (h @ layer["in"])[sources] * apply(layer["filter"], gaussians) * mask
        h = h + apply(layer["out"], sums(message, targets, len(h)))
    return readout(parameters["head"], h, batch)


def mpeu(keys: Keys) -> Any:
    layers = [{"edge": dense(keys, 3 * HIDDEN, 2 * HIDDEN, HIDDEN), "gate": dense(keys, HIDDEN, HIDDEN, HIDDEN),
               "in": weights(keys, HIDDEN, HIDDEN), "out": dense(keys, HIDDEN, HIDDEN, HIDDEN)} for _ in range(3)]
    return {"atom": atoms(keys), "edge": weights(keys, RADIAL, HIDDEN), "layers": layers,
            "head": dense(keys, HIDDEN, HIDDEN, 1)}


def mpeu_of(parameters: Any, batch: dict[str, Any]) -> Any:
    sources, targets, _, gaussians, mask = edges(batch)
    h, edge = parameters["atom"][batch["z"].reshape(-1)], gaussians @ parameters["edge"]
    for layer in parameters["layers"]:
        edge = apply(layer["edge"], jnp.concatenate([h[sources], h[targets], edge], 1))
        message = (h @ layer["in"])[sources] * apply(layer["gate"], edge) * mask
        h = h + apply(layer["out"], sums(message, targets, len(h)))
    return readout(parameters["head"], h, batch)


def painn(keys: Keys) -> Any:
    layers = [{"message": dense(keys, HIDDEN, HIDDEN, 3 * HIDDEN), "filter": weights(keys, RADIAL, 3 * HIDDEN),
               "u": weights(keys, HIDDEN, HIDDEN), "v": weights(keys, HIDDEN, HIDDEN),
               "update": dense(keys, 2 * HIDDEN, HIDDEN, 3 * HIDDEN)} for _ in range(3)]
    return {"atom": atoms(keys), "layers": layers, "head": dense(keys, HIDDEN, HIDDEN, 1)}


def painn_of(parameters: Any, batch: dict[str, Any]) -> Any:
    sources, targets, directions, gaussians, mask = edges(batch)
    h = parameters["atom"][batch["z"].reshape(-1)]
    v = jnp.zeros((len(h), 3, HIDDEN))
    for layer in parameters["layers"]:
        message = apply(layer["message"], h)[sources] * (gaussians @ layer["filter"]) * mask
        scalar, along, of_vectors = (part[:, None] for part in jnp.split(message, 3, 1))
        h = h + sums(scalar[:, 0], targets, len(h))
        v = v + sums(directions[:, :, None] * along + v[sources] * of_vectors, targets, len(h))
        first, second = v @ layer["u"], v @ layer["v"]
        norm = jnp.sqrt(jnp.square(second).sum(1) + 1e-6)
        own, product, vectors = jnp.split(apply(layer["update"], jnp.concatenate([h, norm], 1)), 3, 1)
        h, v = h + own + product * (first * second).sum(1), v + vectors[:, None] * first
    return readout(parameters["head"], h, batch)


def cross_entropy(logits: Any, batch: dict[str, Any]) -> Any:
    mask = batch["graph_mask"]
    # The padding rows of y are arbitrary, not a number included.
    y = jnp.where(mask, batch["y"].reshape(-1).astype(jnp.float32), 0)
    return jnp.where(mask, jax.nn.softplus(logits) - y * logits, 0).sum() / mask.sum()


def square_error(found: Any, batch: dict[str, Any]) -> Any:
    """The file with positions has no targets: protons per molecule are learnt."""
    mask = batch["graph_mask"]
    protons = sums(batch["z"].reshape(-1) * batch["node_mask"], batch["batch"], len(mask)).astype(jnp.float32)
    return jnp.where(mask, jnp.square(found - protons), 0).sum() / mask.sum()


NETWORKS = {
    "gine": Network(gine, gine_of, cross_entropy),
    "schnet": Network(schnet, schnet_of, square_error),
    "mpeu": Network(mpeu, mpeu_of, square_error),
    "painn": Network(painn, painn_of, square_error),
}
