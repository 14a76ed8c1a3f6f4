"""Line graphs that graphpack derives against those of `dgl.line_graph`, of the same graphs in the same order.

    python dgl_line_graphs.py FOLDER TIMES

FOLDER and TIMES are those of pyg_batches.py. Prints a row of a Markdown table for each way of making line graphs;
fails at the first difference, which it names.
"""

import json
import os
import sys
from pathlib import Path

os.environ["DGLBACKEND"] = "pytorch"

import dgl
import numpy as np
import torch
from batches import Schema, compare
from safetensors.numpy import load_file


def graphs_of(path):
    """The graphs of a store, with `x`."""
    data = {name: torch.from_numpy(array) for name, array in load_file(path).items()}
    node, edge = data["ptr_node"].tolist(), data["ptr_edge"].tolist()
    graphs = []
    for number in range(len(node) - 1):
        sources, targets = data["edge_index"][:, edge[number] : edge[number + 1]].long()
        graph = dgl.graph((sources, targets), num_nodes=node[number + 1] - node[number])
        graph.ndata["x"] = data["x"][node[number] : node[number + 1]]
        graphs.append(graph)
    return graphs


def maker(graphs, backtracking):
    """A function from numbers of graphs to DGL's batch of them and of their line graphs."""

    def make(numbers):
        chosen = [graphs[number] for number in numbers]
        return dgl.batch(chosen), dgl.batch([dgl.line_graph(graph, backtracking) for graph in chosen])

    return make


def rows_of(made):
    """The rows of both batches, by graphpack's names, and `ptr` of each set."""
    graphs, lines = made
    index = {"edge_index": graphs, "line_index": lines}
    rows = {name: torch.stack(batch.edges()).numpy() for name, batch in index.items()}
    nodes, edges, pairs = graphs.batch_num_nodes(), lines.batch_num_nodes(), lines.batch_num_edges()
    counts = {"nodes": nodes, "edges": edges, "line_edges": pairs}
    ptr = {name: np.concatenate([[0], np.cumsum(count.numpy())]) for name, count in counts.items()}
    return rows | {"x": graphs.ndata["x"].numpy()}, ptr


def main():
    folder, times = map(Path, sys.argv[1:])
    torch.set_num_threads(1)
    for line in map(json.loads, times.read_text().splitlines()):
        if line["derived"] not in ["line graphs", "line graphs without backtracking"]:
            continue
        path = folder / f"{line['data']}.safetensors"
        schema = Schema(path)
        schema.add_index("line_index", "line_edges", ["edges", "edges"])
        compare("DGL", folder, line, schema, maker(graphs_of(path), line["derived"] == "line graphs"), rows_of)


if __name__ == "__main__":
    main()
