"""What the Python face costs: batches per second from Python beside those of Rust, and of peers.

    python measure/overhead.py FOLDER [--batch-size 128] [--seconds 1] [--peers]

FOLDER has w1.safetensors and w2.safetensors (gen.py of the peers writes them). Rust is measured by
`loader_bench`, with the same options in the same sitting; `cargo xtask lab loader_bench --help` builds it. `--peers`
measures PyTorch Geometric's DataLoader, too, alone and with two worker processes. Everything on one thread but the rows
with workers.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

import graphpack_loader as gp


def seconds(epoch: Callable[[], Iterable[object]], use: Callable[[object], object], least: float) -> tuple[float, float, int]:
    """Median seconds and CPU-seconds of an epoch, and its batches, of at least three epochs and `least` seconds; the first
    epoch is not counted."""
    walls: list[float] = []
    cpus: list[float] = []
    number, batches = 0, 0
    while len(walls) < 3 or sum(walls) < least:
        batches, begun, used = 0, time.perf_counter(), time.process_time()
        for batch in epoch():
            use(batch)
            batches += 1
        if number:
            walls.append(time.perf_counter() - begun)
            cpus.append(time.process_time() - used)
        number += 1
    return statistics.median(walls), statistics.median(cpus), batches


def rust(file: Path, size: int) -> dict[str, float]:
    """Batches per second by row."""
    command = [str(Path(os.environ.get("CARGO_TARGET_DIR", Path(__file__).parents[3] / "target")) / "release/loader_bench")]
    command += ["--batch-sizes", str(size), "--epochs", "15", "--store", str(file)]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    rows = [json.loads(line) for line in lines]
    return {row["what"]: row["batches_per_second"] for row in rows}


def pyg_graphs(file: Path) -> list[object]:
    import torch
    from torch_geometric.data import Data

    arrays = np.memmap(file, np.uint8, "r")
    length = int(arrays[:8].view(np.uint64)[0])
    tensors = {}
    for name, about in json.loads(arrays[8 : 8 + length].tobytes()).items():
        begin, end = (8 + length + offset for offset in about["data_offsets"])
        dtype = {"F32": np.float32, "I64": np.int64}[about["dtype"]]
        tensors[name] = torch.from_numpy(np.array(arrays[begin:end]).view(dtype).reshape(about["shape"]))
    nodes, edges = tensors.pop("ptr_node").tolist(), tensors.pop("ptr_edge").tolist()
    graphs = []
    for graph in range(len(nodes) - 1):
        of_nodes, of_edges = slice(*nodes[graph : graph + 2]), slice(*edges[graph : graph + 2])
        parts = {"x": of_nodes, "pos": of_nodes, "edge_attr": of_edges, "y": slice(graph, graph + 1)}
        fields = {name: tensors[name][rows] for name, rows in parts.items() if name in tensors}
        graphs.append(Data(edge_index=tensors["edge_index"][:, of_edges], **fields))
    return graphs


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--batch-size", type=int, default=128)
    arguments.add_argument("--seconds", type=float, default=1, help="of epochs, whose median counts")
    arguments.add_argument("--peers", action="store_true")
    asked = arguments.parse_args()
    files = [asked.folder / f"{name}.safetensors" for name in ("w1", "w2")]
    cpu = next((line for line in open("/proc/cpuinfo") if line.startswith("model name")), platform.processor())
    print(f"{cpu.split(':')[-1].strip()}, {os.cpu_count()} cores, batch size {asked.batch_size}\n")
    uses = {
        "the batch alone": lambda batch: batch,
        "to_numpy": lambda batch: batch.to_numpy(),
        "to_torch": lambda batch: batch.to_torch(),
        "to_pyg": lambda batch: batch.to_pyg(),
        "to_pyg(padding=True)": lambda batch: batch.to_pyg(padding=True),
        "to_jax": lambda batch: batch.to_jax(),
        "to_jraph": lambda batch: batch.to_jraph(),
        # What page-locked memory costs beside the copy to a device.
        "a copy of all bytes": lambda batch: np.array(batch.packed()[0]),
    }
    print("| data | what | s an epoch | batches/s | of Rust | CPU-ms per batch |\n|---|---|---|---|---|---|")

    def row(what: str, base: float, measured: tuple[float, float, int]) -> None:
        wall, cpu_seconds, batches = measured
        rate, cost = batches / wall, 1e3 * cpu_seconds / batches
        print(f"| {what} | {wall:.3f} | {rate:,.0f} | {rate / base:.3f} | {cost:.3f} |", flush=True)

    for file in files:
        data, of_rust = gp.open(file, memory=True), rust(file, asked.batch_size)
        of_pyg = ["the batch alone", "to_numpy", "to_torch", "to_pyg", "to_pyg(padding=True)"]
        of_jax = ["the batch alone", "to_numpy", "to_torch", "to_jax", "to_jraph"]
        for workers, narrow, names in [(0, False, [*of_pyg, "a copy of all bytes"]), (1, False, of_pyg), (0, True, of_jax)]:
            options = {"capacity": gp.Capacity.estimate("jraph", asked.batch_size), "grouping": "in_order",
                       "shuffle": True, "seed": 1, "prefetch": 8}
            loader = gp.Loader(data, workers=workers, index="int32" if narrow else "int64", **options)
            options_of_rust = "memory, int32" if narrow else "memory, int64, 1 worker" if workers else "memory, int64"
            base = of_rust[options_of_rust]
            print(f"| {file.stem}, Rust, {options_of_rust} | | {base:,.0f} | 1 | |")
            for name in names:
                measured = seconds(lambda: loader, uses[name], asked.seconds)
                row(f"{file.stem}, Python, {options_of_rust}, {name}", base, measured)
        if asked.peers:
            import torch
            from torch_geometric.loader import DataLoader

            torch.set_num_threads(1)
            for workers in [0, 2]:
                loader = DataLoader(pyg_graphs(file), batch_size=asked.batch_size - 1, shuffle=True, num_workers=workers)
                measured = seconds(lambda: loader, lambda batch: batch, asked.seconds)
                row(f"{file.stem}, PyG's DataLoader, num_workers={workers}", of_rust["memory, int64"], measured)


if __name__ == "__main__":
    main()
