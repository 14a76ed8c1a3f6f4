//! A number of components that is known at run time only.

use graphpack_core::{Effort, Heuristic, MAX_COMPONENTS, Packer, Size, components};

#[test]
fn every_count_from_1_to_8_is_chosen_and_no_other() {
    for count in 0..=MAX_COMPONENTS + 2 {
        let chosen = components!(count, K => Size([7; K]).0.len());
        assert_eq!(chosen, (1..=MAX_COMPONENTS).contains(&count).then_some(count));
    }
}

#[test]
fn an_error_leaves_the_function_around() {
    fn product(components: &[u32]) -> Result<u64, std::array::TryFromSliceError> {
        let value =
            components!(components.len(), K => Heuristic::<K>::Product.value(&Size(components[1..].try_into()?)));
        Ok(value.unwrap_or(0))
    }
    assert!(product(&[1, 2, 3]).is_err());
}

#[test]
fn components_are_dropped_and_new_ones_are_zero() {
    let size = Size([3, 4]);
    assert_eq!(size.with_components::<1>(), Size([3]));
    assert_eq!(size.with_components::<3>(), Size([3, 4, 0]));
    assert_eq!(Heuristic::Weighted(size).with_components::<3>().value(&Size([1, 1, 9])), 7);
}

#[test]
fn a_packer_keeps_its_name_and_options() {
    let packers = [
        Packer::BestFit(Heuristic::Product),
        Packer::FirstFit(Heuristic::Weighted(Size([1, 2]))),
        Packer::Demand,
        Packer::Columns(Effort::steps(5)),
        Packer::Window { open: 3, seed: 4 },
        Packer::Auto(Effort::steps(6)),
        Packer::Published(Heuristic::Component(1)),
    ];
    for packer in packers {
        assert_eq!(packer.with_components::<8>().with_components::<2>(), packer);
    }
}
