//! [`contents`]: rows, fields and indices of each set of a data set.

use graphpack_loader::{Data, Error, Field, Level};

/// Returns a line for each set and one for the graphs, such as `edges: 40; edge_attr int64 [40, 3]; edge_index [2, 40]
/// into nodes, nodes`.
pub(crate) fn contents(data: &Data) -> Result<String, Error> {
    let schema = data.schema();
    let mut rows = vec![0; schema.sets().len()];
    for size in data.sizes()? {
        rows.iter_mut().zip(size.as_slice()).for_each(|(rows, more)| *rows += *more as usize);
    }
    let levels = (0..rows.len()).map(|set| Level::Set(set as u8)).chain([Level::Graph]);
    let lines = levels.zip(rows.iter().copied().chain([data.len()])).map(|(level, rows)| {
        let name = if level == Level::Graph { "graphs" } else { schema.level_name(level) };
        let shape = |field: &Field| match field {
            Field { vector: true, width: 1, .. } => format!("[{rows}]"),
            Field { width, .. } => format!("[{rows}, {width}]"),
        };
        let fields = schema.fields().iter().filter(|field| field.level == level);
        let fields = fields.map(|field| format!("; {} {} {}", field.name, field.dtype, shape(field)));
        let indices = schema.indices().iter().filter(|index| index.level == level).map(|index| {
            let into: Vec<&str> = index.targets.iter().map(|&set| schema.level_name(Level::Set(set))).collect();
            format!("; {} [{}, {rows}] into {}", index.name, index.width(), into.join(", "))
        });
        format!("  {name}: {rows}{}", fields.chain(indices).collect::<String>())
    });
    Ok(lines.collect::<Vec<_>>().join("\n"))
}
