//! What batches have of indices beside them: matrices of neighbours, and the order of sorted rows.

use super::{Builtin, Field, Index, Level, NeighbourField, Neighbours, Schema, SchemaError, SortedBy};
use crate::error::Error;
use std::iter::successors;

impl Schema {
    /// Returns the schema whose batches have the entries of an index that point to each row as a matrix, too, at most
    /// `most`, and these `fields` of them, in place of the matrix that the index has.
    pub(crate) fn with_neighbours(mut self, index: &str, most: u32, fields: &[String]) -> Result<Self, Error> {
        let position = self.find_index(index).unwrap_or(self.indices().len());
        let (edges, set) = match self.indices().get(position) {
            Some(Index { level: Level::Set(edges), targets, .. }) if targets.len() == 2 => (*edges, targets[1]),
            _ => {
                let suits = |of: &&Index| matches!(of.level, Level::Set(_)) && of.width() == 2;
                let available = self.indices().iter().filter(suits).map(|of| of.name.clone()).collect();
                return Err(SchemaError::NoEdges { index: index.to_owned(), available }.into());
            }
        };
        if most == 0 {
            return Err(SchemaError::NoNeighbours.into());
        }
        let of = Neighbours { index: position as u8, edges, set, most };
        let mut positions = Vec::with_capacity(fields.len());
        for name in fields {
            let position = self.position(name).ok_or_else(|| SchemaError::no_field(name, self.fields()))?;
            let found = self.fields()[position].level;
            if found != Level::Set(edges) {
                let [of, found] = [Level::Set(edges), found].map(|level| self.level_name(level).to_owned());
                return Err(SchemaError::NeighbourField { name: name.clone(), of, found }.into());
            }
            positions.push(position);
        }
        positions.sort_unstable();
        positions.dedup();
        let fields = positions.into_iter().map(|at| neighbour_field(of, at, &self.fields()[at]));
        let arrays: Vec<Builtin> = Builtin::neighbours(of).into_iter().chain(fields).collect();
        self.index_arrays.retain(|array| array.matrix().is_none_or(|other| other.index != of.index));
        self.add_index_arrays(arrays)?;
        Ok(self)
    }

    /// Returns the schema whose batches have the rows of a set in the order of a column of its index, in place of the
    /// order that the set has, and where the entries begin that point to each row.
    pub(crate) fn with_order(mut self, index: &str, column: usize) -> Result<Self, Error> {
        let position = self.find_index(index).unwrap_or(self.indices().len());
        let (edges, set) = match self.indices().get(position) {
            Some(Index { level: Level::Set(edges), targets, .. }) if column < targets.len() => {
                (*edges, targets[column])
            }
            _ => {
                let suits = |of: &&Index| matches!(of.level, Level::Set(_)) && column < of.width();
                let available = self.indices().iter().filter(suits).map(|of| of.name.clone()).collect();
                return Err(SchemaError::NoColumn { index: index.to_owned(), column, available }.into());
            }
        };
        self.index_arrays.retain(|array| !matches!(array, Builtin::IndexPtr(of) if of.edges == edges));
        // Rows are sorted by numbers that are those of sorted rows already.
        let mut by = Some(set);
        while let Some(before) = by {
            if before == edges {
                let set = self.sets()[usize::from(edges)].clone();
                return Err(SchemaError::OrderInCircle { index: index.to_owned(), set }.into());
            }
            by = self.orders().find(|of| of.edges == before).map(|of| of.set);
        }
        let order = SortedBy { index: position as u8, column: column as u8, edges, set };
        self.add_index_arrays(vec![Builtin::IndexPtr(order)])?;
        Ok(self)
    }

    /// The orders of rows that batches have.
    fn orders(&self) -> impl Iterator<Item = SortedBy> {
        self.index_arrays.iter().filter_map(|array| match array {
            Builtin::IndexPtr(of) => Some(*of),
            _ => None,
        })
    }

    /// The orders of rows that batches have, each after those that number what it is by.
    pub(super) fn orders_in_turn(&self) -> Vec<SortedBy> {
        let by = |order: SortedBy| self.orders().find(|of| of.edges == order.set);
        let mut orders: Vec<SortedBy> = self.orders().collect();
        orders.sort_by_key(|&order| successors(Some(order), |&order| by(order)).count());
        orders
    }

    /// Adds arrays of indices. Errors if another array has the name of one.
    pub(crate) fn add_index_arrays(&mut self, arrays: Vec<Builtin>) -> Result<(), Error> {
        for &array in &arrays {
            let name = self.array_name(array);
            let mut others = Builtin::all(self.sets().len()).chain(self.index_arrays.iter().copied());
            let is_other = others.any(|other| self.array_name(other) == name);
            if is_other || self.position(&name).is_some() || self.find_index(&name).is_some() {
                return Err(SchemaError::ArrayName { name }.into());
            }
            self.index_arrays.push(array);
        }
        self.index_arrays.sort_by_key(|array| (array.index(), array.matrix().is_none()));
        Ok(())
    }

    /// Returns the schema with these fields in place of its own, and with the arrays of its indices. `place` is where
    /// the field at a position is among `fields`, if it is there.
    pub(crate) fn with_fields(
        &self,
        fields: Vec<Field>,
        place: impl Fn(usize) -> Option<usize>,
    ) -> Result<Self, Error> {
        let mut schema = Self::from_parts(self.sets(), fields, self.indices().to_vec())?;
        let arrays = self.index_arrays.iter().filter_map(|&array| match array {
            Builtin::NeighbourField(NeighbourField { of, field, .. }) => {
                let at = place(field.into())?;
                let field = schema.fields().get(at).filter(|field| field.level == Level::Set(of.edges))?;
                Some(neighbour_field(of, at, field))
            }
            array => Some(array),
        });
        let arrays = arrays.collect();
        schema.add_index_arrays(arrays)?;
        Ok(schema)
    }
}

/// The array of a field of neighbours, which is at this position of the schema.
fn neighbour_field(of: Neighbours, at: usize, field: &Field) -> Builtin {
    let width = (!field.row.is_empty()).then_some(field.width as u32);
    Builtin::NeighbourField(NeighbourField { of, field: at as u8, dtype: field.dtype, width })
}
