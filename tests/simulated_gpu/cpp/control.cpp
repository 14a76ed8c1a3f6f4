// The functions that tests call: install the devices, hold streams or slow them down, count work.

#include "cuda_graph.h"
#include "current.h"
#include "failures.h"
#include "install.h"
#include "memory.h"
#include <c10/core/impl/DeviceGuardImplInterface.h>

using simulated::Stream;
using simulated::Which;

extern "C" {

// Gives libtorch the devices, at the first call; 0 if it has real ones.
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

// Adds what the streams were given since the process started: operations done one by one, recorded operations, replays
// of graphs.
void graphpack_simulated_work(int device, int which, uint64_t* work) {
  for (const auto* stream : Stream::all(device, static_cast<Which>(which))) {
    const auto of = stream->work();
    work[0] += of.operations;
    work[1] += of.recorded;
    work[2] += of.replays;
  }
}

// Bytes that belong to graphs.
uint64_t graphpack_simulated_reserved() {
  return simulated::Memory::device().reserved();
}

// This thread's current device.
int graphpack_simulated_current() {
  return simulated::current_device();
}

// Makes calls of a kind fail, or succeed again.
void graphpack_simulated_fail(int call, int fails) {
  simulated::fail(static_cast<simulated::Call>(call), fails != 0);
}

// Graphs are those of a version of libtorch, patch 0, whose members have `more` bytes than those of the one that is
// loaded; 0.0 is that one.
void graphpack_simulated_libtorch(int major, int minor, int more) {
  simulated::be_libtorch(major, minor, more);
}

// How often this thread has asked whether an event is done.
uint64_t graphpack_simulated_queries() {
  return simulated::queries();
}

// Waits until no stream can do anything; 0 if that takes longer.
int graphpack_simulated_settle(int64_t milliseconds) {
  return Stream::settle(std::chrono::milliseconds(milliseconds)) ? 1 : 0;
}

}
