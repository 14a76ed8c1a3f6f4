"""Writes the files of this folder, with h5py 3.16 (HDF5 2.0) and pyarrow 26."""

from pathlib import Path

import h5py
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

FOLDER = Path(__file__).parent
NAMES = ["zinc", "m10", "m2", "ammonia", "Bismuth", "k", "oxygen", "e", "b9", "a"]


def molecule(parent, name):
    group = parent.create_group(name)
    group.create_dataset("atomic_numbers", data=np.array([2], dtype="i1"))
    group.create_dataset("conformations", data=np.zeros((1, 1, 3), dtype="f4"))


# Groups of many and of few members, by name and as they were created.
with h5py.File(FOLDER / "order.h5", "w", libver=("v110", "v114"), track_order=True) as file:
    for name in NAMES[:5]:
        molecule(file, name)
    by_name = file.create_group("by_name", track_order=False)
    for name in NAMES:
        molecule(by_name, name)
    few = file.create_group("few", track_order=True)
    for name in ["c", "a", "b"]:
        molecule(few, name)
    for name in NAMES[5:]:
        molecule(file, name)
    file["soft"] = h5py.SoftLink("/zinc")

# Groups of the older kind, and groups below them that keep the order in which their members were created.
with h5py.File(FOLDER / "nested.h5", "w") as file:
    tracked = file.create_group("tracked", track_order=True)
    for name in ["zinc", "ammonia", "m2"]:
        molecule(tracked, name)
    plain = file.create_group("plain")
    for name in ["z", "a"]:
        molecule(plain, name)
    inner = plain.create_group("inner", track_order=True)
    for name in ["y", "b"]:
        molecule(inner, name)

# Links to elsewhere, in groups of both kinds.
for name, libver in [("links_old.h5", None), ("links_new.h5", ("v110", "v114"))]:
    with h5py.File(FOLDER / name, "w", libver=libver) as file:
        molecule(file, "zinc")
        file["zinc"]["charges"] = h5py.SoftLink("/zinc/conformations")

with h5py.File(FOLDER / "layout5.h5", "w", libver="latest") as file:
    water = file.create_group("water")
    water["atomic_numbers"] = np.array([8, 1, 1], dtype="i1")
    positions = np.zeros((4, 3, 3), dtype="f4")
    water.create_dataset("conformations", data=positions, chunks=(2, 3, 3), compression="gzip")

table = pa.table({"num_nodes": pa.array([1, 2, 3] * 4, pa.int64()), "energy": pa.array(np.arange(12) / 7)})
pq.write_table(
    table,
    FOLDER / "checksums.parquet",
    write_page_checksum=True,
    compression="none",
    use_dictionary=False,
    store_schema=False,
)

table = pa.table(
    {
        "num_nodes": pa.array([1, 2], pa.int64()),
        "small": pa.array([1, 255], pa.uint8()),
        "half": pa.array(np.array([1, 2], "f2")),
        "time": pa.array([1, 2], pa.timestamp("s")),
        "decimal": pa.array([1, 2], pa.decimal128(5, 2)),
        "word": pa.array(["a", "b"]).dictionary_encode(),
        "pair": pa.array([{"a": 1, "b": 2}] * 2),
        "map": pa.array([[("a", 1)]] * 2, pa.map_(pa.string(), pa.int64())),
        "deep": pa.array([[[[1]]]] * 2),
        "none": pa.nulls(2),
        "bytes": pa.array([b"a"] * 2),
        "y": pa.array([[1.0, None], None]),
    }
)
pq.write_table(table, FOLDER / "types.parquet", store_schema=False)
pq.write_table(table.select(["num_nodes"]), FOLDER / "zstd.parquet", compression="zstd", store_schema=False)
