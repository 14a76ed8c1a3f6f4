"""Trains with Lightning, stops and goes on: python lightning_ddp.py [lightning.ckpt]

Lightning saves the state of the loader in its checkpoints, and loads it on all ranks.
"""

import sys

import lightning
import torch
from torch_geometric.data import Data
from torch_geometric.nn import global_mean_pool

import graphpack_loader as gp
from graphpack_loader.lightning import Loader

GRAPHS = [Data(x=torch.ones(n, 1), edge_index=torch.zeros(2, 3 * n, dtype=torch.long), y=float(n)) for n in range(3, 51)]
CHECKPOINT = sys.argv[1] if len(sys.argv) > 1 else None


class Graphs(lightning.LightningDataModule):
    # Lightning has started all processes.
    def setup(self, stage):
        self.data = gp.from_pyg(GRAPHS)

    def train_dataloader(self):
        return Loader(self.data, capacity=4, shuffle=True, seed=1, shard="env", output="pyg")


class Model(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.out, self.seen = torch.nn.Linear(1, 1), []

    def training_step(self, batch, step):
        self.seen += (batch.graph_ids + 3).tolist()
        return (global_mean_pool(self.out(batch.x), batch.batch).view(-1) - batch.y).square().mean()

    def on_train_batch_end(self, outputs, batch, step):
        if CHECKPOINT is None and step == 2:
            self.trainer.save_checkpoint("lightning.ckpt")
            self.trainer.should_stop = True

    def on_train_epoch_end(self):
        print(f"rank {self.global_rank}, epoch {self.current_epoch}, {self.trainer.num_training_batches} steps: {self.seen}", flush=True)
        self.seen = []

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=1e-4)


trainer = lightning.Trainer(
    max_epochs=2, accelerator="cpu", devices=2, strategy="ddp",
    logger=False, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False,
)  # fmt: skip
trainer.fit(Model(), datamodule=Graphs(), ckpt_path=CHECKPOINT)
