"""The recipes in `examples/`: ranks have equal steps, and each graph once in an epoch."""

import importlib
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import graphpack_loader as gp

EXAMPLES = Path(__file__).parent.parent / "examples"
TORCHRUN = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
GRAPHS = range(3, 51)

# Where other tests have imported JAX, it warns of the forks of PyTorch's workers, which do not use it.
pytestmark = pytest.mark.filterwarnings("ignore:os.fork:RuntimeWarning")


def printed(folder, *arguments):
    """Runs python in `folder`; returns what it prints."""
    run = subprocess.run([sys.executable, *arguments], cwd=folder, capture_output=True, text=True, timeout=240)
    assert run.returncode == 0, run.stderr
    return run.stdout


def run(folder, *arguments):
    """Runs python in `folder`; returns the graphs of each rank, by epoch."""
    epochs = {}
    for rank, epoch, steps, graphs in re.findall(r"rank (\d+), epoch (\d+), (\d+) steps: \[(.*?)\]", printed(folder, *arguments)):
        epochs.setdefault(int(epoch), {})[int(rank)] = (int(steps), [int(graph) for graph in graphs.split(",")])
    return epochs


def seen_once(ranks):
    """The graphs that ranks with equal steps have seen, none of them twice."""
    assert len({steps for steps, _ in ranks.values()}) == 1
    graphs = [graph for _, graphs in ranks.values() for graph in graphs]
    assert len(graphs) == len(set(graphs)) and set(graphs) <= set(GRAPHS)
    return graphs


@pytest.mark.parametrize("arguments", [["sampler_lightning.py"], ["sampler_lightning.py", "own"], [*TORCHRUN, "sampler_accelerate.py"]])
def test_ranks_of_a_trainer_have_each_graph_once(arguments, tmp_path):
    package = "accelerate" if "sampler_accelerate.py" in arguments else "lightning"
    if not importlib.util.find_spec(package) or not importlib.util.find_spec("torch_geometric"):
        pytest.skip(f"{package} or torch_geometric is not installed")
    recipe = [str(EXAMPLES / name) if name.endswith(".py") else name for name in arguments]
    epochs = run(tmp_path, *recipe)
    assert sorted(epochs) == [0, 1] and all(len(ranks) == 2 for ranks in epochs.values())
    # A last step without a batch for each rank is left out.
    first, second = (seen_once(ranks) for ranks in epochs.values())
    assert min(len(first), len(second)) > len(GRAPHS) - 12 and first != second


def test_lightning_goes_on_in_an_epoch_with_each_graph_once(tmp_path):
    pytest.importorskip("lightning")
    pytest.importorskip("torch_geometric")
    recipe = str(EXAMPLES / "lightning_ddp.py")
    first, *none = run(tmp_path, recipe).values()
    epochs = run(tmp_path, recipe, "lightning.ckpt")
    assert none == [] and sorted(epochs) == [0, 1]
    begun, rest, second = map(seen_once, [first, epochs[0], epochs[1]])
    assert len(begun) > 16 and sorted(begun + rest) == sorted(second) == list(GRAPHS)


def test_a_run_of_torchrun_goes_on_with_what_was_not_delivered(tmp_path):
    pytest.importorskip("torch_geometric")
    recipe = str(EXAMPLES / "sampler_torchrun.py")
    first = seen_once(run(tmp_path, *TORCHRUN, recipe)[0])
    assert os.path.exists(tmp_path / "sampler.json")
    second = seen_once(run(tmp_path, *TORCHRUN, recipe)[0])
    assert len(first) > 0 and not set(first) & set(second)


class Clusters(gp.Source):
    """48 clusters of 3 to 10 atoms on a line, with the energies and forces of Morse's potential."""

    fields = {"z": ("nodes", "int64", None), "pos": ("nodes", "float32", 3), "forces": ("nodes", "float32", 3)}
    schema = gp.Schema(sets=["nodes"], fields=fields | {"energy": ("graph", "float32", None)}, indices={})

    def __len__(self):
        return 48

    def size(self, graph):
        return [3 + graph % 8]

    def __getitem__(self, graph):
        (atoms,), random = self.size(graph), np.random.default_rng(graph)
        pos = np.arange(atoms)[:, None] * [1.5, 0, 0] + random.normal(0, 0.2, (atoms, 3))
        vector = pos[:, None] - pos
        length = np.sqrt((vector**2).sum(-1)) + np.eye(atoms)
        decay = np.exp(1.5 - length) * (1 - np.eye(atoms))
        forces = (2 * (decay**2 - decay) / length)[:, :, None] * vector
        z, energy = np.full(atoms, 18), 0.5 * (decay**2 - 2 * decay).sum()
        return {"z": z, "pos": pos.astype("float32"), "forces": forces.sum(1).astype("float32"), "energy": np.float32(energy)}


def test_a_step_of_jax_is_compiled_once_and_goes_on_in_an_epoch(tmp_path):
    pytest.importorskip("jax")
    pytest.importorskip("optax")
    Clusters().data().save(tmp_path / "clusters.safetensors")
    recipe = [str(EXAMPLES / "jax_train.py"), "clusters.safetensors"]
    lines = [re.findall(r"epoch (\d+), .*: \[(.*?)\], loss (.*)", printed(tmp_path, *recipe, *more)) for more in ([], ["jax_train.pkl"])]
    assert [[int(epoch) for epoch, _, _ in line] for line in lines] == [[0, 1, 2], [2, 3, 4, 5]]
    (*_, begun), (rest, *_, last) = ([[int(graph) for graph in graphs.split(",")] for _, graphs, _ in line] for line in lines)
    assert 0 < len(begun) < 48 and sorted(begun + rest) == sorted(last) == list(range(48))
    losses = [float(loss) for line in lines for _, _, loss in line]
    assert losses[-1] < losses[1] < losses[0]


@pytest.mark.parametrize("loop", ["fairchem", "mace", "metatrain", "hydragnn"])
def test_loops_of_projects_have_each_graph_once(loop, monkeypatch):
    pytest.importorskip("torch")
    monkeypatch.syspath_prepend(EXAMPLES)
    loops = importlib.import_module("sampler_loops")
    of_loop = getattr(loops, loop)
    for epoch, ranks in enumerate(zip(of_loop(0), of_loop(1), strict=True)):
        assert len(ranks[0]) == len(ranks[1])
        graphs = [graph for rank in ranks for batch in rank for graph in batch]
        assert len(graphs) == len(set(graphs)) > len(loops.GRAPHS) - 8
        sampler = loops.batch_sampler_fn(loops.GRAPHS, 2, 0)
        sampler.set_epoch(epoch)
        assert ranks[0] == list(sampler)
    if loop == "fairchem":
        assert list(loops.fairchem(done=(1, 2))) == [ranks[0][2:]]
