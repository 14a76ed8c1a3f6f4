//! [`Sets`]: types of nodes and of edges as sets of a batch; [`Chosen`]: a feature that becomes a field.

use super::column::Column;
use crate::cut::check;
use crate::graph::GraphError;
use crate::problem::problem;
use crate::{ArrayType, PartitionBook};
use graphpack_loader::schema::{Field, Index};
use graphpack_loader::{Dtype, Error, ErrorKind, Level, Schema, Size};

/// Types of nodes and of edges as sets of a batch: `nodes` and `edges` where there is one type of each, else a set for
/// each type, nodes first. Fields and indices of the latter are `SET.NAME`.
#[derive(Clone, Debug)]
pub(super) struct Sets {
    names: Vec<String>,
    /// Types as they are in names of features.
    types: Vec<String>,
    /// Number of types of nodes.
    nodes: usize,
    /// Types of source and target of each type of edges.
    ends: Vec<[usize; 2]>,
    /// Whether there is one type of each.
    plain: bool,
}

impl Sets {
    /// Errors if edges end at a type of nodes that does not exist.
    pub(super) fn new(book: &PartitionBook) -> Result<Self, Error> {
        let (nodes, edges) = (book.node_types(), book.edge_types());
        let plain = nodes.len() == 1 && edges.len() <= 1;
        let number = |edge: &[String; 3], name: &String| {
            let missing = || Error::from(GraphError::NodeType { edges: edge.join(":"), nodes: name.clone() });
            nodes.iter().position(|node| node == name).ok_or_else(missing)
        };
        let ends = edges.iter().map(|edge| Ok::<_, Error>([number(edge, &edge[0])?, number(edge, &edge[2])?]));
        // The relation alone where it is the name of nothing else, as PyTorch Geometric's stores are written.
        let name = |edge: &[String; 3]| {
            let same = edges.iter().filter(|other| other[1] == edge[1]).count();
            if same > 1 || nodes.contains(&edge[1]) { edge.join("__") } else { edge[1].clone() }
        };
        let names = if plain {
            Schema::DEFAULT_SETS.map(String::from).to_vec()
        } else {
            nodes.iter().cloned().chain(edges.iter().map(name)).collect()
        };
        let types = nodes.iter().chain(book.edge_names()).cloned().collect();
        Ok(Self { names, types, nodes: nodes.len(), ends: ends.collect::<Result<_, _>>()?, plain })
    }

    /// Number of types of nodes; their sets come first.
    pub(super) fn node_types(&self) -> usize {
        self.nodes
    }

    /// Types of source and target of each type of edges.
    pub(super) fn ends(&self) -> &[[usize; 2]] {
        &self.ends
    }

    /// The set of a type of edges.
    pub(super) fn of_edges(&self, kind: usize) -> usize {
        self.nodes + kind
    }

    /// Number of sets.
    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    /// The name of a set.
    pub(super) fn name(&self, set: usize) -> &str {
        &self.names[set]
    }

    /// The type of a set as in names of features; `None` of edges where there are none.
    pub(super) fn type_of(&self, set: usize) -> Option<&str> {
        self.types.get(set).map(String::as_str)
    }

    /// The type of nodes of this name.
    pub(super) fn node_type(&self, name: &str) -> Option<usize> {
        self.types[..self.nodes].iter().position(|found| found == name)
    }

    /// The name of a field of a set.
    pub(super) fn field(&self, set: usize, name: &str) -> String {
        if self.plain { name.to_owned() } else { format!("{}.{name}", self.names[set]) }
    }

    /// The name of a feature in messages.
    pub(super) fn shown<'a>(&self, full: &'a str, set: usize) -> &'a str {
        if self.plain { self.short(full, set) } else { full }
    }

    /// The name of a feature without its type.
    pub(super) fn short<'a>(&self, full: &'a str, set: usize) -> &'a str {
        let rest = self.type_of(set).and_then(|kind| full.strip_prefix(kind));
        rest.and_then(|rest| rest.strip_prefix('/')).unwrap_or(full)
    }

    /// The schema of these fields. The index of a type of edges has the position of the type.
    pub(super) fn schema(&self, fields: Vec<Field>) -> Result<Schema, Error> {
        let mut schema = if self.plain {
            Schema::default()
        } else {
            Schema::of(&self.names.iter().map(String::as_str).collect::<Vec<_>>())
        };
        schema = fields.into_iter().fold(schema, Schema::with_field);
        for (kind, &[from, to]) in self.ends.iter().enumerate().filter(|_| !self.plain) {
            let set = self.of_edges(kind);
            let name = self.field(set, Index::EDGE_INDEX);
            schema = schema.index(&name, self.name(set), &[self.name(from), self.name(to)]);
        }
        schema.check()?;
        Ok(schema)
    }

    /// A size with this number of rows of each set.
    pub(super) fn size(&self, mut rows: impl FnMut(usize) -> usize) -> Size {
        // More than 32 bits are refused before.
        Size::of(self.len(), |set| rows(set) as u32)
    }
}

/// A feature of a part or a graph.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// Its name with its type, as in parts.
    pub(super) name: String,
    pub(super) set: usize,
    pub(super) element: ArrayType,
    pub(super) shape: Vec<usize>,
    pub(super) column: Column,
}

impl Found {
    /// Finds the type of a feature of a part, given the number of rows that the part owns of each set.
    pub(super) fn new(
        sets: &Sets,
        owned: &[usize],
        edges: bool,
        name: String,
        column: Column,
        element: ArrayType,
        shape: Vec<usize>,
    ) -> Result<Self, Error> {
        let of = if edges { sets.node_types()..owned.len() } else { 0..sets.node_types() };
        let types = || of.clone().filter_map(|set| Some((sets.type_of(set)?, owned[set])));
        check::feature(&name, shape.first(), types())?;
        // Names of types may contain slashes.
        let fits = |set: &usize| sets.short(&name, *set).len() < name.len() && shape.first() == Some(&owned[*set]);
        let set = of.clone().filter(fits).max_by_key(|&set| sets.type_of(set).map(str::len)).unwrap_or(of.start);
        Ok(Self { name, set, element, shape, column })
    }

    /// Elements of a row. An array without rows may claim any number.
    pub(super) fn width(&self) -> usize {
        self.shape.iter().skip(1).fold(1, |width, &n| width.saturating_mul(n))
    }

    /// Finds a bool that is neither 0 nor 1: a batch must not have it.
    pub(super) fn wrong_bool(&self) -> Result<Option<Error>, Error> {
        if self.element != ArrayType::Bool {
            return Ok(None);
        }
        let (mut passed, mut wrong) = (0, None);
        self.column.all(|bytes| {
            let at = || bytes.iter().position(|&byte| byte > 1).map(|at| (passed + at, bytes[at]));
            wrong = wrong.or_else(at);
            passed += bytes.len();
        })?;
        Ok(wrong.map(|(at, byte)| {
            let (name, row) = (&self.name, at / self.width().max(1));
            let text = format!("feature {name} is bool, but its row {row} has byte {byte}, expected 0 or 1");
            problem(ErrorKind::Data, text)
        }))
    }
}

/// What is asked for: names of features with or without their types.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted<'a> {
    /// `None` for all that are not in `of_roots`.
    pub(super) features: Option<&'a [String]>,
    /// Features of the nodes of type `root` that become fields of the graph.
    pub(super) of_roots: &'a [String],
    pub(super) root: usize,
}

/// A feature that becomes a field.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Chosen {
    /// Its name with its type, as in parts.
    pub(super) name: String,
    pub(super) set: usize,
    pub(super) field: Field,
    /// The position of the field in the schema.
    pub(super) position: usize,
}

/// Chooses the features that are wanted. Those of the root come last.
pub(super) fn choose(found: &[Found], sets: &Sets, wanted: &Wanted<'_>) -> Result<Vec<Chosen>, Error> {
    let is = |found: &Found, names: &[String]| {
        names.iter().any(|name| *name == found.name || name == sets.short(&found.name, found.set))
    };
    let all = |_: &Found| true;
    let of_root = |found: &Found| found.set == wanted.root;
    check_wanted(wanted.of_roots, found, sets, of_root)?;
    check_wanted(wanted.features.unwrap_or_default(), found, sets, all)?;
    let mut chosen = Vec::new();
    let mut add = |found: &Found, level: Level| {
        let no_dtype = || {
            let carried = "convert it to float16, float32, float64, int64, int32, uint8 or bool, or leave it out";
            let Found { name, element, .. } = found;
            problem(ErrorKind::Data, format!("feature {name} is {element}, which batches cannot carry: {carried}"))
        };
        let dtype = found.element.dtype().ok_or_else(no_dtype)?;
        let short = sets.short(&found.name, found.set);
        let name = if level == Level::Graph { short.to_owned() } else { sets.field(found.set, short) };
        let field = Field::new(name, level, dtype, found.width()).shaped(found.shape.get(1..).unwrap_or_default());
        let field = Field { padding: field.usual_padding(), ..field };
        chosen.push(Chosen { name: found.name.clone(), set: found.set, field, position: 0 });
        Ok::<_, Error>(())
    };
    for feature in found {
        let asked = match wanted.features {
            Some(names) => is(feature, names),
            None => !(of_root(feature) && is(feature, wanted.of_roots)),
        };
        if asked {
            add(feature, Level::Set(feature.set as u8))?;
        }
    }
    found
        .iter()
        .filter(|found| of_root(found) && is(found, wanted.of_roots))
        .try_for_each(|found| add(found, Level::Graph))?;
    Ok(chosen)
}

/// Refuses names that no feature has.
fn check_wanted(wanted: &[String], found: &[Found], sets: &Sets, of: impl Fn(&Found) -> bool) -> Result<(), Error> {
    let known = || found.iter().filter(|found| of(found));
    let there = |name: &String| known().any(|known| *name == known.name || name == sets.short(&known.name, known.set));
    match wanted.iter().find(|name| !there(name)) {
        Some(feature) => {
            let known: Vec<_> = known().map(|known| sets.shown(&known.name, known.set)).collect();
            let known = if known.is_empty() { "nodes and edges without features".into() } else { known.join(", ") };
            Err(problem(ErrorKind::Data, format!("there is no feature {feature}, only {known}")))
        }
        None => Ok(()),
    }
}

/// The fields of batches, in the order of their sets.
#[derive(Debug)]
pub(super) struct Fields {
    pub(super) chosen: Vec<Chosen>,
    pub(super) schema: Schema,
    /// Where the fields that are no features start, for each type of nodes.
    pub(super) own: Vec<usize>,
}

impl Fields {
    /// `own` are the fields of a type of nodes that are no features.
    pub(super) fn new(
        sets: &Sets,
        mut chosen: Vec<Chosen>,
        own: impl Fn(usize) -> Vec<(&'static str, Dtype)>,
    ) -> Result<Self, Error> {
        let (mut fields, mut starts) = (Vec::new(), Vec::new());
        let levels = (0..sets.len()).map(|set| Level::Set(set as u8)).chain([Level::Graph]);
        for (set, level) in levels.enumerate() {
            for chosen in chosen.iter_mut().filter(|chosen| chosen.field.level == level) {
                chosen.position = fields.len();
                fields.push(chosen.field.clone());
            }
            if set < sets.node_types() {
                starts.push(fields.len());
                let own = own(set).into_iter();
                fields.extend(own.map(|(name, dtype)| Field::new(sets.field(set, name), level, dtype, 1).shaped(&[])));
            }
        }
        Ok(Self { chosen, schema: sets.schema(fields)?, own: starts })
    }
}
