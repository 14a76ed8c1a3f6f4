// Every operation on a device is given to the current stream, and done there by the CPU's operation on the same memory.
#pragma once

#include "stream.h"
#include <ATen/core/Tensor.h>
#include <functional>

namespace simulated {

// A tensor over the memory of another, which it does not keep: nor does a kernel keep its memory.
at::Tensor bare(const at::Tensor& of);
// The stream that operations on a tensor go to.
Stream* stream_of(const at::Tensor& on);
void give(const at::Tensor& on, std::function<void()> work);
// The contents are lost if it needs more memory.
const at::Tensor& resize(const at::Tensor& self, c10::IntArrayRef size, std::optional<c10::MemoryFormat> format);

}  // namespace simulated
