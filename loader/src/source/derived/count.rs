//! [`count`]: the number of rows that each graph has in a derived set.

use super::DerivedError;
use super::rule::Rule;
use crate::layout::Carried;
use crate::source::each_graph::each_graph;
use crate::source::{GraphError, Source};

/// Counts the rows that each graph of `source` has by `rule`, on all cores. Errors at the first graph that cannot be
/// counted.
pub(super) fn count<S: Source, R: Rule>(source: &S, rule: &R) -> Result<Vec<u32>, DerivedError> {
    let schema = source.schema();
    let inputs: Vec<String> = rule.inputs().into_iter().map(String::from).collect();
    // The rule has found them in the schema. Rows of the source may be derived themselves.
    let carried = Carried::new(schema, Some(&inputs), &source.derived_from(), &[]);
    let carried = carried.unwrap_or_else(|_| Carried::all(schema));
    let counts = each_graph(source, &carried, Vec::new, |counts, slot| {
        let rows = rule.count(slot)?;
        counts.push(u32::try_from(rows).map_err(|_| format!("it has {rows}, at most {} are supported", u32::MAX))?);
        Ok(())
    });
    counts.map(|counts| counts.concat()).map_err(|error| {
        let GraphError { graph, source } = error;
        DerivedError::Graph { graph, set: rule.set(), source }
    })
}
