"""The fewest packs of instances as `cargo bench -p graphpack-core --bench hard -- --write FOLDER` writes them, by HiGHS.

    python -m venv target/highs && target/highs/bin/pip install highspy==1.12.0 numpy
    target/highs/bin/python core/benches/exact.py FOLDER/*

Column generation with an integer program for each next pack, and the integer program over all packs found. Shares no code
and no method of rounding with the packer. Prints the name, the bound (the linear program, rounded up) and the packs; for a
class of a hundred graphs that is seconds to minutes.
"""

import math
import sys
import highspy


def quiet():
    model = highspy.Highs()
    model.setOptionValue("output_flag", False)
    model.setOptionValue("threads", 1)
    return model


def knapsack(sizes, counts, limits, most):
    """A model that finds the pack worth most; prices are its costs."""
    model = quiet()
    model.setOptionValue("mip_rel_gap", 0.0)
    model.setOptionValue("mip_abs_gap", 1e-9)
    for size, count in zip(sizes, counts):
        fits = min([limit // rows for limit, rows in zip(limits, size) if rows] + [count, most])
        model.addVar(0, fits)
    number = len(sizes)
    for number_of in range(number):
        model.changeColIntegrality(number_of, highspy.HighsVarType.kInteger)
    for k, limit in enumerate(limits):
        row = [(i, size[k]) for i, size in enumerate(sizes) if size[k]]
        model.addRow(-highspy.kHighsInf, limit, len(row), [i for i, _ in row], [v for _, v in row])
    model.addRow(-highspy.kHighsInf, most, number, list(range(number)), [1.0] * number)
    model.changeObjectiveSense(highspy.ObjSense.kMaximize)
    return model


def solve(path, seconds=600):
    numbers = open(path).read().split("\n")
    first = [int(n) for n in numbers[0].split()]
    sets, most, limits = first[0], first[1], first[2:]
    rows = [[int(n) for n in line.split()] for line in numbers[1:] if line]
    sizes, counts = [row[:sets] for row in rows], [row[sets] for row in rows]
    most = min(most, sum(counts))
    master = quiet()
    for count in counts:
        master.addRow(count, highspy.kHighsInf, 0, [], [])
    pricing = knapsack(sizes, counts, limits, most)

    def add(pack):
        entries = [(i, n) for i, n in enumerate(pack) if n]
        master.addCol(1.0, 0, highspy.kHighsInf, len(entries), [i for i, _ in entries], [float(n) for _, n in entries])

    for i, size in enumerate(sizes):
        fits = min([limit // rows for limit, rows in zip(limits, size) if rows] + [counts[i], most])
        add([fits if j == i else 0 for j in range(len(sizes))])
    bound = 0.0
    while True:
        master.run()
        value, prices = master.getObjectiveValue(), list(master.getSolution().row_dual)
        for i, price in enumerate(prices):
            pricing.changeColCost(i, max(price, 0.0))
        pricing.run()
        worth = pricing.getInfo().mip_dual_bound
        bound = max(bound, value / max(worth, 1.0))
        if math.ceil(bound - 1e-6) >= math.ceil(value - 1e-6):
            break
        pack = [round(n) for n in pricing.getSolution().col_value]
        if pricing.getObjectiveValue() <= 1 + 1e-9:
            break
        add(pack)
    for column in range(master.getNumCol()):
        master.changeColIntegrality(column, highspy.HighsVarType.kInteger)
    master.setOptionValue("time_limit", float(seconds))
    # One more than the bound is as good as nothing; the gap of one pack ends it.
    master.setOptionValue("mip_abs_gap", 0.999)
    master.run()
    return math.ceil(bound - 1e-6), round(master.getObjectiveValue())


for path in sys.argv[1:]:
    bound, packs = solve(path)
    print(f"{path.rsplit('/', 1)[-1]}: bound {bound}, packs {packs}", flush=True)
