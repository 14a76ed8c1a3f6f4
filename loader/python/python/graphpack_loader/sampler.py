"""`BatchSampler`: which graphs share a batch, for data sets that stay in Python."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ._graphpack import Data, Loader
from .sizes import sizes_of
from .source import names

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from torch.utils.data import BatchSampler as TorchSampler
else:
    try:
        from torch.utils.data import BatchSampler as TorchSampler
    except ModuleNotFoundError:
        TorchSampler = object

# As text, since an array is not equal or unequal as a whole.
_USUAL = {
    "fields": "", "output": "", "extra": "() []", "index": "'int64'", "padding": "None", "equal_shapes": "False",
    "on_error": "'stop'", "missing": "'zero'",
}


class BatchSampler(TorchSampler):
    """Lists of numbers of graphs, for `torch.utils.data.DataLoader(dataset, batch_sampler=...)`.

    `sizes` are numbers of rows: an array `[graphs, sets]`, one number for each graph, or the data set, of which
    `sampler.sizes` keeps what was read. It asks the data set for numbers of atoms or nodes, as those of fairchem,
    metatrain, HydraGNN and nvalchemi know them; otherwise it reads each graph once, for `num_nodes` (or the length of
    `pos`) and `num_edges`. `sets` names the columns, `("nodes", "edges")` or `("nodes",)` by default.

    Options are those of `Loader`: packed batches within limits, ranks, equal cost, resume. Lists have no padding, so
    `shapes` are "exact" by default. Ranks leave out a last step that does not have a batch for each, unless
    `remainder="pad"` gives empty lists. Options of what is in a batch are refused: lists have graphs as they are. Trainers
    that pass a `sampler` with `rank` and `num_replicas`, as Lightning does, set `shard` by it.

    >>> list(gp.BatchSampler([[3, 3], [5, 5], [4, 4], [2, 2]], capacity={"nodes": 7, "edges": 7, "graphs": 8}))
    [[3, 1], [0, 2]]
    """

    def __init__(
        self, sizes: Any, *, sets: Sequence[str] | None = None, sampler: Any = None, drop_last: bool = False, **options: Any
    ) -> None:
        for option, defaults in _USUAL.items():
            given = options.get(option)
            if given is not None and repr(given) not in defaults.split():
                raise ValueError(f"{option}: a sampler gives numbers of graphs, expected no such option")
        if options.get("oversize") == "trim":
            raise ValueError("oversize: numbers of graphs cannot be trimmed, expected 'error', 'skip' or 'alone'")
        #: Numbers of rows, `[graphs, sets]`, uint32: give them to the next sampler, which then reads no graph.
        self.sizes = sizes_of(sizes, None if sets is None else names("sets", sets))
        sets = list(sets or ["nodes", "edges"][: self.sizes.shape[1]])
        if hasattr(sampler, "num_replicas"):
            options["shard"] = (sampler.rank, sampler.num_replicas)
        # With a number, accelerate leaves out lists of other lengths.
        self.batch_size: Any = None
        self.drop_last = drop_last
        made = {"sets": sets, "sampler": None, "drop_last": drop_last, **options}
        self._made_by = made
        # Lightning makes the sampler again by these, with another `sampler`; it records them itself only in its hooks.
        saved = {"args": (self.sizes,), "kwargs": dict(made), "default_kwargs": {}, "arg_names": ("sizes",)}
        vars(self).update({f"__pl_saved_{name}": value for name, value in saved.items()})
        if options.get("shard") is None:
            # All lists, which a trainer divides.
            options["shard"] = (0, 1)
        elif options.get("remainder") is None:
            # `collate` of PyG and others fails on an empty list.
            options["remainder"] = "drop"
        options.setdefault("workers", 0)
        options["shapes"] = options.get("shapes") or "exact"
        self.loader: Loader = Loader(Data.from_sizes(sets, self.sizes), drop_last=drop_last, **options)
        self._first = self.loader.state_dict()
        # The state before the first list of the newest iterator, and what each list changes of it.
        self._drawn = [self._first]
        self._is_loaded = False

    @property
    def sampler(self) -> Any:  # type: ignore[override]
        """This sampler itself: Lightning and accelerate call `set_epoch` of the `sampler` of a batch sampler."""
        return self

    def set_epoch(self, epoch: int) -> None:
        """Makes the next iterator begin epoch `epoch`, or go on with it if a state of this epoch was loaded. Without
        this, each iterator is the next epoch."""
        if not (self._is_loaded and self.state_dict()["epoch"] == epoch):
            self.set_epoch_and_start_iteration(epoch, 0)

    def set_epoch_and_start_iteration(self, epoch: int, start: int) -> None:
        """Makes the next iterator begin epoch `epoch` after its first `start` batches of this rank."""
        self.load_state_dict({**self._first, "epoch": epoch})
        self._is_loaded = False
        if start:
            batches = len(self)
            if not 0 <= start <= batches:
                raise ValueError(f"start: expected 0 to {batches} batches of epoch {epoch}, found {start}")
            rest = iter(self)
            for _ in range(start):
                next(rest)
            self.load_state_dict(self.state_dict(delivered=start))
            self._is_loaded = False

    def __iter__(self) -> Iterator[list[int]]:
        """The next epoch, or the rest of the one whose state was loaded."""
        # Begins with the first list: a `DataLoader` with workers calls `iter` twice in an epoch.
        batches, self._is_loaded = iter(self.loader), False
        drawn = self._drawn = [self.loader.state_dict()]
        for batch in batches:
            state = batch.state_dict()
            done = {"done": state["done"], "steps": state["steps"]}
            # The state of an epoch that has begun names its plan.
            drawn[0] = {**state, "done": drawn[0]["done"], "steps": drawn[0]["steps"]}
            drawn.append(done)
            yield batch.places.tolist()

    def __len__(self) -> int:
        """Number of batches of this rank: in a loop, those of the loop; otherwise those of the next."""
        return len(self.loader)

    def __repr__(self) -> str:
        return f"BatchSampler({self.loader!r})"

    @property
    def skipped(self) -> int:
        """Number of graphs that exceed the capacity and are in no list, with `oversize="skip"`."""
        return self.loader.skipped

    def idle_share(self, epoch: int, cost: dict[str, int]) -> float:
        """The share of the time of all ranks that they wait in an epoch, as `Loader.idle_share` says it."""
        return self.loader.idle_share(epoch, cost)

    def state_dict(self, delivered: int | None = None) -> dict[str, Any]:
        """The state after the last list. Workers of a `DataLoader` draw lists ahead: `delivered`, the number of batches
        that the loop over the newest iterator has had, gives the state after these."""
        if delivered is None:
            return self.loader.state_dict()
        if not 0 <= delivered < len(self._drawn):
            raise ValueError(f"delivered: expected 0 to {len(self._drawn) - 1} lists, which were drawn, found {delivered}")
        return {**self._drawn[0], **self._drawn[delivered]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Makes the next iterator go on after the batch whose state this is, on any number of ranks."""
        self.loader.load_state_dict(state_dict)
        self._drawn, self._is_loaded = [self.loader.state_dict()], True

    def __reduce__(self) -> Any:
        """Pickles as sizes, options and state."""
        return partial(type(self), self.sizes, **self._made_by), (), self.state_dict()

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.load_state_dict(state)
