"""`BatchSampler` beside `Loader`, and the command."""

import copy
import pickle
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

import graphpack_loader as gp


def test_a_sampler_has_the_batches_of_a_loader(rings, data):
    sizes = np.frombuffer(data.sizes(), dtype=np.uint32).reshape(-1, 2)
    np.testing.assert_array_equal(sizes[:, 0], rings.nodes)
    sampler = gp.BatchSampler(sizes, capacity=16, shuffle=True, seed=4)
    loader = gp.Loader(data, capacity=16, shuffle=True, seed=4)
    assert len(sampler) == len(loader)
    expected = [np.asarray(batch["graph_ids"])[: batch.real["graphs"]].tolist() for batch in loader]
    found = iter(sampler)
    assert [next(found), next(found)] == expected[:2]
    other = gp.BatchSampler(sizes, capacity=16, shuffle=True, seed=4)
    other.load_state_dict(sampler.state_dict())
    assert list(other) == expected[2:] == list(found)
    assert repr(sampler).startswith("BatchSampler(Loader(200 graphs, 12 batches of ")


def test_a_sampler_balances_cost_without_being_told_of_shapes(rings, data):
    sizes, cost = np.frombuffer(data.sizes(), dtype=np.uint32).reshape(-1, 2), {"nodes": 1}
    options = {"capacity": 8, "shuffle": True, "shard": (0, 3), "remainder": "pad"}
    shares = [gp.BatchSampler(sizes, **options, **equal).idle_share(0, cost) for equal in ({}, {"equal_cost": cost})]
    assert shares[1] < shares[0]
    loader = gp.Loader(data, shapes="exact", equal_cost=cost, **options)
    assert shares[1] == loader.idle_share(0, cost)
    assert list(gp.BatchSampler(sizes, equal_cost=cost, **options)) == [batch.places.tolist() for batch in loader]


def test_samplers_of_ranks_have_no_empty_lists():
    sizes = np.full((7, 2), 3)
    ranks = [gp.BatchSampler(sizes, capacity={"nodes": 3, "edges": 3, "graphs": 1}, shard=(rank, 2), remainder=None) for rank in range(2)]
    lists = [list(rank) for rank in ranks]
    assert [len(rank) for rank in ranks] == [3, 3] and all(len(numbers) == 1 for rank in lists for numbers in rank)


@pytest.mark.parametrize("wrong", [np.array([[1, 2], [3, -1]]), np.array([[1, 2], [3, 2**32]]), np.ones((2, 2))])
def test_sizes_that_are_none_are_refused(wrong):
    with pytest.raises(ValueError, match=r"of graph 1|found float64 \(2, 2\)"):
        gp.BatchSampler(wrong, capacity=1)


def test_options_that_lists_cannot_show_are_refused():
    sizes, capacity = [[2, 2], [50, 60], [1, 1]], {"nodes": 5, "edges": 5, "graphs": 2}
    fields = [("fields", ["x"]), ("fields", []), ("extra", ["edge_ptr"]), ("index", "int32"), ("missing", "nan")]
    for option, value in [*fields, ("oversize", "trim"), ("padding", "jraph"), ("on_error", "skip")]:
        with pytest.raises(ValueError, match=f"^{option}: "):
            gp.BatchSampler(sizes, capacity=capacity, **{option: value})
    sampler = gp.BatchSampler(sizes, capacity=capacity, oversize="skip")
    assert sampler.skipped == 1 and sorted(sum(sampler, [])) == [0, 2]


class Graphs:
    """A data set that counts how often it reads a graph."""

    def __init__(self, sizes):
        self.sizes, self.reads = sizes, 0

    def __len__(self):
        return len(self.sizes)

    def __getitem__(self, graph):
        self.reads += 1
        nodes, edges = self.sizes[graph]
        return SimpleNamespace(pos=np.zeros((nodes, 3)), num_edges=edges)


class Known(Graphs):
    """A data set that says the numbers of rows of its graphs in the way of a library."""

    def __init__(self, sizes, **methods):
        super().__init__(sizes)
        for name, method in methods.items():
            setattr(self, name, method)


SIZES = np.stack([np.arange(40) % 9 + 2, np.arange(40) % 7 * 3 + 1], axis=1)
NODES = SIZES[:, 0]
KNOWN = {
    "fairchem": {"get_metadata": lambda attr, idx: [NODES[idx]] if attr == "natoms" else None},
    "nvalchemi": {"get_metadata": lambda index: (int(SIZES[index, 0]), int(SIZES[index, 1]))},
    "metatrain": {"get_num_atoms": lambda index: int(NODES[index])},
    "metatrain, in memory": {"get_all_atom_counts": lambda: NODES},
    "HydraGNN": {"get_node_counts": lambda: NODES},
}


@pytest.mark.parametrize("library", KNOWN)
def test_sizes_are_what_a_data_set_knows(library):
    graphs = Known(SIZES.tolist(), **KNOWN[library])
    expected = SIZES if library == "nvalchemi" else NODES[:, None]
    assert np.array_equal(gp.BatchSampler(graphs, capacity=4).sizes, expected) and graphs.reads == 0
    part = SimpleSubset(graphs, [5, 3])
    assert np.array_equal(gp.BatchSampler(part, capacity=gp.Capacity.exactly(1), grouping="in_order").sizes, expected[[5, 3]])


class SimpleSubset:
    def __init__(self, dataset, indices):
        self.dataset, self.indices = dataset, indices

    def __len__(self):
        return len(self.indices)

    def __getitem__(self, graph):
        return self.dataset[self.indices[graph]]


def test_a_data_set_is_read_once():
    graphs = Graphs(SIZES.tolist())
    first, again = (gp.BatchSampler(graphs, capacity=4) for _ in range(2))
    assert graphs.reads == len(graphs)
    np.testing.assert_array_equal(first.sizes, SIZES)
    assert list(first) == list(again) == list(gp.BatchSampler(SIZES, capacity=4))
    assert graphs.reads == len(graphs)
    with pytest.raises(ValueError, match="expected num_nodes or pos of graph 0, found list"):
        gp.BatchSampler(SimpleSubset(SIZES.tolist(), [0]), capacity=4)


def test_epochs_are_those_that_trainers_set():
    sampler, epochs = (gp.BatchSampler(SIZES, capacity=4, shuffle=True, seed=1) for _ in range(2))
    first, second, third = list(epochs), list(epochs), list(epochs)
    sampler.sampler.set_epoch(1)
    assert len(sampler) == len(second) and list(sampler) == second and list(sampler) == third
    sampler.set_epoch(0)
    assert list(sampler) == first
    sampler.set_epoch_and_start_iteration(1, 3)
    assert len(sampler) == len(second) - 3 and list(sampler) == second[3:]
    for start in (-1, len(second) + 1):
        with pytest.raises(ValueError, match=f"start: expected 0 to {len(second)} batches of epoch 1, found {start}"):
            sampler.set_epoch_and_start_iteration(1, start)
    # Loops that resume set the epoch, too: this does not begin it again.
    lists = iter(sampler := copy.deepcopy(epochs))
    next(lists)
    sampler.load_state_dict(sampler.state_dict())
    sampler.set_epoch(3)
    assert list(sampler) == list(lists)


@pytest.mark.parametrize("shard", [None, (0, 3), (2, 3)])
def test_the_state_is_that_of_what_was_delivered(shard):
    options = {"capacity": 3, "shuffle": True, "shard": shard, "equal_cost": {"nodes": 1}, "shapes": "exact"}
    sampler = gp.BatchSampler(NODES, **options)
    lists = list(sampler)
    for delivered in range(len(lists) + 1):
        other = gp.BatchSampler(NODES, **options)
        other.load_state_dict(sampler.state_dict(delivered))
        assert list(other) == lists[delivered:]
        assert other.state_dict(len(lists) - delivered) == sampler.state_dict(len(lists))
    with pytest.raises(ValueError, match=f"delivered: expected 0 to {len(lists)} lists, which were drawn, found"):
        sampler.state_dict(len(lists) + 1)


def test_a_sampler_pickles_by_how_it_was_made():
    sampler = gp.BatchSampler(Graphs(SIZES.tolist()), capacity=4, shuffle=True, seed=3)
    lists = iter(sampler)
    next(lists)
    other = pickle.loads(pickle.dumps(sampler))
    assert type(other) is gp.BatchSampler and list(other) == list(lists)
    assert list(other) == list(sampler)


# Where other tests have imported JAX, it warns of the fork of the worker, which does not use it.
@pytest.mark.filterwarnings("ignore:os.fork:RuntimeWarning")
def test_a_loader_of_torch_takes_it():
    data = pytest.importorskip("torch.utils.data")
    sampler = gp.BatchSampler(NODES, capacity=4, shuffle=True, seed=3)
    assert isinstance(sampler, data.BatchSampler) and (sampler.batch_size, sampler.drop_last) == (None, False)
    loader = data.DataLoader(range(len(NODES)), batch_sampler=sampler, num_workers=1)
    expected = list(copy.deepcopy(sampler))
    assert len(loader) == len(expected)
    for delivered, batch in enumerate(loader, 1):
        assert batch.tolist() == expected[delivered - 1]
        if delivered == 2:
            break
    other = copy.deepcopy(sampler)
    other.load_state_dict(sampler.state_dict(delivered=2))
    assert list(other) == expected[2:]
    # What Lightning passes.
    ranks = data.distributed.DistributedSampler(NODES, num_replicas=2, rank=1)
    assert list(gp.BatchSampler(NODES, sampler=ranks, capacity=4)) == list(gp.BatchSampler(NODES, shard=(1, 2), capacity=4))


def test_importing_the_package_imports_no_torch():
    code = "import sys, graphpack_loader; assert 'torch' not in sys.modules; sys.modules['torch'] = None; print(graphpack_loader.BatchSampler.__base__)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (run.returncode, run.stdout) == (0, "<class 'object'>\n"), run.stderr


def test_the_command_runs():
    run = subprocess.run([sys.executable, "-m", "graphpack_loader", "--version"], capture_output=True, text=True)
    assert run.returncode == 0 and run.stdout.split() == ["graphpack", gp.__version__]
    run = subprocess.run([sys.executable, "-m", "graphpack_loader", "plan", "nowhere.csv"], capture_output=True, text=True)
    assert run.returncode != 0 and "nowhere.csv" in run.stderr


def test_an_epoch_without_a_batch_is_an_error():
    options = dict(capacity=gp.Capacity.exactly(41), grouping="in_order", drop_last=True)
    sampler = gp.BatchSampler([[2, 2]] * 40, **options)
    assert len(sampler) == 0
    with pytest.raises(gp.LoadError, match="epoch 0 has no batch: drop_last"):
        list(sampler)
