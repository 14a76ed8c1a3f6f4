"""Batches for four devices of JAX, in a process whose CPU is four."""

import json
import os
import subprocess
import sys

import pytest

DEVICES = """
import json
import jax
import numpy as np
from conftest import Rings, arrays
from jax.sharding import Mesh, PartitionSpec
import graphpack_loader as gp

try:
    from jax import shard_map
    UNCHECKED = {"check_vma": False}
except ImportError:
    from jax.experimental.shard_map import shard_map
    UNCHECKED = {"check_rep": False}

OPTIONS = {"capacity": 12, "shuffle": True, "seed": 3}
data = arrays(Rings(190))

def sums(weights, batch):
    messages = batch["x"][batch["edge_index"][0]] @ weights
    pooled = jax.ops.segment_sum(messages, batch["batch"][batch["edge_index"][1]], batch["y"].shape[0])
    errors = (0.01 * pooled.sum(1) - batch["y"]) ** 2 * batch["graph_mask"]
    return errors.sum(), batch["graph_mask"].sum()

def of_all(weights, batch):
    (error, graphs), gradient = jax.value_and_grad(sums, has_aux=True)(weights, batch)
    error, graphs, gradient = jax.lax.psum((error, graphs, gradient), "devices")
    return error / graphs, weights - 1e-4 * gradient / graphs

def one(weights, batch):
    return of_all(weights, {name: array[0] for name, array in batch.items()})

mesh, P = Mesh(np.array(jax.devices()), ("devices",)), PartitionSpec
mapped = jax.jit(shard_map(one, mesh=mesh, in_specs=(P(), P("devices")), out_specs=(P(), P()), **UNCHECKED))
pmap = jax.pmap(of_all, axis_name="devices", in_axes=(None, 0), out_axes=None)

@jax.jit
def alone(weights, batches):
    # All batches of the step on one device.
    def total(weights):
        found = [sums(weights, batch) for batch in batches]
        graphs = sum(graphs for _, graphs in found)
        return sum(error for error, _ in found) / graphs
    error, gradient = jax.value_and_grad(total)(weights)
    return error, weights - 1e-4 * gradient

def trained(step, batches):
    weights, losses = jax.numpy.ones((2, 3)), []
    for batch in batches:
        loss, weights = step(weights, batch)
        weights = jax.numpy.asarray(np.asarray(weights))
        losses.append(float(loss))
    return losses

def in_fours(loader):
    batches = [batch.to_jax(jax.devices()[0]) for batch in loader]
    return [batches[first : first + 4] for first in range(0, len(batches), 4)]

found = {"shard_map": trained(mapped, gp.over_devices(gp.Loader(data, **OPTIONS), mesh))}
found["pmap"] = trained(pmap, gp.over_devices(gp.Loader(data, **OPTIONS)))
found["alone"] = trained(alone, in_fours(gp.Loader(data, **OPTIONS)))
found["compiled"] = [mapped._cache_size()]

loader = gp.Loader(data, **OPTIONS)
steps = gp.over_devices(loader, mesh)
seen = [next(steps)["graph_ids"] for _ in range(2)]
state = loader.state_dict()
placed = [sorted(str(shard.device) for shard in ids.addressable_shards) for ids in seen]
loader = gp.Loader(data, **OPTIONS)
loader.load_state_dict(state)
seen += [arrays["graph_ids"] for arrays in gp.over_devices(loader, mesh)]
found["places"] = placed
found["steps"] = len(seen)
found["batches"] = len(gp.Loader(data, **OPTIONS))
found["graphs"] = sorted(int(graph) for ids in seen for graph in np.asarray(ids).ravel() if graph >= 0)

class Failing(Rings):
    def __getitem__(self, graph):
        if graph == 100 and fails:
            raise ValueError("gone")
        return super().__getitem__(graph)

fails, loader = True, gp.Loader(Failing(190).data(), **OPTIONS)
seen = []
try:
    for batch in gp.over_devices(loader, mesh):
        seen.append(batch["graph_ids"])
except gp.LoadError as error:
    assert error.before == loader.state_dict()
fails = False
seen += [batch["graph_ids"] for batch in gp.over_devices(loader, mesh)]
found["again"] = sorted(int(graph) for ids in seen for graph in np.asarray(ids).ravel() if graph >= 0)
found["output"] = sorted(next(gp.over_devices(gp.Loader(data, **OPTIONS, output="numpy"))))
found["names"] = sorted(next(gp.over_devices(gp.Loader(data, **OPTIONS))))
try:
    next(gp.over_devices(gp.Loader(data, **OPTIONS, shapes="exact")))
except ValueError as error:
    found["shapes"] = str(error)
print(json.dumps(found))
"""


def test_four_devices_learn_as_one_does_and_go_on():
    pytest.importorskip("jax")
    tests = os.path.dirname(__file__)
    paths = os.pathsep.join([tests, *os.environ.get("PYTHONPATH", "").split(os.pathsep)])
    four = {"XLA_FLAGS": "--xla_force_host_platform_device_count=4", "JAX_PLATFORMS": "cpu", "PYTHONPATH": paths}
    run = subprocess.run([sys.executable, "-c", DEVICES], env=os.environ | four, cwd=tests, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)
    # The last step has fewer batches than devices.
    assert found["batches"] % 4 > 0 and len(found["alone"]) == found["steps"] == -(-found["batches"] // 4) > 3
    assert found["shard_map"] == pytest.approx(found["alone"], rel=1e-5)
    assert found["pmap"] == pytest.approx(found["alone"], rel=1e-5)
    assert found["alone"][-1] < found["alone"][0] and found["compiled"] == [1]
    assert all(len(set(devices)) == 4 for devices in found["places"])
    assert found["graphs"] == found["again"] == list(range(190))
    assert "expected batches of one shape" in found["shapes"] and found["output"] == found["names"]
