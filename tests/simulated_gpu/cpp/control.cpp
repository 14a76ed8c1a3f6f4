// What tests ask for: the devices, and streams that are held or slow.

#include "install.h"
#include "memory.h"
#include <c10/core/impl/DeviceGuardImplInterface.h>

using simulated::Stream;
using simulated::Which;

extern "C" {

// Gives libtorch the devices, at the first call; 0 if it has others.
int graphpack_simulated_install() {
  static const bool installed = [] {
    if (c10::impl::hasDeviceGuardImpl(c10::kCUDA)) {
      return false;
    }
    c10::SetAllocator(c10::kCUDA, &simulated::Memory::device());
    simulated::install_guard();
    simulated::install_hooks();
    simulated::install_kernels();
    return true;
  }();
  return installed ? 1 : 0;
}

void graphpack_simulated_hold(int device, int which, int held) {
  for (auto* stream : Stream::all(device, static_cast<Which>(which))) {
    stream->hold(held != 0);
  }
}

void graphpack_simulated_slow(int device, int which, int64_t microseconds) {
  for (auto* stream : Stream::all(device, static_cast<Which>(which))) {
    stream->slow(std::chrono::microseconds(microseconds));
  }
}

// 0 if the streams have not come to rest in that time.
int graphpack_simulated_settle(int64_t milliseconds) {
  return Stream::settle(std::chrono::milliseconds(milliseconds)) ? 1 : 0;
}

}
