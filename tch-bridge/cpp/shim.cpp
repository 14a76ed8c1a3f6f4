// What tch does not offer: tensors over memory of ours that know when it is free again, and events.
// No exception leaves: every call returns 0, or 1 with a message.

#include <ATen/core/Tensor.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <c10/util/Exception.h>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <exception>
#include <memory>
#include <stdexcept>
#include <utility>

namespace {

// `message` has room for `capacity` bytes.
template <typename Call>
int guarded(char* message, size_t capacity, Call call) {
  const char* what = "unknown C++ exception";
  try {
    call();
    return 0;
  } catch (const c10::Error& error) {
    what = error.what_without_backtrace();
    std::strncpy(message, what, capacity - 1);
  } catch (const std::exception& error) {
    std::strncpy(message, error.what(), capacity - 1);
  } catch (...) {
    std::strncpy(message, what, capacity - 1);
  }
  message[capacity - 1] = '\0';
  return 1;
}

}  // namespace

extern "C" {

// A byte tensor over `data`. `drop(owner)` is called exactly once: when the last tensor that shares the storage is gone, or here on failure.
int graphpack_from_blob(void* data, int64_t bytes, void* owner, void (*drop)(void*), at::Tensor** out, char* message, size_t capacity) {
  return guarded(message, capacity, [&] {
    // Calls `drop` itself if it cannot be made.
    std::shared_ptr<void> keep(owner, drop);
    auto tensor = at::from_blob(data, {bytes}, [keep](void*) {}, at::TensorOptions().dtype(at::kByte).device(at::kCPU));
    *out = new at::Tensor(std::move(tensor));
  });
}

// An event on the current stream of CUDA device `device`, recorded now.
int graphpack_event_record(int device, c10::Event** out, char* message, size_t capacity) {
  return guarded(message, capacity, [&] {
    c10::impl::VirtualGuardImpl guard(c10::DeviceType::CUDA);
    auto event = std::make_unique<c10::Event>(c10::DeviceType::CUDA);
    event->record(guard.getStream(c10::Device(c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(device))));
    *out = event.release();
  });
}

// Waits until everything before the event is done, then frees it.
int graphpack_event_finish(c10::Event* event, char* message, size_t capacity) {
  std::unique_ptr<c10::Event> owned(event);
  return guarded(message, capacity, [&] { owned->synchronize(); });
}

// Loads libtorch_cuda, which the linker leaves out because nothing refers to it by name. Fails if this libtorch has no CUDA. Must come before
// any question about CUDA: libtorch remembers the answer "no" for good.
int graphpack_load_cuda(char* message, size_t capacity) {
  return guarded(message, capacity, [&] {
    if (dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_GLOBAL) == nullptr) {
      throw std::runtime_error(dlerror());
    }
  });
}

}
