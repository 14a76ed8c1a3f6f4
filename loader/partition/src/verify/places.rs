//! [`nodes`] and [`edges`]: where in the parts the nodes and edges of the graph are, by their original ids beside the
//! parts.

use super::columns::{Column, Files, differs};
use crate::assign::Assignment;
use crate::problem::problem_in;
use graphpack_loader::extend::file_error;
use graphpack_loader::{Error, ErrorKind};
use std::io;

/// The row of a node that no part had yet.
const NONE: u32 = u32::MAX;

/// Rows of the edges of a part and type in the order of original ids; `None` if they are in that order.
pub(super) type Order = Option<Vec<u32>>;

/// The part of each node, and its row there, `[type][node]`.
pub(super) type NodePlaces = (Assignment, Vec<Vec<u32>>);

/// Returns the part of each node and its row among those of its part and type, as `orig_nids.dgl` or else the maps of
/// nodes say; `None` if there are none. Each node must be in one part, that of `given` if there is such an assignment.
pub(super) fn nodes(files: &Files<'_>, given: Option<&Assignment>) -> Result<Option<NodePlaces>, Error> {
    let parts = files.book().parts();
    let (mut owners, mut rows) = (Vec::new(), Vec::new());
    for (kind, nodes) in files.graph.node_types().iter().enumerate() {
        // The files may lie about their numbers of nodes.
        let count = nodes.nodes();
        let (mut of_type, mut rows_of_type) = (Vec::<u16>::new(), Vec::<u32>::new());
        let room = of_type.try_reserve_exact(count).and_then(|()| rows_of_type.try_reserve_exact(count));
        room.map_err(|error| {
            let problem = format!("{count} nodes of type {:?}: {error}", nodes.name());
            file_error(files.path())(io::Error::new(io::ErrorKind::OutOfMemory, problem))
        })?;
        of_type.resize(count, 0);
        rows_of_type.resize(count, NONE);
        for part in 0..parts {
            let ids = files.original_nodes(kind, part)?;
            let ids = ids.map_or_else(|| files.node_map(kind, part), |ids| Ok(Some(ids)))?;
            let Some(mut column) = ids else { return Ok(None) };
            for row in 0..column.rows {
                let id = column.id(row)?;
                let node = usize::try_from(id).unwrap_or(count);
                let given = given.and_then(|given| given.owner(kind, node));
                match rows_of_type.get_mut(node) {
                    Some(place) if *place == NONE && given.is_none_or(|given| given == part) => {
                        (*place, of_type[node]) = (row as u32, part as u16);
                    }
                    place => {
                        let taken = place.filter(|place| **place != NONE);
                        let taken = taken.map(|_| format!(", which part {} has, too", of_type[node]));
                        let assigned = given.map(|given| format!(", which is assigned to part {given}"));
                        let what = format!("original ids of part {part} of type {:?}", nodes.name());
                        let expected = format!("ids of its nodes from 0 to {count} (exclusive), each once");
                        let found = format!("{id}{}", taken.or(assigned).unwrap_or_default());
                        return Err(differs(&column.path, &what, &expected, &found));
                    }
                }
            }
        }
        // There are as many rows as nodes: each node has its own.
        owners.push(of_type);
        rows.push(rows_of_type);
    }
    Ok(Some((Assignment::new(parts, owners)?, rows)))
}

/// Returns the order of the edges of each type and part, as `orig_eids.dgl` or else the maps of edges say; `None` if
/// there are none.
pub(super) fn edges(files: &Files<'_>) -> Result<Option<Vec<Vec<Order>>>, Error> {
    let mut orders = Vec::new();
    for kind in 0..files.graph.edge_types().len() {
        let mut of_type = Vec::new();
        for part in 0..files.book().parts() {
            let ids = files.original_edges(kind, part)?;
            let ids = ids.map_or_else(|| files.edge_map(kind, part), |ids| Ok(Some(ids)))?;
            let Some(ids) = ids else { return Ok(None) };
            of_type.push(order(ids)?);
        }
        orders.push(of_type);
    }
    Ok(Some(orders))
}

fn order(mut column: Column) -> Result<Order, Error> {
    let ids = (0..column.rows).map(|row| column.id(row)).collect::<Result<Vec<_>, _>>()?;
    if ids.is_sorted() {
        return Ok(None);
    }
    let rows = u32::try_from(ids.len()).map_err(|_| {
        let text = format!(
            "{}: {} edges in another order than the graph's, at most {}",
            column.path.display(),
            ids.len(),
            u32::MAX
        );
        problem_in(&column.path, ErrorKind::TooLarge, text)
    })?;
    let mut order: Vec<u32> = (0..rows).collect();
    order.sort_unstable_by_key(|&row| ids[row as usize]);
    Ok(Some(order))
}
