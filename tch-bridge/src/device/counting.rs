//! [`Counting`]: 0, 1, 2, ... on a device, made once.

use tch::{Device, Kind, TchError, Tensor};

/// 0, 1, 2, ... on a device, made once.
#[derive(Debug)]
pub(crate) struct Counting {
    device: Device,
    numbers: Option<Tensor>,
}

impl Counting {
    pub(crate) fn on(device: Device) -> Self {
        Self { device, numbers: None }
    }

    /// The numbers below `end`.
    pub(crate) fn up_to(&mut self, end: usize, kind: Kind) -> Result<Tensor, TchError> {
        match &self.numbers {
            Some(numbers) if numbers.size1()? >= end as i64 && numbers.kind() == kind => {
                numbers.f_narrow(0, 0, end as i64)
            }
            _ => {
                let numbers = Tensor::f_arange(end as i64, (kind, self.device))?;
                Ok(self.numbers.insert(numbers).shallow_clone())
            }
        }
    }
}
