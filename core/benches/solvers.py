"""Packs of instances as `cargo bench -p graphpack-core --bench hard -- --write FOLDER` writes them, by two other solvers.

    apt install coinor-cbc
    python -m venv target/solvers && target/solvers/bin/pip install ortools==9.15.6755 'setuptools<70' wheel
    target/solvers/bin/pip install --no-build-isolation pyvpsolver==3.1.4
    target/solvers/bin/python core/benches/solvers.py SECONDS FOLDER/*

VPSolver makes an arc-flow graph, whose integer program CBC solves. OR-Tools' CP-SAT finds how many graphs of each size each
pack has, and begins with the packs of first-fit. Each has these seconds on one thread for an instance. Prints packs, bound
and seconds; None where there are none.
"""

import multiprocessing
import os
import re
import subprocess
import sys
import tempfile
import time


def read(path):
    rows = [[int(number) for number in line.split()] for line in open(path) if line.strip()]
    sets, most, limits = rows[0][0], rows[0][1], rows[0][2:]
    sizes, counts = [tuple(row[:sets]) for row in rows[1:]], [row[sets] for row in rows[1:]]
    return sizes, counts, limits, min(most, sum(counts))


def first_fit(sizes, counts, limits, most):
    """The graphs of each pack by size, the largest sizes first."""
    packs = []
    for i in sorted(range(len(sizes)), key=lambda i: -max(rows / limit for rows, limit in zip(sizes[i], limits))):
        for _ in range(counts[i]):
            for left, content in packs:
                if left[-1] and all(room >= rows for room, rows in zip(left, sizes[i])):
                    break
            else:
                left, content = [*limits, most], {}
                packs.append((left, content))
            for k, rows in enumerate((*sizes[i], 1)):
                left[k] -= rows
            content[i] = content.get(i, 0) + 1
    return [content for _, content in packs]


def cp_sat(path, seconds):
    from ortools.sat.python import cp_model

    sizes, counts, limits, most = read(path)
    start = first_fit(sizes, counts, limits, most)
    model = cp_model.CpModel()
    used = [model.new_bool_var("") for _ in start]
    packs = [[model.new_int_var(0, count, "") for count in counts] for _ in start]
    for i, count in enumerate(counts):
        model.add(sum(pack[i] for pack in packs) == count)
    for pack, is_used, content in zip(packs, used, start):
        for k, limit in enumerate(limits):
            model.add(sum(size[k] * number for size, number in zip(sizes, pack)) <= limit * is_used)
        model.add(sum(pack) <= most * is_used)
        for i, number in enumerate(pack):
            model.add_hint(number, content.get(i, 0))
    for before, after in zip(used, used[1:]):
        model.add(before >= after)
    model.minimize(sum(used))
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = seconds
    solver.parameters.num_workers = 1
    is_found = solver.solve(model) in (cp_model.OPTIMAL, cp_model.FEASIBLE)
    return (round(solver.objective_value) if is_found else None), round(solver.best_objective_bound)


def vpsolver(path, seconds):
    sizes, counts, limits, most = read(path)
    programs, end = os.path.dirname(sys.executable), time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as folder:
        def run(*command):
            left = max(1.0, end - time.monotonic())
            return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True, timeout=left).stdout

        with open(f"{folder}/instance.vbp", "w") as file:
            print(len(limits) + 1, *limits, most, len(sizes), file=file)
            for size, count in zip(sizes, counts):
                print(*size, 1, count, file=file)
        run(f"{programs}/vbp2afg", "instance.vbp", "graph.afg")
        run(f"{programs}/afg2lp", "graph.afg", "program.lp")
        left = max(1.0, end - time.monotonic())
        # CBC looks at its clock between steps, which may be long.
        end += seconds
        text = run("cbc", "program.lp", "-seconds", f"{left:.0f}", "-solve", "-quit")
    packs = re.search(r"Objective value:\s+([\d.]+)", text)
    bound = re.search(r"Lower bound:\s+([\d.]+)", text) or packs
    is_found = packs and "infeasible" not in text
    return (round(float(packs[1])) if is_found else None), (bound and float(bound[1]))


def timed(solve, path, seconds, result):
    begun = time.monotonic()
    try:
        packs, bound = solve(path, seconds)
    except subprocess.SubprocessError as error:
        packs, bound = None, type(error).__name__
    result.put((packs, bound, time.monotonic() - begun))


for path in sys.argv[2:]:
    for solve in (vpsolver, cp_sat):
        seconds, result = float(sys.argv[1]), multiprocessing.Queue()
        child = multiprocessing.Process(target=timed, args=(solve, path, seconds, result))
        child.start()
        # Building a model may take longer than solving it.
        child.join(2 * seconds)
        if child.is_alive():
            child.kill()
        packs, bound, took = (None, None, 2 * seconds) if result.empty() else result.get()
        name = os.path.basename(path)
        print(f"{name} {solve.__name__}: packs {packs}, bound {bound}, {took:.1f} s", flush=True)
