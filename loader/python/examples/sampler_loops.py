"""The loops of fairchem, MACE, metatrain and HydraGNN round `gp.BatchSampler`: python sampler_loops.py

These are rewritten from the sources of fairchem a73c95b (`mlip_unit.py`, `dataloader_builder.py`), MACE 667eee4
(`tools/train.py`), metatrain e2af067 (`samplers.py`, trainers) and HydraGNN d251f81 (`train_validate_test.py`), without
their models.
"""

from torch.utils.data import DataLoader

import graphpack_loader as gp

SIZES = [(3 + graph % 7, 8 + graph % 11) for graph in range(60)]
GRAPHS = range(len(SIZES))


def batch_sampler_fn(dataset, num_replicas, rank):
    """What fairchem's configuration names, and metatrain's trainers make. The sizes of their data sets are
    `gp.BatchSampler(dataset, ...)`."""
    return gp.BatchSampler(SIZES, capacity=4, shuffle=True, seed=1, shard=(rank, num_replicas))


def fairchem(rank=0, epochs=2, done=(0, 0)):
    """Goes on after `done`, the epochs and the steps of this epoch."""
    loader = DataLoader(GRAPHS, batch_sampler=batch_sampler_fn(dataset=GRAPHS, num_replicas=2, rank=rank))
    for epoch in range(done[0], epochs):
        loader.batch_sampler.set_epoch_and_start_iteration(epoch, done[1] if epoch == done[0] else 0)
        yield [batch.tolist() for batch in loader]


def mace(rank=0, epochs=2):
    train_sampler = batch_sampler_fn(GRAPHS, 2, rank)
    loader = DataLoader(GRAPHS, batch_sampler=train_sampler)
    # Statistics of the data, before training.
    assert len([batch for batch in loader]) == len(loader)
    for epoch in range(epochs):
        train_sampler.set_epoch(epoch)
        yield [batch.tolist() for batch in loader]


def metatrain(rank=0, epochs=2):
    epoch_samplers = [batch_sampler_fn(dataset=GRAPHS, num_replicas=2, rank=rank)]
    loader = DataLoader(GRAPHS, batch_sampler=epoch_samplers[0], num_workers=1, multiprocessing_context="fork")
    for epoch in range(epochs):
        for sampler in epoch_samplers:
            sampler.set_epoch(epoch)
        yield [batch.tolist() for batch in loader]


def hydragnn(rank=0, epochs=2):
    loader = DataLoader(GRAPHS, batch_sampler=batch_sampler_fn(GRAPHS, 2, rank))
    for epoch in range(epochs):
        loader.batch_sampler.set_epoch(epoch)
        batches = iter(loader)
        yield [next(batches).tolist() for _ in range(len(loader))]


if __name__ == "__main__":
    for loop in (fairchem, mace, metatrain, hydragnn):
        print(loop.__name__, [len(batches) for batches in loop()])
