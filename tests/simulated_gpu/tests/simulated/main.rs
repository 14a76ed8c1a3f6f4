//! What the bridge does on streams and with captured steps, on simulated devices. One test has them at a time.

mod captured_steps;
mod delivery;
mod devices;
mod ends;
mod failures;
mod hazards;
mod order;
mod refusals;
mod waiting;
