//! [`molecules`]: generated graphs that look like those of ogbg-molhiv.

use graphpack_loader::{Level, Loader, Options, molecules};
use test_common::batches;

#[test]
fn generated_molecules_are_valence_correct_and_as_large_as_those_of_molhiv() {
    let data = molecules::generate(3, 4000);
    let loader = Loader::new(data.clone(), Options::default()).unwrap();
    assert_eq!(data.schema().fields()[0].level, Level::NODE);
    let valence = |code: i64| match code + 1 {
        6 => 4,
        7 => 3,
        8 | 16 => 2,
        _ => 1,
    };
    let (mut amides, mut nodes, mut edges) = (0, 0, 0);
    for batch in batches(loader.epoch(0)) {
        let (sources, targets) = batch.edge_index::<i64>().unwrap();
        let (x, order) = (batch.get::<i64>("x").unwrap(), batch.get::<i64>("edge_attr").unwrap());
        // Valences are filled by bonds and hydrogens.
        let mut bonds = vec![0; batch.real().nodes()];
        let mut degree = bonds.clone();
        for edge in 0..batch.real().edges() {
            bonds[sources[edge] as usize] += order[3 * edge] + 1;
            degree[sources[edge] as usize] += 1;
            let back = edge ^ 1;
            assert_eq!(
                (sources[edge], targets[edge]),
                (targets[back], sources[back]),
                "the inverse stands beside the edge"
            );
        }
        for (atom, features) in x.chunks_exact(9).take(batch.real().nodes()).enumerate() {
            assert_eq!((bonds[atom] + features[4], degree[atom]), (valence(features[0]), features[2]));
        }
        amides += batch.get::<i64>("y").unwrap().iter().sum::<i64>();
        nodes += batch.real().nodes();
        edges += batch.real().edges();
    }
    // ogbg-molhiv: 25.5 nodes, 54.9 edges.
    let [nodes, edges, amides] = [nodes as f64, edges as f64, amides as f64].map(|sum| sum / 4000.0);
    assert!((24.0..27.0).contains(&nodes) && (50.0..59.0).contains(&edges), "{nodes} nodes, {edges} edges");
    assert!((0.2..0.8).contains(&amides), "{amides} of the molecules have an amide group");
}
