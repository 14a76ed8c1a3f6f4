"""Batches as NumPy, PyTorch, PyTorch Geometric, jraph and JAX take them. On the CPU nothing is copied."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ._graphpack import Batch, Data


def to_numpy(batch: Batch) -> dict[str, np.ndarray[Any, Any]]:
    """The arrays of a batch by name."""
    return {name: np.asarray(array) for name, array in batch.arrays().items()}


def to_torch(batch: Batch, device: Any = "cpu") -> dict[str, Any]:
    """Tensors by name. To another device all arrays go in one copy, to CUDA from page-locked memory, which the current
    stream orders before what follows. Indices of `index="int32"` stay int32: give scatter and gather `.long()`."""
    import torch
    from torch.utils.dlpack import from_dlpack

    if torch.device(device).type == "cpu":
        return {name: from_dlpack(array.__dlpack__()) for name, array in batch.arrays().items()}
    packed, arrays = batch.packed()
    memory = from_dlpack(packed.__dlpack__())
    if torch.device(device).type == "cuda":
        memory = memory.pin_memory()
    return views(memory.to(device, non_blocking=True), arrays)


def views(memory: Any, arrays: list[tuple[str, str, int, list[int]]]) -> dict[str, Any]:
    """Tensors over the bytes of a batch, where `Batch.packed` says that its arrays lie."""
    import torch

    tensors = {}
    for name, dtype, start, shape in arrays:
        kind = getattr(torch, dtype)
        length = int(np.prod(shape)) * kind.itemsize
        tensors[name] = memory[start : start + length].view(kind).view(shape)
    return tensors


def to_pyg(batch: Batch, device: Any = None, padding: bool = False, tensors: dict[str, Any] | None = None) -> Any:
    """A `torch_geometric.data.Batch` of the real graphs, as PyG's own loader makes it; of `HeteroData` where arrays are
    named `SET.ATTRIBUTE`. Its tensors are views of the batch, but those of graphs, which a loop may keep, are copies.
    Indices, `batch` and `ptr` are int64; those of `index="int32"` are copied. With `padding` it has all rows, in shapes
    that stay the same, and masks; `num_graphs` then counts padding graphs. `tensors` are those of `to_torch(device)`, if
    there are some."""
    import torch
    from torch_geometric.data import Batch as PygBatch
    from torch_geometric.data import Data, HeteroData

    from .pyg import NODES

    layout, rows = batch.layout, batch.shape if padding else batch.real
    if taken := [name for name in layout if name == "num_nodes" or name.startswith("_")]:
        raise ValueError(f"a Batch of PyTorch Geometric keeps {taken} for itself: choose others with fields=")
    types, first = types_of(layout), first_rows(batch, rows)
    graph = PygBatch(_base_cls=HeteroData if types else Data)
    # In the order of the data, by which `metadata` and `to_homogeneous` count types.
    stores = {set: graph[types[set]] for set in rows if set in types}
    # By these `batch[i]` and `to_data_list` take the batch apart.
    slices: dict[Any, Any] = {of: {} for of in types.values()}
    shifts: dict[Any, Any] = {of: {} for of in types.values()}
    none, device = torch.zeros(rows["graphs"], dtype=torch.int64), "cpu" if device is None else device
    for name, tensor in (tensors or to_torch(batch, device)).items():
        set, what, targets = layout[name]
        if not padding:
            if what == "mask":
                continue
            if what == "matrix":
                raise ValueError(f"{name} has places for padding rows: expected batch.to_pyg(padding=True) in the loop, "
                                 'or output="torch"')
            tensor = real_rows(tensor, set, what, rows)
            tensor = tensor.clone() if set == "graph" else tensor
        if what != "field" and tensor.dtype == torch.int32:
            # Backward of torch's scatter_add with int32 gathers from other rows (torch 2.11).
            tensor = tensor.long()
        of, _, key = name.rpartition(".")
        if set in types and what in ("batch", "ptr", "mask"):
            of, key = set, what
        elif of not in types:
            of, key = "", name
        store = stores[of] if of else graph.stores[0]
        if what in ("field", "index"):
            shift = first[targets[0]][:-1] if targets else none
            if targets[1:] != targets[:-1]:
                shift = torch.stack([first[target][:-1] for target in targets], 1)[:, :, None]
            if tensor.dim() > 1 and (what == "index") != (graph.__cat_dim__(key, tensor, store) == -1):
                # PyG joins it along its other dimension.
                tensor, shift = tensor.movedim(0, -1), shift.mT if shift.dim() > 1 else shift
            (slices[types[of]] if of else slices)[key] = first[set]
            (shifts[types[of]] if of else shifts)[key] = shift
        store[key] = tensor
    for set, store in (stores or {"nodes": graph.stores[0]}).items():
        if padding and types and "mask" not in store:
            store.mask = (torch.arange(rows[set]) < batch.real[set]).to(device)
        if set in first and isinstance(types.get(set, set), str):
            if "batch" not in store:
                store.batch = first["graph"][:-1].repeat_interleave(first[set].diff()).to(device)
                store.ptr = first[set].to(device)
            if not any(key in NODES or "node" in key for key in slices.get(types.get(set), slices)):
                store.num_nodes, store._num_nodes = rows[set], first[set].diff().tolist()
    graph._num_graphs, graph._slice_dict, graph._inc_dict = rows["graphs"], slices, shifts
    return graph


def real_rows(array: Any, set: str, what: str, real: dict[str, int]) -> Any:
    """An array of a batch without its padding rows, which come last."""
    length = real["graphs"] + 1 if what == "ptr" else real["graphs" if set == "graph" else set] + (what == "index_ptr")
    return array[..., :length] if what == "index" else array[:length]


def graph_of(data: Data) -> dict[str, np.ndarray[Any, Any]]:
    """The fields and indices of data of one graph."""
    from ._graphpack import Capacity, Loader

    loader = Loader(data, capacity=Capacity.exactly(1), grouping="in_order", shapes="exact", shard=(0, 1), workers=0)
    (batch,) = loader
    arrays, own = to_numpy(batch), {name: of for name, of in batch.layout.items() if of[1] in ("field", "index")}
    return {name: real_rows(arrays[name], set, what, batch.real) for name, (set, what, _) in own.items()}


def types_of(layout: dict[str, tuple[str, str, list[str]]]) -> dict[str, Any]:
    """What sets are in a `HeteroData`, the type of nodes or (source, relation, target); nothing unless arrays are named
    `SET.ATTRIBUTE`."""
    types: dict[str, Any] = {}
    for name, (set, _, targets) in layout.items():
        if name == f"{set}.edge_index" and len(targets) == 2:
            source, target = targets
            types |= {end: end for end in targets if end not in types}
            types[set] = (source, set.removeprefix(f"{source}__").removesuffix(f"__{target}"), target)
        elif name.startswith(f"{set}."):
            types.setdefault(set, set)
    return types


def first_rows(batch: Batch, rows: dict[str, int]) -> dict[str, Any]:
    """The first row of each graph in each set, and at the end the number of rows; padding is in the first graph after
    the real ones."""
    import torch

    counts = [rows[set] for set in rows if set != "graphs"]
    sizes = np.frombuffer(batch.sizes(), np.uint32).reshape(-1, len(counts))
    first = np.zeros((len(counts), rows["graphs"] + 1), np.int64)
    first[:, len(sizes) + 1 :] = np.array(counts)[:, None]
    np.cumsum(sizes.T, axis=1, out=first[:, 1 : len(sizes) + 1])
    return dict(zip(rows, torch.from_numpy(first))) | {"graph": torch.arange(rows["graphs"] + 1)}


def to_jax(batch: Batch, device: Any = None) -> dict[str, Any]:
    """Arrays of JAX by name, on its default device and not committed to it, as those that JAX makes: a step is compiled
    once, whatever its other arguments. They are committed to `device`, a device or a sharding, if there is one. Where
    JAX has no 64 bits, its default, int64 becomes int32 and float64 float32, in a copy that `index="int32"` spares
    indices; a number that does not fit is an error."""
    import jax

    arrays = in_jax(batch)
    return dict(zip(arrays, jax.device_put(list(arrays.values()), device)))


def in_jax(batch: Batch) -> dict[str, np.ndarray[Any, Any]]:
    """The arrays of a batch by name, of the dtypes that JAX gives them."""
    import jax

    arrays = to_numpy(batch)
    if getattr(jax.config, "jax_enable_x64"):
        return arrays
    return {name: narrow(name, array) if array.itemsize == 8 else array for name, array in arrays.items()}


def narrow(name: str, wide: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """An array of 64 bits in 32 bits. Floating point numbers are rounded, as JAX does; integers must fit."""
    dtype = np.dtype(np.int32 if wide.dtype.kind == "i" else np.float32)
    with np.errstate(over="ignore"):
        narrowed = wide.astype(dtype)
    lost = narrowed != wide if dtype.kind == "i" else np.isinf(narrowed) & np.isfinite(wide)
    if lost.any():
        place = tuple(map(int, np.argwhere(lost)[0]))
        row = place[0] if len(place) == 1 else place
        enable = 'jax.config.update("jax_enable_x64", True)'
        raise OverflowError(f"{name}: {wide[place]} in row {row} does not fit {dtype}: {enable} keeps {wide.dtype}")
    return narrowed


def to_jraph(batch: Batch, device: Any = None) -> Any:
    """A `jraph.GraphsTuple` of arrays as `to_jax` has them: `nodes` and `edges` are dictionaries of fields, `globals` of
    those of graphs, `graph_ids` and `graph_mask`; `n_node` and `n_edge` count padding, as `jraph.pad_with_graphs` does.
    Further indices of nodes or edges are among their fields, `[rows, columns]` or `[rows]`, and count rows of the batch.
    What belongs to other sets, a matrix, and what `extra` adds has no place in it and is an error."""
    import jax
    import jraph

    own = {name: of for name, of in batch.layout.items() if of[1] in ("field", "index")}
    usual = {"batch", "ptr", "graph_ids", "node_mask", "edge_mask", "graph_mask"}
    placed = usual | {name for name, (set, *_) in own.items() if set in ("nodes", "edges", "graph")}
    # Where edges begin follows from receivers, which are sorted.
    placed |= {name for name, (_, what, _) in batch.layout.items() if what == "index_ptr"}
    if others := [name for name in batch.layout if name not in placed]:
        raise ValueError(f"a GraphsTuple has nodes and edges alone, which leaves no place for {', '.join(others)}: "
                         "leave them out of the data, fields= and extra=, or take to_jax()")
    arrays = in_jax(batch)
    rows: dict[str, dict[str, Any]] = {"nodes": {}, "edges": {}, "graph": {}}
    for name, (set, what, _) in own.items():
        if name != "edge_index":
            rows[set][name] = arrays[name].T if what == "index" else arrays[name]
    rows["graph"] |= {name: arrays[name] for name in ["graph_ids", "graph_mask"] if name in arrays}
    sources, targets = arrays["edge_index"]
    n_edge = np.bincount(arrays["batch"][targets], minlength=batch.shape["graphs"])
    graph = jraph.GraphsTuple(
        nodes=rows["nodes"],
        edges=rows["edges"],
        globals=rows["graph"],
        senders=sources,
        receivers=targets,
        n_node=np.diff(arrays["ptr"]).astype(np.int32),
        n_edge=n_edge.astype(np.int32),
    )
    return jax.device_put(graph, device)


def rows_of(parts: list[Any], rows: list[int], missing: Any) -> Any:
    """Rows of arrays, tensors or lists, counted over all of them; row -1 is `missing`."""
    if not parts:
        raise ValueError("in_order: expected results of batches, found none")
    if isinstance(parts[0], (list, tuple)):
        values = [value for part in parts for value in part]
        return [missing if row < 0 else values[row] for row in rows]
    if hasattr(parts[0], "detach"):
        import torch

        tensor = torch.cat([part.detach() for part in parts])
        if missing is not None:
            last = torch.full((1, *tensor.shape[1:]), missing, device=tensor.device)
            changed = bool((last.to(tensor.dtype) != last).any())
            expect_exact(missing, tensor.dtype, tensor.is_floating_point() or not changed)
            tensor = torch.cat([tensor, last.to(tensor.dtype)])
        return tensor[torch.tensor(rows, device=tensor.device)]
    array = np.concatenate([np.asarray(part) for part in parts])
    if missing is not None:
        asked = np.full((1, *array.shape[1:]), missing)
        with np.errstate(invalid="ignore"):
            cast = asked.astype(array.dtype)
        expect_exact(missing, array.dtype, array.dtype.kind == "f" or bool((cast == asked).all()))
        array = np.concatenate([array, cast])
    return array[rows]


def expect_exact(missing: Any, dtype: Any, is_exact: bool) -> None:
    """Refuses a value of graphs without a result that results have no number for."""
    if not is_exact:
        raise ValueError(f"in_order: expected missing to be a number of {dtype} as the results are, found {missing!r}")
