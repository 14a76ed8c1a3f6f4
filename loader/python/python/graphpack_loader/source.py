"""Graphs that Python makes: `Source`, for those who only want to try."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ._graphpack import Data

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


@dataclass
class Schema:
    """Sets of rows, fields by name as (set or "graph", dtype, shape of a row: None for one value, `9` for `[rows, 9]` or
    `(3, 3)` for `[rows, 3, 3]`), indices by name as (set, the sets that its columns point into), what padding rows hold
    by field: a number (else 0), `"positions"` (100 apart where the option `padding` connects them), `"length"` (100) or
    `"cell"` (unit vectors).

    >>> schema = gp.Schema(fields={"x": ("nodes", "float32", 2), "y": ("graph", "int64", None)}, padding={"y": -1})
    >>> schema.sets, schema.indices
    (('nodes', 'edges'), {'edge_index': ('edges', ['nodes', 'nodes'])})
    """

    sets: Sequence[str] = ("nodes", "edges")
    fields: Mapping[str, tuple[str, str, int | Sequence[int] | None]] = field(default_factory=dict)
    indices: Mapping[str, tuple[str, Sequence[str]]] = field(
        default_factory=lambda: {"edge_index": ("edges", ["nodes", "nodes"])}
    )
    padding: Mapping[str, float | str] = field(default_factory=dict)

    def parts(self) -> tuple[list[str], list[Any], list[Any]]:
        """As the library takes it."""
        unknown = sorted(self.padding.keys() - self.fields.keys())
        if unknown:
            raise ValueError(f"padding: no fields {unknown}; there are {sorted(self.fields)}")
        fields = [(name, *of, self.padding.get(name, 0.0)) for name, of in self.fields.items()]
        indices = [(name, of, names(name, targets)) for name, (of, targets) in self.indices.items()]
        return names("sets", self.sets), fields, indices


def names(what: str, given: Iterable[str]) -> list[str]:
    """A list of names; an error for a string, which would be one of letters."""
    if isinstance(given, str):
        raise TypeError(f"{what}: expected a list of names, found the string {given!r}: [{given!r}]")
    return list(given)


class Source:
    """Graphs that Python makes: derive a class with `schema`, `__len__`, `size` and `__getitem__`, and give
    `data()` of it to a `Loader`. Each graph costs a call from a worker that holds the GIL; a store, which
    `data().save(path)` writes, needs none.

    >>> class Paths(gp.Source):
    ...     schema = gp.Schema(fields={"x": ("nodes", "float32", 1)})
    ...     def __len__(self):
    ...         return 100
    ...     def size(self, graph):
    ...         return [graph + 2, graph + 1]
    ...     def __getitem__(self, graph):
    ...         ends = np.arange(graph + 1)
    ...         return {"x": np.ones((graph + 2, 1), "float32"), "edge_index": np.stack([ends, ends + 1])}
    >>> Paths().data()
    Data(100 graphs of nodes, edges; x float32[1])
    """

    schema: Schema

    def __len__(self) -> int:
        """Number of graphs."""
        raise NotImplementedError

    def size(self, graph: int) -> Sequence[int]:
        """Number of rows of each set, in the order of the schema; called once per graph when data are made."""
        raise NotImplementedError

    def __getitem__(self, graph: int) -> Mapping[str, Any]:
        """The fields, of the dtypes of the schema, and the indices (int64, columns first) of a graph by name: arrays,
        tensors or lists, of which only lists are converted."""
        raise NotImplementedError

    def data(self) -> Data:
        """These graphs, for a loader."""
        return Data.from_object(self.schema.parts(), self)
