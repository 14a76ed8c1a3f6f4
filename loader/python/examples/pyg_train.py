"""Trains GIN, which has batch norm, by PyTorch Geometric's usual loop: python pyg_train.py [EPOCHS]

Downloads MUTAG into a folder `TU`. Run it again with more epochs to go on after those that it had.
"""

import os
import sys

import torch
from torch.nn.functional import cross_entropy
from torch_geometric.datasets import TUDataset
from torch_geometric.nn import MLP, GINConv, global_add_pool

import graphpack_loader as gp

SAVED = "pyg_train.pt"


class GIN(torch.nn.Module):
    def __init__(self, columns, classes, width=32):
        super().__init__()
        self.convs = torch.nn.ModuleList(GINConv(MLP([of, width, width])) for of in [columns, width, width])
        self.out = MLP([width, width, classes], norm=None)

    def forward(self, x, edge_index, batch, graphs):
        for conv in self.convs:
            x = conv(x, edge_index).relu()
        return self.out(global_add_pool(x, batch, graphs))


def train(model, optimizer, loader, device):
    model.train()
    total = 0.0
    for batch in loader:
        batch = batch.to(device)
        optimizer.zero_grad()
        loss = cross_entropy(model(batch.x, batch.edge_index, batch.batch, batch.num_graphs), batch.y)
        loss.backward()
        optimizer.step()
        total += loss.item() * batch.num_graphs
    return total / len(loader.dataset)


@torch.no_grad()
def test(model, loader, device):
    model.eval()
    correct = 0
    for batch in loader:
        batch = batch.to(device)
        found = model(batch.x, batch.edge_index, batch.batch, batch.num_graphs).argmax(dim=-1)
        correct += int((found == batch.y).sum())
    return correct / len(loader.dataset)


def main(dataset, epochs, device):
    data, last = gp.from_pyg(dataset), len(dataset) // 10
    train_loader = gp.Loader(data.subset(range(last, len(data))), capacity=32, shuffle=True, seed=1, output="pyg")
    test_loader = gp.Loader(data.subset(range(last)), capacity=32, output="pyg")
    model = GIN(dataset.num_features, dataset.num_classes).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    parts = {"model": model, "optimizer": optimizer, "loader": train_loader}
    if os.path.exists(SAVED):
        for name, state in torch.load(SAVED).items():
            parts[name].load_state_dict(state)
    for epoch in range(train_loader.state_dict()["epoch"], epochs):
        loss = train(model, optimizer, train_loader, device)
        print(f"epoch {epoch}: loss {loss:.4f}, accuracy {test(model, test_loader, device):.3f}")
        torch.save({name: part.state_dict() for name, part in parts.items()}, SAVED)
    return model


if __name__ == "__main__":
    torch.manual_seed(1)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    main(TUDataset("TU", "MUTAG").shuffle(), int(sys.argv[1]) if len(sys.argv) > 1 else 20, device)
