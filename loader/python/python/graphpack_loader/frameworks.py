"""Batches as NumPy, PyTorch, PyTorch Geometric, jraph and JAX take them. On the CPU nothing is copied."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ._graphpack import Batch


def to_numpy(batch: Batch) -> dict[str, np.ndarray[Any, Any]]:
    """The arrays of a batch by name."""
    return {name: np.asarray(array) for name, array in batch.arrays().items()}


def to_torch(batch: Batch, device: Any = "cpu") -> dict[str, Any]:
    """Tensors by name. To another device all arrays go in one copy, to CUDA from page-locked memory, which the current
    stream orders before what follows."""
    import torch
    from torch.utils.dlpack import from_dlpack

    if torch.device(device).type == "cpu":
        return {name: from_dlpack(array.__dlpack__()) for name, array in batch.arrays().items()}
    packed, arrays = batch.packed()
    memory = from_dlpack(packed.__dlpack__())
    if torch.device(device).type == "cuda":
        memory = memory.pin_memory()
    memory = memory.to(device, non_blocking=True)
    tensors = {}
    for name, dtype, start, shape in arrays:
        kind = getattr(torch, dtype)
        length = int(np.prod(shape)) * kind.itemsize
        tensors[name] = memory[start : start + length].view(kind).view(shape)
    return tensors


def to_pyg(batch: Batch, device: Any = "cpu") -> Any:
    """A `torch_geometric.data.Batch` with masks. Padding graphs are graphs of it: `num_graphs` counts them, and
    `global_mean_pool(x, batch.batch, batch.num_graphs)` has a row for each, which `graph_mask` leaves out of a loss."""
    from torch_geometric.data import Batch as PygBatch

    if taken := [name for name in batch.keys() if name == "num_nodes" or name.startswith("_")]:
        raise ValueError(f"a Batch of PyTorch Geometric keeps {taken} for itself: choose others with fields=")
    tensors = to_torch(batch, device)
    graph = PygBatch(batch=tensors.pop("batch", None), ptr=tensors.pop("ptr", None), **tensors)
    graph.num_nodes = batch.shape.get("nodes")
    graph._num_graphs = batch.shape["graphs"]
    return graph


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
    Further indices of nodes or edges are among their fields, `[rows, columns]`, and count rows of the batch. What
    belongs to other sets has no place in it and is an error."""
    import jax
    import jraph

    without = [set for set in batch.shape if set not in ("nodes", "edges", "graphs")]
    if others := [name for set in without for name in [*batch.fields(set), *batch.indices_of(set)]]:
        raise ValueError(f"a GraphsTuple has nodes and edges alone, which leaves no place for {', '.join(others)}: "
                         "choose others with fields=, or take to_jax()")
    arrays = in_jax(batch)
    rows = {set: {name: arrays[name] for name in batch.fields(set)} for set in ["nodes", "edges", "graph"]}
    for set, fields in rows.items():
        fields.update((name, arrays[name].T) for name in batch.indices_of(set) if name != "edge_index")
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
