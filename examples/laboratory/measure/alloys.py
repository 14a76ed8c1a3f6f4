"""Structures with computed labels in the files that atomistic users have, made with ASE and its EMT potential: real
energies, forces and stresses of a simple potential. The structures are generated; results on them are not results on a
published data set.

    python alloys.py FOLDER NUMBER SEED

Writes the same structures, in the same order, as

    alloys.extxyz.gz     extended XYZ: Properties in varying order, energy, forces, stress, charge, spin, partial pbc
    alloys.db            ASE's SQLite database
    alloys.aselmdb       ASE's LMDB database (fairchem's; zlib-compressed JSON)
    alloys_mace.h5       layout of MACE's preprocessed HDF5: config_batch_B/config_C/...
    conformers_spice.h5  layout of SPICE: a group per molecule with atomic_numbers, conformations (bohr), gradients
    truth.json           per structure: atoms, energy, sum of positions, sum of |forces|, edges within 4 and 6 angstrom

Needs ase, ase-db-backends and h5py.
"""

import sys, gzip, json, io, os
import numpy as np, h5py
from ase.build import bulk, fcc111, molecule
from ase.calculators.emt import EMT
from ase.calculators.singlepoint import SinglePointCalculator
from ase.collections import g2
from ase.db import connect
from ase.io import write
from ase.neighborlist import neighbor_list

out, number, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
os.makedirs(out, exist_ok=True)
rng = np.random.default_rng(seed)
METALS = ["Al", "Cu", "Ag", "Au", "Ni", "Pd", "Pt"]
MOLECULES = [n for n in g2.names if len(g2[n]) > 1 and set(g2[n].get_chemical_symbols()) <= {"H", "C", "N", "O"}]
# EMT as few real calculators: stress only with three periodic directions.


def structure():
    kind = rng.random()
    if kind < 0.2:
        a = molecule(str(rng.choice(MOLECULES)))
        a.rattle(0.05, rng=rng)
        return a
    metal = str(rng.choice(METALS))
    if kind < 0.35:
        a = fcc111(metal, size=(int(rng.integers(1, 4)), int(rng.integers(1, 4)), int(rng.integers(2, 5))), vacuum=6.0)
    else:
        n = np.minimum(np.exp(rng.normal(0.6, 0.55, 3)).round().astype(int), 6).clip(1)
        a = bulk(metal, cubic=bool(rng.integers(2))) * tuple(int(k) for k in n)
        a.set_cell(a.cell[:] @ (np.eye(3) + rng.normal(0, 0.02, (3, 3))), scale_atoms=True)
    other = str(rng.choice(METALS))
    symbols = np.array(a.get_chemical_symbols(), dtype=object)
    symbols[rng.random(len(a)) < rng.random() * 0.5] = other
    a.set_chemical_symbols(list(symbols))
    a.rattle(0.03 + 0.1 * rng.random(), rng=rng)
    return a


frames = []
while len(frames) < number:
    a = structure()
    a.calc = EMT()
    try:
        energy, forces = a.get_potential_energy(), a.get_forces()
        stress = a.get_stress() if a.pbc.all() else None
    except NotImplementedError:
        continue
    a.calc = SinglePointCalculator(a, energy=energy, forces=forces, **({} if stress is None else {"stress": stress}))
    a.info["charge"], a.info["spin"] = int(rng.integers(-1, 2)), int(rng.integers(1, 4))
    frames.append(a)

text = io.StringIO()
for i, a in enumerate(frames):
    b = a.copy()
    b.calc = a.calc
    b.arrays["forces"] = a.get_forces()
    b.info["energy"] = a.get_potential_energy()
    if a.pbc.all():
        b.info["stress"] = a.get_stress(voigt=False)
    columns = ["symbols", "positions", "forces"] if i % 3 else ["symbols", "numbers", "positions", "forces"]
    part = io.StringIO()
    write(part, b, format="extxyz", columns=columns, write_results=False)
    lines = part.getvalue().splitlines()
    if (
        i % 5 == 0 and "species:S:1:pos:R:3:forces:R:3" in lines[1]
    ):  # another order of the columns, as other programs write them
        lines[1] = lines[1].replace("species:S:1:pos:R:3:forces:R:3", "forces:R:3:species:S:1:pos:R:3")
        rows = [r.split() for r in lines[2:]]
        lines[2:] = ["  ".join(r[4:7] + r[0:4]) for r in rows]
    text.write("\n".join(lines) + "\n")
with gzip.open(f"{out}/alloys.extxyz.gz", "wt") as f:
    f.write(text.getvalue())

for name in ("alloys.db", "alloys.aselmdb"):
    path = f"{out}/{name}"
    if os.path.exists(path):
        os.remove(path)
    if os.path.exists(path + "-lock"):
        os.remove(path + "-lock")
    if name.endswith(".aselmdb"):
        from ase_db_backends.aselmdb import LMDBDatabase

        db = LMDBDatabase(path)
    else:
        db = connect(path)
    with db:
        for a in frames:
            db.write(a, data={"charge": a.info["charge"], "spin": a.info["spin"]})

with h5py.File(f"{out}/alloys_mace.h5", "w") as f:
    for i, a in enumerate(frames):
        g = f.require_group(f"config_batch_{i // 100}").create_group(f"config_{i % 100}")
        g["atomic_numbers"], g["positions"], g["cell"], g["pbc"] = a.numbers, a.positions, a.cell[:], a.pbc
        p = g.create_group("properties")
        p["energy"], p["forces"] = a.get_potential_energy(), a.get_forces()
        if a.pbc.all():
            p["stress"] = a.get_stress(voigt=False)
        p["charge"], p["spin"] = a.info["charge"], a.info["spin"]
        g["weight"], g["config_type"] = 1.0, "Default"

with h5py.File(f"{out}/conformers_spice.h5", "w") as f:
    for name in MOLECULES[:60]:
        base = molecule(name)
        n = int(rng.integers(3, 12))
        conf, en, gr = [], [], []
        for _ in range(n):
            a = base.copy()
            a.rattle(0.08, rng=rng)
            a.calc = EMT()
            conf.append(a.positions / 0.529177210903)
            en.append(a.get_potential_energy() / 27.211386245988)
            gr.append(-a.get_forces() / 27.211386245988 * 0.529177210903)
        g = f.create_group(name)
        g["atomic_numbers"] = base.numbers.astype(np.int16)
        d = g.create_dataset("conformations", data=np.array(conf, np.float32), compression="gzip")
        d.attrs["units"] = "bohr"
        g["formation_energy"] = np.array(en)
        g["dft_total_gradient"] = np.array(gr, np.float32)
        g["smiles"] = np.array([name.encode()])

truth = []
for a in frames:
    edges = [int(len(neighbor_list("i", a, r))) for r in (4.0, 6.0)]
    truth.append(
        [
            len(a),
            round(float(a.get_potential_energy()), 9),
            round(float(a.positions.sum()), 6),
            round(float(np.abs(a.get_forces()).sum()), 6),
            *edges,
        ]
    )
json.dump(
    {"columns": ["atoms", "energy_eV", "sum_positions", "sum_abs_forces", "edges_4A", "edges_6A"], "rows": truth},
    open(f"{out}/truth.json", "w"),
)
n = np.array([t[0] for t in truth])
print(len(n), "structures,", n.min(), "to", n.max(), "atoms, mean", n.mean())
