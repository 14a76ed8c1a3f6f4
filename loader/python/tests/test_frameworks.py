"""Batches as other libraries take them; what is not installed is skipped."""

import conftest
import numpy as np
import pytest

import graphpack_loader as gp


def address(array):
    return array.__array_interface__["data"][0]


def test_torch_shares_memory(data):
    torch = pytest.importorskip("torch")
    batch = next(iter(gp.Loader(data, capacity=16)))
    tensors, arrays = batch.to_torch(), batch.to_numpy()
    for name, tensor in tensors.items():
        assert tensor.data_ptr() == address(arrays[name])
        assert str(tensor.dtype) == f"torch.{arrays[name].dtype}"
        np.testing.assert_array_equal(tensor.numpy(), arrays[name])
    x = tensors["x"]
    del batch, tensors
    assert torch.isfinite(x).all()


def test_tensors_of_a_device_lie_in_one_copy(data):
    torch = pytest.importorskip("torch")
    batch = next(iter(gp.Loader(data, capacity=16)))
    # A device that has shapes and dtypes, but no memory.
    tensors = batch.to_torch("meta")
    storages = {tensor.untyped_storage()._cdata for tensor in tensors.values()}
    assert len(storages) == 1
    for name, tensor in batch.to_torch().items():
        found = tensors[name]
        assert found.is_meta and (found.shape, found.dtype) == (tensor.shape, tensor.dtype)
        start = found.storage_offset() * found.itemsize
        packed = np.asarray(batch.packed()[0])[start : start + tensor.nbytes]
        assert packed.tobytes() == tensor.numpy().tobytes()


def test_jax_and_jraph_take_batches(data):
    jax = pytest.importorskip("jax")
    pytest.importorskip("jraph")
    batch = next(iter(gp.Loader(data, capacity=16, index="int32")))
    arrays = batch.to_jax()
    for name, array in batch.to_numpy().items():
        np.testing.assert_array_equal(np.asarray(arrays[name]), array)
        if array.dtype != np.int64:
            assert arrays[name].unsafe_buffer_pointer() == address(array)
    graph = batch.to_jraph()
    assert int(graph.n_node.sum()) == batch.shape["nodes"] and int(graph.n_edge.sum()) == batch.shape["edges"]
    ones = jax.numpy.ones(batch.shape["edges"])
    assert int(jax.ops.segment_sum(ones, graph.receivers, batch.shape["nodes"]).sum()) == batch.shape["edges"]


def test_sums_of_sorted_edges_need_no_scatter(data):
    torch, jax = pytest.importorskip("torch"), pytest.importorskip("jax")
    pytest.importorskip("jraph")
    for batch in gp.Loader(data.sorted_by(), capacity=16, index="int32", shuffle=True, seed=2):
        tensors, arrays, graph = batch.to_torch(), batch.to_jax(), batch.to_jraph()
        source, target = tensors["edge_index"].long()
        messages = tensors["x"][source] + 1
        scattered = torch.zeros_like(tensors["x"]).index_add(0, target, messages)
        reduced = torch.segment_reduce(messages, "sum", offsets=tensors["edge_index_ptr"].long())
        assert torch.equal(reduced, scattered)
        for targets in [arrays["edge_index"][1], graph.receivers]:
            sums = jax.ops.segment_sum(messages.numpy(), targets, len(scattered), indices_are_sorted=True)
            np.testing.assert_array_equal(sums, scattered)
        assert arrays["edge_index_ptr"].shape == (batch.shape["nodes"] + 1,)


def test_matrices_of_neighbours_come_out_with_fields():
    torch, jax = pytest.importorskip("torch"), pytest.importorskip("jax")
    pytest.importorskip("torch_geometric")
    for batch in gp.Loader(conftest.Weighted().data().neighbours(fields=["edge_attr"]), capacity=16):
        tensors, arrays, graphs = batch.to_torch(), batch.to_jax(), batch.to_pyg(padding=True)
        nodes, most = tensors["neighbours"].shape
        assert nodes == batch.shape["nodes"] and tensors["neighbour_edge_attr"].shape == (nodes, most, 2)
        mask = tensors["neighbour_mask"][:, :, None]
        sums = (mask * (tensors["x"][tensors["neighbours"]] + tensors["neighbour_edge_attr"])).sum(1)
        source, target = tensors["edge_index"][:, tensors["edge_mask"]]
        messages = tensors["x"][source] + tensors["edge_attr"][tensors["edge_mask"]]
        assert torch.equal(sums, torch.zeros_like(sums).index_add(0, target, messages))
        for name in ["neighbours", "neighbour_edges", "neighbour_mask", "neighbour_edge_attr"]:
            assert torch.equal(graphs[name], tensors[name])
            np.testing.assert_array_equal(arrays[name], tensors[name])


def test_jax_compiles_a_step_once(data):
    jax = pytest.importorskip("jax")

    @jax.jit
    def step(weights, batch):
        messages = batch["x"][batch["edge_index"][0]] @ weights
        sums = jax.ops.segment_sum(messages, batch["batch"][batch["edge_index"][1]], batch["y"].shape[0])
        error = ((sums.sum(1) - batch["y"]) ** 2 * batch["graph_mask"]).sum()
        return weights - 1e-6 * error

    for index in ["int64", "int32"]:
        weights, kept = jax.numpy.ones((2, 3)), []
        for batch in gp.Loader(data, capacity=20, shuffle=True, index=index):
            arrays = batch.to_jax()
            assert not any(array.committed for array in arrays.values())
            weights = step(weights, arrays)
            kept.append((arrays, {name: array.copy() for name, array in batch.to_numpy().items()}))
        assert step._cache_size() == 1, "the second step is compiled again"
        for arrays, copies in kept:
            for name, array in arrays.items():
                np.testing.assert_array_equal(array, copies[name], "its memory was given to a later batch")
    device = jax.devices()[0]
    assert all(array.committed and array.devices() == {device} for array in batch.to_jax(device).values())
    pytest.importorskip("jraph")
    assert not any(leaf.committed for leaf in jax.tree.leaves(batch.to_jraph()))
    assert all(leaf.committed for leaf in jax.tree.leaves(batch.to_jraph(device)))


def test_packed_batches_are_compiled_once(data):
    """By torch.compile, as it traces: a backend that counts what it is given needs no C++ compiler."""
    torch = pytest.importorskip("torch")

    def compilations(**options):
        graphs = []

        def count(graph, _):
            graphs.append(graph)
            return graph.forward

        @torch.compile(backend=count, dynamic=False, fullgraph=True)
        def sums_of_neighbours(x, edge_index, batch, graphs):
            messages = torch.zeros_like(x).index_add(0, edge_index[1], x[edge_index[0]])
            return x.new_zeros(graphs, 2).index_add(0, batch, messages)

        for batch in gp.Loader(data, **options, shuffle=True, seed=1):
            tensors = batch.to_torch()
            sums_of_neighbours(tensors["x"], tensors["edge_index"], tensors["batch"], batch.shape["graphs"])
        torch._dynamo.reset()
        return len(graphs)

    assert compilations(capacity=50) == 1
    assert compilations(capacity=gp.Capacity.exactly(50), grouping="in_order", shapes="exact") > 1


def test_what_does_not_fit_32_bits_is_an_error_in_jax():
    jax = pytest.importorskip("jax")

    class Labels(gp.Source):
        fields = {"y": ("graph", "int64", None), "e": ("graph", "float64", None)}
        schema = gp.Schema(sets=["nodes"], indices={}, fields=fields)

        def __init__(self, label, energy):
            self.label, self.energy = label, energy

        def __len__(self):
            return 2

        def size(self, graph):
            return [1]

        def __getitem__(self, graph):
            return {"y": np.array([self.label * graph]), "e": np.array([self.energy * graph])}

    def arrays(label, energy):
        return next(iter(gp.Loader(Labels(label, energy).data()))).to_jax()

    assert int(arrays(-(2**31), 0.1)["y"][1]) == -(2**31)
    assert float(arrays(1, 0.1)["e"][1]) == np.float32(0.1)
    assert np.isnan(arrays(1, np.nan)["e"][1]) and np.isinf(arrays(1, np.inf)["e"][1])
    with pytest.raises(OverflowError, match="y: 1099511627776 in row 1 does not fit int32.*jax_enable_x64"):
        arrays(2**40, 0.1)
    with pytest.raises(OverflowError, match="e: 1e\\+300 in row 1 does not fit float32"):
        arrays(1, 1e300)
    assert not jax.config.jax_enable_x64


def test_networks_of_jraph_give_the_values_of_each_graph():
    """In the idiom of jraph, which counts padding by itself."""
    jax, jraph = pytest.importorskip("jax"), pytest.importorskip("jraph")
    data, found = conftest.Weighted().data(), {}

    def edges(edges, sent, received, graphs):
        return edges["edge_attr"] * sent["x"] + received["x"]

    network = jraph.GraphNetwork(
        update_edge_fn=edges,
        update_node_fn=lambda nodes, sent, received, graphs: nodes["x"] + received,
        update_global_fn=lambda nodes, edges, graphs: nodes.sum(1) + edges.sum(1) + graphs["y"],
    )

    @jax.jit
    def step(graph):
        masks = jraph.get_node_padding_mask(graph), jraph.get_edge_padding_mask(graph), jraph.get_graph_padding_mask(graph)
        return network(graph).globals, masks

    for graph in gp.Loader(data, capacity=16, shuffle=True, seed=1, output="jraph"):
        values, (nodes, edges, graphs) = step(graph)
        np.testing.assert_array_equal(graphs, graph.globals["graph_mask"])
        assert (int(nodes.sum()), int(edges.sum())) == (int(graph.n_node[graphs].sum()), int(graph.n_edge[graphs].sum()))
        found |= dict(zip(graph.globals["graph_ids"][graphs].tolist(), values[graphs].tolist()))
    assert step._cache_size() == 1 and sorted(found) == list(range(len(data)))
    for number, value in found.items():
        graph = data[number]
        source, target = graph["edge_index"]
        messages, h = graph["edge_attr"] * graph["x"][source] + graph["x"][target], graph["x"].copy()
        np.add.at(h, target, messages)
        assert value == pytest.approx(h.sum() + messages.sum() + graph["y"].sum(), rel=1e-5)


def test_jraph_gets_every_array_or_an_error(data):
    pytest.importorskip("jraph")
    for made, options, added in [
        (data.neighbours(), {}, "neighbours, neighbour_edges, neighbour_mask"),
        (data, {"extra": ["edge_batch", "edge_ptr", "pool"]}, "edge_batch, edge_ptr, pool"),
    ]:
        with pytest.raises(ValueError) as refused:
            next(iter(gp.Loader(made, capacity=16, output="jraph", **options)))
        assert set(added.split(", ")) == set(str(refused.value).split("no place for ")[1].split(": ")[0].split(", "))

    class Paired(gp.Source):
        def __init__(self, pairs):
            fields = {"x": ("nodes", "float32", 1)}
            indices = {"edge_index": ("edges", ["nodes", "nodes"]), "reverse": ("edges", ["edges"])}
            indices["root"] = ("graph", ["nodes"])
            if pairs:
                indices["pair_index"] = ("pairs", ["nodes", "nodes"])
            self.schema = gp.Schema(sets=["nodes", "edges"] + ["pairs"] * pairs, fields=fields, indices=indices)

        def __len__(self):
            return 3

        def size(self, graph):
            return [2, 2, 1][: len(self.schema.sets)]

        def __getitem__(self, graph):
            arrays = {"x": np.ones((2, 1), np.float32), "edge_index": np.array([[0, 1], [1, 0]])}
            arrays |= {"reverse": np.array([[1, 0]]), "root": np.array([[1]])}
            return arrays | ({"pair_index": np.array([[0], [1]])} if len(self.schema.sets) > 2 else {})

    batch = next(iter(gp.Loader(Paired(False).data(), capacity=3)))
    graph = batch.to_jraph()
    assert graph.edges["reverse"][:4].tolist() == [1, 0, 3, 2]
    assert graph.globals["root"][: batch.real["graphs"]].tolist() == [1, 3, 5][: batch.real["graphs"]]
    assert graph.globals["graph_ids"][:2].tolist() == [0, 1] and not graph.globals["graph_mask"][-1]
    with pytest.raises(ValueError, match="no place for pair_index"):
        next(iter(gp.Loader(Paired(True).data(), capacity=3))).to_jraph()
