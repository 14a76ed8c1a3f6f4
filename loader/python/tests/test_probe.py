"""`fit_capacity` on devices that are simulated, and the errors that `out_of_memory` knows."""

import gc
import weakref

import numpy as np
import pytest

import graphpack_loader as gp


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
    MemoryError(),
    type("_ArrayMemoryError", (MemoryError,), {})("Unable to allocate 32.0 PiB for an array"),
]

OTHERS = [
    RuntimeError("CUDA error: an illegal memory access was encountered"),
    RuntimeError("Storage size calculation overflowed with sizes=[4611686018427387904]"),
    RuntimeError("Failed to allocate memory during graph capture because memory pools are not enabled"),
    RuntimeError("DataLoader worker (pid 7) is killed by signal: Bus error. It is possible that it is out of shared memory."),
    RuntimeError("mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)"),
    KeyError("memory"),
]


@pytest.mark.parametrize("error", FORMS, ids=str)
def test_out_of_memory_is_known_in_all_its_forms(error):
    assert gp.out_of_memory(error)
    try:
        raise ValueError("step 7 failed") from error
    except ValueError as after:
        assert gp.out_of_memory(after)
    try:
        try:
            raise error
        except type(error):
            raise ValueError("while it was handled")
    except ValueError as after:
        assert gp.out_of_memory(after)


@pytest.mark.parametrize("error", OTHERS, ids=str)
def test_other_errors_are_not_out_of_memory(error):
    assert not gp.out_of_memory(error)
    try:
        try:
            raise MemoryError
        except MemoryError:
            raise error from None
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
        # A ring has at most 12 nodes and edges.
        full = [batch.shape[name] - batch.real[name] <= 12 for name in ("nodes", "edges")]
        assert any(full) or batch.real["graphs"] in (batch.shape["graphs"] - 1, len(data))

    capacity = gp.fit_capacity(step, data, margin=0, memory=(lambda: peak) if measured else None)
    (shape,) = capacity.__reduce__()[1]
    assert shape in ran and 0.95 * total < needs(shape) <= total
    for batch in gp.Loader(data, capacity=capacity):
        assert batch.shape == shape


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
    gp.fit_capacity(step, data, output="pyg")
    assert set(calls) == {"reset_peak_memory_stats", "synchronize", "peak", ("empty", 0)}
    assert calls.count("reset_peak_memory_stats") == calls.count(("empty", 0)) > calls.count("peak")


def test_a_batch_is_split_in_two_with_what_it_has(rings):
    def noise(graph, rng):
        graph["x"] += rng.normal(size=graph["x"].shape).astype("float32")

    data = rings.data().map("noise", noise)
    loader = gp.Loader(data, capacity=15, shuffle=True, seed=3, index="int32", shard=(1, 2))
    for batch in loader.epoch(2):
        whole, halves = batch.to_numpy(), loader.split(batch)
        graphs = [half.real["graphs"] for half in halves]
        assert len(graphs) == 2 and graphs[0] - graphs[1] in (0, 1)
        assert all(half.shape["nodes"] <= half.real["nodes"] + 2 for half in halves)
        rows = {"x": "nodes", "y": "graphs", "graph_ids": "graphs"}
        for name, of in rows.items():
            parts = [half.to_numpy()[name][: half.real[of]] for half in halves]
            np.testing.assert_array_equal(np.concatenate(parts), whole[name][: batch.real[of]])
        edges = [half.to_numpy()["edge_index"][:, : half.real["edges"]] for half in halves]
        edges[1] = edges[1] + halves[0].real["nodes"]
        np.testing.assert_array_equal(np.concatenate(edges, axis=1), whole["edge_index"][:, : batch.real["edges"]])
    one = next(iter(gp.Loader(data.subset([4]), capacity=1)))
    with pytest.raises(gp.BuildError, match="two graphs or more, found 1"):
        loader.split(one)
