// Operations that make tensors, resize and copy them; and how every operation gets to the current stream.

#include "kernels.h"
#include "current.h"
#include "install.h"
#include "memory.h"
#include <ATen/EmptyTensor.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/view_native.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/GradMode.h>
#include <cmath>
#include <torch/library.h>

namespace simulated {

using at::Tensor;

Tensor bare(const Tensor& of) {
  return at::from_blob(of.data_ptr(), of.sizes(), of.strides(), at::TensorOptions().dtype(of.dtype()));
}

Stream* stream_of(const Tensor& on) {
  return current_stream(on.get_device());
}

void give(const Tensor& on, std::function<void()> work) {
  stream_of(on)->give([work = std::move(work)] {
    const c10::AutoGradMode off(false);
    work();
  });
}

namespace {

c10::Device where(std::optional<c10::Device> device) {
  const auto index = device && device->has_index() ? device->index() : static_cast<c10::DeviceIndex>(current_device());
  return {c10::kCUDA, index};
}

constexpr c10::DispatchKeySet KEYS(c10::DispatchKey::CUDA);

Tensor empty(
    c10::IntArrayRef size,
    std::optional<c10::ScalarType> dtype,
    std::optional<c10::Layout>,
    std::optional<c10::Device> device,
    std::optional<bool>,
    std::optional<c10::MemoryFormat> format) {
  const c10::DeviceGuard here(where(device));
  return at::detail::empty_generic(size, &Memory::device(), KEYS, c10::dtype_or_default(dtype), format);
}

Tensor empty_strided(
    c10::IntArrayRef size,
    c10::IntArrayRef stride,
    std::optional<c10::ScalarType> dtype,
    std::optional<c10::Layout>,
    std::optional<c10::Device> device,
    std::optional<bool>) {
  const c10::DeviceGuard here(where(device));
  return at::detail::empty_strided_generic(size, stride, &Memory::device(), KEYS, c10::dtype_or_default(dtype));
}

}  // namespace

const Tensor& resize(const Tensor& self, c10::IntArrayRef size, std::optional<c10::MemoryFormat>) {
  const auto bytes = at::detail::computeStorageNbytesContiguous(size, self.itemsize(), self.storage_offset());
  auto* storage = self.storage().unsafeGetStorageImpl();
  if (bytes > storage->nbytes()) {
    const c10::DeviceGuard here(self.device());
    storage->set_data_ptr_noswap(Memory::device().allocate(bytes));
    storage->set_nbytes(bytes);
  }
  self.unsafeGetTensorImpl()->set_sizes_contiguous(size);
  return self;
}

namespace {

// A copy between device and host waits for the stream unless it need not and the memory of the host is page-locked:
// then it reads or writes when its turn comes.
Tensor& copy(Tensor& self, const Tensor& from, bool non_blocking) {
  if (self.is_same(from) || self.numel() == 0) {
    return self;
  }
  const auto& device = self.is_cuda() ? self : from;
  const auto& other = self.is_cuda() ? from : self;
  TORCH_CHECK(other.is_cpu() || other.device() == device.device(), "copies between devices are not simulated");
  const bool waits = other.is_cpu() && !(non_blocking && Memory::pinned().contains(other.data_ptr()));
  if (waits) {
    stream_of(device)->not_recorded("a copy that waits");
  }
  give(device, [to = bare(self), from = bare(from)] { to.copy_(from); });
  if (waits) {
    stream_of(device)->last().wait();
  } else if (other.is_cpu()) {
    Memory::pinned().used(other.data_ptr(), other.storage().data_ptr().get_context(), stream_of(device));
  }
  return self;
}

Tensor copy_from_and_resize(const Tensor& from, const Tensor& to) {
  auto self = to;
  if (self.sizes() != from.sizes()) {
    resize(self, from.sizes(), std::nullopt);
  }
  return copy(self, from, false);
}

Tensor& arange(const at::Scalar& start, const at::Scalar& end, const at::Scalar& step, Tensor& out) {
  const auto count = std::ceil((end.toDouble() - start.toDouble()) / step.toDouble());
  resize(out, {static_cast<int64_t>(count)}, std::nullopt);
  give(out, [=, to = bare(out)]() mutable { at::arange_out(to, start, end, step); });
  return out;
}

}  // namespace

void install_kernels() {
  // They are taken back when these are destroyed.
  static auto* kernels = new torch::Library(torch::Library::IMPL, "aten", c10::DispatchKey::CUDA, __FILE__, __LINE__);
  kernels->impl("empty.memory_format", &empty);
  kernels->impl("empty_strided", &empty_strided);
  kernels->impl("as_strided", &at::native::as_strided_tensorimpl);
  kernels->impl("view", &at::native::view);
  kernels->impl("_reshape_alias", &at::native::_reshape_alias);
  kernels->impl("resize_", &resize);
  kernels->impl("copy_", &copy);
  kernels->impl("_copy_from_and_resize", &copy_from_and_resize);
  kernels->impl("arange.start_out", &arange);
}

}  // namespace simulated
