"""Trains on a data set that stays in Python, stops, and goes on: torchrun --nproc-per-node 2 sampler_torchrun.py

Run it again on another number of ranks, which train on the rest of the epoch.
"""

import json
import os

import torch
from torch.nn.parallel import DistributedDataParallel
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import global_mean_pool

import graphpack_loader as gp

GRAPHS = [Data(x=torch.ones(n, 1), edge_index=torch.zeros(2, 3 * n, dtype=torch.long), y=float(n), number=n) for n in range(3, 51)]

torch.distributed.init_process_group("gloo")
rank = torch.distributed.get_rank()
model = DistributedDataParallel(torch.nn.Linear(1, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
cost = {"nodes": 1, "edges": 20}
sampler = gp.BatchSampler(GRAPHS, capacity=4, shapes="exact", shuffle=True, seed=1, shard="env", equal_cost=cost)
if os.path.exists("sampler.json"):
    with open("sampler.json") as file:
        sampler.load_state_dict(json.load(file))
loader, seen = DataLoader(GRAPHS, batch_sampler=sampler, num_workers=1), []
steps = len(loader)
for delivered, batch in enumerate(loader, 1):
    seen += batch.number.tolist()
    loss = (global_mean_pool(model(batch.x), batch.batch).view(-1) - batch.y).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if delivered == 2:
        break
print(f"rank {rank}, epoch 0, {steps} steps: {seen}", flush=True)
# All ranks read the old state before rank 0 writes the new one.
torch.distributed.barrier()
if rank == 0:
    with open("sampler.json", "w") as file:
        # The worker has drawn more lists than the loop has had batches.
        json.dump(sampler.state_dict(delivered), file)
torch.distributed.destroy_process_group()
