//! [`Near`]: edges by distance as a rule of derived sets.

use super::connect::{Connect, Edges, EdgesError};
use super::search::Search;
use crate::error::{BoxError, Error};
use crate::fingerprint::{mix, mix_bytes};
use crate::layout::{Dtype, Field, Index, Level, PaddingValue, Schema, Slot};
use crate::source::derived::{Rule, extended};
use std::cell::RefCell;

/// The fields that edges may have.
const FIELDS: [&str; 3] = ["distance", "cell_offsets", "shift"];
const SET: &str = "edges";

thread_local! {
    /// Serves all graphs that a worker writes, so that nothing is allocated per graph.
    static MEMORY: RefCell<Memory> = RefCell::default();
}

#[derive(Default)]
struct Memory {
    search: Search,
    numbers: Vec<f64>,
    /// Source and target of each edge.
    ends: [Vec<u32>; 2],
}

/// Edges by distance, of what a schema has.
#[derive(Clone, Debug)]
pub(in crate::source) struct Near {
    edges: Edges,
    margin: Option<f64>,
    /// Positions, and the set that they belong to.
    pos: Field,
    nodes: u8,
    /// Vectors of the cell, and which are periodic.
    cell: Option<Field>,
    pbc: Option<Field>,
    /// Of united data, which graphs have the periodic directions.
    has_pbc: Option<Field>,
    /// Fields of edges.
    fields: Vec<&'static str>,
}

impl Near {
    /// Finds what the options name in `schema`.
    pub(in crate::source) fn new(options: &Connect, schema: &Schema) -> Result<Self, Error> {
        let Connect { edges, margin, .. } = *options;
        edges.check()?;
        if let Some(margin) = margin.filter(|margin| !(*margin >= 0.0 && margin.is_finite())) {
            return Err(EdgesError::Margin { margin }.into());
        }
        if let Some(margin) = margin.filter(|_| edges.radius() == f64::INFINITY) {
            return Err(EdgesError::NoRadius { margin, rule: edges }.into());
        }
        let float = |field: &Field| matches!(field.dtype, Dtype::F32 | Dtype::F64);
        let of_set = |field: &Field| matches!(field.level, Level::Set(_)) && field.width == 3;
        let pos =
            field(schema, "positions", &options.pos, "float32 or float64 [nodes, 3]", |pos| float(pos) && of_set(pos))?;
        if schema.set(SET).is_some() {
            return Err(EdgesError::Taken.into());
        }
        let of_graph = |field: &Field, width| field.level == Level::Graph && field.width == width;
        let (named, names) = match &options.cell {
            Some((cell, pbc)) => (true, [&**cell, pbc]),
            None => (false, ["cell", "pbc"]),
        };
        let there = |name: &&str| named || schema.position(name).is_some();
        let [cell, pbc] = names.map(|name| Some(name).filter(there));
        let cell = cell.map(|cell| {
            field(schema, "cells", cell, "float32 or float64 [graph, 9]", |of| float(of) && of_graph(of, 9))
        });
        let is_bool = |field: &Field| field.dtype == Dtype::Bool;
        let pbc = pbc.map(|pbc| {
            field(schema, "periodic directions", pbc, "bool [graph, 3]", |of| is_bool(of) && of_graph(of, 3))
        });
        let (cell, pbc) = (cell.transpose()?, pbc.transpose()?);
        let mask = |pbc: &Field| schema.fields().iter().find(|of| of.is_mask_of(pbc)).cloned();
        let has_pbc = pbc.as_ref().and_then(mask);
        if let Some(name) = options.fields.iter().flatten().find(|name| !FIELDS.contains(&name.as_str())) {
            let (expected, found) = (format!("fields among {}", FIELDS.join(", ")), format!("{name:?}"));
            return Err(EdgesError::Field { expected, found }.into());
        }
        let chosen = |name: &&str| match &options.fields {
            Some(chosen) => chosen.iter().any(|chosen| chosen == name),
            None => cell.is_some() || *name == "distance",
        };
        let fields = FIELDS.into_iter().filter(chosen).collect();
        let nodes = if let Level::Set(set) = pos.level { set } else { 0 };
        Ok(Self { edges, margin, pos, nodes, cell, pbc, has_pbc, fields })
    }

    /// The fields that edges follow from.
    fn follow_from(&self) -> impl Iterator<Item = &str> {
        let fields = [Some(&self.pos), self.cell.as_ref(), self.pbc.as_ref(), self.has_pbc.as_ref()];
        fields.into_iter().flatten().map(|field| &*field.name)
    }

    /// Reads a structure.
    fn read(&self, slot: &Slot<'_>, search: &mut Search, numbers: &mut Vec<f64>) -> Result<(), BoxError> {
        let mut cell = [[0.0; 3]; 3];
        if let Some(field) = &self.cell {
            floats(slot, field, numbers)?;
            cell.as_flattened_mut().copy_from_slice(numbers);
        }
        // All pairs of atoms are edges, wherever they are.
        let by_distance = self.edges != Edges::FullyConnected;
        let mut periodic = [by_distance && cell != [[0.0; 3]; 3]; 3];
        // Of graphs that lack the field, united data say so and have zeros.
        let has_pbc = self.has_pbc.as_ref().map_or(Ok(true), |of| slot.read(&of.name).map(|has: &[bool]| has[0]))?;
        if let Some(pbc) = self.pbc.as_ref().filter(|_| by_distance && has_pbc) {
            periodic.copy_from_slice(slot.read(&pbc.name)?);
        }
        floats(slot, &self.pos, numbers)?;
        Ok(search.set(numbers.as_chunks().0, &cell, periodic)?)
    }

    /// Writes the edges that were found.
    fn write_found(&self, slot: &mut Slot<'_>, search: &Search, ends: &mut [Vec<u32>; 2]) -> Result<(), BoxError> {
        let [sources, targets] = &mut *ends;
        sources.clear();
        targets.clear();
        search.edges().for_each(|edge| {
            sources.push(edge.source);
            targets.push(edge.target);
        });
        slot.set_index(Index::EDGE_INDEX, &ends.each_ref().map(Vec::as_slice))?;
        for &field in &self.fields {
            let rows = slot.bytes(field)?;
            if rows.is_empty() {
                continue;
            }
            match field {
                "distance" => write_floats(rows, self.pos.dtype, search.edges().map(|edge| [edge.distance])),
                "shift" => write_floats(rows, self.pos.dtype, search.edges().map(|edge| search.shift(&edge))),
                _ => {
                    let rows: &mut [[i32; 3]] = bytemuck::cast_slice_mut(rows);
                    rows.iter_mut().zip(search.edges()).for_each(|(row, edge)| *row = search.cells(&edge));
                }
            }
        }
        Ok(())
    }
}

impl Rule for Near {
    fn set(&self) -> &'static str {
        SET
    }

    fn schema(&self, source: &Schema) -> Result<Schema, Error> {
        let level = Level::Set(source.sets().len() as u8);
        let of_edges = self.fields.iter().map(|&name| match name {
            "distance" => Field::new(name, level, self.pos.dtype, 1).padded(PaddingValue::Length),
            "shift" => Field::new(name, level, self.pos.dtype, 3),
            _ => Field::new(name, level, Dtype::I32, 3),
        });
        let schema = extended(source, SET, of_edges, Index::new(Index::EDGE_INDEX, level, [self.nodes; 2]))?;
        let is_said = self.pos.padding != PaddingValue::default();
        Ok(if is_said { schema } else { schema.padded(&self.pos.name, PaddingValue::Positions) })
    }

    fn inputs(&self) -> Vec<&str> {
        self.follow_from().collect()
    }

    fn number(&self) -> u64 {
        let margin = self.margin.map_or(0, |margin| (margin + 1.0).to_bits());
        let numbers = [self.edges.radius().to_bits(), self.edges.most() as u64, margin];
        let chosen = self.edges.most() < usize::MAX;
        let hash = numbers.into_iter().fold(if chosen { 5 } else { 4 }, mix);
        self.follow_from().fold(hash, |hash, name| mix_bytes(hash, name.as_bytes()))
    }

    fn count(&self, slot: &Slot<'_>) -> Result<u64, BoxError> {
        MEMORY.with_borrow_mut(|Memory { search, numbers, .. }| {
            self.read(slot, search, numbers)?;
            Ok(search.count(self.edges.wider(self.margin.unwrap_or(0.0)))?)
        })
    }

    fn write(&self, slot: &mut Slot<'_>) -> Result<(), BoxError> {
        let set = slot.schema().set(SET).unwrap_or_default();
        // Then batches carry no edges, either.
        if self.follow_from().any(|input| !slot.carries(input)) {
            self.fields.iter().try_for_each(|field| slot.bytes(field).map(drop))?;
            return Ok(slot.set_index::<u32>(Index::EDGE_INDEX, &[])?);
        }
        MEMORY.with_borrow_mut(|Memory { search, numbers, ends }| {
            self.read(slot, search, numbers)?;
            let planned = slot.size()[set] as usize;
            let found = search.find(self.edges, planned)?;
            if found > planned && self.margin.is_some() {
                search.keep_shortest(planned);
                slot.leave_out((found - planned) as u64);
                slot.shrink_at(set, planned)?;
            } else {
                slot.shrink_at(set, found)?;
            }
            self.write_found(slot, search, ends)
        })
    }
}

/// Reads a field of floating point numbers into `numbers`, which is cleared first.
fn floats(slot: &Slot<'_>, field: &Field, numbers: &mut Vec<f64>) -> Result<(), BoxError> {
    numbers.clear();
    match field.dtype {
        Dtype::F64 => numbers.extend_from_slice(slot.read(&field.name)?),
        _ => numbers.extend(slot.read(&field.name)?.iter().map(|&x: &f32| f64::from(x))),
    }
    Ok(())
}

fn write_floats<const W: usize>(rows: &mut [u8], dtype: Dtype, values: impl Iterator<Item = [f64; W]>)
where
    [f64; W]: bytemuck::Pod,
    [f32; W]: bytemuck::Pod,
{
    match dtype {
        Dtype::F64 => bytemuck::cast_slice_mut(rows).iter_mut().zip(values).for_each(|(row, value)| *row = value),
        _ => {
            let rows: &mut [[f32; W]] = bytemuck::cast_slice_mut(rows);
            rows.iter_mut().zip(values).for_each(|(row, value)| *row = value.map(|x| x as f32));
        }
    }
}

/// The field of this name. Errors unless it is there and of the kind.
fn field(schema: &Schema, what: &str, name: &str, kind: &str, is: impl Fn(&Field) -> bool) -> Result<Field, Error> {
    let expected = format!("{what}: a field {name:?}, {kind}");
    let names = || schema.fields().iter().map(|field| field.name.clone()).collect::<Vec<_>>().join(", ");
    let found = match schema.fields().iter().find(|field| field.name == name) {
        Some(field) if is(field) => return Ok(field.clone()),
        Some(Field { level, dtype, width, .. }) => format!("{dtype} [{}, {width}]", schema.level_name(*level)),
        None => format!("no {what} among the fields {}", names()),
    };
    Err(EdgesError::Field { expected, found }.into())
}
