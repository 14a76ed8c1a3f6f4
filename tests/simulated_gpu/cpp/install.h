// The parts that libtorch is given when the devices are installed.
#pragma once

namespace simulated {

void install_guard();
void install_hooks();
void install_kernels();
void install_operations();

}  // namespace simulated
