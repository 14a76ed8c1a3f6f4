"""The networks of gpu_bench in PyTorch Geometric: the same data, sizes and optimizer; one line of JSON per measurement.

    python3 gpu_pyg.py DATA [--device cuda] [--batch-graphs 64,128,256,512] [--epochs 3] [--steps N] [--workers 0,4,8] [--ways plain,prefetch,compile]
                       [--tasks gine,schnet]

DATA holds molecules.safetensors and structures.safetensors as `gpu_bench prepare` writes them. Needs torch and torch_geometric.
"""

import argparse
import json
import math
import statistics
import struct
import sys
import time

import torch
import torch_geometric
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader, PrefetchLoader
from torch_geometric.nn import GINEConv, MessagePassing, global_mean_pool

ATOM, BOND = [119, 5, 12, 12, 10, 6, 6, 2, 2], [5, 6, 2]
RESIDENT = 16  # batches on the device at once, so that they are not all in its cache
HIDDEN, GINE_LAYERS, SCHNET_LAYERS, GAUSSIANS, SPACING = 64, 5, 3, 150, 0.1
KINDS = {"F32": torch.float32, "I64": torch.int64, "I32": torch.int32, "U8": torch.uint8, "U16": torch.uint16}


def tensors(path):
    """A safetensors file: length of a JSON header, the header, bytes."""
    raw = bytearray(open(path, "rb").read())
    (length,) = struct.unpack("<Q", raw[:8])
    header = json.loads(raw[8 : 8 + length])
    header.pop("__metadata__", None)
    start = 8 + length
    return {
        name: torch.frombuffer(raw[start + a["data_offsets"][0] : start + a["data_offsets"][1]], dtype=KINDS[a["dtype"]]).reshape(a["shape"])
        for name, a in header.items()
        if a["data_offsets"][1] > a["data_offsets"][0]
    }


def graphs(path, node, edge):
    """Data objects with the fields `node` and `edge` and, if it is there, y; categories as int64, as PyG's data sets have them."""
    t = tensors(path)
    nodes, edges = t["ptr_node"].tolist(), t["ptr_edge"].tolist()
    wide = lambda x: x.long() if x.dtype == torch.uint8 else x
    index = t["edge_index"].long()
    fields = {name: wide(t[name]) for name in node + edge}
    y = t["y"].float().reshape(-1) if "y" in t else None
    out = []
    for i in range(len(nodes) - 1):
        n, e = slice(nodes[i], nodes[i + 1]), slice(edges[i], edges[i + 1])
        d = Data(edge_index=index[:, e].clone(), num_nodes=nodes[i + 1] - nodes[i])
        for name in node:
            d[name] = fields[name][n].clone()
        for name in edge:
            d[name] = fields[name][e].clone()
        d.y = y[i : i + 1] if y is not None else torch.tensor([float(d.num_nodes)])
        out.append(d)
    return out


class Encoder(torch.nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.tables = torch.nn.ModuleList(torch.nn.Embedding(size, HIDDEN) for size in sizes)

    def forward(self, x):
        return sum(table(x[:, k]) for k, table in enumerate(self.tables))


class Gine(torch.nn.Module):
    def __init__(self):
        super().__init__()
        mlp = lambda: torch.nn.Sequential(
            torch.nn.Linear(HIDDEN, 2 * HIDDEN), torch.nn.BatchNorm1d(2 * HIDDEN), torch.nn.ReLU(), torch.nn.Linear(2 * HIDDEN, HIDDEN)
        )
        self.atoms, self.bonds = Encoder(ATOM), torch.nn.ModuleList(Encoder(BOND) for _ in range(GINE_LAYERS))
        self.convs = torch.nn.ModuleList(GINEConv(mlp(), train_eps=True) for _ in range(GINE_LAYERS))
        self.norms = torch.nn.ModuleList(torch.nn.BatchNorm1d(HIDDEN) for _ in range(GINE_LAYERS))
        self.out = torch.nn.Linear(HIDDEN, 1)

    def inputs(self, d):
        return d.x, d.edge_index, d.edge_attr, d.batch, d.num_graphs

    def forward(self, x, edge_index, edge_attr, batch, graphs):
        h = self.atoms(x)
        for k in range(GINE_LAYERS):
            z = self.norms[k](self.convs[k](h, edge_index, self.bonds[k](edge_attr)))
            z = torch.relu(z) if k + 1 < GINE_LAYERS else z
            h = h + torch.nn.functional.dropout(z, 0.1, self.training)
        return self.out(global_mean_pool(h, batch, graphs)).squeeze(1)

    def loss(self, inputs, y):
        return torch.nn.functional.binary_cross_entropy_with_logits(self(*inputs), y)


def softplus(x):
    return torch.nn.functional.softplus(x) - math.log(2.0)


class Interaction(MessagePassing):
    """Continuous-filter convolution with the mean of messages, without biases, as SchNet of gpu_bench."""

    def __init__(self):
        super().__init__(aggr="mean")
        linear = lambda a, b: torch.nn.Linear(a, b, bias=False)
        self.filter = torch.nn.ModuleList([linear(GAUSSIANS, HIDDEN), linear(HIDDEN, HIDDEN)])
        self.sources = linear(HIDDEN, HIDDEN)
        self.update_net = torch.nn.ModuleList([linear(HIDDEN, HIDDEN), linear(HIDDEN, HIDDEN)])

    def forward(self, h, edge_index, basis):
        w = softplus(self.filter[1](softplus(self.filter[0](basis))))
        mean = self.propagate(edge_index, h=self.sources(h), w=w)
        return h + self.update_net[1](softplus(self.update_net[0](mean)))

    def message(self, h_j, w):
        return h_j * w


class Schnet(torch.nn.Module):
    def __init__(self, mean, deviation):
        super().__init__()
        self.elements = torch.nn.Embedding(100, HIDDEN)
        self.layers = torch.nn.ModuleList(Interaction() for _ in range(SCHNET_LAYERS))
        self.readout = torch.nn.ModuleList([torch.nn.Linear(HIDDEN, HIDDEN // 2, bias=False), torch.nn.Linear(HIDDEN // 2, 1, bias=False)])
        self.register_buffer("centres", torch.arange(GAUSSIANS) * SPACING)
        self.mean, self.deviation = mean, deviation

    def inputs(self, d):
        return d.z, d.edge_index, d.distance, d.batch, d.num_graphs

    def forward(self, z, edge_index, distance, batch, graphs):
        # Below exp(-87) numbers are subnormal, which makes products of matrices several times slower.
        basis = torch.exp((-((distance.reshape(-1, 1) - self.centres) ** 2) / SPACING).clamp_min(-64))
        h = self.elements(z.reshape(-1))
        for layer in self.layers:
            h = layer(h, edge_index, basis)
        return global_mean_pool(self.readout[1](softplus(self.readout[0](h))), batch, graphs).squeeze(1)

    def loss(self, inputs, y):
        return torch.nn.functional.mse_loss(self(*inputs), (y - self.mean) / self.deviation)


def epoch(loader, device, step, most):
    """Seconds, steps and graphs of one pass, until the device is done."""
    start, steps, seen = time.perf_counter(), 0, 0
    for batch in loader:
        step(batch.to(device, non_blocking=True))
        steps, seen = steps + 1, seen + batch.num_graphs
        if steps == most:
            break
    if device != "cpu":
        torch.cuda.synchronize()
    return time.perf_counter() - start, steps, seen


def label(way, workers):
    names = {"plain": "PyG DataLoader", "prefetch": "PyG PrefetchLoader", "compile": "PyG DataLoader, torch.compile"}
    return f"{names[way]}, {workers} workers"


def measure(a, name, data, build, batch_graphs, way, workers):
    torch.manual_seed(0)
    net = build().to(a.device).train()
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3, weight_decay=1e-5, **({"fused": True} if a.device != "cpu" else {}))
    loss = torch.compile(net.loss, dynamic=True) if way == "compile" else net.loss

    def step(batch):
        optimizer.zero_grad()
        loss(net.inputs(batch), batch.y).backward()
        optimizer.step()

    cuda = a.device != "cpu"
    loader = DataLoader(data, batch_graphs, shuffle=True, num_workers=workers, pin_memory=cuda, persistent_workers=workers > 0)
    if way == "prefetch":
        loader = PrefetchLoader(loader, torch.device(a.device))
    # One before those that count: the compiler's, the allocator's and the workers' beginnings.
    epochs = [epoch(loader, a.device, step, a.steps) for _ in range(a.epochs + 1)][1:]
    seconds, steps, seen = sorted(epochs)[len(epochs) // 2]
    resident = [batch.to(a.device) for batch, _ in zip(loader, range(RESIDENT))]
    many = min(steps, 200)
    for k in range(10 + many):
        if k == 10:
            if cuda:
                torch.cuda.synchronize()
            start = time.perf_counter()
        step(resident[k % len(resident)])
    if cuda:
        torch.cuda.synchronize()
    step_ms = 1e3 * (time.perf_counter() - start) / max(1, many)
    result = dict(
        task=name, loader=label(way, workers), device=a.device, batch_graphs=batch_graphs, steps=steps, graphs=seen,
        seconds_per_epoch=seconds, step_ms=step_ms, wait_share=max(0.0, 1 - 1e-3 * step_ms * steps / seconds), graphs_per_second=seen / seconds,
    )
    print(json.dumps(result), flush=True)


def some_of(*known):
    """For argparse: words of these, with commas between them."""

    def words(text):
        for word in text.split(","):
            if word not in known:
                raise argparse.ArgumentTypeError(f"{word!r} is none of {', '.join(known)}")
        return text.split(",")

    return words


def main():
    p = argparse.ArgumentParser()
    p.add_argument("data")
    p.add_argument("--device", default="cuda")
    numbers = lambda text: [int(n) for n in text.split(",")]
    p.add_argument("--batch-graphs", type=numbers, default=[64, 128, 256, 512])
    p.add_argument("--epochs", type=int, default=3)
    p.add_argument("--steps", type=int, default=sys.maxsize)
    p.add_argument("--workers", type=numbers, default=[0, 4, 8])
    p.add_argument("--ways", type=some_of("plain", "prefetch", "compile"), default=["plain", "prefetch", "compile"])
    p.add_argument("--tasks", type=some_of("gine", "schnet"), default=["gine", "schnet"])
    a = p.parse_args()
    if ":" in a.device:
        torch.cuda.set_device(torch.device(a.device))  # synchronize, and memory that is pinned, are of the current device
    print(json.dumps(dict(torch=torch.__version__, torch_geometric=torch_geometric.__version__)), flush=True)
    molecules = graphs(f"{a.data}/molecules.safetensors", ["x"], ["edge_attr"])
    structures = graphs(f"{a.data}/structures.safetensors", ["z"], ["distance"])
    y = [float(d.y) for d in structures]
    mean, deviation = statistics.fmean(y), max(statistics.pstdev(y), 1e-9)
    tasks = [("gine", "GINE, molecules", molecules, Gine), ("schnet", "SchNet, structures", structures, lambda: Schnet(mean, deviation))]
    for key, name, data, build in tasks:
        if key not in a.tasks:
            continue
        for batch_graphs in a.batch_graphs:
            for way in a.ways:
                for workers in a.workers:
                    try:
                        measure(a, name, data, build, batch_graphs, way, workers)
                    except Exception as error:  # torch.compile may lack a compiler; the others still count.
                        print(json.dumps(dict(task=name, loader=label(way, workers), device=a.device, batch_graphs=batch_graphs, error=str(error)[:300])), flush=True)


main()
