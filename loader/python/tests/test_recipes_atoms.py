"""The recipes of MACE and fairchem: batches and training are those of their own loaders, on the same structures."""

import importlib
import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import graphpack_loader as gp

EXAMPLES = Path(__file__).parent.parent / "examples"
SYMBOLS = {1: "H", 6: "C", 8: "O"}

# These projects compile themselves by `torch.jit`, which PyTorch has deprecated.
pytestmark = pytest.mark.filterwarnings("ignore")


def structures(path, periodic, energy="energy", forces="forces"):
    """Writes 30 structures of 2 to 8 atoms as extended XYZ."""
    lines = []
    for graph in range(30):
        random, atoms = np.random.default_rng(graph), 2 + graph % 7
        cell = np.diag([1.5 * atoms, 5, 5]) + random.normal(0, 0.1, (3, 3))
        lattice = f'Lattice="{" ".join(map(str, cell.reshape(9)))}" pbc="T T T" ' if periodic else 'pbc="F F F" '
        lines += [str(atoms), f"{lattice}Properties=species:S:1:pos:R:3:{forces}:R:3 {energy}={random.normal(-10 * atoms)}"]
        # Within the cell, where fairchem moves atoms to.
        pos = (np.arange(atoms)[:, None] + 0.5) / atoms * cell[0] + 0.5 * (cell[1] + cell[2]) + random.normal(0, 0.2, (atoms, 3))
        for at, of in zip(pos, random.normal(0, 1, (atoms, 3))):
            lines.append(" ".join([random.choice(list(SYMBOLS.values())), *map(str, at), *map(str, of)]))
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def recipe(monkeypatch, tmp_path):
    """Imports a recipe, which runs in an empty folder."""
    monkeypatch.syspath_prepend(EXAMPLES)
    monkeypatch.chdir(tmp_path)
    torch = pytest.importorskip("torch")
    yield importlib.import_module
    torch.set_default_dtype(torch.float32)


def edges(batch, vectors):
    """Edges with their vectors, sorted."""
    rows = np.concatenate([batch.edge_index.numpy().T, vectors.numpy().round(5) + 0.0], axis=1)
    return rows[np.lexsort(rows.T[::-1])]


@pytest.mark.parametrize("periodic", [False, True])
def test_mace_trains_as_with_its_own_loader(periodic, recipe, tmp_path):
    mace = pytest.importorskip("mace")
    import mace.data
    import mace.tools
    import torch

    recipe = recipe("mace_train")
    torch.set_default_dtype(torch.float64)
    path = structures(tmp_path / "train.xyz", periodic, "REF_energy", "REF_forces")
    data = gp.open(path, rename=recipe.NAMES, double=True).connect(recipe.CUTOFF)
    found = data.statistics()
    elements = list(found["energies"])
    # What MACE makes of the same file.
    keys = mace.data.KeySpecification.from_defaults()
    _, configurations = mace.data.load_from_xyz(str(path), keys)
    table = mace.tools.AtomicNumberTable(elements)
    graphs = [mace.data.AtomicData.from_config(each, table, recipe.CUTOFF) for each in configurations]
    own = {}

    def collated(batch):
        (own[batch.step],) = mace.tools.torch_geometric.dataloader.DataLoader([graphs[graph] for graph in batch.places], batch_size=64)
        return own[batch.step]

    def given(batch):
        ours, theirs = recipe.to_mace(batch, elements), collated(batch)
        for name in ["positions", "node_attrs", "energy", "forces", "weight", "energy_weight", "forces_weight", "head", "batch", "ptr"]:
            assert ours[name].dtype == theirs[name].dtype and torch.allclose(ours[name], theirs[name]), name
        assert ours.edge_index.dtype == theirs.edge_index.dtype
        for name in ["shifts", "unit_shifts"]:
            assert ours[name].dtype == theirs[name].dtype and np.allclose(edges(ours, ours[name]), edges(theirs, theirs[name]), atol=1e-5)
        if periodic:
            assert torch.allclose(ours.cell, theirs.cell)
        return ours

    class Log(list):
        log = list.append

    losses, weights = [], []
    for output in [given, collated]:
        torch.manual_seed(1)
        model, loss_fn = recipe.mace(found), recipe.WeightedEnergyForcesLoss(1.0, 10.0)
        loader = gp.Loader(data, capacity=8, shuffle=True, seed=1, output=output)
        log, optimizer = Log(), torch.optim.SGD(model.parameters(), lr=1e-3)
        for epoch in range(2):
            recipe.train_one_epoch(
                model=model, loss_fn=loss_fn, data_loader=loader, optimizer=optimizer, epoch=epoch, logger=log, device="cpu",
                output_args=recipe.OUTPUTS, max_grad_norm=10.0, ema=None, distributed=False,
            )  # fmt: skip
        losses.append([float(step["loss"]) for step in log])
        _, errors = recipe.evaluate(model, loss_fn, loader, recipe.OUTPUTS, "cpu")
        losses[-1] += [errors["rmse_e"], errors["rmse_f"]]
        weights.append([parameter.detach() for parameter in model.parameters()])
    assert len(losses[0]) > 8 and losses[0][0] != losses[0][-3]
    assert np.allclose(*losses, rtol=1e-5, atol=1e-8)
    assert all(torch.allclose(one, other, rtol=1e-5, atol=1e-8) for one, other in zip(*weights, strict=True))


@pytest.mark.parametrize("periodic", [False, True])
def test_fairchem_finds_the_energies_and_forces_of_its_own_batches(periodic, recipe, tmp_path):
    atomic_data = pytest.importorskip("fairchem.core.datasets.atomic_data")
    import ase.io
    import torch

    recipe = recipe("fairchem_train")
    path = structures(tmp_path / "train.xyz", periodic)
    graphs = [atomic_data.AtomicData.from_ase(atoms, task_name="omat") for atoms in ase.io.read(path, ":")]
    torch.manual_seed(1)
    model = recipe.escn_md().eval()
    loader, zeros = gp.Loader(gp.open(path).connect(recipe.CUTOFF), capacity=8, shuffle=True, seed=1), torch.zeros(119, dtype=torch.float64)
    for batch in loader:
        theirs = atomic_data.atomicdata_list_to_batch([graphs[graph] for graph in batch.places])
        ours = recipe.to_fairchem(batch, "omat", zeros)
        assert ours.keys() == theirs.keys() and ours.nedges.sum() > 0
        for name in ours.keys() - {"pos", "edge_index", "cell_offsets", "nedges", "sid"}:
            if name == "dataset":
                assert ours[name] == theirs[name]
            else:
                assert ours[name].dtype == theirs[name].dtype and torch.allclose(ours[name], theirs[name]), name
        for name in ["pos", "edge_index", "cell_offsets", "nedges"]:
            assert ours[name].dtype == theirs[name].dtype and ours[name].dim() == theirs[name].dim()
        assert len(ours.sid) == len(theirs.sid)
        found = []
        for graph, makes_edges in [(ours, False), (theirs, True)]:
            model.backbone.otf_graph = makes_edges
            found.append(model(graph))
        for name in ["energy", "forces"]:
            assert torch.allclose(found[0][name], found[1][name], rtol=1e-4, atol=1e-5) and found[0][name].abs().max() > 0


@pytest.mark.parametrize("project", ["mace", "fairchem"])
def test_a_recipe_runs_as_a_program(project, tmp_path):
    if not importlib.util.find_spec(project):
        pytest.skip(f"{project} is not installed")
    names = ["REF_energy", "REF_forces"] if project == "mace" else []
    command = [sys.executable, EXAMPLES / f"{project}_train.py", structures(tmp_path / "train.xyz", True, *names), "3"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    losses = [float(loss) for loss in re.findall(r"^epoch \d: loss ([\d.]+)", run.stdout, re.MULTILINE)]
    assert len(losses) == 3 and losses[2] < losses[0]
    assert project != "mace" or len((tmp_path / "mace_train.txt").read_text().splitlines()) == 3 * 3
