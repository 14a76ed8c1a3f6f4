//! Files of stores as scripts write them, tensor by tensor.

use safetensors::Dtype;
use safetensors::tensor::TensorView;
use std::collections::HashMap;
use std::path::PathBuf;
use tempfile::TempDir;

/// Name, dtype, shape and bytes.
pub(crate) type Tensor = (&'static str, Dtype, Vec<usize>, Vec<u8>);

pub(crate) fn i64s(numbers: &[i64]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// Writes a file of these tensors, with `metadata` as graphpack's entry.
pub(crate) fn written(folder: &TempDir, metadata: Option<&str>, list: &[Tensor]) -> PathBuf {
    let path = folder.path().join("foreign.safetensors");
    let metadata = metadata.map(|text| HashMap::from([("graphpack".to_owned(), text.to_owned())]));
    let tensors =
        list.iter().map(|(name, dtype, shape, bytes)| (*name, TensorView::new(*dtype, shape.clone(), bytes).unwrap()));
    safetensors::serialize_to_file(tensors, metadata, &path).unwrap();
    path
}
