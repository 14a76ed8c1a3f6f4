//! [`Array`]: one array of a batch, which NumPy, PyTorch and JAX read without a copy.

use dlpark::ffi::{DLDataType, DLDevice, DLManagedTensor, DLManagedTensorVersioned};
use dlpark::metadata::Dynamic;
use dlpark::python::{DlpackExporter, ExportRequest, export_dlpack};
use dlpark::{DlpackFlags, Managed};
use graphpack_loader::memory::{ArrayInfo, BatchMemory};
use graphpack_loader::{Dtype, Size};
use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::ffi::{CStr, c_int, c_void};
use std::ptr;
use std::sync::Arc;

/// The memory of a batch. It goes back to the loader with the last array over it, whichever library holds that.
pub(crate) struct Memory {
    first: *mut u8,
    bytes: usize,
    memory: BatchMemory,
}

// SAFETY: the memory may be dropped on any thread and is not touched by Rust until then; `first` points into it. Who may
// write it when is up to the libraries that share it, as for any array of theirs.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

impl Memory {
    pub(crate) fn new(mut memory: BatchMemory) -> Arc<Self> {
        let bytes = memory.bytes_mut();
        let (first, bytes) = (bytes.as_mut_ptr(), bytes.len());
        Arc::new(Self { first, bytes, memory })
    }

    /// The numbers of rows of each real graph.
    pub(crate) fn sizes(&self) -> &[Size] {
        self.memory.sizes()
    }
}

/// One array of a batch. It has the buffer protocol and DLPack's, so that `numpy.asarray`, `torch.from_dlpack` and
/// `jax.dlpack.from_dlpack` share its memory, which goes back to the loader when the last of them is gone.
///
///     >>> x = next(iter(gp.Loader(data, capacity=16)))["x"]
///     >>> x.shape, x.dtype, np.asarray(x).shape
///     ((129, 2), 'float32', (129, 2))
#[pyclass(frozen, module = "graphpack_loader")]
pub(crate) struct Array {
    memory: Arc<Memory>,
    start: usize,
    dtype: Dtype,
    /// The lengths of its axes; then the strides of the buffer protocol, in bytes.
    shape: Vec<isize>,
    strides: Vec<isize>,
}

impl Array {
    pub(crate) fn of(memory: &Arc<Memory>, array: &ArrayInfo) -> Self {
        let shape = array.shape().map(|n| n as isize).collect();
        Self::new(memory.clone(), array.start, array.dtype, shape)
    }

    /// All bytes of a batch.
    pub(crate) fn bytes(memory: &Arc<Memory>) -> Self {
        Self::new(memory.clone(), 0, Dtype::U8, vec![memory.bytes as isize])
    }

    fn new(memory: Arc<Memory>, start: usize, dtype: Dtype, shape: Vec<isize>) -> Self {
        let element = dtype.bytes() as isize;
        let strides = (1..=shape.len()).map(|axis| element * shape[axis..].iter().product::<isize>()).collect();
        Self { memory, start, dtype, shape, strides }
    }

    /// Dtype and shape: `float32[129, 2]`.
    pub(crate) fn kind(&self) -> String {
        format!("{}{:?}", self.dtype, self.shape)
    }

    fn data(&self) -> *mut c_void {
        // SAFETY: the layout of the batch says that the array lies in its memory.
        unsafe { self.memory.first.add(self.start).cast() }
    }

    fn elements(&self) -> isize {
        self.shape.iter().product()
    }

    fn managed<M: dlpark::ManagedTensorBase>(&self) -> PyResult<Managed<M>> {
        let shape: Vec<i64> = self.shape.iter().map(|&n| n as i64).collect();
        let wrong = |error: dlpark::metadata::Error| PyBufferError::new_err(error.to_string());
        let mut tensor = Dynamic::compact(&shape[..]).initialize_as::<M>(self.memory.clone()).map_err(wrong)?;
        tensor.set_data(self.data()).set_device(DLDevice::CPU).set_dtype(match self.dtype {
            Dtype::F16 => DLDataType::F16,
            Dtype::F32 => DLDataType::F32,
            Dtype::F64 => DLDataType::F64,
            Dtype::I64 => DLDataType::I64,
            Dtype::I32 => DLDataType::I32,
            Dtype::U8 => DLDataType::U8,
            Dtype::Bool => DLDataType::BOOL,
        });
        // SAFETY: the context keeps the memory alive, and the fields describe an array within it.
        Ok(unsafe { tensor.finish() })
    }
}

impl DlpackExporter for Array {
    fn device(&self) -> DLDevice {
        DLDevice::CPU
    }

    fn flags(&self) -> DlpackFlags {
        DlpackFlags::empty()
    }

    fn prepare_export(&self, _: Python<'_>, _: &ExportRequest<'_>) -> PyResult<()> {
        Ok(())
    }

    fn export_legacy(&self, _: Python<'_>) -> PyResult<Managed<DLManagedTensor>> {
        self.managed()
    }

    fn export_versioned(&self, _: Python<'_>) -> PyResult<Managed<DLManagedTensorVersioned>> {
        self.managed()
    }
}

#[pymethods]
impl Array {
    /// The lengths of its axes, rows first.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.shape)
    }

    /// NumPy's name of the element type: `float16`, `float32`, `float64`, `int64`, `int32`, `uint8`, `bool`.
    #[getter]
    fn dtype(&self) -> String {
        self.dtype.to_string()
    }

    fn __len__(&self) -> usize {
        self.shape[0] as usize
    }

    fn __repr__(&self) -> String {
        format!("Array({})", self.kind())
    }

    #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None))]
    fn __dlpack__<'py>(
        &self,
        py: Python<'py>,
        stream: Option<Bound<'py, PyAny>>,
        max_version: Option<(u32, u32)>,
        dl_device: Option<(u32, i32)>,
        copy: Option<bool>,
    ) -> PyResult<Py<PyAny>> {
        export_dlpack(self, py, ExportRequest::parse(stream.as_ref(), max_version, dl_device, copy)?)
    }

    fn __dlpack_device__(&self) -> (i32, i32) {
        (1, 0)
    }

    /// # Safety
    ///
    /// Python calls this with a view to fill.
    unsafe fn __getbuffer__(slf: Bound<'_, Self>, view: *mut ffi::Py_buffer, flags: c_int) -> PyResult<()> {
        let this = slf.get();
        let format: &CStr = match this.dtype {
            Dtype::F16 => c"e",
            Dtype::F32 => c"f",
            Dtype::F64 => c"d",
            Dtype::I64 => c"q",
            Dtype::I32 => c"i",
            Dtype::U8 => c"B",
            Dtype::Bool => c"?",
        };
        let wants = |flag: c_int| flags & flag == flag;
        let is_plane = this.shape.iter().filter(|&&rows| rows > 1).count() > 1;
        if wants(ffi::PyBUF_F_CONTIGUOUS) && !wants(ffi::PyBUF_ANY_CONTIGUOUS) && is_plane {
            // SAFETY: Python's view is valid for writing.
            unsafe { (*view).obj = ptr::null_mut() };
            return Err(PyBufferError::new_err("the array is in C's order, asked for in Fortran's"));
        }
        let (shape, strides) = (this.shape.as_ptr().cast_mut(), this.strides.as_ptr().cast_mut());
        // SAFETY: Python's view is valid for writing. What it points to lives as long as `slf`, which the view owns, and
        // is never changed but the elements.
        unsafe {
            (*view).buf = this.data();
            (*view).len = this.elements() * this.dtype.bytes() as isize;
            (*view).itemsize = this.dtype.bytes() as isize;
            (*view).readonly = 0;
            (*view).format = if wants(ffi::PyBUF_FORMAT) { format.as_ptr().cast_mut() } else { ptr::null_mut() };
            (*view).ndim = this.shape.len() as c_int;
            (*view).shape = if wants(ffi::PyBUF_ND) { shape } else { ptr::null_mut() };
            (*view).strides = if wants(ffi::PyBUF_STRIDES) { strides } else { ptr::null_mut() };
            (*view).suboffsets = ptr::null_mut();
            (*view).internal = ptr::null_mut();
            (*view).obj = slf.into_any().into_ptr();
        }
        Ok(())
    }
}
