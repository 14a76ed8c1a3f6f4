//! [`Labels`]: what graphs are labelled with, numbers or texts.

use super::splits;
use super::table::Table;
use crate::common::OfRecord;
use crate::{CsvRows, FormatError, Record, Values, compressed};
use graphpack_loader::Level;
use std::collections::HashMap;
use std::path::Path;

/// Subtokens of the vocabulary, and of a label.
const VOCABULARY: usize = 5000;
const LENGTH: usize = 5;

/// What graphs are labelled with.
pub(super) enum Labels {
    None,
    /// Numbers, and whether some are missing.
    Numbers(Table, bool),
    /// For each graph the places of its subtokens.
    Texts {
        y: Vec<u16>,
        vocabulary: Vec<String>,
        next: usize,
    },
}

impl Labels {
    /// Opens the labels of `graphs` graphs.
    pub(super) fn open(directory: &Path, graphs: usize, notes: &mut Vec<String>) -> Result<Self, FormatError> {
        let path = compressed::existing(&directory.join("raw/graph-label.csv.gz"));
        let Some(table) = Table::open(&path)? else { return Ok(Self::None) };
        let mut rows = CsvRows::open(&path, b',')?;
        let (mut missing, mut texts) = (false, Vec::<String>::new());
        while rows.advance()? {
            // Whether labels are texts, the first says.
            if !texts.is_empty() || (rows.line() == 1 && rows.double(0).is_err() && rows.width() == 1) {
                if rows.double(0).is_ok_and(f64::is_finite) {
                    // Not names of functions, but numbers of which the first cannot be read.
                    let expected = format!("a number, as in line {}", rows.line());
                    return Err(FormatError::wrong(path, "line 1", expected, format!("{:?}", texts[0])));
                }
                texts.push(rows.cell(0).into_owned());
            } else {
                missing |= (0..rows.width()).any(|column| rows.double(column).is_ok_and(f64::is_nan));
            }
        }
        if texts.is_empty() {
            return Ok(Self::Numbers(table, missing));
        }
        if texts.len() != graphs {
            return Err(FormatError::wrong(path, "", format!("{graphs} rows"), texts.len().to_string()));
        }
        let split = directory.join("split");
        let train = if split.is_dir() && splits::kinds(&split)?.len() == 1 {
            splits::graphs(directory, "train", graphs)?
        } else {
            notes.push("graph-label: the vocabulary is that of all graphs, there is no training split".into());
            (0..graphs as u32).collect()
        };
        Ok(Self::of_texts(&texts, &train))
    }

    fn of_texts(texts: &[String], train: &[u32]) -> Self {
        // The number of each subtoken and where it was first.
        let mut counts: HashMap<&str, (u64, usize)> = HashMap::new();
        for subtoken in train.iter().flat_map(|&graph| texts[graph as usize].split(' ')) {
            let first = counts.len();
            counts.entry(subtoken).or_insert((0, first)).0 += 1;
        }
        let mut vocabulary: Vec<_> = counts.into_iter().collect();
        vocabulary.sort_unstable_by_key(|&(_, (count, first))| (std::cmp::Reverse(count), first));
        vocabulary.truncate(VOCABULARY);
        let places: HashMap<&str, u16> =
            vocabulary.iter().enumerate().map(|(place, &(subtoken, _))| (subtoken, place as u16)).collect();
        let (unknown, end) = (VOCABULARY as u16, VOCABULARY as u16 + 1);
        let mut y = Vec::with_capacity(texts.len() * LENGTH);
        for text in texts {
            let subtokens = text.split(' ').map(|subtoken| places.get(subtoken).copied().unwrap_or(unknown));
            y.extend(subtokens.chain(std::iter::repeat(end)).take(LENGTH));
        }
        let vocabulary = vocabulary.into_iter().map(|(subtoken, _)| subtoken.to_owned()).collect();
        Self::Texts { y, vocabulary, next: 0 }
    }

    /// Adds the label of the next graph. With `nan`, numbers that are missing are NaN; else they are 0, and `has_y`
    /// says which are there.
    pub(super) fn push(&mut self, record: &mut Record, nan: bool) -> OfRecord<()> {
        match self {
            Self::None => {}
            Self::Numbers(table, missing) => {
                let (mut values, width) = match table.take(1)? {
                    Ok(label) => label,
                    Err(error) => return Ok(Err(error)),
                };
                if *missing && !nan {
                    let has = match &mut values {
                        Values::F64(numbers) => {
                            let has = numbers.iter().map(|number| !number.is_nan()).collect();
                            numbers.iter_mut().filter(|number| number.is_nan()).for_each(|number| *number = 0.0);
                            has
                        }
                        _ => vec![true; width],
                    };
                    record.push("has_y", Level::Graph, width, Values::Bool(has));
                }
                record.push("y", Level::Graph, width, values);
            }
            Self::Texts { y, next, .. } => {
                let y = y[*next * LENGTH..(*next + 1) * LENGTH].iter().map(|&place| i64::from(place)).collect();
                *next += 1;
                record.push("y", Level::Graph, LENGTH, Values::I64(y));
            }
        }
        Ok(Ok(()))
    }

    pub(super) fn end(&mut self) -> Result<(), FormatError> {
        if let Self::Numbers(table, _) = self { table.end() } else { Ok(()) }
    }
}
