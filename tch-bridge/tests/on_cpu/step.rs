//! Steps: Adam's updates against libtorch's own optimizers, and captured steps on the CPU, where nothing is captured.

use graphpack_loader::{Loader, Options, Order, Shapes, molecules};
use graphpack_tch::{Adam, CapturedStep, DeviceLoader, Error, TensorBatch, mean_pool, mse};
use tch::nn::{self, Module, OptimizerConfig};
use tch::{Device, Kind, Tensor};

const CPU: (Kind, Device) = (Kind::Float, Device::Cpu);

/// The same small network twice, with the same weights.
fn twins() -> Result<[(nn::VarStore, nn::Sequential); 2], Box<dyn std::error::Error>> {
    let build = || {
        let store = nn::VarStore::new(Device::Cpu);
        let root = store.root();
        let network = nn::seq()
            .add(nn::linear(&root / "a", 9, 16, nn::LinearConfig::default()))
            .add_fn(|x| x.tanh())
            .add(nn::linear(&root / "b", 16, 1, nn::LinearConfig::default()));
        // A variable that no loss depends on has no gradient.
        let _ = root.var("unused", &[3], nn::Init::Const(1.0));
        (store, network)
    };
    let (first, mut second) = (build(), build());
    second.0.copy(&first.0)?;
    Ok([first, second])
}

#[test]
fn updates_are_those_of_libtorch() -> Result<(), Box<dyn std::error::Error>> {
    let x = Tensor::arange(90, CPU).view([10, 9]) / 50.0;
    for decoupled in [false, true] {
        let [(ours, a), (theirs, b)] = twins()?;
        let adam = if decoupled { Adam::adamw(&ours, 0.01, 0.1)? } else { Adam::new(&ours, 0.01, 0.1)? };
        let mut reference = if decoupled {
            nn::AdamW { wd: 0.1, ..Default::default() }.build(&theirs, 0.01)?
        } else {
            nn::Adam { wd: 0.1, ..Default::default() }.build(&theirs, 0.01)?
        };
        for step in 0..20 {
            if step == 10 {
                adam.set_learning_rate(0.003)?;
                reference.set_lr(0.003);
            }
            let loss = |network: &nn::Sequential| (network.forward(&x) - 0.3).square().mean(Kind::Float);
            adam.backward_step(&loss(&a))?;
            reference.backward_step(&loss(&b));
        }
        let (ours, theirs) = (ours.variables(), theirs.variables());
        for (name, tensor) in &ours {
            let difference = f64::try_from((tensor - &theirs[name]).abs().max())?;
            assert!(difference < 1e-6, "{name} differs by {difference}");
        }
        assert!(f64::try_from((&ours["a.weight"] - 0.0).abs().sum(Kind::Float))? > 0.0);
    }
    Ok(())
}

/// Each parameter has its own number of updates.
#[test]
fn a_parameter_that_comes_later_is_updated_as_by_libtorch() -> Result<(), Box<dyn std::error::Error>> {
    let [(ours, a), (mut theirs, b)] = twins()?;
    theirs.copy(&ours)?;
    let adam = Adam::adamw(&ours, 0.01, 0.1)?;
    let mut reference = nn::AdamW { wd: 0.1, ..Default::default() }.build(&theirs, 0.01)?;
    let x = Tensor::arange(90, CPU).view([10, 9]) / 50.0;
    for step in 0..12 {
        let loss = |store: &nn::VarStore, network: &nn::Sequential| {
            let loss = (network.forward(&x) - 0.3).square().mean(Kind::Float);
            if step < 5 { loss } else { loss + store.variables()["unused"].square().sum(Kind::Float) }
        };
        adam.backward_step(&loss(&ours, &a))?;
        reference.backward_step(&loss(&theirs, &b));
    }
    let theirs = theirs.variables();
    for (name, tensor) in ours.variables() {
        let difference = f64::try_from((&tensor - &theirs[&name]).abs().max())?;
        assert!(difference < 1e-6, "{name} differs by {difference}");
    }
    Ok(())
}

/// Found halfway, some parameters would be updated and others not.
#[test]
fn gradients_that_cannot_be_used_change_nothing() -> Result<(), Box<dyn std::error::Error>> {
    let store = nn::VarStore::new(Device::Cpu);
    let sparse = nn::EmbeddingConfig { sparse: true, ..Default::default() };
    let (layer, table) =
        (nn::linear(store.root() / "a", 3, 3, Default::default()), nn::embedding(store.root(), 5, 3, sparse));
    let adam = Adam::new(&store, 0.01, 0.0)?;
    let values = || -> Vec<Vec<f32>> {
        let state = adam.state().into_iter().chain(store.variables());
        let mut state: Vec<_> = state.map(|(name, tensor)| (name, tensor.flatten(0, -1))).collect();
        state.sort_by(|a, b| a.0.cmp(&b.0));
        state.into_iter().map(|(_, tensor)| tensor.try_into().expect("float32")).collect()
    };
    let before = values();
    let loss = layer.forward(&table.forward(&Tensor::from_slice(&[0_i64, 3]))).square().mean(Kind::Float);
    let error = adam.backward_step(&loss).expect_err("a gradient is sparse").to_string();
    assert!(error.contains("expected dense gradients, found a Sparse one of parameter"), "{error}");
    assert_eq!(values(), before);
    Ok(())
}

fn loss(network: &nn::Sequential, batch: &TensorBatch) -> Result<Tensor, Error> {
    let x = batch.get("x")?.f_to_kind(Kind::Float)?;
    let predictions = network.forward(&mean_pool(&x, batch)?);
    Ok(mse(&predictions, &batch.get("y")?.f_to_kind(Kind::Float)?, batch)?)
}

/// On the CPU the closure runs for every batch, so a loop that is written for a GPU trains the same.
#[test]
fn on_the_cpu_the_closure_runs_for_every_batch() -> Result<(), Box<dyn std::error::Error>> {
    let loader = Loader::new(molecules::generate(5, 200), Options::graphs(16).order(Order::Shuffled).seed(1))?;
    let [(ours, a), (theirs, b)] = twins()?;
    let adam = Adam::new(&ours, 0.01, 0.0)?;
    let mut step = CapturedStep::new(Device::Cpu, |batch| {
        let loss = loss(&a, batch)?;
        adam.backward_step(&loss)?;
        Ok(loss.detach())
    });
    let mut reference = nn::Adam::default().build(&theirs, 0.01)?;
    let mut steps = 0;
    for batch in DeviceLoader::new(loader.epoch(0), Device::Cpu) {
        let batch = batch?;
        let expected = loss(&b, &batch)?;
        reference.backward_step(&expected);
        let found = f64::try_from(step.run(&batch)?)?;
        assert!((found - f64::try_from(expected)?).abs() < 1e-5);
        steps += 1;
    }
    assert!(steps > 5);
    assert_eq!(step.recorded(), 0);
    Ok(())
}

#[test]
fn shapes_that_vary_are_refused_unless_several_are_allowed() -> Result<(), Box<dyn std::error::Error>> {
    let options = Options::exactly(8).shapes(Shapes::PowerOfTwo).order(Order::Shuffled).seed(1);
    let loader = Loader::new(molecules::generate(5, 400), options)?;
    let shapes: Vec<_> = loader.shapes(0)?.into_iter().map(|(shape, _)| shape).collect();
    assert!(shapes.len() > 1, "{shapes:?}");
    let count = |batch: &TensorBatch| Ok(batch.graph_mask().f_sum(Kind::Int64)?);
    let mut strict = CapturedStep::new(Device::Cpu, count);
    let mut lenient = CapturedStep::new(Device::Cpu, count).shapes(2);
    let mut refused = None;
    let mut graphs = 0;
    for batch in DeviceLoader::new(loader.epoch(0), Device::Cpu) {
        let batch = batch?;
        graphs += i64::try_from(lenient.run(&batch)?)?;
        if let Err(error) = strict.run(&batch) {
            refused = Some((error.to_string(), batch.shape().to_string(), batch.step().to_string()));
        }
    }
    assert_eq!(graphs, 400);
    let (message, shape, step) = refused.expect("shapes vary");
    assert!(message.contains(&shape) && message.contains(&format!("step {step} ")), "{message}");
    Ok(())
}
