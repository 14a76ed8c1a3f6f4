//! [`Engine`]: a library that runs ONNX models, with a model of one shape or of dynamic axes, on one thread.

use crate::Outcome;
use crate::inputs::{Input, Values};
use clap::ValueEnum;
use std::fmt;
use std::path::Path;
#[cfg(feature = "ort")]
use std::sync::{Mutex, PoisonError};

/// Which library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EngineName {
    /// ONNX Runtime, from the shared library that ORT_DYLIB_PATH names
    #[cfg(feature = "ort")]
    Ort,
    /// tract
    #[cfg(feature = "tract")]
    Tract,
}

/// A model, ready to run.
pub enum Engine {
    #[cfg(feature = "ort")]
    Ort(ort::session::Session),
    #[cfg(feature = "tract")]
    Tract(Tract),
}

impl Engine {
    /// Loads a model.
    pub fn load(name: EngineName, model: &Path) -> Outcome<Self> {
        let loaded = match name {
            #[cfg(feature = "ort")]
            EngineName::Ort => load_ort(model).map(Self::Ort),
            #[cfg(feature = "tract")]
            EngineName::Tract => Tract::load(model).map(Self::Tract),
        };
        loaded.map_err(|error| format!("{name}: {}: {error:#}", model.display()).into())
    }

    /// Returns the answers, one for each graph of the batch with its padding.
    pub fn run(&mut self, inputs: &[Input<'_>]) -> Outcome<Vec<f32>> {
        match self {
            #[cfg(feature = "ort")]
            Self::Ort(session) => run_ort(session, inputs),
            #[cfg(feature = "tract")]
            Self::Tract(model) => model.run(inputs),
        }
    }
}

impl fmt::Display for EngineName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            #[cfg(feature = "ort")]
            Self::Ort => "ONNX Runtime",
            #[cfg(feature = "tract")]
            Self::Tract => "tract",
        })
    }
}

/// ONNX Runtime allows one per process.
#[cfg(feature = "ort")]
static ENVIRONMENT: Mutex<Option<ort::environment::Environment>> = Mutex::new(None);

#[cfg(feature = "ort")]
fn load_ort(model: &Path) -> Outcome<ort::session::Session> {
    let mut environment = ENVIRONMENT.lock().unwrap_or_else(PoisonError::into_inner);
    let environment = match &mut *environment {
        Some(environment) => environment,
        none => {
            let library = std::env::var_os("ORT_DYLIB_PATH").ok_or(
                "expected ORT_DYLIB_PATH, the path of libonnxruntime.so, which `pip install onnxruntime` puts into \
                 site-packages/onnxruntime/capi",
            )?;
            none.insert(ort::init_from(Path::new(&library))?.build()?)
        }
    };
    let builder = ort::session::Session::builder(environment)?.with_intra_threads(1)?;
    Ok(builder.with_inter_threads(1)?.commit_from_file(model)?)
}

#[cfg(feature = "ort")]
fn run_ort(session: &mut ort::session::Session, inputs: &[Input<'_>]) -> Outcome<Vec<f32>> {
    use ort::session::SessionInputValue;
    use ort::value::TensorRef;

    let mut values: Vec<(&str, SessionInputValue<'_>)> = Vec::new();
    for Input { name, shape, values: of_input } in inputs {
        let value = match of_input {
            Values::I64(elements) => TensorRef::from_array_view((shape.as_slice(), *elements))?.into(),
            Values::F32(elements) => TensorRef::from_array_view((shape.as_slice(), &**elements))?.into(),
        };
        values.push((name, value));
    }
    let outputs = session.run(values)?;
    Ok(outputs["answers"].try_extract_tensor::<f32>()?.1.to_vec())
}

#[cfg(feature = "tract")]
pub struct Tract {
    model: std::sync::Arc<tract_onnx::prelude::TypedRunnableModel>,
    /// The names of its inputs, in order.
    names: Vec<String>,
}

#[cfg(feature = "tract")]
impl Tract {
    fn load(file: &Path) -> Outcome<Self> {
        use tract_onnx::prelude::*;

        let model = tract_onnx::onnx().model_for_path(file)?;
        let names = model.input_outlets()?.iter().map(|outlet| model.node(outlet.node).name.clone()).collect();
        Ok(Self { model: model.into_optimized()?.into_runnable()?, names })
    }

    fn run(&self, inputs: &[Input<'_>]) -> Outcome<Vec<f32>> {
        use tract_onnx::prelude::*;

        let mut values = TVec::new();
        for name in &self.names {
            let input = inputs.iter().find(|input| input.name == name);
            let Input { shape, values: of_input, .. } =
                input.ok_or_else(|| format!("expected one of the inputs of a batch, found {name:?}"))?;
            let tensor = match of_input {
                Values::I64(elements) => Tensor::from_shape(shape, elements)?,
                Values::F32(elements) => Tensor::from_shape(shape, elements)?,
            };
            values.push(tensor.into_tvalue());
        }
        let outputs = self.model.run(values)?;
        Ok(outputs[0].cast_to::<f32>()?.try_as_plain_ram()?.as_slice::<f32>()?.to_vec())
    }
}
