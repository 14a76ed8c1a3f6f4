"""What the tests of PyTorch Geometric 2.8.1 ask of batches, asked of graphpack's: same values, dtypes and shapes.

Functions are named after PyG's. What cannot hold is in docs/measurements/python.md.
"""

import copy
import itertools
import warnings

import pytest

import graphpack_loader as gp

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")
from torch_geometric import EdgeIndex, Index
from torch_geometric.data import Batch, Data, HeteroData, OnDiskDataset
from torch_geometric.loader import DataLoader, DynamicBatchSampler
from torch_geometric.nn import SAGEConv
from torch_geometric.transforms import ToSparseTensor

# PyTorch's own, said once in a process.
pytestmark = pytest.mark.filterwarnings("ignore:Sparse", "ignore:The PyTorch API of nested", "ignore:Converting sparse")
PATH = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])


def batches(graphs, size, said=(), loading={}, **options):
    """PyG's batches from graphpack, in the order of the graphs; `said` are words of the warnings that from_pyg gives."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        data = gp.from_pyg(graphs, **options)
    caught = [one for one in caught if one.category is UserWarning]
    assert len(caught) == len(said) and all(words in str(one.message) for words, one in zip(said, caught)), caught
    return list(gp.Loader(data, capacity=gp.Capacity.exactly(size), grouping="in_order", output="pyg", **loading))


def arrays(graph):
    """All that a graph or a batch has, by type and name, but the numbers of graphs, which graphpack adds."""
    found = {(store._key, key): value for store in graph.stores for key, value in store.items()}
    return {of: value for of, value in found.items() if of[1] not in ("graph_ids", "num_nodes")}


def assert_same(ours, theirs, but=()):
    """What graphpack gives is what PyG gives, but for attributes named in `but`."""
    found, expected = arrays(ours), {of: value for of, value in arrays(theirs).items() if of[1] not in but}
    assert found.keys() == expected.keys() and ours.num_nodes == theirs.num_nodes
    for of, value in expected.items():
        torch.testing.assert_close(found[of], value, rtol=0, atol=0, equal_nan=True)


def assert_same_batches(graphs, size, but=(), **options):
    """Batches are those of PyG's DataLoader, whole and apart."""
    ours = batches(graphs, size, **options)
    for one, other in zip(ours, DataLoader(graphs, batch_size=size), strict=True):
        assert one.num_graphs == len(one) == other.num_graphs
        assert_same(one, other, but)
        assert all(store._parent() is one for store in one.stores)
        for apart, expected in zip(one.to_data_list(), other.to_data_list(), strict=True):
            assert_same(apart, expected, but)
    return ours


def edges(sources, targets, count, random):
    ends = [torch.randint(rows, (count,), generator=random) for rows in (sources, targets)]
    return torch.stack(ends).unique(dim=1)


# test/loader/test_dataloader.py


def test_dataloader():
    graph = Data(x=torch.ones(3, 1), edge_index=PATH, y=2.0, z=torch.tensor(0.0), name="data", face=torch.tensor([[0], [1], [2]]))
    kept = {}
    (first, _) = assert_same_batches([graph] * 4, 2, but=["name"], objects=kept)
    assert first.face.tolist() == [[0, 3], [1, 4], [2, 5]] and first.y.tolist() == [2.0, 2.0]
    assert [kept["name"][number] for number in first.graph_ids] == ["data", "data"]
    # follow_batch=["edge_index"], by the name of the set.
    (batch, _) = batches([graph] * 4, 2, loading={"extra": ["edge_batch", "edge_ptr"]}, exclude=["name"])
    (theirs, _) = DataLoader([graph] * 4, batch_size=2, follow_batch=["edge_index"])
    assert torch.equal(batch.edge_batch, theirs.edge_index_batch) and torch.equal(batch.edge_ptr, theirs.edge_index_ptr)
    # exclude_keys=["face"].
    (theirs, _) = DataLoader([graph] * 4, batch_size=2, exclude_keys=["face", "name"])
    assert_same(batches([graph] * 4, 2, exclude=["face", "name"])[0], theirs)


def test_dataloader_on_disk_dataset(tmp_path):
    on_disk = OnDiskDataset(tmp_path)
    on_disk.extend([Data(x=torch.randn(3, 8)), Data(x=torch.randn(4, 8))])
    assert_same_batches(on_disk, 2)
    on_disk.close()


def test_dataloader_fallbacks():
    for item in (torch.ones(3), 1.0, "test", {"x": torch.ones(3)}, (0.0, 1), object()):
        with pytest.raises(TypeError, match=f"item 0 is a {type(item).__name__}, expected a Data or HeteroData per graph"):
            gp.from_pyg([item] * 4)


def test_multiprocessing():
    graphs = [Data(x=torch.randn(5, 16)) for _ in range(4)]
    with torch.multiprocessing.get_context("spawn").Manager() as manager:
        queue = manager.Queue()
        for batch in batches(graphs, 2):
            queue.put(batch)
        for theirs in DataLoader(graphs, batch_size=2):
            assert_same(queue.get(), theirs)


def papers(seed):
    """Two types of nodes, and edges both ways."""
    random, graph = torch.Generator().manual_seed(seed), HeteroData()
    graph["p"].x, graph["a"].x = torch.randn(10 + seed, 8, generator=random), torch.randn(20, 4, generator=random)
    for source, target, count in [("p", "a", 50), ("a", "p", 40 + seed)]:
        ends = edges(graph[source].num_nodes, graph[target].num_nodes, count, random)
        graph[source, target].edge_index, graph[source, target].edge_attr = ends, torch.randn(ends.shape[1], 3, generator=random)
    return graph


def test_heterogeneous_dataloader():
    # PyG's test gives nodes a matrix with the rows of edges: a set of its own.
    graphs = [papers(seed) for seed in range(4)]
    for graph in graphs:
        graph["p"].edge_attr = graph["p", "a"].edge_attr
    with pytest.raises(ValueError, match=r"p.edge_attr has \d+ rows in graph 0, expected 10 of p; sets={'p.edge_attr': 'p_edge_attr'} gives"):
        gp.from_pyg(graphs)
    assert_same_batches(graphs, 2, sets={"p.edge_attr": "p_edge_attr"})


def test_index_dataloader():
    graphs = [Data(index=Index([0, 1, 1, 2], dim_size=3), num_nodes=3), Data(index=Index([0, 1, 1, 2, 2, 3], dim_size=4), num_nodes=4)]
    for ours, theirs in zip(batches(graphs * 2, 2, sets={"index": "entries"}), DataLoader(graphs * 2, batch_size=2), strict=True):
        assert type(ours.index) is torch.Tensor and torch.equal(ours.index, theirs.index.as_tensor())
        assert ours.num_nodes == theirs.index.dim_size == 7
        assert [graph.index.tolist() for graph in ours.to_data_list()] == [graph.index.tolist() for graph in graphs]


@pytest.mark.parametrize("order", [None, "row", "col"])
def test_edge_index_dataloader(order):
    ends = EdgeIndex(PATH.flip(0) if order == "col" else PATH, sparse_size=(3, 3), sort_order=order, is_undirected=True)
    graphs = [Data(edge_index=ends)] * 4
    for ours, theirs in zip(batches(graphs, 2, ["nodes are counted"]), DataLoader(graphs, batch_size=2), strict=True):
        assert type(ours.edge_index) is torch.Tensor and torch.equal(ours.edge_index, theirs.edge_index.as_tensor())
        made = EdgeIndex(ours.edge_index, sparse_size=(ours.num_nodes,) * 2, sort_order=order, is_undirected=True)
        assert made.validate().sparse_size() == theirs.edge_index.sparse_size() and made.equal(theirs.edge_index)


@pytest.mark.parametrize("layout", [torch.sparse_coo, torch.sparse_csr, torch.sparse_csc])
def test_dataloader_sparse(layout):
    dense = torch.tensor([[0.0, 2.0, 0.0], [3.0, 0.0, 0.0], [0.0, 4.0, 0.0]])
    graphs = [Data(adj_t=dense.to_sparse(layout=layout)) for _ in range(2)]
    (batch,) = batches(graphs, 2, ["adj_t: its rows and columns become edge_index, its numbers edge_weight"])
    (theirs,) = DataLoader(graphs, batch_size=2)
    source, target = batch.edge_index
    found = torch.zeros(batch.num_nodes, batch.num_nodes).index_put((target, source), batch.edge_weight)
    assert torch.equal(found, theirs.adj_t.to_dense())


def test_networks_get_from_adj_t_what_they_get_from_pyg():
    random = torch.Generator().manual_seed(0)
    graphs = [Data(x=torch.randn(9, 4, generator=random), edge_index=edges(9, 9, 20, random)) for _ in range(4)]
    for graph in graphs:
        graph.edge_attr = torch.randn(graph.num_edges, 3, generator=random)
    sparse = [ToSparseTensor(attr="edge_attr")(graph) for graph in copy.deepcopy(graphs)]
    assert "edge_index" not in sparse[0]
    (ours,), (theirs,) = batches(sparse, 4, ["its numbers edge_attr"]), DataLoader(graphs, batch_size=4)
    conv = SAGEConv(4, 4)
    assert torch.allclose(conv(ours.x, ours.edge_index), conv(theirs.x, theirs.edge_index), atol=1e-6)
    sums = [torch.zeros(batch.num_nodes, 3).index_add(0, batch.edge_index[1], batch.edge_attr) for batch in (ours, theirs)]
    assert torch.allclose(*sums, atol=1e-6)
    two = [papers(seed) for seed in range(3)]
    with_adj = [ToSparseTensor(attr="edge_attr")(graph) for graph in copy.deepcopy(two)]
    (ours,), (theirs,) = batches(with_adj, 3, ["its numbers edge_attr"]), DataLoader(two, batch_size=3)
    for kind in theirs.edge_types:
        columns = torch.stack([torch.cat([batch[kind].edge_index.double(), batch[kind].edge_attr.T]) for batch in (ours, theirs)])
        first, second = columns.unbind()
        assert torch.equal(first[:, lexsort(first)], second[:, lexsort(second)])
    both = Data(x=torch.ones(3, 1), edge_index=PATH, adj_t=torch.eye(3).to_sparse())
    with pytest.raises(ValueError, match=r"graph 0 has adj_t beside \['edge_index'\]: exclude=\['adj_t'\] leaves it out"):
        gp.from_pyg([both])
    assert list(gp.from_pyg([both], exclude=["adj_t"]).indices) == ["edge_index"]


def lexsort(columns):
    """The order of columns by all of their rows."""
    return torch.tensor(sorted(range(columns.shape[1]), key=lambda column: columns[:, column].tolist()))


# test/loader/test_dynamic_batch_sampler.py


def test_dataloader_with_dynamic_batches():
    graphs = [Data(num_nodes=nodes) for nodes in range(100, 110)]
    sampler = gp.BatchSampler(graphs, capacity={"nodes": 300}, shuffle=True)
    seen = [batch.num_nodes for batch in DataLoader(graphs, batch_sampler=sampler)]
    assert max(seen) <= 300 and sum(seen) == 1045 and len(seen) == len(sampler)
    # skip_too_big and num_steps; the length is known.
    graphs = [Data(num_nodes=400), *graphs]
    sampler = gp.BatchSampler(graphs, capacity={"nodes": 300}, oversize="skip", grouping="in_order")
    seen = [batch.num_nodes for batch in itertools.islice(DataLoader(graphs, batch_sampler=sampler), 2)]
    # PyG's takes graph 2 twice here, which its test counts: 404 nodes.
    assert list(DynamicBatchSampler(graphs, 300, skip_too_big=True, num_steps=2)) == [[1, 2], [2, 3]]
    assert seen == [201, 205]
    assert sampler.skipped == 1 and len(sampler) == 5
    with pytest.raises(ValueError, match="400"):
        gp.BatchSampler(graphs, capacity={"nodes": 300})


# test/data/test_batch.py


def paths():
    """Paths of 3, 2 and 4 nodes with text and lists of other lengths."""
    for number, nodes in enumerate([3, 2, 4], 1):
        ends = torch.stack([torch.arange(nodes - 1), torch.arange(1, nodes)])
        text = {"string": str(number), "array": ["1"] * nodes, "meta": {"of": number}}
        yield Data(x=torch.arange(1.0, 1 + nodes), y=number, edge_index=torch.cat([ends, ends.flip(0)], 1), num_nodes=nodes, **text)


def test_batch_basic():
    kept = {}
    (batch,) = assert_same_batches(list(paths()), 3, but=["string", "array", "meta"], objects=kept)
    assert kept == {name: [graph[name] for graph in paths()] for name in ("string", "array", "meta")}
    (one, _, _) = batches(list(paths()), 1, exclude=list(kept))
    assert one.num_graphs == 1 and one.ptr.tolist() == [0, 3] and one.y.tolist() == [1]
    for chosen in ([1, 0], torch.tensor([1, 0]), torch.tensor([True, True, False]), batch.graph_ids.numpy() < 2, slice(2)):
        assert sorted(graph.y.item() for graph in batch.index_select(chosen)) == [1, 2]


def test_text_is_found_by_the_number_of_a_graph():
    kept = {}
    data = gp.from_pyg(paths(), objects=kept)
    for batch in gp.Loader(data.subset([2, 0]), capacity=1, shuffle=True, output="pyg"):
        assert [kept["string"][number] for number in batch.graph_ids] == [str(y) for y in batch.y.tolist()]
    with pytest.raises(TypeError, match=r"string of graph 0 is a str, no tensor or number: exclude=\['string'\] leaves it out, objects="):
        gp.from_pyg(paths())
    with pytest.raises(ValueError, match=r"objects: expected an empty dictionary, found one with \['array', 'meta', 'string'\]"):
        gp.from_pyg(paths(), objects=kept)
    with pytest.raises(ValueError, match=r"\['string'\]: in some of the graphs 0 to 1 only"):
        gp.from_pyg([Data(x=torch.ones(1, 1), string="a"), Data(x=torch.ones(1, 1))], objects={})


def test_batching_with_new_dimension():
    class Mine(Data):
        def __cat_dim__(self, key, value, *others):
            return None if key == "foo" else super().__cat_dim__(key, value, *others)

    graphs = [Mine(x=torch.ones(nodes), foo=torch.randn(4), y=torch.tensor(nodes)) for nodes in (3, 2)]
    (ours,), (theirs,) = batches(graphs, 2), DataLoader(graphs, batch_size=2)
    assert_same(ours, theirs)
    # A Data of PyG itself does not know that the dimension is new.
    assert ours[1].foo.tolist() == theirs[1].foo[None].tolist()


def test_pickling(tmp_path):
    graphs = [Data(x=torch.randn(5, 16))] * 4
    (batch,) = batches(graphs, 4)
    torch.save(batch, tmp_path / "batch.pt")
    loaded = torch.load(tmp_path / "batch.pt", weights_only=False)
    assert loaded._store._parent() is loaded and type(loaded).__name__ == "DataBatch" and loaded.num_graphs == 4
    assert_same(loaded, batch)
    assert_same(loaded[2], graphs[2])


def test_batching_of_batches():
    batch = Batch.from_data_list([Data(x=torch.randn(2, 16))] * 2)
    with pytest.raises(TypeError, match="item 0 is a DataBatch, expected a Data or HeteroData per graph"):
        gp.from_pyg([batch, batch])
    (ours,) = batches(itertools.chain(batch.to_data_list(), batch.to_data_list()), 4)
    theirs = Batch.from_data_list([batch, batch])
    assert torch.equal(ours.x, theirs.x) and torch.equal(ours.batch, theirs.batch) and ours.num_graphs == 4


def test_hetero_batch():
    (batch,) = assert_same_batches([papers(0), papers(7)], 2)
    assert batch.metadata() == papers(0).metadata()
    assert batch["p"].ptr.tolist() == [0, 10, 27]


def test_pair_data_batching():
    class Pair(Data):
        def __inc__(self, key, value, *others):
            return {"edge_index_s": len(self.x_s), "edge_index_t": len(self.x_t)}.get(key, 0)

    stars = [torch.stack([torch.zeros(n, dtype=torch.long), torch.arange(1, n + 1)]) for n in (4, 3)]
    pair = Pair(x_s=torch.randn(5, 16), edge_index_s=stars[0], x_t=torch.randn(4, 16), edge_index_t=stars[1])
    # The nodes of one are as many as the edges of the other, and share their set.
    said = ["x_s: edge_index_s is shifted by its rows", "edge_index_s: its rows are those of no set", "edge_index_t: its rows"]
    (ours,), (theirs,) = batches([pair, pair], 2, said), DataLoader([pair, pair], batch_size=2)
    assert arrays(ours).keys() == arrays(theirs).keys()
    assert all(torch.equal(ours[name], theirs[name]) for name in ("x_s", "x_t", "edge_index_s", "edge_index_t"))


def test_batch_with_empty_list():
    kept, graph = {}, Data(x=torch.randn(4, 1), edge_index=PATH, nontensor=[])
    assert_same_batches([graph, graph], 2, but=["nontensor"], objects=kept)
    assert kept == {"nontensor": [[], []]}


def test_nested_follow_batch():
    # Not in lists and dictionaries, but each attribute of its own rows.
    graphs = [Data(x=torch.randn(10, 5), first=torch.randn(n, 3), second=torch.randn(2 * n + 1, 4)) for n in (4, 5, 6)]
    own = {"first": "first", "second": "second"}
    extra = [f"{name}_{what}" for name in own for what in ("batch", "ptr")]
    (ours,) = batches(graphs, 3, sets=own, loading={"extra": extra})
    assert_same(ours, Batch.from_data_list(graphs, follow_batch=list(own)))


@pytest.mark.parametrize("found", ["sparse", "nested"])
def test_torch_sparse_batch_and_torch_nested_batch(found):
    x = torch.eye(3).to_sparse_csr() if found == "sparse" else torch.nested.nested_tensor([torch.randn(3), torch.randn(4)])
    with pytest.raises(TypeError, match=rf"pos of graph 0 is {found}, expected a dense tensor, or adj_t: exclude=\['pos'\] leaves"):
        gp.from_pyg([Data(x=torch.ones(3, 1), pos=x)])


# test/data/test_hetero_data.py: what a HeteroData does, a batch of graphpack does.


def changed(graph):
    other = HeteroData({"a": {"y": torch.arange(20)}})
    return graph.update(other)


METHODS = {
    "hetero_data_functions": lambda graph: graph.x_dict | graph.edge_attr_dict | {"p": graph.num_node_features},
    "hetero_data_to_from_dict": lambda graph: HeteroData.from_dict(graph.to_dict()),
    "hetero_data_set_value_dict": lambda graph: graph.set_value_dict("z", {"p": torch.ones(graph["p"].num_nodes)}),
    "hetero_data_rename": lambda graph: graph.rename("p", "paper"),
    "hetero_data_subgraph": lambda graph: graph.subgraph({"p": torch.tensor([4, 11, 2]), "a": torch.arange(40) % 3 == 0}),
    "hetero_data_edge_subgraph": lambda graph: graph.edge_subgraph({("p", "to", "a"): torch.arange(4)}),
    "copy_hetero_data": lambda graph: copy.deepcopy(copy.copy(graph)),
    "to_homogeneous": lambda graph: graph.to_homogeneous(),
    "hetero_data_connected_components": lambda graph: {"found": [len(part) for part in graph.connected_components()]},
    "and_vice_versa": lambda graph: graph.to_homogeneous().to_heterogeneous(),
    "hetero_data_update": changed,
    "basic_feature_store": lambda graph: {"x": graph.get_tensor(group_name="p", attr_name="x", index=None)},
    "generate_ids": lambda graph: graph.generate_ids(),
}


@pytest.mark.parametrize("name", METHODS)
def test_hetero_data(name):
    graphs, made = [papers(0), papers(7)], []
    for graph in graphs:
        # So that types of edges differ in what they have.
        del graph["p", "a"].edge_attr
    for batch in (*batches(graphs, 2), *DataLoader(graphs, batch_size=2)):
        found = METHODS[name](batch)
        made.append(batch if found is None else found)
    if isinstance(made[0], dict):
        assert made[0].keys() == made[1].keys()
        assert all(torch.equal(one, made[1][of]) if torch.is_tensor(one) else one == made[1][of] for of, one in made[0].items())
    else:
        assert_same(*made)
