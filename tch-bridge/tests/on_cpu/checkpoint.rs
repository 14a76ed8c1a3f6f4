//! [`Checkpoint`] and the state of [`Adam`]: what is loaded goes on to the same bits; what does not fit changes nothing.

use graphpack_loader::{Loader, Options, Order, State, molecules};
use graphpack_tch::{Adam, Checkpoint, Error};
use std::collections::{BTreeMap, HashMap};
use std::fs;
use tch::nn::{self, Module};
use tch::{Device, Kind, Tensor};

type Fallible = Result<(), Box<dyn std::error::Error>>;

const CPU: (Kind, Device) = (Kind::Float, Device::Cpu);

/// Two layers, and an optimizer of both.
struct Training {
    store: nn::VarStore,
    layers: [nn::Linear; 2],
    adam: Adam,
}

impl Training {
    fn new(width: i64) -> Result<Self, Error> {
        let store = nn::VarStore::new(Device::Cpu);
        let layer = |name: &str, to| nn::linear(store.root() / name, 4, to, nn::LinearConfig::default());
        let layers = [layer("a", width), layer("b", 1)];
        let _ = store.root().f_var("empty", &[0], nn::Init::Const(0.0))?;
        let _ = store.root().f_zeros_no_train("buffer", &[2])?;
        let adam = Adam::adamw(&store, 0.01, 0.1)?;
        Ok(Self { store, layers, adam })
    }

    /// A step whose loss depends on one of the layers.
    fn step(&self, layer: usize, number: i64) -> Result<(), Error> {
        let x = (Tensor::arange(12, CPU) + number).sin().view([3, 4]);
        self.adam.backward_step(&self.layers[layer].forward(&x).square().mean(Kind::Float))
    }

    fn bits(&self) -> BTreeMap<String, Vec<u32>> {
        let state = self.adam.state().into_iter().chain(self.store.variables());
        let bits = |tensor: Tensor| Vec::<f32>::try_from(tensor.view(-1)).unwrap().into_iter().map(f32::to_bits);
        state.map(|(name, tensor)| (name, bits(tensor).collect())).collect()
    }
}

fn state() -> State {
    let loader = Loader::new(molecules::generate(3, 40), Options::graphs(8).order(Order::Shuffled).seed(1)).unwrap();
    loader.epoch(2).next().unwrap().unwrap().state()
}

#[test]
fn a_loaded_training_goes_on_to_the_same_bits() -> Fallible {
    let folder = tempfile::tempdir()?;
    let checkpoint = Checkpoint::new(folder.path().join("training.safetensors"));
    let unbroken = Training::new(3)?;
    assert_eq!(checkpoint.load(&unbroken.store, &unbroken.adam)?, None, "there is no file yet");
    // Layer b has never been used when the training is saved, layer a is not used afterwards; its updates go on.
    for number in 0..5 {
        unbroken.step(0, number)?;
    }
    unbroken.adam.set_learning_rate(0.004)?;
    let _ = unbroken.store.variables()["buffer"].shallow_clone().fill_(7.0);
    checkpoint.save(&unbroken.store, &unbroken.adam, &state())?;
    let saved = unbroken.bits();
    let resumed = Training::new(3)?;
    assert_ne!(resumed.bits(), saved);
    assert_eq!(checkpoint.load(&resumed.store, &resumed.adam)?, Some(state()));
    assert_eq!(resumed.bits(), saved);
    for number in 5..10 {
        unbroken.step(1, number)?;
        resumed.step(1, number)?;
        assert_eq!(resumed.bits(), unbroken.bits(), "step {number}");
    }
    assert!(saved["a.weight"] != unbroken.bits()["a.weight"], "averages move weights whose gradient is zero");
    // Back, in the same process, into what has stepped on.
    checkpoint.load(&unbroken.store, &unbroken.adam)?;
    assert_eq!(unbroken.bits(), saved);
    Ok(())
}

#[test]
fn what_does_not_fit_is_refused_and_changes_nothing() -> Fallible {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("training.safetensors");
    let checkpoint = Checkpoint::new(&path);
    let (three, four) = (Training::new(3)?, Training::new(4)?);
    three.step(0, 0)?;
    checkpoint.save(&three.store, &three.adam, &state())?;
    let before = four.bits();
    let refused = |expected: &str| {
        let error = checkpoint.load(&four.store, &four.adam).expect_err("it does not fit").to_string();
        assert!(error.contains(expected), "{error}");
        assert_eq!(four.bits(), before);
    };
    refused(": expected Float of size [4");
    refused("training.safetensors");
    let one_more = Training::new(4)?;
    let _ = one_more.store.root().f_zeros_no_train("one_more", &[2])?;
    checkpoint.save(&one_more.store, &one_more.adam, &state())?;
    refused("training.safetensors: found a tensor \"one_more\", expected none of this name");
    let mut of_adam: HashMap<_, _> = three.adam.state().into_iter().collect();
    of_adam.remove("adam/square/b.bias");
    let error = three.adam.load_state(&of_adam).expect_err("one is missing").to_string();
    assert_eq!(error, "saved state of an optimizer: expected a tensor \"adam/square/b.bias\", found none of this name");
    four.store.save(&path)?;
    refused("no state of a loader");
    let whole = fs::read(&path)?;
    fs::write(&path, &whole[..whole.len() / 2])?;
    refused("training.safetensors");
    let nowhere = Checkpoint::new(folder.path().join("none").join("training.safetensors"));
    let error = nowhere.save(&three.store, &three.adam, &state()).expect_err("no such folder").to_string();
    assert!(error.contains("none"), "{error}");
    Ok(())
}
