//! Splits of a data set in one shape.

use graphpack_loader::{Data, Loader, Options, Order, Shapes, molecules};

#[test]
fn splits_share_a_shape() -> Result<(), Box<dyn std::error::Error>> {
    let all = Data::from(molecules::generate(7, 1000));
    let (train, valid) = ((0..1000).filter(|graph| graph % 5 > 0), (0..1000).step_by(5));

    let options = Options::graphs(32).sized_for(&all);
    let train = Loader::new(all.subset(train.collect::<Vec<u32>>())?, options.clone().order(Order::Shuffled))?;
    let valid = Loader::new(all.subset(valid.collect::<Vec<u32>>())?, options)?;

    assert!(train.shape().is_some());
    assert_eq!(train.shape(), valid.shape());
    Ok(())
}

/// A split of small graphs alone, and of one graph, whatever the way of batching.
#[test]
fn splits_of_any_graphs_share_shapes() -> Result<(), Box<dyn std::error::Error>> {
    let all = Data::from(molecules::generate(7, 300));
    let sizes: Vec<_> = all.sizes()?.collect();
    let mut by_size: Vec<u32> = (0..300).collect();
    by_size.sort_by_key(|&graph| sizes[graph as usize]);
    let splits = [by_size[..100].to_vec(), by_size[100..].to_vec(), vec![by_size[7]]];
    let in_order = graphpack_loader::Grouping::InOrder;
    for options in [
        Options::graphs(8),
        Options::graphs(8).packs(2),
        Options::graphs(8).grouping(in_order.clone()),
        Options::rows(&[("nodes", 300), ("edges", 700)], 20).grouping(in_order),
        Options::exactly(7),
    ] {
        let loader = |split: &Vec<u32>| {
            let options = options.clone().order(Order::Shuffled).sized_for(&all);
            Loader::new(all.subset(split.clone())?, options).map_err(Box::<dyn std::error::Error>::from)
        };
        let whole = Loader::new(&all, options.clone().sized_for(&all))?.shape();
        assert!(whole.is_some());
        for split in &splits {
            let loader = loader(split)?;
            assert_eq!(loader.shape(), whole, "{}", options.capacity);
            let mut graphs = 0;
            for batch in loader.epoch(0) {
                graphs += batch?.real().graphs();
            }
            assert_eq!(graphs, split.len());
        }
    }
    // Few shapes are shared, too: those of a split are among those of all.
    let few = |data: Data| {
        Loader::new(data, Options::graphs(4).shapes(Shapes::Few(3)).sized_for(&all))?
            .shapes(0)
            .map_err(Box::<dyn std::error::Error>::from)
    };
    let every = few(all.subset((0..300).collect::<Vec<u32>>())?)?;
    assert!(every.len() > 1);
    for split in &splits {
        for (shape, _) in few(all.subset(split.clone())?)? {
            assert!(every.iter().any(|(other, _)| *other == shape), "{shape} is none of {every:?}");
        }
    }
    Ok(())
}
