"""The batches of graphpack against those that jraph makes of the same graphs in the same order, and the time of each.

    python jraph_batches.py FOLDER TIMES --batch-size 32

FOLDER has what measure/peer_batches.rs wrote, TIMES what it printed. Prints a row of a Markdown table per algorithm;
fails at the first difference, which it names.
"""

import argparse
import json
import sys
import time
from itertools import zip_longest
from pathlib import Path

import jraph
import numpy as np
from batches import difference
from safetensors.numpy import load_file

EPOCHS = 3  # that are timed, after one that is not
LEVELS = {
    "node": ["z", "pos", "batch", "node_mask"],
    "edge": ["distance", "shift", "senders", "receivers", "edge_mask"],
    "graph": ["y", "graph_ids", "graph_mask"],
}


def read_graphs(path):
    """A GraphsTuple per graph. The global `number` counts from 1, to tell the first graph from padding, which is 0."""
    data = load_file(path)
    fields = {level: [name for name in names if name in data] for level, names in LEVELS.items()}
    known = {"ptr_node", "ptr_edge", "edge_index"}.union(*fields.values())
    if data.keys() != known:
        sys.exit(f"{path}: arrays that nothing here compares: {sorted(data.keys() ^ known)}")
    node, edge = data["ptr_node"], data["ptr_edge"]
    graphs = []
    for number in range(len(node) - 1):
        nodes, edges = slice(*node[number : number + 2]), slice(*edge[number : number + 2])
        one = slice(number, number + 1)
        senders, receivers = data["edge_index"][:, edges]
        graphs.append(
            jraph.GraphsTuple(
                nodes={name: data[name][nodes] for name in fields["node"]},
                edges={name: data[name][edges] for name in fields["edge"]},
                globals={name: data[name][one] for name in fields["graph"]} | {"number": np.array([number + 1])},
                senders=senders,
                receivers=receivers,
                n_node=np.array([nodes.stop - nodes.start]),
                n_edge=np.array([edges.stop - edges.start]),
            )
        )
    return graphs


def algorithms(graphs, batch_size):
    """By name, functions from graphs to jraph's batches; the padding graph counts in the batch size."""
    sizes = np.array([[graph.n_node[0], graph.n_edge[0]] for graph in graphs])

    def published(total, largest):
        return 64 * (1 + max(int(total) * batch_size // len(graphs), int(largest)) // 64)

    def multiple(least):
        return -(-least // 64) * 64

    def power(least):
        return 1 << (least - 1).bit_length() if least > 1 else 1

    def dynamic(ordered):
        nodes, edges = map(published, sizes.sum(axis=0), sizes.max(axis=0))
        return jraph.dynamically_batch(iter(ordered), n_node=nodes, n_edge=edges, n_graph=batch_size)

    def static(shape):
        def batches(ordered):
            for first in range(0, len(ordered), batch_size - 1):
                batch = jraph.batch_np(ordered[first : first + batch_size - 1])
                nodes, edges = shape(int(batch.n_node.sum()), int(batch.n_edge.sum()))
                yield jraph.pad_with_graphs(batch, nodes, edges, batch_size)

        return batches

    largest = [multiple(int(size) * batch_size) for size in sizes.max(axis=0)]
    return {
        "dynamic": dynamic,
        "static-64": static(lambda nodes, edges: (multiple(nodes + 1), multiple(edges))),
        "static-2^N": static(lambda nodes, edges: (power(nodes + 1), power(edges))),
        "static-constant": static(lambda nodes, edges: largest),
    }


def arrays_of_jraph(batch):
    """The arrays that a batch of graphpack has, from one of jraph. (Its n_edge follows from senders and n_node.)"""
    arrays = batch.nodes | batch.edges | batch.globals
    arrays["graph_ids"] = arrays.pop("number") - 1
    return arrays | {
        "shape": np.array([len(arrays["z"]), len(batch.senders), len(batch.n_node)]),
        "senders": batch.senders,
        "receivers": batch.receivers,
        "batch": np.repeat(np.arange(len(batch.n_node)), batch.n_node),
        "ptr": np.concatenate([[0], np.cumsum(batch.n_node)]),
        "node_mask": np.asarray(jraph.get_node_padding_mask(batch)),
        "edge_mask": np.asarray(jraph.get_edge_padding_mask(batch)),
        "graph_mask": np.asarray(jraph.get_graph_padding_mask(batch)),
    }


def batches_of_graphpack(path):
    """The arrays of each batch, by name."""
    data = load_file(path)
    shapes = data.pop("shapes")
    level = {name: k for k, names in enumerate(LEVELS.values()) for name in names}
    unknown = data.keys() - level.keys() - {"ptr"}
    if unknown:
        sys.exit(f"{path}: arrays that nothing here compares: {sorted(unknown)}")
    ends = dict.fromkeys(data, 0)
    for shape in shapes:
        batch = {"shape": shape}
        for name, rows in data.items():
            count = shape[2] + 1 if name == "ptr" else shape[level[name]]
            batch[name] = rows[ends[name] : ends[name] + count]
            ends[name] += count
        yield batch
    for name, rows in data.items():
        if len(rows) != ends[name]:
            sys.exit(f"{path}: {name} has {len(rows)} rows, the shapes of its batches say {ends[name]}")



def compare(algorithm, batches, path):
    """The number of batches, all of them equal."""
    compared = 0
    for theirs, ours in zip_longest(map(arrays_of_jraph, batches), batches_of_graphpack(path)):
        found = difference("jraph", theirs, ours)
        if found:
            sys.exit(f"{algorithm}, batch {compared}, {found}")
        compared += 1
    if compared == 0:
        sys.exit(f"{algorithm}: no batches to compare")
    return compared


def milliseconds_per_batch(make, graphs):
    """Median over shuffled epochs of the time of an epoch divided by its batches."""
    random = np.random.default_rng(1)
    graphs = [graph._replace(globals={k: v for k, v in graph.globals.items() if k != "number"}) for graph in graphs]
    epochs = []
    for _ in range(1 + EPOCHS):
        start, batches = time.perf_counter(), 0
        for batch in make([graphs[k] for k in random.permutation(len(graphs))]):
            for array in [*batch.nodes.values(), *batch.edges.values(), batch.senders, batch.receivers]:
                array[-1:].sum()
            batches += 1
        epochs.append(1e3 * (time.perf_counter() - start) / batches)
    return float(np.median(epochs[1:]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("times", type=Path)
    parser.add_argument("--batch-size", type=int, required=True)
    args = parser.parse_args()
    times = {line["algorithm"]: line for line in map(json.loads, args.times.read_text().splitlines())}
    graphs = read_graphs(args.folder / "graphs.safetensors")
    made = algorithms(graphs, args.batch_size)
    if times.keys() != made.keys():
        sys.exit(f"{args.times} has {sorted(times)}, expected {sorted(made)}")
    for name, make in made.items():
        batches = compare(name, make(graphs), args.folder / f"{name}.safetensors")
        theirs, ours = milliseconds_per_batch(make, graphs), times[name]["epoch_ms_per_batch"]
        cells = [name, args.batch_size, batches, "yes", f"{theirs:.2f}", f"{ours:.3f}", f"{theirs / ours:.1f}"]
        print("|", " | ".join(map(str, cells)), "|", flush=True)


if __name__ == "__main__":
    main()
