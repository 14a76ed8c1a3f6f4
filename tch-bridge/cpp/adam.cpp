// libtorch's fused Adam: a few kernels update all parameters, and the state is on the device, so a captured step may
// contain it.

#include "guarded.h"
#include <ATen/core/Tensor.h>
#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/_foreach_zero.h>
#include <ATen/ops/_fused_adam.h>
#include <ATen/ops/_fused_adamw.h>
#include <c10/core/GradMode.h>
#include <vector>

// The same as in src/ffi.rs.
struct AdamOptions {
  double beta1;
  double beta2;
  double weight_decay;
  double eps;
  // 1 if the weights themselves decay (AdamW), 0 if decay is added to the gradients (Adam).
  int decoupled;
};

extern "C" {

// Updates those of `count` parameters that have gradients; the gradients are zero afterwards. `rate` and `steps`, the
// number of updates of each so far, are on the device.
const char* graphpack_adam(
    at::Tensor** parameters,
    at::Tensor** averages,
    at::Tensor** squares,
    at::Tensor** steps,
    size_t count,
    const at::Tensor* rate,
    AdamOptions options) {
  return guarded([&] {
    const c10::AutoGradMode off(false);
    std::vector<at::Tensor> weights, gradients, first, second, updates;
    for (size_t i = 0; i < count; i++) {
      // Parameters that no loss depends on have none.
      if (parameters[i]->grad().defined()) {
        // Found halfway, some parameters would have been updated and others not.
        TORCH_CHECK(
            parameters[i]->grad().layout() == c10::kStrided,
            "expected dense gradients, found a ",
            parameters[i]->grad().layout(),
            " one of parameter ",
            i);
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
      fused(
          weights,
          gradients,
          first,
          second,
          at::TensorList(),
          updates,
          *rate,
          options.beta1,
          options.beta2,
          options.weight_decay,
          options.eps);
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
