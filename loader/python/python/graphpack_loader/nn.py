"""Norms that leave padding out, for PyTorch on batches with padding: `masked(model)` for networks as PyG has them,
`MaskedBatchNorm` for your own.

    >>> from torch_geometric.nn.models import GIN
    >>> model = gp.nn.masked(GIN(2, 8, num_layers=3, norm="batch_norm"))
    >>> batch = next(iter(gp.Loader(data, capacity=16))).to_pyg(padding=True)
    >>> h = model(batch.x, batch.edge_index, batch=batch.batch, batch_size=batch.num_graphs, node_mask=batch.node_mask)

Shapes follow from the shapes of the arguments alone, and nothing waits for a device.
"""

from __future__ import annotations

import inspect
from typing import Any

import torch
from torch import Tensor

_MASKS = ("node_mask", "edge_mask", "graph_mask")


class MaskedBatchNorm(torch.nn.BatchNorm1d):
    """`torch.nn.BatchNorm1d` over the rows where a mask is true: their output, gradients and running statistics are
    those of `BatchNorm1d` on these rows alone, and its parameters and `state_dict` have the same names. Fewer than two
    real rows leave the running statistics as they are. Padding rows may hold anything, also NaN,
    and give the bias.
    """

    _masks: _Masks | None = None

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        """Returns `x`, `[rows, channels]` or `[rows, channels, length]`, normalised; `mask` is bool `[rows]`."""
        if mask is None and self._masks is not None:
            mask = self._masks.of(x)
        if mask is None or not (self.training or self.running_mean is None):
            return super().forward(x)
        over = [dim for dim in range(x.dim()) if dim != 1]
        wide = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
        real = mask.view(-1, *[1] * (x.dim() - 1))
        rows = mask.sum() * (x.numel() // (x.shape[0] * x.shape[1]) if x.numel() else 1)
        count = rows.clamp(min=1).to(wide.dtype)
        mean = torch.where(real, wide, 0).sum(over, keepdim=True) / count
        centred = torch.where(real, wide - mean, 0)
        variance = centred.square().sum(over, keepdim=True) / count
        if self.training and self.running_mean is not None:
            self._update(rows, mean.detach().flatten(), variance.detach().flatten())
        out = centred * (variance + self.eps).rsqrt()
        if self.affine:
            shape = [1, -1, *[1] * (x.dim() - 2)]
            out = out * self.weight.view(shape) + self.bias.view(shape)
        return out.to(x.dtype)

    @torch.no_grad()
    def _update(self, rows: Tensor, mean: Tensor, variance: Tensor) -> None:
        assert self.running_mean is not None and self.running_var is not None and self.num_batches_tracked is not None
        enough = rows > 1
        self.num_batches_tracked.add_(enough)
        new = 1 / self.num_batches_tracked.clamp(min=1) if self.momentum is None else self.momentum
        share = (enough * new).to(self.running_mean.dtype)
        unbiased = variance * rows / (rows - 1).clamp(min=1)
        for running, value in ((self.running_mean, mean), (self.running_var, unbiased)):
            running.lerp_(value.to(running.dtype), share)


class _Masks:
    """The masks of the batch that a model was called with."""

    def __init__(self) -> None:
        self.masks: list[Tensor] | None = None

    def before_model(self, model: Any, args: tuple[Any, ...], options: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        masks = [options[name] for name in _MASKS if name in options]
        rest = {name: value for name, value in options.items() if name not in _MASKS}
        if not masks:
            batch = next((of for of in (*args, *rest.values()) if hasattr(of, "edge_index")), None)
            if batch is None:
                expected = "node_mask=batch.node_mask, or a batch of PyTorch Geometric among the arguments"
                raise TypeError(f"a model of gp.nn.masked: expected {expected}, found neither")
            # A batch without masks has real rows alone.
            masks = [batch[name] for name in _MASKS if name in batch]
        self.masks = masks
        return args, rest

    def of(self, x: Tensor) -> Tensor | None:
        """Returns the mask of the rows of `x`; `None` in a batch without padding."""
        if self.masks is None:
            raise RuntimeError("a norm of gp.nn.masked: expected a call of the model that `masked` has returned")
        found = [mask for mask in self.masks if len(mask) == len(x)]
        if self.masks and len(found) != 1:
            lengths = ", ".join(str(len(mask)) for mask in self.masks)
            which = f"a norm of {len(x)} rows: expected one mask of this length, found masks of {lengths}"
            raise ValueError(f"{which}; call the model with the one that is meant, as node_mask=batch.node_mask")
        return found[0] if found else None

    def before_norm(self, norm: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """Makes the real rows one graph and the padding rows another, where a norm of graphs takes all rows as one."""
        x, mask = self._without_batch(norm, args, options)
        return None if mask is None else ((x, (~mask).long(), 2), {})

    def after_layer_norm(self, norm: Any, args: tuple[Any, ...], options: dict[str, Any], output: Tensor) -> Tensor:
        """Returns PyG's `LayerNorm` of all real rows, whose `eps` has another place than in that of each graph."""
        x, mask = self._without_batch(norm, args, options)
        if mask is None:
            return output
        real, count = mask[:, None], (mask.sum() * x.shape[-1]).clamp(min=1)
        centred = torch.where(real, x - torch.where(real, x, 0).sum() / count, 0)
        # The root of 0 has no gradient: of a batch without graphs.
        variance = centred.square().sum() / count
        out = centred / (torch.where(variance > 0, variance, 1).sqrt() + norm.eps)
        return out if norm.weight is None else torch.addcmul(norm.bias, out, norm.weight)

    def _without_batch(self, norm: Any, args: tuple[Any, ...], options: dict[str, Any]) -> tuple[Tensor, Tensor | None]:
        given = inspect.signature(norm.forward).bind(*args, **options).arguments
        return given["x"], self.of(given["x"]) if given.get("batch") is None else None


def masked(model: torch.nn.Module) -> torch.nn.Module:
    """Makes the norms of `model` leave padding rows out, and returns it: each `BatchNorm1d`, also within PyG's
    `BatchNorm`, and PyG's norms of graphs where layers call them without `batch`, as those of its `MLP`.

    Call it with a batch of `to_pyg(padding=True)`, or with masks by name (`node_mask`, `edge_mask`, `graph_mask`), which
    the model does not see. A norm takes the mask that has a length of its rows. Of a batch without padding, all rows
    count. Parameters, `state_dict`, `eval` and optimizers stay as they are. Norms that take padding all the same are an
    error: `LazyBatchNorm1d` before its first batch, `SyncBatchNorm` (convert to it neither before nor after),
    `HeteroBatchNorm`, and `InstanceNorm` that tracks running statistics.
    """
    for name, module in model.named_modules():
        kind = type(module).__name__
        tracks = kind == "InstanceNorm" and module.track_running_stats
        if tracks or kind in ("LazyBatchNorm1d", "SyncBatchNorm", "HeteroBatchNorm"):
            raise TypeError(f"masked: expected norms that can leave padding rows out, found {kind} in {name or 'the model'}")
    masks = _Masks()
    model.register_forward_pre_hook(masks.before_model, with_kwargs=True)
    for module in model.modules():
        if type(module) is torch.nn.BatchNorm1d:
            module.__class__ = MaskedBatchNorm
        if isinstance(module, MaskedBatchNorm):
            module._masks = masks
        if not type(module).__module__.startswith("torch_geometric.nn.norm."):
            continue
        if type(module).__name__ == "LayerNorm":
            if module.mode == "graph":
                module.register_forward_hook(masks.after_layer_norm, with_kwargs=True)
        elif "batch" in inspect.signature(module.forward).parameters:
            module.register_forward_pre_hook(masks.before_norm, with_kwargs=True)
    return model
