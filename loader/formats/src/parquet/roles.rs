//! [`Roles`]: what the columns of a file are, by their names, by the new names that somebody gives them, and by what
//! other columns there are.

use super::column::{Column, Kind};
use crate::FormatError;
use crate::atoms::{Known, expect_one, known, meaning, says_what};
use crate::gather::Fields;
use crate::smiles::NAMES as SMILES;
use graphpack_loader::{Error, Level};
use parquet::schema::types::SchemaDescriptor;
use std::borrow::Cow;
use std::path::Path;

/// What a column is to a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Sources and targets.
    Edges,
    /// Sources, or targets.
    End(usize),
    /// Number of nodes.
    Nodes,
    /// Molecules, whose graphs are made.
    Smiles,
    /// A field; whether its name alone says so.
    Field(Level, bool),
}

impl Role {
    /// That of a column whose name says nothing: a field of graphs, if it has a number of each.
    pub(super) const UNKNOWN: Self = Self::Field(Level::Graph, false);
}

/// Names of sources and targets.
const ENDS: [[&str; 2]; 4] = [["edge_src", "edge_dst"], ["src", "dst"], ["source", "target"], ["senders", "receivers"]];

/// What the columns of a file are.
pub(super) struct Roles<'a> {
    path: &'a Path,
    schema: &'a SchemaDescriptor,
    pub(super) names: &'a [String],
    /// The names that somebody gives the columns.
    said: Vec<&'a str>,
    /// The columns of elements and of positions, where graphs are structures of atoms.
    atoms: Option<[usize; 2]>,
    /// The column whose molecules become graphs.
    smiles: Option<usize>,
}

impl<'a> Roles<'a> {
    /// Looks at the names of all columns. Errors if two are elements, or positions, or if there are nodes beside a
    /// column of SMILES that is named.
    pub(super) fn find(
        path: &'a Path,
        schema: &'a SchemaDescriptor,
        names: &'a [String],
        fields: &'a Fields,
        smiles: Option<&str>,
    ) -> Result<Self, Error> {
        let said = names.iter().map(|name| fields.said(name)).collect();
        let mut roles = Self { path, schema, names, said, atoms: None, smiles: None };
        let numbers = roles.one("z", 1, &[Kind::Integer, Kind::Unsigned])?;
        let z = if numbers.is_some() { numbers } else { roles.one("z", 1, &[Kind::Text])? };
        roles.atoms = z.zip(roles.one("pos", 2, &[Kind::Float])?).map(|(z, pos)| [z, pos]);
        let is_of_graph = |number| matches!(roles.of(number).0, Role::Field(Level::Graph, _));
        let has_nodes = !(0..names.len()).all(is_of_graph);
        let is_text = |&number: &usize| roles.is(number, 0, &[Kind::Text]);
        let called =
            |wanted: &str| (0..names.len()).find(|&number| names[number].eq_ignore_ascii_case(wanted)).filter(is_text);
        roles.smiles = match smiles {
            Some(_) if has_nodes => {
                return Err(roles.refused("no nodes and edges beside a column of SMILES that is named"));
            }
            Some(name) => Some(called(name).ok_or_else(|| roles.refused(&format!("a column {name:?} of texts")))?),
            None if has_nodes => None,
            None => SMILES.into_iter().find_map(called),
        };
        Ok(roles)
    }

    /// The error that a file has other columns than it must.
    pub(super) fn refused(&self, expected: &str) -> Error {
        FormatError::wrong(self.path, "", expected, format!("the columns {}", self.names.join(", ")))
    }

    /// Whether graphs are structures of atoms.
    pub(super) fn are_of_atoms(&self) -> bool {
        self.atoms.is_some()
    }

    /// What a column is, what this is called here, and the name that its field has in records: a new name that says
    /// nothing of it is given later.
    pub(super) fn of(&self, number: usize) -> (Role, &str, Cow<'_, str>) {
        let (name, said) = (&*self.names[number], self.said[number]);
        if self.smiles == Some(number) {
            return (Role::Smiles, name, name.into());
        }
        if let Some(atoms) = self.atoms
            && ["z", "pos"].contains(&meaning(said))
            && !atoms.contains(&number)
        {
            // Another than the elements or the positions.
            return (Role::UNKNOWN, name, name.into());
        }
        let (by_name, by_new_name) = (self.by_name(number), self.role(said, self.lists(number)));
        let is_of_structure = |means: &str| ["z", "pos", "cell", "pbc"].contains(&means);
        let is_said = said != name && (says_what(said) || is_of_structure(by_new_name.1));
        if said != name && !is_said && (0..self.names.len()).any(|other| other != number && self.is_as(other, number)) {
            // Of two of one meaning, the one that is renamed leaves the name of this meaning to the other.
            let role = if by_new_name.0 == Role::UNKNOWN { by_name.0 } else { by_new_name.0 };
            return (role, said, Fields::renamed_beside(by_name.1, said).into());
        }
        let (role, means) = if by_new_name.0 == Role::UNKNOWN { by_name } else { by_new_name };
        let field = match is_said {
            true if !is_of_structure(means) => name,
            _ if is_of_structure(means) => means,
            _ => by_name.1,
        };
        (role, means, field.into())
    }

    /// How deep the lists of a column are.
    fn lists(&self, number: usize) -> i16 {
        self.schema.column(number).max_rep_level()
    }

    /// What a column is by its own name, and what this is called here.
    fn by_name(&self, number: usize) -> (Role, &str) {
        self.role(&self.names[number], self.lists(number))
    }

    /// Whether the own names of two columns mean the same.
    fn is_as(&self, number: usize, other: usize) -> bool {
        self.by_name(number).1 == self.by_name(other).1
    }

    /// The only column that means this and is of these kinds.
    fn one(&self, wanted: &str, lists: i16, kinds: &[Kind]) -> Result<Option<usize>, Error> {
        let is_it = |&number: &usize| meaning(self.said[number]) == wanted && self.is(number, lists, kinds);
        let found: Vec<usize> = (0..self.names.len()).filter(is_it).collect();
        expect_one(self.path, wanted, &found.iter().map(|&number| &*self.names[number]).collect::<Vec<_>>())?;
        Ok(found.first().copied())
    }

    fn is(&self, number: usize, lists: i16, kinds: &[Kind]) -> bool {
        let column = Column::new(&self.schema.column(number), self.schema.root_schema());
        column.is_ok_and(|column| column.lists == lists && kinds.contains(&column.kind))
    }

    /// What a column of this name is whose lists are this deep, and what that is called here. Those of atoms have the
    /// names of other formats.
    fn role<'n>(&self, name: &'n str, lists: i16) -> (Role, &'n str) {
        let of_atoms = self.are_of_atoms();
        let end = |[source, target]: [&str; 2]| {
            let both = [source, target].iter().all(|end| self.said.contains(end));
            [source, target].iter().position(|end| both && *end == name)
        };
        if let (1, Some(end)) = (lists, ENDS.into_iter().find_map(end)) {
            return (Role::End(end), name);
        }
        // Lists of energies are those of atoms.
        let name = if of_atoms && (name, lists) != ("energies", 1) { meaning(name) } else { name };
        if of_atoms
            && lists > 0
            && let Some(Known { level, widths }) = known(name)
            && (lists == 1 || !widths.is_empty())
        {
            return (Role::Field(level, true), name);
        }
        match name {
            "edge_index" => (Role::Edges, name),
            "num_nodes" => (Role::Nodes, name),
            "num_atoms" if of_atoms => (Role::Nodes, name),
            "x" | "node_feat" => (Role::Field(Level::NODE, true), "x"),
            "edge_attr" | "edge_feat" => (Role::Field(Level::EDGE, true), "edge_attr"),
            "z" | "pos" | "forces" => (Role::Field(Level::NODE, true), name),
            "y" | "cell" | "pbc" | "stress" => (Role::Field(Level::Graph, true), name),
            _ if lists > 0 && name.starts_with("node_") => (Role::Field(Level::NODE, true), name),
            _ if lists > 0 && name.starts_with("edge_") => (Role::Field(Level::EDGE, true), name),
            _ if name.starts_with("graph_") => (Role::Field(Level::Graph, true), name),
            _ => (Role::Field(Level::Graph, false), name),
        }
    }
}
