//! Texts of structures that become codes with their labels.

use super::file;
use graphpack_formats::{Convert, Fields, FileFormat, Pieces, ReadOptions};
use graphpack_loader::store::StoreWriter;
use graphpack_loader::{Data, Edges, Error, Loader, Options, Store, StoreFiles};
use std::path::PathBuf;
use tempfile::TempDir;

/// Structures of one atom with these texts beside them.
fn atoms(pairs: &[&str]) -> String {
    let one = |pairs: &&str| format!("1\nProperties=species:S:1:pos:R:3 {pairs}\nCu 0 0 0\n");
    pairs.iter().map(one).collect()
}

const FIRST: [&str; 4] = ["config_type=slab head=pbe", "config_type=bulk", "", "config_type=slab"];
const SECOND: [&str; 3] = ["config_type=dimer", "config_type=bulk", "config_type=none"];

fn labelled(names: &[&str]) -> Fields {
    Fields { labels: names.iter().map(|name| (*name).to_owned()).collect(), ..Fields::default() }
}

fn read(text: &str, fields: &Fields) -> Result<Store, Error> {
    graphpack_formats::read(file(&TempDir::new().unwrap(), "a.xyz", text), fields)
}

/// The text of each graph, if it has one.
fn texts(graphs: &Store) -> Vec<Option<String>> {
    let schema = graphs.schema();
    let labels = &schema.fields()[schema.position("config_type").unwrap()].labels;
    let has = graphs.values::<bool>("has_config_type").unwrap_or_else(|_| vec![true; graphs.len()]);
    let codes = graphs.values::<i64>("config_type").unwrap();
    assert!(codes.iter().zip(&has).all(|(&code, &has)| has || code == 0), "{codes:?}");
    codes.iter().zip(has).map(|(&code, has)| has.then(|| labels[code as usize].clone())).collect()
}

fn expected(all: &[&str]) -> Vec<Option<String>> {
    all.iter().map(|text| (!text.is_empty()).then(|| (*text).to_owned())).collect()
}

const BOTH: [&str; 7] = ["slab", "bulk", "", "slab", "dimer", "bulk", ""];

#[test]
fn texts_are_codes_in_the_order_in_which_they_come_first() {
    let graphs = read(&atoms(&FIRST), &labelled(&["config_type"])).unwrap();
    assert_eq!(graphs.values::<i64>("config_type").unwrap(), [0, 1, 0, 0]);
    assert_eq!(graphs.values::<bool>("has_config_type").unwrap(), [true, true, false, true]);
    assert_eq!(texts(&graphs), expected(&BOTH[..4]));
    // A new name keeps them, and a choice of other fields.
    let rename = vec![("config_type".into(), "kind".into())];
    let chosen = Fields { select: Some(vec![]), rename, ..labelled(&["config_type"]) };
    let graphs = read(&atoms(&FIRST), &chosen).unwrap();
    let field = &graphs.schema().fields()[graphs.schema().position("kind").unwrap()];
    assert_eq!(*field.labels, ["slab", "bulk"]);
    assert_eq!(graphs.schema().position("head"), None);
}

#[test]
fn whole_numbers_among_texts_are_texts() {
    let graphs = read(&atoms(&["config_type=111", "config_type=211a", "config_type=nan"]), &labelled(&["config_type"]));
    assert_eq!(texts(&graphs.unwrap()), expected(&["111", "211a", ""]));
}

#[test]
fn all_texts_of_a_record_that_is_left_out_are_forgotten() {
    let text = atoms(&["config_type=a", "config_type=b head=x energy=nine pbc=9", "config_type=c"]);
    let folder = TempDir::new().unwrap();
    let path = file(&folder, "a.xyz", &text);
    let options = ReadOptions { skips_errors: true, ..ReadOptions::default() };
    let fields = labelled(&["config_type"]);
    let graphs = Pieces::with(path, FileFormat::Xyz, &fields, &options).unwrap().read().unwrap();
    assert_eq!(texts(&graphs), expected(&["a", "c"]));
}

#[test]
fn files_with_other_texts_make_one_list() {
    let folder = TempDir::new().unwrap();
    let fields = labelled(&["config_type"]);
    let paths: Vec<PathBuf> = vec![file(&folder, "a.xyz", &atoms(&FIRST)), file(&folder, "b.xyz", &atoms(&SECOND))];
    let parts: Vec<Store> = paths.iter().map(|path| graphpack_formats::read(path, &fields).unwrap()).collect();
    assert_eq!(texts(&Store::concat(&parts).unwrap()), expected(&BOTH));

    for (graphs_per_file, threads) in [(None, 1), (None, 3), (Some(2), 2)] {
        let path = folder.path().join(format!("all-{threads}"));
        let mut writer = match graphs_per_file {
            Some(graphs) => StoreWriter::create_folder(&path, graphs).unwrap(),
            None => StoreWriter::create(&path).unwrap(),
        };
        let convert = Convert { fields: fields.clone(), threads, ..Convert::default() };
        convert.run(&paths, &mut writer, |_| {}).unwrap();
        writer.finish().unwrap();
        let opened = StoreFiles::open(&path).unwrap();
        assert_eq!(texts(&opened.part(0..opened.len()).unwrap()), expected(&BOTH));
    }

    let [first, second] = [0, 1].map(|part| Data::from(parts[part].clone()));
    for first in [first.clone(), first.connect(Edges::FullyConnected).unwrap()] {
        let mix = Data::mix(&[("second", &second), ("first", &first)]).unwrap();
        assert_eq!(texts(&Store::collect(&mix).unwrap()), expected(&[&BOTH[4..], &BOTH[..4]].concat()));
        // A map of the mix gets its codes: of dimer, bulk and slab.
        let subset = mix.subset([3, 4]).unwrap().map("see", |graph| {
            let expected = if graph.number() == 3 { 2 } else { 1 };
            assert_eq!(*graph.get::<i64>("config_type")?, [expected]);
            Ok(())
        });
        let batch = Loader::new(subset, Options::graphs(2)).unwrap().epoch(0).next().unwrap().unwrap();
        assert_eq!(batch.get::<i64>("config_type").unwrap()[..2].iter().sum::<i64>(), 3);
        // Without its mask among the fields, a text that a structure lacks is 0 all the same.
        let loader = Loader::new(mix, Options::graphs(7).fields(["config_type"])).unwrap();
        let batch = loader.epoch(0).next().unwrap().unwrap();
        assert_eq!(batch.get::<i64>("config_type").unwrap()[..7], [0, 1, 0, 2, 1, 0, 2]);
    }
}

#[test]
fn what_has_no_labels_is_refused() {
    let fields = labelled(&["config_type"]);
    for (text, expected) in [
        (atoms(&["config_type=a", "config_type=2.5"]), "config_type: expected one text of the structure"),
        (atoms(&["head=a"]), "a field \"config_type\""),
        (atoms(&["config_type=\"1 2\""]), "config_type: expected one text of the structure"),
    ] {
        let found = read(&text, &fields).map(|store| store.len()).map_err(|error| error.to_string());
        assert!(found.as_ref().is_err_and(|error| error.contains(expected)), "{found:?}");
    }
    let folder = TempDir::new().unwrap();
    let csv = file(&folder, "a.csv", "smiles,config_type\nC,a\n");
    let error = graphpack_formats::read(csv, &fields).unwrap_err().to_string();
    assert!(error.contains("of xyz, ase_db or aselmdb"), "{error}");
}
