"""`Rows`: measured rows in a csv file, so that a long measurement can be taken in parts."""

from __future__ import annotations

import csv
import os
import platform
from pathlib import Path


class Rows:
    """Rows by what was measured, `keys`; a row that is there is not measured again."""

    def __init__(self, path: Path, keys: list[str]) -> None:
        self.path, self.keys = path, keys
        self.rows = list(csv.DictReader(path.open())) if path.exists() else []

    def has(self, *values: str) -> bool:
        return any([row[key] for key in self.keys] == list(values) for row in self.rows)

    def add(self, row: dict[str, object]) -> None:
        """Writes a row, with the processor."""
        named = {name: str(value) for name, value in (row | {"processor": processor()}).items()}
        with self.path.open("a", newline="") as file:
            writer = csv.DictWriter(file, list(named))
            if not self.rows:
                writer.writeheader()
            writer.writerow(named)
        self.rows.append(named)
        print(named, flush=True)


def processor() -> str:
    """The name of the processor, and how many cores this process may use."""
    names = (line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name"))
    return f"{next(names, platform.processor())}, {len(os.sched_getaffinity(0))} cores"
