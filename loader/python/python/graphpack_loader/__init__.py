"""Feeds many small graphs to a training loop, in batches of a fixed shape that are nearly full.

    import graphpack_loader as gp

    data = gp.open("alloys.aselmdb", cutoff=6.0)    # any file that graphpack reads, a store, or gp.from_pyg(dataset)
    loader = gp.Loader(data, capacity=128, shuffle=True, seed=42, workers=2)
    for batch in loader:                     # the next epoch each time
        loss = step(batch.to_pyg())          # or .to_numpy(), .to_torch(), .to_jraph(), .to_jax(); or output="pyg"
    state = loader.state_dict()              # load_state_dict goes on in the middle of an epoch

Indices count from the first row of the batch, padding rows come last, and masks (`node_mask`, `edge_mask`,
`graph_mask`) are true for real rows. In the examples of classes and functions, `data` are 200 rings of 3 to 12 nodes.
"""

from __future__ import annotations

import importlib
import os
from typing import TYPE_CHECKING, Any

from ._graphpack import (
    Array,
    Batch,
    BuildError,
    Capacity,
    Data,
    Epoch,
    FileError,
    GraphpackError,
    LoadError,
    Loader,
    Plan,
    ResumeError,
    __version__,
    open,
)
from .ahead import DeviceLoader
from .devices import over_devices
from .probe import fit_capacity, out_of_memory
from .source import Schema, Source

if TYPE_CHECKING:
    from collections.abc import Iterable

    from . import nn
    from .sampler import BatchSampler

__all__ = [
    "Array", "Batch", "BatchSampler", "BuildError", "Capacity", "Data", "DeviceLoader", "Epoch", "FileError",
    "GraphpackError", "LoadError", "Loader", "Plan", "ResumeError", "Schema", "Source", "__version__", "fit_capacity",
    "from_pyg", "nn", "open", "out_of_memory", "over_devices", "save_store",
]


def __getattr__(name: str) -> Any:
    # These are of torch, which takes a second to import.
    if name == "nn":
        return importlib.import_module(".nn", __name__)
    if name == "BatchSampler":
        from .sampler import BatchSampler

        return BatchSampler
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def from_pyg(graphs: Iterable[Any], **options: Any) -> Data:
    """Takes graphs of PyTorch Geometric (`Data` or `HeteroData`) into memory, with the options of `pyg.from_pyg`.

    >>> from torch_geometric.datasets import FakeDataset
    >>> len(gp.from_pyg(FakeDataset(num_graphs=10)))
    10
    """
    from . import pyg

    return pyg.from_pyg(graphs, **options)


def save_store(graphs: Iterable[Any], path: str | os.PathLike[str], **options: Any) -> None:
    """Writes graphs of PyTorch Geometric into a file that `open` opens, with the options of `pyg.from_pyg`.

    >>> from torch_geometric.datasets import FakeDataset
    >>> gp.save_store(FakeDataset(num_graphs=10), "fake.safetensors")
    >>> len(gp.open("fake.safetensors"))
    10
    """
    from_pyg(graphs, **options).save(path)
