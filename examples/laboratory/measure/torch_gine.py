"""GINE on ogbg-molhiv in PyTorch on a CPU: fed by graphpack or by PyTorch Geometric, compiled by Inductor or not.

    python measure/torch_gine.py FOLDER ROWS.csv --feeds packed pyg [--compile no|static|dynamic] [--workers 1] [--seconds 60]

FOLDER is ogbg_molhiv as OGB has it. `--feeds` are packed, dynamic, static_64, static_pow2 and unpadded of graphpack, and
pyg (its DataLoader, whose batches have no padding). Without a compiler, a row tells what the second epoch takes, which
share of it was spent waiting for batches, and the memory of all processes. With Inductor, how long a compilation takes,
that is, a step that compiles without what it takes when it is repeated, and how long a step: medians of those within
`--seconds`. `static` compiles each shape, of which there are as many as the last columns say by the end of epochs 1, 5
and 20; `dynamic` the number of times that is counted.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import torch
from rows import Rows
from torch._dynamo.utils import counters
from torch.nn import BatchNorm1d, Embedding, Linear, Module, ModuleList, ReLU, Sequential
from torch.nn.functional import binary_cross_entropy_with_logits

import graphpack_loader as gp

HIDDEN, LAYERS = 64, 5
ATOM = [119, 5, 12, 12, 10, 6, 6, 2, 2]
BOND = [5, 6, 2]
NAMES = ["x", "edge_index", "edge_attr", "batch", "y"]


class Encoder(Module):
    def __init__(self, sizes: list[int]) -> None:
        super().__init__()
        self.tables = ModuleList(Embedding(size, HIDDEN) for size in sizes)

    def forward(self, x: torch.Tensor) -> Any:
        return sum(table(x[:, column]) for column, table in enumerate(self.tables))


class Gine(Module):
    """Sums and means by index_add, which Inductor compiles; padding nodes count in the statistics of a norm, in which
    they are few."""

    def __init__(self) -> None:
        super().__init__()
        self.atom, self.bond = Encoder(ATOM), ModuleList(Encoder(BOND) for _ in range(LAYERS))
        self.mlp = ModuleList(
            Sequential(Linear(HIDDEN, 2 * HIDDEN), BatchNorm1d(2 * HIDDEN), ReLU(), Linear(2 * HIDDEN, HIDDEN))
            for _ in range(LAYERS)
        )
        self.out = Linear(HIDDEN, 1)

    def forward(self, x: Any, edge_index: Any, edge_attr: Any, batch: Any, graphs: int) -> Any:
        h = self.atom(x)
        for bond, mlp in zip(self.bond, self.mlp):
            message = (h[edge_index[0]] + bond(edge_attr)).relu()
            h = h + mlp(h + torch.zeros_like(h).index_add(0, edge_index[1], message)).relu()
        sums = h.new_zeros(graphs, HIDDEN).index_add(0, batch, h)
        counts = h.new_zeros(graphs).index_add(0, batch, torch.ones_like(batch, dtype=h.dtype))
        return self.out(sums / counts.clamp(min=1)[:, None])[:, 0]


def of_graphpack(data: gp.Data, feed: str, graphs: int, workers: int) -> Any:
    options: dict[str, Any] = {"shuffle": True, "seed": 1, "workers": workers}
    shapes = {"static_64": ("multiple", 64), "static_pow2": "power_of_two", "unpadded": "exact"}
    if feed in shapes:
        options |= {"capacity": gp.Capacity.exactly(graphs), "grouping": "in_order", "shapes": shapes[feed]}
    else:
        options |= {"capacity": graphs, "grouping": {"dynamic": "in_order"}.get(feed, feed)}
    return gp.Loader(data, **options)


def of_pyg(data: gp.Data, feed: str, graphs: int, workers: int) -> Any:
    from torch_geometric.data import Data
    from torch_geometric.loader import DataLoader

    kept = []
    for batch in gp.Loader(data, capacity=gp.Capacity.exactly(1), grouping="in_order", shapes="exact"):
        tensors, real = batch.to_torch(), batch.real
        kept.append(Data(
            x=tensors["x"][: real["nodes"]].clone(), edge_index=tensors["edge_index"][:, : real["edges"]].clone(),
            edge_attr=tensors["edge_attr"][: real["edges"]].clone(), y=tensors["y"][:1].clone(),
        ))
    return DataLoader(kept, graphs, shuffle=True, num_workers=workers, persistent_workers=workers > 0)


def memory() -> int:
    """MB of this process and its children, shared pages counted once."""
    process = psutil.Process()
    return sum(each.memory_full_info().pss for each in [process, *process.children(recursive=True)]) >> 20


class Training:
    """A network and its steps so far; `run` is the network, compiled if asked."""

    def __init__(self, compile: str) -> None:
        torch.manual_seed(0)
        torch._dynamo.reset()
        counters.clear()
        self.model = Gine()
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-3)
        self.run: Any = self.model if compile == "no" else torch.compile(self.model, dynamic=compile == "dynamic")

    def step(self, batch: Any) -> float:
        """Returns the loss; its batch is of graphpack or of PyTorch Geometric."""
        ours = isinstance(batch, gp.Batch)
        tensors = batch.to_torch() if ours else batch
        x, edge_index, edge_attr, of_graph, y = (tensors[name] for name in NAMES)
        graphs = batch.shape["graphs"] if ours else batch.num_graphs
        logits, y = self.run(x, edge_index, edge_attr, of_graph, graphs), y.reshape(-1).float()
        real = slice(batch.real["graphs"]) if ours else slice(None)
        loss = binary_cross_entropy_with_logits(logits[real], y[real])
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()


def an_epoch(loader: Iterable[Any], training: Training) -> dict[str, object]:
    """What the second epoch takes."""
    for epoch in range(2):
        begun, waited, loss, batches, last = time.perf_counter(), 0.0, 0.0, iter(loader), time.perf_counter()
        for batch in batches:
            waited += time.perf_counter() - last
            loss = training.step(batch)
            last = time.perf_counter()
        seconds = time.perf_counter() - begun
    return {"seconds": f"{seconds:.1f}", "waited": f"{waited / seconds:.4f}", "MB": memory(), "loss": f"{loss:.4f}"}


def compiled(loader: Iterable[Any], training: Training, seconds: float) -> dict[str, object]:
    """Compilations and steps within `seconds`."""
    compiling, steps, all_steps, begun, loss = [], [], 0, time.perf_counter(), 0.0
    for batch in loader:
        known, before = counters["stats"]["unique_graphs"], time.perf_counter()
        loss = training.step(batch)
        took, all_steps = time.perf_counter() - before, all_steps + 1
        if counters["stats"]["unique_graphs"] > known:
            before = time.perf_counter()
            training.step(batch)
            compiling.append(took - time.perf_counter() + before)
            took -= compiling[-1]
        steps.append(took)
        if time.perf_counter() - begun > seconds:
            break
    return {"steps": all_steps, "compilations": len(compiling), "seconds per compilation": f"{statistics.median(compiling):.2f}",
            "ms per step": f"{1e3 * statistics.median(steps):.1f}", "loss": f"{loss:.4f}"}


def shapes_by(sizes: Any, feed: str, loader: Any, graphs: int) -> dict[str, object]:
    """Different shapes by the end of epochs 1, 5 and 20."""
    random, seen, found = np.random.default_rng(0), set(), {}
    for epoch in range(1, 21):
        if feed == "pyg":
            order = random.permutation(len(sizes))
            sums = np.add.reduceat(sizes[order], np.arange(0, len(sizes), graphs))
            seen.update(tuple(rows) for rows in sums.tolist())
        else:
            seen.update(tuple(shape) for shape, _ in loader.shapes(epoch - 1))
        found[f"shapes {epoch}"] = len(seen)
    return {name: found[name] for name in ("shapes 1", "shapes 5", "shapes 20")}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder")
    arguments.add_argument("rows", type=Path)
    arguments.add_argument("--feeds", nargs="+", required=True)
    arguments.add_argument("--compile", choices=["no", "static", "dynamic"], default="no")
    arguments.add_argument("--workers", type=int, default=1)
    arguments.add_argument("--seconds", type=float, default=60)
    arguments.add_argument("--batch-graphs", type=int, default=128)
    asked = arguments.parse_args()
    # Recompilations are what is measured: they do not end in eager mode.
    torch._dynamo.config.recompile_limit = torch._dynamo.config.accumulated_recompile_limit = 1 << 20  # type: ignore[attr-defined]
    rows = Rows(asked.rows, ["feed", "compile", "workers"])
    for feed in asked.feeds:
        what = {"feed": feed, "compile": asked.compile, "workers": asked.workers}
        if rows.has(*map(str, what.values())):
            continue
        data = gp.open(asked.folder, split="train")
        sizes = np.frombuffer(data.sizes(), np.uint32).reshape(-1, 2)
        loader = (of_pyg if feed == "pyg" else of_graphpack)(data, feed, asked.batch_graphs, asked.workers)
        # PyTorch Geometric has its graphs in memory, graphpack those of the file.
        del data
        training = Training(asked.compile)
        if asked.compile == "no":
            rows.add(what | an_epoch(loader, training))
        else:
            found = compiled(loader, training, asked.seconds)
            rows.add(what | found | shapes_by(sizes, feed, loader, asked.batch_graphs))


if __name__ == "__main__":
    main()
