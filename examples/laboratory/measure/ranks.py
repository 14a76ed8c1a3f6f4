"""How evenly samplers divide an epoch among ranks: a simulation on real sizes of graphs.

    python measure/ranks.py HISTOGRAM [--ranks 8 64 512] [--graphs 16] [--most 200000]

HISTOGRAM is a csv of n_nodes, n_edges and count. Every sampler divides the same graphs; a step costs its edges, or
nodes + 2 edges + 500, and lasts as long as its slowest rank. Efficiency is the work by the time of all ranks, counting
the work of every graph once. graphpack's rows come from `gp.BatchSampler` itself; the others are written anew from
their description: fairchem's MaxAtomDistributedBatchSampler (fills batches greedily to a number of atoms, once per
training, and repeats batches so that ranks have equally many), PyTorch Geometric's DynamicBatchSampler on the part of
each rank (by nodes; the epoch ends with the first rank that has no batch), torch's DistributedSampler (a fixed number of
graphs, some twice).
"""

from __future__ import annotations

import argparse
import csv
import gzip
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

import graphpack_loader as gp

Steps: TypeAlias = list[list[list[int]]]
Numbers: TypeAlias = "np.ndarray[Any, Any]"


def sizes_of(path: Path, most: int) -> Numbers:
    """Nodes and edges of each graph, in random order."""
    with gzip.open(path, "rt") if path.suffix == ".gz" else open(path) as file:
        rows = np.array([[int(value) for value in row] for row in list(csv.reader(file))[1:]])
    sizes = np.repeat(rows[:, :2], rows[:, 2], axis=0)
    return np.random.default_rng(0).permutation(sizes)[:most].astype(np.uint32)


def filled(order: Numbers, nodes: Numbers, most: int) -> list[list[int]]:
    """Batches that are closed when the next graph does not fit."""
    batches: list[list[int]] = [[]]
    taken = 0
    for graph in order.tolist():
        if taken + nodes[graph] > most:
            batches.append([])
            taken = 0
        batches[-1].append(graph)
        taken += int(nodes[graph])
    return batches


def fairchem(sizes: Numbers, ranks: int, graphs: int) -> Steps:
    random = np.random.default_rng(0)
    budget = max(int(sizes[:, 0].mean() * graphs), int(sizes[:, 0].max()))
    batches = filled(random.permutation(len(sizes)), sizes[:, 0], budget)
    order = random.permutation(len(batches)).tolist()
    order += order[: -len(order) % ranks]
    return [[batches[batch] for batch in order[first : first + ranks]] for first in range(0, len(order), ranks)]


def pyg_dynamic(sizes: Numbers, ranks: int, graphs: int) -> Steps:
    order = np.random.default_rng(0).permutation(len(sizes))
    budget = max(int(sizes[:, 0].mean() * graphs), int(sizes[:, 0].max()))
    parts = [filled(order[rank::ranks], sizes[:, 0], budget) for rank in range(ranks)]
    return [list(step) for step in zip(*parts)]


def distributed(sizes: Numbers, ranks: int, graphs: int) -> Steps:
    order = np.random.default_rng(0).permutation(len(sizes)).tolist()
    order += order[: -len(order) % ranks]
    parts = [order[rank::ranks] for rank in range(ranks)]
    return [[part[first : first + graphs] for part in parts] for first in range(0, len(parts[0]), graphs)]


def graphpack(sizes: Numbers, ranks: int, **options: Any) -> Steps:
    """The batches of all ranks from one sampler, which goes on where rank 0 begins: rank r has batches r, r + ranks, ..."""
    alone = gp.BatchSampler(sizes, shuffle=True, seed=0, **options)
    alone.load_state_dict(gp.BatchSampler(sizes, shuffle=True, seed=0, shard=(0, ranks), remainder="pad", **options).state_dict())
    batches = list(alone)
    batches += [[]] * (-len(batches) % ranks)
    return [batches[first : first + ranks] for first in range(0, len(batches), ranks)]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("histogram", type=Path)
    arguments.add_argument("--ranks", type=int, nargs="+", default=[8, 64, 512])
    arguments.add_argument("--graphs", type=int, default=16, help="graphs per batch")
    arguments.add_argument("--most", type=int, default=200_000, help="the most graphs")
    asked = arguments.parse_args()
    sizes, graphs = sizes_of(asked.histogram, asked.most), asked.graphs
    samplers = {
        "fairchem, max atoms": lambda ranks: fairchem(sizes, ranks, graphs),
        "PyG DynamicBatchSampler per rank": lambda ranks: pyg_dynamic(sizes, ranks, graphs),
        "torch DistributedSampler": lambda ranks: distributed(sizes, ranks, graphs),
        "graphpack packed": lambda ranks: graphpack(sizes, ranks, capacity=graphs),
        "graphpack window": lambda ranks: graphpack(sizes, ranks, capacity=graphs, grouping="window"),
        "graphpack 3 buckets": lambda ranks: graphpack(sizes, ranks, capacity=("buckets", 3, graphs)),
    }
    costs = {"edges": (0, 1, 0), "nodes + 2 edges + 500": (1, 2, 500)}
    print(f"{asked.histogram.name}: {len(sizes)} graphs, about {graphs} per batch\n")
    print(f"| ranks | sampler | steps | {' | '.join(f'efficiency, {name}' for name in costs)} | left out | twice |")
    print("|---|---|---|---|---|---|---|")
    for ranks in asked.ranks:
        for name, sampler in samplers.items():
            steps = sampler(ranks)
            times = np.bincount([graph for step in steps for batch in step for graph in batch], minlength=len(sizes))
            found = []
            for a, b, c in costs.values():
                cost = a * sizes[:, 0].astype(float) + b * sizes[:, 1]
                work = [[cost[batch].sum() + c for batch in step] for step in steps]
                slowest = sum(max(step) for step in work)
                useful = cost[times > 0].sum() + c * sum(bool(batch) for step in steps for batch in step)
                found.append(f"{100 * useful / (ranks * slowest):.1f} %")
            left, twice = int((times == 0).sum()), int((times > 1).sum())
            print(f"| {ranks} | {name} | {len(steps):,} | {' | '.join(found)} | {left:,} | {twice:,} |", flush=True)


if __name__ == "__main__":
    main()
