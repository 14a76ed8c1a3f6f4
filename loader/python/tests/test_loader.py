"""Promises of the loader, from Python."""

import contextlib
import copy
import dataclasses
import gc
import inspect
import json
import os
import pickle
import re
import subprocess
import sys
import threading
import time
import warnings
import weakref
import zlib

import conftest
import numpy as np
import pytest

import graphpack_loader as gp


def graphs_of(batch):
    return np.asarray(batch["graph_ids"])[: batch.real["graphs"]].tolist()


def contents(batch):
    return {name: np.asarray(array).tobytes() for name, array in batch.arrays().items()}


OPTIONS = [
    {"capacity": 16},
    {"capacity": 8, "shapes": ("few", 2)},
    {"capacity": 16, "grouping": ("window", 8)},
    {"capacity": gp.Capacity.exactly(16), "grouping": "in_order", "shapes": ("multiple", 64)},
    {"capacity": 8, "packs": 2},
    {"capacity": 16, "block": 20},
    {"capacity": 16, "draws": 50, "weights": [1.0] * 200},
    {"capacity": 16, "shard": (1, 2)},
]


def checksum(batch):
    total = 0
    for array in batch.arrays().values():
        total = zlib.crc32(array, total)
    return total


def python(value):
    """What JSON has as lists: tuples, and capacities by the name of their function."""
    if not isinstance(value, list):
        return value
    if value and isinstance(value[0], str) and hasattr(gp.Capacity, value[0]):
        return getattr(gp.Capacity, value[0])(*map(python, value[1:]))
    return tuple(map(python, value))


def test_places_put_results_in_the_order_of_a_subset(data):
    numbers = np.random.default_rng(3).permutation(len(data))[:70]
    found = np.full(len(numbers), -1)
    for batch in gp.Loader(data.subset(numbers), capacity=16, shuffle=True, workers=0):
        assert batch.places.dtype == np.int64
        found[batch.places] = graphs_of(batch)
    assert found.tolist() == numbers.tolist()


def test_results_come_in_the_order_of_the_data(data):
    split = data.subset(np.random.default_rng(3).permutation(len(data))[:70])
    sizes = [split.size(graph)[0] for graph in range(70)]

    def batches(**options):
        return gp.Loader(split, capacity=16, shuffle=True, **options).epoch(2)

    found = split.in_order((batch, batch.to_numpy()["y"]) for batch in batches())
    assert isinstance(found, np.ndarray) and found.tolist() == sizes
    # Rows of real graphs alone, of several numbers each, and lists: here of what belongs to nodes.
    found = split.in_order((batch, np.stack([np.arange(batch.real["graphs"])] * 3, 1)) for batch in batches())
    assert found.shape == (70, 3)
    nodes = ((batch, np.split(batch.to_numpy()["x"], batch.to_numpy()["ptr"][1:-1])) for batch in batches())
    assert [len(rows) for rows in split.in_order(nodes)] == sizes
    with pytest.raises(gp.BuildError, match="of the 70 graphs of the data have no result, .*; `missing` gives them one"):
        split.in_order((batch, batch.to_numpy()["y"]) for batch in batches(shard=(0, 2)))
    found = split.in_order(((batch, batch.to_numpy()["y"]) for batch in batches(shard=(0, 2))), missing=-1)
    assert 0 < np.sum(found == -1) < 70 and all(np.where(found == -1, sizes, found) == sizes)
    with pytest.raises(gp.BuildError, match="real ones, found 1"):
        split.in_order((batch, [0]) for batch in batches())
    with pytest.raises(gp.BuildError, match="expected the data that the batches are of, found other data"):
        data.in_order((batch, batch.to_numpy()["y"]) for batch in batches())
    for missing in (0.5, float("nan")):
        with pytest.raises(ValueError, match="expected missing to be a number of int64 as the results are, found"):
            split.in_order(((batch, batch.to_numpy()["y"]) for batch in batches(shard=(0, 2))), missing=missing)
    with pytest.raises(ValueError, match="expected results of batches, found none"):
        split.in_order([], missing=0)


def test_results_may_be_tensors(data):
    torch = pytest.importorskip("torch")
    loader = gp.Loader(data, capacity=16)
    weight = torch.ones(1, requires_grad=True)
    found = data.in_order((batch, batch.to_torch()["y"] * weight) for batch in loader)
    assert found.tolist() == [data.size(graph)[0] for graph in range(len(data))]
    half = gp.Loader(data, capacity=16, shard=(1, 2))
    found = data.in_order(((batch, batch.to_torch()["y"] * weight) for batch in half), missing=float("nan"))
    assert 0 < int(found.isnan().sum()) < len(data)
    with pytest.raises(ValueError, match="expected missing to be a number of torch.int64 .*, found 0.5"):
        data.in_order(((batch, batch.to_torch()["y"]) for batch in half), missing=0.5)


def test_batches_are_those_of_rust(data, tmp_path):
    """`cargo run -p graphpack-python --example batches` has every option, and `cargo xtask python` names what runs it."""
    if "GRAPHPACK_RUST_BATCHES" not in os.environ:
        pytest.skip("GRAPHPACK_RUST_BATCHES does not name the program that prints batches of Rust")
    data.save(tmp_path / "rings.safetensors")
    command = [os.environ["GRAPHPACK_RUST_BATCHES"], tmp_path / "rings.safetensors"]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    # What epochs give of the same batches.
    seen = {"sized_for", "shuffle", "seed", "output"}
    for line in map(json.loads, lines):
        options = {"capacity": 16, "shuffle": True, "seed": 3}
        options |= {name: python(value) for name, value in line["options"].items()}
        seen |= options.keys()
        for data_set in (data, gp.open(tmp_path / "rings.safetensors")):
            loader = gp.Loader(data_set, **options)
            sums = [checksum(batch) for batch in loader.epoch(1)]
            assert sums == line["sums"], options
            assert len(sums) == loader.batches(1)
    with pytest.raises(TypeError) as all_options:
        gp.Loader(data, nothing=1)
    assert all(name in seen for name in re.findall(r"\w+", str(all_options.value).split("there are ")[1]))


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_an_epoch_resumes_in_the_middle(data, options):
    loader = gp.Loader(data, shuffle=True, seed=3, **options)
    list(loader)
    epoch = iter(loader)
    next(epoch)
    state = json.loads(json.dumps(loader.state_dict()))
    expected = [contents(batch) for batch in epoch] + [contents(batch) for batch in loader]
    other = gp.Loader(data, shuffle=True, seed=3, **options)
    other.load_state_dict(state)
    assert [contents(batch) for batch in other] + [contents(batch) for batch in other] == expected


def test_every_graph_once_on_one_rank(data):
    for world in (1, 2, 3):
        ranks = [gp.Loader(data, capacity=16, shuffle=True, seed=1, shard=(rank, world)) for rank in range(world)]
        assert len({len(rank) for rank in ranks}) == 1
        seen = sorted(graph for rank in ranks for batch in rank for graph in graphs_of(batch))
        assert seen == list(range(200))


def test_contents_are_those_of_the_graphs(rings, data):
    for batch in gp.Loader(data, capacity=16, shuffle=True, seed=5):
        arrays = batch.to_numpy()
        assert len(arrays["x"]) == len(arrays["batch"]) == batch.shape["nodes"]
        for place, graph in enumerate(graphs_of(batch)):
            first, last = arrays["ptr"][place : place + 2]
            expected = rings[graph]
            np.testing.assert_array_equal(arrays["x"][first:last], expected["x"])
            edges = arrays["edge_index"][:, arrays["batch"][arrays["edge_index"][0]] == place]
            np.testing.assert_array_equal(edges - first, expected["edge_index"])
            assert arrays["y"][place] == expected["y"][0]
        assert not arrays["node_mask"][batch.real["nodes"] :].any()


def test_a_source_of_python_gives_the_same_batches(rings, data):
    for workers in (0, 1, 2):
        own = gp.Loader(rings.data(), capacity=16, shuffle=True, seed=2, workers=workers)
        stored = gp.Loader(data, capacity=16, shuffle=True, seed=2)
        assert all(contents(a) == contents(b) for a, b in zip(own, stored, strict=True))


def test_a_state_of_other_data_is_refused(data):
    loader = gp.Loader(data, capacity=16, shuffle=True, seed=1)
    state = loader.state_dict()
    with pytest.raises(gp.ResumeError, match="other data"):
        gp.Loader(data.subset(range(100)), capacity=16, shuffle=True, seed=1).load_state_dict(state)
    with pytest.raises(gp.ResumeError):
        gp.Loader(data, capacity=16, shuffle=True, seed=2).load_state_dict(state)
    for other in ({}, {"state": 1}, {"weight": np.zeros(1)}):
        with pytest.raises(gp.ResumeError, match="expected what state_dict"):
            loader.load_state_dict(other)
    with pytest.raises(gp.ResumeError, match="or begin its epoch again with Loader[.]epoch$"):
        loader.load_state_dict({**state, "version": 0})


def test_an_exception_arrives_in_its_place(rings, tmp_path):
    class Broken(type(rings)):
        def __getitem__(self, graph):
            if graph == 150:
                raise ZeroDivisionError("graph of zero")
            return super().__getitem__(graph)

    loader = gp.Loader(Broken().data(), grouping="in_order", capacity=16, workers=2)
    batches = 0
    with pytest.raises(gp.LoadError, match="graph 150.*graph of zero") as caught:
        for batch in loader:
            assert 150 not in graphs_of(batch)
            batches += 1
    assert batches > 5 and isinstance(caught.value.__cause__, ZeroDivisionError)
    assert (caught.value.graph, caught.value.step, caught.value.path) == (150, batches, None)
    wrong = tmp_path / "wrong.txt"
    wrong.write_text("no graphs")
    with pytest.raises(gp.FileError) as caught:
        gp.open(wrong)
    assert (caught.value.graph, caught.value.path) == (None, wrong)


def test_mistakes_are_explained(data):
    for options, message in [
        ({"batchgraphs": 3}, "no option .batchgraphs.; there are capacity, grouping, shapes"),
        ({"batch_size": 3}, "no option .batch_size., expected capacity, .* in its place; there are capacity"),
        ({"collate_fn": 3}, "no option .collate_fn., expected Data.map, a function of one graph, or output, one of a batch, in its place"),
        ({"transform": 3}, "no option .transform., expected Data.map in its place"),
        ({"capacity": True}, "capacity: expected a number of graphs, .*found True"),
        ({"output": "dgl"}, "output: expected .numpy., .torch., .* or a function of a batch, found 'dgl'"),
        ({"grouping": "statik"}, "grouping: expected 'packed', .*found 'statik'"),
        ({"padding": 3}, "padding: expected \"self_loops\".*found 3"),
        ({"shard": (2, 2)}, "rank 2"),
        ({"capacity": {"nodes": 5, "edges": 5, "graphs": 5}},
         "graph 1 .*or use oversize=.skip., oversize=.alone. or oversize=.trim."),
        ({"capacity": {"nodes": 5}}, "shapes one and capacity .*which says nothing of edges"),
        ({"capacity": {"atoms": 5}, "shapes": "exact"}, "there is no set .atoms."),
        ({"grouping": "in_order", "shapes": ("few", 2)}, "shapes few.2. and grouping in_order contradict each other"),
        ({"capacity": gp.Capacity.exactly(4)}, "capacity exactly.4. and grouping packed contradict each other"),
        ({"block": 5}, "block is a way to shuffle"),
        ({"capacity": "16"}, "capacity: expected a number of graphs, .*found '16'"),
        ({"shapes": ("multiple", 1.5)}, "shapes: expected a number of rows, found 1.5"),
        ({"grouping": ("packed", ("auto", "1"))}, "packer: expected seconds, found '1'"),
        ({"on_error": ("retry", 2)}, "on_error: expected 'stop', 'skip', .*found .'retry', 2"),
        ({"on_error": ("retry", 2, -1.0)}, "on_error: expected seconds of at least 0"),
        ({"shuffle": 42}, "shuffle: expected True or False, found 42"),
        ({"capacity": gp.Capacity.shape({"nodes": 80, "graphs": 9})}, "capacity: the shape has no number for .edges."),
        ({"capacity": gp.Capacity.cheapest({"nodes": 1, "step": 1}, {"nodes": 1}, 18)}, "or use padding=.jraph.$"),
        ({"capacity": gp.Capacity.cheapest({"atoms": 1}, {}, 9)}, "capacity: there is no .atoms.; there are"),
    ]:
        with pytest.raises((TypeError, ValueError), match=message):
            gp.Loader(data, **options)
    orders = [[graphs_of(batch) for batch in gp.Loader(data, shuffle=shuffle)] for shuffle in (None, False, True)]
    assert orders[0] == orders[1] != orders[2]
    batch = next(iter(gp.Loader(data)))
    with pytest.raises(KeyError, match="there are .*edge_index"):
        batch["z"]
    with pytest.raises(AttributeError, match="there are .*edge_index"):
        batch.z
    with pytest.raises(TypeError, match="expected a gp.Data, as gp.open.file.*found <class 'list'>"):
        gp.Loader([1])
    with pytest.raises(TypeError, match="expected options by name, as capacity=32 for about 32 graphs, found 32"):
        gp.Loader(data, 32)
    for missing in (lambda: gp.open("nowhere.xyz"), lambda: gp.open(["nowhere.xyz"]), lambda: gp.Plan("nowhere.json")):
        with pytest.raises(FileNotFoundError, match="nowhere") as caught:
            missing()
        assert caught.value.filename.startswith("nowhere.") and caught.value.errno == 2
    with pytest.raises(FileNotFoundError, match="expected files, found none of 'nowhere/[*].xyz'"):
        gp.open("nowhere/*.xyz")


def test_limits_beside_a_plan_are_those_of_the_plan(data, tmp_path):
    pack = {"packer": None, "bound": 0, "sizes": [[3, 3]], "entries": [[0, 1]], "packs": [[1, 1]]}
    plan = {"version": 1, "limits": {"size": [24, 24], "graphs": 8}} | pack
    (tmp_path / "plan.json").write_text(json.dumps(plan))
    with pytest.raises(gp.BuildError, match="grouping plan has limits .24, 24.*, the capacity is .12, 12"):
        gp.Loader(data, grouping=gp.Plan(tmp_path / "plan.json"), capacity={"nodes": 12, "edges": 12, "graphs": 8})
    # These are the limits of the plan, which is one of other graphs.
    with pytest.raises(gp.BuildError, match="the plan has"):
        gp.Loader(data, grouping=gp.Plan(tmp_path / "plan.json"), capacity={"nodes": 24, "edges": 24, "graphs": 8})


def test_a_plan_is_made_once(data, tmp_path):
    planned = gp.Loader(data, capacity=16, shuffle=True)
    planned.plan.save(tmp_path / "plan.json")
    plan = gp.Plan(tmp_path / "plan.json")
    assert plan.packs == planned.plan.packs == planned.batches(0)
    followed = gp.Loader(data, grouping=plan, shuffle=True)
    assert [graphs_of(batch) for batch in followed] == [graphs_of(batch) for batch in planned]
    assert gp.Loader(data, capacity=16, grouping="in_order").plan is None


def test_splits_share_a_shape(data):
    splits = [data.subset(range(190)), data.subset(range(190, 200))]
    own, shared = (
        [gp.Loader(split, capacity=16, sized_for=sized_for).batch_shape for split in splits] for sized_for in (None, data)
    )
    assert shared[0] == shared[1] and own[0] != own[1]


def test_help_names_every_option(data):
    with pytest.raises(TypeError) as unknown:
        gp.Loader(data, nothing=1)
    names = re.findall(r"\w+", str(unknown.value).split("there are ")[1])
    assert list(inspect.signature(gp.Loader).parameters)[1:] == names
    assert all(re.search(rf"\b{name}\b", gp.Loader.__doc__) for name in names)


@pytest.mark.parametrize("name", ["x", "edge_index"])
def test_other_shapes_of_as_many_elements_are_refused(rings, data, name):
    class Turned(type(rings)):
        def __getitem__(self, graph):
            arrays = super().__getitem__(graph)
            return arrays | {name: np.ascontiguousarray(arrays[name].T)}

    def turned(graph, rng):
        graph[name] = graph[name].T

    # Of the first graph, which has three nodes and edges.
    for loader in (gp.Loader(Turned().data()), gp.Loader(data.map("turn", turned))):
        with pytest.raises(gp.LoadError, match="expected the shape|has 2 columns, found 3"):
            list(loader)
    with pytest.raises(gp.LoadError, match="one of the arrays that it changes; found that it returns .*list"):
        # The epoch is dropped while the exception passes.
        next(iter(gp.Loader(data.map("list", lambda graph, rng: [graph]))))


def test_a_map_of_python(data):
    def changed(graph, rng):
        graph["x"] += graph["number"]
        graph["edge_index"] = graph["edge_index"][::-1].copy()

    plain = gp.Loader(data, capacity=16)
    other = gp.Loader(data.map("change", changed), capacity=16, workers=2)
    for a, b in zip(plain, other, strict=True):
        a, b = a.to_numpy(), b.to_numpy()
        real, edges = a["node_mask"], a["edge_mask"]
        shift = a["graph_ids"][a["batch"]]
        np.testing.assert_array_equal((a["x"] + shift[:, None])[real], b["x"][real])
        np.testing.assert_array_equal(a["edge_index"][::-1][:, edges], b["edge_index"][:, edges])


def test_a_map_may_return_what_it_changes(data):
    def returned(graph, rng):
        return {"x": -graph["x"]}

    plain, other = (next(iter(gp.Loader(one))).to_numpy() for one in (data, data.map("turn", returned)))
    assert np.array_equal(-plain["x"], other["x"]) and np.array_equal(plain["edge_index"], other["edge_index"])
    for wrong, found in [({"z": np.ones(3)}, 'a new one, "z"'), ({"x": np.ones((2, 2), "float32")}, "expected the shape")]:
        with pytest.raises(gp.LoadError, match=found):
            list(gp.Loader(data.map("turn", lambda graph, rng: wrong)))
    for name in ("x", "edge_index"):
        with pytest.raises(gp.LoadError, match=f'a map leaves no array out, found none called "{name}"'):
            list(gp.Loader(data.map("leave", lambda graph, rng: graph.pop(name) is None or None)))


def test_a_map_drops_rows_by_masks(data):
    def drops(graph, rng):
        graph["keep"] = {"nodes": np.arange(graph["num_nodes"]) > 0, "edges": [True] * len(graph["edge_index"][0])}

    for before, batch in zip(gp.Loader(data), gp.Loader(data.map("drop", drops)), strict=True):
        graphs, real = batch.real["graphs"], batch.real
        # Of a ring without a node two edges go.
        rows = real["nodes"] + graphs, real["edges"] + 2 * graphs
        assert rows == (before.real["nodes"], before.real["edges"])
    for keep, found in [
        ({"rings": [True]}, "no set .*rings"),
        ({"nodes": [True]}, "3 x 1 values for this graph, found 1"),
        ({"nodes": [1, 1, 0]}, "keep: expected masks, a bool for each row"),
        ([True], "keep: expected a dictionary of masks by set"),
    ]:
        with pytest.raises(gp.LoadError, match=found):
            list(gp.Loader(data.map("drop", lambda graph, rng: {"keep": keep})))


def test_masks_are_of_the_rows_that_were_given_whatever_the_order_of_sets():
    sets, index = ["bonds", "nodes"], {"ends": ("bonds", ["nodes", "nodes"])}
    schema = gp.Schema(sets=sets, fields={"x": ("nodes", "float32", None)}, indices=index)
    ends, x = np.array([0, 1, 2, 1, 2, 0]), np.arange(3, dtype="float32")
    data = gp.Data.from_arrays(schema.parts(), [np.array([0, 3]), np.array([0, 3])], [ends], [x])
    keep = {"nodes": [False, True, True], "bonds": [True, True, False]}
    (batch,) = gp.Loader(data.map("drop", lambda graph, rng: {"keep": keep}))
    assert batch.real == {"bonds": 1, "nodes": 2, "graphs": 1}


def test_a_map_changes_nothing_that_rows_were_made_from(data):
    def swap(graph, rng):
        graph["edge_index"] = graph["edge_index"][::-1].copy()

    expected = 'map "swap" changes "edge_index", from which "{}" were made: expected the map before'
    for made, of in [(data.triplets(), "triplets"), (data.line_graphs(), "line_edges")]:
        for mapped in (made.map("swap", swap), gp.Data.mix({"made": made.map("swap", swap)})):
            with pytest.raises(gp.LoadError, match=expected.format(of)):
                list(gp.Loader(mapped))
        list(gp.Loader(made.map("nothing", lambda graph, rng: None)))
    for batch in gp.Loader(data.map("swap", swap).triplets()):
        arrays, edges = batch.to_numpy(), batch.real["triplets"]
        first, second = arrays["triplet_index"][:, :edges]
        source, target = arrays["edge_index"]
        assert (target[first] == source[second]).all() and (source[first] != target[second]).all()


def test_a_map_knows_a_graph_by_its_number_in_its_own_data(data):
    numbers = {}

    def noted(graph, rng):
        numbers[graph["graph_id"]] = graph["number"]

    part = data.subset([7, 3]).map("note", noted)
    list(gp.Loader(gp.Data.mix({"first": data.subset(range(10)), "part": part})))
    assert numbers == {10: 7, 11: 3}


def test_a_map_converts_no_dtype(data):
    def halved(graph, rng):
        graph["y"] = graph["y"] / 2

    with pytest.raises(gp.LoadError, match="y: expected int64, found float64"):
        list(gp.Loader(data.map("halve", halved)))


def test_a_field_may_have_no_columns():
    class Narrow(gp.Source):
        schema = gp.Schema(sets=["nodes"], indices={}, fields={"x": ("nodes", "float32", 0)})

        def __len__(self):
            return 3

        def size(self, graph):
            return [2]

        def __getitem__(self, graph):
            return {"x": np.zeros((2, 0), np.float32)}

    shapes = []
    batches = list(gp.Loader(Narrow().data().map("see", lambda graph, rng: shapes.append(graph["x"].shape))))
    assert len(batches) > 0 and shapes == [(2, 0)] * 3


@pytest.mark.parametrize("grouping", ["packed", "window", "in_order"])
def test_len_in_a_loop_is_that_of_the_loop(data, grouping):
    loader = gp.Loader(data, capacity=16, shapes="exact", grouping=grouping, shuffle=True, seed=3, workers=0)
    for epoch in range(4):
        last = [batch.step for batch in loader if batch.step + 1 == len(loader)]
        assert last == [loader.batches(epoch) - 1]
        assert len(loader) == loader.batches(epoch + 1)
    for batch in loader:
        break
    left = loader.batches(4) - 1
    loader.load_state_dict(batch.state_dict())
    assert len(loader) == left
    assert [len(loader) for _ in loader] == [left] * left
    assert len(loader) == loader.batches(5)


def test_tqdm_counts_what_a_resumed_loop_gets(data):
    tqdm = pytest.importorskip("tqdm").tqdm
    loader = gp.Loader(data, capacity=16, output="numpy")
    assert len(list(zip(range(3), loader))) == 3
    loader.load_state_dict(loader.state_dict())
    for expected in [len(loader), loader.batches(1)]:
        bar = tqdm(loader, disable=True)
        assert bar.total == len(bar) == expected == len(list(bar))


def test_an_error_has_the_states_around_its_batch(rings):
    class Broken(type(rings)):
        broken = True

        def __getitem__(self, graph):
            if graph == 90 and self.broken:
                raise OSError("disk on fire")
            return super().__getitem__(graph)

    source = Broken()
    loader = gp.Loader(source.data(), capacity=16, shuffle=True, seed=3)
    seen = []
    with pytest.raises(gp.LoadError, match="disk on fire") as raised:
        seen.extend(graphs_of(batch) for batch in loader)
    error = raised.value
    assert error.before["steps"] == len(seen) == error.step == error.after["steps"] - 1
    assert error.before == loader.state_dict()
    loader.load_state_dict(error.after)
    rest = [graphs_of(batch) for batch in loader]
    Broken.broken = False
    loader.load_state_dict(error.before)
    again = [graphs_of(batch) for batch in loader]
    assert again[1:] == rest and 90 in again[0]
    assert sorted(sum((list(graphs) for graphs in seen + again), [])) == list(range(200))
    with pytest.raises(gp.ResumeError) as refused:
        loader.load_state_dict(error.before | {"later": 1})
    assert "later" in str(refused.value) and "column" not in str(refused.value)


def test_an_index_has_int64(rings):
    class Short(type(rings)):
        def __getitem__(self, graph):
            arrays = super().__getitem__(graph)
            return arrays | {"edge_index": arrays["edge_index"].astype(np.int32)}

    with pytest.raises(gp.LoadError, match="edge_index: expected int64, found int32"):
        list(gp.Loader(Short().data()))


def test_lists_and_tensors_are_arrays(rings):
    class Listed(type(rings)):
        def __getitem__(self, graph):
            return {name: array.tolist() for name, array in super().__getitem__(graph).items()}

    torch = pytest.importorskip("torch")

    class Tensors(type(rings)):
        def __getitem__(self, graph):
            return {name: torch.from_numpy(array) for name, array in super().__getitem__(graph).items()}

    expected = [batch.to_numpy() for batch in gp.Loader(type(rings)().data())]
    for source in (Listed, Tensors):
        for found, arrays in zip(gp.Loader(source().data()), expected, strict=True):
            for name, array in arrays.items():
                np.testing.assert_array_equal(np.asarray(found[name]), array)

    class Halves(type(rings)):
        def __getitem__(self, graph):
            return super().__getitem__(graph) | {"y": [0.5]}

    with pytest.raises(gp.LoadError, match="y: expected int64, found float64"):
        list(gp.Loader(Halves().data()))
    # Not cut off at bytes, nor rounded.
    for dtype, value in [("uint8", np.int64(300)), ("float32", 2**24 + 1), ("float64", 2**53 + 1)]:
        fields = rings.schema.fields | {"y": ("graph", dtype, None)}

        class Wide(type(rings)):
            schema = dataclasses.replace(rings.schema, fields=fields, padding={})

            def __getitem__(self, graph, value=value):
                return super().__getitem__(graph) | {"y": [value]}

        with pytest.raises(gp.LoadError, match=f"y: expected numbers that {dtype} has, found {value}"):
            list(gp.Loader(Wide().data()))

    def doubled(graph, rng):
        graph["y"] = [2 * int(graph["y"][0])]

    for found, arrays in zip(gp.Loader(rings.data().map("double", doubled)), expected, strict=True):
        np.testing.assert_array_equal(np.asarray(found["y"]), 2 * arrays["y"])


def test_figures_stay_after_an_epoch(data):
    loader = gp.Loader(data, capacity={"nodes": 8, "edges": 8, "graphs": 4}, oversize="alone")
    assert (loader.alone, loader.trimmed) == (80, 0)
    assert gp.Loader(data, capacity={"nodes": 8, "edges": 8, "graphs": 4}, oversize="trim").trimmed == 80
    epoch = iter(loader)
    batches = len(list(epoch))
    assert (epoch.stats()["batches"], epoch.stats()["graphs"]) == (batches, 200)


class Augmented:
    """Holds the loader that holds it."""

    def __init__(self, data):
        self.loader = gp.Loader(data.map("change", self.change), capacity=16)

    def change(self, graph, rng):
        graph["x"] += 1


def test_a_map_converts_no_index(data):
    def bools(graph, rng):
        graph["edge_index"] = graph["edge_index"] > 0
    with pytest.raises(gp.LoadError, match="edge_index: expected an array of whole numbers, found bool"):
        next(iter(gp.Loader(data.map("bools", bools))))


def test_the_mean_of_an_epoch_that_drops_graphs_is_not_said(data):
    options = {"capacity": gp.Capacity.exactly(80), "grouping": "in_order", "shapes": "exact"}
    assert "real graphs each" in repr(gp.Loader(data, **options))
    assert "real graphs each" not in repr(gp.Loader(data, **options, drop_last=True))


def test_a_map_may_hold_the_loader_that_is_sized_for_its_data(data):
    class Holder:
        pass
    holder = Holder()
    gone = weakref.ref(holder)
    def change(graph, rng, holder=holder):
        pass
    holder.loader = gp.Loader(data, sized_for=data.map("change", change))
    del holder, change
    gc.collect()
    assert gone() is None


def test_a_map_may_hold_its_loader(data):
    augmented = Augmented(data)
    gone, epoch = weakref.ref(augmented), iter(augmented.loader)
    first = next(epoch)["x"]
    del augmented
    gc.collect()
    assert gone() is not None and np.asarray(first).any()
    assert len(list(epoch)) > 3
    del epoch
    gc.collect()
    assert gone() is None
    # Nor does an epoch that is held by what it holds, whose worker goes on until it is freed.
    augmented = Augmented(data)
    augmented.epoch = iter(augmented.loader)
    gone = weakref.ref(augmented)
    del augmented
    # A worker that is changing a graph holds it for that time.
    deadline = time.monotonic() + 30
    while gone() is not None and time.monotonic() < deadline:
        gc.collect()
        time.sleep(0.01)
    assert gone() is None


def test_a_source_may_hold_its_loader(rings):
    class Circle(type(rings)):
        def __init__(self):
            super().__init__(20)
            self.loader = gp.Loader(self.data(), capacity=4)

    source = Circle()
    gone = weakref.ref(source)
    assert len(list(source.loader)) > 3
    del source
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("workers", [0, 1, 2])
def test_a_map_may_close_its_epoch(data, workers):
    begun, found = threading.Event(), []

    def close(graph, rng):
        begun.wait()
        if graph["epoch"] == 0:
            with contextlib.suppress(gp.GraphpackError):
                epoch.stats()
            epoch.close()
            found.append(graph["number"])

    loader = gp.Loader(data.map("close", close), capacity=16, workers=workers, prefetch=1)
    epoch = iter(loader)
    begun.set()
    assert len(list(epoch)) <= 1 and found
    assert epoch.stats()["batches"] <= 1 and len(list(loader)) > 3


def test_a_map_may_close_its_epoch_while_another_fails(data):
    begun, failed = threading.Event(), threading.Event()

    def close(graph, rng):
        begun.wait()
        if graph["number"] in first:
            failed.set()
            raise ValueError("no such angle")
        failed.wait()
        epoch.close()

    first = np.asarray(next(iter(gp.Loader(data, capacity=16)))["graph_ids"]).tolist()
    loader = gp.Loader(data.map("close", close), capacity=16, workers=2)
    epoch = iter(loader)
    begun.set()
    with pytest.raises(gp.LoadError, match="no such angle"):
        list(epoch)


def test_numbers_that_are_none_are_errors(data):
    with pytest.raises(gp.BuildError, match="a window keeps 1 to 128 packs open, found 0"):
        gp.Loader(data, grouping=("window", 0))


def address(array):
    return array.__array_interface__["data"][0]


def test_memory_is_shared_and_recycled(data):
    loader = gp.Loader(data, capacity=16, prefetch=1)
    batch = next(iter(loader))
    view = np.asarray(batch["x"])
    again = np.from_dlpack(batch["x"])
    assert address(view) == address(again)
    kept = view.copy()
    del batch
    gc.collect()
    list(loader)
    np.testing.assert_array_equal(view, kept)
    del view, again
    seen = {address(np.asarray(batch["x"])) for _ in range(20) for batch in loader}
    # Prefetched, in the worker, and two that a loop has at once.
    assert len(seen) <= 1 + 1 + 2


def threads():
    return len(os.listdir("/proc/self/task"))


def test_early_ends_leave_no_threads(data):
    before = threads()
    loader = gp.Loader(data, capacity=4, workers=2)
    for _ in range(10_000):
        next(iter(loader))
    gc.collect()
    assert threads() <= before


def test_arrays_may_be_dropped_by_other_threads(data):
    loader = gp.Loader(data, capacity=8, workers=2, shuffle=True, seed=1)
    kept, stop = [], threading.Event()

    def drop():
        while not stop.is_set():
            try:
                kept.pop(len(kept) // 2)
            except IndexError:
                time.sleep(0)

    dropping = [threading.Thread(target=drop) for _ in range(3)]
    for thread in dropping:
        thread.start()
    try:
        for _ in range(30):
            for batch in loader:
                arrays = batch.to_numpy()
                assert arrays["y"][: batch.real["graphs"]].min() >= 3
                kept.extend(arrays.values())
    finally:
        stop.set()
        for thread in dropping:
            thread.join()


def test_many_batches_need_no_more_memory(data):
    def resident():
        with open("/proc/self/statm") as statm:
            return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    loader = gp.Loader(data, capacity=4, shuffle=True, seed=1)
    batches = 0
    while batches < 10_000:
        batches += sum(1 for batch in loader if batch.to_numpy())
    before = resident()
    while batches < 100_000:
        batches += sum(1 for batch in loader if batch.to_numpy())
    assert resident() - before < 4 << 20


# A program with loaders of graphs that take time, those from number `quick` on.
SLOW = """
import os, signal, threading, time, graphpack_loader as gp, numpy as np
class Slow(gp.Source):
    schema = gp.Schema(sets=["nodes"], indices={}, fields={"x": ("nodes", "float32", 1)})
    def __init__(self, graphs, seconds, quick): self.graphs, self.seconds, self.quick = graphs, seconds, quick
    def __len__(self): return self.graphs
    def size(self, graph): return [1]
    def __getitem__(self, graph):
        if graph >= self.quick: time.sleep(self.seconds)
        return {"x": np.zeros((1, 1), np.float32)}
def slow(graphs, seconds, quick=0, workers=1):
    data = Slow(graphs, seconds, quick).data()
    return gp.Loader(data, capacity={"nodes": 1, "graphs": 1}, grouping="in_order", workers=workers)
"""


def test_ctrl_c_ends_an_epoch():
    program = f"""{SLOW}
# Ignored in processes in the background, as those of CI may be.
signal.signal(signal.SIGINT, signal.default_int_handler)
loader = slow(100, 2, quick=4)
try:
    for batch in loader: print(batch.step, flush=True)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
    run = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert run.stdout.readline() == "0\n"
    time.sleep(0.5)
    run.send_signal(2)
    out, _ = run.communicate(timeout=60)
    assert out.endswith("interrupted\n") and run.returncode == 0


def test_a_fork_is_told():
    # In a process of its own: threads of other libraries do not survive a fork, either.
    program = """
import os, graphpack_loader as gp, numpy as np
loader = gp.Loader(gp.Data.from_sizes(["nodes"], np.arange(1, 100, dtype=np.uint32)), capacity=4)
epoch = iter(loader)
next(epoch)
child = os.fork()
if child == 0:
    try:
        next(epoch)
    except RuntimeError as error:
        epoch.close()
        try:
            epoch.stats()
            os._exit(3)
        except gp.GraphpackError:
            del epoch
        again = sum(1 for batch in loader)
        os._exit(0 if "fork" in str(error) and again == len(loader) else 2)
    os._exit(1)
assert os.waitpid(child, 0)[1] == 0
assert len(list(epoch)) == len(loader) - 1
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


def test_a_fork_does_not_wait_for_a_thread_that_it_lacks():
    program = f"""{SLOW}
epoch = iter(slow(10, 1))
threading.Thread(target=lambda: list(epoch), daemon=True).start()
time.sleep(0.2)
child = os.fork()
if child == 0:
    signal.alarm(20)
    epoch.close()
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
epoch.close()
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


def test_an_interpreter_ends_with_an_epoch():
    program = f"""{SLOW}
epoch = iter(slow(1000, 0.01, workers=2))
next(epoch)
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


def test_an_interpreter_ends_while_a_thread_ends_its_epoch():
    program = f"""{SLOW}
loader = slow(40, 0.03)
got = threading.Event()
def first():
    for batch in loader:
        got.set()
        break
threading.Thread(target=first, daemon=True).start()
got.wait()
time.sleep(0.005)
"""
    for _ in range(3):
        subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


@pytest.mark.parametrize("first", ["", "import graphpack_loader"])
def test_a_subinterpreter_is_refused(first):
    program = f"""
{first}
# They share a GIL: otherwise CPython from 3.12 on refuses by itself.
try:
    import _interpreters as interpreters
    other = interpreters.create("legacy")
except ImportError:
    import _xxsubinterpreters as interpreters
    other = interpreters.create(isolated=False)
interpreters.run_string(other, '''
try:
    import graphpack_loader
except ImportError as error:
    assert "subinterpreter" in str(error), error
    print("refused")
''')
import graphpack_loader
"""
    run = subprocess.run([sys.executable, "-c", program], check=True, timeout=60, stdout=subprocess.PIPE, text=True)
    assert run.stdout == "refused\n"


def shifted(graph, rng):
    graph["x"] += 1


def test_what_was_made_of_files_is_pickled(rings, data, tmp_path):
    data.save(tmp_path / "a.safetensors")
    opened = gp.open(tmp_path / "a.safetensors")
    gp.Loader(data, capacity=16).plan.save(tmp_path / "plan.json")
    mixed = gp.Data.mix({"a": opened.map("shift", shifted), "b": opened.line_graphs().subset(range(20))})
    for made in (opened, opened.subset([3, 1, 7] * 20), mixed, opened.triplets(), opened.neighbours(2), conftest.Rings(30).data()):
        for capacity in (16, gp.Capacity.exactly(4), gp.Capacity.estimate(("percentile", 0.9), 8)):
            grouping = "in_order" if repr(capacity).startswith("Capacity.exactly(4") else "packed"
            loader = gp.Loader(made, capacity=capacity, grouping=grouping, shuffle=True, sized_for=made)
            next(iter(loader))
            other = pickle.loads(pickle.dumps(loader))
            assert other.state_dict() == loader.state_dict()
            loader.load_state_dict(loader.state_dict())
            assert [contents(batch) for batch in other] == [contents(batch) for batch in loader]
    planned = pickle.loads(pickle.dumps(gp.Loader(opened, grouping=gp.Plan(tmp_path / "plan.json"))))
    assert len(planned) == gp.Plan(tmp_path / "plan.json").packs
    sampler = gp.BatchSampler([[3, 3], [5, 5], [4, 4]], capacity=2)
    assert list(pickle.loads(pickle.dumps(sampler))) == list(sampler)
    loader = gp.Loader(data, capacity=16)
    twin = copy.deepcopy(loader)
    assert copy.copy(data) is data is twin.dataset and twin is not loader
    assert [contents(batch) for batch in twin] == [contents(batch) for batch in loader]
    for held in (loader, data, data.subset([1])):
        with pytest.raises(TypeError, match="expected graphs of files to pickle, found graphs in memory: data.save"):
            pickle.dumps(held)
    with pytest.raises(TypeError, match="expected the plan of a file to pickle, found one of a loader: plan.save"):
        pickle.dumps(loader.plan)
    for held in (iter(loader), next(iter(loader)), next(iter(loader))["x"]):
        with pytest.raises(TypeError, match="pickle"):
            pickle.dumps(held)


def test_pickled_data_notice_that_their_file_was_replaced(data, tmp_path):
    path = tmp_path / "a.safetensors"
    data.save(path)
    opened = gp.open(path)
    pickled = [pickle.dumps(opened), pickle.dumps(opened.subset([1, 2]))]
    assert [len(pickle.loads(one)) for one in pickled] == [len(data), 2]
    data.subset(range(3, 50)).save(path)
    for one in pickled:
        with pytest.raises(gp.ResumeError, match="expected the data that were pickled, found other Data.47 graphs"):
            pickle.loads(one)


def test_a_loop_gives_what_output_says(data):
    for output, kind in [("numpy", dict), (None, gp.Batch), (gp.Batch.to_numpy, dict), (lambda batch: batch.arrays(), dict)]:
        loader = gp.Loader(data, capacity=16, shuffle=True, output=output)
        plain = gp.Loader(data, capacity=16, shuffle=True)
        for step, (found, batch) in enumerate(zip(loader, plain, strict=True)):
            assert isinstance(found, kind) and loader.state_dict() == plain.state_dict() == batch.state_dict()
            assert len(loader) == len(plain) and np.array_equal(np.asarray(found["x"]), np.asarray(batch["x"]))
            if step == 4:
                middle = loader.state_dict()
        loader.load_state_dict(middle)
        assert len(loader) == len(list(loader)) == step - 4
    for output in ["pyg", gp.Batch.to_pyg]:
        with pytest.raises(ValueError, match="output: a sampler gives numbers"):
            gp.BatchSampler([[3, 3]], output=output)


def test_an_error_of_output_ends_the_epoch_before_its_batch(data):
    def output(batch):
        if batch.step == failing:
            raise OSError("no room on the device")
        return batch

    failing, loader = 3, gp.Loader(data, capacity=16, output=output)
    seen = []
    with pytest.raises(OSError, match="no room on the device"):
        seen.extend(loader)
    assert len(seen) == 3 and loader.state_dict() == seen[-1].state_dict()
    failing = None
    loader.load_state_dict(loader.state_dict())
    assert [batch.step for batch in loader][0] == 3


def test_an_output_does_not_end_the_epoch_by_accident(data):
    with pytest.raises(RuntimeError, match="output raised StopIteration"):
        list(gp.Loader(data, capacity=16, output=lambda batch: next(iter([]))))


def test_an_output_may_hold_its_loader(data):
    class Model:
        def give(self, batch):
            return batch

    model = Model()
    model.loader = gp.Loader(data, capacity=16, output=model.give)
    model.epoch = iter(model.loader)
    gone, _ = weakref.ref(model), next(model.epoch)
    del model
    gc.collect()
    assert gone() is None


def test_a_loader_with_a_function_as_output_is_pickled(data, tmp_path):
    data.save(tmp_path / "a.safetensors")
    loader = pickle.loads(pickle.dumps(gp.Loader(gp.open(tmp_path / "a.safetensors"), capacity=16, output=repr)))
    assert all(isinstance(batch, str) for batch in loader)


def test_len_of_a_loader_has_no_shape_in_its_way(data):
    """As tqdm asks: shape[0] before len."""
    loader = gp.Loader(data, capacity=16)
    assert not hasattr(loader, "shape") and loader.batch_shape == next(iter(loader)).shape


def test_a_state_may_have_integers_of_numpy(data):
    def in_numpy(value):
        if isinstance(value, dict):
            return {name: in_numpy(of) for name, of in value.items()}
        return np.uint64(value) if type(value) is int else value

    loader = gp.Loader(data, capacity=16, shuffle=True)
    next(iter(loader))
    state = loader.state_dict()
    loader.load_state_dict(in_numpy(state))
    assert loader.state_dict() == state
    with pytest.raises(gp.ResumeError, match="expected what state_dict.. of a Loader or a batch returned: 'object'"):
        loader.load_state_dict({"epoch": object()})


def test_an_older_iterator_moves_no_state_on(data):
    loader = gp.Loader(data, capacity=16, shuffle=True, seed=3)
    epoch = iter(loader)
    next(epoch)
    state = loader.state_dict()
    second = contents(next(epoch))
    next(epoch)
    loader.load_state_dict(state)
    next(epoch)
    assert loader.state_dict() == state
    assert contents(next(iter(loader))) == second
    # Within a loop, whose iterator goes on to its end.
    for batch in loader:
        if batch.step == 4:
            loader.load_state_dict(state)
    assert loader.state_dict() == state and contents(next(iter(loader))) == second
    # An iterator that began earlier, beside a newer one.
    older, newer = iter(loader), iter(loader)
    next(newer)
    state = loader.state_dict()
    next(older)
    assert loader.state_dict() == state
    newer.close()


@pytest.mark.parametrize("end", [KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("workers", [0, 1])
def test_what_ends_the_program_is_no_load_error(data, end, workers):
    def ends(graph, rng):
        raise end(3)

    with pytest.raises(end) as caught:
        list(gp.Loader(data.map("end", ends), workers=workers))
    assert caught.value.args == (3,)


def test_a_map_cannot_add_what_would_be_lost(data):
    def adds(graph, rng):
        graph["degree"] = np.ones(3)

    def renumbers(graph, rng):
        graph["number"] = -1

    with pytest.raises(gp.LoadError, match='a new one, "degree"'):
        list(gp.Loader(data.map("add", adds)))
    with pytest.raises(gp.LoadError, match="number: expected 0, as it was given, found -1"):
        list(gp.Loader(data.map("number", renumbers)))


def test_small_batches_have_about_as_many_graphs_as_asked(data):
    for graphs in (1, 2, 4, 8, 16, 32):
        loader = gp.Loader(data, capacity=graphs)
        mean = 200 / len(loader)
        assert 0.8 * graphs <= mean <= 1.25 * graphs
        assert f"{mean:.1f} real graphs each" in repr(loader)
    drawn = gp.Loader(data, capacity=16, weights=[1.0] * 200, draws=50, shard=(0, 2))
    assert "200 graphs, 50 drawn for each epoch, in batches of 129 nodes" in repr(drawn)
    shared = gp.Loader(data, capacity=16, shard=(0, 5))
    assert f"{200 / drawn_batches(shared):.1f} real graphs each" in repr(shared)


def test_weights_may_be_an_array_or_a_tensor(data):
    weights = [1.0 + graph % 3 for graph in range(200)]
    expected = [contents(batch) for batch in gp.Loader(data, capacity=16, weights=weights)]
    kinds = [np.asarray, lambda weights: np.asarray(weights, dtype=np.float32), pytest.importorskip("torch").tensor]
    for kind in kinds:
        assert [contents(batch) for batch in gp.Loader(data, capacity=16, weights=kind(weights))] == expected
    with pytest.raises(TypeError, match="weights: expected a number for each graph, found 'heavy'"):
        gp.Loader(data, capacity=16, weights="heavy")


def drawn_batches(loader):
    return sum(batches for _, batches in loader.shapes(0))


class Failing(conftest.Rings):
    """Every tenth graph raises, its first `fails` times."""

    def __init__(self, fails, raises=ValueError):
        super().__init__()
        self.fails, self.raises, self.tries = fails, raises, {}

    def __getitem__(self, graph):
        self.tries[graph] = self.tries.get(graph, 0) + 1
        if graph % 10 == 3 and self.tries[graph] <= self.fails:
            raise self.raises("damaged")
        return super().__getitem__(graph)


@pytest.mark.parametrize("workers", [0, 2])
def test_graphs_that_cannot_be_loaded_are_tried_again_or_left_out(data, workers):
    def batches(source, on_error):
        return gp.Loader(source.data(), capacity=16, workers=workers, on_error=on_error).epoch(0)

    sound = list(gp.Loader(data, capacity=16, workers=workers))
    for batch, expected in zip(batches(Failing(2), ("retry", 2, 0.001)), sound, strict=True):
        assert batch.failed == [] and batch.places.tolist() == expected.places.tolist()
        np.testing.assert_array_equal(batch["x"], expected["x"])
    with pytest.raises(gp.LoadError, match="cannot be loaded: ValueError: damaged") as error:
        list(batches(Failing(2), ("retry", 1, 0)))
    assert error.value.graph % 10 == 3 and isinstance(error.value.__cause__, ValueError)
    for on_error in ["skip", ("retry_or_skip", 1, 0.001)]:
        with pytest.warns(UserWarning) as warned:
            epoch = batches(Failing(1000), on_error)
            found = list(epoch)
        assert re.fullmatch(r"left out: step \d+: graph \d+ cannot be loaded: ValueError: damaged", str(warned[0].message))
        assert str(warned[1].message) == "20 graphs of this epoch could not be loaded and were left out"
        assert (epoch.stats()["failed"], len(epoch.stats()["failures"]), epoch.stats()["graphs"]) == (20, 16, 180)
        for batch, expected in zip(found, sound, strict=True):
            places = expected.places[expected.places % 10 != 3].tolist()
            assert (batch.places.tolist(), batch.shape) == (places, expected.shape)
            assert [graph for graph, _ in batch.failed] == expected.places[expected.places % 10 == 3].tolist()
            assert batch.to_numpy()["graph_ids"][: len(places)].tolist() == places
    # A warning that is an error ends the epoch before its batch, which the next iterator makes.
    loader = gp.Loader(Failing(1000).data(), capacity=16, workers=workers, on_error="skip")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        epoch = iter(loader)
        with pytest.raises(UserWarning, match="left out: step 0"):
            next(epoch)
        assert list(epoch) == []
    loader.load_state_dict(loader.state_dict())
    with pytest.warns(UserWarning, match="left out"):
        assert sum(batch.real["graphs"] for batch in loader) == 180


@pytest.mark.parametrize("workers", [0, 2])
def test_an_exception_that_ends_the_program_is_not_passed_over(workers):
    loader = gp.Loader(Failing(1000, SystemExit).data(), capacity=16, workers=workers, on_error="skip")
    with pytest.raises(SystemExit, match="damaged"):
        list(loader)

    def leave(graph, rng):
        sys.exit("enough")

    loader = gp.Loader(conftest.Rings().data().map("leave", leave), workers=workers, on_error=("retry_or_skip", 9, 9.0))
    with pytest.raises(SystemExit, match="enough"):
        list(loader)


def test_a_large_graph_that_changes_the_batch_size_is_a_warning():
    sizes = [[10 + graph % 20, 20] for graph in range(500)] + [[4000, 4000]]
    with pytest.warns(UserWarning, match=r"16 graphs per batch were asked for, and batches have \d+\.\d: they have room "
                      "for graph 500, which has 4000 nodes and 4000 edges; oversize=.alone., oversize=.skip. or oversize=.trim. keeps"):
        sampler = gp.BatchSampler(sizes, capacity=16)
    assert len(sampler) < 8
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for oversize in ["alone", "skip"]:
            assert 28 <= len(gp.BatchSampler(sizes, capacity=16, oversize=oversize)) <= 40
        gp.BatchSampler(sizes[:500], capacity=16)
