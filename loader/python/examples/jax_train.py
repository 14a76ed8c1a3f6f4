"""Trains energies and forces with JAX and optax, stops in an epoch, and goes on: python jax_train.py FILE [jax_train.pkl]

FILE is anything that `graphpack_loader.open` opens, with fields `z`, `pos`, `forces` and `energy` and without cells.
"""

import pickle
import sys

import jax
import jax.numpy as jnp
import numpy as np
import optax

import graphpack_loader as gp

CUTOFF, WIDTH, RADIAL, LAYERS, EPOCHS = 4.0, 16, 8, 2, 6


def energies(params, pos, batch):
    source, target = batch["edge_index"]
    # Padding edges are longer than the cutoff, so that gradients are finite.
    length = jnp.linalg.norm(pos[source] - pos[target], axis=1, keepdims=True)
    envelope = jnp.where(length < CUTOFF, 0.5 * jnp.cos(jnp.pi * length / CUTOFF) + 0.5, 0)
    radial = jnp.sin(jnp.pi * jnp.arange(1, RADIAL + 1) * length / CUTOFF) / length * envelope
    h = params["embedding"][batch["z"]]
    for filters, update in zip(params["filters"], params["updates"]):
        sums = jax.ops.segment_sum(h[source] * (radial @ filters), target, len(h), indices_are_sorted=True)
        h = h + jax.nn.silu(sums @ update)
    atoms = h @ params["out"] + alone[batch["z"]]
    return jax.ops.segment_sum(atoms, batch["batch"], len(batch["energy"]), indices_are_sorted=True)


def loss_of(params, batch):
    def total(pos):
        energy = energies(params, pos, batch)
        return energy.sum(), energy

    gradient, energy = jax.grad(total, has_aux=True)(batch["pos"])
    errors = jnp.square(energy - batch["energy"]), jnp.square(gradient + batch["forces"]).mean(1)
    # Energies and forces of padding are no labels.
    masks = batch["graph_mask"], batch["node_mask"]
    return sum((error * mask).sum() / jnp.maximum(mask.sum(), 1) for error, mask in zip(errors, masks))


@jax.jit
def step(params, state, batch):
    shapes.append(batch["pos"].shape)  # runs when the step is traced, to be compiled for a shape
    loss, gradients = jax.value_and_grad(loss_of)(params, batch)
    updates, state = optimizer.update(gradients, state)
    return optax.apply_updates(params, updates), state, loss


data = gp.open(sys.argv[1])
found = data.statistics()["energies"]
alone = jnp.zeros(119).at[jnp.array(list(found))].set(jnp.array(list(found.values())))  # of one atom of each element
# Edges in the order of their targets, as the sums say.
data = data.connect(CUTOFF, fields=["distance"]).sorted_by()
loader = gp.Loader(data, capacity=8, shuffle=True, seed=1, index="int32")
normal = jax.nn.initializers.normal(0.3)
kinds = {"embedding": (119, WIDTH), "filters": (LAYERS, RADIAL, WIDTH), "updates": (LAYERS, WIDTH, WIDTH), "out": (WIDTH,)}
params = {name: normal(jax.random.key(n), shape) for n, (name, shape) in enumerate(kinds.items())}
optimizer, shapes, first = optax.adam(5e-3), [], 0
state = optimizer.init(params)
if goes_on := len(sys.argv) > 2:
    with open(sys.argv[2], "rb") as file:
        first, params, state, position = pickle.load(file)
    loader.load_state_dict(position)
for epoch in range(first, EPOCHS if goes_on else 3):
    losses, seen = [], []
    for batch in loader:
        params, state, loss = step(params, state, batch.to_jax())
        losses.append(float(loss))
        seen += batch.places.tolist()
        if epoch == 2 and not goes_on and len(losses) == 2:
            with open("jax_train.pkl", "wb") as file:
                pickle.dump((epoch, *jax.device_get((params, state)), loader.state_dict()), file)
            break
    print(f"epoch {epoch}, {len(losses)} steps: {seen}, loss {np.mean(losses):.4f}", flush=True)
assert len(shapes) == 1, f"expected one compilation, found those of {shapes}"
