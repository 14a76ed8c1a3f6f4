"""Sizes of the graphs of data sets that stay in Python: numbers of rows, for `BatchSampler`."""

from __future__ import annotations

import inspect
import weakref
from typing import Any

import numpy as np

# What was read of data sets, which trainers make samplers of again and again.
_READ: weakref.WeakKeyDictionary[Any, np.ndarray[Any, Any]] = weakref.WeakKeyDictionary()


def sizes_of(given: Any, sets: list[str] | None) -> np.ndarray[Any, Any]:
    """Returns numbers of rows `[graphs, sets]`, uint32, of an array, a list of numbers or a data set."""
    rows = np.asarray(given) if _are_numbers(given) else _of_data_set(given)
    if rows.ndim == 1:
        rows = rows[:, None]
    columns = (1, 2) if sets is None else (len(sets),)
    if rows.ndim != 2 or rows.shape[1] not in columns or rows.dtype.kind not in "iu":
        expected = "[graphs] or [graphs, 2]" if sets is None else f"[graphs, {len(sets)}] for {sets}"
        raise ValueError(f"sizes: expected integers {expected}, found {rows.dtype} {rows.shape}")
    beyond = np.flatnonzero(((rows < 0) | (rows >= 2**32)).any(axis=1))
    if beyond.size:
        graph = int(beyond[0])
        raise ValueError(f"sizes: expected 0 to 2^32 - 1 rows, found {rows[graph].tolist()} of graph {graph}")
    return np.ascontiguousarray(rows, dtype=np.uint32)


def _are_numbers(given: Any) -> bool:
    if isinstance(given, (list, tuple)):
        return len(given) == 0 or isinstance(given[0], (int, np.generic, list, tuple, np.ndarray))
    return hasattr(given, "__array__")


def _of_data_set(data: Any) -> np.ndarray[Any, Any]:
    if not (hasattr(data, "__len__") and hasattr(data, "__getitem__")):
        expected = "numbers of rows, or a data set with len(dataset) and dataset[i]"
        raise TypeError(f"sizes: expected {expected}, found {type(data).__name__}")
    known = _known(data)
    if known is None:
        known = _read(data)
    if len(known) != len(data):
        raise ValueError(f"sizes: expected those of {len(data)} graphs, found {len(known)} of {type(data).__name__}")
    return known


def _known(data: Any) -> np.ndarray[Any, Any] | None:
    """What a data set says of its graphs without reading them; `None` if it says nothing."""
    graphs = range(len(data))
    if hasattr(data, "get_metadata"):
        if len(inspect.signature(data.get_metadata).parameters) == 1:
            # nvalchemi: (atoms, edges) of a graph.
            return np.asarray([data.get_metadata(graph) for graph in graphs])
        # fairchem: a subset of it gives a list of one array.
        atoms = data.get_metadata("natoms", list(graphs))
        return None if atoms is None else np.asarray(atoms).reshape(-1)
    # metatrain and HydraGNN.
    for name in ("get_all_atom_counts", "get_node_counts"):
        if hasattr(data, name):
            return np.asarray(getattr(data, name)()).reshape(-1)
    if hasattr(data, "get_num_atoms"):
        return np.asarray([data.get_num_atoms(graph) for graph in graphs])
    if hasattr(data, "dataset") and hasattr(data, "indices"):
        # A subset of torch.
        of_all = _known(data.dataset)
        return None if of_all is None else of_all[np.asarray(data.indices, dtype=np.int64)]
    return None


def _read(data: Any) -> np.ndarray[Any, Any]:
    """The sizes of all graphs, which are read once in a process."""
    try:
        read = _READ.get(data)
    except TypeError:
        # A list, of which nothing can be kept.
        return np.asarray([_size(data[graph], graph) for graph in range(len(data))])
    if read is None or len(read) != len(data):
        read = _READ[data] = np.asarray([_size(data[graph], graph) for graph in range(len(data))])
    return read


def _size(graph: Any, number: int) -> list[int]:
    nodes, edges = getattr(graph, "num_nodes", None), getattr(graph, "num_edges", None)
    if nodes is None and getattr(graph, "pos", None) is not None:
        nodes = len(graph.pos)
    if nodes is None:
        raise ValueError(f"sizes: expected num_nodes or pos of graph {number}, found {type(graph).__name__}")
    return [int(nodes)] if edges is None else [int(nodes), int(edges)]
