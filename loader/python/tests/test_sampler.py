"""`BatchSampler` beside `Loader`, and the command."""

import subprocess
import sys

import numpy as np
import pytest

import graphpack_loader as gp


def test_a_sampler_has_the_batches_of_a_loader(rings, data):
    sizes = np.frombuffer(data.sizes(), dtype=np.uint32).reshape(-1, 2)
    np.testing.assert_array_equal(sizes[:, 0], rings.nodes)
    sampler = gp.BatchSampler(sizes, capacity=16, shuffle=True, seed=4)
    loader = gp.Loader(data, capacity=16, shuffle=True, seed=4)
    assert len(sampler) == len(loader)
    expected = [np.asarray(batch["graph_ids"])[: batch.real["graphs"]].tolist() for batch in loader]
    found = iter(sampler)
    assert [next(found), next(found)] == expected[:2]
    other = gp.BatchSampler(sizes, capacity=16, shuffle=True, seed=4)
    other.load_state_dict(sampler.state_dict())
    assert list(other) == expected[2:] == list(found)


def test_samplers_of_ranks_have_no_empty_lists():
    sizes = np.full((7, 2), 3)
    ranks = [gp.BatchSampler(sizes, capacity={"nodes": 3, "edges": 3, "graphs": 1}, shard=(rank, 2), remainder=None) for rank in range(2)]
    lists = [list(rank) for rank in ranks]
    assert [len(rank) for rank in ranks] == [3, 3] and all(len(numbers) == 1 for rank in lists for numbers in rank)


@pytest.mark.parametrize("wrong", [np.array([[1, 2], [3, -1]]), np.array([[1, 2], [3, 2**32]]), np.ones((2, 2))])
def test_sizes_that_are_none_are_refused(wrong):
    with pytest.raises(ValueError, match=r"of graph 1|found float64 \(2, 2\)"):
        gp.BatchSampler(wrong, capacity=1)


def test_options_that_lists_cannot_show_are_refused():
    sizes, capacity = [[2, 2], [50, 60], [1, 1]], {"nodes": 5, "edges": 5, "graphs": 2}
    fields = [("fields", ["x"]), ("fields", []), ("extra", ["edge_ptr"]), ("index", "int32"), ("missing", "nan")]
    for option, value in [*fields, ("oversize", "trim"), ("padding", "jraph"), ("on_error", "skip")]:
        with pytest.raises(ValueError, match=f"^{option}: "):
            gp.BatchSampler(sizes, capacity=capacity, **{option: value})
    sampler = gp.BatchSampler(sizes, capacity=capacity, oversize="skip")
    assert sampler.skipped == 1 and sorted(sum(sampler, [])) == [0, 2]


def test_the_command_runs():
    run = subprocess.run([sys.executable, "-m", "graphpack_loader", "--version"], capture_output=True, text=True)
    assert run.returncode == 0 and run.stdout.split() == ["graphpack", gp.__version__]
    run = subprocess.run([sys.executable, "-m", "graphpack_loader", "plan", "nowhere.csv"], capture_output=True, text=True)
    assert run.returncode != 0 and "nowhere.csv" in run.stderr


def test_an_epoch_without_a_batch_is_an_error():
    options = dict(capacity=gp.Capacity.exactly(41), grouping="in_order", drop_last=True)
    sampler = gp.BatchSampler([[2, 2]] * 40, **options)
    assert len(sampler) == 0
    with pytest.raises(gp.LoadError, match="epoch 0 has no batch: drop_last"):
        list(sampler)
