"""Batches as PyTorch Geometric takes them, and data sets of its graphs."""

import warnings

import numpy as np
import pytest

import graphpack_loader as gp

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")
from torch_geometric import EdgeIndex
from torch_geometric.data import Batch, Data, HeteroData
from torch_geometric.loader import DataLoader
from torch_geometric.nn import (
    BatchNorm, EdgePooling, GATv2Conv, GINConv, GPSConv, GraphNorm, HeteroConv, LayerNorm, SAGEConv, SAGPooling,
    TopKPooling, aggr, global_add_pool, to_hetero,
)  # fmt: skip
from torch_geometric.transforms import ToUndirected


def molecules(graphs, seed=0):
    """Random graphs with all that the networks below take; each has two nodes or more."""
    random = torch.Generator().manual_seed(seed)

    def number(low, high):
        return int(torch.randint(low, high, (1,), generator=random))

    found = []
    for _ in range(graphs):
        nodes, edges = number(2, 20), number(1, 40)
        ends = torch.randint(nodes, (2, edges), generator=random)
        x, y = torch.randn(nodes, 8, generator=random), torch.randn(1, generator=random)
        found.append(Data(x=x, edge_index=ends, edge_attr=torch.randn(edges, 4, generator=random), y=y))
    return found


class Network(torch.nn.Module):
    """Two layers as people write them, with one of PyG's convolutions and norms."""

    def __init__(self, conv, norm):
        super().__init__()
        torch.manual_seed(1)
        self.convs, self.norms = torch.nn.ModuleList(conv() for _ in range(2)), torch.nn.ModuleList(norm() for _ in range(2))
        self.out = torch.nn.Linear(8, 1)

    def forward(self, batch):
        h = batch.x
        for conv, norm in zip(self.convs, self.norms):
            more = {"edge_attr": batch.edge_attr} if isinstance(conv, GATv2Conv) else {}
            more |= {"batch": batch.batch} if isinstance(conv, GPSConv) else {}
            h = conv(h, batch.edge_index, **more)
            h = (norm(h) if isinstance(norm, BatchNorm) else norm(h, batch.batch)).relu()
        return self.out(global_add_pool(h, batch.batch))[:, 0]


def gin():
    return GINConv(torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU(), torch.nn.Linear(8, 8)))


CONVS = {
    "gin": gin,
    "gat": lambda: GATv2Conv(8, 4, heads=2, edge_dim=4),
    "gps": lambda: GPSConv(8, gin(), heads=2, norm="batch_norm"),
}
NORMS = {"batch": lambda: BatchNorm(8), "graph": lambda: GraphNorm(8), "layer": lambda: LayerNorm(8)}


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("conv", CONVS)
def test_stock_networks_learn_what_they_learn_with_the_loader_of_pyg(conv, norm):
    graphs = molecules(70)

    def losses_and_gradients(loader):
        model = Network(CONVS[conv], NORMS[norm])
        optimizer, seen = torch.optim.Adam(model.parameters(), lr=0.01), []
        for _ in range(4):
            for batch in loader:
                optimizer.zero_grad()
                loss = torch.nn.functional.mse_loss(model(batch), batch.y)
                loss.backward()
                optimizer.step()
                seen += [loss.detach(), *(parameter.grad.clone() for parameter in model.parameters())]
        return seen

    ours = gp.Loader(gp.from_pyg(graphs), capacity=gp.Capacity.exactly(16), grouping="in_order", output="pyg")
    found, expected = (losses_and_gradients(loader) for loader in (ours, DataLoader(graphs, batch_size=16)))
    assert len(found) == len(expected) and all(torch.equal(one, other) for one, other in zip(found, expected))


POOLINGS = {"top-k": TopKPooling, "self-attention": SAGPooling, "edges": EdgePooling}
READOUTS = {
    "attentional": lambda: aggr.AttentionalAggregation(torch.nn.Linear(8, 1)),
    "gru": lambda: aggr.GRUAggregation(8, 8),
    "median": aggr.MedianAggregation,
    "multiset transformer": lambda: aggr.GraphMultisetTransformer(8, 3, heads=2),
    "set2set": lambda: aggr.Set2Set(8, 2),
    "softmax": lambda: aggr.SoftmaxAggregation(learn=True),
    "sort": lambda: aggr.SortAggregation(4),
    "std": aggr.StdAggregation,
}


@pytest.mark.parametrize("name", [*POOLINGS, *READOUTS])
def test_stock_poolings_and_readouts_get_what_the_loader_of_pyg_gives_them(name):
    torch.manual_seed(1)
    conv, pool = gin(), POOLINGS[name](8) if name in POOLINGS else None
    read = READOUTS[name]() if name in READOUTS else aggr.MeanAggregation()
    layers = torch.nn.ModuleList([layer for layer in (conv, pool, read) if layer is not None])

    def results_and_gradients(batch):
        torch.manual_seed(2)
        layers.zero_grad()
        h, of = conv(batch.x, batch.edge_index), batch.batch
        if name == "edges":
            h, _, of, _ = pool(h, batch.edge_index, of)
        elif pool is not None:
            h, _, _, of, *_ = pool(h, batch.edge_index, batch=of)
        found = read(h, of)
        found.square().mean().backward()
        return [found.detach(), *(one.grad.clone() for one in layers.parameters() if one.grad is not None)]

    graphs = molecules(48)
    ours = gp.Loader(gp.from_pyg(graphs), capacity=gp.Capacity.exactly(16), grouping="in_order", output="pyg")
    for one, other in zip(ours, DataLoader(graphs, batch_size=16), strict=True):
        found, expected = results_and_gradients(one), results_and_gradients(other)
        assert len(found) == len(expected) > 1 and all(map(torch.equal, found, expected))


def test_padding_changes_batch_norm_but_no_norm_of_graphs_or_rows():
    batch = next(iter(gp.Loader(gp.from_pyg(molecules(40)), capacity=16)))
    padded, real = batch.to_pyg(padding=True), batch.to_pyg()
    for name, same in [("graph", True), ("layer", True), ("batch", False)]:
        norm = NORMS[name]()
        with_padding, without = ((norm(b.x) if name == "batch" else norm(b.x, b.batch, b.num_graphs)) for b in (padded, real))
        assert torch.allclose(with_padding[padded.node_mask], without, atol=1e-6) == same


def test_batches_come_apart_as_those_of_pyg_do():
    graphs = [
        Data(x=g.x, edge_index=g.edge_index, tokens=torch.arange(3), root_index=torch.tensor([1]), pairs=torch.tensor([[0, 1], [1, 0]]))
        for g in molecules(12)
    ]
    options = {"sets": {"tokens": "tokens", "pairs": "pairs"}, "targets": {"pairs": ["nodes", "nodes"], "root_index": ["nodes"]}}
    data = gp.from_pyg(graphs, **options)
    for batch in gp.Loader(data, capacity=gp.Capacity.exactly(5), grouping="in_order", output="pyg"):
        numbers = batch.graph_ids.tolist()
        theirs = Batch.from_data_list([graphs[number] for number in numbers])
        assert torch.equal(batch.root_index, theirs.root_index) and batch.num_graphs == theirs.num_graphs == len(batch)
        assert batch.pairs.shape == theirs.pairs.shape
        for taken in (batch.to_data_list(), batch[:], [batch[i] for i in range(len(batch))], batch.to("cpu").to_data_list()):
            for one, number in zip(taken, numbers, strict=True):
                assert set(one.keys()) == set(graphs[number].keys())
                assert all(torch.equal(one[name], graphs[number][name]) for name in one.keys())
    # What a graph says of its nodes where no array has a row for each.
    bare = [Data(edge_index=torch.tensor([[0], [1]]), num_nodes=nodes) for nodes in (2, 5)]
    (batch,) = gp.Loader(gp.from_pyg(bare), capacity=gp.Capacity.exactly(2), grouping="in_order", output="pyg")
    assert batch.num_nodes == 7 and [graph.num_nodes for graph in batch.to_data_list()] == [2, 5]


def typed(graphs):
    """Graphs of two types of nodes and four of edges, two of which share a relation."""
    random, found = torch.Generator().manual_seed(3), []
    for number in range(graphs):
        graph = HeteroData(y=torch.tensor([float(number)]))
        counts = {"paper": 2 + number % 5, "author": 1 + number % 3}
        for name, rows in counts.items():
            graph[name].x = torch.randn(rows, 4, generator=random)
        for kind in [("paper", "cites", "paper"), ("author", "writes", "paper"), ("paper", "to", "author"), ("author", "to", "author")]:
            ends = [torch.randint(counts[end], (6,), generator=random) for end in (kind[0], kind[2])]
            graph[kind].edge_index = torch.stack(ends)
        found.append(graph)
    return found


def test_more_types_than_most_data_have_come_out_as_they_came_in():
    graphs = [ToUndirected()(graph) for graph in typed(12)]
    for number, graph in enumerate(graphs):
        graph["venue"].x = torch.full((1 + number % 2, 3), float(number))
        for other in ("paper", "author"):
            graph[other, "at", "venue"].edge_index = torch.tensor([[0, 1], [0, 0]]) % graph[other].num_nodes
            graph["venue", "of", other].edge_index = torch.tensor([[0], [0]])
    assert len(graphs[0].node_types) + len(graphs[0].edge_types) == 13
    loader = gp.Loader(gp.from_pyg(graphs), capacity=gp.Capacity.exactly(4), grouping="in_order", output="pyg")
    for ours, theirs in zip(loader, DataLoader(graphs, batch_size=4), strict=True):
        assert set(ours.edge_types) == set(theirs.edge_types)
        for name in theirs.node_types:
            assert torch.equal(ours[name].x, theirs[name].x)
        for kind in theirs.edge_types:
            assert torch.equal(ours[kind].edge_index, theirs[kind].edge_index)


def test_typed_graphs_come_out_as_they_came_in(tmp_path):
    graphs = typed(24)
    gp.save_store(graphs, tmp_path / "typed.safetensors")
    loader = gp.Loader(gp.open(tmp_path / "typed.safetensors"), capacity=gp.Capacity.exactly(8), grouping="in_order", output="pyg")
    metadata = graphs[0].metadata()
    torch.manual_seed(0)
    stock = HeteroConv({kind: SAGEConv(4, 4) for kind in metadata[1]})
    class Plain(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = SAGEConv((-1, -1), 4)

        def forward(self, x, edge_index):
            return self.conv(x, edge_index).relu()

    made = to_hetero(Plain(), metadata)
    for ours, theirs in zip(loader, DataLoader(graphs, batch_size=8), strict=True):
        assert set(ours.node_types) == set(metadata[0]) and set(ours.edge_types) == set(metadata[1])
        assert torch.equal(ours.y, theirs.y)
        for name in metadata[0]:
            assert all(torch.equal(ours[name][key], theirs[name][key]) for key in ("x", "batch", "ptr"))
        for model in (stock, made):
            out = [model(batch.x_dict, batch.edge_index_dict) for batch in (ours, theirs)]
            assert all(torch.equal(out[0][name], out[1][name]) for name in metadata[0])
        for one, other in zip(ours.to_data_list(), theirs.to_data_list(), strict=True):
            assert one.to_dict().keys() == other.to_dict().keys() and torch.equal(one["paper"].x, other["paper"].x)
            assert all(torch.equal(one[kind].edge_index, other[kind].edge_index) for kind in metadata[1])
    padded = next(iter(gp.Loader(loader.dataset, capacity=8, extra=["paper_mask"]))).to_pyg(padding=True)
    assert padded["paper"].mask.sum() < len(padded["paper"].batch) == padded["paper"].ptr[-1]
    assert padded["paper"].batch[padded["paper"].mask].max() == padded.graph_mask.sum() - 1
    batch = next(iter(gp.Loader(loader.dataset, capacity=8)))
    masks = batch.to_pyg(padding=True).mask_dict
    real = [int(mask.sum()) for mask in masks.values()]
    assert sorted([*real, batch.real["graphs"]]) == sorted(batch.real.values())
    assert all(mask[: mask.sum()].all() for mask in masks.values())


def test_pyg_takes_padded_batches(data):
    batch = next(iter(gp.Loader(data, capacity=16)))
    graph = batch.to_pyg(padding=True)
    with pytest.raises(ValueError, match='neighbours has places for padding rows: expected batch.to_pyg.padding=True. in the loop, or output="torch"'):
        next(iter(gp.Loader(data.neighbours(), capacity=16))).to_pyg()
    assert graph.num_graphs == batch.shape["graphs"] and graph.num_nodes == batch.shape["nodes"]
    sums = global_add_pool(graph.node_mask.float()[:, None], graph.batch, graph.num_graphs)[:, 0]
    assert (sums[graph.graph_mask] == graph.y[graph.graph_mask]).all()


@pytest.mark.parametrize("padding", [False, True])
def test_sorted_edges_have_the_pointers_of_pyg(data, padding):
    sorted_data = data.sorted_by()
    for batch in gp.Loader(sorted_data, capacity=16):
        graphs = batch.to_pyg(padding=padding)
        size = (graphs.num_nodes, graphs.num_nodes)
        edges = EdgeIndex(graphs.edge_index, sort_order="col", sparse_size=size).validate()
        (found, _), _ = edges.get_csc()
        assert torch.equal(graphs.edge_index_ptr, found) and len(found) == graphs.num_nodes + 1
        first = sorted_data[int(graphs.graph_ids[0])]
        assert torch.equal(graphs[0].edge_index, torch.as_tensor(first["edge_index"]))


@pytest.mark.parametrize("padding", [False, True])
def test_gradients_are_those_of_int64(data, padding):
    gradients = []
    for index in ("int64", "int32"):
        graph = next(iter(gp.Loader(data, capacity=16, index=index))).to_pyg(padding=padding)
        assert {graph.edge_index.dtype, graph.batch.dtype, graph.ptr.dtype} == {torch.int64}
        x = graph.x.clone().requires_grad_()
        sums = global_add_pool(x, graph.batch, graph.num_graphs)
        (sums * torch.arange(1.0, 1 + graph.num_graphs)[:, None]).sum().backward()
        gradients.append(x.grad)
    assert torch.equal(*gradients) and torch.equal(gradients[1][:, 0], 1.0 + graph.batch)


def test_pyg_data_become_a_store(tmp_path):
    graphs = []
    for nodes in range(2, 40):
        edges = torch.stack([torch.arange(nodes), torch.arange(nodes).roll(1)])
        pos = torch.rand(nodes, 3).half()
        graphs.append(Data(x=torch.rand(nodes, 3), pos=pos, edge_index=edges, y=torch.tensor([nodes])))
    path = tmp_path / "rings.safetensors"
    gp.save_store(graphs, path)
    for data in (gp.open(path), gp.from_pyg(graphs)):
        (batch,) = gp.Loader(data, capacity=gp.Capacity.exactly(len(graphs)), grouping="in_order", shapes=("multiple", 64))
        ours, theirs = batch.to_torch(), next(iter(DataLoader(graphs, batch_size=len(graphs))))
        nodes, edges = theirs.num_nodes, theirs.num_edges
        assert torch.equal(ours["x"][:nodes], theirs.x)
        assert ours["pos"].dtype == torch.float16 and torch.equal(ours["pos"][:nodes], theirs.pos)
        assert torch.equal(ours["edge_index"][:, :edges], theirs.edge_index)
        assert torch.equal(ours["y"][: len(graphs)], theirs.y)


def test_attributes_of_pyg_with_targets_are_indices():
    # Without any edges.
    none = torch.empty(2, 0, dtype=torch.long)
    with pytest.raises(TypeError, match="expected a list of graphs, found one Data; a Batch has to_data_list"):
        gp.from_pyg(Data(x=torch.ones(3, 1), edge_index=none))
    graphs = [Data(x=torch.ones(3, 1), edge_index=none, pairs=torch.tensor([[0, 2]] * rows)) for rows in (2, 4)]
    options = {"sets": {"pairs": "pairs"}, "targets": {"pairs": ["nodes", "nodes"]}}
    data = gp.from_pyg(graphs, **options)
    assert data.indices["pairs"] == ("pairs", ["nodes", "nodes"]) and data.size(1) == [3, 0, 4]
    with pytest.raises(ValueError, match="padding has a value for pairs, an index"):
        gp.from_pyg(graphs, padding={"pairs": 1.0}, **options)


def test_padding_rows_hold_what_names_or_words_say(tmp_path):
    ends = torch.tensor([[0, 1, 0], [1, 0, 1]])
    floats = {name: torch.ones(2, 3) for name in ("pos", "centre")} | {name: torch.ones(3) for name in ("distance", "bond")}
    graphs = [Data(**floats, edge_index=ends, cell=torch.ones(1, 9)) for _ in range(2)]
    assert gp.from_pyg(graphs).padding == {"pos": "positions", "distance": "length", "cell": "cell"}
    others = {"pos": 0, "distance": -1.0, "centre": "positions", "bond": "length"}
    data = gp.from_pyg(graphs, padding=others)
    assert data.padding == {"distance": -1.0, "centre": "positions", "bond": "length", "cell": "cell"}
    data.save(tmp_path / "a.safetensors")
    assert gp.open(tmp_path / "a.safetensors").padding == data.padding
    (batch,) = gp.Loader(data, capacity=gp.Capacity.exactly(2), grouping="in_order", padding="two_nodes")
    arrays = batch.to_numpy()
    assert arrays["centre"][4:6].tolist() == [[0, 0, 0], [100, 0, 0]] and not arrays["pos"][4:].any()
    assert (arrays["bond"][6:] == 100).all() and (arrays["distance"][6:] == -1).all()
    for wrong in ("far", [1.0]):
        with pytest.raises(TypeError, match="y: expected a number, .positions., .length. or .cell. for padding rows"):
            gp.Data.from_arrays((["nodes"], [("y", "graph", "int64", None, wrong)], []), [], [], [])


def test_nan_of_pyg_is_missing_and_comes_back_where_asked(tmp_path):
    nan = float("nan")
    none = torch.empty(2, 0, dtype=torch.long)
    x = torch.zeros(2, 9, dtype=torch.long)
    labels = [[1.0, nan], [nan, nan], [3.0, 4.0]]
    forces = [[1.0, 2.0], [nan, nan], [nan, 6.0]]
    graphs = [
        Data(x=x, edge_index=none, y=torch.tensor([y]), energy=torch.tensor(y[:1]), forces=torch.tensor(f))
        for y, f in zip(labels, forces)
    ]
    data = gp.from_pyg(graphs, sets={"forces": "nodes"})
    options = {"capacity": gp.Capacity.exactly(3), "grouping": "in_order", "workers": 0}
    arrays = next(iter(gp.Loader(data, **options))).to_numpy()
    assert arrays["y"][:3].tolist() == [[1.0, 0.0], [0.0, 0.0], [3.0, 4.0]]
    assert arrays["has_y"][:3].tolist() == [[True, False], [False, False], [True, True]]
    # A mask selects from its field.
    assert arrays["energy"][arrays["has_energy"]].tolist() == [1.0, 3.0]
    # A graph has some, so that there is one bool for each.
    assert arrays["has_forces"][:6].tolist() == [True, True, False, False, False, True] and not arrays["has_y"][3:].any()
    assert arrays["forces"][:6].tolist() == [1.0, 2.0, 0.0, 0.0, 0.0, 6.0]
    asked = next(iter(gp.Loader(data, missing="nan", **options))).to_numpy()
    assert ((asked["y"] == asked["y"]) == asked["has_y"]).all()
    assert ((asked["forces"] == asked["forces"]) == asked["has_forces"])[:6].all()
    with pytest.raises(TypeError, match="missing: expected .zero., .nan., found .none."):
        gp.Loader(data, missing="none")
    # One convention with files that have another.
    table = tmp_path / "a.csv"
    table.write_text("smiles,y\nCCO,1.5\nCC,\n")
    one = [Data(x=x, edge_index=none, edge_attr=torch.empty(0, 3, dtype=torch.long), y=torch.tensor([y])) for y in (2.0, nan)]
    mixed = gp.Data.mix({"csv": gp.open(table), "pyg": gp.from_pyg(one)})
    arrays = next(iter(gp.Loader(mixed, **options | {"capacity": gp.Capacity.exactly(4)}))).to_numpy()
    assert arrays["y"][:4].tolist() == [1.5, 0.0, 2.0, 0.0]
    assert arrays["has_y"][:4].tolist() == [True, False, True, False]


def test_names_to_leave_out_are_a_list_of_known_ones():
    graphs = [Data(x=torch.ones(2, 1), extra=torch.ones(2, 1), edge_index=torch.tensor([[0], [1]]))]
    with pytest.raises(TypeError, match="exclude: expected a list of names, found the string 'extra'"):
        gp.from_pyg(graphs, exclude="extra")
    with pytest.raises(ValueError, match="no attributes ..extrra.."):
        gp.from_pyg(graphs, exclude=["extrra"])
    with pytest.raises(TypeError, match="targets..pairs... expected a list"):
        gp.from_pyg(graphs, targets={"pairs": "nodes"})
    assert list(gp.from_pyg(graphs, exclude=["extra"]).fields) == ["x"]


def test_a_transform_of_a_data_set_is_no_secret():
    class Noisy:
        transform = staticmethod(lambda graph: graph)

        def __iter__(self):
            return iter([Data(x=torch.ones(2, 1), edge_index=torch.tensor([[0], [1]]))])

    with pytest.warns(UserWarning, match="is applied once"):
        gp.from_pyg(Noisy())


def test_an_edge_index_points_where_pyg_shifts_it():
    class Bipartite(Data):
        def __inc__(self, key, value, *others):
            return torch.tensor([[len(self.x_s)], [len(self.x_t)]]) if key == "edge_index" else 0

    class Unshifted(Data):
        def __inc__(self, *others):
            return 0

    edges = torch.tensor([[0, 0, 1, 1], [0, 1, 1, 2]])
    graphs = [Bipartite(x_s=torch.ones(2, 1), x_t=torch.ones(3, 1), edge_index=edges, num_nodes=5) for _ in range(3)]
    data = gp.from_pyg(graphs, sets={"x_s": "s", "x_t": "t"})
    assert data.indices == {"edge_index": ("edges", ["s", "t"])}
    batch = next(iter(gp.Loader(data, capacity=3)))
    found = batch.to_torch()["edge_index"][:, : batch.real["edges"]]
    assert found.tolist() == Batch.from_data_list(graphs).edge_index.tolist()
    with pytest.raises(ValueError, match="edge_index is shifted by 0, 0, none of"):
        gp.from_pyg([Unshifted(x=torch.ones(3, 1), edge_index=edges) for _ in range(2)])


def test_attributes_that_rows_of_numbers_cannot_show():
    class Middle(Data):
        def __cat_dim__(self, key, *others):
            return 1 if key == "w" else super().__cat_dim__(key, *others)

    with pytest.raises(ValueError, match="w of graph 0 is joined along dimension 1 of"):
        gp.from_pyg([Middle(x=torch.ones(3, 1), w=torch.ones(3, 3, 1))])

def test_rows_of_several_axes_keep_them(tmp_path):
    none = torch.zeros(2, 0, dtype=torch.int64)
    graphs = [Data(x=torch.rand(n, 2), edge_index=none, cell=torch.rand(1, 3, 3), tensors=torch.rand(n, 2, 1, 4))
              for n in (2, 3)]  # fmt: skip
    gp.save_store(graphs, tmp_path / "graphs.safetensors")
    theirs = Batch.from_data_list(graphs)
    for data in (gp.from_pyg(graphs), gp.open(tmp_path / "graphs.safetensors")):
        assert "cell float32[3, 3]" in repr(data) and data[1]["tensors"].shape == (3, 2, 1, 4)
        shapes = []

        def twice(graph, rng):
            shapes.append(graph["cell"].shape)
            graph["cell"] *= 2

        (batch,) = gp.Loader(data.map("twice", twice), capacity=2, grouping="in_order")
        assert shapes == [(1, 3, 3)] * 2 and batch.cell.shape[1:] == (3, 3)
        assert torch.equal(batch.to_pyg().cell, 2 * theirs.cell)
        assert torch.equal(batch.to_torch()["cell"][-1], torch.eye(3))
        assert torch.equal(batch.to_pyg().tensors, theirs.tensors)


def test_what_has_one_row_in_each_graph_belongs_to_it():
    loop = torch.tensor([[0], [0]])
    graphs = [Data(x=torch.ones(1, 2), edge_index=loop, y=1.5, n=torch.tensor(n), energy=torch.tensor([1.0])) for n in (3, 4)]
    data = gp.from_pyg(graphs)
    assert {name: data.fields[name][0] for name in "xyn"} == {"x": "nodes", "y": "graph", "n": "graph"}
    (batch,) = gp.Loader(data, capacity=2, grouping="in_order", shapes="exact")
    theirs = Batch.from_data_list(graphs)
    assert batch.shape == batch.real and all(torch.equal(batch.to_torch()[name], theirs[name]) for name in ("y", "n", "energy"))
    # Also where each of a pair has one node, to which no index of graphs could point.
    pairs = [Pair(x_s=torch.rand(1, 2), x_t=torch.rand(1, 2), edge_index_s=loop, edge_index_t=loop) for _ in range(2)]
    (batch,) = gp.Loader(taken(pairs)[0], capacity=2, shapes="exact")
    assert batch.to_torch()["edge_index_t"].tolist() == [[0, 1], [0, 1]]


def test_narrow_numbers_are_widened_and_indices_below_zero_refused():
    none = torch.zeros(2, 0, dtype=torch.int64)
    kinds = {"a": torch.int8, "b": torch.int16, "c": torch.bfloat16}
    graph = Data(x=torch.ones(2, 1), edge_index=none, **{name: torch.tensor([-3, 7], dtype=kind) for name, kind in kinds.items()})
    (batch,) = gp.Loader(gp.from_pyg([graph]), capacity=1, shapes="exact")
    arrays = batch.to_torch()
    assert [(arrays[name].dtype, arrays[name].tolist()) for name in kinds] == [(torch.int32, [-3, 7])] * 2 + [(torch.float32, [-3, 7])]
    absent = [graph, Data(**graph.to_dict())]
    for each, entry in zip(absent, (0, -1)):
        each.near_index = torch.tensor([[entry, 1]])
    with pytest.raises(ValueError, match=r"near_index of graph 1 has -1 in row 0.*leave these entries out.*targets=\{'near_index': \[\]\}"):
        gp.from_pyg(absent)


def test_items_that_are_no_graphs():
    with pytest.raises(TypeError, match="item 0 is a dict"):
        gp.from_pyg([{}])
    with warnings.catch_warnings():
        # PyTorch Geometric has one, too.
        warnings.simplefilter("ignore")
        with pytest.raises(ValueError, match="graph 0 does not say how many nodes it has"):
            gp.from_pyg([Data(y=1.0)])
    named = gp.Schema(fields={"num_nodes": ("graph", "int64", None)}, indices={})
    data = gp.Data.from_arrays(named.parts(), [np.array([0, 2]), np.array([0, 0])], [], [np.array([3])])
    with pytest.raises(ValueError, match="keeps \\['num_nodes'\\] for itself"):
        next(iter(gp.Loader(data))).to_pyg()


class Pair(Data):
    """Two graphs in one, as in PyG's tutorial."""

    def __inc__(self, key, value, *others):
        return {"edge_index_s": len(self.x_s), "edge_index_t": len(self.x_t)}.get(key, 0)


class Bipartite(Data):
    """Edges from one set to another, as in PyG's tutorial."""

    def __inc__(self, key, value, *others):
        return torch.tensor([[len(self.x_s)], [len(self.x_t)]]) if key == "edge_index" else 0


def taken(graphs):
    """The graphs, and what is said of them."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        data = gp.from_pyg(graphs)
    return data, [str(one.message) for one in said]


def test_pairs_of_graphs_need_no_list_of_sets():
    def edges(nodes):
        return torch.stack([torch.arange(nodes), torch.arange(nodes).roll(1)])

    sizes = [(2, 5), (4, 3), (6, 6)]
    pairs = [
        Pair(x_s=torch.rand(s, 2), pos_s=torch.rand(s, 3), edge_index_s=edges(s), edge_attr_s=torch.rand(s, 1),
             x_t=torch.rand(t, 2), edge_index_t=edges(t)) for s, t in sizes
    ]  # fmt: skip
    data, said = taken(pairs)
    assert any("x_s: edge_index_s is shifted by its rows, so a set 'x_s'" in one for one in said)
    # The edges of a ring are as many as its nodes, and share their set.
    assert data.indices == {"edge_index_s": ("x_s", ["x_s"] * 2), "edge_index_t": ("x_t", ["x_t"] * 2)}
    batch = next(iter(gp.Loader(data, capacity=3)))
    theirs = Batch.from_data_list(pairs)
    for name in ("edge_index_s", "edge_index_t"):
        found = batch.to_torch()[name]
        assert found[:, : theirs[name].shape[1]].tolist() == theirs[name].tolist()

    cross = torch.tensor([[0, 0, 1, 1], [0, 1, 1, 2]])
    graphs = [Bipartite(x_s=torch.ones(2, 1), x_t=torch.ones(t, 1), edge_index=cross) for t in (3, 4)]
    data, said = taken(graphs)
    assert [one.split(",")[0] for one in said] == [f"{x}: edge_index is shifted by its rows" for x in ("x_s", "x_t")]
    assert data.indices == {"edge_index": ("edges", ["x_s", "x_t"])} and data.size(1) == [4, 2, 4]

    # Without num_nodes, the largest number counts the nodes, which PyG and we say.
    data, said = taken([Data(edge_index=edges(3)), Data(edge_index=edges(4))])
    assert any("nodes are counted by the largest number in edge_index" in one for one in said)
    assert data.size(1) == [4, 4]


def test_numbers_belong_to_the_graph():
    # As many graphs as nodes and edges, so that rows say nothing.
    edges = torch.tensor([[0], [0]])
    graphs = [Data(x=torch.ones(1, 1), edge_index=edges, t=2.5, n=torch.tensor(n)) for n in range(3)]
    (batch,) = gp.Loader(gp.from_pyg(graphs), capacity=gp.Capacity.exactly(3), grouping="in_order", output="pyg")
    theirs = Batch.from_data_list(graphs)
    assert all(torch.equal(batch[name], theirs[name]) for name in ("t", "n", "x", "edge_index"))
    two = HeteroData({"a": {"x": torch.ones(2, 1), "scale": 2.0}, ("a", "to", "a"): {"edge_index": edges}})
    (batch,) = gp.Loader(gp.from_pyg([two, two]), capacity=gp.Capacity.exactly(2), grouping="in_order", output="pyg")
    assert batch["a"].scale.tolist() == [2.0, 2.0]


def test_names_that_end_in_index_may_be_fields():
    edges = torch.tensor([[0, 1], [1, 0]])
    residues = [Data(x=torch.ones(3, 1), edge_index=edges, residue_index=torch.tensor([7, 300, 8])) for _ in range(2)]
    with pytest.raises(ValueError, match=r"nodes has 3 rows; if these are no row numbers, targets=\{'residue_index': \[\]\}"):
        gp.from_pyg(residues)
    data = gp.from_pyg(residues, targets={"residue_index": []})
    assert data.fields["residue_index"][:2] == ("nodes", "int64") and list(data.indices) == ["edge_index"]
    batch = next(iter(gp.Loader(data, capacity=2)))
    assert np.asarray(batch["residue_index"])[:6].tolist() == [7, 300, 8, 7, 300, 8]
    images = [Data(x=torch.ones(3, 1), edge_index=edges, image_index=torch.rand(3)) for _ in range(2)]
    with pytest.warns(UserWarning, match="image_index: torch.float32 is a field, no row numbers"):
        data = gp.from_pyg(images)
    assert data.fields["image_index"][:2] == ("nodes", "float32")
