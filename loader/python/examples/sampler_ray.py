"""Trains with Ray Train on a data set that stays in Python: python sampler_ray.py

By default `prepare_data_loader` makes a loader without the batch sampler, which gives single graphs, and says nothing.
"""

import ray.train
import ray.train.torch
import torch
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import global_mean_pool

import graphpack_loader as gp

GRAPHS = [Data(x=torch.ones(n, 1), edge_index=torch.zeros(2, 3 * n, dtype=torch.long), y=float(n), number=n) for n in range(3, 51)]


def train():
    sampler = gp.BatchSampler(GRAPHS, capacity=4, shuffle=True, seed=1, shard="env")
    loader = DataLoader(GRAPHS, batch_sampler=sampler)
    loader = ray.train.torch.prepare_data_loader(loader, add_dist_sampler=False)
    model = ray.train.torch.prepare_model(torch.nn.Linear(1, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
    rank = ray.train.get_context().get_world_rank()
    for epoch in range(2):
        seen = []
        for batch in loader:
            seen += batch.number.tolist()
            loss = (global_mean_pool(model(batch.x), batch.batch).view(-1) - batch.y).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"rank {rank}, epoch {epoch}, {len(loader)} steps: {seen}", flush=True)


ray.train.torch.TorchTrainer(train, scaling_config=ray.train.ScalingConfig(num_workers=2)).fit()
