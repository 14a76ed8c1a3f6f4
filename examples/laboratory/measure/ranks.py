"""How long do ranks wait for each other? graphpack and the samplers of other projects, replayed on the same sizes.

    python measure/ranks.py DATA ROWS.csv [--sets qm9 oc20] [--ranks 4 64 1024] [--cost 150 100 0 1400000]

DATA is the folder with `histograms/` and `atoms/`. Needs NumPy and graphpack_loader. Graphs are not loaded, their
numbers are dealt. Each rule was read at its source (docs/measurements/ranks.md says which version) and is written again
here in a few lines. `--cost` is what a node, an edge, a graph and a step cost, in nanoseconds. A row that ROWS.csv has
is not replayed again; tables of all rows are printed at the end.

All samplers have the same memory, of which a node takes 1.5 times what an edge takes. Rules whose limit is another
(atoms, graphs) get the largest limit whose batches stay in memory.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import heapq
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rows import Rows

import graphpack_loader as gp

Ints = np.ndarray[Any, np.dtype[np.int64]]
GRAPHS = 400_000  # at most, so that the slowest rule takes a minute
BATCH = 40_000  # edges: QM9, fully connected, in batches of 128 graphs
STEPS = 8  # at least, in memory that shrinks as ranks grow, as where the batch of all ranks is bounded


@dataclass
class Task:
    """Graphs; what each costs, in ns, and takes of a batch's memory, in halves of an edge; and the memory there is."""

    nodes: Ints
    edges: Ints
    cost: Ints
    takes: Ints
    memory: int
    ranks: int

    def random(self) -> np.random.Generator:
        return np.random.default_rng(1)


@dataclass
class Order:
    """An epoch. Batch b has `graphs[starts[b]:starts[b + 1]]`; rank r gets batch `steps[s, r]` in step s, -1: none."""

    graphs: Ints
    starts: Ints
    steps: Ints


def order_of(batches: list[Any], steps: Ints) -> Order:
    starts = np.cumsum([0] + [len(batch) for batch in batches])
    return Order(np.concatenate([np.asarray(batch, dtype=np.int64) for batch in batches]), starts, steps)


# What several rules share.


def next_fit(sizes: Ints, limit: int) -> Ints:
    """Starts of batches in order, each closed by the first graph that exceeds the limit; no graph exceeds it alone."""
    ends = np.concatenate([[0], np.cumsum(sizes)])
    starts = [0]
    while starts[-1] < len(sizes):
        starts.append(int(np.searchsorted(ends, ends[starts[-1]] + limit, side="right")) - 1)
    return np.array(starts)


def dealt(batches: Ints, ranks: int) -> Ints:
    """Every rank's batch of every step; the first batches are repeated until all ranks have one."""
    return np.resize(batches, (-(-len(batches) // ranks), ranks))


def cut(batches: list[list[Any]]) -> Order:
    """Ranks that batch their own shard: the epoch ends where the first rank has no batch, as others wait for it."""
    steps = min(len(own) for own in batches)
    numbers = np.arange(steps * len(batches)).reshape(len(batches), steps)
    return order_of([batch for own in batches for batch in own[:steps]], numbers.T)


def spread(graphs: Ints, weights: Ints, parts: int) -> list[list[int]]:
    """From the heaviest graph to the lightest, each goes to the lightest part."""
    graphs = graphs[np.argsort(-weights[graphs], kind="stable")]
    heap = [(0, part) for part in range(parts)]
    held: list[list[int]] = [[] for _ in heap]
    for graph, weight in zip(graphs.tolist(), weights[graphs].tolist()):
        sum_of_lightest, part = heap[0]
        held[part].append(graph)
        heapq.heapreplace(heap, (sum_of_lightest + weight, part))
    return held


# Rules of other projects. `limit` is each rule's own.


def fixed_number(task: Task, limit: int) -> Order:
    """torch's DistributedSampler, `limit` graphs a batch."""
    graphs = dealt(task.random().permutation(len(task.nodes)), task.ranks)
    batches = [batch for first in range(0, len(graphs), limit) for batch in graphs[first : first + limit].T]
    return order_of(batches, np.arange(len(batches)).reshape(-1, task.ranks))


def balanced(task: Task, limit: int) -> Order:
    """fairchem's BalancedBatchSampler: of each step, the largest graph goes to the rank that has fewest atoms."""
    graphs = dealt(task.random().permutation(len(task.nodes)), task.ranks)
    steps = [graphs[first : first + limit].ravel() for first in range(0, len(graphs), limit)]
    batches = [batch for step in steps for batch in spread(step, task.nodes, task.ranks)]
    return order_of(batches, np.arange(len(batches)).reshape(-1, task.ranks))


def most_atoms(task: Task, limit: int) -> Order:
    """fairchem's MaxAtomDistributedBatchSampler: next-fit once, batches in random order."""
    random = task.random()
    graphs = random.permutation(len(task.nodes))
    graphs = graphs[task.nodes[graphs] <= limit]
    starts = next_fit(task.nodes[graphs], limit)
    return Order(graphs, starts, dealt(random.permutation(len(starts) - 1), task.ranks))


def most_atoms_dropping(task: Task, limit: int) -> Order:
    """metatrain's sampler of the same name, which leaves out batches that not every rank has."""
    order = most_atoms(task, limit)
    steps = (len(order.starts) - 1) // task.ranks
    return Order(order.graphs, order.starts, order.steps[:steps])


def cost_aware(task: Task, limit: int) -> Order:
    """HydraGNN's DistributedCostAwareBatchSampler: next-fit, and batches of like numbers of atoms share a step."""
    random = task.random()
    graphs = random.permutation(len(task.nodes))
    graphs = graphs[task.nodes[graphs] <= limit]
    starts = next_fit(task.nodes[graphs], limit)
    batches = dealt(np.arange(len(starts) - 1), task.ranks).ravel()
    atoms = np.add.reduceat(task.nodes[graphs], starts[:-1])
    steps = batches[np.argsort(atoms[batches], kind="stable")].reshape(-1, task.ranks)
    return Order(graphs, starts, random.permutation(steps))


def bins(task: Task, limit: int) -> Order:
    """Bins for MACE (arXiv 2504.10700): the largest graphs first, each pass gives every bin with room one graph."""
    graphs = np.argsort(-task.nodes, kind="stable")
    graphs = graphs[task.nodes[graphs] <= limit]
    count = task.ranks * -(-int(task.nodes[graphs].sum()) // (limit * task.ranks))
    room, chosen, bin_of = np.full(count, limit), [], []
    while len(graphs):
        emptiest = np.argsort(-room, kind="stable")[: len(graphs)]
        now = graphs[: len(emptiest)]
        fits = task.nodes[now] <= room[emptiest]
        if not fits.any():
            room = np.concatenate([room, np.full(task.ranks, limit)])
            continue
        room[emptiest[fits]] -= task.nodes[now[fits]]
        chosen.append(now[fits])
        bin_of.append(emptiest[fits])
        graphs = np.concatenate([now[~fits], graphs[len(emptiest) :]])
    order = np.argsort(np.concatenate(bin_of), kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(np.concatenate(bin_of), minlength=len(room)))])
    return Order(np.concatenate(chosen)[order], starts, task.random().permutation(len(room)).reshape(-1, task.ranks))


def dynamic(task: Task, limit: int) -> Order:
    """PyTorch Geometric's DynamicBatchSampler by nodes on each rank's shard of DistributedSampler."""
    graphs = dealt(task.random().permutation(len(task.nodes)), task.ranks)
    shards = [shard[task.nodes[shard] <= limit] for shard in graphs.T]
    return cut([np.split(shard, next_fit(task.nodes[shard], limit)[1:-1]) for shard in shards])


def size_aware(task: Task, limit: int) -> Order:
    """nvalchemi's SizeAwareSampler on each rank's shard: one graph of each number of atoms in turn, within atoms and
    edges. Of the memory, `limit` is for atoms and the rest for edges, as in the mean graph."""
    graphs = dealt(task.random().permutation(len(task.nodes)), task.ranks)
    most_edges = limit * int(task.edges.sum()) // int(task.nodes.sum())
    ranks = []
    for shard in graphs.T:
        shard = shard[(task.nodes[shard] <= limit) & (task.edges[shard] <= most_edges)]
        bins = [shard[task.nodes[shard] == atoms] for atoms in np.unique(task.nodes[shard])]
        batches: list[list[int]] = []
        while bins:
            atoms, edges, batch, added = limit, most_edges, [], True
            while added:
                added = False
                for place, own in enumerate(bins):
                    if not len(own) or task.nodes[own[0]] > atoms:
                        continue
                    first = 0
                    if task.edges[own[0]] > edges:
                        first = int(np.argmax(task.edges[own] <= edges))
                        if task.edges[own[first]] > edges:
                            continue
                    graph, added = int(own[first]), True
                    bins[place] = own[1:] if first == 0 else np.delete(own, first)
                    atoms, edges = atoms - int(task.nodes[graph]), edges - int(task.edges[graph])
                    batch.append(graph)
            batches.append(batch)
            bins = [own for own in bins if len(own)]
        ranks.append(batches)
    return cut(ranks)


# graphpack, by its sampler: memory and time are sets whose rows are counted.


def sampler(task: Task, sets: dict[str, Ints], **options: Any) -> gp.BatchSampler:
    """Packs within the memory."""
    capacity = {"memory": task.memory, "graphs": len(task.nodes)}
    rows = np.stack(list(sets.values()), 1)
    return gp.BatchSampler(rows, sets=list(sets), capacity=capacity, shapes="exact", shuffle=True, seed=1, **options)


def packs(task: Task) -> list[list[int]]:
    return list(sampler(task, {"memory": task.takes}))


def in_steps(batches: list[list[int]], numbers: Ints, task: Task) -> Order:
    """`numbers` are those of batches in order; ranks without one in the last step wait."""
    steps = np.full(-(-len(numbers) // task.ranks) * task.ranks, -1)
    steps[: len(numbers)] = numbers
    return order_of(batches, steps.reshape(-1, task.ranks))


def full_packs(task: Task, _: int) -> Order:
    """graphpack's packs in its order, limited by memory."""
    batches = packs(task)
    return in_steps(batches, np.arange(len(batches)), task)


def dropping_packs(task: Task, _: int) -> Order:
    """The same without the last step, if it does not have a pack for every rank: what a sampler does if not told."""
    batches = packs(task)
    return in_steps(batches, np.arange(len(batches) // task.ranks * task.ranks), task)


def equal_packs(task: Task, _: int) -> Order:
    """`equal_cost`. One rank that resumes what all ranks began gets the batches of all, step by step."""
    sets, options = {"memory": task.takes, "time": task.cost}, {"equal_cost": {"time": 1}}
    first = sampler(task, sets, shard=(0, task.ranks), **options)
    every = sampler(task, sets, grouping=first.loader.plan, **options)
    every.load_state_dict(first.state_dict())
    batches = list(every)
    return in_steps(batches, np.arange(len(batches)), task)


# Rule, and the limit that it takes; the memory is given.
RULES: dict[str, tuple[Callable[[Task, int], Order], str]] = {
    "torch": (fixed_number, "graphs"),
    "PyG": (dynamic, "atoms"),
    "fairchem, balanced": (balanced, "graphs"),
    "fairchem": (most_atoms, "atoms"),
    "metatrain": (most_atoms_dropping, "atoms"),
    "HydraGNN": (cost_aware, "atoms"),
    "MACE": (bins, "atoms"),
    "nvalchemi": (size_aware, "atoms and edges"),
    "graphpack": (full_packs, "memory"),
    "graphpack, dropping": (dropping_packs, "memory"),
    "graphpack, equal": (equal_packs, "memory"),
}


def replay(task: Task, order: Order, step: int) -> dict[str, float]:
    """What ranks do in an epoch, and how long they wait. A repeated graph is no use, nor is a repeated batch's step."""

    def sums(values: Ints) -> Ints:
        """Of each batch, which may be empty."""
        ends: Ints = np.concatenate([[0], np.cumsum(values[order.graphs])])
        return np.diff(ends[order.starts])

    run = order.steps >= 0
    used = np.bincount(order.steps[run], minlength=len(order.starts) - 1)
    visits = np.zeros(len(task.nodes), dtype=np.int64)
    np.add.at(visits, order.graphs, np.repeat(used, np.diff(order.starts)))
    costs = np.where(run, sums(task.cost)[order.steps] + step, 0)
    slowest = costs.max(1)
    useful = int(task.cost[visits > 0].sum()) + step * int((used > 0).sum())
    return {
        "memory": int(sums(task.takes)[used > 0].max()),
        "steps": len(costs),
        "idle": 1 - useful / (task.ranks * int(slowest.sum())),
        "imbalance": float(np.mean(slowest / costs.mean(1))),
        "worst": float(np.max(slowest / costs.mean(1))),
        "dropped": int((visits == 0).sum()),
        "repeated": int((visits - (visits > 0)).sum()),
        "ns_per_graph": int(slowest.sum()) * task.ranks / int((visits > 0).sum()),
    }


def measured(task: Task, rule: str, step: int) -> dict[str, float]:
    """Replays an epoch with the largest limit whose batches stay in memory."""
    rule_of, unit = RULES[rule]
    nodes = int(task.nodes.sum())
    first = {"graphs": len(task.nodes), "atoms": nodes, "atoms and edges": nodes, "memory": 0}[unit]
    low, high = 0, 2 * first * task.memory // int(task.takes.sum())
    best: dict[str, float] | None = None
    limit = high // 2
    while best is None or high - low > max(1, low // 100):
        begin = time.process_time()
        order = rule_of(task, limit)
        seconds = time.process_time() - begin
        found = replay(task, order, step) | {"limit": limit, "plan_s": seconds}
        if found["memory"] <= task.memory:
            low, best = limit, found
        else:
            high = limit
        if not first:
            break
        limit = (low + high) // 2
        if limit == 0:
            raise ValueError(f"{rule}: no batch fits")
    assert best is not None
    return best


def sizes(name: str, data: Path) -> tuple[Ints, Ints]:
    """Nodes and edges of a data set's graphs, of `GRAPHS` drawn ones where it has more."""
    random = np.random.default_rng(0)
    if name == "oc20":
        # 7 to 225 atoms and 73 in the mean, as its authors say; 10 to 50 neighbours of an atom are assumed.
        nodes = np.clip(np.rint(random.gamma(5.5, 73 / 5.5, GRAPHS // 2)), 7, 225).astype(np.int64)
        return nodes, np.rint(nodes * np.clip(random.normal(38, 5, len(nodes)), 10, 50)).astype(np.int64)
    if name == "crystals":
        # The 1,000 structures of atoms/ with edges within 6 angstrom, drawn again and again.
        rows = np.array(json.loads((data / "atoms/truth.json").read_text())["rows"])
        nodes, edges = rows[random.integers(0, len(rows), GRAPHS // 2)][:, [0, 5]].astype(np.int64).T
        return nodes, edges
    path = data / "histograms" / FILES[name]
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as file:
        rows = np.array([[int(value) for value in row.values()] for row in csv.DictReader(file)])
    graphs = np.repeat(rows[:, :2], rows[:, 2], axis=0)
    nodes, edges = random.permutation(graphs)[:GRAPHS].T
    return nodes, edges


FILES = {
    "molhiv": "molhiv_all.hist.csv",
    "qm9": "qm9_fully_connected.hist.csv",
    "pcqm": "pcqm4mv2_train.reconstructed.hist.csv.gz",
}


def tables(rows: list[dict[str, str]]) -> None:
    """A table for each quantity, with a column for each rule. Time is per graph, in parts of that of the last rule."""
    ours = {(row["set"], row["ranks"]): float(row["ns_per_graph"]) for row in rows if row["rule"] == list(RULES)[-1]}
    quantities: dict[str, Callable[[dict[str, str]], str]] = {
        "idle": lambda row: f"{float(row['idle']):.2%}",
        "time": lambda row: f"{float(row['ns_per_graph']) / ours.get((row['set'], row['ranks']), np.nan):.3f}",
        "steps": lambda row: f"{int(row['steps']):,}",
        "slowest": lambda row: f"{float(row['imbalance']):.3f}, {float(row['worst']):.2f}",
        "repeated": lambda row: f"{int(row['repeated']) / int(row['graphs']):.1%}",
        "dropped": lambda row: f"{int(row['dropped']) / int(row['graphs']):.1%}",
        "plan, CPU s": lambda row: f"{float(row['plan_s']):.2f}",
    }
    for quantity, text in quantities.items():
        cells: dict[tuple[str, int], dict[str, str]] = {}
        for row in rows:
            cells.setdefault((row["set"], int(row["ranks"])), {})[row["rule"]] = text(row)
        print(f"\n| {quantity} | ranks | {' | '.join(RULES)} |\n|{'---|' * (len(RULES) + 2)}")
        for (name, ranks), found in cells.items():
            print(f"| {name} | {ranks:,} | {' | '.join(found.get(rule, '') for rule in RULES)} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("rows", type=Path)
    parser.add_argument("--sets", nargs="+", default=[*FILES, "oc20", "crystals"])
    parser.add_argument("--ranks", nargs="+", type=int, default=[4, 64, 1024])
    parser.add_argument("--rules", nargs="+", default=list(RULES))
    names = ("NODE", "EDGE", "GRAPH", "STEP")
    parser.add_argument("--cost", nargs=4, type=int, default=[150, 100, 0, 1_400_000], metavar=names)
    args = parser.parse_args()
    rows = Rows(args.rows, ["set", "ranks", "rule", "cost"])
    node, edge, graph, step = args.cost
    for name in args.sets:
        nodes, edges = sizes(name, args.data)
        takes, cost = 3 * nodes + 2 * edges, node * nodes + edge * edges + graph
        for ranks in args.ranks:
            memory = max(min(2 * BATCH, int(takes.sum()) // (ranks * STEPS)), 2 * int(takes.max()))
            task = Task(nodes, edges, cost, takes, memory, ranks)
            for rule in args.rules:
                keys = name, str(ranks), rule, " ".join(map(str, args.cost))
                if not rows.has(*keys):
                    found = measured(task, rule, step)
                    rows.add(dict(zip(rows.keys, keys)) | {"graphs": len(nodes)} | found)
    tables([row for row in rows.rows if row["cost"] == " ".join(map(str, args.cost))])


if __name__ == "__main__":
    main()
