"""Data from files, and written to files."""

import os
from pathlib import Path

import numpy as np
import pytest

import graphpack as gp

SHARED = Path(os.environ.get("GRAPHPACK_DATA", Path(__file__).parents[4] / "shared/data"))
ATOMS = """3
Properties=species:S:1:pos:R:3 energy=-1.5
O 0 0 0
H 1 0 0
H 5 0 0
1
Properties=species:S:1:pos:R:3 energy=-0.5
H 0 0 0
"""


def contents(data):
    loader = gp.Loader(data, batching="static_64", batch_graphs=16)
    return [{name: np.array(array) for name, array in batch.to_numpy().items()} for batch in loader]


def same(one, other):
    return len(one) == len(other) and all(
        a.keys() == b.keys() and all(np.array_equal(a[name], b[name], equal_nan=a[name].dtype.kind == "f") for name in a)
        for a, b in zip(one, other)
    )


def test_data_are_saved_and_opened(rings, data, tmp_path):
    file, folder = tmp_path / "rings.safetensors", tmp_path / "rings"
    rings.data().save(file)
    data.save(folder, graphs_per_file=70)
    assert len(list(folder.glob("*.safetensors"))) == 3
    for opened in (gp.open(file), gp.open(file, memory=True), gp.open(folder), gp.open(folder, memory=True)):
        assert (opened.sets, opened.fields, opened.indices) == (data.sets, data.fields, data.indices)
        assert same(contents(opened), contents(data))
    with pytest.raises(gp.FileError):
        data.save(folder)
    with pytest.raises(gp.FileError, match="fields and targets can be chosen"):
        gp.open(file, fields=["x"])


def test_atoms_are_connected(tmp_path):
    path = tmp_path / "water.extxyz"
    path.write_text(ATOMS)
    alone = gp.open(path)
    assert (len(alone), alone.size(0)[0]) == (2, 3)
    near = gp.open(path, cutoff=2.0, fields=["energy"], rename={"energy": "y"}, double=True)
    assert [near.size(graph) for graph in range(2)] == [[3, 2], [1, 0]]
    assert near.fields["y"][:2] == ("graph", "float64") and near.subset([1]).size(0) == [1, 0]
    assert gp.open(path, edges="full").size(0) == [3, 6]
    for options, error in [
        ({"cutoff": 1.0, "edges": "full"}, TypeError), ({"edges": "half"}, gp.BuildError), ({"format": "x"}, TypeError),
        ({"fields": ["forces"]}, gp.FileError), ({"targets": "a.csv"}, TypeError), ({"split": "train"}, gp.FileError),
    ]:
        with pytest.raises(error):
            gp.open(path, **options)


def test_molecules_that_cannot_be_read_are_listed_or_an_error(tmp_path):
    path = tmp_path / "mols.csv"
    path.write_text("smiles\nCC\nC1CC\nC\n")
    with pytest.warns(UserWarning, match="mols.csv: line 3: C1CC: expected rings that are closed"):
        data = gp.open(path)
    assert len(data) == 2 and len(data.skipped) == 1 and data.subset([0]).skipped == []
    with pytest.raises(gp.FileError, match="line 3"):
        gp.open(path, strict=True)


def test_transforms_of_atoms_move_them_before_edges_are_made(tmp_path):
    def moved(graph):
        assert {"edge_index", "distance"}.isdisjoint(graph) and graph["pbc"].dtype == bool
        graph["pos"] *= 0.5
        graph["pbc"] = graph["pbc"].tolist()

    path = tmp_path / "water.extxyz"
    path.write_text(ATOMS)
    data = gp.open(path, cutoff=2.0)
    plain, other = (next(iter(gp.Loader(data, batch_graphs=2, transform=by))) for by in (None, moved))
    assert plain.real == other.real
    real = plain.to_numpy()["edge_mask"]
    plain, other = (np.sort(np.asarray(batch["distance"])[real], axis=0) for batch in (plain, other))
    np.testing.assert_allclose(other, plain / 2, rtol=1e-6)


def test_files_that_people_have():
    if not SHARED.is_dir():
        pytest.skip(f"no data sets in {SHARED} (GRAPHPACK_DATA)")
    alloys = gp.open(SHARED / "atoms/alloys.aselmdb", cutoff=4.0)
    batch = next(iter(gp.Loader(alloys, batch_graphs=8, workers=2)))
    assert batch.real["graphs"] > 0 and batch.real["edges"] > 0
    train = gp.open(SHARED / "ogb_raw/ogbg_molfreesolv", split="train")
    assert 0 < len(train) < len(gp.open(SHARED / "ogb_raw/ogbg_molfreesolv"))
