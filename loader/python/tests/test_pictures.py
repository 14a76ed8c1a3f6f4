"""What notebooks draw in place of texts."""

import json
from xml.etree import ElementTree

import numpy as np

import graphpack_loader as gp

SVG = "{http://www.w3.org/2000/svg}"


def drawn(object):
    """The rectangles, the numbers of points of lines, and the text of a picture."""
    root = ElementTree.fromstring(object._repr_svg_())
    assert root.tag == f"{SVG}svg"
    lines = [line.get("points").split() for line in root.iter(f"{SVG}polyline")]
    text = " ".join(text.text.strip() for text in root.iter(f"{SVG}text"))
    return list(root.iter(f"{SVG}rect")), lines, text


def of_sizes(rows):
    sets = ["nodes", "edges", "triplets"][: rows.shape[1]]
    return gp.Data.from_sizes(sets, rows.astype(np.uint32).ravel())


def test_data_draw_a_bar_or_a_cell_for_each_size(data):
    random = np.random.default_rng(1)
    of_one = random.integers(0, 100, (300, 1))
    for rows in (of_one, of_one[:20], np.zeros((3, 1))):
        rectangles, _, text = drawn(of_sizes(rows))
        # One is the ground.
        assert len(rectangles) - 1 == len(np.unique(rows)), text
        assert f"{len(rows)} graphs" in text
    of_two = random.integers(0, 100, (300, 2))
    none = len(drawn(of_sizes(np.zeros((0, 2))))[0])
    for rows in (of_two, of_two[:20], np.tile(of_two, 3)[:, :3]):
        rectangles, _, text = drawn(of_sizes(rows))
        assert len(rectangles) - none == len(np.unique(rows[:, :2], axis=0)), text
    assert drawn(data)[2].endswith(repr(data))
    assert drawn(data.subset(range(7)))[2] != drawn(data)[2]


def test_loaders_and_plans_draw_how_full_packs_are(data, tmp_path):
    loader = gp.Loader(data, capacity=16)
    _, lines, text = drawn(loader)
    assert text.endswith(repr(loader)) and f"packed: {len(loader)} packs" in text
    loader.plan.save(tmp_path / "plan.json")
    limits = json.loads((tmp_path / "plan.json").read_text())["limits"]["size"]
    for column, limit in enumerate(limits):
        filled = sum(data.size(graph)[column] for graph in range(200)) / (len(loader) * limit)
        assert f"{loader.dataset.sets[column]}: {100 * filled:.1f} %" in text
    plan = gp.Plan(tmp_path / "plan.json")
    assert drawn(plan)[1] == lines and drawn(plan)[2].endswith(repr(plan))
    assert drawn(gp.Loader(data.subset(range(50)), capacity=16))[1] != lines


def test_what_has_no_plan_or_would_take_long_is_text(data):
    for options in ({"grouping": "in_order"}, {"weights": [1.0] * 200, "shuffle": True}):
        assert gp.Loader(data, capacity=16, **options)._repr_svg_() is None
    for rows in (np.zeros(10_000_001, np.uint32), np.arange(400_001, dtype=np.uint32)):
        assert gp.Data.from_sizes(["nodes"], rows)._repr_svg_() is None


def test_names_are_escaped_and_long_texts_have_lines():
    fields = {f"<f&{number}>": ("nodes", "float32", None) for number in range(40)}
    data = gp.Data.from_arrays(
        gp.Schema(fields=fields).parts(), [np.zeros(1, np.int64)] * 2, [np.zeros(0, np.int64)], [np.zeros(0, np.float32)] * 40
    )
    assert drawn(data)[2].endswith(repr(data))
