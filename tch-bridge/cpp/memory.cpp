// Tensors over memory of ours that know when it is free again, and copies that do not wait.

#include "guarded.h"
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <cstdint>
#include <memory>
#include <utility>

extern "C" {

// A byte tensor over `data`, on the CPU, or on CUDA device `device` if that is not negative. `drop(owner)` is called exactly once: when the last
// tensor that shares the storage is gone, or here on failure.
int graphpack_from_blob(void* data, int64_t bytes, int device, void* owner, void (*drop)(void*), at::Tensor** out, char* message, size_t capacity) {
  return guarded(message, capacity, [&] {
    // Calls `drop` itself if it cannot be made.
    std::shared_ptr<void> keep(owner, drop);
    const auto where = device < 0 ? c10::Device(c10::kCPU) : c10::Device(c10::kCUDA, static_cast<c10::DeviceIndex>(device));
    // The device is named twice, so that nobody asks the driver for it.
    auto tensor = at::from_blob(data, {bytes}, [keep](void*) {}, at::TensorOptions().dtype(at::kByte).device(where), where);
    *out = new at::Tensor(std::move(tensor));
  });
}

// A byte tensor in memory that devices can fetch from by themselves, not initialised.
int graphpack_pinned(int64_t bytes, at::Tensor** out, char* message, size_t capacity) {
  return guarded(message, capacity, [&] { *out = new at::Tensor(at::empty({bytes}, at::TensorOptions().dtype(at::kByte).pinned_memory(true))); });
}

// Whether the memory of a tensor is of that kind. tch passes a device, of which libtorch warns every time.
int graphpack_is_pinned(const at::Tensor* tensor, int* out, char* message, size_t capacity) {
  return guarded(message, capacity, [&] { *out = tensor->is_pinned() ? 1 : 0; });
}

// Copies `from` over `to` on the current stream, converting elements; the CPU does not wait where one side is a device and the other pinned.
int graphpack_copy(at::Tensor* to, const at::Tensor* from, char* message, size_t capacity) {
  return guarded(message, capacity, [&] { to->copy_(*from, /*non_blocking=*/true); });
}

}
