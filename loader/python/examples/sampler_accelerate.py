"""Trains with accelerate on a data set that stays in Python: accelerate launch --cpu --num_processes 2 sampler_accelerate.py

`prepare` divides the batches among ranks, so the sampler has no `shard`: with one, each rank would get a share of its
share. With `equal_cost`, give `shard=(accelerator.process_index, accelerator.num_processes)` and do not prepare the loader.
"""

import torch
from accelerate import Accelerator
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import global_mean_pool

import graphpack_loader as gp

GRAPHS = [Data(x=torch.ones(n, 1), edge_index=torch.zeros(2, 3 * n, dtype=torch.long), y=float(n), number=n) for n in range(3, 51)]

accelerator = Accelerator(cpu=not torch.cuda.is_available())
model = torch.nn.Linear(1, 1)
# Without drop_last, accelerate fills the last step with batches that the epoch already had.
sampler = gp.BatchSampler(GRAPHS, capacity=4, shuffle=True, seed=1, drop_last=True)
loader = DataLoader(GRAPHS, batch_sampler=sampler)
model, optimizer, loader = accelerator.prepare(model, torch.optim.SGD(model.parameters(), lr=1e-4), loader)
for epoch in range(2):
    seen = []
    for batch in loader:
        seen += batch.number.tolist()
        loss = (global_mean_pool(model(batch.x), batch.batch).view(-1) - batch.y).square().mean()
        optimizer.zero_grad()
        accelerator.backward(loss)
        optimizer.step()
    print(f"rank {accelerator.process_index}, epoch {epoch}, {len(loader)} steps: {seen}", flush=True)
accelerator.end_training()
