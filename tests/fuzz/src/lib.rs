//! What every reader must do with arbitrary bytes: return an error or consistent data, and never panic, hang or
//! allocate what a number in the file asks for. One function per reader; an input of several files is one text, in
//! which each file begins with a line `--- name`.

mod formats;
mod input;
// Files of LMDB, as tests write them.
#[path = "../../common/src/lmdb.rs"]
mod lmdb;
mod parts;
mod plans;
mod schema;
mod stores;
mod zip;

use formats::{aselmdb, histogram_csv, npz, ogb, sdf, smiles, tu, xyz};
use parts::{chunked, dgl_config, dgl_graphs, dgl_tensors};
use plans::{fixed_plan, plan, state};
use schema::schema;
use stores::{shards, store};

/// The name of a reader and of its corpus, and what is tried with an input.
pub type Target = (&'static str, fn(&[u8]));

/// All readers.
pub const TARGETS: [Target; 18] = [
    ("histogram_csv", histogram_csv),
    ("ogb", ogb),
    ("xyz", xyz),
    ("aselmdb", aselmdb),
    ("smiles", smiles),
    ("sdf", sdf),
    ("npz", npz),
    ("tu", tu),
    ("store", store),
    ("schema", schema),
    ("shards", shards),
    ("state", state),
    ("plan", plan),
    ("fixed_plan", fixed_plan),
    ("dgl_tensors", dgl_tensors),
    ("dgl_graphs", dgl_graphs),
    ("dgl_config", dgl_config),
    ("chunked", chunked),
];
