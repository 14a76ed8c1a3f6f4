"""`DeviceLoader`: batches on a GPU, copied there ahead of the step."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from ._graphpack import Loader
from .frameworks import to_pyg, views

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ._graphpack import Batch, Epoch


class DeviceLoader:
    """The batches of `loader` on a device of CUDA. While a step runs, the next `ahead` batches are copied on a stream of
    their own, each in one copy from page-locked memory, which later batches use again.

    `loader` has `output="torch"` or `"pyg"`, which is what a loop gets: tensors for the stream that is current when the
    loop takes the batch. `device` is `"cuda"`, the current one, `"cuda:1"`, or `"cpu"`, where a loop gets what `loader`
    gives. `state_dict()` is the state after the last batch that the loop got; that of `loader` itself is ahead. `len`,
    `epoch` and `load_state_dict` are as those of `loader`.

    >>> loader = gp.DeviceLoader(gp.Loader(data, capacity=16, output="torch"), "cpu", ahead=2)
    >>> for batch in loader:
    ...     x = batch["x"]
    >>> x.shape
    torch.Size([129, 2])
    """

    def __init__(self, loader: Loader, device: Any = "cuda", ahead: int = 2) -> None:
        import torch

        if not isinstance(loader, Loader) or loader.output not in ("torch", "pyg"):
            found = f"output={loader.output!r}" if isinstance(loader, Loader) else type(loader).__name__
            raise ValueError(f'DeviceLoader: expected a gp.Loader with output="torch" or "pyg", found {found}')
        if type(ahead) is not int or ahead < 1:
            raise ValueError(f"ahead: expected a number of batches from 1, found {ahead!r}")
        self.loader, self.device, self.ahead = loader, expect_device(device), ahead
        if self.device.type != "cpu":
            cuda: Any = torch.cuda
            self._memory, self._stream = Memory(self.device), cuda.Stream(self.device)
        # Page-locked memory in the order of the copies, each with the event after which no copy reads it.
        self._used: deque[tuple[Any, Any]] = deque()
        # Of the newest iterator: its number, the state after the last batch that the loop got, how many batches it has.
        self._newest = 0
        self._state: dict[str, Any] | None = None
        self._batches: int | None = None

    def __iter__(self) -> Iterator[Any]:
        return self._begun(iter(self.loader))

    def epoch(self, epoch: int) -> Iterator[Any]:
        """The batches of epoch `epoch`. Iterating the loader goes on with the next."""
        return self._begun(self.loader.epoch(epoch))

    def __len__(self) -> int:
        return len(self.loader) if self._batches is None else self._batches

    def state_dict(self) -> dict[str, Any]:
        """The state after the last batch that the loop got, to save beside the weights."""
        return self.loader.state_dict() if self._state is None else self._state

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Makes the next iterator go on after the batch whose state this is."""
        self.loader.load_state_dict(state_dict)
        self._newest, self._state, self._batches = self._newest + 1, None, None

    def __getattr__(self, name: str) -> Any:
        # `dataset`, `batch_shape` and others that do not change in an epoch.
        if name.startswith("_") or name == "loader":
            raise AttributeError(name)
        return getattr(self.loader, name)

    def __repr__(self) -> str:
        return f"DeviceLoader({self.loader!r}, {str(self.device)!r}, ahead={self.ahead})"

    def _begun(self, epoch: Epoch) -> Iterator[Any]:
        if self.device.type == "cpu":
            return epoch
        self._newest, self._state, self._batches = self._newest + 1, self.loader.state_dict(), len(self.loader)
        return self._copied(epoch, self._newest)

    def _copied(self, epoch: Epoch, number: int) -> Iterator[Any]:
        begun: deque[tuple[Any, Any, dict[str, Any]]] = deque()
        failed, ended = None, False
        try:
            while True:
                while len(begun) <= self.ahead and not ended:
                    try:
                        batch = epoch.next_batch()
                        if batch is None:
                            ended = True
                        else:
                            begun.append(self._copy(batch))
                            # Its memory is free for the next.
                            del batch
                    except Exception as error:
                        # In the place of its batch, after all before it.
                        failed, ended = error, True
                if not begun:
                    break
                yield self._handed_over(*begun.popleft(), number)
            if failed is not None:
                raise failed
            if self._newest == number:
                self._state = None
        finally:
            epoch.close()
            if self._newest == number:
                self._batches = None

    def _copy(self, batch: Batch) -> tuple[Any, Any, dict[str, Any]]:
        """Begins to copy a batch: what the loop gets, the event after which it is there, and the state after it."""
        import torch
        from torch.utils.dlpack import from_dlpack

        cuda: Any = torch.cuda
        packed, arrays = batch.packed()
        source = from_dlpack(packed.__dlpack__())
        pinned = self._pinned(len(source))
        copied = pinned[: len(source)].copy_(source)
        with cuda.stream(self._stream):
            output = views(self._memory.on_device(copied), arrays)
            if self.loader.output == "pyg":
                output = to_pyg(batch, self.device, tensors=output)
            done = cuda.Event(blocking=True)
            done.record(self._stream)
        self._used.append((done, pinned))
        return output, done, batch.state_dict()

    def _pinned(self, length: int) -> Any:
        """Page-locked memory of at least this many bytes that no copy reads."""
        if len(self._used) > self.ahead:
            done, pinned = self._used.popleft()
            done.synchronize()
            if len(pinned) >= length:
                return pinned
        return self._memory.pinned(length)

    def _handed_over(self, output: Any, done: Any, state: dict[str, Any], number: int) -> Any:
        """Lets the current stream wait for the copy, and the memory of the batch for that stream before it is used
        again."""
        import torch

        stream = torch.cuda.current_stream(self.device)
        stream.wait_event(done)
        for arrays in [output] if self.loader.output == "torch" else output.stores:
            for array in arrays.values():
                if isinstance(array, torch.Tensor):
                    self._memory.used_by(array, stream)
        if self._newest == number:
            self._state = state
        return output


class Memory:
    """Page-locked memory, and that of a device in the order of the current stream. Tests have a simulated one."""

    def __init__(self, device: Any) -> None:
        self.device = device

    def pinned(self, length: int) -> Any:
        import torch

        return torch.empty(length, dtype=torch.uint8, pin_memory=True)

    def on_device(self, pinned: Any) -> Any:
        """A copy, which has only begun."""
        return pinned.to(self.device, non_blocking=True)

    def used_by(self, tensor: Any, stream: Any) -> None:
        """Says that the work that `stream` has when the tensor is dropped may still read it."""
        tensor.record_stream(stream)


def expect_device(name: Any) -> Any:
    """The device of this name, with its number; an error if it is not here."""
    import torch

    device, here = torch.device(name), ["cpu"]
    if torch.cuda.is_available():
        here += [f"cuda:{number}" for number in range(torch.cuda.device_count())]
        if device == torch.device("cuda"):
            device = torch.device("cuda", torch.cuda.current_device())
    if str(device) not in here:
        found = f"found {str(device)!r} (torch {torch.__version__}, CUDA {torch.version.cuda})"
        raise ValueError(f"DeviceLoader: expected one of the devices here, {here}, {found}")
    return device
