"""Edges between near atoms, made by vesin and matscipy on one thread.

    python neighbours.py make FOLDER DATA   writes stores of atoms: alloys, every 13th molecule of QM9, random crystals
    python neighbours.py peers STORE...     prints a line of JSON for each store, radius and library
"""
import gzip
import json
import sys
import time
from pathlib import Path

import numpy as np

RADII = [4.0, 6.0]


def write(path, structures):
    """Writes (positions, cell, pbc) of structures as a store that graphpack opens."""
    sizes = [len(positions) for positions, _, _ in structures]
    tensors = {
        "ptr_node": np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        "pos": np.concatenate([positions for positions, _, _ in structures]).astype(np.float64),
        "cell": np.array([np.reshape(cell, 9) for _, cell, _ in structures], np.float64),
        "pbc": np.array([pbc for _, _, pbc in structures], bool),
    }
    fields = [["pos", "node"], ["cell", "graph"], ["pbc", "graph"]]
    header = {"__metadata__": {"graphpack": json.dumps({"sets": ["nodes"], "fields": fields, "indices": []})}}
    names, end = {"bool": "BOOL", "int64": "I64", "float64": "F64"}, 0
    for name, tensor in tensors.items():
        start, end = end, end + tensor.nbytes
        header[name] = {"dtype": names[str(tensor.dtype)], "shape": tensor.shape, "data_offsets": [start, end]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for tensor in tensors.values():
            file.write(tensor.tobytes())


def read(path):
    """Reads what `write` has written."""
    data = Path(path).read_bytes()
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:start])
    dtypes = {"BOOL": bool, "I64": np.int64, "F64": np.float64}

    def tensor(name):
        at, dtype = header[name]["data_offsets"], dtypes[header[name]["dtype"]]
        return np.frombuffer(data[start + at[0] : start + at[1]], dtype).reshape(header[name]["shape"]).copy()

    ptr, pos, cell, pbc = (tensor(name) for name in ["ptr_node", "pos", "cell", "pbc"])
    return [(pos[ptr[i] : ptr[i + 1]], cell[i].reshape(3, 3), pbc[i]) for i in range(len(pbc))]


def make(folder, data):
    """Writes what there is in the data folder, and crystals of 100 to 1,000 atoms."""
    random = np.random.default_rng(1)
    crystals = []
    for _ in range(100):
        atoms = int(random.integers(100, 1001))
        length = (12.0 * atoms) ** (1 / 3)
        cell = np.diag(length * random.uniform(0.8, 1.25, 3)) + random.normal(0, 0.1 * length, (3, 3))
        crystals.append((random.random((atoms, 3)) @ cell, cell, [True] * 3))
    write(folder / "crystals.safetensors", crystals)
    alloys, qm9 = data / "atoms/alloys.extxyz.gz", data / "qm9/qm9_128k_positions.npz"
    if alloys.is_file():
        from ase.io import read as read_atoms

        with gzip.open(alloys, "rt") as file:
            frames = read_atoms(file, ":", format="extxyz")
        write(folder / "atoms.safetensors", [(frame.positions, frame.cell[:], frame.pbc) for frame in frames])
    if qm9.is_file():
        arrays = np.load(qm9)
        pos = arrays["pos_milliangstrom"] / 1000.0
        ptr = np.concatenate([[0], np.cumsum(arrays["num_atoms"], dtype=np.int64)])
        molecules = [pos[ptr[i] : ptr[i + 1]] for i in range(0, len(ptr) - 1, 13)]
        write(folder / "qm9.safetensors", [(pos, np.zeros((3, 3)), [False] * 3) for pos in molecules])


def peers(stores):
    """Times the libraries. All that a graph needs is asked for: pairs, distances, shifts and vectors."""
    import vesin
    from matscipy.neighbours import neighbour_list

    def of_vesin(structures, radius, in_order):
        search = vesin.NeighborList(cutoff=radius, full_list=True, sorted=in_order)
        find = search.compute
        return sum(len(find(points=pos, box=cell, periodic=pbc, quantities="ijdSD")[0]) for pos, cell, pbc in structures)

    def of_matscipy(structures, radius, _):
        count = 0
        for pos, cell, pbc in structures:
            # It needs a cell with a volume.
            cell = cell if pbc.any() else np.eye(3)
            count += len(neighbour_list("ijdSD", cutoff=radius, positions=pos, cell=cell, pbc=pbc)[0])
        return count

    libraries = [("vesin", of_vesin, False), ("vesin, sorted", of_vesin, True), ("matscipy", of_matscipy, False)]
    for path in stores:
        structures = read(path)
        for radius in RADII:
            for what, run, in_order in libraries:
                seconds = []
                for _ in range(3):
                    begun = time.process_time()
                    edges = run(structures, radius, in_order)
                    seconds.append(time.process_time() - begun)
                rates = [count / min(seconds) for count in (len(structures), edges)]
                row = {"data": Path(path).stem, "radius": radius, "what": what, "edges": edges}
                row |= {"structures_per_cpu_second": rates[0], "edges_per_cpu_second": rates[1]}
                print(json.dumps(row), flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(Path(sys.argv[2]), Path(sys.argv[3]))
    else:
        peers(sys.argv[2:])
