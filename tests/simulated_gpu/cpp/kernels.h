// What all operations on the devices do: each is given to the current stream, and done there by the CPU's, on the same memory.
#pragma once

#include "stream.h"
#include <ATen/core/Tensor.h>
#include <functional>

namespace simulated {

// The memory of a tensor, which is not kept: nor does a kernel keep it.
at::Tensor bare(const at::Tensor& of);
// Where operations on a tensor go.
Stream* stream_of(const at::Tensor& on);
void give(const at::Tensor& on, std::function<void()> work);
// What it held is lost where it needs more memory.
const at::Tensor& resize(const at::Tensor& self, c10::IntArrayRef size, std::optional<c10::MemoryFormat> format);

}  // namespace simulated
