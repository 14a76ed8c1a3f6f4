"""Data sets of TU Dortmund's collection as graphpack reads them against PyTorch Geometric's TUDataset.

    python pyg_tu.py FOLDER NAME.zip...

FOLDER has the store NAME.safetensors of each, which measure/peer_tu.rs wrote. Prints a row of a Markdown table for each;
fails at the first difference, which it names.
"""

import sys
import zipfile
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file
from torch_geometric.datasets import TUDataset


def pyg(folder, archive):
    """TUDataset downloads nothing where it finds the files."""
    raw = folder / "pyg" / archive.stem / "raw"
    raw.mkdir(parents=True)
    with zipfile.ZipFile(archive) as files:
        for name in files.namelist():
            if name.endswith(".txt"):
                (raw / Path(name).name).write_bytes(files.read(name))
    return TUDataset(str(folder / "pyg"), archive.stem, use_node_attr=True, use_edge_attr=True)


def main(folder, archives):
    print("| data set | graphs | nodes | edges | columns of x, edge_attr | equal |")
    print("|---|---|---|---|---|---|")
    for archive in archives:
        data, store = pyg(folder, archive), load_file(folder / f"{archive.stem}.safetensors")
        # PyG has attributes first.
        ours = {
            name: [store[part] for part in parts if part in store]
            for name, parts in {"x": ("node_attributes", "x"), "edge_attr": ("edge_attributes", "edge_attr")}.items()
        }
        nodes, edges = store["ptr_node"], store["ptr_edge"]
        assert len(data) == len(nodes) - 1, f"{archive.stem}: {len(data)} graphs, {len(nodes) - 1}"
        for number, graph in enumerate(data):
            node = slice(nodes[number], nodes[number + 1])
            edge = slice(edges[number], edges[number + 1])
            expected = {"num_nodes": graph.num_nodes, "edge_index": graph.edge_index, "y": graph.y}
            expected |= {"x": graph.x, "edge_attr": graph.edge_attr}
            found = {"num_nodes": node.stop - node.start, "edge_index": index(store, edge), "y": np.atleast_1d(store["y"][number])}
            found |= {
                name: np.concatenate([part[rows] for part in ours[name]], axis=-1) if ours[name] else None
                for name, rows in {"x": node, "edge_attr": edge}.items()
            }
            for name, value in expected.items():
                same = found[name] is None if value is None else np.array_equal(np.asarray(value), found[name])
                assert same, f"{archive.stem}, graph {number}, {name}: {value}, graphpack has {found[name]}"
        widths = ", ".join(str(sum(part.shape[1] for part in parts)) for parts in ours.values())
        print(f"| {archive.stem} | {len(data)} | {nodes[-1]} | {edges[-1]} | {widths} | yes |")


def index(store, edge):
    return store["edge_index"][:, edge]


if __name__ == "__main__":
    main(Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]])
