//! The part of each node, read from the original ids beside the parts.

use super::VerifyError;
use super::column::Column;
use super::columns::Files;
use crate::Assignment;
use graphpack_loader::IoError;
use std::io;

/// Reads original ids from `orig_nids.dgl` of all parts, or else from `node_map.npy`.
pub(super) fn owners(files: &Files<'_>) -> Result<Assignment, VerifyError> {
    let book = &files.config.book;
    let parts = book.parts();
    let mut owners = Vec::new();
    for (kind, nodes) in files.graph.node_types().iter().enumerate() {
        // The files may lie about their numbers of nodes.
        let (count, mut of_type) = (nodes.nodes(), Vec::<Option<u16>>::new());
        of_type.try_reserve_exact(count).map_err(|error| {
            let problem = format!("{count} nodes of type {:?}: {error}", nodes.name());
            IoError::at(files.path)(io::Error::new(io::ErrorKind::OutOfMemory, problem))
        })?;
        of_type.resize(count, None);
        for part in 0..parts {
            let column = match files.original_nodes(kind, part)? {
                Some(column) => column,
                None => files.node_map(kind, part)?.ok_or_else(|| VerifyError::NoOwners { path: files.path.into() })?,
            };
            take(files, column, kind, part, &mut of_type)?;
        }
        let missing = of_type.iter().position(Option::is_none);
        if let Some(node) = missing {
            return Err(VerifyError::Differs {
                path: files.path.into(),
                what: format!("the part of node {node} of type {:?}", nodes.name()),
                expected: "a part that has it among its original ids".into(),
                found: "none".into(),
            });
        }
        owners.push(of_type.into_iter().flatten().collect());
    }
    Ok(Assignment::new(parts, owners)?)
}

/// Notes the nodes of a part, whose original ids must ascend.
fn take(
    files: &Files<'_>,
    mut column: Column,
    kind: usize,
    part: usize,
    owners: &mut [Option<u16>],
) -> Result<(), VerifyError> {
    let mut least = 0;
    while let Some(row) = column.next()? {
        let id = row.first_chunk().map_or(-1, |&id| i64::from_le_bytes(id));
        let owner = usize::try_from(id).ok().filter(|&id| id >= least).and_then(|id| owners.get_mut(id));
        match owner {
            Some(owner @ None) => *owner = Some(part as u16),
            other => {
                let taken = other.and_then(|owner| *owner).map(|owner| format!(", which part {owner} has, too"));
                let name = files.graph.node_types()[kind].name();
                let (all, what) = (owners.len(), format!("original ids of part {part} of type {name:?}"));
                let expected =
                    format!("ids of nodes from {least} to {all} (exclusive) that no other part has, ascending");
                return Err(column.differs(what, expected, format!("{id}{}", taken.unwrap_or_default())));
            }
        }
        least = id as usize + 1;
    }
    Ok(())
}
