// All other operations, done by those of the CPU.

#include "install.h"
#include "kernels.h"
#include <ATen/core/enum_tag.h>
#include <ATen/native/CPUFallback.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>
#include <functional>
#include <torch/library.h>
#include <utility>
#include <vector>

namespace simulated {

namespace {

using at::Tensor;
using c10::IValue;
using torch::jit::Stack;
using Change = std::function<Tensor(const Tensor&)>;

// The same value with `change` applied to each tensor in it; devices become the CPU.
IValue changed(const IValue& value, const Change& change) {
  const auto tensor = [&](const Tensor& each) { return each.defined() ? change(each) : each; };
  if (value.isTensor()) {
    return tensor(value.toTensor());
  }
  if (value.isTensorList()) {
    auto list = value.toTensorList().copy();
    for (size_t i = 0; i < list.size(); i++) {
      list.set(i, tensor(list.get(i)));
    }
    return list;
  }
  if (value.isOptionalTensorList()) {
    auto list = value.toOptionalTensorList().copy();
    for (size_t i = 0; i < list.size(); i++) {
      if (const auto each = list.get(i)) {
        list.set(i, std::optional<Tensor>(tensor(*each)));
      }
    }
    return list;
  }
  return value.isDevice() ? IValue(c10::Device(c10::kCPU)) : value;
}

std::vector<Tensor> tensors(const IValue& value) {
  std::vector<Tensor> found;
  changed(value, [&](const Tensor& each) { return found.emplace_back(each); });
  return found;
}

// A copy of a number that is a tensor on the CPU.
Tensor number(const Tensor& of) {
  auto copy = of.clone();
  copy.unsafeGetTensorImpl()->set_wrapped_number(of.unsafeGetTensorImpl()->is_wrapped_number());
  return copy;
}

// Zeros of the same sizes, strides and type on the CPU.
Tensor zeros(const Tensor& of) {
  const auto bytes = at::detail::computeStorageNbytes(of.sizes(), of.strides(), of.itemsize());
  const auto all = at::zeros({static_cast<int64_t>(bytes / of.itemsize())}, at::TensorOptions().dtype(of.dtype()));
  return all.as_strided(of.sizes(), of.strides());
}

struct Call {
  const c10::OperatorHandle& operation;
  // They lie on the stack.
  c10::ArrayRef<IValue> arguments;
  // The first tensor on a device; undefined if there is none.
  Tensor first;
  // The arguments that it writes.
  std::vector<IValue> written;
  // Whether it only writes into tensors that have their final sizes: then it can be done later.
  bool only_writes = true;

  Call(const c10::OperatorHandle& of, const Stack& stack) : operation(of) {
    const auto& schema = of.schema();
    const auto count = schema.arguments().size();
    arguments = c10::ArrayRef<IValue>(stack.data() + stack.size() - count, count);
    for (size_t i = 0; i < count; i++) {
      const auto all = tensors(arguments[i]);
      for (const auto& each : all) {
        if (!first.defined() && each.is_cuda()) {
          first = each;
        }
      }
      if (!writes(schema.arguments()[i].alias_info())) {
        continue;
      }
      written.push_back(arguments[i]);
      for (const auto& each : all) {
        only_writes = only_writes && each.is_cuda() && each.numel() > 0;
      }
    }
    for (const auto& returned : schema.returns()) {
      only_writes = only_writes && writes(returned.alias_info());
    }
    only_writes = only_writes && first.defined() && !written.empty();
  }

  static bool writes(const c10::AliasInfo* alias) { return alias != nullptr && alias->isWrite(); }

  Stack with(const Change& of_device) const {
    Stack stack;
    const auto change = [&](const Tensor& each) { return each.is_cuda() ? of_device(each) : number(each); };
    for (const auto& argument : arguments) {
      stack.push_back(changed(argument, change));
    }
    return stack;
  }

  // Breaks the recording if the operation needs values while it is recorded.
  void check_recordable() const {
    const auto* stream = stream_of(first);
    bool indexes = false;
    for (const auto& argument : arguments) {
      for (const auto& each : tensors(argument)) {
        if (each.is_cpu() && each.dim() > 0) {
          stream->not_recorded("a copy of memory of the host");
        }
        const bool mask = each.scalar_type() == c10::kBool || each.scalar_type() == c10::kByte;
        if (argument.isOptionalTensorList() && mask) {
          stream->not_recorded("how much a mask selects");
        }
      }
      indexes = indexes || argument.isOptionalTensorList();
    }
    const bool dynamic = operation.hasTag(at::Tag::dynamic_output_shape) && !indexes;
    if (dynamic || operation.hasTag(at::Tag::data_dependent_output)) {
      stream->not_recorded("values of tensors, for " + c10::toString(operation.operator_name()));
    }
  }

  // New tensors on the device for its results. The CPU's operation on zeros tells their sizes, strides and types.
  Stack results() const {
    auto stack = with(&zeros);
    {
      const c10::AutoGradMode off(false);
      operation.callBoxed(&stack);
    }
    size_t next = 0;
    const auto& returns = operation.schema().returns();
    for (size_t i = 0; i < returns.size(); i++) {
      const auto* alias = returns[i].alias_info();
      if (!writes(alias)) {
        TORCH_CHECK(alias == nullptr, "views by ", operation.operator_name(), " are not simulated");
        stack[i] = changed(stack[i], [&](const Tensor& each) {
          return at::empty_strided(each.sizes(), each.strides(), each.options().device(first.device()));
        });
        continue;
      }
      const auto& into = written.at(next++);
      if (into.isTensor() && into.toTensor().sizes() != stack[i].toTensor().sizes()) {
        resize(into.toTensor(), stack[i].toTensor().sizes(), std::nullopt);
      }
      stack[i] = into;
    }
    return stack;
  }
};

// An operation that returns new tensors waits for the stream, unless that is recorded.
void fallback(const c10::OperatorHandle& operation, Stack* stack) {
  const Call call(operation, *stack);
  const bool recorded = call.first.defined() && stream_of(call.first)->recorded() != 0;
  if (!recorded && !call.only_writes) {
    at::native::cpu_fallback(operation, stack, /*error_on_views=*/true);
    return;
  }
  Stack results;
  std::vector<Tensor> into;
  if (recorded) {
    call.check_recordable();
  }
  if (call.only_writes) {
    const auto count = static_cast<int64_t>(operation.schema().returns().size());
    results.assign(call.written.begin(), call.written.begin() + count);
  } else {
    results = call.results();
    for (size_t i = 0; i < results.size(); i++) {
      if (!Call::writes(operation.schema().returns()[i].alias_info())) {
        for (const auto& each : tensors(results[i])) {
          into.push_back(bare(each));
        }
      }
    }
  }
  give(call.first, [operation, arguments = call.with(&bare), into = std::move(into)] {
    auto stack = arguments;
    operation.callBoxed(&stack);
    size_t next = 0;
    for (size_t i = 0; i < stack.size() && !into.empty(); i++) {
      if (!Call::writes(operation.schema().returns()[i].alias_info())) {
        for (const auto& each : tensors(stack[i])) {
          into[next++].copy_(each);
        }
      }
    }
  });
  torch::jit::drop(*stack, call.arguments.size());
  stack->insert(stack->end(), results.begin(), results.end());
}

}  // namespace

void install_operations() {
  // They are taken back when it is destroyed.
  static auto* all = new torch::Library(torch::Library::IMPL, "_", c10::DispatchKey::CUDA, __FILE__, __LINE__);
  all->fallback(torch::CppFunction::makeFromBoxedFunction<&fallback>());
}

}  // namespace simulated
