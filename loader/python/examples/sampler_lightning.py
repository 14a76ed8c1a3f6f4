"""Trains with Lightning on a data set that stays in Python: python sampler_lightning.py [own]

By default Lightning makes the sampler again for its ranks. With `own`, the sampler has its ranks, which
`equal_cost` needs to be known to it, and Lightning leaves it as it is.
"""

import sys

import lightning
import torch
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import global_mean_pool

import graphpack_loader as gp

OWN = sys.argv[1:] == ["own"]
GRAPHS = [Data(x=torch.ones(n, 1), edge_index=torch.zeros(2, 3 * n, dtype=torch.long), y=float(n), number=n) for n in range(3, 51)]


class Model(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.out, self.seen = torch.nn.Linear(1, 1), []

    def train_dataloader(self):
        shard = (self.trainer.global_rank, self.trainer.world_size) if OWN else None
        sampler = gp.BatchSampler(GRAPHS, capacity=4, shuffle=True, seed=1, shard=shard)
        return DataLoader(GRAPHS, batch_sampler=sampler)

    def training_step(self, batch, step):
        self.seen += batch.number.tolist()
        return (global_mean_pool(self.out(batch.x), batch.batch).view(-1) - batch.y).square().mean()

    def on_train_epoch_end(self):
        print(f"rank {self.global_rank}, epoch {self.current_epoch}, {self.trainer.num_training_batches} steps: {self.seen}", flush=True)
        self.seen = []

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=1e-4)


trainer = lightning.Trainer(
    max_epochs=2, accelerator="cpu", devices=2, strategy="ddp", use_distributed_sampler=not OWN,
    logger=False, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False,
)  # fmt: skip
trainer.fit(Model())
