//! [`schema`]: sets, fields and indices as a program declares them, or as the metadata of a file do.

use crate::input::folder;
use crate::stores::opened;
use graphpack_loader::schema::PaddingValue;
use graphpack_loader::{
    BoxError, Column, Dtype, Error, ErrorKind, Level, Loader, Options, Schema, Size, Slot, Source, Store, Worker, f16,
};
use serde_json::{Map, Value, json};

/// Lines `set NAME`, `field NAME SET DTYPE WIDTH PADDING`, `index NAME SET TARGET...`, `graph ROWS...` and `entry ROW`,
/// which all entries of indices have; or, from `{` on, the metadata of a file. Graphs of a schema that is accepted can
/// be loaded and kept in a file, unless an entry is beyond its set.
pub(crate) fn schema(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    if text.starts_with('{') {
        return opened(&file(text));
    }
    let lines = || text.lines().map(|line| line.split(' ').collect::<Vec<_>>());
    let sets: Vec<_> = lines().filter(|line| line[0] == "set").filter_map(|line| line.get(1).copied()).collect();
    let mut schema = Schema::of(&sets);
    for line in lines() {
        schema = match line[..] {
            ["field", name, set, dtype, width, padding] => {
                let dtype = Dtype::ALL.into_iter().find(|other| other.to_string() == dtype);
                let word = |_| serde_json::from_value(json!(padding));
                let padding = padding.parse().map(PaddingValue::Number).or_else(word);
                let (Some(dtype), Ok(width), Ok(padding)) = (dtype, width.parse(), padding) else { return };
                schema.field(name, set, dtype, &[width]).padded(name, padding)
            }
            ["index", name, set, ref targets @ ..] => schema.index(name, set, targets),
            _ => schema,
        };
    }
    if schema.check().is_err() {
        return;
    }
    let numbers = |line: Vec<&str>| line[1..].iter().map(|number| number.parse().ok()).collect::<Option<Vec<u32>>>();
    let sizes = lines().filter(|line| line[0] == "graph").filter_map(numbers);
    let sizes = sizes.map(|rows| Size::of(rows.len(), |set| rows[set])).collect();
    let entry = lines().find(|line| line[0] == "entry").and_then(|line| line.get(1)?.parse().ok());
    let graphs = Graphs { schema, sizes, entry: entry.unwrap_or(0) };
    if graphs.bytes() > 1 << 20 {
        return;
    }
    let (sound, store) = (graphs.sound(), graphs.store());
    assert_eq!(store.is_some(), sound, "a store takes what a batch takes");
    if let Some(store) = store {
        let folder = folder(&[]);
        let path = folder.path().join("store.safetensors");
        store.save(&path).unwrap();
        let again = Store::open(&path).unwrap();
        again.verify().unwrap();
        assert_eq!((again.schema(), again.fingerprint()), (store.schema(), store.fingerprint()));
    }
    let Ok(loader) = Loader::new(graphs, Options::graphs(4).workers(0)) else { return };
    for batch in loader.epoch(0) {
        match batch {
            Ok(_) => {}
            Err(error) if !sound => {
                let source = error.get_ref().and_then(|source| source.downcast_ref::<Error>());
                assert!(source.is_some_and(|source| source.kind() == ErrorKind::Data), "{error}");
            }
            Err(error) => panic!("{error}"),
        }
    }
}

/// Graphs of any schema, all of whose values are 1.
struct Graphs {
    schema: Schema,
    sizes: Vec<Size>,
    /// What all entries of indices are.
    entry: i64,
}

impl Graphs {
    fn rows(&self, graph: usize, level: Level) -> usize {
        match level {
            Level::Set(set) => self.sizes[graph][usize::from(set)] as usize,
            Level::Graph => 1,
        }
    }

    fn total(&self, level: Level) -> usize {
        (0..self.len()).map(|graph| self.rows(graph, level)).sum()
    }

    /// Roughly the bytes of all graphs.
    fn bytes(&self) -> usize {
        let rows = |level| 1 + self.total(level);
        let fields = self.schema.fields().iter().map(|field| rows(field.level).saturating_mul(1 + field.row_bytes()));
        let indices = self.schema.indices().iter().map(|index| 8 * index.width() * rows(index.level));
        let sets = (0..8).map(|set| 9 * rows(Level::Set(set)));
        fields.chain(indices).chain(sets).fold(0, usize::saturating_add)
    }

    /// Whether sizes have the sets of the schema and entries are rows that there are.
    fn sound(&self) -> bool {
        let inside = |graph: usize| {
            let sets = self.sizes[graph].sets() == self.schema.sets().len();
            sets && self.schema.indices().iter().all(|index| {
                let rows = |&target| self.rows(graph, Level::Set(target)) as i64;
                self.rows(graph, index.level) == 0
                    || index.targets.iter().map(rows).all(|rows| (0..rows).contains(&self.entry))
            })
        };
        (0..self.len()).all(inside)
    }

    /// The same graphs in columns.
    fn store(&self) -> Option<Store> {
        if self.sizes.iter().any(|size| size.sets() != self.schema.sets().len()) {
            return None;
        }
        let ptr = |set: usize| {
            let ends = (1..=self.len()).map(|end| self.sizes[..end].iter().map(|size| u64::from(size[set])).sum());
            std::iter::once(0).chain(ends).collect()
        };
        let ptr = (0..self.schema.sets().len()).map(ptr).collect();
        let entries = |level| vec![self.entry; self.total(level)];
        let indices = self.schema.indices().iter().map(|index| vec![entries(index.level); index.width()]).collect();
        let columns = self.schema.fields().iter().map(|field| {
            let (name, values) = (&field.name, self.total(field.level) * field.width);
            let column = match field.dtype {
                Dtype::F16 => Column::of(&self.schema, name, vec![f16::ONE; values]),
                Dtype::F32 => Column::of(&self.schema, name, vec![1_f32; values]),
                Dtype::F64 => Column::of(&self.schema, name, vec![1_f64; values]),
                Dtype::I64 => Column::of(&self.schema, name, vec![1_i64; values]),
                Dtype::I32 => Column::of(&self.schema, name, vec![1_i32; values]),
                Dtype::U8 => Column::of(&self.schema, name, vec![1_u8; values]),
                Dtype::Bool => Column::of(&self.schema, name, vec![true; values]),
            };
            column.unwrap()
        });
        Store::of_sets(self.schema.clone(), ptr, indices, columns.collect()).ok()
    }
}

impl Source for Graphs {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn len(&self) -> usize {
        self.sizes.len()
    }

    fn size(&self, graph: usize) -> Result<Size, BoxError> {
        Ok(self.sizes[graph])
    }

    fn write(&self, graph: usize, slot: &mut Slot<'_>, _: &mut Worker) -> Result<(), BoxError> {
        for field in self.schema.fields() {
            slot.bytes(&field.name)?.fill(1);
        }
        for index in self.schema.indices() {
            let column = vec![self.entry; self.rows(graph, index.level)];
            slot.set_index(&index.name, &vec![&column[..]; index.width()])?;
        }
        Ok(())
    }
}

/// A file of two graphs whose tensors fit many a metadata: sets `a` (2 and 1 rows), `b` (1 and 0 rows), `nodes` and
/// `edges` (1 and 1 rows), indices `i` and `j`, `edge_index`, fields `a.x`, `b.x`, `x`, `y`.
fn file(metadata: &str) -> Vec<u8> {
    let (mut header, mut bytes) = (Map::new(), Vec::new());
    header.insert("__metadata__".into(), json!({ "graphpack": metadata }));
    let mut add = |name: &str, dtype: &str, shape: &[usize], data: Vec<u8>| {
        let offsets = [bytes.len(), bytes.len() + data.len()];
        header.insert(name.into(), json!({ "dtype": dtype, "shape": shape, "data_offsets": offsets }));
        bytes.extend(data);
    };
    for (set, ptr) in [("a", [0_i64, 2, 3]), ("b", [0, 1, 1]), ("node", [0, 1, 2]), ("edge", [0, 1, 2])] {
        add(&format!("ptr_{set}"), "I64", &[3], ptr.iter().flat_map(|offset| offset.to_le_bytes()).collect());
    }
    add("a.x", "F32", &[3, 1], vec![0; 12]);
    add("b.x", "BOOL", &[1], vec![1]);
    add("x", "U8", &[2, 2], vec![1; 4]);
    add("y", "I32", &[2], vec![0; 8]);
    add("i", "U8", &[2, 3], vec![0, 1, 0, 1, 0, 0]);
    add("j", "U16", &[1, 1], vec![0, 0]);
    add("edge_index", "U8", &[2, 2], vec![0; 4]);
    let header = Value::Object(header).to_string();
    [&(header.len() as u64).to_le_bytes(), header.as_bytes(), &bytes].concat()
}
