"""Ranks with batches of equal cost: in one process, and as processes of which one is killed."""

import json
import os
import signal
import subprocess
import sys
import types

import numpy as np
import pytest

import graphpack_loader as gp

COST = {"nodes": 1, "edges": 20, "graphs": 5, "step": 100}
OPTIONS = {"capacity": 8, "shapes": "exact", "shuffle": True, "seed": 5}


def test_ranks_get_equal_cost_and_know_what_all_have(data, rings, tmp_path):
    def loader(rank, **options):
        return gp.Loader(data, shard=(rank, 3), equal_cost=COST, **OPTIONS, **options)

    assert loader(0).idle_share(0, COST) < 0.02
    assert loader(0).idle_share(0, COST) < gp.Loader(data, shard=(0, 3), **OPTIONS).idle_share(0, COST)
    seen = []
    for step in zip(*(loader(rank) for rank in range(3)), strict=True):
        reals = [batch.real for batch in step]
        total = {name: sum(real[name] for real in reals) for name in reals[0]}
        assert all(batch.real_of_step == total for batch in step)
        seen += [place for batch in step for place in batch.places]
    assert sorted(seen) == list(range(len(rings)))
    path = tmp_path / "plan.json"
    loader(0).plan.save(path)
    assert json.loads(path.read_text())["sets"] == ["nodes", "edges", "cost"]
    again = [batch.places.tolist() for batch in loader(0, grouping=gp.Plan(path))]
    assert again == [batch.places.tolist() for batch in loader(0)]
    with pytest.raises(TypeError, match='equal_cost: there is no "atoms"'):
        gp.Loader(data, equal_cost={"atoms": 1}, **OPTIONS)
    for cost in ({}, {"nodes": 0}):
        with pytest.raises(gp.BuildError, match="idle_share: expected a cost above 0, found 0 of all"):
            loader(0).idle_share(0, cost)
    with pytest.raises(TypeError, match="idle_share: expected numbers by name, .*, found 'nodes'"):
        loader(0).idle_share(0, "nodes")
    state, other = loader(0).state_dict(), gp.Loader(data, equal_cost={"nodes": 1}, shard=(0, 3), **OPTIONS)
    with pytest.raises(gp.ResumeError, match=r"\(1, 20\) for the rows of sets, 5 for a graph, 100 for a step"):
        other.load_state_dict(state)
    for option, value in [("shard", (True, 2)), ("speeds", [True, 2, 1])]:
        with pytest.raises(TypeError, match=f"{option}: expected .*True"):
            gp.Loader(data, **{option: value})


def test_the_processes_of_torch_count_and_none_gets_all_unasked(data, monkeypatch):
    # Before its place is taken: a sampler is a class of torch.
    pytest.importorskip("torch")

    def has_torch(rank, world):
        said = {"is_available": True, "is_initialized": world > 0, "get_rank": rank, "get_world_size": world}
        torch = types.SimpleNamespace(**{name: lambda value=value: value for name, value in said.items()})
        monkeypatch.setitem(sys.modules, "torch.distributed", torch)

    def seen(loader):
        return sorted(place for batch in loader for place in batch.places)

    # What a launcher left behind does not count.
    monkeypatch.setenv("WORLD_SIZE", "7")
    has_torch(1, 2)
    half = gp.Loader(data, shard="env", **OPTIONS)
    assert seen(half) == seen(gp.Loader(data, shard=(1, 2), **OPTIONS)) and 0 < len(half) < len(data) / 8
    assert seen(gp.Loader(data, shard=(0, 1), **OPTIONS)) == list(range(len(data)))
    assert len(data[3]["x"]) == data.size(3)[0] and len(gp.BatchSampler([data.size(graph) for graph in range(len(data))], **OPTIONS)) > len(half)
    with pytest.raises(gp.BuildError, match='has 2 processes, each .* expected shard="env" .* or shard=.0, 1. for all'):
        gp.Loader(data, **OPTIONS)
    monkeypatch.delenv("WORLD_SIZE")
    has_torch(0, 0)
    early, unsaid = gp.Loader(data, shard="env", **OPTIONS), gp.Loader(data, **OPTIONS)
    assert len(seen(early)) == len(seen(unsaid)) == len(data)
    has_torch(1, 2)
    for begin in [iter, lambda loader: loader.epoch(3)]:
        with pytest.raises(gp.BuildError, match="this is rank 1 of 2 processes .* but was rank 0 of 1 when"):
            begin(early)
        with pytest.raises(gp.BuildError, match="each of which would get all batches"):
            begin(unsaid)
    has_torch(0, 1)
    assert len(seen(early)) == len(seen(unsaid)) == len(data)


# Steps take the time that the cost says. `kill` is the step at which the last rank is killed.
RANK = """
import json, os, signal, sys, time
import torch
from conftest import Rings, arrays
from test_ranks import COST, OPTIONS
import graphpack_loader as gp

rank, world, kill, folder = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
torch.distributed.init_process_group("gloo", init_method=f"file://{folder}/{world}", rank=rank, world_size=world)
loader = gp.Loader(arrays(Rings()), shard="env", equal_cost=COST, **OPTIONS)
if os.path.exists(f"{folder}/state"):
    with open(f"{folder}/state") as file:
        loader.load_state_dict(json.load(file))
for batch in loader:
    if batch.step == kill and rank == world - 1:
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(sum(COST[name] * rows for name, rows in batch.real.items()) * 1e-6)
    y = batch.to_torch()["y"][: batch.real["graphs"]].double()
    loss = y.sum() / batch.real_of_step["graphs"]
    torch.distributed.all_reduce(loss)
    with open(f"{folder}/seen-{world}-{rank}", "a") as file:
        print(json.dumps([batch.step, batch.places.tolist(), loss.item()]), file=file)
    if rank == 0:
        with open(f"{folder}/state.part", "w") as file:
            json.dump(batch.state_dict(), file)
        os.replace(f"{folder}/state.part", f"{folder}/state")
torch.distributed.destroy_process_group()
"""


def run(folder, world, kill=-1):
    """Runs a process for each rank; returns their exit codes."""
    tests = os.path.dirname(__file__)
    paths = os.pathsep.join([tests, *os.environ.get("PYTHONPATH", "").split(os.pathsep)])
    processes = []
    for rank in range(world):
        # What srun sets.
        ranks = {"SLURM_PROCID": str(rank), "SLURM_STEP_NUM_TASKS": str(world)}
        arguments = [sys.executable, "-c", RANK, str(rank), str(world), str(kill), str(folder)]
        processes.append(subprocess.Popen(arguments, env=os.environ | ranks | {"PYTHONPATH": paths}, cwd=tests))
    return [process.wait(timeout=120) for process in processes]


def steps(folder, world):
    """What each rank saw, step by step."""
    of_ranks = []
    for rank in range(world):
        with open(folder / f"seen-{world}-{rank}") as file:
            of_ranks.append([json.loads(line) for line in file])
    return list(zip(*of_ranks, strict=False))


@pytest.mark.skipif(sys.platform == "win32", reason="processes are killed by a signal")
def test_a_rank_is_killed_and_three_go_on(rings, tmp_path):
    pytest.importorskip("torch")
    codes = run(tmp_path, 4, kill=3)
    assert codes[3] == -signal.SIGKILL and all(codes)
    # The state is that after step 2, whoever had begun step 3.
    before = [step for step in steps(tmp_path, 4) if step[0][0] < 3]
    assert len(before) == 3
    assert run(tmp_path, 3) == [0, 0, 0]
    after = steps(tmp_path, 3)
    assert [step[0][0] for step in after] == list(range(3, 3 + len(after)))
    graphs = [place for step in before + after for _, places, _ in step for place in places]
    assert sorted(graphs) == list(range(len(rings)))
    for step in before + after:
        mean = np.mean([rings.nodes[place] for _, places, _ in step for place in places])
        assert [loss for _, _, loss in step] == pytest.approx([mean] * len(step))
