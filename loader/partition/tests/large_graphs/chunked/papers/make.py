"""Writes the chunked graph of this folder with NumPy, pandas and pyarrow, in the ways of DGL's and GraphStorm's tools.

python3 make.py   (NumPy 2, pandas 2 or 3, pyarrow)
"""
import json
import os

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

HERE = os.path.dirname(os.path.abspath(__file__))
PAPERS, AUTHORS = 5, 3
FEAT = np.arange(10, dtype=np.float32).reshape(PAPERS, 2) / 4
LABEL = np.array([2, -1, 0, 7, 300], dtype=np.int16)
MASK = np.array([True, False, True, True, False])
CUBE = np.arange(3 * 2 * 2, dtype=np.float64).reshape(AUTHORS, 2, 2)
EMBEDDING = np.arange(9, dtype=np.float32).reshape(AUTHORS, 3) - 4
WEIGHT = np.array([0.5, 1.5, -2.0, 4.0], dtype=np.float16)
CITES = np.array([[0, 1], [1, 2], [4, 0], [3, 3]])
WRITES = np.array([[0, 4], [2, 1], [1, 1]], dtype=np.uint32)


def table(array, **columns):
    """As DGL's ParquetArrayParser writes arrays."""
    flat = array.reshape(array.shape[0], -1)
    return pa.Table.from_pandas(pd.DataFrame(flat)).replace_schema_metadata({"shape": str(array.shape)})


def save(name, array):
    np.save(os.path.join(HERE, name), array)
    return name


def write(name, parquet):
    pq.write_table(parquet, os.path.join(HERE, name))
    return name


def spec(kind, *files, **more):
    return {"format": {"name": kind, **more}, "data": list(files)}


with open(os.path.join(HERE, "cites-0.txt"), "w") as f:
    f.write("".join(f"{s}\t{t}\n" for s, t in CITES[:3]))
with open(os.path.join(HERE, "cites-1.txt"), "w") as f:
    f.write("".join(f"{s}\t{t}" for s, t in CITES[3:]))
pandas = pd.DataFrame({"~from": WRITES[:, 0], "~to": WRITES[:, 1]})
metadata = {
    "graph_name": "papers",
    "node_type": ["paper", "author"],
    "num_nodes_per_chunk": [[3, 2], [2, 1]],
    "edge_type": ["paper:cites:paper", "author:writes:paper"],
    "num_edges_per_chunk": [[3, 1], [2, 1]],
    "edges": {
        "paper:cites:paper": spec("csv", "cites-0.txt", "cites-1.txt", delimiter="\t"),
        "author:writes:paper": spec(
            "parquet",
            write("writes-0.parquet", pa.Table.from_pandas(pandas[:2])),
            write("writes-1.parquet", pa.Table.from_pandas(pandas[2:], preserve_index=False)),
        ),
    },
    "node_data": {
        "paper": {
            "feat": spec("numpy", save("feat-0.npy", FEAT[:4]), save("feat-1.npy", FEAT[4:])),
            "label": spec("parquet", write("label.parquet", table(LABEL))),
            "mask": spec("numpy", save("mask.npy", MASK)),
        },
        "author": {
            "cube": spec("parquet", write("cube-0.parquet", table(CUBE[:1])), write("cube-1.parquet", table(CUBE[1:]))),
            "embedding": spec(
                "parquet", write("embedding.parquet", pa.table([pa.array(EMBEDDING.tolist(), pa.list_(pa.float32()))], names=["vector"]))
            ),
        },
    },
    "edge_data": {"paper:cites:paper": {"weight": spec("parquet", write("weight.parquet", table(WEIGHT)))}},
}
with open(os.path.join(HERE, "metadata.json"), "w") as f:
    json.dump(metadata, f, sort_keys=True, indent=4)

# Not of the graph: a number is missing in row 4, the second of the second row group.
pq.write_table(pa.table({"x": pa.array([0, 1, 2, 3, None, 5], pa.int32())}), os.path.join(HERE, "missing.parquet"), row_group_size=3)
