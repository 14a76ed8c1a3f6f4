"""Trains on every rank's share of each epoch: torchrun --nproc-per-node 2 ddp.py FILE [STEPS]

FILE is anything that `graphpack_loader.open` opens, with fields `x` of nodes and `y` of graphs. It saves its state in
ddp.pt after each epoch, or stops after STEPS steps of one. Run it again, on any number of ranks, to go on.
"""

import os
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
torch.manual_seed(42)
data = gp.open(sys.argv[1])
loader = gp.Loader(data, capacity=32, shuffle=True, seed=42, shard="env")
model = DistributedDataParallel(Model(data.fields["x"][2], data.fields["y"][2]).to(device))
optimizer = torch.optim.Adam(model.parameters())
parts = {"model": model.module, "optimizer": optimizer, "loader": loader}
if os.path.exists("ddp.pt"):
    for name, state in torch.load("ddp.pt", map_location=device).items():
        parts[name].load_state_dict(state)
rank, stop = torch.distributed.get_rank(), int(sys.argv[2]) if len(sys.argv) > 2 else None
for epoch in range(loader.state_dict()["epoch"], 3):
    step, total, count = 0, 0.0, 0
    for step, batch in enumerate(loader, 1):
        graphs = batch.to_pyg(device)
        prediction = model(graphs)
        # In the last step of an epoch a rank may have no graph.
        losses = (prediction - graphs.y.view_as(prediction)).square().sum(-1)
        # DistributedDataParallel averages gradients over ranks: this is the mean over all graphs of the step.
        loss = torch.distributed.get_world_size() * losses.sum() / batch.real_of_step["graphs"]
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total, count = total + losses.sum().item(), count + len(losses)
        if step == stop:
            break
    print(f"rank {rank}, epoch {epoch}, {step} steps: {count} graphs, loss {total / max(count, 1):.3f}", flush=True)
    if rank == 0:
        # The loader's state is the same on all ranks.
        torch.save({name: part.state_dict() for name, part in parts.items()}, "ddp.pt")
    if step == stop:
        break
torch.distributed.destroy_process_group()
