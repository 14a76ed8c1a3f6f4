// Tensors over memory of the bridge, which is told when it is free again; pinned memory; copies that do not wait.

#include "guarded.h"
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <cstdint>
#include <memory>
#include <utility>

extern "C" {

// A byte tensor over `data`, on the CPU, or on CUDA device `device` if that is not negative. `drop(owner)` is called
// exactly once: when the last tensor that shares the storage is gone, or here on failure.
const char* graphpack_from_blob(
    void* data,
    int64_t bytes,
    int device,
    void* owner,
    void (*drop)(void*),
    at::Tensor** out) {
  return guarded([&] {
    // If this throws, it has called `drop` itself.
    std::shared_ptr<void> keep(owner, drop);
    const auto cuda = c10::Device(c10::kCUDA, static_cast<c10::DeviceIndex>(device));
    const auto where = device < 0 ? c10::Device(c10::kCPU) : cuda;
    // The device is named twice, otherwise libtorch asks the driver for it.
    const auto options = at::TensorOptions().dtype(at::kByte).device(where);
    auto tensor = at::from_blob(data, {bytes}, [keep](void*) {}, options, where);
    *out = new at::Tensor(std::move(tensor));
  });
}

// A byte tensor in page-locked memory, not initialised.
const char* graphpack_pinned(int64_t bytes, at::Tensor** out) {
  return guarded([&] {
    const auto options = at::TensorOptions().dtype(at::kByte).pinned_memory(true);
    *out = new at::Tensor(at::empty({bytes}, options));
  });
}

// Whether the memory of a tensor is page-locked. tch's own function passes a device, and libtorch warns of that at
// every call.
const char* graphpack_is_pinned(const at::Tensor* tensor, int* out) {
  return guarded([&] { *out = tensor->is_pinned() ? 1 : 0; });
}

// Copies `from` into `to` on the current stream, converting elements. The CPU does not wait if one side is a device and
// the other is pinned.
const char* graphpack_copy(at::Tensor* to, const at::Tensor* from) {
  return guarded([&] { to->copy_(*from, /*non_blocking=*/true); });
}

}
