"""Data from files, and written to files."""

import os
import pickle
from pathlib import Path

import conftest
import numpy as np
import pytest

import graphpack_loader as gp

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
    loader = gp.Loader(data, capacity=gp.Capacity.exactly(16), grouping="in_order", shapes=("multiple", 64))
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


def test_several_files_are_one_data_set(data, tmp_path):
    data.subset(range(30)).save(tmp_path / "b.safetensors")
    data.subset(range(30, 50)).save(tmp_path / "a.safetensors")
    files = [tmp_path / "b.safetensors", str(tmp_path / "a.safetensors")]
    assert same(contents(gp.open(files)), contents(data.subset(range(50))))
    named = gp.open(tmp_path / "*.safetensors")
    assert [named.size(graph) for graph in (0, 20)] == [data.size(30), data.size(0)]
    torch_file = tmp_path / "data.pt"
    torch_file.write_bytes(b"PK")
    with pytest.raises(gp.FileError, match="found one of torch.save: gp.from_pyg takes the graphs that are in it"):
        gp.open(torch_file)
    with pytest.raises(TypeError, match="open: expected a path, a pattern or a list of paths, found 3"):
        gp.open(3)


def test_a_graph_is_a_dictionary_of_its_arrays(rings, data):
    for number in (0, 7, np.int64(199), -1, -200):
        found, expected = data[number], rings[int(number) % 200]
        assert found.keys() == expected.keys() and all(np.array_equal(found[name], expected[name]) for name in found)
    assert len(list(data[190:])) == 10 == len(data[190:]) and data[::-1].size(0) == data.size(199)
    assert [data[[5, 3]].size(graph) for graph in (0, 1)] == [data.size(5), data.size(3)]
    assert len(data[np.arange(200) % 2 == 0]) == 100
    for number in (200, -201):
        with pytest.raises(IndexError, match=f"graph {number} of 200, which are counted from 0"):
            data[number]
    with pytest.raises(TypeError, match="graph: expected a number, a slice, a mask or a list of numbers, found 1.5"):
        data[1.5]
    assert data.map("none", lambda graph, rng: None)[3]["y"].tolist() == rings[3]["y"].tolist()


def test_what_is_printed_names_arrays_with_their_dtypes(data):
    loader = gp.Loader(data, capacity=16)
    batch = next(iter(loader))
    assert {"x", "edge_index", "node_mask", "to_pyg"} <= {*dir(batch)}
    assert "x float32[129, 2], y int64[23], edge_index int64[2, 128]" in repr(batch)
    assert repr(gp.Data.from_sizes(["nodes"], np.ones(3, np.uint32))) == "Data(3 graphs of nodes)"
    assert repr(data).endswith("; x float32[2], y int64)") and repr(batch["x"]) == "Array(float32[129, 2])"
    assert "129 nodes, 128 edges, 23 graphs" in repr(loader) and repr(iter(loader)) == "Epoch(12 batches left)"
    assert repr(gp.Capacity.estimate("jraph", 8)) == "Capacity.estimate('jraph', 8)"
    with pytest.raises(gp.GraphpackError):
        gp.open(__file__)


def test_statistics_are_those_of_numpy():
    rng, graphs = np.random.default_rng(3), 5000
    sizes = rng.integers(1, 12, graphs)
    ptr = np.cumsum([0, *sizes])
    z = rng.choice([1, 6, 8, 79], sizes.sum(), p=[0.6, 0.3, 0.0999, 0.0001])
    counts = np.array([[(z[a:b] == of).sum() for of in (1, 6, 8, 79)] for a, b in zip(ptr, ptr[1:])], float)
    energy = counts @ [-13.6, -1029.2, -2041.8, -518000.5] + rng.normal(0, 0.1, graphs)
    energy[17] = np.nan
    forces = rng.normal(0, 2, (sizes.sum(), 3)).astype("float32")
    schema = gp.Schema(
        fields={"z": ("nodes", "int64", None), "energy": ("graph", "float64", None), "forces": ("nodes", "float32", 3)}
    )
    made = (schema.parts(), [ptr, ptr], [np.concatenate([np.arange(ptr[-1]) * 0] * 2)], [z, energy, forces.ravel()])
    data = gp.Data.from_arrays(*made)
    found, there = data.statistics(), ~np.isnan(energy)
    assert found["graphs"] == graphs and found["neighbours"] == {"edge_index": 1.0} and found["undetermined"] == []
    of_energy, of_forces = found["fields"]["energy"], found["fields"]["forces"]
    assert (of_energy["values"], of_energy["missing"]) == (graphs - 1, 1)
    for name, expected in [("mean", energy[there].mean()), ("variance", energy[there].var())]:
        assert of_energy[name] == pytest.approx(expected, rel=1e-12)
    assert of_forces["rms"] == pytest.approx(np.sqrt((forces.astype(float) ** 2).mean()), rel=1e-12)
    assert of_forces["variance"] == pytest.approx(forces.astype(float).var(0), rel=1e-12)
    expected, *_ = np.linalg.lstsq(counts[there], energy[there])
    assert list(found["energies"]) == [1, 6, 8, 79]
    assert list(found["energies"].values()) == pytest.approx(expected, rel=1e-9)
    assert found == data.statistics(elements="z", energy="energy")
    # Hydrogen and oxygen in one ratio: the smallest energies, as lstsq gives them.
    water = data.subset(np.flatnonzero((counts[:, 0] > 0) & (counts[:, 2] == counts[:, 0]) & (counts.sum(1) == 2 * counts[:, 0])))
    assert len(water) > 5
    few = water.statistics()
    assert few["undetermined"] == [1, 8] and few["energies"][1] == pytest.approx(few["energies"][8])
    for options, error in [
        ({"energy": "forces"}, "energy: expected a field of one number for each graph, found .forces"),
        ({"elements": "energy"}, "elements: expected a field of one integer for each node, found .energy"),
    ]:
        with pytest.raises(gp.BuildError, match=error):
            data.statistics(**options)
    assert data.subset([]).statistics()["energies"] == {}


def test_atoms_are_connected(tmp_path):
    path = tmp_path / "water.extxyz"
    path.write_text(ATOMS)
    alone = gp.open(path)
    assert (len(alone), alone.size(0)[0]) == (2, 3)
    near = gp.open(path, cutoff=2.0, fields=["energy"], rename={"energy": "y"}, double=True)
    assert [near.size(graph) for graph in range(2)] == [[3, 2], [1, 0]]
    assert near.fields["y"][:2] == ("graph", "float64") and near.subset([1]).size(0) == [1, 0]
    assert gp.open(path, edges="full").size(0) == [3, 6]
    (batch,) = gp.Loader(alone, capacity=2, shapes="exact")
    shapes = {name: batch[name].shape for name in ("z", "pos", "energy", "cell", "pbc")}
    assert shapes == {"z": (4,), "pos": (4, 3), "energy": (2,), "cell": (2, 3, 3), "pbc": (2, 3)}
    for options, error in [
        ({"cutoff": 1.0, "edges": "full"}, TypeError), ({"edges": "half"}, gp.BuildError), ({"format": "x"}, TypeError),
        ({"fields": ["forces"]}, gp.FileError), ({"targets": "a.csv"}, TypeError), ({"split": "train"}, gp.FileError),
    ]:
        with pytest.raises(error):
            gp.open(path, **options)


def test_molecules_that_cannot_be_read_are_listed_or_an_error(tmp_path):
    path = tmp_path / "mols.csv"
    path.write_text("smiles\nCC\nC1CC\nC\n")
    with pytest.raises(gp.FileError, match="line 3"):
        gp.open(path)
    with pytest.warns(UserWarning, match="mols.csv: record 1: .*line 3: expected rings that are closed"):
        data = gp.open(path, on_error="skip")
    assert len(data) == 2 and len(data.skipped) == 1 and data.subset([0]).skipped == []


def test_files_are_read_as_options_say(tmp_path):
    path = tmp_path / "mols.csv"
    path.write_text("a,code,y\n1,CC,1\n2,C1CC,2\n3,CCO,x\n")
    read = {"smiles_column": "code", "fields": ["y"]}
    with pytest.raises(gp.FileError, match="line 4, column \"y\"|line 4.*y"):
        gp.open(path, **read)
    with pytest.warns(UserWarning):
        data = gp.open(path, **read, on_error="skip")
    assert len(data) == 1 and len(data.skipped) == 2
    atoms = "    0.0000    0.0000    0.0000 {}   0  0\n"
    sdf = "HF\n\n\n  2  1  0  0  0  0  0  0  0  0999 V2000\n" + atoms.format("F") + atoms.format("H")
    path = tmp_path / "hf.sdf"
    path.write_text(sdf + "  1  2  1  0\nM  END\n$$$$\n")
    assert [gp.open(path, hydrogens=keep).size(0)[0] for keep in (False, True)] == [1, 2]
    for options, error in [
        ({"on_error": "ignore"}, TypeError), ({"smiles_column": "code"}, gp.FileError),
    ]:
        with pytest.raises(error):
            gp.open(path, **options)


def test_maps_of_atoms_move_them_before_edges_are_made(tmp_path):
    def moved(graph, rng):
        assert {"edge_index", "distance"}.isdisjoint(graph) and graph["pbc"].dtype == bool
        graph["pos"] *= 0.5
        graph["pbc"] = graph["pbc"].tolist()

    path = tmp_path / "water.extxyz"
    path.write_text(ATOMS)
    atoms = gp.open(path)
    both = (atoms.connect(2.0), atoms.map("move", moved).connect(2.0))
    plain, other = (next(iter(gp.Loader(data, capacity=2))) for data in both)
    assert plain.real == other.real
    real = plain.to_numpy()["edge_mask"]
    plain, other = (np.sort(np.asarray(batch["distance"])[real], axis=0) for batch in (plain, other))
    np.testing.assert_allclose(other, plain / 2, rtol=1e-6)


def test_edges_that_a_margin_leaves_out_are_counted_and_warned_of(tmp_path):
    def shrink(graph, rng):
        graph["pos"] *= np.float32(0.1)

    path = tmp_path / "chain.xyz"
    path.write_text("6\n\n" + "".join(f"H {x} 0 0\n" for x in range(6)))
    epoch = iter(gp.Loader(gp.open(path).map("shrink", shrink).connect(1.5, margin=0.1), capacity=1))
    with pytest.warns(UserWarning, match="20 edges were left out: maps move atoms by more than the margin"):
        (batch,) = epoch
    assert (batch.real["edges"], epoch.stats()["left_out"]) == (10, 20)


def test_files_that_people_have():
    if not SHARED.is_dir():
        pytest.skip(f"no data sets in {SHARED} (GRAPHPACK_DATA)")
    alloys = gp.open(SHARED / "atoms/alloys.aselmdb", cutoff=4.0)
    batch = next(iter(gp.Loader(alloys, capacity=16, workers=2)))
    assert batch.real["graphs"] > 0 and batch.real["edges"] > 0
    train = gp.open(SHARED / "ogb_raw/ogbg_molfreesolv", split="train")
    assert 0 < len(train) < len(gp.open(SHARED / "ogb_raw/ogbg_molfreesolv"))


def test_a_mask_chooses_graphs(data):
    mask = [graph % 3 == 0 for graph in range(200)]
    torch = pytest.importorskip("torch")
    for given in (mask, tuple(mask), np.array(mask), torch.tensor(mask), list(np.array(mask)), list(torch.tensor(mask))):
        chosen = data.subset(given)
        assert [chosen.size(graph) for graph in range(len(chosen))] == [data.size(graph) for graph in range(0, 200, 3)]
    for given in ([5, 1], np.array([5, 1]), torch.tensor([5, 1]), (5, 1), np.array([5, 1], np.uint8)):
        assert [data.subset(given).size(graph) for graph in (0, 1)] == [data.size(5), data.size(1)]
    assert len(data.subset([False] * 200)) == 0 and len(data.subset(range(10, 20))) == 10
    for wrong in (mask[:-1], [True, 2], [1.0], "12", [-1], np.array([0.5]), np.array([[1], [2]]), np.array(mask, np.uint8)):
        with pytest.raises(TypeError, match="expected numbers of graphs, or a mask with a bool for each of the 200"):
            data.subset(wrong)


def test_a_string_is_no_list_of_names(data):
    with pytest.raises(TypeError, match="sets: expected a list of names, found the string 'nodes'"):
        gp.Schema(sets="nodes").parts()
    with pytest.raises(TypeError, match="edge_index: expected a list of names"):
        gp.Schema(indices={"edge_index": ("edges", "nodes")}).parts()
    with pytest.raises(ValueError, match="padding: no fields ..weight"):
        gp.Schema(padding={"weight": 1.0}).parts()
    with pytest.raises(TypeError, match="sets: expected a list of names"):
        gp.BatchSampler([[1, 2]], sets="no")
    for option in ("fields", "extra"):
        with pytest.raises(TypeError, match=option):
            gp.Loader(data, **{option: "x"})


def test_edges_are_made_of_what_they_need(tmp_path):
    """Fields that were not chosen are carried where edges follow from them."""
    frame = """2
Lattice="3 0 0 0 3 0 0 0 3" Properties=species:S:1:pos:R:3 pbc="T T T" energy=1.0
H 0 0 0
H 0 0 1
"""
    (tmp_path / "two.xyz").write_text(frame)
    atoms = gp.open(tmp_path / "two.xyz", cutoff=1.5)
    (batch,) = gp.Loader(atoms, capacity=1, fields=["z", "pos", "edge_index"])
    assert batch.real["edges"] == 2 and "cell" in batch and "distance" not in batch
    (batch,) = gp.Loader(atoms, capacity=1, fields=["z"])
    assert "pos" not in batch and "edge_index" not in batch


def test_an_array_that_the_schema_lacks_is_an_error(rings):
    class More(type(rings)):
        def __getitem__(self, graph):
            return super().__getitem__(graph) | {"Y": np.ones(1)}

    with pytest.raises(gp.LoadError, match='an array "Y", of which the schema knows nothing'):
        list(gp.Loader(More().data()))


def test_a_mix_draws_from_its_parts_at_rates(data):
    mixed = gp.Data.mix({"few": data.subset(range(20)), "all": data})
    assert len(mixed) == 220
    loader = gp.Loader(mixed, capacity=16, weights=mixed.rates([3.0, 1.0]), draws=4000)
    drawn = np.concatenate([np.asarray(batch["dataset"])[: batch.real["graphs"]] for batch in loader])
    assert len(drawn) == 4000
    assert abs(np.mean(drawn == 0) - 0.75) < 0.03


def test_pairs_of_edges_that_follow_each_other(data):
    for made, index in [(data.triplets(), "triplet_index"), (data.line_graphs(), "line_index")]:
        for graph in range(10):
            nodes = data.size(graph)[0]
            assert made.size(graph)[-1] == nodes
            batch = next(iter(gp.Loader(made.subset([graph]), capacity=1))).to_numpy()
            first, second = batch[index][:, :nodes]
            source, target = batch["edge_index"]
            assert sorted(first) == sorted(second) == list(range(nodes))
            assert (target[first] == source[second]).all() and (source[first] != target[second]).all()


def test_neighbours_are_the_edges_into_each_node(data):
    weighted = conftest.Weighted().data().neighbours(fields=["edge_attr"])
    for batch in gp.Loader(weighted, capacity=16, extra=["pool"]):
        arrays, (nodes, edges) = batch.to_numpy(), (batch.real["nodes"], batch.real["edges"])
        mask, (source, target) = arrays["neighbour_mask"], arrays["edge_index"]
        assert mask.shape == arrays["neighbours"].shape and not mask[nodes:].any()
        row, _ = np.nonzero(mask)
        edge = arrays["neighbour_edges"][mask]
        assert sorted(edge) == list(range(edges))
        assert (target[edge] == row).all() and (source[edge] == arrays["neighbours"][mask]).all()
        assert (arrays["neighbours"][~mask] == nodes).all() and (arrays["neighbour_edges"][~mask] == edges).all()
        assert (arrays["neighbour_edge_attr"] == arrays["edge_attr"][arrays["neighbour_edges"]]).all()
        pool = (arrays["batch"] == np.arange(len(arrays["graph_mask"]))[:, None]) & arrays["node_mask"]
        assert arrays["pool"].dtype == np.float32 and (arrays["pool"] == pool).all()
        assert all(tuple(batch.to_torch()[name].shape) == arrays[name].shape for name in arrays)
    with pytest.raises(gp.BuildError, match="expected at least 1 column"):
        data.neighbours(0)
    for wrong, expected in [({"most": -1}, "a number"), ({"most": True}, "a number"), ({"fields": "edge_attr"}, "names")]:
        (option, value), = wrong.items()
        with pytest.raises(TypeError, match=f"{option}: expected {expected} of .*, found {value!r}"):
            data.neighbours(**wrong)
    with pytest.raises(gp.BuildError, match='"bond_index" is none; there are edge_index'):
        data.neighbours(4, index="bond_index")


def test_edges_are_sorted_as_numpy_sorts_them(data):
    """With row pointers and triplets; `save` writes them in this order."""
    plain = data.triplets()
    for column in [0, 1]:
        made = plain.sorted_by("edge_index", column)
        options = {"capacity": 16, "shuffle": True, "seed": 4, "extra": ["triplets_mask"]}
        for one, other in zip(gp.Loader(plain, **options), gp.Loader(made, **options), strict=True):
            one, other = one.to_numpy(), other.to_numpy()
            order = np.argsort(one["edge_index"][column], kind="stable")
            keys = one["edge_index"][column][order]
            changed = {"edge_index": one["edge_index"][:, order], "triplet_index": np.argsort(order)[one["triplet_index"]]}
            changed["edge_index_ptr"] = np.searchsorted(keys, np.arange(len(one["x"]) + 1))
            for name, array in other.items():
                np.testing.assert_array_equal(array, changed.get(name, one.get(name)), name)
    targets = data.sorted_by()[0]["edge_index"][1]
    assert (targets == np.sort(targets)).all() and (data[0]["edge_index"][1] != targets).any()
    for wrong in [{"index": "bond_index"}, {"column": 2}]:
        with pytest.raises(gp.BuildError, match="expected an index of a set with a column .*; there "):
            data.sorted_by(**wrong)


def test_a_store_of_sorted_edges_is_in_order(data, tmp_path):
    data.sorted_by().save(tmp_path / "sorted.safetensors")
    opened = gp.open(tmp_path / "sorted.safetensors")
    assert all((np.diff(opened[graph]["edge_index"][1]) >= 0).all() for graph in range(len(opened)))
    assert same(contents(opened.sorted_by()), contents(data.sorted_by()))


def test_what_a_map_draws_follows_from_seed_epoch_and_graph(data):
    def noisy(graph, rng):
        graph["x"][:] = rng.standard_normal(graph["x"].shape)

    def drawn(seed, epoch, workers=1):
        loader = gp.Loader(data.map("noise", noisy), capacity=16, seed=seed, workers=workers)
        return np.concatenate([np.asarray(batch["x"])[: batch.real["nodes"]] for batch in loader.epoch(epoch)])

    first = drawn(1, 0)
    assert len(np.unique(first)) > 0.99 * first.size
    assert np.array_equal(first, drawn(1, 0, workers=2))
    for other in (drawn(2, 0), drawn(1, 1)):
        assert np.mean(np.isin(other, first)) < 0.01
    with pytest.raises(TypeError, match="map: expected a function of a graph and a generator, found 3"):
        data.map("noise", 3)


def test_arrays_are_never_read_as_others(rings):
    schema = gp.Schema(fields={"x": ("nodes", "float32", 1)}, indices={})
    ptr, x = [np.array([0, 2]), np.array([0, 0])], np.array([1.0, 2.0], "float32")
    assert gp.Data.from_arrays(schema.parts(), ptr, [], [x]).size(0) == [2, 0]
    for wrong in (x.astype(">f4"), x.astype("float64"), x.view("int32")):
        with pytest.raises(TypeError, match="x: expected float32, found"):
            gp.Data.from_arrays(schema.parts(), ptr, [], [wrong])
    with pytest.raises(TypeError, match="ptr of nodes: expected int64, found >i8"):
        gp.Data.from_arrays(schema.parts(), [ptr[0].astype(">i8"), ptr[1]], [], [x])
    with pytest.raises(TypeError, match="ptr of edges: expected a contiguous array of int64, found list"):
        gp.Data.from_arrays(schema.parts(), [ptr[0], [0, 0]], [], [x])
    with pytest.raises(TypeError, match="rows: expected uint32, found >u4"):
        gp.Data.from_sizes(["nodes"], np.array([3, 5], ">u4"))
    for odd in (2**53 + 1, np.int64(2**53 + 1)):
        schema = gp.Schema(fields={"y": ("graph", "int64", None)}, padding={"y": odd})
        with pytest.raises(TypeError, match="y: expected a value of padding rows that float64 can hold, found .*993"):
            gp.Data.from_arrays(schema.parts(), ptr, [], [np.array([1])])


def test_what_a_cutoff_does_not_connect_is_said(tmp_path):
    path = tmp_path / "far.xyz"
    far = "2\n\nH 0 0 0\nH 0 0 {}\n"
    path.write_text("".join(far.format(end) for end in (0.7, 9, "1e200")))
    with pytest.raises(gp.BuildError, match="graph 2"):
        gp.open(path, cutoff=2.0, double=True)
    with pytest.warns(UserWarning) as said:
        data = gp.open(path, cutoff=2.0, double=True, on_error="skip")
    assert [list(data.size(graph)) for graph in range(2)] == [[2, 2], [2, 0]]
    assert len(data.skipped) == 1
    assert len(said) == 1 and "record 2" in str(said[0].message)
    with pytest.warns(UserWarning, match="none of 2 graphs has an edge; lengths are in the unit of the positions"):
        path.write_text("".join(far.format(end) for end in (0.7, 9)))
        gp.open(path, cutoff=0.5)


def test_a_map_has_no_two_arrays_of_one_name():
    schema = gp.Schema(fields={"epoch": ("graph", "int64", None)}, indices={})
    data = gp.Data.from_arrays(schema.parts(), [np.array([0, 2]), np.array([0, 0])], [], [np.array([7])])
    with pytest.raises(gp.BuildError, match="map: expected no array called epoch"):
        data.map("change", lambda graph, rng: None)


def test_columns_of_other_lengths_are_refused(rings):
    schema, ptr = gp.Schema(fields={"x": ("nodes", "float32", 1)}), [np.array([0, 2]), np.array([0, 3])]
    x, ends = np.array([1.0, 2.0], "float32"), np.array([0, 1, 1, 1, 0])
    with pytest.raises(gp.BuildError, match="edge_index: expected 2 columns of equal length, found 5 entries in all"):
        gp.Data.from_arrays(schema.parts(), ptr, [ends], [x])
    with pytest.raises(gp.BuildError, match=r"edge_index. has columns of \[2, 2\] rows, expected 3 of edges in each"):
        gp.Data.from_arrays(schema.parts(), ptr, [ends[:4]], [x])


def test_texts_of_files_are_codes_with_labels(tmp_path):
    def write(name, kinds):
        atoms = [f"1\nProperties=species:S:1:pos:R:3 config_type={kind}\nCu 0 0 0\n" for kind in kinds]
        (tmp_path / name).write_text("".join(atoms))
        return gp.open(tmp_path / name, labels=["config_type"])

    first, second = write("a.xyz", ["slab", "bulk", "slab"]), write("b.xyz", ["dimer", "bulk"])
    pickled = pickle.dumps(first)
    write("a.xyz", ["bulk", "slab", "bulk"])
    with pytest.raises(gp.ResumeError):
        pickle.loads(pickled)
    write("a.xyz", ["slab", "bulk", "slab"])
    assert first.labels("config_type") == ["slab", "bulk"] and first.fields["config_type"] == ("graph", "int64", 1)
    first.save(tmp_path / "a.safetensors")
    both = [
        gp.open(tmp_path / "*.xyz", labels=["config_type"]),
        gp.Data.mix({"a": gp.open(tmp_path / "a.safetensors"), "b": second}),
        gp.Data.mix({"b": second, "a": first}).subset([2, 3, 4, 0, 1]),
    ]
    for data in (*both, pickle.loads(pickle.dumps(both[0]))):
        labels = data.labels("config_type")
        assert sorted(labels) == ["bulk", "dimer", "slab"]
        (batch,) = gp.Loader(data, capacity=5, grouping="in_order", shapes="exact")
        assert [labels[code] for code in batch.to_numpy()["config_type"]] == ["slab", "bulk", "slab", "dimer", "bulk"]
    with pytest.raises(gp.BuildError, match=r"expected a field of labels, found .z.; of these data are \[.config_type.\]"):
        first.labels("z")
    with pytest.warns(UserWarning, match="config_type is passed over: text, .slab. .named in labels, text becomes codes."):
        gp.open(tmp_path / "a.xyz")
    with pytest.raises(gp.FileError, match="one text of the structure, since labels name it, found numbers"):
        write("c.xyz", ["2.5"])
