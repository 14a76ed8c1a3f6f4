"""`fit_capacity`: the largest shape that a device takes; `out_of_memory`: whether an error says that memory ran out."""

from __future__ import annotations

import gc
import sys
from itertools import islice
from typing import TYPE_CHECKING, Any

from ._graphpack import Capacity, Loader, Probe, says_out_of_memory

if TYPE_CHECKING:
    from collections.abc import Callable

    from ._graphpack import Data

# Classes of torch, CuPy and TensorFlow. NumPy's is a MemoryError.
_CLASSES = {"MemoryError", "OutOfMemoryError", "ResourceExhaustedError"}


def out_of_memory(error: BaseException) -> bool:
    """Whether an error, or one that it was raised from, says that memory ran out: errors of torch and the libraries of
    CUDA, of AOTInductor, Warp, XLA, TensorFlow, NumPy and Python.

    AOTInductor raises the same error whatever the reason, and so do cuDNN and cuSOLVER at times: if a smaller batch
    fails, too, it was not memory. After the `except` block, and not in it, `torch.cuda.empty_cache()` frees memory.

    >>> gp.out_of_memory(RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"))
    True
    >>> gp.out_of_memory(RuntimeError("CUDA error: an illegal memory access was encountered"))
    False
    """
    classes = {of.__name__ for each in _chain(error) for of in type(each).__mro__}
    return bool(classes & _CLASSES) or any(says_out_of_memory(str(each)) for each in _chain(error))


def fit_capacity(
    step: Callable[[Any], Any],
    data: Data,
    margin: float = 0.05,
    memory: Callable[[], int | None] | None = None,
    **options: Any,
) -> Capacity:
    """Finds the largest shape of batches with which `step(batch)` fits into memory, as a capacity for `Loader`. Each
    batch of that loader has this shape, so none runs out of memory later.

    Runs about 20 steps with nearly full batches of `data`. `step` is a step of training: forward, backward and
    optimizer, so save weights before. `margin` is the share of the rows to leave free. `memory()` returns the peak of
    bytes of the last step; by default it is that of torch's current CUDA device, and elsewhere none is needed. `options`
    are those of the loader that say what is in a batch, such as `output="pyg"`. Ranks need the answer of one of them.
    Out of memory on a CPU may end the process: there, use `graphpack limits --probe`.

    >>> def step(batch):
    ...     if batch.shape["edges"] > 500:
    ...         raise MemoryError
    >>> gp.fit_capacity(step, data)
    Capacity.shape({'nodes': 471, 'edges': 471, 'graphs': 80})
    """
    if not 0 <= margin < 1:
        raise ValueError(f"margin: expected a share from 0 to less than 1, found {margin!r}")
    probe, output = Probe(data, margin, options.get("padding")), options.pop("output", None)
    # In order, all batches but the last are filled; packs would share graphs evenly.
    options = {"grouping": "in_order", "workers": 0, **options}
    failed = None
    for number in range(1 << 30):
        shape = probe.next_shape()
        if shape is None:
            break
        # Other graphs in each step.
        loader = Loader(data, capacity=Capacity.shape(shape), shuffle=True, seed=number, **options)
        batch = max(islice(loader, 4), key=lambda batch: sum(batch.real.values()))
        failed, peak = _run(step, batch if output is None else getattr(batch, f"to_{output}")(), memory)
        if failed is None:
            probe.ran(peak)
        else:
            probe.out_of_memory()
    shape = probe.largest()
    if shape is not None:
        return Capacity.shape(shape)
    if failed is None:
        raise ValueError("data: expected graphs, found none")
    raise MemoryError("step runs out of memory with the smallest batch that has room for the largest graph") from failed


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
            return None, memory()
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


def _chain(error: BaseException) -> list[BaseException]:
    """The error, and those that it was raised from or after."""
    chain: list[BaseException] = []
    each: BaseException | None = error
    while each is not None and each not in chain:
        chain.append(each)
        each = each.__cause__ or (None if each.__suppress_context__ else each.__context__)
    return chain
