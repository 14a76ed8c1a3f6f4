"""Norms on batches with padding: outputs, gradients and statistics are those of the real rows."""

import copy

import pytest
from test_pyg import CONVS, molecules

import graphpack_loader as gp

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")
from torch_geometric.nn import (
    MLP, BatchNorm, DiffGroupNorm, GPSConv, GraphNorm, GraphSizeNorm, InstanceNorm, LayerNorm, MeanSubtractionNorm, PairNorm,
    global_add_pool,
)  # fmt: skip
from torch_geometric.nn.models import GIN

OF_GRAPHS = {of.__name__: of for of in (GraphNorm, LayerNorm, InstanceNorm, PairNorm, MeanSubtractionNorm, GraphSizeNorm)}


def made(of):
    return of(8) if of in (GraphNorm, LayerNorm, InstanceNorm) else of()


@pytest.fixture
def batch():
    return next(iter(gp.Loader(gp.from_pyg(molecules(40)), capacity=16)))


def assert_close(found, expected):
    assert len(found) == len(expected)
    for one, other in zip(found, expected):
        assert torch.allclose(one, other, rtol=1e-5, atol=1e-5), (one - other).abs().max()


@pytest.mark.parametrize("momentum", [0.1, None])
@pytest.mark.parametrize("shape", [(7, 5), (7, 5, 3)])
def test_masked_batch_norm_is_that_of_the_real_rows(shape, momentum):
    torch.manual_seed(1)
    theirs, ours = torch.nn.BatchNorm1d(5, momentum=momentum), gp.nn.MaskedBatchNorm(5, momentum=momentum)
    mask = torch.arange(11) < 7
    for training in [True, True, False]:
        theirs.train(training), ours.train(training)
        real, weights = 3 * torch.randn(shape) + 1, torch.randn(shape)
        padded = torch.cat([real, torch.full((4, *shape[1:]), torch.nan)]).requires_grad_(training)
        real.requires_grad_(training)
        expected, found = theirs(real), ours(padded, mask)
        assert torch.allclose(found[:7], expected, atol=1e-6)
        assert all(torch.allclose(*pair, atol=1e-6) for pair in zip(ours.buffers(), theirs.buffers(), strict=True))
        if training:
            theirs.zero_grad(), ours.zero_grad()
            (expected * weights).sum().backward(), (found[:7] * weights).sum().backward()
            assert torch.allclose(padded.grad[:7], real.grad, atol=1e-6) and not padded.grad[7:].any()
            assert all(torch.allclose(a.grad, b.grad, atol=2e-6) for a, b in zip(ours.parameters(), theirs.parameters()))
    assert ours.state_dict().keys() == theirs.state_dict().keys()


def test_a_batch_without_graphs_leaves_running_statistics_as_they_are():
    for rows in [0, 1]:
        norm = gp.nn.MaskedBatchNorm(5)
        before = copy.deepcopy(norm.state_dict())
        assert torch.isfinite(norm(torch.randn(4, 5), torch.arange(4) < rows)).all()
        assert all(torch.equal(norm.state_dict()[name], of) for name, of in before.items())


@pytest.mark.parametrize("name", OF_GRAPHS)
def test_norms_of_graphs_are_right_with_padding_where_they_get_the_batch(batch, name):
    padded, real, norm = batch.to_pyg(padding=True), batch.to_pyg(), made(OF_GRAPHS[name])
    found, expected = (norm(of.x, of.batch, of.num_graphs) for of in (padded, real))
    assert torch.allclose(found[padded.node_mask], expected, atol=1e-6)


@pytest.mark.parametrize("norm", [*OF_GRAPHS.values(), BatchNorm, DiffGroupNorm])
def test_norms_of_all_rows_are_wrong_with_padding_unless_they_are_masked(batch, norm):
    padded, real = batch.to_pyg(padding=True), batch.to_pyg()
    norm = {BatchNorm: lambda: BatchNorm(8), DiffGroupNorm: lambda: DiffGroupNorm(8, 2)}.get(norm, lambda: made(norm))()
    # Padding rows are 0, and the mean of real rows is not.
    padded.x, real.x = padded.x + padded.node_mask[:, None], real.x + 1
    expected, wrong = copy.deepcopy(norm)(real.x), copy.deepcopy(norm)(padded.x)[: len(real.x)]
    found = gp.nn.masked(norm)(padded.x, node_mask=padded.node_mask)[: len(real.x)]
    assert torch.allclose(found, expected, atol=1e-6) and not torch.allclose(wrong, expected, atol=1e-3)


class Pooled(torch.nn.Module):
    """A stock network, and a norm of graphs in what reads its sums."""

    def __init__(self, network):
        super().__init__()
        self.network, self.out = network, MLP([8, 8, 1], norm="batch_norm")

    def forward(self, batch):
        h = batch.x
        for layer in self.network:
            more = {"batch_size": batch.num_graphs} if isinstance(layer, GIN) else {}
            h = layer(h, batch.edge_index, batch=batch.batch, **more)
        # Sums over a graph that a norm has made 0 in the mean would be rounding alone.
        return self.out(global_add_pool(h.relu(), batch.batch, batch.num_graphs))[:, 0]


NETWORKS = {f"gin with {norm}": lambda norm=norm: [GIN(8, 8, 2, norm=norm)] for norm in ("batch_norm", "graph_norm", "layer_norm")}
NETWORKS |= {f"gps with {norm}": lambda norm=norm: [GPSConv(8, CONVS["gin"](), heads=2, norm=norm) for _ in range(2)] for norm in ("batch_norm", "graph_norm", "layer_norm")}


@pytest.mark.parametrize("network", NETWORKS)
def test_stock_networks_learn_from_padded_batches_what_they_learn_from_real_rows(network):
    def run(padding, prepare):
        torch.manual_seed(1)
        model = prepare(Pooled(torch.nn.ModuleList(NETWORKS[network]())).double())
        optimizer, seen = torch.optim.SGD(model.parameters(), lr=0.01), []
        for batch in gp.Loader(gp.from_pyg(molecules(60)), capacity=16):
            of = batch.to_pyg(padding=padding)
            of.x, of.y, real = of.x.double(), of.y.double(), slice(batch.real["graphs"])
            optimizer.zero_grad()
            loss = (model(of)[real] - of.y[real]).square().mean()
            loss.backward()
            seen += [loss.detach(), *(parameter.grad.clone() for parameter in model.parameters())]
            optimizer.step()
        model.eval()
        return [*seen, *model.state_dict().values(), model(of)[real]]

    expected = run(False, lambda model: model)
    assert_close(run(True, gp.nn.masked), expected)
    # Batches of real rows alone may be among them.
    assert_close(run(False, gp.nn.masked), expected)
    with pytest.raises(AssertionError):
        assert_close(run(True, lambda model: model), expected)


def test_a_masked_model_is_compiled_once():
    compiled = []
    torch.manual_seed(1)
    model = gp.nn.masked(GIN(8, 8, 2, norm="batch_norm"))
    same = copy.deepcopy(model)
    torch._dynamo.reset()
    run = torch.compile(model, dynamic=False, fullgraph=True, backend=lambda graph, _: compiled.append(1) or graph)
    for batch in gp.Loader(gp.from_pyg(molecules(60)), capacity=16):
        of = batch.to_pyg(padding=True)
        found, expected = (
            f(of.x, of.edge_index, batch=of.batch, batch_size=of.num_graphs, node_mask=of.node_mask) for f in (run, same)
        )
        assert torch.allclose(found, expected, atol=1e-5)
    assert len(compiled) == 1


def test_masks_that_are_missing_or_ambiguous_are_errors(batch):
    of, model = batch.to_pyg(padding=True), gp.nn.masked(GIN(8, 8, 2, norm="batch_norm"))
    with pytest.raises(TypeError, match="expected node_mask=batch.node_mask, or a batch of PyTorch Geometric .* found neither"):
        model(of.x, of.edge_index)
    with pytest.raises(ValueError, match=r"a norm of \d+ rows: expected one mask of this length, found masks of 3"):
        model(of.x, of.edge_index, node_mask=torch.ones(3, dtype=torch.bool))
    twice = {"node_mask": of.node_mask, "edge_mask": of.node_mask}
    with pytest.raises(ValueError, match="call the model with the one that is meant"):
        model(of.x, of.edge_index, **twice)
    with pytest.raises(RuntimeError, match="expected a call of the model that `masked` has returned"):
        next(of for of in gp.nn.masked(GIN(8, 8, 2, norm="batch_norm")).modules() if isinstance(of, gp.nn.MaskedBatchNorm))(of.x)


def test_norms_that_would_take_padding_are_refused():
    for norm in (torch.nn.LazyBatchNorm1d(), torch.nn.SyncBatchNorm(4), InstanceNorm(4, track_running_stats=True)):
        with pytest.raises(TypeError, match=f"masked: expected norms .*, found {type(norm).__name__} in 0"):
            gp.nn.masked(torch.nn.Sequential(norm))
