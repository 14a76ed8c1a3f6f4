"""PyTorch Geometric's transforms as maps of data."""

import pickle
import random
import threading

import numpy as np
import pytest

import graphpack_loader as gp

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")
import torch_geometric.transforms as T
from torch_geometric.data import Data


def draws(data):
    """What a transform of one's own may draw."""
    data.y = data.y + random.random() + np.random.rand()
    data.x = torch.randn(3, 2) + torch.rand_like(data.x) + torch.randint_like(data.x, 9) + torch.randint_like(data.x, 2, 9)
    data.x = data.x + torch.binomial(torch.full((3, 2), 9.0), torch.full((3, 2), 0.5))
    data.edge_index = data.edge_index[:, torch.randperm(3)]
    return data


def doubles(data):
    data.pos = data.pos.double()
    return data


@pytest.fixture
def clouds():
    """Triangles with x, pos and y."""
    edges = torch.tensor([[0, 1, 2], [1, 2, 0]])
    graphs = [Data(x=torch.ones(3, 2), pos=torch.rand(3, 3), y=torch.zeros(1), edge_index=edges) for _ in range(40)]
    return gp.from_pyg(graphs)


JITTER = T.Compose([T.RandomJitter(0.1), T.RandomRotate(90), draws])


def arrays(batch):
    return {name: array.copy() for name, array in batch.to_numpy().items()}


def same(one, other):
    return all(np.array_equal(one[name], other[name]) for name in one)


def test_what_a_transform_draws_follows_from_seed_epoch_and_graph(clouds):
    def batches(workers, seed=1):
        loader = gp.Loader(clouds.map("jitter", JITTER), capacity=8, shuffle=True, seed=seed, workers=workers)
        return [arrays(batch) for _ in range(2) for batch in loader]

    # The loop draws from the same generators while workers do.
    torch.manual_seed(5)
    expected = batches(0)
    drawn = torch.rand(3)
    for workers in (1, 3):
        torch.manual_seed(5)
        found = batches(workers)
        assert all(map(same, expected, found)) and torch.equal(torch.rand(3), drawn)
    rows = {array["pos"][:3].tobytes() for array in (*expected, *batches(1, seed=2))}
    assert len(rows) == 2 * len(expected)


def test_a_resume_repeats_what_a_transform_draws(clouds):
    def loader():
        return gp.Loader(clouds.map("jitter", JITTER), capacity=8, shuffle=True, workers=2)

    first, rest, state = loader(), [], None
    for step, batch in enumerate(first):
        if step == 2:
            state = first.state_dict()
        elif step > 2:
            rest.append(arrays(batch))
    resumed = loader()
    resumed.load_state_dict(state)
    found = [arrays(batch) for batch in resumed]
    assert len(rest) > 1 and all(map(same, rest, found))


def test_a_loop_draws_what_it_would_without_transforms(clouds):
    random.seed(3), np.random.seed(3), torch.manual_seed(3)
    expected = random.random(), np.random.rand(), torch.rand(1)
    random.seed(3), np.random.seed(3), torch.manual_seed(3)
    list(gp.Loader(clouds.map("jitter", JITTER), capacity=8, workers=0))
    assert (random.random(), np.random.rand(), torch.rand(1)) == expected
    # Of torch, also what another thread draws in the meantime.
    inside, drawn = threading.Event(), threading.Event()

    def waits(data):
        inside.set()
        assert drawn.wait(60)
        data.pos = data.pos + torch.rand(1)
        return data

    epoch = iter(gp.Loader(clouds.subset([0]).map("wait", T.Compose([waits]))))
    assert inside.wait(60)
    torch.manual_seed(3)
    found = torch.rand(1)
    drawn.set()
    waited = arrays(next(epoch))
    assert found == expected[2]
    again = gp.Loader(clouds.subset([0]).map("wait", T.Compose([waits])))
    assert same(waited, arrays(next(iter(again))))


def test_a_transform_gets_a_graph_as_pyg_has_it():
    seen = []

    def see(data):
        seen.append((data.num_nodes, data.to_dict(), data.y.shape, data.mask.dtype))
        return data

    edges = torch.tensor([[0], [1]])
    graph = Data(num_nodes=4, z=torch.arange(4), y=1.5, mask=torch.ones(4, dtype=torch.bool), edge_index=edges)
    data = gp.from_pyg([graph]).map("see", T.Compose([see]))
    list(gp.Loader(data))
    ((nodes, names, y, mask),) = seen
    assert (nodes, y, mask) == (4, (1,), torch.bool)
    assert sorted(names) == ["edge_index", "mask", "num_nodes", "y", "z"]


@pytest.mark.parametrize(
    ("transform", "found"),
    [
        (T.AddSelfLoops(), r"makes the shape of edge_index \[2, 6\] of \[2, 3\], .* before gp.from_pyg"),
        (T.VirtualNode(), "makes 4 nodes of 3, .* before gp.from_pyg"),
        (T.AddRandomWalkPE(3), r"adds \['random_walk_pe'\], .* before gp.from_pyg"),
        (T.Cartesian(), r"adds \['edge_attr'\], .* before gp.from_pyg"),
        (T.Compose([lambda data: Data(pos=data.pos)]), r"removes \['edge_index', 'x', 'y'\]"),
        (T.Compose([lambda data: data.pos]), "expected that it returns a Data, found Tensor"),
        (T.Compose([doubles]), "pos: expected float32, found float64"),
        (T.Compose([lambda data: torch.nn.functional.dropout(data.x)]), "dropout takes no generator"),
        (T.Compose([lambda data: torch.nn.functional.gumbel_softmax(data.x)]), "gumbel_softmax takes no generator"),
        (T.Compose([lambda data: torch.nn.init.kaiming_uniform_(data.x)]), "kaiming_uniform_ takes no generator"),
    ],
)
def test_what_a_transform_may_not_do_says_where_it_may(clouds, transform, found):
    with pytest.raises(gp.LoadError, match=f"(?s){found}"):
        list(gp.Loader(clouds.map("change", transform)))


def test_an_attribute_that_the_data_have_may_be_replaced(clouds):
    edges = torch.tensor([[0, 1, 2], [1, 2, 0]])
    cartesian = T.Cartesian(cat=False)
    graphs = [cartesian(Data(pos=torch.rand(3, 3), edge_index=edges)) for _ in range(9)]
    moved = T.Compose([T.RandomJitter(0.5), cartesian])
    (plain,), (batch,) = (list(gp.Loader(data, capacity=9)) for data in (gp.from_pyg(graphs), gp.from_pyg(graphs).map("move", moved)))
    assert not np.array_equal(plain.to_numpy()["edge_attr"], batch.to_numpy()["edge_attr"])


def test_transforms_are_pickled_with_data_of_files(clouds, tmp_path):
    clouds.save(tmp_path / "a.safetensors")
    data = gp.open(tmp_path / "a.safetensors").map("jitter", JITTER)
    (expected, *_), (found, *_) = (list(gp.Loader(one, capacity=8)) for one in (data, pickle.loads(pickle.dumps(data))))
    assert same(arrays(expected), arrays(found))


def test_a_transform_of_several_types_of_nodes_is_refused():
    from torch_geometric.data import HeteroData

    graph = HeteroData()
    graph["a"].x = torch.ones(3, 1)
    with pytest.raises(gp.LoadError, match="expected graphs of one type of nodes, a Data, found .*a.x"):
        list(gp.Loader(gp.from_pyg([graph]).map("same", T.Compose([]))))
