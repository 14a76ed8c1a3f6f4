"""Trains on every rank's share of each epoch: torchrun --nproc-per-node 2 ddp.py FILE

FILE is anything that `graphpack_loader.open` opens, with fields `x` of nodes and `y` of graphs.
"""

import sys

import torch
from torch.nn.parallel import DistributedDataParallel
from torch_geometric.nn import GINConv, global_mean_pool

import graphpack_loader as gp


class Model(torch.nn.Module):
    def __init__(self, columns, targets):
        super().__init__()
        self.conv = GINConv(torch.nn.Sequential(torch.nn.Linear(columns, 64), torch.nn.ReLU(), torch.nn.Linear(64, 64)))
        self.out = torch.nn.Linear(64, targets)

    def forward(self, batch):
        h = self.conv(batch.x.float(), batch.edge_index).relu()
        return self.out(global_mean_pool(h, batch.batch, batch.num_graphs))


torch.distributed.init_process_group("nccl" if torch.cuda.is_available() else "gloo")
device = f"cuda:{torch.distributed.get_node_local_rank()}" if torch.cuda.is_available() else "cpu"
data = gp.open(sys.argv[1])
loader = gp.Loader(data, capacity=32, shuffle=True, seed=42, shard="env")
model = DistributedDataParallel(Model(data.fields["x"][2], data.fields["y"][2]).to(device))
optimizer = torch.optim.Adam(model.parameters())
for epoch in range(3):
    total, count = 0.0, 0
    for batch in loader:
        graphs = batch.to_pyg(device)
        losses = (model(graphs) - graphs.y.view(graphs.num_graphs, -1)).square().sum(-1)
        # DistributedDataParallel averages gradients over ranks: this is the mean over all graphs of the step.
        loss = torch.distributed.get_world_size() * losses.sum() / batch.real_of_step["graphs"]
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total, count = total + losses.sum().item(), count + len(losses)
    rank = torch.distributed.get_rank()
    print(f"rank {rank}, epoch {epoch}: {len(loader)} steps, loss {total / max(count, 1):.3f}", flush=True)
torch.distributed.destroy_process_group()
