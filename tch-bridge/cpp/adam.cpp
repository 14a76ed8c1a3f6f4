// libtorch's fused Adam, all parameters in a few kernels and its state on the device: what a captured step may contain.

#include "guarded.h"
#include <ATen/core/Tensor.h>
#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/_foreach_zero.h>
#include <ATen/ops/_fused_adam.h>
#include <ATen/ops/_fused_adamw.h>
#include <c10/core/GradMode.h>
#include <vector>

// As in adam.rs.
struct AdamOptions {
  double beta1;
  double beta2;
  double weight_decay;
  double eps;
  // Whether weights decay by themselves (AdamW) or through the gradients (Adam).
  int decoupled;
};

extern "C" {

// One update of `count` parameters, whose gradients are zero afterwards. `rate` and `steps`, the updates so far, are numbers on the device.
int graphpack_adam(
    at::Tensor** parameters,
    at::Tensor** averages,
    at::Tensor** squares,
    at::Tensor** steps,
    size_t count,
    const at::Tensor* rate,
    AdamOptions options,
    char* message,
    size_t capacity) {
  return guarded(message, capacity, [&] {
    const c10::AutoGradMode off(false);
    std::vector<at::Tensor> weights, gradients, first, second, updates;
    for (size_t i = 0; i < count; i++) {
      // Parameters that the loss does not depend on have none.
      if (parameters[i]->grad().defined()) {
        weights.push_back(*parameters[i]);
        gradients.push_back(parameters[i]->grad());
        first.push_back(*averages[i]);
        second.push_back(*squares[i]);
        updates.push_back(*steps[i]);
      }
    }
    if (weights.empty()) {
      return;
    }
    at::_foreach_add_(updates, 1);
    const auto update = [&](auto fused) {
      fused(weights, gradients, first, second, at::TensorList(), updates, *rate, options.beta1, options.beta2, options.weight_decay, options.eps);
    };
    if (options.decoupled != 0) {
      update([](const auto&... with) { at::_fused_adamw_(with..., /*amsgrad=*/false, /*maximize=*/false); });
    } else {
      update([](const auto&... with) { at::_fused_adam_(with..., /*amsgrad=*/false, /*maximize=*/false); });
    }
    at::_foreach_zero_(gradients);
  });
}

}
