"""`BatchSampler`: which graphs share a batch, for data sets that stay in Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._graphpack import Data, Loader
from .source import names

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class BatchSampler:
    """Lists of numbers of graphs, for `torch.utils.data.DataLoader(dataset, batch_sampler=...)`.

    `sizes` is an array `[graphs, sets]` of numbers of rows, nodes and edges by default; options are those of
    `Loader`: packed batches within limits, ranks, resume by `state_dict`. Ranks leave out a last step that does not
    have a batch for each, unless `remainder="pad"` gives empty lists. Options of what is in a batch are refused: lists
    have graphs as they are.

    >>> list(gp.BatchSampler([[3, 3], [5, 5], [4, 4], [2, 2]], capacity={"nodes": 7, "edges": 7, "graphs": 8}))
    [[3, 1], [0, 2]]
    """

    def __init__(self, sizes: Any, *, sets: Sequence[str] = ("nodes", "edges"), **options: Any) -> None:
        rows, sets = np.asarray(sizes), names("sets", sets)
        if rows.ndim != 2 or rows.shape[1] != len(sets) or rows.dtype.kind not in "iu":
            expected = f"integers [graphs, {len(sets)}] for {sets}"
            raise ValueError(f"sizes: expected {expected}, found {rows.dtype} {rows.shape}")
        beyond = np.flatnonzero(((rows < 0) | (rows >= 2**32)).any(axis=1))
        if beyond.size:
            graph = int(beyond[0])
            raise ValueError(f"sizes: expected 0 to 2^32 - 1 rows, found {rows[graph].tolist()} of graph {graph}")
        # As text, since an array is not equal or unequal as a whole.
        usual = {"fields": "", "output": "", "extra": "() []", "index": "'int64'", "padding": "'self_loops'", "equal_shapes": "False",
                 "on_error": "'stop'", "missing": "'zero'"}
        for option, defaults in usual.items():
            given = options.get(option)
            if given is not None and repr(given) not in defaults.split():
                raise ValueError(f"{option}: a sampler gives numbers of graphs, expected no such option")
        if options.get("oversize") == "trim":
            raise ValueError("oversize: numbers of graphs cannot be trimmed, expected 'error', 'skip' or 'alone'")
        rows = np.ascontiguousarray(rows, dtype=np.uint32)
        if options.get("shard") is not None and options.get("remainder") is None:
            # `collate` of PyG and others fails on an empty list.
            options["remainder"] = "drop"
        options.setdefault("workers", 0)
        self.loader: Loader = Loader(Data.from_sizes(sets, rows), **options)

    def __iter__(self) -> Iterator[list[int]]:
        """The next epoch, or the rest of the one whose state was loaded."""
        for batch in self.loader:
            yield batch.places.tolist()

    def __len__(self) -> int:
        """Number of batches of this rank: in a loop, those of the loop; otherwise those of the next."""
        return len(self.loader)

    @property
    def skipped(self) -> int:
        """Number of graphs that exceed the capacity and are in no list, with `oversize="skip"`."""
        return self.loader.skipped

    def state_dict(self) -> dict[str, Any]:
        """The state after the last batch."""
        return self.loader.state_dict()

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Makes the next iterator go on after the batch whose state this is."""
        self.loader.load_state_dict(state_dict)
