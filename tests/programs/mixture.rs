//! A mixture drawn by rates, noise on one part before edges are made.

use graphpack_loader::{Connect, Data, Edges, Loader, Options, Order, clusters};

#[test]
fn a_mixture_is_drawn_by_rates_and_one_part_is_augmented() -> Result<(), Box<dyn std::error::Error>> {
    let [crystals, molecules] = [(1, 60), (2, 300)].map(|(seed, graphs)| Data::from(clusters::generate(seed, graphs)));

    let noisy = crystals.map("noise", |graph| {
        let mut random = graph.random();
        graph.get::<f32>("pos")?.iter_mut().for_each(|x| *x += random.normal(0.01));
        Ok(())
    });
    let both = Data::mix(&[("crystals", &noisy), ("molecules", &molecules)])?
        .connect(Connect::from(Edges::Radius(2.0)).margin(0.1))?;
    let weights = both.rates(&[1.0, 3.0])?;
    let loader = Loader::new(&both, Options::graphs(64).weights(weights).order(Order::Shuffled).seed(7))?;

    // Positions of the crystals differ from those of the data, by as much as the noise.
    let plain = Data::mix(&[("crystals", &crystals), ("molecules", &molecules)])?;
    let mut plain_positions = vec![Vec::new(); plain.len()];
    for batch in Loader::new(&plain, Options::graphs(64))?.epoch(0) {
        for graph in batch?.graphs() {
            plain_positions[graph.number() as usize] = graph.rows::<f32>("pos")?.to_vec();
        }
    }
    let (mut drawn, mut squares, mut moved) = ([0; 2], 0.0, 0);
    for batch in loader.epoch(0) {
        let batch = batch?;
        assert!(batch.real().edges() > 0);
        for graph in batch.graphs() {
            let number = graph.number() as usize;
            drawn[usize::from(number >= 60)] += 1;
            let offsets = graph.rows::<f32>("pos")?.iter().zip(&plain_positions[number]).map(|(x, plain)| x - plain);
            let sum: f32 = offsets.map(|offset| offset * offset).sum();
            assert_eq!(sum > 0.0, number < 60);
            squares += sum;
            moved += if number < 60 { plain_positions[number].len() } else { 0 };
        }
    }
    assert_eq!(drawn.iter().sum::<i32>(), 360);
    // Four standard deviations of 360 draws; of at least 1,000 coordinates.
    assert!((drawn[0] - 90).abs() < 33, "{drawn:?}");
    let deviation = (squares / moved as f32).sqrt();
    assert!((deviation - 0.01).abs() < 0.001, "{deviation} of {moved}");
    Ok(())
}
