//! Edges by distance: those that ASE, textbooks and a slow search find, made by the workers after maps.

mod edges;
mod found;
mod made;
