//! Numbers in the arrays of DGL's files: sources and targets of edges in any format that DGL keeps them in.

use super::relation::{Coo, Csr, Relation};
use crate::{Array, ArrayType, PartError};

/// Returns sources and targets in the order of ids, which must be the same in all formats present. `nodes` are the
/// numbers of nodes that they may be.
pub(super) fn edges(relation: Relation, nodes: [usize; 2]) -> Result<[Vec<i64>; 2], PartError> {
    let [from, to] = nodes;
    let mut first = None;
    if let Some(coo) = relation.coo {
        same(&mut first, "coo", list(coo, nodes)?)?;
    }
    if let Some(csr) = relation.csr {
        same(&mut first, "csr", by_row("csr", csr, nodes)?)?;
    }
    if let Some(csc) = relation.csc {
        let [targets, sources] = by_row("csc", csc, [to, from])?;
        same(&mut first, "csc", [sources, targets])?;
    }
    first.ok_or(PartError::Count { what: "formats of edges", expected: 1, found: 0 })
}

/// Keeps the edges of the first format, and compares those of others with them.
fn same(first: &mut Option<[Vec<i64>; 2]>, format: &str, edges: [Vec<i64>; 2]) -> Result<(), PartError> {
    let Some(expected) = first else {
        *first = Some(edges);
        return Ok(());
    };
    let pair = |[sources, targets]: &[Vec<i64>; 2], edge: usize| (sources[edge], targets[edge]);
    let Some(edge) = (0..expected[0].len()).find(|&edge| pair(expected, edge) != pair(&edges, edge)) else {
        return Ok(());
    };
    let [expected, found] = [expected, &edges].map(|edges| format!("{:?}", pair(edges, edge)));
    let (name, expected) = (format!("{format}, edge {edge}"), format!("{expected}, as in another format"));
    Err(PartError::Array { name, expected, found })
}

/// Edges that are kept as a list.
fn list(coo: Coo, nodes: [usize; 2]) -> Result<[Vec<i64>; 2], PartError> {
    size([coo.rows, coo.columns], nodes)?;
    let (row, column) = (integers("row", coo.row)?, integers("col", coo.column)?);
    let pairs = || row.windows(2).zip(column.windows(2));
    ascends("row", pairs().position(|(row, _)| coo.row_sorted && row[0] > row[1]))?;
    ascends("col", pairs().position(|(row, col)| coo.column_sorted && (row[0], col[0]) > (row[1], col[1])))?;
    in_order([row, column], "data", coo.data)
}

/// Edges that are kept row by row: rows, then columns.
fn by_row(format: &str, csr: Csr, nodes: [usize; 2]) -> Result<[Vec<i64>; 2], PartError> {
    let [indptr, indices, data] = ["indptr", "indices", "data"].map(|array| format!("{array} of {format}"));
    size([csr.rows, csr.columns], nodes)?;
    let (row, column) = (expanded(&indptr, &csr.indptr, csr.indices.rows())?, integers(&indices, csr.indices)?);
    let mut pairs = row.windows(2).zip(column.windows(2));
    ascends(&indices, pairs.position(|(row, col)| csr.sorted && row[0] == row[1] && col[0] > col[1]))?;
    in_order([row, column], &data, csr.data)
}

fn size(found: [usize; 2], expected: [usize; 2]) -> Result<(), PartError> {
    let wrong = found.into_iter().zip(expected).find(|(found, expected)| found != expected);
    wrong
        .map_or(Ok(()), |(found, expected)| Err(PartError::Count { what: "rows or columns of edges", expected, found }))
}

/// Errors if numbers descend after an edge.
fn ascends(name: &str, descends: Option<usize>) -> Result<(), PartError> {
    descends.map_or(Ok(()), |edge| {
        let (expected, found) = ("ascending, as the file says".into(), format!("descending after edge {edge}"));
        Err(PartError::Array { name: name.into(), expected, found })
    })
}

/// Returns the row of each edge.
fn expanded(name: &str, indptr: &Array, edges: usize) -> Result<Vec<i64>, PartError> {
    let mut rows = Vec::with_capacity(edges);
    let wrong = |found: i64, before: usize| {
        let (expected, found) = (format!("from 0 up to {edges}"), format!("{found} after {before}"));
        PartError::Array { name: name.into(), expected, found }
    };
    let mut ends = numbers(name, indptr)?;
    if let Some(start) = ends.next().filter(|&start| start != 0) {
        return Err(wrong(start, 0));
    }
    for (row, found) in (0..).zip(ends) {
        let end = usize::try_from(found).ok().filter(|end| (rows.len()..=edges).contains(end));
        rows.resize(end.ok_or_else(|| wrong(found, rows.len()))?, row);
    }
    let last = rows.len();
    if last < edges { Err(wrong(last as i64, last)) } else { Ok(rows) }
}

/// Orders edges by their ids in `data`; without ids they are in order.
fn in_order(edges: [Vec<i64>; 2], name: &str, data: Array) -> Result<[Vec<i64>; 2], PartError> {
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
                return Err(PartError::Edge { edge, what: "position", expected, found: id });
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
pub(super) fn integers(name: &str, array: Array) -> Result<Vec<i64>, PartError> {
    Ok(numbers(name, &array)?.collect())
}

/// Iterates over the numbers of an array of one dimension.
pub(super) fn numbers<'a>(name: &str, array: &'a Array) -> Result<impl Iterator<Item = i64> + use<'a>, PartError> {
    use ArrayType::{Bool, I8, I16, I32, I64, U8};
    let element = array.element();
    if array.shape().len() != 1 || !matches!(element, I8 | U8 | Bool | I16 | I32 | I64) {
        let (expected, found) = ("whole numbers, [rows]".into(), format!("{element} {:?}", array.shape()));
        return Err(PartError::Array { name: name.into(), expected, found });
    }
    Ok(array.bytes().chunks_exact(element.bytes()).map(move |bytes| element.integer(bytes).unwrap_or_default() as i64))
}

#[cfg(test)]
mod tests {
    use super::{Coo, Csr, Relation, edges};
    use crate::Array;

    /// Edges 0 -> 1, 2 -> 0, 0 -> 0 between three and two nodes, in each format that DGL keeps edges in.
    #[test]
    fn edges_are_in_the_order_of_their_ids_in_every_format() {
        let csr = |[rows, columns]: [usize; 2], indptr: &[i64], indices: &[i64], data: &[i64]| {
            let [indptr, indices, data] = [indptr, indices, data].map(Array::of_i64);
            Csr { columns, rows, indptr, indices, data, sorted: false }
        };
        let [row, column, data] = [&[0, 2, 0][..], &[1, 0, 0], &[]].map(Array::of_i64);
        let coo = Coo { columns: 2, rows: 3, row, column, data, row_sorted: false, column_sorted: false };
        let none = Relation { metagraph: Csr::one(), allowed: 7, coo: None, csr: None, csc: None };
        let by_source = csr([3, 2], &[0, 2, 2, 3], &[1, 0, 0], &[0, 2, 1]);
        let by_target = csr([2, 3], &[0, 2, 3], &[2, 0, 0], &[1, 2, 0]);
        for relation in [
            Relation { coo: Some(coo.clone()), ..none.clone() },
            Relation { csr: Some(by_source), ..none.clone() },
            Relation { csc: Some(by_target), ..none.clone() },
        ] {
            assert_eq!(edges(relation.clone(), [3, 2]), Ok([vec![0, 2, 0], vec![1, 0, 0]]));
            assert!(edges(relation, [2, 3]).is_err());
        }
        let other = csr([3, 2], &[0, 2, 2, 3], &[1, 1, 0], &[0, 2, 1]);
        let unlike = Relation { coo: Some(coo.clone()), csr: Some(other), ..none.clone() };
        let message = edges(unlike, [3, 2]).unwrap_err().to_string();
        assert_eq!(message, "array \"csr, edge 2\" is (0, 1), expected (0, 0), as in another format");
        let short = Relation { csc: Some(csr([2, 3], &[0, 2, 2], &[2, 0, 0], &[])), ..none.clone() };
        let message = edges(short, [3, 2]).unwrap_err().to_string();
        assert_eq!(message, "array \"indptr of csc\" is 2 after 2, expected from 0 up to 3");
        let sorted = Relation { coo: Some(Coo { row_sorted: true, ..coo }), ..none };
        let message = edges(sorted, [3, 2]).unwrap_err().to_string();
        assert_eq!(message, "array \"row\" is descending after edge 1, expected ascending, as the file says");
    }
}
