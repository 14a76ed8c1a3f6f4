"""GINE on ogbg-molhiv in PyTorch on a CPU: fed by graphpack or by PyTorch Geometric, compiled by Inductor or not.

    python measure/torch_gine.py FOLDER --feed packed [--compile no|static|dynamic] [--workers 1] [--epochs 3]

FOLDER is ogbg_molhiv as OGB has it. `--feed` is packed, dynamic, static_64, static_pow2 or unpadded of graphpack, or pyg
(its DataLoader, whose batches have no padding). Prints a line of JSON after each epoch: seconds since the start of the
first, compilations, the share of the time that was spent waiting for batches, and the memory of all processes.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterable
from typing import Any

import psutil
import torch
from torch._dynamo.utils import counters
from torch.nn import BatchNorm1d, Embedding, Linear, Module, ModuleList, ReLU, Sequential
from torch.nn.functional import binary_cross_entropy_with_logits

import graphpack as gp

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
    options: dict[str, Any] = {"batch_graphs": graphs, "shuffle": 1, "workers": workers}
    options["batching"] = ("graphs_or_nodes", 2**31) if feed == "unpadded" else feed
    return gp.Loader(data, **options)


def of_pyg(data: gp.Data, graphs: int, workers: int) -> Any:
    from torch_geometric.data import Data
    from torch_geometric.loader import DataLoader

    kept = []
    for batch in gp.Loader(data, batching=("graphs_or_nodes", 2**31), batch_graphs=1):
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


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder")
    arguments.add_argument("--feed", required=True)
    arguments.add_argument("--compile", choices=["no", "static", "dynamic"], default="no")
    arguments.add_argument("--workers", type=int, default=1)
    arguments.add_argument("--epochs", type=int, default=3)
    arguments.add_argument("--graphs", type=int, default=1 << 30, help="take only the first graphs of the training split")
    arguments.add_argument("--batch-graphs", type=int, default=128)
    asked = arguments.parse_args()
    torch.manual_seed(0)
    data = gp.open(asked.folder, split="train")
    data = data.subset(range(min(asked.graphs, len(data))))
    of = of_pyg if asked.feed == "pyg" else lambda *options: of_graphpack(data, asked.feed, *options[1:])
    loader: Iterable[Any] = of(data, asked.batch_graphs, asked.workers)
    model = Gine()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    # Recompilations are what is measured: they do not end in eager mode.
    torch._dynamo.config.recompile_limit = torch._dynamo.config.accumulated_recompile_limit = 1 << 20  # type: ignore[attr-defined]
    run: Any = model if asked.compile == "no" else torch.compile(model, dynamic=asked.compile == "dynamic")
    begun, waited = time.perf_counter(), 0.0
    for epoch in range(1, asked.epochs + 1):
        batches = iter(loader)
        while True:
            before = time.perf_counter()
            batch = next(batches, None)
            waited += time.perf_counter() - before
            if batch is None:
                break
            pyg = asked.feed == "pyg"
            tensors = batch if pyg else batch.to_torch()
            x, edge_index, edge_attr, of_graph, y = (tensors[name] for name in NAMES)
            graphs = batch.num_graphs if pyg else batch.shape["graphs"]
            logits, y = run(x, edge_index, edge_attr, of_graph, graphs), y.reshape(-1).float()
            real = slice(None) if pyg else slice(batch.real["graphs"])
            loss = binary_cross_entropy_with_logits(logits[real], y[real])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        seconds = time.perf_counter() - begun
        print(json.dumps({
            "feed": asked.feed, "compile": asked.compile, "workers": asked.workers, "epoch": epoch,
            "seconds": round(seconds, 2), "compilations": counters["stats"]["unique_graphs"],
            "waited": round(waited / seconds, 4), "MB": memory(), "loss": round(loss.item(), 4),
        }), flush=True)


if __name__ == "__main__":
    main()
