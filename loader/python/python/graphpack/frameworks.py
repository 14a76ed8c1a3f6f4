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

    tensors = to_torch(batch, device)
    graph = PygBatch(batch=tensors.pop("batch", None), ptr=tensors.pop("ptr", None), **tensors)
    graph.num_nodes = batch.shape.get("nodes")
    graph._num_graphs = batch.shape["graphs"]
    return graph


def to_jax(batch: Batch) -> dict[str, Any]:
    """Arrays of JAX by name. Without `narrow_indices=True` JAX, which has no int64 by default, copies indices."""
    import jax

    if getattr(jax.config, "jax_enable_x64"):
        return {name: jax.dlpack.from_dlpack(array) for name, array in batch.arrays().items()}
    wide = {"int64", "float64"}
    arrays = {}
    for name, array in batch.arrays().items():
        arrays[name] = jax.numpy.asarray(np.asarray(array)) if array.dtype in wide else jax.dlpack.from_dlpack(array)
    return arrays


def to_jraph(batch: Batch) -> Any:
    """A `jraph.GraphsTuple`: `nodes` and `edges` are dictionaries of fields, `globals` of those of graphs and of the
    masks; `n_node` and `n_edge` count padding, as `jraph.pad_with_graphs` does."""
    import jax.numpy as jnp
    import jraph

    arrays = to_jax(batch)
    ends = np.asarray(batch["ptr"])
    sources, targets = arrays["edge_index"]
    graph_of_edge = np.asarray(batch["batch"])[np.asarray(batch["edge_index"])[1]]
    n_edge = np.bincount(graph_of_edge, minlength=batch.shape["graphs"])
    return jraph.GraphsTuple(
        nodes={name: arrays[name] for name in batch.fields("nodes")},
        edges={name: arrays[name] for name in batch.fields("edges")},
        globals={name: arrays[name] for name in [*batch.fields("graph"), "graph_mask"]},
        senders=sources,
        receivers=targets,
        n_node=jnp.asarray(np.diff(ends), dtype=jnp.int32),
        n_edge=jnp.asarray(n_edge, dtype=jnp.int32),
    )
