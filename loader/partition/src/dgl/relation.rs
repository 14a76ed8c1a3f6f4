//! [`Relation`]: the edges of one type, in the formats that DGL keeps them in.

use super::DglError;
use super::edge_formats::EdgeFormats;
use super::input::Input;
use super::output::{Elements, Output};
use crate::{Array, ArrayType};
use std::io::{self, Write};

const META_GRAPH: u64 = 0xDD3C_5FFE_2004_6ABF;
const UNIT_GRAPH: u64 = 0xDD2E_60F0_F6B4_A127;
const CSR: u64 = 0xDD6C_D312_05DF_F127;
const COO: u64 = 0xDD61_FFD3_05DF_F127;

/// Added to a set of formats, to distinguish it from what DGL wrote before 0.5.
const FORMATS: u64 = 1 << 32;
const COO_BIT: u64 = 1;
const CSR_BIT: u64 = 2;
const CSC_BIT: u64 = 4;
const ALL: u64 = 7;

/// Number of bytes of the smallest relation, which has no formats.
pub(super) const RELATION_BYTES: u64 = 24;

/// What is wrong, what was expected, what was found.
pub(super) type Wrong = (&'static str, String, String);

/// Edges of one type, in one or more formats.
#[derive(Clone, Debug, PartialEq)]
pub struct Relation {
    /// One or two types of nodes, and one edge.
    pub metagraph: Csr,
    /// Formats that DGL may create: the sum of 1 for COO, 2 for CSR, 4 for CSC.
    pub allowed: u8,
    /// The edges as a list.
    pub coo: Option<Coo>,
    /// The edges by source.
    pub csr: Option<Csr>,
    /// The edges by target: rows are targets.
    pub csc: Option<Csr>,
}

/// Edges as a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Coo {
    /// Number of nodes of the targets' type.
    pub columns: usize,
    /// Number of nodes of the sources' type.
    pub rows: usize,
    /// Source of each edge.
    pub row: Array,
    /// Target of each edge.
    pub column: Array,
    /// Id of each edge; empty if ids are positions.
    pub data: Array,
    /// Whether sources ascend.
    pub row_sorted: bool,
    /// Whether targets ascend among the edges of each source.
    pub column_sorted: bool,
}

/// Edges row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct Csr {
    /// Number of columns.
    pub columns: usize,
    /// Number of rows.
    pub rows: usize,
    /// First edge of each row, and the end of the last.
    pub indptr: Array,
    /// Column of each edge.
    pub indices: Array,
    /// Id of each edge; empty if ids are positions.
    pub data: Array,
    /// Whether columns ascend within each row.
    pub sorted: bool,
}

impl Relation {
    /// Number of edges.
    pub fn edges(&self) -> usize {
        let sparse = [&self.csr, &self.csc].into_iter().flatten().next().map_or(0, Csr::edges);
        self.coo.as_ref().map_or(sparse, |coo| coo.row.rows())
    }

    pub(super) fn read(input: &mut Input) -> Result<Self, DglError> {
        input.magic("start of a relation", UNIT_GRAPH)?;
        let saved = formats(input, "formats that were saved")?;
        let allowed = formats(input, "formats that are allowed")?;
        let mut relation = Self { metagraph: Csr::none(), allowed: allowed as u8, coo: None, csr: None, csc: None };
        let mut first = true;
        for format in [COO_BIT, CSR_BIT, CSC_BIT] {
            if saved & format == 0 {
                continue;
            }
            let offset = input.position();
            let metagraph = metagraph(input)?;
            if !first && metagraph != relation.metagraph {
                return Err(input.wrong(offset, "metagraph of a relation", "the same in each format", "another"));
            }
            (relation.metagraph, first) = (metagraph, false);
            match format {
                COO_BIT => relation.coo = Some(Coo::read(input)?),
                CSR_BIT => relation.csr = Some(Csr::read(input)?),
                _ => relation.csc = Some(Csr::read(input)?),
            }
        }
        Ok(relation)
    }

    pub(super) fn check(&self) -> Result<(), Wrong> {
        self.metagraph.check()?;
        if let Some(Coo { row, column, data, .. }) = &self.coo {
            ids("source of edges", row, None)?;
            ids("target of edges", column, Some(row.rows()))?;
            data_ids(data, row.rows())?;
        }
        for csr in [&self.csr, &self.csc].into_iter().flatten() {
            csr.check()?;
        }
        let edges = self.edges();
        match [&self.csr, &self.csc].into_iter().flatten().find(|csr| csr.edges() != edges) {
            Some(csr) => Err(("number of edges in another format", edges.to_string(), csr.edges().to_string())),
            None => Ok(()),
        }
    }
}

impl Coo {
    fn read(input: &mut Input) -> Result<Self, DglError> {
        input.magic("start of a list of edges", COO)?;
        Ok(Self {
            columns: input.size("number of columns")?,
            rows: input.size("number of rows")?,
            row: input.array("sources of edges")?,
            column: input.array("targets of edges")?,
            data: input.array("ids of edges")?,
            row_sorted: input.bool("whether sources are sorted")?,
            column_sorted: input.bool("whether targets are sorted")?,
        })
    }
}

impl Csr {
    /// Number of edges.
    pub fn edges(&self) -> usize {
        self.indices.rows()
    }

    /// The metagraph for one type of nodes and one of edges.
    pub(super) fn one() -> Self {
        let [indptr, indices, data] = [&[0, 1][..], &[0], &[0]].map(Array::of_i64);
        Self { columns: 1, rows: 1, indptr, indices, data, sorted: false }
    }

    fn none() -> Self {
        let empty = Array::of_i64(&[]);
        Self { columns: 0, rows: 0, indptr: empty.clone(), indices: empty.clone(), data: empty, sorted: false }
    }

    fn read(input: &mut Input) -> Result<Self, DglError> {
        input.magic("start of edges by row", CSR)?;
        Ok(Self {
            columns: input.size("number of columns")?,
            rows: input.size("number of rows")?,
            indptr: input.array("starts of rows")?,
            indices: input.array("columns of edges")?,
            data: input.array("ids of edges")?,
            sorted: input.bool("whether columns are sorted")?,
        })
    }

    pub(super) fn check(&self) -> Result<(), Wrong> {
        ids("starts of rows", &self.indptr, self.rows.checked_add(1))?;
        ids("columns of edges", &self.indices, None)?;
        data_ids(&self.data, self.edges())
    }

    fn write(&self, output: &mut Output<impl Write>) -> io::Result<()> {
        let arrays = [&self.indptr, &self.indices, &self.data].map(Elements::Array);
        write_csr(output, [self.columns, self.rows], arrays, self.sorted)
    }
}

fn formats(input: &mut Input, what: &'static str) -> Result<u64, DglError> {
    let offset = input.position();
    let found = input.u64(what)?;
    match found.checked_sub(FORMATS).filter(|formats| (1..=ALL).contains(formats)) {
        Some(formats) => Ok(formats),
        None => {
            Err(input.wrong(offset, what, "0x100000001 to 0x100000007, as since DGL 0.5", format_args!("{found:#x}")))
        }
    }
}

/// Writes a relation between nodes of one type, from borrowed memory. The nodes exist.
pub(super) fn write_edges(
    output: &mut Output<impl Write>,
    nodes: usize,
    [sources, targets]: [&[i64]; 2],
    formats: EdgeFormats,
) -> io::Result<()> {
    let bits = [(formats.coo, COO_BIT), (formats.csr, CSR_BIT), (formats.csc, CSC_BIT)];
    output.u64(UNIT_GRAPH)?;
    output.u64(bits.iter().fold(FORMATS, |all, &(saved, bit)| if saved { all | bit } else { all }))?;
    output.u64(FORMATS | ALL)?;
    if formats.coo {
        write_metagraph(output, &Csr::one())?;
        let arrays = [Elements::I64(sources), Elements::I64(targets), Elements::I64(&[])];
        write_coo(output, [nodes, nodes], arrays, [false, false])?;
    }
    for (saved, rows, columns) in [(formats.csr, sources, targets), (formats.csc, targets, sources)] {
        if saved {
            write_metagraph(output, &Csr::one())?;
            let arrays = by_row(nodes, rows, columns);
            write_csr(output, [nodes, nodes], arrays.each_ref().map(|array| Elements::I64(array)), false)?;
        }
    }
    Ok(())
}

/// Sorts edges by row: returns the starts of rows, the columns, and the positions of edges in the list.
fn by_row(nodes: usize, rows: &[i64], columns: &[i64]) -> [Vec<i64>; 3] {
    let mut starts = vec![0; nodes + 1];
    // Counts, moved on by two rows: when rows have been filled, each start has become the next one's.
    for &row in rows {
        if let Some(count) = starts.get_mut(row as usize + 2) {
            *count += 1;
        }
    }
    (1..starts.len()).for_each(|row| starts[row] += starts[row - 1]);
    let (mut indices, mut data) = (vec![0; rows.len()], vec![0; rows.len()]);
    for (edge, (&row, &column)) in rows.iter().zip(columns).enumerate() {
        let next = &mut starts[row as usize + 1];
        (indices[*next as usize], data[*next as usize]) = (column, edge as i64);
        *next += 1;
    }
    [starts, indices, data]
}

pub(super) fn metagraph(input: &mut Input) -> Result<Csr, DglError> {
    input.magic("start of a metagraph", META_GRAPH)?;
    Csr::read(input)
}

pub(super) fn write_metagraph(output: &mut Output<impl Write>, metagraph: &Csr) -> io::Result<()> {
    output.u64(META_GRAPH)?;
    metagraph.write(output)
}

fn write_coo(
    output: &mut Output<impl Write>,
    size: [usize; 2],
    arrays: [Elements<'_>; 3],
    sorted: [bool; 2],
) -> io::Result<()> {
    output.u64(COO)?;
    size.into_iter().try_for_each(|size| output.size(size))?;
    arrays.into_iter().try_for_each(|array| output.array(array))?;
    output.bytes(&sorted.map(u8::from))
}

fn write_csr(
    output: &mut Output<impl Write>,
    size: [usize; 2],
    arrays: [Elements<'_>; 3],
    sorted: bool,
) -> io::Result<()> {
    output.u64(CSR)?;
    size.into_iter().try_for_each(|size| output.size(size))?;
    arrays.into_iter().try_for_each(|array| output.array(array))?;
    output.bytes(&[u8::from(sorted)])
}

/// Checks that an array has one dimension of int32 or int64, and the length, if one is given.
fn ids(what: &'static str, array: &Array, length: Option<usize>) -> Result<(), Wrong> {
    let fits = array.shape().len() == 1 && length.is_none_or(|length| array.rows() == length);
    if fits && matches!(array.element(), ArrayType::I32 | ArrayType::I64) {
        return Ok(());
    }
    let expected = length.map_or("[any]".to_owned(), |length| format!("[{length}]"));
    Err((what, format!("int32 or int64 {expected}"), format!("{} {:?}", array.element(), array.shape())))
}

fn data_ids(data: &Array, edges: usize) -> Result<(), Wrong> {
    ids("ids of edges", data, Some(if data.rows() == 0 { 0 } else { edges }))
}
