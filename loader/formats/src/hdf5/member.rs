//! [`Node`]: a group, and what is in it; [`Member`]: a data set in a group, its shape and its numbers.

use super::links::{Link, Links};
use crate::atoms::{Place, SeenFields};
use crate::common::Values;
use crate::{FormatError, ReadError};
use graphpack_loader::Error;
use hdf5_pure::{DType, Dataset, Error as Hdf5Error, File, Group};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The most bytes of one row. A structure of 10 million atoms has positions of 240 MB.
const MAX_ROW_BYTES: u64 = 1 << 30;
/// How many times smaller than its contents a compressed file can be: deflate's limit.
const MAX_RATIO: u64 = 1032;
/// Bytes of the rows that are read at once.
const WINDOW_BYTES: u64 = 1 << 20;

/// The file: its links, what messages call it, and how much it can hold.
pub(super) struct Hdf5File {
    pub(super) path: PathBuf,
    bytes: u64,
    links: Mutex<Links>,
}

/// A group, its path, which is empty for the root, and where in the file it is if that is known.
pub(super) struct Node {
    pub(super) path: String,
    group: Group,
    address: Option<u64>,
}

/// A data set in a group.
pub(super) struct Member {
    /// Its name in the group, and its path in the file.
    pub(super) name: String,
    pub(super) path: String,
    pub(super) shape: Vec<usize>,
    pub(super) kind: Kind,
    dataset: Dataset,
}

/// What the elements of a data set are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Float,
    Integer,
    Unsigned,
    Bool,
    Text,
    Other,
}

impl Hdf5File {
    /// Opens a file, and returns its root, too.
    pub(super) fn open(path: &Path) -> Result<(Self, Node), Error> {
        let unopened = |error| ReadError::open(path, error);
        let bytes = fs::metadata(path).map_err(unopened)?.len();
        let opened = File::open_streaming(path).map_err(|error| unreadable(path, "", error))?;
        let superblock = opened.superblock();
        let needed = superblock.eof_address;
        if bytes < needed {
            let found = format!("{bytes} bytes, of a file that was cut");
            return Err(FormatError::wrong(path, "", format!("{needed} bytes"), found));
        }
        let links = Mutex::new(Links::open(path, superblock).map_err(unopened)?);
        let root = Node { path: String::new(), group: opened.root(), address: Some(superblock.root_group_address) };
        Ok((Self { path: path.to_owned(), bytes, links }, root))
    }

    pub(super) fn wrong(
        &self,
        place: impl Into<String>,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> Error {
        FormatError::wrong(&self.path, place, expected, found)
    }

    /// What `hdf5-pure` could not read.
    pub(super) fn unreadable(&self, place: &str, error: Hdf5Error) -> Error {
        unreadable(&self.path, place, error)
    }

    /// The groups in a group, as h5py has them: as they were created where the group keeps that order, else by name.
    pub(super) fn groups(&self, of: &Node, fields: &mut SeenFields) -> Result<Vec<Node>, Error> {
        let (mut links, _) = self.links(of, fields)?;
        let groups = of.group.iter_groups().map_err(|error| self.unlisted(of, &links, error))?;
        let with_order = groups.map(|(name, group)| {
            let Link { order, address, .. } = links.remove(&name).unwrap_or_default();
            (order, name.clone(), Node { path: format!("{}/{name}", of.path), group, address })
        });
        let mut ordered: Vec<_> = with_order.collect();
        ordered.sort_by(|(one, name, _), (other, other_name, _)| (one, name).cmp(&(other, other_name)));
        Ok(ordered.into_iter().map(|(_, _, node)| node).collect())
    }

    /// The members of a group by their names, and whether it may have attributes. Members that are links to other paths
    /// or files are left out, which `fields` list.
    fn links(&self, of: &Node, fields: &mut SeenFields) -> Result<(BTreeMap<String, Link>, bool), Error> {
        let Some(address) = of.address else { return Ok((BTreeMap::new(), true)) };
        let links = self.links.lock().unwrap_or_else(PoisonError::into_inner).of(address);
        let (links, has_attributes) = links.map_err(|found| self.wrong(&of.path, "sound HDF5", found))?;
        let place = Place { path: &self.path, unit: &of.path, number: None };
        for link in links.iter().filter(|link| link.address.is_none()) {
            fields.refuse(place, &link.name, "a link to elsewhere")?;
            fields.note(&link.name, || format!("left out, a link to elsewhere in {}/", of.path));
        }
        Ok((links.into_iter().map(|link| (link.name.clone(), link)).collect(), has_attributes))
    }

    /// Lists the attributes of a group, which are left out, but for MACE's `drop_last` of the file and those of data
    /// sets' names.
    pub(super) fn attributes(&self, of: &Node, members: &[Member], fields: &mut SeenFields) -> Result<(), Error> {
        let attributes = of.group.attr_datatypes().map_err(|error| self.unreadable(&of.path, error))?;
        let mut names: Vec<_> = attributes.into_keys().collect();
        names.sort_unstable();
        let is_known = |name: &str| name == "drop_last" && of.path.is_empty();
        names.retain(|name| !is_known(name) && !members.iter().any(|member| member.name == *name));
        let place = Place { path: &self.path, unit: &of.path, number: None };
        for name in names {
            fields.refuse(place, &name, "an attribute of a group")?;
            fields.note(&name, || format!("left out, an attribute of the group {}/", of.path));
        }
        Ok(())
    }

    /// The error of a group whose members `hdf5-pure` cannot list: one of the older kind with links to elsewhere, or
    /// damage.
    fn unlisted(&self, of: &Node, links: &BTreeMap<String, Link>, error: Hdf5Error) -> Error {
        let Some(link) = links.values().find(|link| link.address.is_none()) else {
            return self.unreadable(&of.path, error);
        };
        let expected = "groups without links to elsewhere, or of the kind that `h5repack -L FILE NEW` writes, \
            whose links are left out";
        self.wrong(&of.path, expected, format!("a link {}", link.name))
    }

    /// The data sets in a group, in the order of their names. Its attributes are listed.
    pub(super) fn members(&self, of: &Node, fields: &mut SeenFields) -> Result<Vec<Member>, Error> {
        let (links, has_attributes) = self.links(of, fields)?;
        let datasets = of.group.iter_datasets().map_err(|error| self.unlisted(of, &links, error))?;
        let mut datasets: Vec<_> = datasets.collect();
        datasets.sort_by(|(one, _), (other, _)| one.cmp(other));
        let members = datasets
            .into_iter()
            .map(|(name, dataset)| {
                let path = format!("{}/{name}", of.path);
                let sound = |error| self.unreadable(&path, error);
                let shape = dataset.shape().map_err(sound)?;
                let kind = Kind::of(&dataset.dtype().map_err(sound)?);
                let element = dataset.element_size().map_err(sound)?;
                let row = shape.iter().skip(1).try_fold(element, |bytes, &n| bytes.checked_mul(n));
                let all = row.and_then(|row| row.checked_mul(shape.first().copied().unwrap_or(1)));
                let possible = self.bytes.saturating_mul(MAX_RATIO);
                let fits = row.is_some_and(|row| row <= MAX_ROW_BYTES) && all.is_some_and(|all| all <= possible);
                if !fits {
                    let most = format!("at most {MAX_ROW_BYTES} bytes per row and {possible} in all");
                    return Err(self.wrong(path, most, format!("shape {shape:?} of {element} bytes each")));
                }
                let shape = shape.into_iter().map(|n| n as usize).collect();
                Ok(Member { name, path, shape, kind, dataset })
            })
            .collect::<Result<Vec<_>, _>>()?;
        if has_attributes {
            self.attributes(of, &members, fields)?;
        }
        Ok(members)
    }
}

/// What `hdf5-pure` could not read.
fn unreadable(path: &Path, place: &str, error: Hdf5Error) -> Error {
    if let Hdf5Error::Format(hdf5_pure::FormatError::InvalidLayoutVersion(version @ 5..)) = error {
        let expected = "a layout of HDF5 1.14 or before: to be written again with 1.14 as the latest version of \
            the library (libver of h5py)";
        return FormatError::wrong(path, place, expected, format!("version {version}, of HDF5 2.0"));
    }
    FormatError::wrong(path, place, "sound HDF5", error.to_string())
}

impl Node {
    /// The name in the group around it.
    pub(super) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }
}

impl Member {
    /// Whether its elements are numbers, or true and false.
    pub(super) fn is_numeric(&self) -> bool {
        !matches!(self.kind, Kind::Text | Kind::Other)
    }

    /// Numbers per row.
    pub(super) fn width(&self) -> usize {
        self.shape.iter().skip(1).product()
    }

    /// How many rows are read at once: about a megabyte, at least one row of chunks.
    pub(super) fn window(&self) -> usize {
        let row = (self.width() as u64).saturating_mul(8).max(1);
        let chunk = self.dataset.chunk_shape().ok().flatten().and_then(|shape| shape.first().copied()).unwrap_or(1);
        // A chunk is decompressed as a whole; the library refuses one that it cannot hold.
        let most = (MAX_ROW_BYTES / row).max(1);
        (WINDOW_BYTES / row).max(chunk).clamp(1, most) as usize
    }

    /// All numbers.
    pub(super) fn all(&self, file: &Hdf5File) -> Result<Values, Error> {
        self.rows(file, 0, self.shape.first().copied().unwrap_or(1))
    }

    /// The numbers of some rows, of which there must be enough. A single number is one row.
    pub(super) fn rows(&self, file: &Hdf5File, start: usize, count: usize) -> Result<Values, Error> {
        let sound = |error| file.unreadable(&self.path, error);
        let (first, rows) = (start as u64, count as u64);
        let (data, single) = (&self.dataset, self.shape.is_empty());
        let values = match self.kind {
            Kind::Float if single => Values::F64(data.read_f64().map_err(sound)?),
            Kind::Float => Values::F64(data.read_f64_rows(first, rows).map_err(sound)?),
            Kind::Integer if single => Values::I64(data.read_i64().map_err(sound)?),
            Kind::Integer => Values::I64(data.read_i64_rows(first, rows).map_err(sound)?),
            Kind::Unsigned => {
                let numbers = if single { data.read_u64() } else { data.read_u64_rows(first, rows) };
                let signed = numbers.map_err(sound)?.into_iter().map(|number| {
                    let beyond = |_| file.wrong(&self.path, "integers within int64", number.to_string());
                    i64::try_from(number).map_err(beyond)
                });
                Values::I64(signed.collect::<Result<_, _>>()?)
            }
            Kind::Bool => {
                let bytes = if single { data.read_raw() } else { data.read_raw_rows(first, rows) };
                Values::Bool(bytes.map_err(sound)?.into_iter().map(|byte| byte != 0).collect())
            }
            Kind::Text | Kind::Other => return Err(self.not(file, "numbers")),
        };
        let expected = count * self.width();
        if values.len() != expected {
            return Err(file.wrong(&self.path, format!("{expected} numbers"), values.len().to_string()));
        }
        Ok(values)
    }

    /// All texts.
    pub(super) fn texts(&self, file: &Hdf5File) -> Result<Vec<String>, Error> {
        self.dataset.read_string().map_err(|error| file.unreadable(&self.path, error))
    }

    /// The unit that the file gives.
    pub(super) fn unit(&self, file: &Hdf5File) -> Result<Option<String>, Error> {
        let attributes = self.dataset.attrs().map_err(|error| file.unreadable(&self.path, error))?;
        let Some(unit) = attributes.get("units").or_else(|| attributes.get("unit")) else { return Ok(None) };
        let text = unit.as_str().map(str::to_owned);
        text.map(Some).ok_or_else(|| file.wrong(&self.path, "units as text", format!("{unit:?}")))
    }

    /// The error that it is not what it must be.
    pub(super) fn not(&self, file: &Hdf5File, expected: impl Into<String>) -> Error {
        file.wrong(&self.path, expected, format!("{} of shape {:?}", self.kind.name(), self.shape))
    }
}

impl Kind {
    fn of(dtype: &DType) -> Self {
        match dtype {
            DType::F32 | DType::F64 => Self::Float,
            DType::I8 | DType::I16 | DType::I32 | DType::I64 => Self::Integer,
            DType::U8 | DType::U16 | DType::U32 | DType::U64 => Self::Unsigned,
            // h5py's bool.
            DType::Enum(names) if names.iter().eq(["FALSE", "TRUE"]) => Self::Bool,
            DType::String | DType::VariableLengthString => Self::Text,
            _ => Self::Other,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Float => "floating point numbers",
            Self::Integer | Self::Unsigned => "integers",
            Self::Bool => "true and false",
            Self::Text => "texts",
            Self::Other => "elements of another type",
        }
    }
}
