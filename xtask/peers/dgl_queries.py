"""What DGL's DistGraph answers about a partition, compared with the edges of all parts, by a server for each part.

    python dgl_queries.py CONFIG.json

Degrees, ends of edges, sampling in both directions with all neighbours and with two, nodes, edges and their splits. Prints a line;
fails at the first difference. (`in_subgraph` fails in DGL 2.1.0 itself, whatever the parts.)
"""

import json
import multiprocessing
import os
import socket
import sys
import tempfile
from pathlib import Path

os.environ |= {"DGLBACKEND": "pytorch", "DGL_DIST_MODE": "distributed", "DGL_NUM_SERVER": "1", "DGL_NUM_SAMPLER": "0"}

import dgl
import dgl.distributed
import torch


def server(number, addresses, config, parts):
    formats = ["coo", "csr", "csc"]
    dgl.distributed.DistGraphServer(
        number, addresses, 1, parts, config, disable_shared_mem=True, graph_format=formats
    ).start()


def same(what, found, expected):
    if found.shape != expected.shape or not torch.equal(found, expected):
        sys.exit(f"{what} differs: {found} instead of {expected}")


def all_edges(config, parts):
    """Sources and targets by global edge id, of the edges that parts own."""
    loaded = [dgl.distributed.load_partition(config, part, load_feats=False)[0] for part in range(parts)]
    count = sum(int(g.edata["inner_edge"].sum()) for g in loaded)
    ends = torch.full((2, count), -1)
    for g in loaded:
        inner = g.edata["inner_edge"].bool()
        for at, local in enumerate(g.edges()):
            ends[at, g.edata["_ID"][inner]] = g.ndata["_ID"][local[inner]]
    assert (ends >= 0).all()
    return ends


def client(part, addresses, config, parts):
    dgl.distributed.initialize(addresses)
    book, name, _, _ = dgl.distributed.load_partition_book(config, part)
    g = dgl.distributed.DistGraph(name, gpb=book)
    if part == 0:
        ask(g, book, *all_edges(config, parts))
    # Those of its own part.
    for kind in g.ntypes:
        mask = torch.arange(g.num_nodes(kind)) % 3 == 0
        split = dgl.distributed.node_split(mask, book, kind, rank=part, force_even=False)
        own = book.partid2nids(part, kind)
        same(f"node_split of {kind}", split, own[mask[own]])
    for kind in g.canonical_etypes:
        mask = torch.arange(g.num_edges(kind)) % 3 == 0
        split = dgl.distributed.edge_split(mask, book, kind, rank=part, force_even=False)
        own = book.partid2eids(part, kind)
        same(f"edge_split of {kind}", split, own[mask[own]])
    dgl.distributed.exit_client()


def ask(g, book, source, target):
    nodes, edges = torch.arange(g.num_nodes()), torch.arange(g.num_edges())
    same("number of edges", edges, torch.arange(len(source)))
    homogeneous = len(g.ntypes) == len(g.etypes) == 1
    if homogeneous:
        degrees = lambda ends: torch.bincount(ends, minlength=len(nodes))
        same("in_degrees", g.in_degrees(nodes), degrees(target))
        same("out_degrees", g.out_degrees(nodes), degrees(source))
        same("find_edges, sources", g.find_edges(edges)[0], source)
        same("find_edges, targets", g.find_edges(edges)[1], target)
        for direction, end in (("in", target), ("out", source)):
            asked = nodes[::2]
            for fan_out in (-1, 2):
                sampled = dgl.distributed.sample_neighbors(g, asked, fan_out, edge_dir=direction)
                ids, (from_, to) = sampled.edata["_ID"], sampled.edges()
                same(f"sources of sampled edges, {direction}", from_, source[ids])
                same(f"targets of sampled edges, {direction}", to, target[ids])
                assert len(ids.unique()) == len(ids), ids
                expected = degrees(end) if fan_out < 0 else degrees(end).clamp(max=fan_out)
                found = degrees(to if direction == "in" else from_)
                expected[nodes % 2 == 1] = 0
                same(f"edges sampled {direction}, {fan_out} of each", found, expected)
    else:
        for canonical in g.canonical_etypes:
            of_type = torch.arange(g.num_edges(canonical))
            globally = book.map_to_homo_eid(of_type, canonical)
            ends = [book.map_to_per_ntype(end[globally])[1] for end in (source, target)]
            for what, found, expected in zip(("sources", "targets"), g.find_edges(of_type, etype=canonical), ends):
                same(f"find_edges of {canonical}, {what}", found, expected)


def main(config):
    parts = json.loads(Path(config).read_text())["num_parts"]
    with tempfile.TemporaryDirectory() as folder:
        sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(parts)]
        ports = [one.getsockname()[1] for one in sockets]
        addresses = Path(folder) / "addresses"
        addresses.write_text("".join(f"127.0.0.1 {port}\n" for port in ports))
        for one in sockets:
            one.close()
        spawn = multiprocessing.get_context("spawn")
        arguments = lambda part: (part, str(addresses), config, parts)
        servers, clients = ([spawn.Process(target=one, args=arguments(part)) for part in range(parts)] for one in (server, client))
        for process in [*servers, *clients]:
            process.start()
        while any(process.is_alive() for process in clients) and not any(process.exitcode for process in clients):
            clients[0].join(0.1) or clients[-1].join(0.1)
        failed = any(process.exitcode for process in clients)
        for process in [*servers, *clients]:
            process.join(0 if failed else 10)
            process.kill()
        if failed:
            sys.exit(f"{config}: DistGraph differs")


if __name__ == "__main__":
    main(sys.argv[1])
    print(f"{Path(sys.argv[1]).parent.name}: all that DistGraph answers is that of the edges of all parts")
