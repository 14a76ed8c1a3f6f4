//! [`Relation`]: the edges of one type, as a list; other formats that DGL keeps beside it are passed over.

use super::input::Input;
use super::output::{Elements, Output};
use crate::cut::PartError;
use crate::{Array, ArrayType};
use graphpack_loader::Error;
use std::io;

const META_GRAPH: u64 = 0xDD3C_5FFE_2004_6ABF;
const UNIT_GRAPH: u64 = 0xDD2E_60F0_F6B4_A127;
const CSR: u64 = 0xDD6C_D312_05DF_F127;
const COO: u64 = 0xDD61_FFD3_05DF_F127;

/// Added to a set of formats, to distinguish it from what DGL wrote before 0.5.
const FORMATS: u64 = 1 << 32;
/// A list of edges, edges by source, edges by target.
const COO_BIT: u64 = 1;
const CSR_BIT: u64 = 2;
const CSC_BIT: u64 = 4;
const ALL: u64 = 7;

/// Number of bytes of the smallest relation, which has no formats.
pub(super) const RELATION_BYTES: u64 = 24;

/// What is wrong, what was expected, what was found.
pub(super) type Wrong = (&'static str, String, String);

/// Edges of one type.
#[derive(Clone, Debug, PartialEq)]
pub struct Relation {
    /// One or two types of nodes, and one edge.
    pub metagraph: Metagraph,
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

/// Which types of nodes are connected: an edge for each type of edges, by source.
#[derive(Clone, Debug, PartialEq)]
pub struct Metagraph {
    /// Number of types of nodes.
    pub nodes: usize,
    /// First edge of each type of nodes, and the end of the last.
    pub indptr: Array,
    /// Type of nodes that each edge leads to.
    pub indices: Array,
    /// Type of each edge; empty if that is its position.
    pub data: Array,
}

impl Relation {
    /// Number of edges.
    pub fn edges(&self) -> usize {
        self.row.rows()
    }

    pub(super) fn read(input: &mut Input) -> Result<Self, Error> {
        input.magic("start of a relation", UNIT_GRAPH)?;
        let at = input.position();
        let saved = formats(input, "formats that were saved")?;
        formats(input, "formats that are allowed")?;
        if saved & COO_BIT == 0 {
            let expected = "a list of edges, as dgl.save_graphs(..., formats=\"coo\") writes";
            let found = if saved & CSR_BIT == 0 { "edges by target alone" } else { "edges by source" };
            return Err(input.wrong(at, "formats that were saved", expected, found));
        }
        let metagraph = Metagraph::read(input)?;
        input.magic("start of a list of edges", COO)?;
        let relation = Self {
            metagraph,
            columns: input.size("number of columns")?,
            rows: input.size("number of rows")?,
            row: input.array("sources of edges")?,
            column: input.array("targets of edges")?,
            data: input.array("ids of edges")?,
            row_sorted: input.bool("whether sources are sorted")?,
            column_sorted: input.bool("whether targets are sorted")?,
        };
        for format in [CSR_BIT, CSC_BIT] {
            if saved & format != 0 {
                Metagraph::read(input)?;
                read_csr(input, |input, what| {
                    let bytes = input.header(what)?.bytes;
                    input.skip(what, bytes)
                })?;
            }
        }
        Ok(relation)
    }

    pub(super) fn check(&self) -> Result<(), Wrong> {
        self.metagraph.check()?;
        ids("source of edges", &self.row, None)?;
        ids("target of edges", &self.column, Some(self.edges()))?;
        data_ids(&self.data, self.edges())
    }

    /// Returns sources and targets in the order of ids. `nodes` are the numbers of nodes that they may be.
    pub(super) fn ends(self, nodes: [usize; 2]) -> Result<[Vec<i64>; 2], Error> {
        for (found, expected) in [self.rows, self.columns].into_iter().zip(nodes) {
            if found != expected {
                return Err(PartError::Count { what: "rows or columns of edges", expected, found }.into());
            }
        }
        let (row, column) = (integers("row", self.row)?, integers("col", self.column)?);
        let mut pairs = row.windows(2).zip(column.windows(2));
        if self.row_sorted
            && let Some(edge) = row.windows(2).position(|row| row[0] > row[1])
        {
            return Err(descending("row", edge));
        }
        if self.column_sorted
            && let Some(edge) = pairs.position(|(row, col)| (row[0], col[0]) > (row[1], col[1]))
        {
            return Err(descending("col", edge));
        }
        in_order([row, column], "data", self.data)
    }
}

fn descending(name: &str, edge: usize) -> Error {
    let (expected, found) = ("ascending, as the file says".into(), format!("descending after edge {edge}"));
    PartError::Array { name: name.into(), expected, found }.into()
}

impl Metagraph {
    /// The one for one type of nodes and one of edges.
    pub(super) fn one() -> Self {
        let [indptr, indices, data] = [&[0, 1][..], &[0], &[0]].map(Array::of_i64);
        Self { nodes: 1, indptr, indices, data }
    }

    pub(super) fn read(input: &mut Input) -> Result<Self, Error> {
        input.magic("start of a metagraph", META_GRAPH)?;
        let at = input.position();
        let ([columns, nodes], [indptr, indices, data]) = read_csr(input, Input::array)?;
        if columns != nodes {
            return Err(input.wrong(at, "columns of a metagraph", nodes, columns));
        }
        Ok(Self { nodes, indptr, indices, data })
    }

    pub(super) fn write(&self, output: &mut Output<'_>) -> io::Result<()> {
        output.u64(META_GRAPH)?;
        output.u64(CSR)?;
        [self.nodes; 2].into_iter().try_for_each(|size| output.size(size))?;
        [&self.indptr, &self.indices, &self.data]
            .into_iter()
            .try_for_each(|array| output.array(Elements::Array(array)))?;
        output.bytes(&[0])
    }

    /// Number of types of edges.
    pub fn edges(&self) -> usize {
        self.indices.rows()
    }

    pub(super) fn check(&self) -> Result<(), Wrong> {
        ids("starts of rows", &self.indptr, self.nodes.checked_add(1))?;
        ids("columns of edges", &self.indices, None)?;
        data_ids(&self.data, self.edges())
    }

    /// The types of nodes that each type of edges connects.
    pub(super) fn ends(self) -> Result<[Vec<i64>; 2], Error> {
        let edges = self.edges();
        let mut from = Vec::with_capacity(edges);
        let wrong = |found: i64, before: usize| {
            let (expected, found) = (format!("from 0 up to {edges}"), format!("{found} after {before}"));
            Error::from(PartError::Array { name: "indptr".into(), expected, found })
        };
        let mut ends = numbers("indptr", &self.indptr)?;
        if let Some(start) = ends.next().filter(|&start| start != 0) {
            return Err(wrong(start, 0));
        }
        for (row, found) in (0..).zip(ends) {
            let end = usize::try_from(found).ok().filter(|end| (from.len()..=edges).contains(end));
            from.resize(end.ok_or_else(|| wrong(found, from.len()))?, row);
        }
        if from.len() < edges {
            return Err(wrong(from.len() as i64, from.len()));
        }
        in_order([from, integers("indices", self.indices)?], "data", self.data)
    }
}

/// Reads edges by row: the numbers of columns and rows, and starts, columns and ids as `array` reads arrays.
fn read_csr<T>(
    input: &mut Input,
    array: impl Fn(&mut Input, &'static str) -> Result<T, Error>,
) -> Result<([usize; 2], [T; 3]), Error> {
    input.magic("start of edges by row", CSR)?;
    let size = [input.size("number of columns")?, input.size("number of rows")?];
    let arrays = [array(input, "starts of rows")?, array(input, "columns of edges")?, array(input, "ids of edges")?];
    input.bool("whether columns are sorted")?;
    Ok((size, arrays))
}

fn formats(input: &mut Input, what: &'static str) -> Result<u64, Error> {
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
pub(super) fn write_edges(output: &mut Output<'_>, nodes: usize, [sources, targets]: [&[i64]; 2]) -> io::Result<()> {
    output.u64(UNIT_GRAPH)?;
    output.u64(FORMATS | COO_BIT)?;
    output.u64(FORMATS | ALL)?;
    Metagraph::one().write(output)?;
    output.u64(COO)?;
    [nodes; 2].into_iter().try_for_each(|size| output.size(size))?;
    for array in [sources, targets, &[]] {
        output.array(Elements::I64(array))?;
    }
    output.bytes(&[0, 0])
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

/// Orders edges by their ids in `data`; without ids they are in order.
fn in_order(edges: [Vec<i64>; 2], name: &str, data: Array) -> Result<[Vec<i64>; 2], Error> {
    let count = edges[0].len();
    if data.rows() == 0 {
        return Ok(edges);
    }
    let ids = integers(name, data)?;
    let mut seen = vec![false; count];
    for (edge, &id) in ids.iter().enumerate() {
        match usize::try_from(id).ok().and_then(|id| seen.get_mut(id)) {
            Some(seen) if !*seen => *seen = true,
            _ => {
                let expected = format!("each number from 0 to {count} (exclusive) once");
                return Err(
                    PartError::Array { name: name.into(), expected, found: format!("{id} for edge {edge}") }.into()
                );
            }
        }
    }
    Ok(edges.map(|column| {
        let mut ordered = vec![0; count];
        ids.iter().zip(column).for_each(|(&id, node)| ordered[id as usize] = node);
        ordered
    }))
}

/// Returns the numbers of an array and drops it.
pub(super) fn integers(name: &str, array: Array) -> Result<Vec<i64>, Error> {
    Ok(numbers(name, &array)?.collect())
}

/// Iterates over the numbers of an array of one dimension.
pub(super) fn numbers<'a>(name: &str, array: &'a Array) -> Result<impl Iterator<Item = i64> + use<'a>, Error> {
    use ArrayType::{Bool, I8, I16, I32, I64, U8};
    let element = array.element();
    if array.shape().len() != 1 || !matches!(element, I8 | U8 | Bool | I16 | I32 | I64) {
        let (expected, found) = ("whole numbers, [rows]".into(), format!("{element} {:?}", array.shape()));
        return Err(PartError::Array { name: name.into(), expected, found }.into());
    }
    Ok(array.bytes().chunks_exact(element.bytes()).map(move |bytes| element.integer(bytes).unwrap_or_default() as i64))
}

#[cfg(test)]
mod tests {
    use super::{Metagraph, Relation};
    use crate::Array;

    /// Edges 0 -> 1, 2 -> 0, 0 -> 0 between three and two nodes.
    #[test]
    fn edges_are_in_the_order_of_their_ids() {
        let [row, column, data] = [&[0, 0, 2][..], &[1, 0, 0], &[0, 2, 1]].map(Array::of_i64);
        let (row_sorted, column_sorted) = (true, false);
        let metagraph = Metagraph::one();
        let relation = Relation { metagraph, columns: 2, rows: 3, row, column, data, row_sorted, column_sorted };
        assert_eq!(relation.clone().ends([3, 2]).ok(), Some([vec![0, 2, 0], vec![1, 0, 0]]));
        let message = |relation: Relation| relation.ends([3, 2]).unwrap_err().to_string();
        assert!(relation.clone().ends([2, 3]).is_err());
        assert_eq!(
            message(Relation { column_sorted: true, ..relation.clone() }),
            "array \"col\" is descending after edge 0, expected ascending, as the file says"
        );
        let data = Array::of_i64(&[0, 2, 2]);
        assert_eq!(
            message(Relation { data, ..relation }),
            "array \"data\" is 2 for edge 2, expected each number from 0 to 3 (exclusive) once"
        );
    }

    #[test]
    fn types_of_edges_have_two_types_of_nodes() {
        let metagraph = |indptr: &[i64]| {
            let [indptr, indices, data] = [indptr, &[1, 0, 0], &[0, 2, 1]].map(Array::of_i64);
            Metagraph { nodes: 3, indptr, indices, data }
        };
        assert_eq!(metagraph(&[0, 2, 2, 3]).ends().ok(), Some([vec![0, 2, 0], vec![1, 0, 0]]));
        let message = metagraph(&[0, 2, 2, 2]).ends().unwrap_err().to_string();
        assert_eq!(message, "array \"indptr\" is 2 after 2, expected from 0 up to 3");
    }
}
