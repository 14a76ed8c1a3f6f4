"""Graphs that graphpack partitioned, opened by DGL 2.1, rebuilt from their parts and compared with the originals; and the other way round.

    python dgl_check.py GRAPHPACK FOLDER

GRAPHPACK is the command, FOLDER a scratch folder. Prints a line per partition; fails at the first difference.
"""

import contextlib
import io
import json
import os
import subprocess
import sys
from pathlib import Path

# DGL then verifies every partition that it loads.
os.environ["DGL_DIST_DEBUG"] = "1"
os.environ["DGLBACKEND"] = "pytorch"

import dgl
import dgl.distributed
import networkx
import numpy as np
import torch

command, folder = sys.argv[1], Path(sys.argv[2])
torch.manual_seed(0)


def graphpack(*arguments):
    done = subprocess.run([command, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"graphpack {' '.join(map(str, arguments))}: {done.stderr}")
    return done.stdout


def homogeneous(name, graph):
    n, e = graph.num_nodes(), graph.num_edges()
    graph.ndata["feat"] = torch.randn(n, 5)
    graph.ndata["train_mask"] = torch.arange(n) % 3 == 0
    graph.edata["w"] = torch.rand(e)
    return name, graph


def graphs():
    yield homogeneous("karate", dgl.from_networkx(networkx.karate_club_graph()))
    yield homogeneous("random", dgl.rand_graph(3000, 20000))
    count = {"user": 1000, "item": 600, "tag": 400}
    ends = lambda a, b, m: (torch.randint(0, count[a], (m,)), torch.randint(0, count[b], (m,)))
    graph = dgl.heterograph(
        {
            ("user", "buys", "item"): ends("user", "item", 4000),
            ("user", "follows", "user"): ends("user", "user", 3000),
            ("item", "has", "tag"): ends("item", "tag", 1500),
        },
        num_nodes_dict=count,
    )
    for kind, nodes in count.items():
        graph.nodes[kind].data["feat"] = torch.randn(nodes, 3)
    graph.nodes["user"].data["label"] = torch.randint(0, 5, (1000,))
    graph.edges["buys"].data["rating"] = torch.rand(4000)
    yield "typed", graph


def chunk(name, graph, out, chunks):
    """Writes a graph in DGL's Chunked Graph Format, by NumPy and Python alone."""
    out.mkdir(parents=True)
    split = lambda array: np.array_split(array, chunks)
    sizes = lambda n: [len(part) for part in split(np.arange(n))]
    meta = dict(graph_name=name, node_type=graph.ntypes, edge_type=[":".join(c) for c in graph.canonical_etypes])
    meta["num_nodes_per_chunk"] = [sizes(graph.num_nodes(t)) for t in graph.ntypes]
    meta["num_edges_per_chunk"] = [sizes(graph.num_edges(c)) for c in graph.canonical_etypes]
    meta["edges"], meta["node_data"], meta["edge_data"] = {}, {}, {}

    def features(kind, data, place):
        for key, value in data.items():
            files = []
            for number, part in enumerate(split(value.numpy())):
                files.append(f"{kind.replace(':', '-')}-{key}-{number}.npy")
                np.save(out / files[-1], part)
            place.setdefault(kind, {})[key] = dict(format=dict(name="numpy"), data=files)

    for kind in graph.ntypes:
        features(kind, graph.nodes[kind].data, meta["node_data"])
    for canonical in graph.canonical_etypes:
        kind, (src, dst) = ":".join(canonical), graph.edges(etype=canonical)
        files = []
        for number, part in enumerate(split(np.stack([src.numpy(), dst.numpy()], 1))):
            files.append(f"{kind.replace(':', '-')}-{number}.csv")
            np.savetxt(out / files[-1], part, fmt="%d", delimiter=" ")
        meta["edges"][kind] = dict(format=dict(name="csv", delimiter=" "), data=files)
        features(kind, graph.edges[canonical].data, meta["edge_data"])
    (out / "metadata.json").write_text(json.dumps(meta))


def same(what, found, expected):
    # DGL has no bool in files.
    if found.shape != expected.shape or not torch.equal(found.to(expected.dtype), expected):
        sys.exit(f"{what} differs: {found} instead of {expected}")


def compare(name, graph, config, parts):
    """Loads all parts with DGL and puts the graph together again."""
    name_of = lambda canonical: ":".join(canonical)
    loaded = [dgl.distributed.load_partition(str(config), part) for part in range(parts)]
    book = loaded[0][3]
    saved = lambda file: [dgl.data.load_tensors(str(config.parent / f"part{part}" / file)) for part in range(parts)]
    nodes, edges = saved("orig_nids.dgl"), saved("orig_eids.dgl")
    types, relations = graph.ntypes, graph.canonical_etypes
    original = {t: torch.cat([part[t] for part in nodes]) for t in types}
    original_edge = {c: torch.cat([part[name_of(c)] for part in edges]) for c in relations}
    for t in types:
        same(f"{name}: nodes of {t}, each once", original[t].sort()[0], torch.arange(graph.num_nodes(t)))
    for c in relations:
        same(f"{name}: edges of {c}, each once", original_edge[c].sort()[0], torch.arange(graph.num_edges(c)))
    halo = cut = 0
    for part, (g, node_feats, edge_feats, _, _, ntypes, etypes) in enumerate(loaded):
        # Types are numbers: positions in these lists.
        etypes = [tuple(e.split(":")) if isinstance(e, str) else tuple(e) for e in etypes]
        inner, inner_edge = g.ndata["inner_node"].bool(), g.edata["inner_edge"].bool()
        node_type, node_id = book.map_to_per_ntype(g.ndata["_ID"])
        edge_type, edge_id = book.map_to_per_etype(g.edata["_ID"])
        owners = book.nid2partid(g.ndata["_ID"])
        same(f"{name}: owners of nodes in part {part}", owners == part, inner)
        same(f"{name}: owners of edges in part {part}", book.eid2partid(g.edata["_ID"]) == part, inner_edge)
        src, dst = g.edges()
        same(f"{name}: owners of targets in part {part}", owners[dst] == part, inner_edge)
        halo, cut = halo + int((~inner).sum()), cut + int((~inner[src] & inner_edge).sum())
        for c in relations:
            # Those of the HALO, too.
            of_type = edge_type == etypes.index(c)
            was = original_edge[c][edge_id[of_type]]
            expected = graph.find_edges(was, etype=c)
            same(f"{name}: sources of {c} in part {part}", original[c[0]][node_id[src[of_type]]], expected[0])
            same(f"{name}: targets of {c} in part {part}", original[c[2]][node_id[dst[of_type]]], expected[1])
            for key, value in graph.edges[c].data.items():
                found = edge_feats[f"{name_of(c)}/{key}"]
                same(f"{name}: {key} of {c} in part {part}", found, value[edges[part][name_of(c)]])
        for t in types:
            of_type = inner & (node_type == list(ntypes).index(t))
            same(f"{name}: nodes of {t} in part {part}", original[t][node_id[of_type]], nodes[part][t])
            for key, value in graph.nodes[t].data.items():
                same(f"{name}: {key} of {t} in part {part}", node_feats[f"{t}/{key}"], value[nodes[part][t]])
    return halo, cut


def queries(config):
    """All that DGL's DistGraph answers."""
    done = subprocess.run([sys.executable, Path(__file__).with_name("dgl_queries.py"), config], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{config}: {done.stdout}{done.stderr}")
    print(done.stdout.splitlines()[-1])


def as_dgl_cuts(name, graph, config, parts):
    """Each part has the edges and nodes that DGL's `partition_graph` gives it for the same owners of nodes."""
    hops = json.loads(config.read_text())["halo_hops"]
    nodes = [dgl.data.load_tensors(str(config.parent / f"part{part}/orig_nids.dgl")) for part in range(parts)]
    sim = dgl.to_homogeneous(graph)
    owners = torch.empty(sim.num_nodes(), dtype=torch.int64)
    for part, ids in enumerate(nodes):
        for number, kind in enumerate(graph.ntypes):
            of_type = (sim.ndata["_TYPE"] == number).nonzero()[:, 0]
            owners[of_type[ids[kind]]] = part
    with contextlib.redirect_stdout(io.StringIO()):
        cut, _, _ = dgl.partition.partition_graph_with_halo(sim, owners, hops, reshuffle=True)
    for part in range(parts):
        ours, theirs = dgl.distributed.load_partition(str(config), part, load_feats=False)[0], cut[part]
        for what in ("inner_node", "inner_edge"):
            level = "ndata" if what == "inner_node" else "edata"
            count = lambda g: torch.stack([(getattr(g, level)[what] == flag).sum() for flag in (0, 1)])
            same(f"{name}: {what}, part {part} with {hops} hops", count(ours), count(theirs))
        for direction in ("in_degrees", "out_degrees"):
            degrees = lambda g: getattr(g, direction)()[g.ndata["inner_node"].bool()].sort()[0]
            same(f"{name}: {direction} of part {part} with {hops} hops", degrees(ours), degrees(theirs))


def inspect(name, graph, source, method):
    """Parts that DGL made, as graphpack sees them."""
    out = folder / f"{name}-by-dgl-{method}"
    with contextlib.redirect_stdout(io.StringIO()):
        maps = dgl.distributed.partition_graph(graph, name, 2, str(out), part_method=method, num_hops=1, return_mapping=True)
    for file, ids in zip(("node_map", "edge_map"), maps):
        if not isinstance(ids, dict):
            np.save(out / file, ids.numpy())
            continue
        (out / file).mkdir()
        for kind, of_kind in ids.items():
            np.save(out / file / (kind if isinstance(kind, str) else "+".join(kind)), of_kind.numpy())
    graphpack("partition", "verify", "--in", source, "--parts", out)
    found = json.loads(graphpack("partition", "inspect", out / f"{name}.json", "--format", "json"))
    assert (found["num_nodes"], found["num_edges"]) == (graph.num_nodes(), graph.num_edges()), found
    for part in range(2):
        g, _, _, book, _, _, _ = dgl.distributed.load_partition(str(out / f"{name}.json"), part)
        row = found["parts"][part]
        inner = g.ndata["inner_node"].bool()
        assert sum(row["nodes"].values()) == int(inner.sum()) and row["halo_nodes"] == int((~inner).sum()), row
        assert sum(row["edges"].values()) == int(g.edata["inner_edge"].sum()), row
    print(f"{name}: DGL's {method} parts, read and verified here")


def trainers(name, graph, source):
    """Parts for two trainers per machine, ours and DGL's: the trainers of a part are 2 * part and the next."""
    ours, by_dgl = folder / f"{name}-trainers", folder / f"{name}-trainers-by-dgl"
    graphpack("partition", "--in", source, "--parts", 2, "--method", "metis", "--trainers-per-machine", 2, "--save-orig-ids", "--out", ours)
    compare(name, graph, ours / f"{name}.json", 2)
    with contextlib.redirect_stdout(io.StringIO()):
        dgl.distributed.partition_graph(graph.clone(), name, 2, str(by_dgl), part_method="metis", num_trainers_per_machine=2)
    for out in (ours, by_dgl):
        for part in range(2):
            _, *feats, _, _, _, _ = dgl.distributed.load_partition(str(out / f"{name}.json"), part)
            ids = [{key: value for key, value in of.items() if key.endswith("/trainer_id")} for of in feats]
            assert len(ids[0]) == len(graph.ntypes) and len(ids[1]) == len(graph.etypes), feats
            for key, found in [*ids[0].items(), *ids[1].items()]:
                same(f"{out.name}: machines of {key} in part {part}", found // 2, torch.full_like(found, part))
    print(f"{name}: two trainers per machine, here and by DGL: those of their parts")


def unsigned(name, graph, source):
    """uint16, uint32 and uint64, which torch lacks, arrive as numbers that it has."""
    kind = graph.ntypes[0]
    path, count = source / "metadata.json", graph.num_nodes(kind)
    meta = json.loads(path.read_text())
    values = {f"u{bits}": (np.arange(count) + (2 ** min(bits, 63) - count)).astype(f"uint{bits}") for bits in (16, 32, 64)}
    for key, value in values.items():
        np.save(source / f"{key}.npy", value)
        meta["node_data"].setdefault(kind, {})[key] = dict(format=dict(name="numpy"), data=[f"{key}.npy"])
    path.write_text(json.dumps(meta))
    out = folder / f"{name}-unsigned"
    graphpack("partition", "--in", source, "--parts", 2, "--method", "random", "--save-orig-ids", "--out", out)
    for part in range(2):
        ids = dgl.data.load_tensors(str(out / f"part{part}/orig_nids.dgl"))[kind]
        feats = dgl.distributed.load_partition(str(out / f"{name}.json"), part)[1]
        for key, value in values.items():
            same(f"{name}: {key} in part {part}", feats[f"{kind}/{key}"], torch.from_numpy(value.astype("int64"))[ids].to(feats[f"{kind}/{key}"].dtype))
    print(f"{name}: uint16, uint32 and uint64 read by DGL")


for name, graph in graphs():
    source = folder / f"{name}-chunked"
    chunk(name, graph, source, 3)
    for method, options in (("random", []), ("metis", []), ("metis", ["--balance-edges"]), ("metis", ["--objtype", "vol"])):
        for hops in (1, 2):
            out = folder / f"{name}-{method}{''.join(options)}-{hops}"
            graphpack("partition", "--in", source, "--parts", 3, "--method", method, "--halo-hops", hops, "--save-orig-ids", "--out", out, *options)
            halo, cut = compare(name, graph, out / f"{name}.json", 3)
            as_dgl_cuts(name, graph, out / f"{name}.json", 3)
            if method == "random":
                queries(out / f"{name}.json")
            print(f"{name}: {method} {' '.join(options)} HALO of {hops} hops ({halo} nodes), {cut} of {graph.num_edges()} edges cut: as the original")
    for method in ("random", "stream"):
        parts, out = (folder / f"{name}-{step}-{method}" for step in ("assigned", "dispatched"))
        graphpack("assign", "--in", source, "--parts", 3, "--method", method, "--out", parts)
        graphpack("dispatch", "--in", source, "--assignments", parts, "--threads", 2, "--save-orig-ids", "--out", out)
        compare(name, graph, out / f"{name}.json", 3)
        as_dgl_cuts(name, graph, out / f"{name}.json", 3)
        if method == "random":
            queries(out / f"{name}.json")
        print(f"{name}: assigned by {method} and dispatched: as the original")
    for method in ("random", "metis"):
        inspect(name, graph, source, method)
    trainers(name, graph, source)
    unsigned(name, graph, source)
