"""What fixed shapes are worth in JAX on a CPU: steps and compilations of networks, by the way of batching.

    python measure/jax_shapes.py DATA ROWS.csv --network gine --batchings packed unpadded [--seconds 20]

DATA is ogbg_molhiv as OGB has it for GINE, a file of atoms for SchNet, MPEU and PaiNN, which have an edge for each pair.
`--batchings` are packed, dynamic, static_64, static_pow2 and unpadded of graphpack, and jraph (its `dynamically_batch` on
graphs in Python). A row tells how long a compilation takes, that is, a first step without what the same step takes when it
is repeated, how long a step, and which share of the time between compilations was spent waiting for the batch; the median
of those within `--seconds`. Shapes by the end of epoch 1, 5 and 20 are counted without training, and give the seconds
to the end of these epochs. `--epochs 1` trains whole epochs instead and tells the seconds that passed, compilations included.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax_networks import NETWORKS, Network
from rows import Rows

import graphpack_loader as gp

FIELDS = {"gine": ["x", "edge_attr", "y"]}
SHAPES = ["batch", "edge_index", "node_mask", "edge_mask", "graph_mask"]
ENDS = (1, 5, 20)
State = tuple[Any, Any, Any]


@partial(jax.jit, static_argnums=0)
def step(network: Network, state: State, batch: dict[str, Any]) -> tuple[State, Any]:
    """A step of Adam."""
    parameters, (first, second), count = state
    loss, gradients = jax.value_and_grad(lambda parameters: network.loss(network.predict(parameters, batch), batch))(parameters)
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, gradients)
    second = jax.tree.map(lambda m, g: 0.999 * m + 0.001 * g * g, second, gradients)
    rate = 1e-3 * jnp.sqrt(1 - 0.999**count) / (1 - 0.9**count)
    parameters = jax.tree.map(lambda p, m, v: p - rate * m / (jnp.sqrt(v) + 1e-8), parameters, first, second)
    return (parameters, (first, second), count + 1), loss


class Graphpack:
    """Epochs of graphpack; iterating gives the next one."""

    def __init__(self, data: gp.Data, fields: list[str], batching: str, graphs: int) -> None:
        options: dict[str, Any] = {"shuffle": True, "seed": 1, "workers": 1, "index": "int32"}
        shapes = {"static_64": ("multiple", 64), "static_pow2": "power_of_two", "unpadded": "exact"}
        if batching in shapes:
            options |= {"capacity": gp.Capacity.exactly(graphs), "grouping": "in_order", "shapes": shapes[batching]}
        else:
            options |= {"capacity": graphs, "grouping": {"dynamic": "in_order"}.get(batching, batching)}
        self.loader, self.names = gp.Loader(data, **options), fields + SHAPES

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for batch in self.loader:
            arrays = batch.to_jax()
            yield {name: arrays[name] for name in self.names}

    def counts(self) -> tuple[list[int], list[int]]:
        """Batches, and different shapes, by the end of each epoch of `ENDS`."""
        seen: set[tuple[int, ...]] = set()
        batches, ends = 0, ([], [])  # type: tuple[int, tuple[list[int], list[int]]]
        for epoch in range(max(ENDS)):
            shapes = self.loader.shapes(epoch)
            seen.update(tuple(shape) for shape, _ in shapes)
            batches += sum(count for _, count in shapes)
            if epoch + 1 in ENDS:
                ends[0].append(batches)
                ends[1].append(len(seen))
        return ends


class Jraph:
    """jraph's own loop, with the budget of its users: mean sizes times the number of graphs, in multiples of 64."""

    def __init__(self, data: gp.Data, fields: list[str], graphs: int, most: int) -> None:
        sizes = np.frombuffer(data.sizes(), np.uint32).reshape(-1, 2)
        nodes, edges = (int(mean * graphs) // 64 * 64 + 64 for mean in sizes.mean(0))
        self.budget = {"n_node": nodes, "n_edge": edges, "n_graph": graphs + 1}
        self.sizes, self.random = sizes, np.random.default_rng(1)
        # Graphs in Python, as jraph takes them; of a large data set only as many as a measurement meets.
        alone = gp.Loader(data.subset(range(min(most, len(data)))), capacity=gp.Capacity.exactly(1),
                          grouping="in_order", shapes="exact", index="int32")
        self.tuples = [self.graph(batch, fields) for batch in alone]

    def graph(self, batch: gp.Batch, fields: list[str]) -> Any:
        import jraph

        arrays, real, layout = batch.to_numpy(), batch.real, batch.layout
        rows = {name: arrays[name][: real.get(layout[name][0], 1)].copy() for name in fields}
        edges = arrays["edge_index"][:, : real["edges"]].copy()
        return jraph.GraphsTuple(
            nodes={name: rows[name] for name in rows if layout[name][0] == "nodes"},
            edges={name: rows[name] for name in rows if layout[name][0] == "edges"},
            globals={name: rows[name] for name in rows if layout[name][0] == "graph"},
            senders=edges[0], receivers=edges[1], n_node=np.array([real["nodes"]]), n_edge=np.array([real["edges"]]),
        )

    def __iter__(self) -> Iterator[dict[str, Any]]:
        import jraph

        order = (self.tuples[graph] for graph in self.random.permutation(len(self.tuples)))
        for batch in jraph.dynamically_batch(order, **self.budget):
            numbers = np.arange(len(batch.n_node), dtype=np.int32)
            yield {
                **batch.nodes, **batch.edges, **batch.globals, "edge_index": np.stack([batch.senders, batch.receivers]),
                "batch": np.repeat(numbers, batch.n_node), "node_mask": jraph.get_node_padding_mask(batch),
                "edge_mask": jraph.get_edge_padding_mask(batch), "graph_mask": jraph.get_graph_padding_mask(batch),
            }

    def counts(self) -> tuple[list[int], list[int]]:
        """Batches of the whole data set, counted by jraph's rule; its shape is one."""
        most = np.array([self.budget["n_node"] - 1, self.budget["n_edge"], self.budget["n_graph"] - 1])
        rows = np.c_[self.sizes, np.ones(len(self.sizes), int)].astype(int)
        batches, taken = 1, np.zeros(3, int)
        for graph in self.random.permutation(len(rows)):
            full = (taken + rows[graph] > most).any()
            batches += int(full)
            taken = rows[graph] if full else taken + rows[graph]
        return [epochs * batches for epochs in ENDS], [1] * len(ENDS)


class Training:
    """A network and its steps so far."""

    def __init__(self, network: str) -> None:
        self.network = NETWORKS[network]
        parameters = self.network.initial(iter(jax.random.split(jax.random.key(0), 400)))
        zeros = jax.tree.map(jnp.zeros_like, parameters)
        # On a device by name, as batches are: otherwise the second step is compiled again.
        self.state: State = jax.device_put((parameters, (zeros, zeros), jnp.ones(())), jax.devices()[0])

    def step(self, batch: dict[str, Any]) -> tuple[float, bool, float]:
        """Seconds, whether it was compiled, and the loss."""
        begun, known = time.perf_counter(), step._cache_size()
        self.state, loss = step(self.network, self.state, batch)
        loss.block_until_ready()
        return time.perf_counter() - begun, step._cache_size() > known, float(loss)


def by_formula(epochs: Any, training: Training, seconds: float) -> dict[str, object]:
    """Measures steps and compilations, and adds them up to the ends of epochs."""
    compiling, steps, waits, begun, loss = [], [], [], time.perf_counter(), 0.0
    while time.perf_counter() - begun < seconds:
        batches = iter(epochs)
        before = time.perf_counter()
        for batch in batches:
            wait = time.perf_counter() - before
            took, compiled, loss = training.step(batch)
            if compiled:
                again, _, loss = training.step(batch)
                compiling.append(took - again)
                steps.append(again)
            else:
                steps.append(took)
                waits.append(wait)
            if time.perf_counter() - begun > seconds and len(steps) > 2:
                break
            before = time.perf_counter()
    batches_by, shapes_by = epochs.counts()
    compilation, each = statistics.median(compiling), statistics.median(steps)
    wait = statistics.median(waits) if waits else 0.0
    ends = [shapes * compilation + batches * (each + wait) for batches, shapes in zip(batches_by, shapes_by)]
    row: dict[str, object] = {"compilations timed": len(compiling), "seconds per compilation": f"{compilation:.3f}"}
    row |= {"steps timed": len(steps), "ms per step": f"{1e3 * each:.2f}", "waited": f"{wait / (wait + each):.4f}"}
    row["batches"] = batches_by[0]
    row |= {f"shapes {epoch}": shapes for epoch, shapes in zip(ENDS, shapes_by)}
    return row | {f"seconds {epoch}": f"{end:.0f}" for epoch, end in zip(ENDS, ends)} | {"loss": f"{loss:.4f}"}


def trained(epochs: Any, training: Training, number: int) -> dict[str, object]:
    """Seconds of whole epochs, from the request of the first batch on."""
    begun, steps, compilations, loss = time.perf_counter(), 0, 0, 0.0
    for _ in range(number):
        for batch in epochs:
            _, compiled, loss = training.step(batch)
            steps, compilations = steps + 1, compilations + compiled
    seconds = time.perf_counter() - begun
    return {"epochs": number, "steps": steps, "compilations": compilations, "seconds": f"{seconds:.1f}", "loss": f"{loss:.4f}"}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("data")
    arguments.add_argument("rows", type=Path)
    arguments.add_argument("--network", choices=NETWORKS, required=True)
    arguments.add_argument("--batchings", nargs="+", required=True)
    arguments.add_argument("--batch-graphs", type=int, default=128)
    arguments.add_argument("--seconds", type=float, default=20)
    arguments.add_argument("--epochs", type=int)
    asked = arguments.parse_args()
    gine = asked.network == "gine"
    data = gp.open(asked.data, split="train") if gine else gp.open(asked.data, edges="full")
    fields = FIELDS.get(asked.network, ["z", "pos"])
    rows = Rows(asked.rows, ["network", "batching"])
    for batching in asked.batchings:
        if rows.has(asked.network, batching):
            continue
        jraph = batching == "jraph"
        epochs: Any = Jraph(data, fields, asked.batch_graphs, 40_000) if jraph else Graphpack(data, fields, batching, asked.batch_graphs)
        training, what = Training(asked.network), {"network": asked.network, "batching": batching, "graphs": asked.batch_graphs}
        jax.clear_caches()
        rows.add(what | (trained(epochs, training, asked.epochs) if asked.epochs else by_formula(epochs, training, asked.seconds)))


if __name__ == "__main__":
    main()
