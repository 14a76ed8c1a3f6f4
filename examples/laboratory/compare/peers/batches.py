"""What a batch of graphpack must hold: the rows that a peer puts together, and padding by graphpack's rule.

A batch is a dictionary of arrays, by their names in graphpack.
"""

import json
import sys
import time

import numpy as np
from safetensors import safe_open
from safetensors.numpy import load_file

EPOCHS = 3  # that are timed, after one that is not

IN_FILES = {"node": "nodes", "edge": "edges"}
# The arrays of a set: the graph of each row, where the rows of each graph begin, and which rows are real.
BUILT_IN = {"nodes": ("batch", "ptr", "node_mask"), "edges": ("edge_batch", "edge_ptr", "edge_mask")}
# The padding rows that every batch has of nodes and of each set that an index points into.
LEAST = {"self-loops": 1, "two-nodes": 2, "beyond": 3, "jraph": 1}


def built_in(name):
    return BUILT_IN.get(name, (f"{name}_batch", f"{name}_ptr", f"{name}_mask"))


class Schema:
    """The sets, fields and indices that the metadata of a store name."""

    def __init__(self, path):
        with safe_open(path, "np") as file:
            about = json.loads(file.metadata()["graphpack"])
        # A store of nodes and edges alone does not name what it has.
        about = {"sets": ["nodes", "edges"], "indices": [["edge_index", "edge", ["node", "node"]]], "padding": {}} | about
        self.sets = about["sets"]
        self.fields = {name: IN_FILES.get(owner, owner) for name, owner in about["fields"]}
        self.indices = {
            name: (IN_FILES.get(owner, owner), [IN_FILES.get(target, target) for target in targets])
            for name, owner, targets in about["indices"]
        }
        self.padding = about["padding"]

    def add_index(self, name, owner, targets):
        """Adds a set that graphpack derives, with its index."""
        self.sets.append(owner)
        self.indices[name] = owner, targets

    def targets(self):
        """The sets that have at least one padding row."""
        return {"nodes", *(target for _, targets in self.indices.values() for target in targets)} & {*self.sets}


def padded(schema, graphs, real, ptr, found, padding):
    """The arrays of a batch of `graphs` (their numbers), whose `real` rows and whose `ptr` of each set a peer made.

    Taken from the batch of graphpack, `found`, are only the lengths of its sets; they must leave room for padding.
    """
    total, arrays = len(found["graph_mask"]), {}
    rows = {name: len(found[built_in(name)[2]]) for name in schema.sets}
    least = LEAST[padding]
    for name in schema.sets:
        counts = np.zeros(total, np.int64)
        counts[: len(graphs)] = np.diff(ptr[name])
        # All padding rows belong to the first padding graph.
        counts[len(graphs)] = free = rows[name] - ptr[name][-1]
        if free < (least if name in schema.targets() else 0):
            sys.exit(f"{name}: {free} padding rows")
        of_row, starts, mask = built_in(name)
        arrays[of_row] = np.repeat(np.arange(total), counts)
        arrays[starts] = np.concatenate([[0], np.cumsum(counts)])
        arrays[mask] = np.arange(rows[name]) < ptr[name][-1]
    arrays["graph_ids"] = np.pad(graphs, (0, total - len(graphs)), constant_values=-1)
    arrays["graph_mask"] = np.arange(total) < len(graphs)
    for name, owner in schema.fields.items():
        end = total if owner == "graph" else rows[owner]
        value = real[name]
        said = schema.padding.get(name, 0)
        arrays[name] = np.full((end, *value.shape[1:]), 0 if isinstance(said, str) else said, value.dtype)
        arrays[name][: len(value)] = value
        if said == "positions":
            for coordinate in range(least - 1):
                arrays[name][len(value) + 1 + coordinate :: least, coordinate] = 1
        elif said == "length" and padding != "jraph":
            arrays[name][len(value) :] = 1
        elif said == "cell" and padding != "jraph":
            arrays[name][len(value) :, ::4] = 1
    for name, (owner, targets) in schema.indices.items():
        entry = np.arange(rows[owner] - real[name].shape[1])
        free = np.zeros((len(targets), len(entry)), np.int64)
        for column, target in enumerate(targets):
            # Entries go around groups of rows, in all groups in turn.
            groups = (rows[target] - ptr[target][-1]) // least
            row = 0 * entry if padding == "jraph" else entry % (groups * least)
            free[column] = ptr[target][-1] + row - row % least + (row + column) % least
        arrays[name] = np.concatenate([real[name], free], axis=1)
    return arrays


def difference(peer, expected, found):
    """The first difference of two batches in words, or None. Equal are arrays of the same type, shape and bits."""
    if expected is None or found is None:
        return f"only {'graphpack' if expected is None else peer} has it"
    if expected.keys() != found.keys():
        return f"one of the two has no {sorted(expected.keys() ^ found.keys())}"
    for name in sorted(expected, key=lambda name: (name != "shape", name)):
        a, b = np.ascontiguousarray(expected[name]), np.ascontiguousarray(found[name])
        if (a.dtype, a.shape) != (b.dtype, b.shape):
            return f"{name}: {peer} {a.dtype} {list(a.shape)}, graphpack {b.dtype} {list(b.shape)}"
        bits = f"u{a.dtype.itemsize}"
        unequal = np.argwhere(a.view(bits) != b.view(bits))
        if len(unequal):
            at = tuple(map(int, unequal[0]))
            return f"{name}{list(at)}: {peer} {a[at]}, graphpack {b[at]} ({len(unequal)} of {a.size} differ)"
    return None


def compare(peer, folder, line, schema, make, rows_of):
    """Compares the batches in `folder / line["name"]` with the peer's, and prints a row of a Markdown table.

    `make` makes the peer's batch of the graphs with the given numbers; `rows_of` returns its rows, by graphpack's
    names, and `ptr` of each set.
    """
    batches = []
    for path in sorted((folder / line["name"]).iterdir()):
        found = load_file(path)
        numbers = found["graph_ids"][found["graph_mask"]]
        expected = padded(schema, numbers, *rows_of(make(numbers)), found, line["padding"])
        unequal = difference(peer, expected, found)
        if unequal:
            sys.exit(f"{line['name']}, batch {path.stem}, {unequal}")
        batches.append(numbers)
    if not np.array_equal(np.sort(np.concatenate(batches)), np.arange(line["graphs"])):
        sys.exit(f"{line['name']}: the batches do not hold each of {line['graphs']} graphs once")
    theirs, ours = per_cpu_second(make, batches), line["graphs_per_cpu_second"]
    rates = f"{theirs / 1e3:.1f} k | {ours / 1e3:.0f} k | {ours / theirs:.0f}"
    print(f"| {line['name']} | {len(batches)} | yes | {peer} | {rates} |", flush=True)


def per_cpu_second(make, batches):
    """Graphs per second of CPU time: the median of epochs over these batches."""
    rates = []
    for _ in range(1 + EPOCHS):
        start = time.process_time()
        for numbers in batches:
            make(numbers)
        rates.append(sum(map(len, batches)) / (time.process_time() - start))
    return float(np.median(rates[1:]))
