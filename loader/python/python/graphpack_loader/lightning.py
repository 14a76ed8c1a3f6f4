"""`Loader` as Lightning counts epochs: it keeps and loads the state by itself."""

from __future__ import annotations

from . import _graphpack


class Loader(_graphpack.Loader):
    """A `graphpack_loader.Loader` with which a `Trainer` goes on in the middle of an epoch and after one.

    A `Trainer` counts the steps of an epoch that it goes on with from those before, so `len` is that of the whole
    epoch. After the last batch of an epoch it begins the next without asking for the end, and so does the next iterator.

    >>> from graphpack_loader.lightning import Loader
    >>> loader = Loader(data, capacity=16)
    >>> for batch in loader:
    ...     if batch.step == 3:
    ...         break
    >>> loader.load_state_dict(loader.state_dict())
    >>> len(loader), len(list(loader))
    (12, 8)
    """

    def __iter__(self) -> _graphpack.Epoch:
        left = super().__len__()
        epoch = super().__iter__()
        return epoch if left else super().__iter__()

    def __len__(self) -> int:
        return self.batches(self.state_dict()["epoch"])
