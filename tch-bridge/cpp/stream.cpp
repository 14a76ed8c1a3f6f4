// Streams and events of CUDA devices, through c10's interface for all kinds of devices: nothing here needs CUDA to
// compile, to link or to load.

#include "guarded.h"
#include <ATen/core/Tensor.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/Event.h>
#include <c10/core/Stream.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <cstdint>
#include <dlfcn.h>
#include <memory>
#include <stdexcept>

// A stream by value: libtorch never destroys a stream. The same as in src/ffi.rs.
struct RawStream {
  int64_t id;
  int32_t device;
};

namespace {

constexpr auto CUDA = c10::DeviceType::CUDA;

c10::Device cuda(int32_t device) {
  return c10::Device(CUDA, static_cast<c10::DeviceIndex>(device));
}

c10::Stream stream(RawStream raw) {
  return c10::Stream::unpack3(raw.id, static_cast<c10::DeviceIndex>(raw.device), CUDA);
}

RawStream raw(c10::Stream stream) {
  return {stream.id(), stream.device_index()};
}

void load(const char* library) {
  if (dlopen(library, RTLD_NOW | RTLD_GLOBAL) == nullptr) {
    const char* why = dlerror();
    throw std::runtime_error(why == nullptr ? library : why);
  }
}

}  // namespace

extern "C" {

// Loads libtorch_cuda unless libtorch has CUDA devices already; the linker left it out because nothing refers to it by
// name. Fails if this libtorch has no CUDA. Must come before any question about CUDA: if libtorch answers "no" once, it
// always does.
const char* graphpack_load_cuda() {
  return guarded([&] {
    if (!c10::impl::hasDeviceGuardImpl(CUDA)) {
      load("libtorch_cuda.so");
    }
  });
}

// Loads the driver, only to find out why there are no devices.
const char* graphpack_load_driver() {
  return guarded([&] { load("libcuda.so.1"); });
}

// The current stream of a device: the one that this thread's work goes to.
const char* graphpack_stream_current(int32_t device, RawStream* out) {
  return guarded([&] { *out = raw(c10::impl::VirtualGuardImpl(CUDA).getStream(cuda(device))); });
}

// A stream from one of libtorch's two pools, whose streams it returns in turn.
const char* graphpack_stream_new(int32_t device, int urgent, RawStream* out) {
  return guarded([&] {
    *out = raw(c10::impl::VirtualGuardImpl(CUDA).getStreamFromGlobalPool(cuda(device), urgent != 0));
  });
}

// Makes a stream and its device this thread's current ones, or changes nothing. `before` is the stream that was current
// on that device.
const char* graphpack_stream_exchange(RawStream to, RawStream* before, int32_t* device_before) {
  return guarded([&] {
    const c10::impl::VirtualGuardImpl guard(CUDA);
    {
      // What may throw is done while the device is restored at the end.
      const c10::DeviceGuard here(cuda(to.device));
      *device_before = here.original_device().index();
      *before = raw(guard.exchangeStream(stream(to)));
    }
    guard.uncheckedSetDevice(cuda(to.device));
  });
}

// Undoes graphpack_stream_exchange.
const char* graphpack_stream_restore(RawStream before, int32_t device_before) {
  return guarded([&] {
    const c10::impl::VirtualGuardImpl guard(CUDA);
    // First what does not throw. The checked function would make a context on a device that nobody has used yet.
    guard.uncheckedSetDevice(cuda(device_before));
    guard.exchangeStream(stream(before));
  });
}

// Waits until all work of a stream is done.
const char* graphpack_stream_synchronize(RawStream raw) {
  return guarded([&] { stream(raw).synchronize(); });
}

// Tells the allocator that a stream uses the memory of a tensor: freed memory is used again only when that work is
// done.
const char* graphpack_stream_uses(RawStream raw, const at::Tensor* tensor) {
  return guarded([&] {
    c10::impl::VirtualGuardImpl(CUDA).recordDataPtrOnStream(tensor->storage().data_ptr(), stream(raw));
  });
}

// Records an event: the point after all work that a stream has been given so far. Only a timed one tells the time.
const char* graphpack_event_record(RawStream raw, int timed, c10::Event** out) {
  return guarded([&] {
    const c10::DeviceGuard here(cuda(raw.device));
    const auto flag = timed != 0 ? c10::EventFlag::BACKEND_DEFAULT : c10::EventFlag::PYTORCH_DEFAULT;
    auto event = std::make_unique<c10::Event>(CUDA, flag);
    event->record(stream(raw));
    *out = event.release();
  });
}

// Work that a stream is given from now on begins after the event.
const char* graphpack_event_block(const c10::Event* event, RawStream raw) {
  return guarded([&] {
    const c10::DeviceGuard here(cuda(raw.device));
    event->block(stream(raw));
  });
}

// Whether all work before the event is done.
const char* graphpack_event_query(const c10::Event* event, int* done) {
  return guarded([&] { *done = event->query() ? 1 : 0; });
}

// Waits until all work before the event is done.
const char* graphpack_event_synchronize(const c10::Event* event) {
  return guarded([&] { event->synchronize(); });
}

// The time on the device from one event to another; both are timed and done.
const char* graphpack_event_elapsed(const c10::Event* from, const c10::Event* to, double* milliseconds) {
  return guarded([&] { *milliseconds = from->elapsedTime(*to); });
}

const char* graphpack_event_free(c10::Event* event) {
  return guarded([&] {
    const c10::DeviceGuard here(event->device());
    delete event;
  });
}

}
