"""Batches ahead of the step, on a simulated device of CUDA: streams are queues whose work is done as late as it may be."""

import contextlib
import ctypes
import weakref
from collections import deque

import numpy as np
import pytest
from conftest import Rings, arrays

import graphpack_loader as gp
from graphpack_loader import ahead

torch = pytest.importorskip("torch")
OPTIONS = {"capacity": 16, "shuffle": True, "seed": 3, "output": "torch"}


class Stream:
    """Work in its order: done at once, or, if the stream is `late`, when somebody waits for it."""

    def __init__(self, late):
        self.late, self.work = late, deque()

    def give(self, work):
        self.work.append(work)
        if not self.late:
            self.do()

    def do(self, enough=lambda: False):
        while self.work and not enough():
            self.work.popleft()()

    def wait_event(self, event):
        self.give(event.happen)


class Event:
    def __init__(self, blocking):
        self.done, self.stream = False, None

    def record(self, stream):
        self.stream = stream
        stream.give(lambda: setattr(self, "done", True))

    def happen(self):
        self.stream.do(lambda: self.done)

    def synchronize(self):
        self.happen()


class Device:
    """The memory of the device, and what has the place of `torch.cuda`. What is `forgotten` does nothing."""

    def __init__(self, monkeypatch, late, forgotten=None):
        self.streams = {name: Stream(late in (name, "both")) for name in ("steps", "copies")}
        self.current, self.pinned_memory, self.free, self.uses = self.streams["steps"], [], [], {}
        self.blocks, self.used = [], set()
        fakes = {
            "is_available": lambda: True, "device_count": lambda: 2, "current_device": lambda: 1, "Event": Event,
            "Stream": lambda device: self.streams["copies"], "current_stream": lambda device: self.current,
            "stream": self.stream,
        }
        for name, fake in fakes.items():
            monkeypatch.setattr(torch.cuda, name, fake)
        monkeypatch.setattr(ahead, "Memory", lambda device: self)
        if forgotten == "used_by":
            self.used_by = lambda tensor, stream: None
        elif forgotten:
            owner = Stream if forgotten == "wait_event" else Event
            monkeypatch.setattr(owner, forgotten, lambda *_: None)

    @contextlib.contextmanager
    def stream(self, stream):
        before, self.current = self.current, stream
        yield
        self.current = before

    def pinned(self, length):
        self.pinned_memory.append(torch.empty(length, dtype=torch.uint8))
        return self.pinned_memory[-1]

    def on_device(self, pinned):
        """As the caching allocator does: memory is used again by its stream, once those that used it have gone on."""
        fits = [block for block, ready in self.free if len(block) == len(pinned) and all(event.done for event in ready)]
        block = fits[0] if fits else np.empty(len(pinned), np.uint8)
        self.free = [(other, ready) for other, ready in self.free if other is not block]
        self.blocks.append(block.ctypes.data)
        lent = block.view()
        uses = self.uses[block.ctypes.data] = set()
        weakref.finalize(lent, self.give_back, block, uses)
        to, source = block.ctypes.data, pinned.data_ptr()
        self.current.give(lambda: ctypes.memmove(to, source, len(block)))
        return torch.from_numpy(lent)

    def give_back(self, block, uses):
        events = [Event(True) for _ in uses]
        for event, stream in zip(events, uses):
            event.record(stream)
        self.free.append((block, events))

    def used_by(self, tensor, stream):
        self.used.add(tensor.data_ptr())
        self.uses.get(tensor.untyped_storage().data_ptr(), set()).add(stream)

    def read(self, batch):
        """A step that reads all tensors of a batch, which by then may be gone."""
        places = {name: (tensor.data_ptr(), tensor.nbytes) for name, tensor in batch.items()}
        found = {}
        self.current.give(lambda: found.update({name: ctypes.string_at(*place) for name, place in places.items()}))
        return found

    def finish(self):
        for stream in self.streams.values():
            stream.do()


def contents(batch):
    return {name: tensor.numpy().tobytes() for name, tensor in batch.items()}


def read_ahead(device, loader):
    found = [device.read(batch) for epoch in range(2) for batch in loader]
    device.finish()
    return found


def expected(data, **options):
    loader = gp.Loader(data, **OPTIONS | options)
    return [contents(batch) for _ in range(2) for batch in loader]


@pytest.mark.parametrize("late", ["copies", "steps", "both", None])
@pytest.mark.parametrize("number", [1, 2, 5, 100])
def test_steps_read_their_batches_whichever_stream_is_late(data, monkeypatch, late, number):
    device = Device(monkeypatch, late)
    loader = gp.DeviceLoader(gp.Loader(data, **OPTIONS), ahead=number)
    assert read_ahead(device, loader) == expected(data)
    assert str(loader.device) == "cuda:1" and len(device.pinned_memory) == min(number + 1, 2 * len(loader))
    # Steps that are not done keep their memory.
    assert (len(set(device.blocks)) < len(device.blocks)) == (late in ("copies", None))


@pytest.mark.parametrize("forgotten", ["wait_event", "synchronize", "used_by"])
def test_steps_read_others_if_one_wait_is_forgotten(data, monkeypatch, forgotten):
    device = Device(monkeypatch, "both", forgotten)
    assert read_ahead(device, gp.DeviceLoader(gp.Loader(data, **OPTIONS))) != expected(data)


def test_shapes_may_differ(data, monkeypatch):
    options = {"shapes": ("multiple", 8), "grouping": "in_order", "index": "int32"}
    device = Device(monkeypatch, "copies")
    loader = gp.DeviceLoader(gp.Loader(data, **OPTIONS | options))
    assert read_ahead(device, loader) == expected(data, **options)
    assert len({len(memory) for memory in device.pinned_memory}) > 1


def test_batches_belong_to_the_stream_that_is_current_when_they_are_taken(data, monkeypatch):
    device = Device(monkeypatch, "copies")
    epoch = iter(gp.DeviceLoader(gp.Loader(data, **OPTIONS)))
    first = device.read(next(epoch))
    device.streams["other"] = Stream(True)
    with device.stream(device.streams["other"]):
        second = device.read(next(epoch))
    del epoch
    assert first and not second
    device.finish()
    assert [first, second] == expected(data)[:2]


def test_pyg_gets_the_same_batches(data, monkeypatch):
    pytest.importorskip("torch_geometric")
    device = Device(monkeypatch, None)
    options = OPTIONS | {"output": "pyg", "index": "int32"}
    pairs = list(zip(gp.DeviceLoader(gp.Loader(data, **options)), gp.Loader(data, **options), strict=True))
    assert len(pairs) == 12
    for found, same in pairs:
        assert found.keys() == same.keys() and found.num_graphs == same.num_graphs
        assert all(torch.equal(found[name], same[name]) for name in same.keys() if name != "_num_nodes")
        assert torch.equal(found[3].edge_index, same[3].edge_index)
        assert all(tensor.data_ptr() in device.used for tensor in found.to_dict().values() if torch.is_tensor(tensor))


@pytest.mark.parametrize("device", ["cuda", "cpu"])
def test_states_are_those_after_the_batch_that_the_loop_got(data, monkeypatch, device):
    Device(monkeypatch, None)
    plain, loader = gp.Loader(data, **OPTIONS), gp.DeviceLoader(gp.Loader(data, **OPTIONS), device, ahead=3)
    assert loader.state_dict() == plain.state_dict() and len(loader) == len(plain)
    states = []
    for step, (batch, same) in enumerate(zip(loader, plain, strict=True), 1):
        assert contents(batch) == contents(same) and loader.state_dict() == plain.state_dict()
        states.append(loader.state_dict())
        assert (step == len(loader)) == (step == 12)
    assert loader.state_dict() == plain.state_dict() and len(loader) == 12
    # A loop that is left, and the next one.
    next(epoch := iter(loader))
    next(same := iter(plain))
    assert loader.state_dict() == plain.state_dict()
    assert contents(next(iter(loader))) == contents(next(iter(plain)))
    assert loader.state_dict() == plain.state_dict()
    # The old iterator goes on without changing the state.
    next(epoch), next(same)
    assert loader.state_dict() == plain.state_dict()
    del epoch, same
    for seen in (5, 11, 12):
        for of in (loader, plain):
            of.load_state_dict(states[seen - 1])
        assert loader.state_dict() == states[seen - 1] and len(loader) == 12 - seen
        left = [contents(batch) for batch in plain]
        assert [contents(batch) for batch in loader] == left and len(left) == 12 - seen
        assert loader.state_dict() == plain.state_dict()
    assert [contents(batch) for batch in loader.epoch(7)] == [contents(batch) for batch in plain.epoch(7)]
    assert loader.state_dict() == plain.state_dict() and loader.state_dict()["epoch"] == 8


def test_an_error_takes_the_place_of_its_batch(monkeypatch):
    class Failing(Rings):
        def __getitem__(self, graph):
            if graph == broken:
                raise ValueError("gone")
            return super().__getitem__(graph)

    broken = None
    Device(monkeypatch, None)
    source = Failing()
    loader = gp.DeviceLoader(gp.Loader(source.data(), **OPTIONS))
    good = [contents(batch) for batch in loader.epoch(0)]
    (broken,) = [graph for graph in np.frombuffer(good[5]["graph_ids"], np.int64)[:1]]
    found = []
    with pytest.raises(gp.LoadError, match="gone") as raised:
        for batch in loader.epoch(0):
            found.append(contents(batch))
    assert found == good[:5] and loader.state_dict() == raised.value.before
    broken = None
    loader.load_state_dict(raised.value.before)
    assert [contents(batch) for batch in loader] == good[5:]


def test_errors_of_copies_come_in_order_too(data, monkeypatch):
    device = Device(monkeypatch, None)
    loader = gp.DeviceLoader(gp.Loader(data, **OPTIONS))
    next(epoch := iter(loader))
    state = loader.state_dict()

    def full(pinned):
        raise torch.OutOfMemoryError("CUDA out of memory")

    device.on_device = full
    assert len(list(zip(range(2), epoch))) == 2 and loader.state_dict() != state
    state = loader.state_dict()
    with pytest.raises(torch.OutOfMemoryError):
        next(epoch)
    assert loader.state_dict() == state and list(epoch) == []


def test_what_is_wrong_is_said(data, monkeypatch):
    loader = gp.Loader(data, **OPTIONS)
    assert loader.output == "torch" and gp.Loader(data).output is None
    if not torch.cuda.is_available():
        with pytest.raises(ValueError, match=r"one of the devices here, \['cpu'\], found 'cuda' \(torch "):
            gp.DeviceLoader(loader)
    Device(monkeypatch, None)
    for name in ("cuda:2", "meta"):
        with pytest.raises(ValueError, match=rf"\['cpu', 'cuda:0', 'cuda:1'\], found '{name}'"):
            gp.DeviceLoader(loader, name)
    with pytest.raises(ValueError, match="expected a gp.Loader with output=.*, found list"):
        gp.DeviceLoader([], "cpu")
    with pytest.raises(ValueError, match="ahead: expected a number of batches from 1, found 0"):
        gp.DeviceLoader(loader, ahead=0)
    for output in (None, "numpy"):
        with pytest.raises(ValueError, match=f'output="torch" or "pyg", found output={output!r}'):
            gp.DeviceLoader(gp.Loader(data, output=output))
    assert repr(gp.DeviceLoader(loader, "cpu")) == f"DeviceLoader({loader!r}, 'cpu', ahead=2)"


def test_a_loader_that_is_dropped_frees_what_it_has(monkeypatch):
    Device(monkeypatch, None)
    source = Rings()
    loader = gp.DeviceLoader(gp.Loader(arrays(source), **OPTIONS))
    next(epoch := iter(loader))
    gone = weakref.ref(loader)
    del loader, epoch
    assert gone() is None
