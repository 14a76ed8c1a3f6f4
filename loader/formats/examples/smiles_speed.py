"""How many graphs per second OGB's smiles2graph makes with RDKit, in one thread, as smiles_speed.rs does here:
python smiles_speed.py FILE.csv.gz, with rdkit and ogb installed (pip install rdkit ogb)."""
import csv
import gzip
import sys
import time

from ogb.utils.mol import smiles2graph
from rdkit import Chem, RDLogger

RDLogger.DisableLog("rdApp.*")
with (gzip.open if sys.argv[1].endswith(".gz") else open)(sys.argv[1], "rt") as file:
    texts = [row["smiles"] for row in csv.DictReader(file)]
texts = [text for text in texts if Chem.MolFromSmiles(text) is not None]
for name, make in [("smiles2graph", smiles2graph), ("MolFromSmiles alone", Chem.MolFromSmiles)]:
    start = time.perf_counter()
    for text in texts:
        make(text)
    print(f"{name}: {len(texts) / (time.perf_counter() - start):.0f} graphs per second")
