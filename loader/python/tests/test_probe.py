"""`fit_capacity` on devices that are simulated, and the errors that `out_of_memory` knows."""

import gc
import weakref

import numpy as np
import pytest

import graphpack_loader as gp
from graphpack_loader import probe


class AcceleratorError(RuntimeError):
    """As torch's, which has other classes for what its allocator says."""


class OutOfMemoryError(RuntimeError):
    """As torch's and CuPy's."""


FORMS = [
    OutOfMemoryError("Allocation on device"),
    RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.15 GiB"),
    RuntimeError("HIP out of memory. Tried to allocate 2.00 GiB"),
    AcceleratorError("CUDA error: out of memory\nCUDA kernel errors might be asynchronously reported"),
    RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"),
    RuntimeError("cusolver error: CUSOLVER_STATUS_INTERNAL_ERROR, when calling `cusolverDnCreate(handle)`"),
    RuntimeError("cuDNN error: CUDNN_STATUS_NOT_SUPPORTED. This error may appear if you passed in a non-contiguous input."),
    RuntimeError("MPS backend out of memory (MPS allocated: 8.00 GB, max allowed: 9.07 GB). Tried to allocate 1.00 GB"),
    RuntimeError("[enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: can't allocate memory: you tried"),
    RuntimeError("[enforce fail] data. DefaultCPUAllocator: not enough memory: you tried to allocate 8 bytes."),
    RuntimeError("run_func_( container_handle_, inputs) API call failed at /t/aoti_runner/model_container_runner.cpp, line 145"),
    RuntimeError("Failed to allocate 4000000 bytes on device 'cuda:0'"),
    RuntimeError("RESOURCE_EXHAUSTED: Out of memory while trying to allocate 4000000 bytes."),
    RuntimeError("RESOURCE_EXHAUSTED: XLA:TPU compile permanent error. Ran out of memory in memory space hbm."),
    RuntimeError("Resource exhausted: Failed to allocate request for 2.0GiB"),
    RuntimeError("CUDA error: CUBLAS_STATUS_NOT_INITIALIZED when calling `cublasCreate(handle)`"),
    RuntimeError("CUDA error: insufficient resources when calling `cusparseCreate(handle)`"),
    RuntimeError("cuSPARSE error: CUSPARSE_STATUS_INSUFFICIENT_RESOURCES"),
    RuntimeError("CUSPARSE_STATUS_ALLOC_FAILED"),
    RuntimeError("fork: Cannot allocate memory"),
    RuntimeError("bad allocation"),
    type("JaxRuntimeError", (RuntimeError,), {})("RESOURCE_EXHAUSTED: Ran out of HBM"),
    OSError(12, "mmap"),
    ExceptionGroup("ranks", [MemoryError(), RuntimeError("CUDA out of memory. Tried")]),
    MemoryError(),
    type("_ArrayMemoryError", (MemoryError,), {})("Unable to allocate 32.0 PiB for an array"),
]

OTHERS = [
    RuntimeError("CUDA error: an illegal memory access was encountered"),
    RuntimeError("Storage size calculation overflowed with sizes=[4611686018427387904]"),
    RuntimeError("Failed to allocate memory during graph capture because memory pools are not enabled"),
    RuntimeError("DataLoader worker (pid 7) is killed by signal: Bus error. It is possible that it is out of shared memory."),
    RuntimeError("mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)"),
    KeyError("out of memory"),
    FileNotFoundError("out of memory"),
    ValueError("out of memory"),
    RuntimeError("out of memory bounds: index 5"),
    RuntimeError("RESOURCE_EXHAUSTED: Too many open files"),
    RuntimeError("RESOURCE_EXHAUSTED: Quota exceeded"),
    RuntimeError("RESOURCE_EXHAUSTED: gRPC message larger than max"),
    ExceptionGroup("ranks", [MemoryError(), KeyError("bug")]),
]


@pytest.mark.parametrize("error", FORMS, ids=str)
def test_out_of_memory_is_known_in_all_its_forms(error):
    assert gp.out_of_memory(error)
    try:
        raise ValueError("step 7 failed") from error
    except ValueError as after:
        assert gp.out_of_memory(after)


@pytest.mark.parametrize("error", OTHERS, ids=str)
def test_other_errors_are_not_out_of_memory(error):
    assert not gp.out_of_memory(error)
    try:
        try:
            raise MemoryError
        except MemoryError:
            raise error
    except type(error) as after:
        assert not gp.out_of_memory(after)


@pytest.mark.parametrize("error", FORMS[::3], ids=str)
@pytest.mark.parametrize("measured", [True, False])
def test_the_largest_shape_runs_and_little_more_would(data, error, measured):
    needed = {"nodes": 400, "edges": 900, "graphs": 50}
    total, peak, ran = 300_000, 0, []

    def needs(shape):
        return 50_000 + sum(needed[name] * number for name, number in shape.items())

    def step(batch):
        nonlocal peak
        peak = needs(batch.shape)
        if peak > total:
            raise error
        ran.append(batch.shape)

    capacity = gp.fit_capacity(step, data, margin=0, memory=(lambda: peak) if measured else None)
    (shape,) = capacity.__reduce__()[1]
    assert shape in ran and 0.95 * total < needs(shape) <= total
    for batch in gp.Loader(data, capacity=capacity):
        assert batch.shape == shape


@pytest.mark.parametrize("grouping", ["packed", "in_order"])
def test_no_batch_of_training_is_fuller_than_those_of_steps(data, grouping):
    most = 400

    def step(batch):
        if batch.real["nodes"] > most:
            raise MemoryError

    capacity = gp.fit_capacity(step, data, margin=0, grouping=grouping)
    batches = [batch.real["nodes"] for batch in gp.Loader(data, capacity=capacity, grouping=grouping, shuffle=True)]
    # Packs share the graphs evenly.
    (shape,) = capacity.__reduce__()[1]
    assert max(batches) <= most and 0.95 * most < shape["nodes"] <= 1.03 * most


def test_batches_of_steps_are_full():
    random = np.random.default_rng(7)
    nodes = random.lognormal(3, 0.6, 20_000).astype(np.uint32) + 2
    rows = np.stack([nodes, nodes + random.integers(0, nodes)], axis=1)
    for graphs in (30, 300, 3000):
        shape = np.append(np.ceil(rows.mean(axis=0) * graphs).astype(int), int(1.25 * graphs) + 1)
        chosen = probe._filling(rows, shape, np.array([1, 0]), random)
        share = rows[chosen].sum(axis=0) / shape[:2]
        assert len(set(chosen)) == len(chosen) < shape[2]
        assert (share > 0.98).all() and (share <= 1).all(), share


def test_it_is_said_if_memory_never_runs_out_and_which_option_is_wrong(data):
    with pytest.warns(UserWarning, match="no step ran out of memory: the largest shape holds all 200 graphs"):
        gp.fit_capacity(lambda batch: None, data)
    for name, value in {"packs": 2, "capacity": 8, "shuffle": True, "seed": 1, "equal_cost": {}}.items():
        with pytest.raises(TypeError, match=f"grouping, output, .*found '{name}'"):
            gp.fit_capacity(print, data, **{name: value})
    for margin in ("0.1", None, True):
        with pytest.raises(TypeError, match="^margin: expected a share"):
            gp.fit_capacity(print, data, margin=margin)
    for peak in (-5, "abc", 1.5):
        with pytest.raises(ValueError, match="^memory: expected the bytes"):
            gp.fit_capacity(lambda batch: None, data, memory=lambda peak=peak: peak)


def test_a_step_that_never_runs_is_an_error_with_its_cause_and_others_are_raised(data):
    error = RuntimeError("run_func_(...) API call failed at model_container_runner.cpp, line 145")

    def step(batch):
        raise error

    with pytest.raises(MemoryError, match="smallest batch") as raised:
        gp.fit_capacity(step, data)
    assert raised.value.__cause__ is error
    error = RuntimeError("shapes cannot be multiplied")
    with pytest.raises(RuntimeError, match="cannot be multiplied"):
        gp.fit_capacity(step, data)
    with pytest.raises(ValueError, match="^margin: expected"):
        gp.fit_capacity(step, data, margin=1.5)
    with pytest.raises(ValueError, match="^data: expected graphs"):
        gp.fit_capacity(step, data.subset([]))


def test_cuda_is_measured_and_freed_after_each_step(data, monkeypatch):
    torch = pytest.importorskip("torch")
    calls, living = [], weakref.WeakSet()
    for name in ("reset_peak_memory_stats", "synchronize"):
        monkeypatch.setattr(torch.cuda, name, lambda name=name: calls.append(name))
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "max_memory_allocated", lambda: calls.append("peak") or 1000)

    class Tensor:
        """What a step has in its frame."""

    def empty_cache():
        calls.append(("empty", len(living)))

    monkeypatch.setattr(torch.cuda, "empty_cache", empty_cache)
    gc.collect()

    def step(batch):
        tensor = Tensor()
        living.add(tensor)
        if batch.num_nodes > 300:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB")
        return tensor

    pytest.importorskip("torch_geometric")
    for output in ["pyg", gp.Batch.to_pyg]:
        gp.fit_capacity(step, data, output=output)
    assert set(calls) == {"reset_peak_memory_stats", "synchronize", "peak", ("empty", 0)}
    assert calls.count("reset_peak_memory_stats") == calls.count(("empty", 0)) > calls.count("peak")


def test_a_batch_is_split_in_two_with_what_it_has(rings):
    def noise(graph, rng):
        graph["x"] += rng.normal(size=graph["x"].shape).astype("float32")

    data = rings.data().map("noise", noise)
    loader = gp.Loader(data, capacity=15, shuffle=True, seed=3, index="int32", shard=(1, 2))
    for batch in loader.epoch(2):
        whole, halves = batch.to_numpy(), loader.split(batch)
        assert abs(halves[0].real["nodes"] - halves[1].real["nodes"]) <= 12
        assert all(half.real_of_step == batch.real_of_step and half.step == batch.step for half in halves)
        assert all(half.state_dict() == batch.state_dict() for half in halves)
        assert all(half.shape["nodes"] <= half.real["nodes"] + 2 for half in halves)
        places, ptr = batch.places.tolist(), whole["ptr"]
        assert sorted(place for half in halves for place in half.places) == sorted(places)
        quarters = loader.split(halves[0])
        assert sorted(place for part in quarters for place in part.places) == sorted(halves[0].places)
        for part in (*halves, *quarters):
            arrays = part.to_numpy()
            for at, place in enumerate(part.places.tolist()):
                of = places.index(place)
                begin, end = arrays["ptr"][at : at + 2]
                np.testing.assert_array_equal(arrays["x"][begin:end], whole["x"][ptr[of] : ptr[of + 1]])
                assert arrays["y"][at] == whole["y"][of] and arrays["graph_ids"][at] == whole["graph_ids"][of]
                edges = arrays["edge_index"][:, begin:end] - begin
                np.testing.assert_array_equal(edges, whole["edge_index"][:, ptr[of] : ptr[of + 1]] - ptr[of])
    alone = gp.Loader(data.subset([4]), capacity=1)
    with pytest.raises(gp.BuildError, match="two graphs or more, found 1"):
        alone.split(next(iter(alone)))
    with pytest.raises(gp.BuildError, match="a batch of this loader, found one of another"):
        loader.split(next(iter(gp.Loader(data.subset(range(100, 200)), capacity=15))))


def test_processes_of_torch_split_and_fit_alone(data, monkeypatch):
    torch = pytest.importorskip("torch")
    said = {"is_available": True, "is_initialized": True, "get_rank": 1, "get_world_size": 2}
    for name, value in said.items():
        monkeypatch.setattr(torch.distributed, name, lambda value=value: value)
    loader = gp.Loader(data, capacity=15, shard="env")
    batch = next(iter(loader))
    assert batch.real_of_step["graphs"] > batch.real["graphs"]
    halves = loader.split(batch)
    assert [half.real_of_step for half in halves] == [batch.real_of_step] * 2
    assert sum(half.real["graphs"] for half in halves) == batch.real["graphs"]
    with pytest.warns(UserWarning, match="no step ran out of memory"):
        gp.fit_capacity(lambda batch: None, data)
