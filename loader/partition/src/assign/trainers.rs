//! [`Trainers`]: parts for several training processes per machine.

use super::{Assignment, AssignmentError};
use crate::{Array, LargeGraph};

/// Parts for several training processes per machine, as DGL's `num_trainers_per_machine` makes them: nodes are assigned
/// to trainers, and those of a machine's trainers are one part.
///
/// ```
/// use graphpack_partition::{Assignment, EdgeType, LargeGraph, NodeType, Trainers};
///
/// let node = NodeType { name: "_N".into(), nodes: 4, ..NodeType::default() };
/// let name = ["_N", "_E", "_N"].map(String::from);
/// let edge = EdgeType { name, sources: vec![0, 1], targets: vec![3, 2], features: Vec::new() };
/// let mut graph = LargeGraph { name: "g".into(), node_types: vec![node], edge_types: vec![edge] };
/// let trainers = Trainers::new(2, Assignment::new(4, vec![vec![0, 1, 2, 3]])?)?;
/// trainers.add_ids(&mut graph)?;
/// assert_eq!(trainers.parts().owners(), [[0, 0, 1, 1]]);
/// assert_eq!(graph.edge_types[0].features[0].0, "trainer_id");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trainers {
    trainers: Assignment,
    parts: Assignment,
}

/// DGL's name of the feature.
const TRAINER_ID: &str = "trainer_id";

impl Trainers {
    /// Trainers `per_machine * part` and the following are those of a part.
    pub fn new(per_machine: usize, trainers: Assignment) -> Result<Self, AssignmentError> {
        let all = trainers.parts();
        if per_machine == 0 || !all.is_multiple_of(per_machine) {
            return Err(AssignmentError::Trainers { trainers: all, per_machine });
        }
        let part = |&trainer: &u16| (usize::from(trainer) / per_machine) as u16;
        let owners = trainers.owners().iter().map(|owners| owners.iter().map(part).collect()).collect();
        Ok(Self { parts: Assignment::new(all / per_machine, owners)?, trainers })
    }

    /// The part of each node.
    pub fn parts(&self) -> &Assignment {
        &self.parts
    }

    /// Adds the feature `trainer_id` (int64) to all types, in place of any that has the name: the trainer of each node,
    /// and that of each edge's target.
    pub fn add_ids(&self, graph: &mut LargeGraph) -> Result<(), AssignmentError> {
        self.trainers.check(graph)?;
        let ends = graph.ends()?;
        let add = |features: &mut Vec<(String, Array)>, trainers: &mut dyn Iterator<Item = u16>| {
            features.retain(|(name, _)| name != TRAINER_ID);
            features.push((TRAINER_ID.to_owned(), Array::of_i64(&trainers.map(i64::from).collect::<Vec<_>>())));
        };
        for (kind, owners) in graph.node_types.iter_mut().zip(self.trainers.owners()) {
            add(&mut kind.features, &mut owners.iter().copied());
        }
        for (edges, [_, to]) in graph.edge_types.iter_mut().zip(ends) {
            let owners = &self.trainers.owners()[to];
            add(&mut edges.features, &mut edges.targets.iter().map(|&target| owners[target as usize]));
        }
        Ok(())
    }
}
