"""The examples of docstrings: they print what they say."""

import dataclasses
import doctest
import operator

import numpy as np
import pytest

import graphpack_loader as gp
import graphpack_loader.lightning

PUBLIC = [name for name in gp.__all__ if not name.startswith("__")]
EXCEPTIONS = [name for name in PUBLIC if name.endswith("Error")]


@pytest.mark.parametrize("name", [*(name for name in PUBLIC if name not in EXCEPTIONS), "lightning.Loader"])
def test_an_example_prints_what_it_says(name, rings, tmp_path, monkeypatch):
    libraries = dict.fromkeys(["from_pyg", "save_store", "nn"], "torch_geometric")
    libraries |= {"over_devices": "jax", "DeviceLoader": "torch"}
    if name in libraries:
        pytest.importorskip(libraries[name])
    monkeypatch.chdir(tmp_path)
    text = operator.attrgetter(name)(gp).__doc__
    example = doctest.DocTestParser().get_doctest(text, {"gp": gp, "np": np, "data": rings.data()}, name, None, None)
    assert example.examples
    found = []
    doctest.DocTestRunner(verbose=False).run(example, out=found.append)
    assert not found, "".join(found)


def test_all_that_is_public_has_a_docstring():
    public = [(name, getattr(gp, name)) for name in PUBLIC]
    for name, value in list(public):
        if isinstance(value, type) and name not in EXCEPTIONS:
            public += [(f"{name}.{of}", member) for of, member in vars(value).items() if of[0] != "_"]
    # The class says what these are.
    attributes = [f"Schema.{field.name}" for field in dataclasses.fields(gp.Schema)]
    assert [name for name, value in public if name not in attributes and not value.__doc__] == []
