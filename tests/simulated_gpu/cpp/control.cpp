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
    simulated::install_operations();
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

// What the streams were given since the process began: operations done one by one, operations recorded, replays of graphs.
void graphpack_simulated_work(int device, int which, uint64_t* work) {
  for (const auto* stream : Stream::all(device, static_cast<Which>(which))) {
    const auto of = stream->work();
    work[0] += of.operations;
    work[1] += of.recorded;
    work[2] += of.replays;
  }
}

// Bytes that graphs keep to themselves.
uint64_t graphpack_simulated_reserved() {
  return simulated::Memory::device().reserved();
}

// 0 if the streams have not come to rest in that time.
int graphpack_simulated_settle(int64_t milliseconds) {
  return Stream::settle(std::chrono::milliseconds(milliseconds)) ? 1 : 0;
}

}
