"""Graphs of PyTorch Geometric, taken into memory. Needs torch_geometric.

    graphpack_loader.from_pyg(QM9("qm9"), exclude=["name", "smiles"])
    graphpack_loader.save_store(QM9("qm9"), "qm9.safetensors", exclude=["name", "smiles"])

Sets. A `Data` has the sets `nodes` and `edges`. In a `HeteroData` each type of nodes is a set, and so is each type of
edges, named by its relation (`contacts` for `("protein", "contacts", "ligand")`) or, where types share a relation, by
all three (`protein__contacts__ligand`); arrays are named `SET.ATTRIBUTE`: `protein.x`, `contacts.edge_index`.
An attribute with rows of its own is listed with its set; attributes of one set have equally many rows in each graph:

    graphpack_loader.from_pyg(graphs, sets={"triplet_index": "triplets", "angle": "triplets", "tokens": "tokens"})

One that is not listed belongs to the graph, the nodes or the edges: whichever has its number of rows in every graph; to
the graph if that is always one, unless it is named as PyG names those of nodes and edges. A number and a tensor without
dimensions belong to the graph.
Pairs of graphs, as in PyG's tutorial, need no list: where `__inc__` shifts an index by the rows of another attribute
(`edge_index_s` by those of `x_s`), both get sets of their names, and a warning says so. It also says so where nodes are
counted by the largest number in `edge_index`, as PyG does without `num_nodes`.

Indices. What PyG joins along its last dimension or shifts (`edge_index`, `face`, any name with `index`, or what a class
of yours says) is an index. Its rows point into the set by whose size `__inc__` shifts them; where two sets have that
size in every graph, name them: `targets={"triplet_index": ["edges", "edges"]}`. An attribute with targets is an index,
shifted by PyG or not; one whose name alone says index is a field with none, `targets={"residue_index": []}`. Floating
point numbers are a field whatever their name, which a warning says, since PyG's batches shift them.

Text and objects. Strings, lists, dictionaries and other objects of graphs are no rows: `exclude` leaves them out, and
`objects={}`, a dictionary of yours, gets a list of each by graph number:

    graphpack_loader.from_pyg(graphs, objects=kept)     # then kept["smiles"][number] for number in batch.graph_ids

where `batch` is of `output="pyg"`, without padding graphs, whose number is -1.

A sparse `adj_t`, as `ToSparseTensor` makes it, becomes `edge_index`, with its numbers as `edge_weight`, or `edge_attr`
where they have columns, which a warning says.

Batches have no int8, int16 and bfloat16: these become int32 and float32, which hold the same numbers.

A NaN of the graph is a label that it lacks: `y` is 0 there, and the bool `has_y` says which numbers are there. Nodes and
edges of a graph lack what is NaN in all of them. `Loader(data, missing="nan")` gives NaN again, for losses that ask
`y == y`.

Padding rows are 0 unless `padding={"tokens": -100}` has another value. They suit positions, lengths and cells where it
says so, `padding={"centre": "positions", "bond": "length", "box": "cell"}`, and in `pos`, `distance` and `cell` unless it
says otherwise, `padding={"distance": 0}`.
"""

from __future__ import annotations

import copy
import math
import warnings
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch_geometric.data import Batch, HeteroData
from torch_geometric.data.data import BaseData
from torch_geometric.utils import is_sparse, to_edge_index

from ._graphpack import Data
from .source import names

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

NumPy = np.ndarray[Any, Any]

WIDER = {torch.int8: torch.int32, torch.int16: torch.int32, torch.bfloat16: torch.float32}
DTYPES = ["float16", "float32", "float64", "int64", "int32", "uint8", "bool"]
# Attributes that have PyG's number of nodes; otherwise the largest number of these is.
NODES = ["x", "feat", "pos", "batch", "n_id", "tf", "adj", "adj_t"]
COUNTED_NODES = "num_nodes is not set: nodes are counted by the largest number in edge_index or face, as PyG counts them"
USUAL = dict.fromkeys(["x", "pos", "z"], "nodes") | {"y": "graph"}
USUAL |= dict.fromkeys(["edge_index", "edge_attr", "edge_weight"], "edges")


# How to say that a name with "index" is none.
NO_INDEX = "; if these are no row numbers, targets={%r: []} makes it a field"


def from_pyg(
    graphs: Iterable[Any],
    *,
    sets: Mapping[str, str] = {},
    targets: Mapping[str, Sequence[str]] = {},
    padding: Mapping[str, float | str] = {},
    exclude: Sequence[str] = (),
    objects: dict[str, list[Any]] | None = None,
) -> Data:
    """Takes the graphs into memory in their order. An error names what cannot be taken. A transform of the data set is
    applied here, once, and a warning says so: what it draws stays the same in every epoch."""
    if any(base.__name__ == "BaseData" for base in type(graphs).__mro__):
        raise TypeError(f"from_pyg: expected a list of graphs, found one {type(graphs).__name__}; a Batch has to_data_list()")
    targets = {name: names(f"targets[{name!r}]", ends) for name, ends in targets.items()}
    left_out = dict.fromkeys(names("exclude", exclude), False)
    if objects:
        raise ValueError(f"objects: expected an empty dictionary, found one with {sorted(objects)}")
    warn_of_transform(graphs)
    kept: dict[str, list[Any]] | None = None if objects is None else {}
    counts, attributes, said = read(graphs, sets, targets, left_out, kept)
    unknown = sorted((sets.keys() | targets.keys() | padding.keys()) - attributes.keys())
    unknown += sorted(name for name, found in left_out.items() if not found)
    if unknown:
        raise ValueError(f"no attributes {unknown}; there are {sorted(attributes)}")
    for name, attribute in attributes.items():
        if attribute.owner:
            different = np.flatnonzero(counts.setdefault(attribute.owner, attribute.rows()) != attribute.rows())
            for graph in different[:1]:
                expected, found = counts[attribute.owner][graph], attribute.rows()[graph]
                own = f"sets={{{name!r}: {name.replace('.', '_')!r}}} gives it a set of its own"
                raise ValueError(f"{name} has {found} rows in graph {graph}, expected {expected} of {attribute.owner}; {own}")
    for inferred in [*said, *made_sets(attributes, counts)]:
        warnings.warn(inferred, stacklevel=3)
    fields, columns, indices, entries = [], [], [], []
    for name, attribute in attributes.items():
        usual_set = name if name in counts else USUAL.get(name)
        owner = attribute.owner or the_one(f"{name} has rows", attribute.rows(), counts, usual_set, "sets")
        data = attribute.data(name)
        if attribute.is_index():
            if name in padding:
                raise ValueError(f"padding has a value for {name}, an index: its padding rows refer to padding rows")
            shifts = attribute.columns()
            what = f"{name} is shifted by"
            usual = zip_longest(shifts, attribute.ends[: len(shifts)])
            rows_of = {of: rows for of, rows in counts.items() if of != "graph"}
            ends = attribute.targets or [the_one(what, shift, rows_of, end, "targets") for shift, end in usual]
            entries.append(checked(name, data, attribute.rows(), ends, counts))
            indices.append((name, owner, list(ends)))
        elif str(data.dtype) in DTYPES:
            columns.append(np.ascontiguousarray(data).reshape(-1))
            fields.append((name, owner, str(data.dtype), data.shape[1:], padding.get(name)))
        else:
            raise TypeError(f"{name} is {data.dtype}, expected one of {', '.join(DTYPES)}")
    del counts["graph"]
    ptr = [np.cumsum([0, *rows], dtype=np.int64) for rows in counts.values()]
    made = Data.from_arrays((list(counts), fields, indices), ptr, entries, columns)
    if objects is not None and kept is not None:
        objects.update(kept)
    return made


def warn_of_transform(graphs: Any) -> None:
    """Warns if a data set has a transform, or one that a `Subset` or `ConcatDataset` of PyTorch is made of."""
    transform = getattr(graphs, "transform", None)
    if transform is not None:
        frozen = "what it draws at random is the same in every epoch"
        instead = "for other draws in each epoch, take the data set without it and give it to Data.map"
        warnings.warn(f"transform {transform!r} is applied once, so that {frozen}; {instead}", stacklevel=4)
    parts = [*getattr(graphs, "datasets", ())] + ([graphs.dataset] if hasattr(graphs, "dataset") else [])
    for part in parts:
        warn_of_transform(part)


class Attribute:
    """One attribute of all graphs: rows and PyG's shift of each, its set, and where its entries point to."""

    def __init__(self, owner: str | None, targets: Sequence[str] | None, ends: Sequence[str], last: bool) -> None:
        self.owner: str | None = owner
        # Whether it is a field whatever its name and its shifts say.
        self.is_field: bool = targets is not None and not targets
        # As asked for, and those that an edge_index has unless its shifts are the sizes of others.
        self.targets: Sequence[str] | None = targets
        self.ends: Sequence[str] = ends
        self.last: bool = last
        self.parts: list[NumPy] = []
        self.shifts: list[NumPy] = []

    def add(self, value: torch.Tensor, shift: Any) -> None:
        if value.dim() > 1 or not self.is_field:
            value = (value if value.dim() > 1 else value[None]).movedim(-1, 0) if self.last else value
        self.parts.append(value.numpy(force=True))
        self.shifts.append(np.asarray(shift).reshape(-1))

    def rows(self) -> NumPy:
        return np.array([len(part) for part in self.parts])

    def is_index(self) -> bool:
        is_index = self.last or self.targets or self.ends or any(shift.any() for shift in self.shifts)
        return bool(is_index) and not self.is_field

    def columns(self) -> NumPy:
        """Of each column, PyG's shift in each graph."""
        return np.broadcast_to(np.stack(self.shifts), (len(self.shifts), math.prod(self.parts[0].shape[1:]))).T

    def data(self, name: str) -> NumPy:
        kinds = {(str(part.dtype), part.shape[1:]) for part in self.parts}
        if len(kinds) > 1:
            raise ValueError(f"{name} has more than one dtype or shape of a row: {sorted(kinds)}")
        data = np.concatenate(self.parts)
        # Not -1, which no rows do not determine.
        return data.reshape(len(data), math.prod(data.shape[1:])) if self.is_index() else data


def read(
    graphs: Iterable[Any],
    sets: Mapping[str, str],
    targets: Mapping[str, Sequence[str]],
    left_out: dict[str, bool],
    objects: dict[str, list[Any]] | None,
) -> tuple[dict[str, NumPy], dict[str, Attribute], list[str]]:
    """The rows of the sets that PyG knows, graph by graph, all attributes, and what was inferred."""
    counts: dict[str, list[int]] = {}
    attributes: dict[str, Attribute] = {}
    said: dict[str, None] = {}
    number = -1
    for number, graph in enumerate(graphs):
        if isinstance(graph, Batch) or not isinstance(graph, BaseData):
            raise TypeError(f"item {number} is a {type(graph).__name__}, expected a Data or HeteroData per graph")
        if "adj_t" not in left_out:
            graph = without_adj_t(graph, number, said)
        for name, rows in own_sets(graph, said):
            if rows is None:
                raise ValueError(f"graph {number} does not say how many {name} it has: set num_nodes")
            counts.setdefault(name, []).append(rows)
        for name, value, owner, ends, cat_dim, shift in attributes_of(graph, number, left_out, objects):
            if cat_dim is None or value.dim() == 0:
                # PyG's batches have one for each graph.
                value, owner = value[None], "graph"
            last = cat_dim == -1 or cat_dim == value.dim() - 1 > 0
            if not last and cat_dim not in (None, 0, -value.dim()):
                found = f"{name} of graph {number} is joined along dimension {cat_dim} of {list(value.shape)}"
                raise ValueError(f"{found}, expected the first or the last one")
            asked = targets.get(name)
            if last and asked is None and not ends and (value.is_floating_point() or value.dtype == torch.bool):
                asked = []
                said[f"{name}: {value.dtype} is a field, no row numbers, though PyG's batches shift it"] = None
            new = Attribute(sets.get(name, owner), asked, ends, last)
            attributes.setdefault(name, new).add(value, shift)
        lengths = [(name, len(rows)) for name, rows in counts.items()]
        lengths += [(name, len(attribute.parts)) for name, attribute in attributes.items()]
        lengths += [(name, len(values)) for name, values in (objects or {}).items()]
        uneven = sorted(name for name, length in lengths if length != number + 1)
        if uneven:
            raise ValueError(f"{uneven}: in some of the graphs 0 to {number} only; each must have them, if with 0 rows")
    if number < 0:
        raise ValueError("there are no graphs")
    rows_of = {name: np.array(rows) for name, rows in counts.items()}
    edges = attributes.get("edge_index")
    shifts = edges.columns() if edges and COUNTED_NODES in said else ()
    if any(not np.array_equal(shift, rows_of["nodes"]) for shift in shifts):
        # It points into other sets.
        del rows_of["nodes"], said[COUNTED_NODES]
    return rows_of | {"graph": np.ones(number + 1, int)}, attributes, list(said)


def made_sets(attributes: Mapping[str, Attribute], counts: dict[str, NumPy]) -> list[str]:
    """Adds sets for pairs of graphs in one: where an index is shifted by the rows of an attribute that are those of no
    set, a set of these rows, and one for the index itself. Returns what is said of them."""
    said = []

    def add(name: str, rows: NumPy, why: str, others: Iterable[str]) -> None:
        if not any(np.array_equal(counts[other], rows) for other in others):
            counts[name] = rows
            said.append(f"{name}: {why}, so a set {name!r} of its own (sets gives it another name)")

    for name, index in attributes.items():
        if index.is_index() and not index.targets:
            for shift in index.columns():
                free = {other: of.rows() for other, of in attributes.items() if not (of.owner or of.is_index())}
                of_shift = [other for other, rows in free.items() if np.array_equal(rows, shift)]
                for other in of_shift[:1]:
                    # No index points to graphs.
                    add(other, shift, f"{name} is shifted by its rows", counts.keys() - {"graph"})
                if of_shift and not index.owner and name not in USUAL:
                    add(name, index.rows(), "its rows are those of no set", list(counts))
    return said


def name_of(kind: Any, graph: Any) -> str:
    """The set of a type of nodes or edges."""
    if isinstance(kind, str):
        return kind
    others = [*graph.node_types, *(other[1] for other in graph.edge_types if other != kind)]
    return "__".join(kind) if kind[1] in others else str(kind[1])


def own_sets(graph: Any, said: dict[str, None]) -> list[tuple[str, int | None]]:
    """The sets that PyG knows, with their rows. Adds to `said` where it counts nodes by the largest number in an index.
    A graph that has indices of other names alone has no nodes of its own."""
    if isinstance(graph, HeteroData):
        return [(name_of(kind, graph), graph[kind].num_nodes) for kind in graph.node_types] + [
            (name_of(kind, graph), graph[kind].num_edges) for kind in graph.edge_types
        ]
    edges = [("edges", graph.num_edges)] * ("edge_index" in graph)
    keys = set(graph.stores[0].keys())
    if any(key in NODES or "node" in key for key in keys):
        return [("nodes", graph.num_nodes), *edges]
    with warnings.catch_warnings():
        # What it says of each graph is said once.
        warnings.simplefilter("ignore")
        nodes = graph.num_nodes
    if nodes is not None:
        said[COUNTED_NODES] = None
    elif any("index" in key for key in keys):
        return edges
    return [("nodes", nodes), *edges]


def without_adj_t(graph: Any, number: int, said: dict[str, None]) -> Any:
    """The graph with rows and columns in place of `adj_t`, a sparse matrix whose rows are the edges' targets."""
    if not any("adj_t" in store and is_sparse(store.adj_t) for store in graph.stores):
        return graph
    graph = copy.copy(graph)
    for store in graph.stores:
        if "adj_t" in store and is_sparse(store.adj_t):
            ends, numbers = to_edge_index(store.adj_t)
            weight = "edge_weight" if numbers.dim() == 1 else "edge_attr"
            if taken := [name for name in ("edge_index", weight) if name in store]:
                raise ValueError(f"graph {number} has adj_t beside {taken}: exclude=['adj_t'] leaves it out")
            if not isinstance(graph, HeteroData):
                store.num_nodes = graph.num_nodes
            store.edge_index, store[weight] = ends.flip(0), numbers
            del store["adj_t"]
            said[f"adj_t: its rows and columns become edge_index, its numbers {weight}"] = None
    return graph


def attributes_of(
    graph: Any, number: int, left_out: dict[str, bool], objects: dict[str, list[Any]] | None
) -> Iterator[tuple[str, Any, Any, Any, Any, Any]]:
    """Name, value, known set, sets that an edge_index points into, cat_dim and shift of each attribute. Marks what is
    left out as found; adds what is neither tensor nor number to `objects`."""
    kinds = [*graph.node_types, *graph.edge_types] if isinstance(graph, HeteroData) else []
    for kind, store in zip([None, *kinds], graph.stores):
        owner = name_of(kind, graph) if kind else None
        for key, value in store.items():
            name = f"{owner}.{key}" if kind else key
            asked = [each for each in {key, name} if each in left_out]
            left_out.update(dict.fromkeys(asked, True))
            if key == "num_nodes" or asked:
                continue
            if not isinstance(value, (torch.Tensor, int, float)):
                if objects is None:
                    instead = f"exclude=[{name!r}] leaves it out, objects={{}} keeps it by graph number"
                    raise TypeError(f"{name} of graph {number} is a {type(value).__name__}, no tensor or number: {instead}")
                objects.setdefault(name, []).append(value)
                continue
            if isinstance(value, torch.Tensor) and (value.layout != torch.strided or value.is_nested):
                found = "nested" if value.is_nested else "sparse"
                instead = f"exclude=[{name!r}] leaves it out"
                raise TypeError(f"{name} of graph {number} is {found}, expected a dense tensor, or adj_t: {instead}")
            cat_dim, shift = graph.__cat_dim__(key, value, store), graph.__inc__(key, value, store)
            ends = []
            if key == "edge_index":
                ends = [kind[0], kind[2]] if kind else ["nodes", "nodes"]
            value = torch.as_tensor(value)
            yield name, value.to(WIDER.get(value.dtype, value.dtype)), owner, ends, cat_dim, shift


def the_one(what: str, numbers: NumPy, counts: Mapping[str, NumPy], usual: str | None, option: str) -> str:
    """The set that has these numbers of rows in all graphs."""
    fitting = [name for name, of in counts.items() if np.array_equal(of, numbers)]
    if usual in fitting:
        return str(usual)
    if "graph" in fitting:
        # One row in each graph.
        return "graph"
    if len(fitting) != 1:
        found = ", ".join(map(str, numbers[:4])) + (", ..." if len(numbers) > 4 else "")
        whose = f"all of {fitting} have" if fitting else f"none of {list(counts)} has"
        raise ValueError(f"{what} {found}, {whose} these numbers of rows: name the set in {option}")
    return fitting[0]


def checked(name: str, data: NumPy, rows: NumPy, ends: Sequence[str], counts: Mapping[str, NumPy]) -> NumPy:
    """The columns of an index, one after the other, its entries checked."""
    if data.dtype.kind not in "iu" or data.shape[1] != len(ends):
        found = f"{name} is {data.dtype} of width {data.shape[1]}, expected integers of width {len(ends)}"
        raise ValueError(found + NO_INDEX % name)
    for column, end in enumerate(ends):
        if end not in counts:
            raise ValueError(f"targets has {end} for {name}, expected one of {list(counts)}")
        bound = np.repeat(counts[end], rows)
        wrong = np.flatnonzero((data[:, column] < 0) | (data[:, column] >= bound))
        if len(wrong):
            graph, entry = np.searchsorted(np.cumsum(rows), wrong[0], side="right"), data[wrong[0], column]
            found = f"{name} of graph {graph} has {entry} in row {column}; {end} has {bound[wrong[0]]} rows"
            below = ", and a number below 0 refers to none: leave these entries out" if entry < 0 else ""
            raise ValueError(found + below + NO_INDEX % name)
    return np.ascontiguousarray(data.T, dtype=np.int64).reshape(-1)
