//! [`Parts`]: the parts of a cut, one after the other.

use super::{Cut, Part};
use std::ops::Range;

/// Iterates over the parts of a [`Cut`].
#[derive(Debug)]
pub struct Parts<'a> {
    cut: &'a Cut<'a>,
    next: usize,
    /// Local ids of nodes by global ids; [`OUTSIDE`] for all but the HALO of the part that is being made.
    local: Vec<u32>,
}

const OUTSIDE: u32 = u32::MAX;

impl Cut<'_> {
    /// Iterates over the parts by number. Only one is in memory at a time, unless the caller keeps it.
    pub fn parts(&self) -> Parts<'_> {
        Parts::new(self)
    }

    /// Makes one part, if it exists. For all parts, [`Cut::parts`] is faster.
    pub fn part(&self, number: usize) -> Option<Part> {
        (number < self.book().parts()).then(|| self.parts().make(number))
    }
}

impl<'a> Parts<'a> {
    fn new(cut: &'a Cut<'a>) -> Self {
        Self { cut, next: 0, local: vec![OUTSIDE; cut.book().nodes()] }
    }

    /// Makes a part, which must exist.
    fn make(&mut self, number: usize) -> Part {
        let cut = self.cut;
        // Both have at most 2^32 - 1: larger graphs are refused.
        let narrow = |ids: Range<i64>| ids.start as u32..ids.end as u32;
        let (own, own_edges) = (narrow(cut.book().part_nodes(number)), narrow(cut.book().part_edges(number)));
        let inner_edges = own_edges.len();
        let (mut sources, mut targets) = (Vec::with_capacity(inner_edges), Vec::with_capacity(inner_edges));
        let mut halo = Vec::new();
        cut.inner_edges(number).for_each(|(source, target)| {
            if !own.contains(&source) && self.local[source as usize] == OUTSIDE {
                self.local[source as usize] = 0;
                halo.push(source);
            }
            // Sources keep their global ids until the HALO is complete.
            sources.push(i64::from(source));
            targets.push(i64::from(target - own.start));
        });
        let mut edge_ids: Vec<i64> = own_edges.map(i64::from).collect();
        let mut edges = Vec::new();
        if let Some(in_edges) = cut.in_edges() {
            let mut level = 0;
            for _ in 1..cut.hops() {
                let end = halo.len();
                for at in level..end {
                    for &[source, edge] in in_edges.of(halo[at]) {
                        if !own.contains(&source) && self.local[source as usize] == OUTSIDE {
                            self.local[source as usize] = 0;
                            halo.push(source);
                        }
                        edges.push((edge, source, halo[at]));
                    }
                }
                level = end;
                if level == halo.len() {
                    break;
                }
            }
        }
        // Only after the hops: the HALO does not go on from the nodes that these lead to.
        for (edge, source, target) in cut.outward(number) {
            if self.local[target as usize] == OUTSIDE {
                self.local[target as usize] = 0;
                halo.push(target);
            }
            edges.push((edge, source, target));
        }
        edges.sort_unstable();
        // Those into nodes less than all hops away are there twice.
        edges.dedup();
        edge_ids.extend(edges.iter().map(|&(edge, _, _)| i64::from(edge)));
        sources.extend(edges.iter().map(|&(_, source, _)| i64::from(source)));
        targets.extend(edges.iter().map(|&(_, _, target)| i64::from(target)));
        drop(edges);
        halo.sort_unstable();
        for (position, &node) in halo.iter().enumerate() {
            self.local[node as usize] = (own.len() + position) as u32;
        }
        // Targets of edges that the part does not own are in the HALO.
        for id in sources.iter_mut().chain(&mut targets[inner_edges..]) {
            let node = *id as u32;
            *id = if own.contains(&node) { node - own.start } else { self.local[node as usize] }.into();
        }
        halo.iter().for_each(|&node| self.local[node as usize] = OUTSIDE);
        let [node_features, edge_features] = cut.features(number);
        let inner_nodes = own.len();
        let node_ids = own.chain(halo).map(i64::from).collect();
        let halo_hops = cut.hops();
        Part {
            number,
            node_ids,
            inner_nodes,
            sources,
            targets,
            edge_ids,
            inner_edges,
            halo_hops,
            node_features,
            edge_features,
        }
    }
}

impl Iterator for Parts<'_> {
    type Item = Part;

    fn next(&mut self) -> Option<Part> {
        if self.next == self.cut.book().parts() {
            return None;
        }
        self.next += 1;
        Some(self.make(self.next - 1))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.cut.book().parts() - self.next;
        (left, Some(left))
    }
}

impl ExactSizeIterator for Parts<'_> {}
