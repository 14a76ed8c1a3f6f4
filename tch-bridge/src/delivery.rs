//! [`Delivery`]: what of a batch is copied to a device, and what is made there.

use crate::BridgeError;
use crate::ffi::copy;
use graphpack_loader::{ArrayInfo, Dtype, Layout, Shape};
use std::ops::Range;
use std::sync::Arc;
use tch::{Device, Kind, TchError, Tensor};

/// Arrays of at least so many bytes that follow from others are made on the device. By arithmetic, not measured: a PCIe 5 slot moves 256 KB in
/// 5 us, as long as it takes to launch what makes them.
const MADE_FROM: usize = 256 << 10;
/// As the loader aligns arrays.
const ALIGN: usize = 64;

/// Arrays that are to have another type on the device than in the batch.
#[derive(Clone, Debug, Default)]
pub(crate) struct Casts {
    pub(crate) fields: Vec<(String, Kind)>,
    pub(crate) wide_indices: bool,
}

/// How the batches of one layout lie on the device: as in the batch, then the arrays that were cast.
#[derive(Debug, PartialEq)]
pub(crate) struct Delivery {
    layout: Arc<Layout>,
    /// Of each array of the layout.
    arrays: Vec<Placed>,
    bytes: usize,
    copied: Vec<Range<usize>>,
    /// Whether `batch` is made from `ptr`, and whether masks are made from the numbers of real rows.
    made: [bool; 2],
}

/// An array on the device.
#[derive(Debug, PartialEq)]
struct Placed {
    start: usize,
    kind: Kind,
    size: Vec<i64>,
    cast: bool,
}

/// Arrays by their place behind the fields.
pub(crate) const EDGE_INDEX: usize = 0;
pub(crate) const BATCH: usize = 1;
pub(crate) const PTR: usize = 2;
pub(crate) const GRAPH_IDS: usize = 3;
pub(crate) const NODE_MASK: usize = 4;
pub(crate) const EDGE_MASK: usize = 5;
pub(crate) const GRAPH_MASK: usize = 6;

impl Delivery {
    /// Everything as it is in the batch.
    pub(crate) fn plain(layout: Arc<Layout>) -> Self {
        let arrays = layout.arrays().iter().map(Placed::as_is).collect();
        let bytes = layout.bytes();
        Self { layout, arrays, bytes, copied: std::iter::once(0..bytes).collect(), made: [false, false] }
    }

    /// With casts, and without copies of what is cheaper to make.
    pub(crate) fn new(layout: Arc<Layout>, casts: &Casts) -> Result<Self, BridgeError> {
        Self::making_from(layout, casts, MADE_FROM)
    }

    fn making_from(layout: Arc<Layout>, casts: &Casts, least: usize) -> Result<Self, BridgeError> {
        let mut this = Self::plain(layout);
        let fields = this.layout.schema().fields().len();
        let mut wanted = Vec::new();
        for (name, kind) in &casts.fields {
            let position = this.layout.schema().position(name);
            wanted.push((position.ok_or_else(|| BridgeError::Missing { name: name.clone() })?, *kind));
        }
        if casts.wide_indices {
            wanted.extend([EDGE_INDEX, BATCH, PTR].map(|own| (fields + own, Kind::Int64)));
        }
        for (position, kind) in wanted {
            let array = &mut this.arrays[position];
            if array.kind != kind {
                let elements: i64 = array.size.iter().product();
                *array = Placed { start: this.bytes, kind, cast: true, size: std::mem::take(&mut array.size) };
                this.bytes = (this.bytes + elements as usize * kind.elt_size_in_bytes()).next_multiple_of(ALIGN);
            }
        }
        let arrays = this.layout.arrays();
        let large = |own: usize| arrays[fields + own].range().len() >= least;
        this.made = [large(BATCH), large(NODE_MASK) || large(EDGE_MASK)];
        let left_out = |position: usize| match position.checked_sub(fields) {
            Some(BATCH) => this.made[0],
            Some(NODE_MASK..=GRAPH_MASK) => this.made[1],
            _ => false,
        };
        this.copied.clear();
        for (position, array) in arrays.iter().enumerate() {
            let end = arrays.get(position + 1).map_or(this.layout.bytes(), |next| next.start);
            match this.copied.last_mut() {
                _ if left_out(position) => {}
                Some(last) if last.end == array.start => last.end = end,
                _ => this.copied.push(array.start..end),
            }
        }
        Ok(this)
    }

    pub(crate) fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    /// Bytes on the device.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// All arrays, as views into the bytes on the device.
    pub(crate) fn views(&self, bytes: &Tensor) -> Result<Vec<Tensor>, TchError> {
        self.arrays.iter().map(|array| array.view(bytes)).collect()
    }

    /// All arrays without a copy, but those that are cast.
    pub(crate) fn views_and_casts(&self, host: &Tensor) -> Result<Vec<Tensor>, TchError> {
        let arrays = self.layout.arrays().iter().zip(&self.arrays);
        arrays.map(|(info, array)| Placed::as_is(info).view(host)?.f_to_kind(array.kind)).collect()
    }

    /// Gives all copies and casts of a batch to the current stream. `counting` is 0, 1, ... on the device, long enough for every node.
    pub(crate) fn deliver(
        &self,
        host: &Tensor,
        device: &Tensor,
        real: Shape,
        counting: &mut Counting,
    ) -> Result<(), BridgeError> {
        for range in &self.copied {
            let part = |bytes: &Tensor| bytes.f_narrow(0, range.start as i64, range.len() as i64);
            copy(&part(device)?, &part(host)?).map_err(BridgeError::Copy)?;
        }
        let fields = self.layout.schema().fields().len();
        for (position, (info, array)) in self.layout.arrays().iter().zip(&self.arrays).enumerate() {
            if array.cast && !(self.made[0] && position == fields + BATCH) {
                copy(&array.view(device)?, &Placed::as_is(info).view(device)?).map_err(BridgeError::Copy)?;
            }
        }
        let own = |own: usize| self.arrays[fields + own].view(device);
        if self.made[0] {
            let shape = self.layout.shape();
            let (out, ends) = (own(BATCH)?, own(PTR)?.f_narrow(0, 1, shape.graphs as i64)?);
            let nodes = counting.up_to(shape.nodes, out.kind())?;
            // The graph of a node is the first one that ends behind it.
            let (narrow, none) = (out.kind() == Kind::Int, None::<&Tensor>);
            let _ = nodes.f_searchsorted_tensor_out(&out, &ends, narrow, true, "right", none)?;
        }
        if self.made[1] {
            let real = [(NODE_MASK, real.nodes), (EDGE_MASK, real.edges), (GRAPH_MASK, real.graphs)];
            for (mask, real) in real {
                let mask = own(mask)?;
                let rows = mask.size1()?;
                let _ = mask.f_narrow(0, 0, real as i64)?.f_fill_(1)?;
                let _ = mask.f_narrow(0, real as i64, rows - real as i64)?.f_fill_(0)?;
            }
        }
        Ok(())
    }
}

impl Placed {
    fn as_is(array: &ArrayInfo) -> Self {
        let size = [Some(array.rows), array.width].into_iter().flatten().map(|n| n as i64).collect();
        Self { start: array.start, kind: kind(array.dtype), size, cast: false }
    }

    fn view(&self, bytes: &Tensor) -> Result<Tensor, TchError> {
        let length = self.size.iter().product::<i64>() * self.kind.elt_size_in_bytes() as i64;
        bytes.f_narrow(0, self.start as i64, length)?.f_view_dtype(self.kind)?.f_view(self.size.as_slice())
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

    fn up_to(&mut self, end: usize, kind: Kind) -> Result<Tensor, TchError> {
        match &self.numbers {
            Some(numbers) if numbers.size1()? >= end as i64 && numbers.kind() == kind => {
                return numbers.f_narrow(0, 0, end as i64);
            }
            _ => {}
        }
        let numbers = Tensor::f_arange(end as i64, (kind, self.device))?;
        Ok(self.numbers.insert(numbers).shallow_clone())
    }
}

/// The dtype of libtorch.
fn kind(dtype: Dtype) -> Kind {
    match dtype {
        Dtype::F32 => Kind::Float,
        Dtype::F64 => Kind::Double,
        Dtype::I64 => Kind::Int64,
        Dtype::I32 => Kind::Int,
        Dtype::U8 => Kind::Uint8,
        Dtype::Bool => Kind::Bool,
    }
}

#[cfg(test)]
mod tests {
    use super::{Casts, Counting, Delivery};
    use crate::ffi::tensor_over;
    use graphpack_loader::{Loader, molecules};
    use tch::{Device, Kind, Tensor};

    /// What is made on the device equals what the loader wrote, and casts change nothing but the type.
    #[test]
    fn made_and_cast_arrays_equal_the_copied_ones() {
        for narrow in [false, true] {
            let loader = Loader::new(molecules::generate(3, 100)).batch_graphs(16);
            let loader = if narrow { loader.narrow_indices() } else { loader };
            let loader = loader.build().expect("molecules fit");
            for (wide_indices, least) in [(false, 0), (true, 0), (true, usize::MAX), (false, usize::MAX)] {
                let casts = Casts { fields: vec![("x".into(), Kind::Float)], wide_indices };
                for batch in loader.epoch(0) {
                    let batch = batch.expect("nothing fails");
                    let (layout, real) = (batch.layout().clone(), batch.real());
                    let host = tensor_over(batch.into_memory()).expect("CPU memory");
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
                        let index = ["edge_index", "batch", "ptr"].contains(&name.as_str());
                        let expected = match name.as_str() {
                            "x" => Kind::Float,
                            _ if index && wide_indices => Kind::Int64,
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
