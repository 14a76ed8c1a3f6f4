"""Batches for all devices of JAX at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._graphpack import LoadError
from .frameworks import in_jax

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ._graphpack import Loader


def over_devices(loader: Loader, mesh: Any = None) -> Iterator[dict[str, Any]]:
    """The next epoch of a loader of one shape, or the rest of the one whose state was loaded, with a batch for each
    device of JAX in a step: arrays by name as `to_jax` has them, `[devices, ...]`, of which each device has its own
    row, for `shard_map` and `pmap`.

    `mesh` has one axis; by default it is that of all local devices, called `devices`. The state of the loader counts
    the batches of all devices, so that another number of them goes on with it. A last step that has too few batches
    repeats one with masks that are false and `graph_ids` of -1.

    >>> import jax
    >>> loader = gp.Loader(data, capacity=16, index="int32")
    >>> arrays = next(gp.over_devices(loader))
    >>> arrays["x"].shape == (len(jax.devices()), 129, 2)
    True
    """
    import jax
    from jax.sharding import Mesh, NamedSharding

    if loader.batch_shape is None:
        raise ValueError("over_devices: expected batches of one shape, found several, as shapes says")
    mesh = Mesh(np.array(jax.local_devices()), ("devices",)) if mesh is None else mesh
    if len(mesh.axis_names) != 1:
        raise ValueError(f"over_devices: expected a mesh of one axis, found {mesh.axis_names}")
    by_row: Any = getattr(jax.sharding, "PartitionSpec")
    devices, sharding = list(mesh.devices), NamedSharding(mesh, by_row(*mesh.axis_names))
    before = loader.state_dict()
    batches = iter(iter(loader).next_batch, None)
    while True:
        step: list[dict[str, np.ndarray[Any, Any]]] = []
        try:
            for _, batch in zip(devices, batches):
                step.append(in_jax(batch))
        except LoadError as error:
            # The batches of this step that are made were not delivered.
            error.before = before
            loader.load_state_dict(before)
            raise
        if not step:
            return
        layout = batch.layout
        step += [without_graphs(step[-1], layout)] * (len(devices) - len(step))
        rows = [[arrays[name][None] for arrays in step] for name in layout]
        placed = [jax.device_put(of_name, devices) for of_name in rows]
        before = loader.state_dict()
        yield {
            name: jax.make_array_from_single_device_arrays((len(devices), *of_name[0].shape[1:]), sharding, of_name)
            for name, of_name in zip(layout, placed)
        }


def without_graphs(
    arrays: dict[str, np.ndarray[Any, Any]], layout: dict[str, tuple[str, str, list[str]]]
) -> dict[str, np.ndarray[Any, Any]]:
    """The same arrays of a batch that has no real graph: fields of graphs hold what the last graph does, which is
    always padding, so that there are no labels."""
    kept, found = {"mask": False, "ids": -1}, {}
    for name, array in arrays.items():
        set, what, _ = layout[name]
        if what in kept:
            array = np.full_like(array, kept[what])
        elif (set, what) == ("graph", "field"):
            array = np.broadcast_to(array[-1:], array.shape)
        found[name] = array
    return found
