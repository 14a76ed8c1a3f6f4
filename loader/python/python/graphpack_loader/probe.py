"""`fit_capacity`: the largest shape that a device takes; `out_of_memory`: whether an error says that memory ran out."""

from __future__ import annotations

import errno
import gc
import operator
import sys
import warnings
from contextlib import contextmanager
from itertools import islice
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from ._graphpack import Batch, Capacity, Loader, Probe, says_out_of_memory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ._graphpack import Data

# Classes of torch, CuPy and TensorFlow. NumPy's is a MemoryError.
_CLASSES = {"MemoryError", "OutOfMemoryError", "ResourceExhaustedError"}
# Of XLA, whose exhausted resource is memory; of Numba, whose errors of CUDA are no RuntimeError.
_XLA, _NUMBA = {"XlaRuntimeError", "JaxRuntimeError"}, {"CudaAPIError"}
_OPTIONS = ["grouping", "output", "padding", "fields", "missing", "extra", "index", "on_error"]


def out_of_memory(error: BaseException) -> bool:
    """Whether an error, or one that it was raised `from`, says that memory ran out: errors of torch and the libraries of
    CUDA, of AOTInductor, Warp, XLA, TensorFlow, NumPy and Python. An error that was raised while another was handled is
    judged alone. A group of errors says it if each of its errors does.

    A text counts only in a `RuntimeError`. AOTInductor raises the same error whatever the reason, and so do cuBLAS, cuDNN
    and cuSOLVER at times: if a smaller batch fails, too, it was not memory. After the `except` block, and not in it,
    `torch.cuda.empty_cache()` frees memory.

    >>> gp.out_of_memory(RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"))
    True
    >>> gp.out_of_memory(RuntimeError("CUDA error: an illegal memory access was encountered"))
    False
    """
    seen: list[BaseException] = []
    each: BaseException | None = error
    while each is not None and all(each is not other for other in seen):
        if _says_it(each):
            return True
        seen.append(each)
        each = each.__cause__
    return False


def _says_it(error: BaseException) -> bool:
    classes = {of.__name__ for of in type(error).__mro__}
    if isinstance(error, BaseExceptionGroup):
        return all(out_of_memory(each) for each in error.exceptions)
    if isinstance(error, OSError):
        return error.errno == errno.ENOMEM
    if classes & _CLASSES or (classes & _XLA and "RESOURCE_EXHAUSTED" in str(error)):
        return True
    return bool(isinstance(error, RuntimeError) or classes & _NUMBA) and says_out_of_memory(str(error))


@contextmanager
def _objects_of_steps() -> Iterator[None]:
    """Lets the collector look at what steps make alone: of torch and JAX it has a million objects, half a second a step."""
    kept = gc.get_freeze_count()
    gc.freeze()
    try:
        yield
    finally:
        if not kept:
            gc.unfreeze()


@_objects_of_steps()
def fit_capacity(
    step: Callable[[Any], Any],
    data: Data,
    margin: float = 0.05,
    memory: Callable[[], int | None] | None = None,
    **options: Any,
) -> Capacity:
    """Finds the largest shape of batches with which `step(batch)` fits into memory, as a capacity for `Loader`. Each
    batch of that loader has this shape, so none runs out of memory later.

    Runs about 20 steps with batches of `data` that are as full as those of training, also for a step that sees real rows
    alone. The last has the fullest of 16 batches that a loader with `grouping` makes. `step` is a step of training:
    forward, backward and optimizer, so save weights before. `margin` is the share of the rows to leave free; the search
    ends within 2 %, so up to 2 % more are free. `memory()` returns the peak of bytes of the last step; by default it is
    that of torch's current CUDA device, and elsewhere none is needed. `options` are those of the loader that say what is
    in a batch: `grouping`, `output`, `padding`, `fields`, `missing`, `extra`, `index`, `on_error`. Ranks need the answer of
    one of them. Out of memory on a CPU may end the process: there, use `graphpack limits --probe`. A warning says if no
    step ran out of memory.

    >>> def step(batch):
    ...     if batch.shape["edges"] > 500:
    ...         raise MemoryError
    >>> gp.fit_capacity(step, data)
    Capacity.shape({'nodes': 471, 'edges': 471, 'graphs': 80})
    """
    for name in options:
        if name not in _OPTIONS:
            raise TypeError(f"fit_capacity: expected options of what is in a batch, {', '.join(_OPTIONS)}, found {name!r}")
    if not isinstance(margin, Real) or isinstance(margin, bool):
        raise TypeError(f"margin: expected a share from 0 to less than 1, found {margin!r}")
    if not 0 <= margin < 1:
        raise ValueError(f"margin: expected a share from 0 to less than 1, found {margin!r}")
    probe, output = Probe(data, float(margin), options.get("padding")), options.pop("output", None)
    smallest, grouping = probe.next_shape(), options.pop("grouping", None)
    if smallest is None:
        raise ValueError("data: expected graphs, found none")
    # Each process of torch may look for its own answer.
    options = {"workers": 0, "shard": (0, 1), **options}
    rows = np.frombuffer(data.sizes(), np.uint32).reshape(len(data), -1)
    padding = np.array(list(smallest.values())[:-1]) - rows.max(axis=0).clip(1)
    failures: list[Exception] = []

    def run(batch: Batch) -> tuple[bool, int | None]:
        given = batch if output is None else output(batch) if callable(output) else getattr(batch, f"to_{output}")()
        failed, peak = _run(step, given, memory)
        failures.extend([] if failed is None else [failed])
        return failed is None, peak

    for number in range(1 << 30):
        shape = probe.next_shape()
        if shape is None:
            break
        # Other graphs in each step.
        graphs = _filling(rows, np.array(list(shape.values())), padding, np.random.default_rng(number))
        kind = {"capacity": Capacity.shape(shape), "grouping": "in_order", "seed": number}
        ran, peak = run(next(iter(Loader(data.subset(graphs), **kind, **options))))
        if ran:
            probe.ran(peak)
        else:
            probe.out_of_memory()
    shape = probe.largest()
    while shape is not None:
        kind = {"capacity": Capacity.shape(shape), "grouping": grouping, "shuffle": True}
        batches = islice(Loader(data, **kind, **options), 16)
        ran, _ = run(max(batches, key=lambda batch: sum(batch.real[name] / batch.shape[name] for name in data.sets)))
        if ran:
            if not failures:
                warnings.warn(f"no step ran out of memory: the largest shape holds all {len(data)} graphs", stacklevel=2)
            return Capacity.shape(shape)
        less = {name: max(smallest[name], int(number / 1.02)) for name, number in shape.items()}
        shape = None if less == shape else less
    text = "step runs out of memory with the smallest batch that has room for the largest graph"
    raise MemoryError(text) from failures[-1]


def _filling(
    rows: np.ndarray[Any, Any], shape: np.ndarray[Any, Any], padding: np.ndarray[Any, Any], random: np.random.Generator
) -> np.ndarray[Any, Any]:
    """The numbers of graphs that fill a shape: the fullest of four choices."""
    room = shape - np.append(padding, 1)
    # Random graphs fill most of it. Of 2,048 others those follow that leave the least of the set that has most left.
    most = room * (1 - min(0.3, 64 / room[-1]))
    best, fullness = np.array([0]), 0.0
    for _ in range(4):
        order = random.choice(len(rows), min(len(rows), int(room[-1]) + 2048), replace=False)
        sizes = np.column_stack([rows[order], np.ones(len(order))])
        sums = sizes.cumsum(axis=0)
        begun = len(order) if (sums[-1] <= room).all() else int((sums <= most).all(axis=1).sum())
        left = room - sizes[:begun].sum(axis=0)
        chosen, pool = list(range(begun)), np.arange(begun, min(len(order), begun + 2048))
        while len(pool := pool[(sizes[pool] <= left).all(axis=1)]):
            after = ((left - sizes[pool]) / room.clip(1))[:, :-1].max(axis=1)
            taken = int(after.argmin())
            left = left - sizes[pool[taken]]
            chosen.append(int(pool[taken]))
            pool = np.delete(pool, taken)
        found = float(((room - left) / room.clip(1))[:-1].sum())
        if found > fullness:
            best, fullness = order[chosen], found
    return best


def _run(
    step: Callable[[Any], Any], batch: Any, memory: Callable[[], int | None] | None
) -> tuple[Exception | None, int | None]:
    """The error of a step that runs out of memory, or the peak of memory of one that runs."""
    torch, jax = sys.modules.get("torch"), sys.modules.get("jax")
    cuda = torch.cuda if torch is not None and torch.cuda.is_available() else None
    try:
        if cuda is not None:
            cuda.reset_peak_memory_stats()
        result = step(batch)
        # An error of a device may come once it is waited for.
        if cuda is not None:
            cuda.synchronize()
        if jax is not None:
            jax.block_until_ready(result)
        if memory is not None:
            return None, _bytes(memory())
        return None, None if cuda is None else cuda.max_memory_allocated()
    except Exception as error:
        if not out_of_memory(error):
            raise
        # Frames keep their tensors.
        for each in _chain(error):
            each.__traceback__ = None
        return error, None
    finally:
        result = batch = None
        gc.collect()
        # Allocators beside torch's, such as Warp's, have nothing of what it keeps.
        if cuda is not None:
            cuda.empty_cache()


def _bytes(peak: Any) -> int | None:
    if peak is None:
        return None
    try:
        number = operator.index(peak)
    except TypeError:
        number = -1
    if not 0 <= number < 1 << 64:
        raise ValueError(f"memory: expected the bytes of the last step, an integer from 0, or None, found {peak!r}")
    return number


def _chain(error: BaseException) -> list[BaseException]:
    """The error, those that it was raised from or after, and those of groups."""
    chain: list[BaseException] = []
    left: list[BaseException | None] = [error]
    while left:
        each = left.pop()
        if each is not None and all(each is not other for other in chain):
            chain.append(each)
            left += [each.__cause__, each.__context__]
            left += each.exceptions if isinstance(each, BaseExceptionGroup) else ()
    return chain
