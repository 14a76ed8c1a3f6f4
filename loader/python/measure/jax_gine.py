"""What fixed shapes are worth in JAX on a CPU: GINE on ogbg-molhiv, a jitted step, compilations counted.

    python measure/jax_gine.py FOLDER --batching packed [--epochs 5] [--graphs 32901] [--batch-graphs 128]

FOLDER is ogbg_molhiv as OGB has it. `--batching` is packed, dynamic, static_64, static_pow2 or unpadded of graphpack,
or jraph (its `dynamically_batch` on graphs in Python). Prints a line of JSON after each epoch: seconds since the start
of the first, compilations, the seconds of the steps that compiled, and the share of the time that was spent waiting for batches.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import graphpack as gp

HIDDEN, LAYERS = 64, 5
ATOM = [119, 5, 12, 12, 10, 6, 6, 2, 2]
BOND = [5, 6, 2]


def initial(key: Any) -> Any:
    def weights(*shape: int) -> Any:
        nonlocal key
        key, own = jax.random.split(key)
        return jax.random.normal(own, shape) * (2 / shape[0]) ** 0.5

    def layer() -> dict[str, Any]:
        return {
            "bond": [weights(count, HIDDEN) for count in BOND], "eps": jnp.zeros(()),
            "in": weights(HIDDEN, 2 * HIDDEN), "out": weights(2 * HIDDEN, HIDDEN), "scale": jnp.ones(2 * HIDDEN),
        }

    return {"atom": [weights(count, HIDDEN) for count in ATOM], "layers": [layer() for _ in range(LAYERS)],
            "head": weights(HIDDEN, 1)}


def embedded(tables: list[Any], values: Any) -> Any:
    return sum(table[values[:, column]] for column, table in enumerate(tables))


def loss_of(parameters: Any, batch: dict[str, Any]) -> Any:
    nodes, graphs = batch["x"].shape[0], batch["y"].shape[0]
    sources, targets = batch["edge_index"]
    real = batch["node_mask"][:, None]
    h = embedded(parameters["atom"], batch["x"])
    for layer in parameters["layers"]:
        message = jax.nn.relu(h[sources] + embedded(layer["bond"], batch["edge_attr"]))
        z = (1 + layer["eps"]) * h + jax.ops.segment_sum(message, targets, nodes)
        z = z @ layer["in"]
        count = real.sum()
        mean = jnp.sum(z * real, 0) / count
        variance = jnp.sum(jnp.square(z - mean) * real, 0) / count
        h = h + jax.nn.relu((z - mean) * jax.lax.rsqrt(variance + 1e-5) * layer["scale"]) @ layer["out"]
    sums = jax.ops.segment_sum(h * real, batch["batch"], graphs)
    counts = jax.ops.segment_sum(real[:, 0].astype(jnp.float32), batch["batch"], graphs)
    logits = (sums / jnp.maximum(counts, 1)[:, None] @ parameters["head"])[:, 0]
    y, mask = batch["y"].reshape(-1).astype(jnp.float32), batch["graph_mask"]
    # The padding rows of y are arbitrary, not a number included.
    losses = jnp.where(mask, jax.nn.softplus(logits) - jnp.where(mask, y, 0) * logits, 0)
    return losses.sum() / mask.sum()


@jax.jit
def step(parameters: Any, moments: Any, count: Any, batch: dict[str, Any]) -> Any:
    loss, gradients = jax.value_and_grad(loss_of)(parameters, batch)
    first, second = moments
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, gradients)
    second = jax.tree.map(lambda m, g: 0.999 * m + 0.001 * g * g, second, gradients)
    rate = 1e-3 * jnp.sqrt(1 - 0.999**count) / (1 - 0.9**count)
    parameters = jax.tree.map(lambda p, m, v: p - rate * m / (jnp.sqrt(v) + 1e-8), parameters, first, second)
    return parameters, (first, second), count + 1, loss


def of_graphpack(data: gp.Data, batching: str, graphs: int) -> Any:
    """Iterating it gives the batches of the next epoch."""
    options: dict[str, Any] = {"batch_graphs": graphs, "shuffle": 1, "workers": 1, "narrow_indices": True}
    options["batching"] = ("graphs_or_nodes", 2**31) if batching == "unpadded" else batching
    names = ["x", "edge_index", "edge_attr", "batch", "y", "node_mask", "graph_mask"]
    loader = gp.Loader(data, **options)

    class Epochs:
        def __iter__(self) -> Iterator[dict[str, Any]]:
            for batch in loader:
                arrays = batch.to_jax()
                yield {name: arrays[name] for name in names}

    return Epochs()


def of_jraph(data: gp.Data, graphs: int) -> Any:
    """jraph's own loop, with the budget of its users: mean sizes times the number of graphs, in multiples of 64."""
    import jraph

    alone = gp.Loader(data, batching=("graphs_or_nodes", 2**31), batch_graphs=1, narrow_indices=True)
    tuples = []
    for batch in alone:
        arrays, real = batch.to_numpy(), batch.real
        edges = arrays["edge_index"][:, : real["edges"]].copy()
        tuples.append(jraph.GraphsTuple(
            nodes=arrays["x"][: real["nodes"]].copy(), edges=arrays["edge_attr"][: real["edges"]].copy(),
            senders=edges[0], receivers=edges[1], globals=arrays["y"][:1].copy(),
            n_node=np.array([real["nodes"]]), n_edge=np.array([real["edges"]]),
        ))
    budget = [int(np.mean([rows(graph) for graph in tuples]) * graphs) // 64 * 64 + 64
              for rows in (lambda graph: graph.n_node[0], lambda graph: graph.n_edge[0])]
    random = np.random.default_rng(1)

    class Epochs:
        def __iter__(self) -> Iterator[dict[str, Any]]:
            order = (tuples[graph] for graph in random.permutation(len(tuples)))
            for batch in jraph.dynamically_batch(order, budget[0], budget[1], graphs + 1):
                numbers = np.arange(len(batch.n_node), dtype=np.int32)
                mask = jraph.get_graph_padding_mask(batch)
                yield {
                    "x": batch.nodes, "edge_attr": batch.edges, "y": batch.globals, "graph_mask": mask,
                    "edge_index": np.stack([batch.senders, batch.receivers]),
                    "batch": np.repeat(numbers, batch.n_node), "node_mask": jraph.get_node_padding_mask(batch),
                }

    return Epochs()


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder")
    arguments.add_argument("--batching", required=True)
    arguments.add_argument("--epochs", type=int, default=5)
    arguments.add_argument("--graphs", type=int, default=1 << 30, help="take only the first graphs of the training split")
    arguments.add_argument("--batch-graphs", type=int, default=128)
    asked = arguments.parse_args()
    data = gp.open(asked.folder, split="train")
    data = data.subset(range(min(asked.graphs, len(data))))
    epochs = of_jraph(data, asked.batch_graphs) if asked.batching == "jraph" else of_graphpack(data, asked.batching, asked.batch_graphs)
    compiled: list[float] = []
    # On a device by name, as batches are: otherwise the second step is compiled again.
    parameters = jax.device_put(initial(jax.random.key(0)), jax.devices()[0])
    moments = (jax.tree.map(jnp.zeros_like, parameters), jax.tree.map(jnp.zeros_like, parameters))
    count = jax.device_put(jnp.ones(()), jax.devices()[0])
    begun, waited, steps, in_steps = time.perf_counter(), 0.0, 0, 0.0
    for epoch in range(1, asked.epochs + 1):
        batches = iter(epochs)
        while True:
            before = time.perf_counter()
            batch = next(batches, None)
            got = time.perf_counter()
            waited += got - before
            if batch is None:
                break
            known = step._cache_size()
            parameters, moments, count, loss = step(parameters, moments, count, batch)
            loss.block_until_ready()
            if step._cache_size() == known:
                in_steps += time.perf_counter() - got
                steps += 1
            else:
                compiled.append(time.perf_counter() - got)
        seconds = time.perf_counter() - begun
        print(json.dumps({
            "batching": asked.batching, "epoch": epoch, "seconds": round(seconds, 2),
            "compilations": step._cache_size(), "compiling": round(sum(compiled), 2),
            "ms per step": round(1e3 * in_steps / max(steps, 1), 2), "waited": round(waited / seconds, 4),
            "loss": round(float(loss), 4),
        }), flush=True)


if __name__ == "__main__":
    main()
