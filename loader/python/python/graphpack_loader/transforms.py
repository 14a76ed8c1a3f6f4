"""Transforms of PyTorch Geometric as maps of `Data`. Needs torch_geometric."""

from __future__ import annotations

import os
import random
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch.overrides import TorchFunctionMode
from torch_geometric.data import Data

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# Functions of torch that take a generator.
DRAWS = {
    "_sample_dirichlet", "_standard_gamma", "bernoulli", "bernoulli_", "binomial", "cauchy_", "exponential_", "geometric_", "log_normal_", "multinomial", "normal", "normal_",
    "poisson", "rand", "randint", "randn", "random_", "randperm", "uniform_",
}  # fmt: skip
# Those that take none in the oldest release, and what fills the same tensor.
LIKE = {"rand_like": "uniform_", "randn_like": "normal_"}
# Those that draw by others out of sight, without a generator.
WITHOUT = ("dropout", "gumbel_softmax", "kaiming", "rrelu", "xavier")

# NumPy's generator and that of `random` are of the whole process, of which a fork is another.
ONE_AT_A_TIME: dict[int, threading.Lock] = {}


class Transform:
    """Changes a graph, a dictionary of arrays, by a transform, which gets a `Data` and returns one."""

    def __init__(self, transform: Callable[[Data], Any]) -> None:
        self.transform: Callable[[Data], Any] = transform

    def __call__(self, graph: dict[str, Any], rng: np.random.Generator) -> dict[str, np.ndarray[Any, Any]]:
        arrays = {name: array for name, array in graph.items() if isinstance(array, np.ndarray)}
        if types := [name for name in arrays if "." in name]:
            raise TypeError(f"{self.transform}: expected graphs of one type of nodes, a Data, found {types}")
        given = Data(**{name: torch.from_numpy(array) for name, array in arrays.items()})
        if "num_nodes" in graph:
            given.num_nodes = graph["num_nodes"]
        with drawn_from(int(rng.integers(2**32))):
            made = self.transform(given)
        if not isinstance(made, Data):
            raise TypeError(f"{self.transform}: expected that it returns a Data, found {type(made).__name__}")
        if "num_nodes" in graph and made.num_nodes != graph["num_nodes"]:
            raise ValueError(self.refused(f"makes {made.num_nodes} nodes of {graph['num_nodes']}"))
        found = {name: torch.as_tensor(value) for name, value in made.to_dict().items() if name in arrays}
        for name, value in found.items():
            if value.shape != arrays[name].shape:
                shapes = f"{list(value.shape)} of {list(arrays[name].shape)}"
                raise ValueError(self.refused(f"makes the shape of {name} {shapes}"))
        if added := sorted(made.to_dict().keys() - arrays.keys() - {"num_nodes"}):
            raise ValueError(self.refused(f"adds {added}"))
        if removed := sorted(arrays.keys() - found.keys()):
            raise ValueError(self.refused(f"removes {removed}"))
        return {name: value.numpy(force=True) for name, value in found.items()}

    def refused(self, found: str) -> str:
        instead = "apply it to the data set before gp.from_pyg"
        return f"{self.transform} {found}, expected the rows and attributes that batches are planned with: {instead}"


class Drawing(TorchFunctionMode):
    """Lets torch draw from a generator of this thread: the training loop draws from torch's own at the same time."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.generator: torch.Generator = torch.Generator().manual_seed(seed)

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        name, options = getattr(func, "__name__", ""), kwargs or {}
        if any(part in name for part in WITHOUT):
            raise TypeError(f"{name} takes no generator, so that what it draws would depend on the workers")
        if name in (*LIKE, "randint_like") and options.get("generator") is None:
            options = {option: value for option, value in options.items() if option != "generator"}
            if name in LIKE:
                return getattr(torch.empty_like(*args, **options), LIKE[name])(generator=self.generator)
            input, *bounds = args
            options = {"dtype": input.dtype, "device": input.device, "size": input.shape} | options
            randint: Any = torch.randint
            return randint(*bounds, generator=self.generator, **options)
        if name in DRAWS and options.get("generator") is None:
            options = options | {"generator": self.generator}
        return func(*args, **options)


@contextmanager
def drawn_from(seed: int) -> Iterator[None]:
    """Random numbers of torch, NumPy and `random` follow from the seed; afterwards they go on as before."""
    with ONE_AT_A_TIME.setdefault(os.getpid(), threading.Lock()), Drawing(seed):
        before = random.getstate(), np.random.get_state()
        try:
            random.seed(seed)
            np.random.seed(seed)
            yield
        finally:
            random.setstate(before[0])
            np.random.set_state(before[1])
