//! [`Delivery`]: which arrays of a batch are copied to a device, which are cast there, and which are made there.

use super::casts::{Casts, Placed};
use crate::ffi::copy;
use crate::{BridgeError, Error};
use graphpack_loader::memory::{ArrayKind, Builtin, Layout};
use graphpack_loader::{Level, Shape};
use std::ops::Range;
use std::sync::Arc;
use tch::{Device, Kind, TchError, Tensor};

/// An array that follows from others is made on the device if it has at least this many bytes. By arithmetic, not
/// measured: a PCIe 5 slot moves 256 KB in 5 us, which is what a launch takes.
const MADE_FROM: usize = 256 << 10;
/// The loader's alignment of arrays.
const ALIGN: usize = 64;

/// How the batches of one layout come to a device. An array lies there at the same byte as in the batch, unless it is
/// cast: then it lies after all others.
#[derive(Debug)]
pub(crate) struct Delivery {
    layout: Arc<Layout>,
    /// One for each array of the layout; likewise `origins`.
    arrays: Vec<Placed>,
    origins: Vec<Origin>,
    bytes: usize,
    /// The bytes of the batch that are copied.
    copied: Vec<Range<usize>>,
}

/// How an array on the device gets its values.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Origin {
    /// It is copied.
    Copied,
    /// It is cast from its copy.
    Cast,
    /// The graph of each row of a set is searched for in the `ptr` of the set.
    Searched(u8),
    /// A mask is filled: true for the rows that are real, which come first.
    Filled(Level),
}

impl Origin {
    /// How an array can be made on the device; none if it does not follow from others that batches carry.
    fn made(kind: ArrayKind, layout: &Layout) -> Option<Self> {
        match kind {
            ArrayKind::Builtin(Builtin::Batch(set)) => layout.position(Builtin::Ptr(set)).map(|_| Self::Searched(set)),
            ArrayKind::Builtin(Builtin::Mask(level)) => Some(Self::Filled(level)),
            _ => None,
        }
    }
}

impl Delivery {
    /// Copies all arrays as they are in the batch.
    pub(crate) fn plain(layout: Arc<Layout>) -> Self {
        let arrays: Vec<_> = layout.arrays().iter().map(Placed::as_loaded).collect();
        let (origins, bytes) = (vec![Origin::Copied; arrays.len()], layout.bytes());
        Self { layout, arrays, origins, bytes, copied: std::iter::once(0..bytes).collect() }
    }

    /// Casts arrays, and does not copy those that are cheaper to make.
    pub(crate) fn new(layout: Arc<Layout>, casts: &Casts) -> Result<Self, Error> {
        Self::making_from(layout, casts, MADE_FROM)
    }

    fn making_from(layout: Arc<Layout>, casts: &Casts, least: usize) -> Result<Self, Error> {
        let kinds = casts.kinds(&layout)?;
        let mut this = Self::plain(layout);
        this.copied.clear();
        let arrays = this.layout.arrays();
        for (position, (info, kind)) in arrays.iter().zip(kinds).enumerate() {
            let (array, origin) = (&mut this.arrays[position], &mut this.origins[position]);
            if array.kind() != kind {
                *array = array.cast(this.bytes, kind);
                this.bytes = array.end().next_multiple_of(ALIGN);
                *origin = Origin::Cast;
            }
            let made = Origin::made(info.kind, &this.layout).filter(|_| info.range().len() >= least);
            if let Some(made) = made {
                *origin = made;
            } else {
                let end = arrays.get(position + 1).map_or(this.layout.bytes(), |next| next.start);
                match this.copied.last_mut() {
                    Some(last) if last.end == info.start => last.end = end,
                    _ => this.copied.push(info.start..end),
                }
            }
        }
        Ok(this)
    }

    pub(crate) fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    /// Whether both have the same arrays in the same places.
    pub(crate) fn same_arrays(&self, other: &Self) -> bool {
        self.layout == other.layout && self.arrays == other.arrays
    }

    /// Bytes on the device.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// All arrays, as views of the bytes on the device.
    pub(crate) fn views(&self, device: &Tensor) -> Result<Vec<Tensor>, TchError> {
        self.arrays.iter().map(|array| array.view(device)).collect()
    }

    /// All arrays, as views of the bytes of the batch; those that are cast are copies.
    pub(crate) fn views_and_casts(&self, host: &Tensor) -> Result<Vec<Tensor>, TchError> {
        let arrays = self.layout.arrays().iter().zip(&self.arrays);
        arrays.map(|(info, array)| Placed::as_loaded(info).view(host)?.f_to_kind(array.kind())).collect()
    }

    /// Gives the current stream all work that brings a batch from `host` to `device`. `real` is how much of the shape
    /// is real.
    pub(crate) fn deliver(
        &self,
        host: &Tensor,
        device: &Tensor,
        real: Shape,
        counting: &mut Counting,
    ) -> Result<(), Error> {
        for range in &self.copied {
            let part = |bytes: &Tensor| bytes.f_narrow(0, range.start as i64, range.len() as i64);
            copy(&part(device)?, &part(host)?).map_err(BridgeError::cannot("copy a batch"))?;
        }
        for ((info, array), origin) in self.layout.arrays().iter().zip(&self.arrays).zip(&self.origins) {
            if *origin == Origin::Cast {
                copy(&array.view(device)?, &Placed::as_loaded(info).view(device)?)
                    .map_err(BridgeError::cannot("copy a batch"))?;
            }
        }
        // After all casts: `ptr` may be one of them.
        for (array, origin) in self.arrays.iter().zip(&self.origins) {
            match origin {
                Origin::Copied | Origin::Cast => {}
                Origin::Searched(set) => self.search(*set, &array.view(device)?, device, counting)?,
                Origin::Filled(level) => {
                    let real = real.rows(*level) as i64;
                    let mask = array.view(device)?;
                    let _ = mask.f_narrow(0, 0, real)?.f_fill_(1)?;
                    let _ = mask.f_narrow(0, real, mask.size1()? - real)?.f_fill_(0)?;
                }
            }
        }
        Ok(())
    }

    /// Writes the graph of each row of a set: the first one that ends after the row.
    fn search(&self, set: u8, batch: &Tensor, device: &Tensor, counting: &mut Counting) -> Result<(), TchError> {
        let shape = self.layout.shape();
        let Some(ptr) = self.layout.position(Builtin::Ptr(set)) else { return Ok(()) };
        let ptr = self.arrays[ptr].view(device)?;
        let ends = ptr.f_narrow(0, 1, shape.graphs() as i64)?;
        let nodes = counting.up_to(shape.rows(Level::Set(set)), batch.kind())?;
        let (narrow, none) = (batch.kind() == Kind::Int, None::<&Tensor>);
        let _ = nodes.f_searchsorted_tensor_out(batch, &ends, narrow, true, "right", none)?;
        Ok(())
    }
}

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

#[cfg(test)]
mod tests {
    use super::{Casts, Counting, Delivery};
    use crate::ffi::tensor_over;
    use graphpack_loader::{Dtype, Loader, Options, molecules};
    use tch::{Device, Kind, Tensor};

    /// Arrays that are made on the device equal those that the loader wrote; casts change only the type.
    #[test]
    fn made_and_cast_arrays_equal_the_copied_ones() {
        for narrow in [false, true] {
            let options = Options::graphs(16);
            let options = if narrow { options.index(Dtype::I32) } else { options };
            let loader = Loader::new(molecules::generate(3, 100), options).expect("molecules fit");
            for (wide_indices, least) in [(false, 0), (true, 0), (true, usize::MAX), (false, usize::MAX)] {
                let mut casts = Casts::default();
                casts.field("x", Kind::Float);
                if wide_indices {
                    casts.wide_indices();
                }
                for batch in loader.epoch(0) {
                    let batch = batch.expect("nothing fails");
                    let (layout, real) = (batch.layout().clone(), batch.real());
                    let host = tensor_over(batch.into_parts().0).expect("CPU memory");
                    let plain = Delivery::plain(layout.clone()).views(&host).expect("it is its layout");
                    let delivery = Delivery::making_from(layout.clone(), &casts, least).expect("x is a field");
                    let copied: usize = delivery.copied.iter().map(|range| range.len()).sum();
                    assert_eq!(copied < layout.bytes(), least == 0);
                    let device = Tensor::full([delivery.bytes() as i64], 255, (Kind::Uint8, Device::Cpu));
                    let mut counting = Counting::on(Device::Cpu);
                    delivery.deliver(&host, &device, real, &mut counting).expect("nothing fails");
                    let there = delivery.views(&device).expect("it is its layout");
                    for ((info, plain), there) in layout.arrays().iter().zip(&plain).zip(&there) {
                        let name = &info.name;
                        let expected = match info.kind {
                            _ if name == "x" => Kind::Float,
                            kind if kind.is_index() && wide_indices => Kind::Int64,
                            _ => plain.kind(),
                        };
                        assert_eq!((there.kind(), there.size()), (expected, plain.size()), "{name}");
                        assert!(plain.to_kind(expected).equal(there), "{name}");
                    }
                }
            }
        }
    }
}
