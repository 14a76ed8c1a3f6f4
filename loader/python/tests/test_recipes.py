"""The recipes in `examples/`: ranks have equal steps, each graph once in an epoch, and what is learned is as without them."""

import importlib
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import graphpack_loader as gp

EXAMPLES = Path(__file__).parent.parent / "examples"
TORCHRUN = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
GRAPHS = range(3, 51)

# Where other tests have imported JAX, it warns of the forks of PyTorch's workers, which do not use it.
pytestmark = pytest.mark.filterwarnings("ignore:os.fork:RuntimeWarning")


def printed(folder, *arguments):
    """What python prints in `folder`."""
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


def test_a_stopped_run_of_ddp_learns_what_an_unbroken_one_does(data, tmp_path):
    torch = pytest.importorskip("torch")
    pytest.importorskip("torch_geometric")
    data.save(tmp_path / "rings.safetensors")
    recipe = [*TORCHRUN, str(EXAMPLES / "ddp.py"), str(tmp_path / "rings.safetensors")]
    graphs, saved = {}, {}
    for name, arguments in [("unbroken", [[]]), ("stopped", [["2"], []])]:
        (tmp_path / name).mkdir()
        lines = "".join(printed(tmp_path / name, *recipe, *of) for of in arguments)
        for epoch, steps, count in re.findall(r"epoch (\d+), (\d+) steps: (\d+) graphs", lines):
            graphs[name, epoch] = graphs.get((name, epoch), 0) + int(count)
        saved[name] = torch.load(tmp_path / name / "ddp.pt")
        assert lines.count("rank 0") == lines.count("rank 1") == 2 + len(arguments)
    assert graphs == {(name, epoch): len(data) for name in saved for epoch in "012"}
    assert saved["unbroken"]["loader"] == saved["stopped"]["loader"]
    for name, weights in saved["unbroken"]["model"].items():
        assert torch.allclose(weights, saved["stopped"]["model"][name], rtol=1e-4)


def test_batch_norm_learns_what_it_does_of_batches_of_pyg(monkeypatch, tmp_path, capsys):
    torch = pytest.importorskip("torch")
    pytest.importorskip("torch_geometric")
    from torch_geometric.data import Batch
    from torch_geometric.datasets import FakeDataset

    monkeypatch.syspath_prepend(EXAMPLES)
    recipe = importlib.import_module("pyg_train")
    torch.manual_seed(1)
    graphs = FakeDataset(num_graphs=100, avg_num_nodes=12, num_channels=4, num_classes=3)

    def of_pyg(data, **options):
        first = 10 if options.get("shuffle") else 0
        output = lambda batch: Batch.from_data_list([graphs[first + place] for place in batch.places])
        return gp.Loader(data, **{**options, "output": output})

    trained = []
    for name, epochs, loader in [("unbroken", [4], gp.Loader), ("stopped", [2, 4], gp.Loader), ("pyg", [4], of_pyg)]:
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        monkeypatch.setattr(recipe, "gp", SimpleNamespace(from_pyg=gp.from_pyg, Loader=loader))
        for last in epochs:
            torch.manual_seed(2)
            model = recipe.main(graphs, last, "cpu")
        trained.append(model.state_dict())
    lines = capsys.readouterr().out.splitlines()
    assert lines[:4] == lines[4:8] == lines[8:] and [line.split(":")[0] for line in lines[:4]] == [f"epoch {epoch}" for epoch in range(4)]
    for name, weights in trained[0].items():
        assert all(torch.equal(weights, other[name]) for other in trained[1:]), name


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
