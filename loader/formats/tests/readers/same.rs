//! The structures of `atoms` make the same store from every format that has them.

use graphpack_formats::{Fields, read};
use graphpack_loader::{Dtype, Store};
use test_common::shared_data;

/// Compares the fields that both stores have; returns their names.
fn compare(a: &Store, b: &Store, tolerance: f64) -> Vec<String> {
    assert_eq!(a.len(), b.len());
    assert!(a.sizes().eq(b.sizes()));
    let both = a.schema().fields().iter().filter(|field| b.schema().position(&field.name).is_some());
    let both = both.inspect(|field| {
        let name = &*field.name;
        assert_eq!(b.schema().fields()[b.schema().position(name).unwrap()], **field);
        match field.dtype {
            Dtype::F64 => {
                let [a, b] = [a, b].map(|store| store.values::<f64>(name).unwrap());
                let far = a.iter().zip(&b).find(|(a, b)| (**a - **b).abs() > tolerance);
                assert_eq!((a.len(), far), (b.len(), None), "{name}");
            }
            Dtype::I64 => assert_eq!(a.values::<i64>(name).unwrap(), b.values::<i64>(name).unwrap(), "{name}"),
            Dtype::Bool => assert_eq!(a.values::<bool>(name).unwrap(), b.values::<bool>(name).unwrap(), "{name}"),
            other => panic!("{name} is {other}"),
        }
    });
    both.map(|field| field.name.clone()).collect()
}

#[test]
#[ignore = "needs the real data sets (GRAPHPACK_DATA)"]
fn on_real_data_structures_are_the_same_in_every_format() {
    let data = shared_data();
    let fields = Fields { double: Some(true), ..Fields::default() };
    let store = |name: &str| read(data.join("atoms").join(name), &fields).unwrap();
    let lmdb = store("alloys.aselmdb");
    assert_eq!(lmdb.len(), 1000);
    let labels = ["z", "pos", "cell", "pbc", "energy", "forces", "stress", "has_stress"];
    #[cfg(feature = "hdf5")]
    {
        let both = compare(&lmdb, &store("alloys_mace.h5"), 0.0);
        assert!(labels[..6].iter().all(|label| both.iter().any(|name| name == label)), "{both:?}");
    }
    let text = store("alloys.extxyz.gz");
    let both = compare(&lmdb, &text, 1e-8);
    assert_eq!(both.len(), text.schema().fields().len(), "{both:?}");
    assert!(labels.iter().all(|label| both.iter().any(|name| name == label)), "{both:?}");
}
